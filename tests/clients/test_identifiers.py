"""Both clients validate identifiers without network by the very rules of the countries, as the service does."""

from __future__ import annotations

import ast
import json
import random
import re
import string
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from tools import generate_identifiers

from node_tools import CLIENT, TOOLS, run
from padron.countries import REGISTRY, ec
from padron.directory import Directory
from padron.directory import run as finish
from padron.errors import Invalid, NotFound, PadronError
from padron.matching.identifiers import readings as service_readings
from padron.matching.identifiers import unissued
from padron_client import validate_identifier
from process import ROOT

CASES: list[Mapping[str, Any]] = json.loads((ROOT / "clients/cases.json").read_text("utf-8"))["validations"]
IDS = ROOT / "tests/countries/ids"
LABELS = "RUC|RUC N° |CNPJ: |C.N.P.J. nº |CUIT |C.U.I.T. N° |IGJ |nit. |RFC:|CLEE |NRA |CIK |EIN: |LEI |expediente "
ODD = [*" .-/,_&Ññ", *"\u00a0\u2013\u200b\uff11\u212a\u017f\u0131ßX\t\u3000\x1c\ufeff\u0661²😀"]


@pytest.mark.parametrize("path", generate_identifiers.WRITERS, ids=lambda path: path.suffix)
def test_the_rules_are_those_of_the_countries(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written = path.read_text("utf-8")
    assert written == generate_identifiers.WRITERS[path](), "run `make generate`"
    monkeypatch.setattr(generate_identifiers.text, "_PLAIN", {0x2013: "-"})
    assert written != generate_identifiers.WRITERS[path]()


def test_a_word_without_a_translation_stops_the_generator() -> None:
    writer = generate_identifiers._Writer(ec.identifiers)
    with pytest.raises(ValueError, match=re.escape("no `raw.casefold()`")):
        writer.visit(ast.parse("raw.casefold()", mode="eval").body)


@pytest.mark.parametrize("case", CASES, ids=[f"{case['country']} {case['value']}" for case in CASES])
def test_the_service_agrees_with_the_cases(case: Mapping[str, Any], directory: Directory) -> None:
    """Texts with a reading are looked up, the others refused with the code of the validation."""
    try:
        finish(directory.get(case["country"].upper(), case["value"], "en"))
        code = None
    except PadronError as error:
        code = error.code
    if case["readings"]:
        assert code in {None, "company-not-found", "identifier-not-unique"}
    elif unissued(REGISTRY[case["country"].upper()], case["value"]) and case["code"] == "invalid-identifier":
        assert code == "company-not-found"  # the shape is right, and the register gives out no such number
    else:
        assert code == case["code"]


def mutated(source: random.Random) -> tuple[str, str]:
    """A country, and a real number of `IDS` with a few characters changed, maybe behind the code of the country."""
    files = sorted(IDS.glob("*.txt"))
    file = source.choice(files)
    country, number = file.stem[:2].upper(), source.choice(file.read_text("utf-8").split())
    if country not in REGISTRY or source.random() < 0.1:
        country = source.choice(list(REGISTRY))
    text = list(number)
    for _ in range(source.choice([0, 0, 1, 2, 4])):
        place, character = source.randrange(len(text) + 1), source.choice([*ODD, *string.digits, *string.ascii_letters])
        text[place : place + source.choice([0, 1])] = [character] if source.random() < 0.7 else []
    code = source.choice(
        ["", "", source.choice(REGISTRY[country].iso_codes) + source.choice(["", " ", "-", " - ", "_", ": "])]
    )
    label = source.choice(["", "", *LABELS.split("|")])
    return country, source.choice([code.upper(), code.lower()]) + label + "".join(text)


def by_the_country(country: str, value: str) -> list[Any]:
    """The validation that the rules of the service give."""
    try:
        readings = [list(number.identifier) for number in service_readings(REGISTRY[country], value)]
    except (Invalid, NotFound) as error:
        return [False, error.code, []]
    valid = any(check is not False for _, _, check in readings)
    return [valid, None if valid else "wrong-check-digit", readings]


def test_the_python_client_reads_as_the_countries_do() -> None:
    source = random.Random(21)
    read = set()
    for country, value in (mutated(source) for _ in range(5_000)):
        validation = validate_identifier(country, value)
        expected = by_the_country(country, value)
        assert [validation.valid, validation.code, list(map(list, validation.readings))] == expected, (country, value)
        read.add(validation.code)
    assert len(read) == 4


@pytest.mark.verify
def test_the_typescript_client_reads_as_the_countries_do(tmp_path: Path) -> None:
    run("npm", "run", "build")
    source = random.Random(22)
    asked = [mutated(source) for _ in range(20_000)]
    (tmp_path / "asked.json").write_text(json.dumps(asked), encoding="utf-8")
    (tmp_path / "read.mjs").write_text(
        f'import {{ validateIdentifier }} from "{CLIENT}/dist/identifiers.js";\n'
        f'import {{ readFileSync }} from "node:fs";\n'
        f'const asked = JSON.parse(readFileSync("{tmp_path}/asked.json", "utf8"));\n'
        "console.log(JSON.stringify(asked.map(([country, value]) => {\n"
        "  const { valid, code, readings } = validateIdentifier(country, value);\n"
        "  return [valid, code, readings.map((each) => [each.scheme, each.identifier, each.validCheck])];\n"
        "})));\n",
        encoding="utf-8",
    )
    done = subprocess.run([TOOLS / "node", tmp_path / "read.mjs"], capture_output=True, text=True, check=True)
    for question, answer in zip(asked, json.loads(done.stdout), strict=True):
        assert answer == by_the_country(*question), question
