"""Texts cut at random from real documents: the project's pages, official tables of Brazil, contracts of Mexico."""

from __future__ import annotations

import csv
import gzip
import random
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
OFFICIAL: Final = ROOT / "data/official"
_LONGEST: Final = 20
"""Words of a text, at most."""


def cut_texts(count: int, seed: str) -> list[str]:
    """Return seeded texts of one to twenty words, a third of them in each of Spanish, English and Portuguese."""
    draw = random.Random(seed)
    documents = _spanish(), _english(), _portuguese()
    return [_cut(documents[number % len(documents)], draw) for number in range(count)]


def _cut(words: list[str], draw: random.Random) -> str:
    length = draw.randint(1, _LONGEST)
    start = draw.randrange(len(words) - length)
    return " ".join(words[start : start + length])


def _spanish() -> list[str]:
    (contracts,) = (OFFICIAL / "mx/comprasmx").glob("sample_Contratos2015_*.csv")
    titles = [row["TITULO_CONTRATO"] for row in csv.DictReader(_lines(contracts))]
    return _pages([ROOT / "README.es.md", *(ROOT / "docs").glob("*.es.md")]) + _words(titles)


def _english() -> list[str]:
    pages = [page for page in (ROOT / "docs").rglob("*.md") if not page.name.endswith(".es.md")]
    return _pages([*ROOT.glob("[A-Z]*.md"), *pages])


def _portuguese() -> list[str]:
    tables = [
        OFFICIAL / "br/receita-federal" / f"{name}.csv" for name in ("CNAECSV", "NATJUCSV", "MOTICSV", "QUALSCSV")
    ]
    labels = [row[1] for table in tables for row in csv.reader(_lines(table), delimiter=";")]
    accounts = {
        row["DS_CONTA"]
        for table in (OFFICIAL / "br/cvm-dfp").glob("*DRE*.csv.gz")
        for row in csv.DictReader(_lines(table), delimiter=";")
    }
    return _words([*labels, *sorted(accounts)])


def _lines(path: Path) -> list[str]:
    content = path.read_bytes()
    return (gzip.decompress(content) if path.suffix == ".gz" else content).decode("latin-1").splitlines()


def _pages(paths: Iterable[Path]) -> list[str]:
    """Return the words of Markdown pages, without code and marks."""
    texts = [path.read_text(encoding="utf-8") for path in sorted(paths)]
    return _words([re.sub(r"[|`*#>\[\]()_]+", " ", re.sub(r"```.*?```", " ", text, flags=re.DOTALL)) for text in texts])


def _words(texts: Iterable[str]) -> list[str]:
    return [word for text in texts for word in text.split()]
