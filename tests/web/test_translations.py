"""Every string of a page has its Spanish; the guard is proved by planted faults."""

from __future__ import annotations

from pathlib import Path

from babel.messages.catalog import Catalog

from catalogue import catalogue, faults, strings
from padron.countries import REGISTRY
from padron.country import Status
from padron.index.document import KINDS
from padron.web import glossary
from padron.web.addresses import PAGES


def wanted() -> set[str]:
    return {message if isinstance(message, str) else message[0] for _, message in strings()}


def test_every_string_is_translated_and_every_translation_used() -> None:
    assert faults(wanted(), catalogue()) == []


def test_what_a_translation_fills_in_is_what_the_string_does() -> None:
    for message in catalogue():
        assert not list(message.check()), message.id


def test_planted_faults_are_found(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(
        '{{ _("New") }}{% trans n=1 %}{{ n }} key{% pluralize %}{{ n }} keys{% endtrans %}'
    )
    found = {message if isinstance(message, str) else message[0] for _, message in strings(tmp_path)}
    kept = Catalog(locale="es")
    kept.add("New", "")
    kept.add("Old", "Viejo")
    assert faults(found, kept) == ["no translation: %(n)s key", "not used: Old", "to be looked at: New"]


def test_every_official_term_is_explained_in_both_languages() -> None:
    tables = {
        "status": (glossary.STATUS, {status.value for status in Status}),
        "meaning": (glossary.STATUS_MEANS, {status.value for status in Status}),
        "matched": (glossary.MATCHED, {*KINDS, "identifier"}),
    }
    for name, (table, codes) in tables.items():
        assert set(table) == codes, name
        assert all(text.es.strip() and text.en.strip() for text in table.values()), name


def test_every_scheme_is_explained_in_both_languages() -> None:
    for scheme in (scheme for country in REGISTRY.values() for scheme in country.schemes):
        assert scheme.meaning, scheme.code
        assert scheme.meaning.es.strip(), scheme.code
        assert scheme.meaning.en.strip(), scheme.code


def test_every_page_has_an_address_of_its_own_in_both_languages() -> None:
    addresses = [address for page in PAGES.values() for address in (page.es, page.en)]
    assert len(set(addresses)) == len(addresses)
    assert all(page.es.startswith("/es") and page.en.startswith("/en") for page in PAGES.values())
