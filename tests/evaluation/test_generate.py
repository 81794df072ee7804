from __future__ import annotations

import gzip
import json
from random import Random

import pytest
from evaluation import absent_queries, identifiers
from evaluation.directory import Directory, Subject, in_order
from evaluation.generate import Generator, outsiders_of
from evaluation.names import bag, compact
from evaluation.present_queries import KINDS, wrong_number
from evaluation.queries import SPLITS, WRONG_DIGIT, Query, read_queries, split_of, write_queries
from evaluation.records import Company

OUTSIDERS = ["Nord Stream AG", "Volvo AB", "Apple Inc.", "株式会社"]


@pytest.fixture(scope="session")
def generator(directory):
    return Generator(directory, per_kind=6, outsiders=OUTSIDERS)


@pytest.fixture(scope="session")
def queries(generator):
    made = generator.queries()
    generator.check(made)
    return made


def made_of(kind, subject, seeds=300):
    made = [KINDS[kind](Random(seed), subject) for seed in range(seeds)]
    return {query.q: query.fits for query in made if query}


def test_the_same_companies_and_seed_give_the_same_queries(directory, queries):
    again = Generator(directory, per_kind=6, outsiders=OUTSIDERS).queries()
    assert again == queries
    assert Generator(directory, per_kind=6, seed="another").queries() != queries
    assert read_queries(write_queries(queries)) == queries


def test_a_third_or_more_is_absent(directory):
    few = [query for query in Generator(directory, per_kind=1).queries() if query.kind != WRONG_DIGIT]
    assert sum(query.absent for query in few) * 3 >= len(few) > 150


def test_no_text_comes_twice(queries):
    assert len({(query.q, query.filter) for query in queries}) == len(queries)
    assert len({query.id for query in queries}) == len(queries)
    given = sum(query.filter is not None for query in queries if query.kind in KINDS and query.kind != "identifier")
    assert 0.35 < given / sum(query.kind in KINDS and query.kind != "identifier" for query in queries) < 0.7


def test_the_parts_are_by_company(queries):
    parts = {}
    for query in queries:
        for record in query.meant:
            parts.setdefault(record, set()).add(query.split)
    assert {len(some) for some in parts.values()} == {1}
    assert {query.split for query in queries} == set(SPLITS)
    assert parts["BR", "33000167000101"] == parts["US", "1119639"] == {split_of("petrobras")}
    share = sum(split_of(f"CO:{number}") == "test" for number in range(5000)) / 5000
    assert share == pytest.approx(0.4, abs=0.02)


def test_linked_records_are_one_company(directory, place):
    home, filer = place["33000167000101"], place["1119639"]
    made = made_of("form-dropped", Subject(directory, filer, None))
    assert made["petrobras petroleo brasileiro"] == {filer}
    assert directory.records({filer}) == (("BR", "33000167000101"), ("US", "1119639")) == directory.records({home})
    assert len(directory.groups({home, filer})) == 1


def test_forms(directory, place):
    subject = Subject(directory, place["899999068"], "CO")
    assert {q.lower() for q in made_of("form-dropped", subject)} == {"ecopetrol"}
    assert {q.lower() for q in made_of("form-respelt", subject)} == {
        "ecopetrol s.a.", "ecopetrol sa", "ecopetrol s. a.", "ecopetrol s/a",
    }  # fmt: skip
    assert "ecopetrol sociedad anonima" in made_of("form-written-out", subject)
    assert made_of("form-abbreviated", subject) == {}


def test_what_stands_behind_the_form_may_be_said(directory, place):
    made = {q.lower() for q in made_of("form-dropped", Subject(directory, place["7154"], None))}
    assert made == {"procesadora nacional de alimentos", "procesadora nacional de alimentos pronaca"}


def test_other_names(directory, place):
    apple = Subject(directory, place["320193"], None)
    assert {q.lower() for q in made_of("ticker", apple)} == {"aapl"}
    assert "apple computer" in made_of("former-name", apple)
    assert made_of("trade-name", apple) == {}
    assert "portuense" in made_of("trade-name", Subject(directory, place["04912242000102"], None))


def test_few_letters_fit_all_who_begin_or_call_themselves_so(directory, place):
    nestle = {place["4238"], place["860002130"]}
    made = made_of("prefix", Subject(directory, place["4238"], None))
    assert made["nestle"] == nestle
    assert made["nestle ecua"] == {place["4238"]}
    assert made_of("prefix", Subject(directory, place["4238"], "EC"))["nestle"] == {place["4238"]}
    assert made_of("telling-word", Subject(directory, place["4238"], None))["nestle"] == nestle
    assert made_of("acronym", Subject(directory, place["30709359831"], None))["aci"] == {place["30709359831"]}


def test_equal_fit_ends_with_a_nearer_one():
    names = ["EUROBETA S.A.", "EUROETA S.A.", "EUROZETA LTDA."]
    directory = Directory(
        [Company("EC", "ec-expediente", str(at), name, (), (), None, "x", str(at)) for at, name in enumerate(names)]
    )
    assert directory.nearest(("euroeta",), None, 2) == (0, {1})
    assert directory.nearest(("eurobeta",), None, 2) == (0, {0})
    assert directory.nearest(("euroxeta",), None, 2) == (1, {0, 1, 2})
    assert directory.nearest(("euroxeta",), "CO", 2) == (3, set())
    made = made_of("typo", Subject(directory, 0, None))
    assert {q: fits for q, fits in made.items() if q == "euroeta"} == {"euroeta": {1}}
    queries = Generator(directory, per_kind=3).queries()
    assert not [query for query in queries if query.kind == "typo" and query.q.lower() == "euroeta"]


def test_form_tells_namesakes_apart():
    names = ["ACME S.A.", "ACME CIA. LTDA.", "ACME"]
    directory = Directory(
        [Company("EC", "ec-expediente", str(at), name, (), (), None, "x", str(at)) for at, name in enumerate(names)]
    )
    assert directory.fits(in_order, ("acme",), None) == {0, 1, 2}
    assert directory.fits(in_order, ("acme",), None, "ltda") == {1}
    assert directory.forms(2, in_order, "acme") == {None}
    assert made_of("form-respelt", Subject(directory, 0, None))["acme s/a"] == {0}
    assert made_of("form-dropped", Subject(directory, 0, None))["acme"] == {0, 1, 2}


class TestNumbers:
    @pytest.mark.parametrize(
        ("scheme", "number", "shown"),
        [
            ("ec-ruc", "1790016919001", {"1790016919-001"}),
            ("br-cnpj", "33000167000101", {"33.000.167/0001-01"}),
            ("co-nit", "899999068", {"899.999.068-1", "899999068-1"}),
            ("ar-cuit", "33695098419", {"33-69509841-9"}),
            ("us-cik", "320193", {"0000320193"}),
            ("mx-rfc", "BIM011108DJ5", {"BIM-011108-DJ5", "BIM 011108 DJ5"}),
            ("ec-expediente", "384", {None}),
        ],
    )
    def test_formatted(self, scheme, number, shown):
        assert {identifiers.formatted(Random(seed), scheme, number) for seed in range(30)} == shown

    def test_worded(self):
        assert "RUC 1790016919001" in {
            identifiers.worded(Random(seed), "ec-ruc", "1790016919001") for seed in range(50)
        }
        assert identifiers.worded(Random(1), "mx-clee", "01007212321000061000000000U9") is None

    def test_one_wrong_digit_never_makes_a_person_of_a_company(self):
        made = {identifiers.wrong_digit(Random(seed), "ec-ruc", "1790016919001") for seed in range(300)}
        assert all(sum(a != b for a, b in zip(number, "1790016919001", strict=True)) == 1 for number in made)
        assert {number[:3] + number[9:] for number in made} == {"1799001"[:3] + "9001"}

    def test_the_wrong_number_is_nobodys(self, directory, place):
        subject = Subject(directory, place["899999068"])
        for seed in range(100):
            made = wrong_number(Random(seed), subject)
            assert made is not None
            assert made.fits == set()
            assert made.q.endswith("-1")
            assert not directory.is_taken(made.q[:9])

    def test_an_alias_is_taken_too(self, directory):
        assert directory.is_taken("8800000001")
        assert directory.is_taken("7154")
        assert directory.with_identifier("8800000001", None) == set()
        assert not directory.is_taken("1")


class TestAbsent:
    def made(self, kind, directory, at, seeds=300):
        peers = [place for place, c in enumerate(directory.companies) if c.country == directory.companies[at].country]
        made = [absent_queries.KINDS[kind](Random(seed), Subject(directory, at), peers) for seed in range(seeds)]
        return {(" ".join(query.words), query.scope, query.form) for query in made if query}

    def test_near_misses(self, directory, place):
        assert self.made("absent-other-place", directory, place["476"]) >= {("EMPRESA ELECTRICA Cuenca", None, None)}
        assert self.made("absent-sister", directory, place["143615"]) == {
            (f"CONSORCIO SHUSHUFINDI {number}", None, None) for number in ("II", "III", "2", "IV")
        }
        assert ("VIVIENDAS 2001", None, None) in self.made("absent-other-number", directory, place["30546689979"])
        assert ("ECOPETROL", None, "Ltda.") in self.made("absent-other-form", directory, place["899999068"])
        assert not {
            query
            for query in self.made("absent-other-form", directory, place["899999068"])
            if query[2].startswith("S.A.") and query[2] != "S.A.S."
        }
        assert ("CONSORCIO FAVORITA", None, None) in self.made("absent-other-word", directory, place["143615"])

    def test_a_company_is_absent_only_where_it_is_not(self, directory, place):
        elsewhere = {scope for _, scope, _ in self.made("absent-other-country", directory, place["33000167000101"])}
        assert elsewhere == {"EC", "MX", "CO", "AR"}
        assert self.made("absent-other-country-word", directory, place["143615"]) == {
            ("SHUSHUFINDI", scope, "") for scope in ("MX", "US", "BR", "CO", "AR")
        }

    def test_hints_may_be_others_too(self, directory, place):
        assert ("ACI", "CO", "") in self.made("absent-other-country-acronym", directory, place["30709359831"])
        assert ("ADS CARG", "BR", "") in self.made("absent-other-country-prefix", directory, place["30709359831"])
        rows = [("US", "Apple Orchard Inc."), ("EC", "ZARUMILLA APPLE S.A."), ("BR", "APPLE PAULISTA S.A.")]
        known = Directory(
            [Company(code, "x", str(at), name, (), (), None, "x", str(at)) for at, (code, name) in enumerate(rows)]
        )
        # In Brazil it is the distinctive word of another company, which could be meant.
        assert self.made("absent-other-country-word", known, 0) == {("Apple", "EC", "")}

    def test_absent(self, directory):
        assert directory.is_absent(("cervezas", "pronaca"), None)
        for words, why in [
            (("favorita", "corporacion"), "the words in another order"),
            (("gerardo", "ortiz", "filhos"), "translated"),
            (("industrialpesquera", "santapriscila"), "the same letters"),
            (("pesquera", "priscila"), "a name that holds them all"),
            (("dinadek",), "one slip away"),
            (("grupo", "ecopetrol"), "a word that says nothing"),
            (("ecopetrol", "colombia"), "its country"),
            (("refineria", "cartagena", "de", "cartagena"), "its city"),
        ]:
            assert not directory.is_absent(words, None), why
            assert directory.is_absent(words, "MX"), why
        assert directory.is_absent(("dinadek",), None, near=False)

    def test_of_outsiders_are_verified_too(self, queries):
        assert {query.q.lower().split()[0] for query in queries if query.kind == "absent-outsider"} == {"nord", "volvo"}


class TestCheck:
    """A set with a false truth is refused."""

    def test_a_leak_into_the_absent_part(self, generator, queries):
        leaked = next(query for query in queries if query.kind == "exact")._replace(expected=(), meant=())
        with pytest.raises(ValueError, match="absent query names a company"):
            generator.check([*queries, leaked])

    def test_a_leak_by_another_form_is_none_but_by_the_same_is(self, generator, queries):
        near = next(query for query in queries if query.kind == "absent-other-form")
        generator.check([near._replace(q="Ecopetrol Ltda.", filter="CO")])
        with pytest.raises(ValueError, match="absent query names a company"):
            generator.check([near._replace(q="Ecopetrol SA", filter="CO")])

    def test_a_generator_that_leaks_is_held_back(self, directory, monkeypatch):
        def leaking(_rng, subject, _peers):
            return absent_queries.Absent(subject.legal.raw, None)

        monkeypatch.setitem(absent_queries.KINDS, "absent-recombined", leaking)
        assert not [q for q in Generator(directory, per_kind=6).queries() if q.kind == "absent-recombined"]

    def test_nor_does_a_slip_hide_a_leak(self, generator, queries):
        absent_one = next(query for query in queries if query.kind == "absent-recombined")
        with pytest.raises(ValueError, match="absent query names a company"):
            generator.check([absent_one._replace(q="corporacion favorta", filter=None)])

    def test_a_query_that_does_not_expect_whom_it_means(self, generator, queries):
        wrong = next(query for query in queries if query.kind == "exact")._replace(expected=(("EC", "1"),))
        with pytest.raises(ValueError, match="does not expect"):
            generator.check([wrong])

    def test_a_company_in_two_parts(self, generator, queries):
        present = next(query for query in queries if query.kind == "exact" and query.split == "train")
        with pytest.raises(ValueError, match="in two parts"):
            generator.check([present, present._replace(split="test")])


def test_wrong_digits_mean_a_company_and_expect_none(queries):
    wrong = [query for query in queries if query.kind == WRONG_DIGIT]
    assert wrong
    assert all(query.meant and query.absent for query in wrong)


def test_outsiders_are_read_from_gleif(tmp_path):
    names = ["ALFA REY s.r.o.", "株式会社", "Åre AB"]
    records = [{"Entity": {"LegalName": {"$": name}, "LegalAddress": {}}} for name in names]
    with gzip.open(tmp_path / "x.json.gz", "wt", encoding="utf-8") as file:
        json.dump({"records": records}, file)
    assert outsiders_of(tmp_path) == ["ALFA REY s.r.o.", "Åre AB"]
    assert outsiders_of(tmp_path / "none") == []


def test_ways_to_be_the_same():
    words = ("agro", "industrial", "andes")
    assert in_order(words) == "agro industrial andes"
    assert compact(words) == compact(("agroindustrial", "de", "los", "andes"))
    assert bag(words) == bag(("andes", "agro", "ind"))


def test_a_query_is_a_row():
    assert Query._fields == (
        "id", "q", "kind", "country", "filter", "meant", "expected", "unique", "language", "split", "source",
    )  # fmt: skip
