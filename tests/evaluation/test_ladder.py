"""The ladder of directory sizes: its invented companies, its truth, its figures; the two small rungs themselves."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import Counter
from itertools import islice
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from evaluation import ladder
from evaluation.carriers import Asked, Carriers
from evaluation.ladder import Rung, keep, measure, printed, rises
from evaluation.ladder_queries import KINDS
from evaluation.names import read
from evaluation.plot import size_plot
from evaluation.population import Facts, Invented, Population
from evaluation.queries import Query
from evaluation.records import read_release
from evaluation.score import Answer, Result

FACTS = Facts(None, None, None, None)


def _company(identifier: str, *names: str, country: str = "EC") -> Invented:
    words = tuple(tuple(name.split()) for name in names)
    return Invented(country, 1, "ec-ruc", identifier, "register", names[0], None, words, FACTS)


def _asked(text: str, *, source: str | None = None, scope: str | None = None, kind: str = "exact") -> Asked:
    query = Query(
        f"{kind} {text}", text, kind, "EC", scope, (), (), unique=False, language="es", split="test", source=""
    )
    return Asked(query, tuple(text.split()), ("EC", source) if source else None, near=True)


COMPANIES = (
    _company("1", "zumorex de los andes"),
    _company("2", "zumorex"),
    _company("3", "grupo zumorex"),
    _company("4", "transportes garcia", "flota azul"),
    _company("5", "garcia transportes pesados"),
    _company("6", "inmobiliaria alba ii"),
    _company("7", "flota azul", country="CO"),
    _company("8", "sarra y cia"),
    _company("9", "sarra"),
)


@pytest.mark.parametrize(
    ("text", "scope", "carriers"),
    [
        ("zumorex", None, ["2"]),  # a whole name goes before names that have it as a part
        ("zumo rex", None, ["2"]),
        ("zumorxe", None, ["2"]),
        ("sarra y cia", None, ["8"]),
        ("sarra e cia", None, ["8", "9"]),
        ("zumorex andes", None, ["1"]),
        ("grupo zumorex", None, ["3"]),
        ("transportes garcia y cia", None, ["4"]),
        ("garcia transportes", None, ["4", "5"]),  # all words in another order, and side by side
        ("transportes", None, ["4", "5"]),
        ("flota azul", None, ["4", "7"]),  # a trade name is a name
        ("flota azul", "EC", ["4"]),
        ("inmobiliaria alba 2", None, ["6"]),
        ("perez transportes", None, []),
        ("zumarexx", None, []),
    ],
)
def test_a_query_is_carried_by_the_names_that_fit_it_best(text, scope, carriers):
    counted = Carriers([_asked(text, scope=scope)])
    assert list(counted.counted(COMPANIES)) == list(COMPANIES)
    (truth,) = counted.truths()
    assert sorted(identifier for _, identifier in truth.expected) == carriers
    assert truth.unique == (len(carriers) == 1)
    assert truth.absent == (not carriers)


def test_of_several_carriers_the_source_is_meant_and_kept_however_many_there_are():
    companies = [_company(str(number), f"alba {number}") for number in range(50)]
    counted = Carriers([_asked("alba", source="49")])
    for _ in counted.counted(companies):
        pass
    (truth,) = counted.truths()
    assert truth.meant == (("EC", "49"),)
    assert not truth.unique


def test_invented_words_do_not_depend_on_the_process():
    names = "[('zumo', 'rex'), ('flota', 'azul'), ('alba',), ('transportes', 'garcia', 'perez')]"
    program = f"""
from random import Random
from evaluation.population import Lexicon, Sequences
lexicon = Lexicon({names})
sequences = Sequences({names}, lexicon)
print([lexicon.filled(Random(seed), sequences.draw(Random(seed))) for seed in range(20)])
"""
    root = str(Path(ladder.__file__).parents[1])
    printed_names = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": root},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(printed_names) == 1


def test_queries_that_nobody_knows_the_company_of_leave_calibration_alone():
    rung = _rung(10, {"zumorex": 0.9, "flota azul": 0.5, "nobody": 0.1})
    unknown = rung._replace(truths=[query._replace(meant=()) if query.expected else query for query in rung.truths])
    (error,) = (bar.value for bar in unknown.bars() if bar.name == "calibration error")
    assert error == pytest.approx(0.1)


def _rung(size: int, confidences: dict[str, float]) -> Rung:
    """A rung of three queries that company 2 answers: carried by it alone, by it and another, by none."""
    asked = [_asked("zumorex", source="2"), _asked("flota azul", source="4", kind="namesake")]
    asked.append(_asked("nobody", kind="absent-coined"))
    counted = Carriers(asked)
    for _ in counted.counted(COMPANIES):
        pass
    answers = {
        some.query.id: Answer((Result("EC", some.source[1] if some.source else "2", confidences[some.query.q]),))
        for some in asked
    }
    return Rung(size, asked, counted.truths(), answers)


def test_only_the_one_company_that_carries_a_query_is_asserted_rightly():
    rung = _rung(10, {"zumorex": 0.99, "flota azul": 0.99, "nobody": 0.5})
    values = {bar.name: bar.value for bar in rung.bars()}
    assert values["precision at 0.85"] == 0.5  # the one of two namesakes is wrong, although it was meant
    assert values["absent asserted"] == 0.0
    assert values["recall at 0.85, one company"] == 1.0
    assert rung.kinds()["namesake"] == {"absent": 0, "ambiguous": 1, "unique": 0, "right": 0, "wrong": 1}
    assert [json.loads(line)["q"] for line in rung.wrong()] == ["flota azul"]
    sure = _rung(10, {"zumorex": 0.5, "flota azul": 0.5, "nobody": 0.99})
    assert [bar.value for bar in sure.bars() if bar.name == "absent asserted"] == [1.0]
    assert not any(bar.met for bar in sure.bars())


def test_a_company_that_a_larger_directory_makes_surer_is_reported():
    small = _rung(10, {"zumorex": 0.9, "flota azul": 0.5, "nobody": 0.1})
    large = _rung(100, {"zumorex": 0.95, "flota azul": 0.4, "nobody": 0.9})
    assert rises(small, large)._replace(largest=0.05) == (2, 1, 0.05, "zumorex")
    assert rises(large, small)._replace(largest=0.1) == (2, 1, 0.1, "flota azul")


def test_what_is_kept_and_drawn_holds_no_query(tmp_path: Path):
    rungs = [_rung(size, {"zumorex": 0.9, "flota azul": 0.5, "nobody": 0.1}) for size in (10, 100)]
    keep([rung.kept() for rung in rungs], [rises(*rungs)], tmp_path, tmp_path)
    (result,) = tmp_path.glob("ladder-*.json")
    kept = json.loads(result.read_text())
    assert [rung["companies"] for rung in kept["rungs"]] == [10, 100]
    assert re.match(r"[0-9a-f]{40}", kept["about"]["commit"])
    assert "zumorex" not in result.read_text()
    ET.parse(tmp_path / "ladder.svg")


def test_a_plot_against_size_has_a_line_for_each_figure():
    drawing = ET.fromstring(size_plot({"a": [(10, 0.1), (1000, 0.2)], "b": [(10, 0.0), (1000, 0.0)]}))
    lines = drawing.findall(".//{http://www.w3.org/2000/svg}polyline")
    assert [line.get("points") for line in lines] == ["62.0,264.0 462.0,104.0", "62.0,424.0 462.0,424.0"]


HELD = {
    "precision at 0.85": 0.985,
    "absent asserted": 0.003,
    "calibration error": 0.035,
    "recall at 0.85, one company": 0.9,
}
"""Bars that the intervals of the two small rungs reach; those of `make ladder` are the goal. To be tightened, never
loosened. The values themselves move by a hundredth or two from one release to the next with the same code, since the
invented names and the queries follow those of the release."""


@pytest.fixture(scope="module")
def population(release: Path) -> Population:
    return Population.like(release)


@pytest.mark.endurance
def test_invented_names_have_the_statistics_of_the_release(release, population):
    real = [read(company.legal_name, "CO").words for company in read_release(release) if company.country == "CO"]
    invented = [population.words("CO", number) for number in range(len(real))]
    for names in (invented, real):
        assert all(names)
    figures = []
    for names in (real, invented):
        bearers = Counter(word for words in names for word in set(words))
        ranked = sorted(bearers.values(), reverse=True)
        once = sum(count == 1 for count in ranked)
        figures.append((len(ranked), once, ranked[0], ranked[99], sum(map(len, names))))
    for was, is_now in zip(*figures, strict=True):
        assert is_now == pytest.approx(was, rel=0.35)


@pytest.mark.endurance
def test_a_population_is_the_beginning_of_a_larger_one_and_the_same_each_time(release, population):
    small, large = (list(population.companies(size)) for size in (600, 1_200))
    assert len({company.key for company in large}) == 1_200
    assert {company.key: company for company in small}.items() <= {company.key: company for company in large}.items()
    assert Counter(company.country for company in large) == dict.fromkeys(("EC", "MX", "US", "BR", "CO", "AR"), 200)
    again = Population.like(release)
    assert list(islice(again.companies(1_200), 300)) == large[:300]


@pytest.mark.endurance
def test_the_small_rungs_of_the_ladder_hold(release):
    rungs = list(measure(release, ladder.SIZES[:2]))
    assert set(rungs[0].kinds()) == set(KINDS)
    for rung in rungs:
        print(printed(rung))
        for bar in rung.bars():
            best = bar.interval.high if bar.least else bar.interval.low
            assert bar._replace(bar=HELD[bar.name], value=best).met, f"{rung.size}: {bar.line}"
