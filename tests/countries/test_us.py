"""United States: CIK and EIN, legal forms, activities, places, and the companies read from the bundled files."""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import json
import re
import zipfile
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st
from stdnum.us import ein as oracle

from one_country import build, place, unexpecting
from padron.companies.model import Identifier
from padron.countries.country import Expect, Status
from padron.countries.us import US
from padron.errors import Invalid, NotFound
from padron.ingest.build import Built, build_country
from padron.text import fold, split_form

OFFICIAL = Path(__file__).parents[2] / "data" / "official"
IDS = Path(__file__).parent / "ids"
CIKS, EINS, STATE_NUMBERS, LEIS = (
    (IDS / f"{scheme}.txt").read_text().split() for scheme in ("us-cik", "us-ein", "us-state", "lei")
)

Query = Callable[[str], list[tuple[Any, ...]]]


# --- identifiers


@pytest.mark.parametrize("cik", CIKS)
def test_real_ciks_in_every_written_form(cik: str) -> None:
    readings = (Identifier("us-cik", cik),)
    shown = US.scheme_by_code["us-cik"].show(cik)
    assert (len(shown), shown.lstrip("0")) == (10, cik)
    for written in (
        cik,
        shown,
        f" {shown} ",
        f"CIK{shown}",
        f"cik: {cik}",
        f"CIK #{shown}",
        f"Central Index Key {cik}",
    ):
        assert US.identify(written) == readings


@pytest.mark.parametrize("ein", EINS)
def test_real_eins_in_every_written_form(ein: str) -> None:
    identifier = Identifier("us-ein", ein)
    shown = US.scheme_by_code["us-ein"].show(ein)
    assert shown == oracle.format(ein)
    for written in (
        shown,
        f"{shown[:2]} {shown[3:]}",
        f"EIN {ein}",
        f"ein: {shown}",
        f"I.R.S. No. {ein}",
        f"FEIN {shown}",
    ):
        assert US.identify(written) == (identifier,)
    assert US.identify(ein) == (Identifier("us-cik", ein.lstrip("0")), identifier)


@pytest.mark.parametrize("number", STATE_NUMBERS)
def test_real_state_numbers_in_every_written_form(number: str) -> None:
    for written in (number, number.lower(), f" {number} ", f"State file number {number}"):
        assert US.identify(written) == (Identifier("us-state", number),)
    assert US.scheme_by_code["us-state"].show(number) == number


@pytest.mark.parametrize(
    "name", ["CO", "IN-N-OUT", "OK-7-ELEVEN", "DE 6283046", "ZZ-6283046", "DE-62", "CO-900276962", "AR-30500010912"]
)
def test_names_are_no_state_numbers(name: str) -> None:
    with pytest.raises(Invalid):
        US.identify(name)


@pytest.mark.parametrize("lei", LEIS)
def test_real_leis(lei: str) -> None:
    for written in (lei, lei.lower(), f"LEI {lei}", " ".join(re.findall("....", lei))):
        assert US.identify(written) == (Identifier("lei", lei, True),)


def test_there_are_enough_real_numbers() -> None:
    assert [len(set(numbers)) for numbers in (CIKS, EINS, LEIS)] == [100, 100, 100]


def test_stdnum_knows_the_prefixes_of_the_real_eins() -> None:
    assert [ein for ein in EINS if not oracle.is_valid(ein)] == []


@pytest.mark.parametrize(
    ("raw", "readings"),
    [
        ("942404110", [("us-cik", "942404110"), ("us-ein", "942404110")]),
        ("012345678", [("us-cik", "12345678"), ("us-ein", "012345678")]),
        ("000320193", [("us-cik", "320193")]),
        ("94-2404110", [("us-ein", "942404110")]),
        ("CIK 942404110", [("us-cik", "942404110")]),
        ("1234567890", [("us-cik", "1234567890")]),
        ("００００３２０１９３", [("us-cik", "320193")]),
    ],
)
def test_which_readings_a_number_has(raw: str, readings: list[tuple[str, str]]) -> None:
    assert [identifier[:2] for identifier in US.identify(raw)] == readings


@pytest.mark.parametrize("number", ["123-45-6789", "EIN 123-45-6789", " 078 05 1120 "])
def test_natural_persons_are_refused_without_an_echo(number: str) -> None:
    with pytest.raises(NotFound) as refused:
        US.identify(number)
    assert refused.value.code == "natural-person-not-covered"
    assert not refused.value.context


@pytest.mark.parametrize(
    "raw",
    [
        *("", " ", "-", "CIK", "0", "0000000000", "000000000", "999999999", "111111111", "99-9999999", "00-0000001"),
        *(
            "12345678901",
            "94-24041100",
            "942-404110",
            "320193x",
            "Apple",
            "AAPL",
            "EIN 320193",
            "CIK 94-2404110",
            "EIN",
        ),
    ],
)
def test_garbage_is_refused(raw: str) -> None:
    with pytest.raises(Invalid) as refused:
        US.identify(raw)
    assert refused.value.code == "invalid-identifier"
    assert refused.value.context == {"parameter": "identifier", "country": "US"}


@given(st.one_of(st.text(max_size=30), st.from_regex(r"(cik|EIN)? ?[0-9\- ]{1,12}", fullmatch=True)))
def test_any_text_is_read_or_refused(raw: str) -> None:
    try:
        readings = US.identify(raw)
    except (Invalid, NotFound):
        return
    for identifier in readings:
        assert identifier in US.identify(US.scheme_by_code[identifier.scheme].show(identifier.value))


def test_the_examples_are_identifiers() -> None:
    for scheme, value in US.examples:
        assert US.identify(value) == (Identifier(scheme, value),)


# --- legal forms, states, activities, places


def test_every_spelling_is_folded_compact_and_of_one_form() -> None:
    spellings = [spelling for form in US.legal_forms for spelling in form.spellings]
    assert [spelling for spelling in spellings if fold(spelling) != spelling or " " in spelling] == []
    assert len(set(spellings)) == len(spellings)
    assert len({form.code for form in US.legal_forms}) == len(US.legal_forms)
    assert all(form.label.es and form.label.en and form.short for form in US.legal_forms)


@pytest.mark.parametrize(
    ("name", "core", "form"),
    [
        ("Apple Inc.", "apple", "inc"),
        ("MERCADOLIBRE INC", "mercadolibre", "inc"),
        ("ONEOK PARTNERS L P", "oneok partners", "lp"),
        ("BRITISH AMERICAN TOBACCO P.L.C.", "british american tobacco", "plc"),
        (
            "Controladora Vuela Compania de Aviacion, S.A.B. de C.V.",
            "controladora vuela compania de aviacion",
            "sab-de-cv",
        ),
        ("BETTERWARE DE MEXICO, S.A.P.I. DE C.V", "betterware de mexico", "sapi-de-cv"),
        ("YPF SOCIEDAD ANONIMA", "ypf", "sa"),
        ("NOVO NORDISK A S", "novo nordisk", "as"),
        ("Fresenius SE & Co. KGaA", "fresenius", "kgaa"),
        ("ASML HOLDING NV", "asml holding", "nv"),
        ("Alibaba Group Holding Ltd", "alibaba group holding", "ltd"),
        ("ZK INTERNATIONAL GROUP CO., LTD.", "zk international group", "ltd"),
        ("SPDR GOLD TRUST", "spdr gold trust", None),
        ("BERKSHIRE HATHAWAY HOLDINGS", "berkshire hathaway holdings", None),
        ("US BANCORP", "us bancorp", None),
    ],
)
def test_legal_forms_are_taken_off_the_end(name: str, core: str, form: str | None) -> None:
    named = split_form(name, US.forms)
    assert (" ".join(named.core), named.form) == (core, form)


def test_no_source_publishes_a_state() -> None:
    assert US.status("Large accelerated filer") is Status.UNKNOWN
    assert (US.status("ACTIVE"), US.status("INACTIVE")) == (Status.ACTIVE, Status.INACTIVE), "of GLEIF"


def table(name: str) -> list[dict[str, str]]:
    return list(csv.DictReader((US.folder / name).read_text(encoding="utf-8").splitlines()))


def test_activities_are_those_of_the_submissions() -> None:
    own = {row["code"]: row["label"] for row in table("activities.csv")}
    filers = [json.loads(path.read_text("utf-8")) for path in (OFFICIAL / "us/submissions").glob("CIK*.json")]
    stated = {filer["sic"]: filer["sicDescription"].upper() for filer in filers if filer["sic"]}
    assert {code: own[code] for code in stated} == stated
    assert (len(own), len(stated), own["3571"]) == (444, 14, "ELECTRONIC COMPUTERS")


def test_places_have_iso_codes() -> None:
    places = {row["code"]: row["iso"] for row in table("locations.csv")}
    known = dict(
        pair.split("=") for pair in "DE=US 2M=DE CO=US F8=CO AR=US C1=AR CA=US Z4=CA A6=CA PR=US O5=MX".split()
    )
    assert {code: places[code] for code in known} == known
    assert len(places) == 308
    assert all(re.fullmatch("[A-Z]{2}", iso) for iso in places.values())


# --- the companies


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Built, Path]:
    """The snapshot of the bundled files, and its companies."""
    data, work = tmp_path_factory.mktemp("data"), tmp_path_factory.mktemp("work")
    country = build_country(data, work, US, [OFFICIAL], None, lambda _code, _stage: None)
    return country, data / "snapshots" / country.name / "companies.parquet"


@pytest.fixture(scope="module")
def query(built: tuple[Built, Path]) -> Query:
    return lambda sql: duckdb.sql(sql.replace("companies", f"'{built[1]}'")).fetchall()


def test_every_row_is_accounted_for(built: tuple[Built, Path]) -> None:
    manifest = built[0].manifest
    assert (manifest["companies"], manifest["by_scheme"]) == (11915, {"lei": 129, "us-cik": 11786})
    books = {
        key: {field: book[field] for field in ("rows", "kept", "merged", "left_out", "rejected")}
        for key, book in manifest["sources"].items()
        if book["rows"] and key != "companyfacts"  # statements: tests/ingest/test_statements.py
    }
    assert {key for key, book in manifest["sources"].items() if not book["rows"]} == set(STATE_FILES)
    unjoined = {"fund": 16, "no-register-identifier": 5, "other-category": 2, "other-country": 391}
    assert books == {
        "submissions": {"rows": 23, "kept": 22, "merged": 0, "left_out": {"test-filer": 1}, "rejected": {}},
        "company-tickers": {
            "rows": 50602,
            "kept": 10602,
            "merged": 39999,
            "left_out": {"fund-series": 1},
            "rejected": {},
        },
        "financial-statement-data-sets": {
            "rows": 7273,
            "kept": 1162,
            "merged": 6106,
            "left_out": {"separate-account": 5},
            "rejected": {},
        },
        "gleif": {"rows": 549, "kept": 129, "merged": 6, "left_out": unjoined, "rejected": {}},
    }


def test_the_rows_of_known_companies(query: Query) -> None:
    rows = query(
        """SELECT identifier, legal_name, aliases[1].value, activity_code, activity_label, region, home, source,
                  refreshed
           FROM companies WHERE identifier IN
               ('320193', '895419', '1119639', '940418', '70858', '1318605', '1326801', '1830056')
           ORDER BY identifier::INTEGER"""
    )
    assert rows == [
        (
            *("70858", "BANK OF AMERICA CORP /DE/", "560906609", "6021", "NATIONAL COMMERCIAL BANKS"),
            *("North Carolina", None, "company-tickers", date(2026, 8, 22)),
        ),
        (
            *("320193", "Apple Inc.", "942404110", "3571", "ELECTRONIC COMPUTERS"),
            *("California", None, "submissions", date(2026, 2, 26)),
        ),
        (
            *("895419", "WOLFSPEED, INC.", "561572719", "3674", "SEMICONDUCTORS & RELATED DEVICES"),
            *("North Carolina", None, "submissions", date(2026, 3, 26)),
        ),
        (
            *("940418", "SIEMENS AG", None, "8880", "AMERICAN DEPOSITARY RECEIPTS", None, "DE"),
            *("submissions", date(2026, 2, 3)),
        ),
        (
            *(
                "1119639",
                "PETROBRAS - PETROLEO BRASILEIRO SA",
                None,
                "1311",
                "CRUDE PETROLEUM & NATURAL GAS",
                None,
                "BR",
            ),
            *("company-tickers", date(2026, 8, 22)),
        ),
        (
            # in California by its statements of 2010 and 2021, in Texas by its own record
            *("1318605", "Tesla, Inc.", "912197729", "3711", "MOTOR VEHICLES & PASSENGER CAR BODIES"),
            *("Texas", None, "submissions", date(2026, 2, 3)),
        ),
        (
            *("1326801", "Meta Platforms, Inc.", "201665019", "7370"),
            *("SERVICES-COMPUTER PROGRAMMING, DATA PROCESSING, ETC.", "California", None),
            *("company-tickers", date(2026, 8, 22)),
        ),
        (*("1830056", "Siemens Energy AG/ADR", None, None, None, None, "DE"), *("submissions", date(2026, 2, 3))),
    ]


def test_of_gleif_only_a_renewed_registration_tells_a_status(query: Query) -> None:
    """AMD's was last renewed years ago. Of the 158 American entities of the copy, four are renewed."""
    rows = query("SELECT identifier, status_raw, status FROM companies WHERE status IS NOT NULL OR identifier = '2488'")
    assert sorted(rows) == [
        ("2488", None, None),
        ("254900W30345820VO277", "ACTIVE", "active"),
        ("549300CR5XDK0TP7I727", "ACTIVE", "active"),
        ("549300NG4IAYEMQ99364", "ACTIVE", "active"),
        ("98450082CHAE8366A647", "ACTIVE", "active"),
    ]


def test_former_names_alternative_names_and_tickers(query: Query) -> None:
    registered = "list_filter(names, lambda x: x.kind NOT IN ('byName', 'doubtfulByName'))"
    listed = f"list_transform({registered}, lambda x: (x.kind, x.name, x.since, x.until))"
    names = dict(query(f"SELECT identifier, {listed} FROM companies"))
    assert names["320193"] == [
        ("former", "APPLE COMPUTER INC", date(1994, 1, 26), date(2007, 1, 4)),
        ("ticker", "AAPL", None, None),
    ]
    assert names["895419"] == [
        ("former", "CREE INC", date(2000, 10, 27), date(2021, 10, 1)),
        ("former", "CREE RESEARCH INC", date(1996, 11, 14), date(1999, 5, 11)),
        ("ticker", "WOLF", None, None),
    ]
    assert names["1326801"] == [("former", "FACEBOOK INC", None, None), ("ticker", "META", None, None)]
    assert names["70858"][:3] == [
        ("former", "BANKAMERICA CORP", None, date(1998, 10, 22)),
        ("alternative", "BANK OF AMERICA CORP", None, None),
        ("ticker", "BAC", None, None),
    ]
    # gone from the newest file: kept; the day it was last there is not its last
    assert names["1001902"] == [("ticker", "IVAC", None, None)]


def test_where_a_foreign_filer_is_from(query: Query) -> None:
    homes = dict(query("SELECT legal_name, home FROM companies"))
    assert {
        name: homes[name] for name in ("AMBEV S.A.", "CAMTEK LTD", "BCE INC", "CEMEX SAB DE CV", "MICROSOFT CORP")
    } == {
        "AMBEV S.A.": "BR",
        "CAMTEK LTD": "IL",  # as the data sets state it
        "BCE INC": "XX",  # country blank, files 40-F
        "CEMEX SAB DE CV": "XX",  # listed only: by its legal form
        "MICROSOFT CORP": None,
    }
    assert (homes["GEMZ Corp. NV"], homes["JANUS HENDERSON GROUP PLC"], homes["Citibank,N.A./ADR"]) == (
        None,
        None,
        None,
    )


def test_the_largest_come_first(query: Query) -> None:
    rows = query("SELECT legal_name FROM companies ORDER BY size DESC NULLS LAST LIMIT 4")
    assert rows == [("NVIDIA CORP",), ("Apple Inc.",), ("Alphabet Inc.",), ("MICROSOFT CORP",)]
    assert query("SELECT min(size) >= 0 AND max(size) <= 1 FROM companies") == [(True,)]


def test_an_ein_shared_by_several_merges_none(query: Query) -> None:
    rows = query("""SELECT legal_name FROM companies WHERE list_contains(list_transform(aliases, lambda x: x.value),
                    '316000228') ORDER BY 1""")
    assert rows == [("FEDERAL HOME LOAN BANK OF ATLANTA",), ("FEDERAL HOME LOAN BANK OF CINCINNATI",)]


def test_no_name_is_emptied_by_its_form(query: Query) -> None:
    names = [name for (name,) in query("SELECT legal_name FROM companies")]
    cores = [split_form(name, US.forms) for name in names]
    assert all(named.core for named in cores)
    assert sum(named.form is not None for named in cores) > 0.84 * len(names)


# --- files of the tests' own, fault by fault

SUB = "adsh cik name sic countryba stprba bas1 baph countryinc stprinc ein former changed form filed".split()


def filer(cik: str, name: str, ein: str | None, **changes: Any) -> dict[str, Any]:
    """A document of the submissions API, as far as it is read."""
    return {
        "cik": cik,
        "name": name,
        "ein": ein,
        "sic": "",
        "sicDescription": "",
        "stateOfIncorporation": "",
        "tickers": [],
        "formerNames": [],
        "filings": {"recent": {"form": []}},
        "phone": "2125550100",
        **changes,
    }


def filing(**cells: str) -> str:
    return "\t".join(cells.get(column, "") for column in SUB) + "\n"


def zipped(name: str, *documents: dict[str, Any]) -> dict[str, bytes]:
    """One nightly archive of documents under the names of their CIKs."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for document in documents:
            archive.writestr(f"CIK{int(document['cik']):010}.json", json.dumps(document))
    return {name: out.getvalue()}


@pytest.fixture
def companies_of(tmp_path: Path) -> Callable[..., tuple[dict[str, Any], dict[str, tuple[Any, ...]]]]:
    """Build the country from files that the test writes (source key -> file -> content); accounts, and companies."""

    def build(files: dict[str, dict[str, str | bytes]]) -> tuple[dict[str, Any], dict[str, tuple[Any, ...]]]:
        root = tmp_path / "official"
        for key, contents in files.items():
            folder = root / "us" / key
            folder.mkdir(parents=True)
            records = []
            for name, content in contents.items():
                data = content.encode() if isinstance(content, str) else content
                (folder / name).write_bytes(data)
                published = "2026-01-31" if "2026" in name else "2025-01-31"
                records.append({"file": name, "published": published, "sha256": hashlib.sha256(data).hexdigest()})
            (folder / "PROVENANCE.json").write_text(json.dumps({"files": records}), encoding="utf-8")
        (tmp_path / "work").mkdir()
        country = replace(US, sources=tuple(replace(source, expect=Expect(max_rejected=1)) for source in US.sources))
        built_country = build_country(
            tmp_path / "data", tmp_path / "work", country, [root], None, lambda _code, _stage: None
        )
        path = tmp_path / "data" / "snapshots" / built_country.name / "companies.parquet"
        rows = duckdb.sql(
            f"SELECT identifier, legal_name, home, aliases, names FROM '{path}' ORDER BY identifier"
        ).fetchall()
        return built_country.manifest["sources"], {row[0]: row[1:] for row in rows}

    return build


def test_what_becomes_of_each_filer(companies_of: Callable[..., Any]) -> None:
    documents = [
        filer("0000000001", "Insider Jane Q", None, sic="7372"),
        filer("0000000002", "Listed Without Ein Inc", None),
        filer("0000000003", "ALLEN TEST CO INC/1", "111111111"),
        filer("0000000004", "FT 4242", "121111111"),
        filer("0000000005", "Example Life Separate Account VA-2", "121111112"),
        filer("0000000006", "Quiet Fund LP", "000000000", stateOfIncorporation="E9"),
        filer("0000000009", "Insider John R", "000000000"),
        filer("0000000010", "Insider Trust of J R", "121111113", insiderTransactionForOwnerExists=1),
        filer(
            "0000000011",
            "Owner Holdings LLC",
            "000000000",
            stateOfIncorporation="WY",
            insiderTransactionForOwnerExists=1,
        ),
        filer("0000000012", "Finance LLC", "121111114", insiderTransactionForOwnerExists=0),
        filer("0000000007", "Mining Ltd", "000000000", stateOfIncorporation="", filings={"recent": {"form": ["40-F"]}}),
    ]
    books, companies = companies_of(
        {
            "submissions": {f"CIK{document['cik']}.json": json.dumps(document) for document in documents},
            "company-tickers": {
                "company_tickers_2025.json": json.dumps(
                    {
                        "0": {"cik_str": 2, "ticker": "LWE", "title": "Listed Without Ein Inc"},
                        "1": {"cik_str": 4, "ticker": "FTX", "title": "FT 4242"},
                        "2": {"cik_str": "x", "ticker": "BAD", "title": "Bad Number Inc"},
                        "3": {"cik_str": 8, "ticker": "NON", "title": " "},
                    }
                )
            },
            "gleif": {
                "20250131-gleif-goldencopy-lei2.json": json.dumps(
                    {
                        "records": [
                            entity("5493000EWDOZFEJT8R83", "US-DE", "RA000665", "0000000002"),
                            entity("254900JKDG51K23FBB29", "US-DE", "RA000602", "12345"),
                            entity("894500TFSGY31Z5ZM479", "MX", "RA000449", "LEM170208SB6"),
                            entity("HWUPKR0MPOU8FGXBT394", "US", "RA000665", "9", "SOLE_PROPRIETOR"),
                        ]
                    }
                )
            },
        }
    )
    left_out = {key: book["left_out"] for key, book in books.items()}
    assert left_out["submissions"] == {"natural-person": 3, "test-filer": 1, "fund-series": 1, "separate-account": 1}
    assert left_out["company-tickers"] == {"fund-series": 1}
    assert left_out["gleif"] == {"no-name": 1, "other-country": 1, "natural-person": 1}
    assert books["company-tickers"]["rejected"] == {"bad-identifier": 1, "no-name": 1}
    assert {key: (name, home) for key, (name, home, _, _) in companies.items()} == {
        "11": ("Owner Holdings LLC", None),
        "12": ("Finance LLC", None),
        "2": ("Listed Without Ein Inc", None),
        "6": ("Quiet Fund LP", "KY"),
        "7": ("Mining Ltd", "XX"),
    }
    assert companies["2"][2] == [{"scheme": "lei", "value": "5493000EWDOZFEJT8R83"}]


def test_an_entity_of_gleif_is_known_by_the_number_of_its_state(built: tuple[Built, Path]) -> None:
    aliases = duckdb.execute(
        f"""SELECT list_filter(aliases, lambda alias: alias.scheme = 'us-state')[1].value AS number, legal_name
            FROM '{built[1]}' WHERE number IS NOT NULL"""
    ).fetchall()
    names = dict(aliases)
    assert len(names) == len(aliases) == 124
    assert names["DE-6283046"] == "GSIC II WATERLINE, LLC"
    assert set(STATE_NUMBERS) <= names.keys()


STATE_FILES = {
    "state-colorado": (
        "entityid,entityname,entitytype,entitystatus,entityformdate,principalcity,principalstate\n"
        "20131234567,Mile High Roofing LLC,DLLC,Good Standing,2013-05-02T00:00:00.000,Denver,CO\n"
        "20141234567,Peak Example Inc.,DPC,Administratively Dissolved,2014-05-02T00:00:00.000,Reno,NV\n"
        "20151234567,Gone Example LLC,DLLC,Delinquent,,,\n,No Number LLC,DLLC,Exists,,,\n"
    ),
    "state-connecticut": (
        "accountnumber,name,business_type,status,date_registration\n"
        "2912345,Nutmeg Example LLC,LLC,Active,2024-01-02T00:00:00.000\n2912346,,LLC,Active,\n"
    ),
    "state-new-york": (
        "dos_id,current_entity_name,entity_type,initial_dos_filing_date\n"
        "4033457,SQUARE ADVISORS LLC,DOMESTIC LIMITED LIABILITY COMPANY,2010-12-29T00:00:00.000\n"
    ),
    "state-oregon": (
        "registry_number,business_name,entity_type,registry_date,city,state\n"
        "396395-96,RIVER EXAMPLE,DOMESTIC NONPROFIT CORPORATION,2006-10-20T00:00:00.000,PORTLAND,OR\n"
        "111222-90,JANE'S GARDENS,ASSUMED BUSINESS NAME,2006-10-20T00:00:00.000,SALEM,OR\n"
    ),
    "state-texas": (
        "secretary_of_state_sos_or_coa_file_number,taxpayer_name,taxpayer_organizational_type\n"
        "0805512345,LONE EXAMPLE LLC,CL\n,TWO PARTNERS,PL\n0000000000,THREE PARTNERS,PL\n"
    ),
}
"""Rows written in the layouts of the states' tables: no copy of real ones could be had."""


def test_the_registers_of_states(companies_of: Callable[..., Any]) -> None:
    records = [entity("5493000EWDOZFEJT8R83", "US-NY", "RA000628", "4033457", name="SQUARE ADVISORS, LLC")]
    books, companies = companies_of(
        {source: {f"{source}_x.csv": text} for source, text in STATE_FILES.items()}
        | {"gleif": {"20250131-gleif-goldencopy-lei2.json": json.dumps({"records": records})}}
    )
    assert {number: name for number, (name, *_) in companies.items()} == {
        "CO-20131234567": "Mile High Roofing LLC",
        "CO-20141234567": "Peak Example Inc.",
        "CO-20151234567": "Gone Example LLC",
        "CT-2912345": "Nutmeg Example LLC",
        "NY-4033457": "SQUARE ADVISORS LLC",
        "OR-396395-96": "RIVER EXAMPLE",
        "TX-0805512345": "LONE EXAMPLE LLC",
    }
    assert companies["NY-4033457"][2] == [{"scheme": "lei", "value": "5493000EWDOZFEJT8R83"}], (
        "one company, by its number"
    )
    assert books["gleif"]["merged"] == 1
    assert (books["state-colorado"]["rejected"], books["state-connecticut"]["rejected"]) == (
        {"bad-identifier": 1}, {"no-name": 1},
    )  # fmt: skip
    assert books["state-oregon"]["left_out"] == {"no-company": 1}, "a person may trade under it"
    assert books["state-texas"]["left_out"] == {"no-register-identifier": 2}


@pytest.mark.parametrize("number", ["2014123456", "201412345678", "2014123456X"])
def test_a_number_that_colorado_does_not_give_stops_no_country(companies_of: Callable[..., Any], number: str) -> None:
    """`CO-2014123456` would be a NIT of Colombia."""
    text = STATE_FILES["state-colorado"].replace("20141234567", number)
    books, companies = companies_of({"state-colorado": {"state-colorado_x.csv": text}})
    assert companies.keys() == {"CO-20131234567", "CO-20151234567"}
    assert (books["state-colorado"]["rows"], books["state-colorado"]["rejected"]) == (4, {"bad-identifier": 2})


def test_a_row_of_tickers_with_a_cell_less_is_rejected_alone(companies_of: Callable[..., Any]) -> None:
    rows = [
        [320193, "Apple Inc.", "AAPL", "Nasdaq"],
        [789019, "MICROSOFT CORP", "MSFT"],
        [1, "Alfa Inc", "A", "X", "Y"],
    ]
    document = {"fields": ["cik", "name", "ticker", "exchange"], "data": [*rows, [2, "Beta Inc", "B", None]]}
    books, companies = companies_of({"company-tickers": {"company_tickers_exchange.json": json.dumps(document)}})
    assert {cik: name for cik, (name, *_) in companies.items()} == {"320193": "Apple Inc.", "2": "Beta Inc"}
    assert (books["company-tickers"]["rows"], books["company-tickers"]["rejected"]) == (4, {"bad-identifier": 2})


def test_a_member_of_an_entity_that_is_null_is_absent(companies_of: Callable[..., Any]) -> None:
    odd = entity("5493000EWDOZFEJT8R83", "US-DE", "RA000602", "6283046", name="GSIC II WATERLINE, LLC")
    odd["Entity"] |= {"OtherEntityNames": None, "EntityStatus": None}
    other = entity("T27JQIMTYSH41TCD5186", "US-DE", "RA000602", "3838478", name="HYATT HOTELS CORPORATION")
    other["Entity"]["OtherEntityNames"] = {"OtherEntityName": None}
    content = json.dumps({"records": [odd, other]})
    books, companies = companies_of({"gleif": {"20250131-gleif-goldencopy-lei2.json": content}})
    assert {lei: row[0] for lei, row in companies.items()} == {
        "5493000EWDOZFEJT8R83": "GSIC II WATERLINE, LLC",
        "T27JQIMTYSH41TCD5186": "HYATT HOTELS CORPORATION",
    }
    assert (books["gleif"]["rows"], books["gleif"]["rejected"]) == (2, {})


def test_the_date_of_a_state_has_its_month_first(tmp_path: Path) -> None:
    dates = {
        "01/02/2015": "2015-01-02",
        "12/25/2009": "2009-12-25",
        "12/25/2009 12:00:00 AM": "2009-12-25",
        "1/2/2015": "2015-01-02",
        "2009-12-25T00:00:00.000": "2009-12-25",
        "2009-12-25": "2009-12-25",
        "25/12/2009": None,
        "": None,
    }
    header = STATE_FILES["state-colorado"].split("\n")[0]
    rows = "".join(
        f"2013123456{at},Mile High Roofing {at} LLC,DLLC,Good Standing,{written},Denver,CO\n"
        for at, written in enumerate(dates)
    )
    place(tmp_path / "in", US, "state-colorado", **{"state-colorado_x__csv": f"{header}\n{rows}".encode()})
    _, query = build(unexpecting(US), tmp_path / "in", tmp_path)
    read = query("SELECT identifier, incorporated::VARCHAR FROM companies ORDER BY 1")
    assert read == [(f"CO-2013123456{at}", date) for at, date in enumerate(dates.values())]


@pytest.mark.parametrize(
    ("wording", "status"),
    [
        ("Good Standing", Status.ACTIVE), ("Active", Status.ACTIVE), ("Exists", Status.ACTIVE),
        ("Administratively Dissolved", Status.DISSOLVED), ("Delinquent", Status.SUSPENDED),
        ("Withdrawn", Status.INACTIVE), ("INACTIVE", Status.INACTIVE), ("Inactive", Status.UNKNOWN),
        ("Something else", Status.UNKNOWN),
        ("Not in Good Standing", Status.UNKNOWN), ("Not Active", Status.UNKNOWN), ("Non-Active", Status.UNKNOWN),
        ("No Longer Active", Status.UNKNOWN), ("Dissolved, Not Reinstated", Status.DISSOLVED),
    ],
)  # fmt: skip
def test_the_status_of_a_state(wording: str, status: Status) -> None:
    assert US.status(wording) is status


def test_a_loose_document_without_filings_stops_no_country(companies_of: Callable[..., Any]) -> None:
    odd = filer("0000000002", "Odd Document Inc", "121111112")
    del odd["filings"]
    whole = filer("0001835632", "Marvell Technology, Inc.", "853971597")
    files = {f"CIK{document['cik']}.json": json.dumps(document) for document in (odd, whole)}
    books, companies = companies_of({"submissions": files})
    assert {key: name for key, (name, *_) in companies.items()} == {"1835632": "Marvell Technology, Inc."}
    counts = {field: books["submissions"][field] for field in ("rows", "kept", "left_out", "rejected")}
    assert counts == {"rows": 2, "kept": 1, "left_out": {}, "rejected": {"missing-filings": 1}}


def test_odd_documents_stop_no_country(companies_of: Callable[..., Any]) -> None:
    """The bulk archives have facts without `facts` and filers without `ein`; Learn CW files as an operating company."""
    official = OFFICIAL / "us"
    learn = json.loads((official / "submissions/CIK0001847577.json").read_text("utf-8"))
    marvell = json.loads(gzip.decompress((official / "companyfacts/CIK0001835632.json.gz").read_bytes()))
    snowless = filer("0000000002", "Insider Jane Q", None)
    del snowless["ein"]
    nameless = filer("0000000003", "", "121111111")
    del nameless["name"]
    books, companies = companies_of(
        {
            "submissions": zipped(
                "submissions.zip",
                {**learn, "ein": None},
                snowless,
                nameless,
                filer("0001835632", "Marvell Technology, Inc.", "853971597"),
            ),
            "companyfacts": zipped("companyfacts.zip", {"cik": 1847577, "entityName": "Learn CW"}, marvell),
        }
    )
    assert {key: name for key, (name, *_) in companies.items()} == {
        "1835632": "Marvell Technology, Inc.",
        "1847577": "Learn CW Investment Corp",
    }
    assert books["submissions"] == {
        "rows": 4,
        "kept": 2,
        "merged": 0,
        "records": 2,
        "date": "2025-01-31",
        "left_out": {"natural-person": 1},
        "rejected": {"missing-name": 1},
    }
    facts = books["companyfacts"]
    assert facts["rejected"] == {"missing-facts": 1}
    assert facts["rows"] == facts["kept"] + facts["merged"] + sum(facts["left_out"].values()) + 1
    assert facts["records"] == 1


def test_an_entity_that_edgar_knows_by_its_name_is_one_company_and_a_new_one_has_its_lei(
    companies_of: Callable[..., Any],
) -> None:
    filers = [
        filer("0001468174", "Hyatt Hotels Corp", "201480589"),
        filer("0000000021", "TWICE INC", "121111121"),
        filer("0000000022", "Twice, Inc. /NV/", "121111122"),
        filer("0000000023", "ABROAD INC", "121111123", stateOfIncorporation="2M"),
    ]
    general = ("US-DE", "RA000602")
    records = [
        entity("T27JQIMTYSH41TCD5186", *general, "3838478", name="HYATT HOTELS CORPORATION"),
        entity("254900JKDG51K23FBB29", *general, "1", name="Twice Incorporated"),
        entity("5493000EWDOZFEJT8R83", *general, "6283046", name="GSIC II WATERLINE, LLC"),
        entity("549300VFPAZLNS1R0361", *general, "2", name="ABROAD, INC."),
        entity("5493005PY54DR0JRCW56", "US-FL", "RA999999", "3", name="LUSIDAR TRUST"),
        entity("5493003WIDMLDHYC6Y24", *general, "4", "FUND", name="KING STREET FUND, L.P."),
        entity("R2I72C950HOYXII45366", "US-CA", "RA000598", "5", "RESIDENT_GOVERNMENT_ENTITY", name="Fire Authority"),
    ]
    books, companies = companies_of(
        {
            "submissions": zipped("submissions.zip", *filers),
            "gleif": {"20250131-gleif-goldencopy-lei2.json": json.dumps({"records": records})},
        }
    )
    assert {
        key: (row[0], [alias["value"] for alias in row[2] if alias["scheme"] == "lei"])
        for key, row in companies.items()
    } == {
        "1468174": ("Hyatt Hotels Corp", ["T27JQIMTYSH41TCD5186"]),
        "21": ("TWICE INC", []),
        "22": ("Twice, Inc. /NV/", []),
        "23": ("ABROAD INC", []),
        "5493000EWDOZFEJT8R83": ("GSIC II WATERLINE, LLC", []),
        "549300VFPAZLNS1R0361": ("ABROAD, INC.", []),
    }
    assert books["gleif"]["left_out"] == {
        "ambiguous-name": 1,
        "no-register-identifier": 1,
        "fund": 1,
        "other-category": 1,
    }


def entity(
    lei: str, jurisdiction: str, authority: str, number: str, category: str = "GENERAL", name: str | None = None
) -> dict[str, Any]:
    """A record of the golden copy, as far as it is read."""
    register = {"RegistrationAuthorityID": {"$": authority}, "RegistrationAuthorityEntityID": {"$": number}}
    return {
        "LEI": {"$": lei},
        "Entity": {
            "LegalName": {"$": name},
            "LegalJurisdiction": {"$": jurisdiction},
            "EntityCategory": {"$": category},
            "RegistrationAuthority": register,
        },
    }


def test_the_newest_name_and_country_are_right(companies_of: Callable[..., Any]) -> None:
    columns = "\t".join(SUB) + "\n"
    moved = {"cik": "11", "ein": "121111113", "form": "10-K"}
    _, companies = companies_of(
        {
            "financial-statement-data-sets": {
                "2009q3_sub.txt": columns
                + filing(**moved, name="OLD NAME PLC", countryinc="GB", filed="20090801", bas1='1 "MAIN" ST')
                + filing(**moved, name="NEW NAME INC /DE/", countryinc="US", stprinc="DE", filed="20100801")
                + filing(cik="12", name="STILL ABROAD LTD", form="20-F/A", filed="20100801", ein="000000000"),
            },
            "company-tickers": {
                "company_tickers_exchange_2026.json": json.dumps(
                    {
                        "fields": ["name", "cik", "exchange", "ticker"],
                        "data": [["New Name, Inc. /DE/", 11, "NYSE", "NN"], ["GAMMA SA/NV", 13, None, "GSN"]],
                    }
                ),
                "company_tickers_2025.json": json.dumps(
                    {
                        "0": {"cik_str": 11, "ticker": "OLD", "title": "Middle Name"},
                        "1": {"cik_str": 14, "ticker": "DLT", "title": "Delisted Inc"},
                        "2": {"cik_str": 14, "ticker": "GSN", "title": "Delisted Inc"},
                    }
                ),
            },
        }
    )
    name, home, aliases, names = companies["11"]
    assert (name, home, aliases) == ("New Name, Inc. /DE/", None, [{"scheme": "us-ein", "value": "121111113"}])
    assert {(name["kind"], name["name"], name["until"]) for name in names} == {
        ("alternative", "New Name, Inc.", None),
        ("former", "OLD NAME PLC", None),
        ("former", "Middle Name", None),
        ("ticker", "NN", None),
    }
    assert [name["name"] for name in companies["14"][3] if name["kind"] == "ticker"] == ["DLT"], "GSN is another's now"
    assert companies["12"][:3] == ("STILL ABROAD LTD", "XX", [])
    assert (companies["13"][0], companies["13"][1], companies["13"][3][0]["kind"]) == ("GAMMA SA/NV", "XX", "ticker")
