"""The list of suppressed companies: what it hides, how it is refused, how a running service takes it up."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from padron.countries import REGISTRY
from padron.errors import Invalid
from padron.releases.suppression import SuppressionFile, Suppressions, load
from starving import no_file_to_open

ENTRY = """
[[suppressed]]
country = "{country}"
identifier = "{identifier}"
reason = "Orden judicial 123/2026"
date = 2026-11-20
"""


def entry(country: str, identifier: str, *more: str) -> str:
    return ENTRY.format(country=country, identifier=identifier) + "\n".join(more) + "\n"


def written(path: Path, text: str) -> Path:
    file = path / "suppressions.toml"
    file.write_text(text, "utf-8")
    return file


def test_a_company_is_hidden_by_any_written_form_of_its_number(tmp_path: Path) -> None:
    text = entry("br", "33.000.167/0002-92") + entry("EC", "1790016919001") + entry("CO", "899.999.068-1")
    hidden = load(written(tmp_path, text), REGISTRY)
    assert hidden.hides("BR", [("br-cnpj", "33000167")]), "one establishment's number hides the company"
    assert hidden.hides("EC", [("ec-expediente", "384"), ("ec-ruc", "1790016919")]), "any of its numbers"
    assert hidden.hides("CO", [("co-nit", "899999068")])
    assert not hidden.hides("CO", [("co-nit", "899999069")])
    assert not hidden.hides("MX", [("br-cnpj", "33000167")])
    assert hidden.entries[0].reason == "Orden judicial 123/2026"


def test_nothing_is_hidden_without_a_list() -> None:
    assert load(None, REGISTRY).revision == Suppressions().revision == ""
    assert not Suppressions().hides("BR", [("br-cnpj", "33000167")])


def test_the_revision_follows_who_is_hidden_and_nothing_else(tmp_path: Path) -> None:
    ecopetrol, favorita = entry("CO", "899999068"), entry("EC", "1790016919001")
    first = load(written(tmp_path, ecopetrol + favorita), REGISTRY)
    assert len(first.revision) == 8
    same = load(written(tmp_path, favorita + ecopetrol.replace("123/2026", "9/2027")), REGISTRY)
    assert same.revision == first.revision
    assert load(written(tmp_path, ecopetrol), REGISTRY).revision != first.revision


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("not toml", 0),
        ("", 0),
        ("# emptied\n", 0),
        ("[other]\nx = 1\n", 0),
        ("suppressed = 1\n", 0),
        (entry("BR", "33000167000101") + entry("XX", "1"), 2),
        (entry("CO", "not a number"), 1),
        (entry("EC", "0102030405"), 1),
        (entry("CO", "899999068").replace("date = 2026-11-20", ""), 1),
        (entry("CO", "899999068").replace("2026-11-20", '"2026-11-20"'), 1),
        (entry("CO", "899999068").replace("Orden judicial 123/2026", " "), 1),
        (entry("CO", "899999068", 'name = "X"'), 1),
        (entry("CO", "899999068", 'scheme = "ec-ruc"'), 1),
    ],
)
def test_a_list_that_could_hide_nothing_or_the_wrong_one_is_refused(tmp_path: Path, text: str, number: int) -> None:
    with pytest.raises(Invalid) as refused:
        load(written(tmp_path, text), REGISTRY)
    assert (refused.value.code, refused.value.context["entry"]) == ("bad-suppressions", number)


def test_a_number_of_several_schemes_needs_its_scheme(tmp_path: Path) -> None:
    with pytest.raises(Invalid, match="scheme"):
        load(written(tmp_path, entry("US", "942404110")), REGISTRY)
    hidden = load(written(tmp_path, entry("US", "942404110", 'scheme = "us-ein"')), REGISTRY)
    assert hidden.hides("US", [("us-cik", "320193"), ("us-ein", "942404110")])


def test_a_missing_list_never_means_nobody(tmp_path: Path) -> None:
    with pytest.raises(Invalid, match="bad-suppressions"):
        load(tmp_path / "gone.toml", REGISTRY)
    with pytest.raises(Invalid, match="bad-suppressions"):
        SuppressionFile(tmp_path / "gone.toml", REGISTRY)


def test_a_running_service_takes_up_every_change_and_keeps_the_last_good_list(tmp_path: Path) -> None:
    path = written(tmp_path, entry("CO", "899999068"))
    file = SuppressionFile(path, REGISTRY)
    first = file.current
    assert file.refresh() is first, "nothing changed"

    written(tmp_path, entry("CO", "899999068") + entry("EC", "1790016919001"))
    second = file.refresh()
    assert second.revision != first.revision
    assert second.hides("EC", [("ec-ruc", "1790016919")])

    os.utime(path, ns=(1, 1))
    second = file.refresh()
    assert second.hides("EC", [("ec-ruc", "1790016919")]), "the same list again"

    written(tmp_path, "broken")
    for _ in range(2):
        assert file.refresh() is second, "what was hidden stays hidden"
        assert str(file.fault).startswith("bad-suppressions"), "as long as the file holds no list"

    path.unlink()
    assert file.refresh() is second
    assert file.fault is not None

    written(tmp_path, "")
    assert file.refresh() is second, "a file that was emptied is no list"
    assert file.fault is not None

    written(tmp_path, "suppressed = []\n")
    assert not file.refresh().hides("CO", [("co-nit", "899999068")])


def test_a_list_that_cannot_be_opened_for_a_moment_is_tried_again(tmp_path: Path) -> None:
    file = SuppressionFile(written(tmp_path, entry("CO", "899999068")), REGISTRY)
    written(tmp_path, entry("EC", "1790016919001"))
    with no_file_to_open():
        for _ in range(2):
            assert file.refresh().hides("CO", [("co-nit", "899999068")]), "what was hidden stays hidden"
            assert "Too many open files" in str(file.fault)
    assert file.refresh().hides("EC", [("ec-ruc", "1790016919")])
    assert file.fault is None


@settings(deadline=None, max_examples=30)
@given(st.lists(st.integers(800_000_000, 999_999_999).map(str), min_size=1, max_size=20, unique=True))
def test_only_the_named_are_hidden(tmp_path_factory: pytest.TempPathFactory, nits: list[str]) -> None:
    folder = tmp_path_factory.mktemp("list")
    hidden = load(written(folder, "".join(entry("CO", nit) for nit in nits[1:]) or "suppressed = []"), REGISTRY)
    assert all(hidden.hides("CO", [("co-nit", nit)]) for nit in nits[1:])
    assert not hidden.hides("CO", [("co-nit", nits[0])])
