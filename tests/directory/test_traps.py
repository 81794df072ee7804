"""Every official source has a fetch test, a reader test, its traps planted, a licence and a cadence.

`traps.csv`: each trap that is known of a source, and the test with a planted case. `readers.csv`: the test that reads
its rows, `real` ones out of data/official, or `planted` ones where no copy of its files could be had.
"""

from __future__ import annotations

import ast
import csv
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from padron.countries import REGISTRY
from padron.countries.country import Country
from padron.countries.origin import Manual
from sites import AUTOMATIC

ROOT = Path(__file__).parents[2]


def table(name: str) -> list[dict[str, str]]:
    with (ROOT / "tests" / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def faults(rows: Iterable[dict[str, str]]) -> list[str]:
    """Tests that are named and are not there, sources that are not there, sources that are read and have no row."""
    missing, known = [], set()
    sources = {(country.code, source.key) for country in REGISTRY.values() for source in country.sources}
    for row in rows:
        known.add(place := (row["country"], row["source"]))
        if place not in sources | {("*", "*")}:
            missing.append(f"no source {place}")
        path, _, name = row["test"].partition("::")
        if name not in _tests(ROOT / path):
            missing.append(f"no test {row['test']}")
    return missing + [f"nothing of {source}" for source in sorted(sources - known)]


def _tests(path: Path) -> set[str]:
    """The names of the test functions of a module."""
    body = ast.parse(path.read_text("utf-8")).body if path.is_file() else []
    return {node.name for node in body if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")}


def unread(rows: Iterable[dict[str, str]]) -> list[str]:
    """Sources said to be read from real rows of which none are bundled, and bundled ones read from planted rows."""
    return [
        f"{row['country']} {row['source']}: {row['rows']}"
        for row in rows
        if (row["rows"] == "real") != (ROOT / "data" / "official" / row["country"].lower() / row["source"]).is_dir()
    ]


def unstated(registry: Mapping[str, Country]) -> Iterator[str]:
    """Sources without a licence, a cadence, or a way to get them that a test tries: a program's or a person's.

    A country that states no way at all is placed by hand.
    """
    tried = {(code, origin.source) for code, origin in AUTOMATIC}
    for country in registry.values():
        ways = {origin.source: origin.way for origin in country.origins}
        for source in (*country.sources, *country.collected):
            way = ways.get(source.key)
            stated = [source.licence, source.publisher, source.attribution, source.url.startswith("https://")]
            is_tried = way and (country.code, source.key) in tried
            known = (way.steps.es and way.steps.en) if isinstance(way, Manual) else is_tried
            if not all(stated) or source.cadence < 1 or (country.origins and not known):
                yield f"{country.code} {source.key}"


def test_every_trap_has_a_test_and_every_source_its_traps() -> None:
    assert faults(table("traps.csv")) == []


def test_every_source_has_a_reader_test_on_real_rows_where_there_are_any() -> None:
    assert faults(table("readers.csv")) == []
    assert unread(table("readers.csv")) == []


def test_every_source_states_licence_cadence_and_a_way_that_a_test_tries() -> None:
    assert list(unstated(REGISTRY)) == []


def test_a_trap_or_a_source_without_a_test_is_noticed() -> None:
    missing = "tests/directory/test_traps.py::test_that_nobody_wrote"
    wrong = {"country": "BR", "source": "ansx", "trap": "x", "test": missing}
    rows = [row for row in table("traps.csv") if row["source"] != "igj"]
    assert faults([*rows, wrong]) == [
        "no source ('BR', 'ansx')",
        "no test tests/directory/test_traps.py::test_that_nobody_wrote",
        "nothing of ('AR', 'igj')",
    ]
    assert unread([{"country": "CO", "source": "rues", "rows": "real"}]) == ["CO rues: real"]
    assert unread([{"country": "BR", "source": "cvm", "rows": "planted"}]) == ["BR cvm: planted"]
    brazil = REGISTRY["BR"]
    free = replace(brazil, sources=(replace(brazil.sources[0], licence=""), *brazil.sources[1:]))
    lost = replace(brazil, origins=brazil.origins[1:])
    assert list(unstated({"BR": free})) == list(unstated({"BR": lost})) == [f"BR {brazil.origins[0].source}"]
