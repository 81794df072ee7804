"""Names of companies and people that do not exist, drawn from a seed: for the synthetic files of `corpus`.

Portuguese name parts, words of trades, places and coined words, the first of each list far more often, as it is with
words. They are ASCII, as Receita Federal writes legal names.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_GIVEN = (
    "ANA MARIA JOSE JOAO ANTONIO FRANCISCO CARLOS PAULO PEDRO LUCAS LUIZ MARCOS RAFAEL DANIEL MARCELO BRUNO "
    "EDUARDO FELIPE RODRIGO JULIANA MARCIA FERNANDA PATRICIA ALINE SANDRA CAMILA AMANDA BRUNA JESSICA LETICIA "
    "VANESSA REGINA SONIA ROSANGELA TEREZINHA SEBASTIAO RAIMUNDO GERALDO ADRIANO CLAUDIO OTAVIO"
).split()
_SURNAMES = (
    "SILVA SANTOS OLIVEIRA SOUZA LIMA PEREIRA FERREIRA COSTA RODRIGUES ALMEIDA NASCIMENTO ALVES CARVALHO "
    "ARAUJO RIBEIRO MARTINS ROCHA BARBOSA GOMES MENDES MOREIRA CARDOSO TEIXEIRA RAMOS MONTEIRO PINTO FREITAS "
    "CAMPOS FERRAZ NEVES BATISTA MOURA DUARTE PACHECO SIQUEIRA BRANDAO VASCONCELOS"
).split()
_ACTIVITIES = (
    "COMERCIO DE ALIMENTOS| TRANSPORTES| CONSTRUCOES| SERVICOS| PARTICIPACOES| COMERCIO DE CONFECCOES| "
    "EMPREENDIMENTOS IMOBILIARIOS| RESTAURANTE E LANCHONETE| AUTO PECAS| MATERIAIS DE CONSTRUCAO| "
    "SUPERMERCADO| ENGENHARIA| INFORMATICA| CONSULTORIA EMPRESARIAL| REPRESENTACOES COMERCIAIS| DROGARIA| "
    "MOVEIS| PADARIA E CONFEITARIA| COMERCIO DE VEICULOS| CLINICA ODONTOLOGICA| AGROPECUARIA| INDUSTRIA E "
    "COMERCIO DE PLASTICOS| METALURGICA| HOTEL| CALCADOS| GRAFICA E EDITORA| DISTRIBUIDORA DE BEBIDAS| "
    "SEGURANCA PATRIMONIAL| TERRAPLENAGEM| PRODUTOS FARMACEUTICOS| LABORATORIO DE ANALISES CLINICAS| ENERGIA| "
    "TELECOMUNICACOES| CONSORCIOS| CORRETORA DE SEGUROS| FLORICULTURA| LATICINIOS| CERAMICA| TECELAGEM| "
    "MINERACAO"
).split("| ")
_PLACES = (
    "BRASIL| SAO PAULO| DO SUL| BAHIA| NORDESTE| MINAS| CURITIBA| RIO CLARO| SANTA RITA| SAO JOSE| VALE VERDE| "
    "BELA VISTA| BOA ESPERANCA| SERRA AZUL| NOVA ESPERANCA| TRES RIOS| CAMPO GRANDE| PORTO BELO| RIO NEGRO| "
    "MONTE ALTO| LAGOA SANTA| DO CERRADO| DO PANTANAL| AMAZONIA| PRAIA GRANDE| DO TRIANGULO| CARIRI| "
    "RECONCAVO| ALTO DA SERRA| ILHA BELA"
).split("| ")
_WORDS = (
    "ALVORADA PROGRESSO UNIAO IDEAL AURORA LIDER MODELO CENTRAL PRIMAVERA HORIZONTE ALIANCA ESTRELA IMPERIAL "
    "REAL GLOBAL PRIME NOBRE FENIX ATLANTICA PLANALTO PIONEIRA CRISTAL DIAMANTE SAFIRA ACACIA LIRIO JATOBA IPE "
    "CARAJAS TUCANO"
).split()
_SYLLABLES = ("BRA VEN TEC LUM SOL MAR COR DEL NOR TRI VAL MED LOG GER PLA FER TUR ZEN KAL RIO DAN POL XIN ARC").split()


class Draw:
    """Small numbers out of 512 bits that depend on nothing but a seed and a place."""

    def __init__(self, *place: int | str) -> None:
        digest = hashlib.blake2b(":".join(map(str, place)).encode()).digest()
        self.rest = int.from_bytes(digest, "big")

    def below(self, bound: int) -> int:
        """A number from 0 to `bound` - 1."""
        self.rest, number = divmod(self.rest, bound)
        return number

    def one_in(self, count: int) -> bool:
        """Return True once in `count` times."""
        return self.below(count) == 0

    def pick(self, values: Sequence[T]) -> T:
        """Return one of `values` with equal probability."""
        return values[self.below(len(values))]

    def common(self, values: Sequence[T]) -> T:
        """Return one of `values`, the first ones far more often, like words of a language."""
        return values[self.below(self.below(len(values)) + 1)]


def person(draw: Draw, root: str) -> str:
    """Return the name of an individual: with a number like a CPF behind it, with the root before it, or alone."""
    name = " ".join((draw.common(_GIVEN), draw.pick(_GIVEN), "DOS " + draw.pick(_SURNAMES), draw.common(_SURNAMES)))
    kind = draw.below(100)
    if kind < 23:
        return f"{name} {no_cpf(draw)}"
    return f"{root[:2]}.{root[2:5]}.{root[5:]} {name}" if kind < 86 else name


def no_cpf(draw: Draw) -> str:
    """Return eleven digits that no CPF has: the check digit is wrong."""
    digits = [draw.below(10) for _ in range(9)]
    for weight in (10, 11):
        rest = sum(digit * (weight - place) for place, digit in enumerate(digits)) % 11
        digits.append(0 if rest < 2 else 11 - rest)
    return "".join(map(str, digits[:10])) + str((digits[10] + 1 + draw.below(8)) % 10)


def company(draw: Draw) -> str:
    """Return the name of a company without its legal form."""
    lead = (
        lambda: "".join(draw.pick(_SYLLABLES) for _ in range(2 + draw.below(2))),
        lambda: " ".join(draw.pick(LETTERS) for _ in range(2 + draw.below(2))),
        lambda: f"{draw.pick(_SURNAMES)} & {draw.common(_SURNAMES)}",
        lambda: draw.common(_WORDS),
        lambda: f"{draw.common(_WORDS)} {draw.pick(_PLACES)}",
    )[draw.below(5)]()
    place = f" {draw.common(_PLACES)}" if draw.one_in(3) else ""
    return f"{lead} {draw.common(_ACTIVITIES)}{place}"
