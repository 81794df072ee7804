"""Write docs/answers.md and docs/answers.es.md: questions, each with the sentence that answers it.

    make docs

or `.venv/bin/python docs/generate_answers.py [DATA]`, where DATA is the data folder with the built release (default:
var). `tests/companies/test_answers.py` fails when they are out of date. Read them: people and agents quote them.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from padron.countries import REGISTRY
from padron.directory import Directory, run
from padron.questions.results import Question
from padron.words import LANGUAGES, Language, Text

DOCS = Path(__file__).resolve().parent

_INTRO = Text(
    """# Preguntas y respuestas

La frase (`sentence`) con que `GET /api/v1/search` responde a cada pregunta, en los dos idiomas, sobre los datos
incluidos. La escribe `make docs`; una prueba la mantiene al día. *In English: [answers.md](answers.md).*
""",
    """# Questions and answers

The `sentence` that `GET /api/v1/search` answers each question with, in both languages, over the bundled data. Written
by `make docs`; a test keeps it current. *En español: [answers.es.md](answers.es.md).*
""",
)


class Chapter(NamedTuple):
    """Questions of one kind."""

    title: Text
    questions: tuple[str, ...]


CHAPTERS = (
    Chapter(
        Text("El número de una empresa", "A company's number"),
        (
            "¿cuál es el RUC de Corporación Favorita?",
            "tax number of Embraer",
            "qual o CNPJ da Magazine Luiza",
            "cuál es el nit de emgesa",
            "Vale SA's CNPJ please",
            "rfc gas del atlántico",
            "Apple (the US one), CIK",
            "EIN of Apple Inc",
            "LEI of Apple Inc",
            "RUC of Corporacion Favortia",
            "¿me das el NIT de Petrobras?",
        ),
    ),
    Chapter(
        Text("La empresa de un número", "The company of a number"),
        (
            "who is 07.526.557/0001-00",
            "¿De quién es el RUC 1790016919001?",
            "el NIT 830095213 de quién es",
            "who is CIK 0000320193",
            "a quién corresponde el cnpj 33.000.167/0002-92",
            "RUC 1790016919001 o CNPJ 33.000.167/0001-01",
        ),
    ),
    Chapter(
        Text("Números que no pueden ser", "Numbers that cannot be right"),
        (
            "¿de quién es el RUC 1790016918001?",
            "CNPJ 33.592.510/0001-45",
            "¿de quién es el NIT 890.900.608-1?",
            "qué empresa tiene el RUC 179001691900",
            "qual empresa tem o CNPJ 12.345.678/0001-95",
            "12345678901234567890",
        ),
    ),
    Chapter(
        Text("Una empresa por su nombre", "A company by its name"),
        (
            "Mexico Fund",
            "Banco do Brasil",
            "Texas Instruments",
            "busca «General Motors del Ecuador»",
            "Hello, could you tell me about Chevron Corp? Thank you",
            "what is Facebook Inc called now?",
            "Raytheon Technologies Corp",
            "Schering Plough Corp",
        ),
    ),
    Chapter(
        Text("Descrita con otras palabras", "Described in other words"),
        (
            "la petrolera estatal colombiana Ecopetrol",
            "the Ecuadorian retailer Corporación Favorita",
            "a mineradora brasileira Vale S.A.",
            "Bayer in Argentina",
            "Duratex de Brasil",
            "Telconet en Guayaquil",
            "is CCX Carvão da Colombia still active?",
            "is Netflix Inc listed?",
            "¿Corporación Favorita tiene estados financieros?",
            "Bavaria y Cia, Colombia, still operating",
        ),
    ),
    Chapter(
        Text("Varias a la vez", "Several at once"),
        (
            "Grupo Argos or Cementos Argos, Colombia, active",
            "CUIT de Nación Seguros y CUIT del Banco de la Nación Argentina",
            "Apple Inc, Meta Platforms and Tesla: give me their CIKs",
            "RUC de Corporación Favorita y de Zapatería Quimérica",
        ),
    ),
    Chapter(
        Text("Responden varias", "Several answer"),
        (
            "¿cuál es el número fiscal de Bayer?",
            "qual o CNPJ da Cia Hering?",
            "tax id of United Airlines Inc",
            "¿quién es Ecuapesca S.A.?",
        ),
    ),
    Chapter(
        Text("Listas", "Lists"),
        (
            "supermercados en Ecuador con estados financieros",
            "empresas brasileiras de energia listadas",
            "listed American insurers",
            "hoteles en Ciudad de México",
            "minas de plata en Zacatecas",
            "siderúrgicas brasileiras em liquidação",
            "cervejarias na Colômbia",
            "empresas de sal en México",
            "software companies in Argentina",
            "hoteles en Chile",
        ),
    ),
    Chapter(
        Text("No consta, o no es seguro", "Not on record, or not certain"),
        (
            "¿RUC de la Constructora Mastodonte Celeste?",
            "México Sport SA",
            "el banco peruano Interbank",
            "RFC de Pemex",
            "dame el CUIT de Frigorífico Yaguareté Fluorescente",
            "company registration number of Volkswagen AG in Germany",
            "the Chilean retailer Falabella S.A.C.I.",
            "Natura",
            "RUC de Zapatería El Duende Azul",
        ),
    ),
)


def written(directory: Directory, language: Language) -> str:
    """The page, introduced in `language`."""
    return _INTRO.of(language) + "".join(_chapter(directory, chapter, language) for chapter in CHAPTERS)


def _chapter(directory: Directory, chapter: Chapter, language: Language) -> str:
    return "\n".join(["", f"## {chapter.title.of(language)}", "", *_lines(directory, chapter), ""])


def _lines(directory: Directory, chapter: Chapter) -> Iterator[str]:
    for q in chapter.questions:
        answer = run(directory.ask(Question(q), "es"))
        yield f"- **{q}** · `{answer.verdict}`\n  - es: {answer.sentence.es}\n  - en: {answer.sentence.en}"


def page(language: Language) -> Path:
    """Path of the page in a language."""
    return DOCS / ("answers.es.md" if language == "es" else "answers.md")


def main() -> None:
    """Write both pages."""
    data = Path(sys.argv[1]) if len(sys.argv) > 1 else Path("var")
    directory = run(Directory.open(data, REGISTRY, "https://padron.example"))
    for language in LANGUAGES:
        page(language).write_text(written(directory, language), encoding="utf-8")


if __name__ == "__main__":
    main()
