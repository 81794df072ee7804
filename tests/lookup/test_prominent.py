"""Completion of names among prominent companies."""

from __future__ import annotations

from msgspec import Raw

from padron.index.document import FORMER, KNOWN_AS, LEGAL, TICKER, StoredCompany, StoredName
from padron.lookup.prominent import Prominent

RARITY = {"grupo": 0.4, "banco": 0.5}


def company(size: int, *names: str, kind: int = LEGAL, also: str = "", link: str | None = None) -> StoredCompany:
    """A company with a legal name and, of another kind, `also`."""
    stored = [StoredName(name, "", "", LEGAL) for name in names]
    stored += [StoredName(also, "", "", kind)] if also else []
    return StoredCompany(tuple(stored), 0, 0, 0, size, link, True, Raw(b""))


def completed(text: str, *companies: tuple[str, StoredCompany], country: str | None = None) -> list[str]:
    """The first names of the companies that are suggested."""
    suggestions = Prominent(companies, RARITY).complete(text, country, 8)
    return [suggested.names[0].words for suggested in suggestions]


def test_the_place_in_its_country_counts_not_the_size() -> None:
    larger = [("EC", company(999, f"otra {number}")) for number in range(200)]
    assert completed("zum", *larger, ("EC", company(998, "zumo andino")), ("MX", company(950, "zumo norte"))) == [
        "zumo norte",
        "zumo andino",
    ]


def test_a_place_among_small_companies_is_no_large_one() -> None:
    assert completed(
        "zum",
        ("AR", company(300, "zumo sur")),
        *[("US", company(1000 - number, f"other {number}")) for number in range(40)],
        ("US", company(960, "zumo north")),
    ) == ["zumo north", "zumo sur"]


def test_a_name_that_is_typed_wholly_goes_first() -> None:
    companies = ("CO", company(1000, "zumos reunidos")), ("CO", company(990, "zumo"))
    assert completed("zumo", *companies) == ["zumo", "zumos reunidos"]


def test_a_word_behind_a_common_one_is_nearly_a_beginning() -> None:
    companies = ("CO", company(900, "grupo zumex")), ("CO", company(910, "veraluz zumex"))
    assert completed("zum", *companies) == ["grupo zumex", "veraluz zumex"]


def test_a_name_of_daily_use_and_several_registers_make_known() -> None:
    plain, known = company(900, "zumo llano"), company(900, "zumo sabido", also="vera", kind=KNOWN_AS)
    assert completed("zum", ("CO", plain), ("CO", known)) == ["zumo sabido", "zumo llano"]
    linked = company(900, "zumo doble", link="a")
    assert completed("zum", ("CO", known), ("CO", linked)) == ["zumo doble", "zumo sabido"]


def test_a_former_name_is_less_and_a_part_of_a_symbol_nothing() -> None:
    former = company(900, "vera", also="zumo", kind=FORMER)
    assert completed("zum", ("CO", former), ("CO", company(900, "zumo"))) == ["zumo", "vera"]
    assert completed("zum", ("US", company(900, "vera", also="zumx", kind=TICKER))) == []


def test_another_country_is_left_out_and_records_of_a_company_are_one() -> None:
    companies = ("CO", company(900, "zumo uno", link="a")), ("EC", company(900, "zumo dos", link="a"))
    assert len(completed("zum", *companies)) == 1
    assert completed("zum", *companies, country="EC") == ["zumo dos"]


def test_one_letter_and_a_long_text_complete_nothing() -> None:
    assert completed("z", ("CO", company(900, "zumo"))) == []
    assert completed("z" * 40, ("CO", company(900, "z" * 40))) == []
