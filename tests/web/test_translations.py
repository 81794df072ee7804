"""Every official term of the pages is explained, and every page has an address, in both languages."""

from __future__ import annotations

from padron.countries import REGISTRY
from padron.countries.country import Status
from padron.index.document import KINDS
from padron.matching import explain
from padron.web import glossary
from padron.web.addresses import PAGES
from padron.web.site import Site
from padron.words import translate


def test_every_official_term_is_explained_in_both_languages() -> None:
    tables = {
        "status": (glossary.STATUS, {status.value for status in Status}),
        "meaning": (glossary.STATUS_MEANING, {status.value for status in Status}),
        "kind of name": (explain._KINDS, set(KINDS)),
    }
    for name, (table, codes) in tables.items():
        assert set(table) == codes, name
        assert all(translate(sentence, "es") for sentence in table.values()), name


def test_every_scheme_is_explained_in_both_languages() -> None:
    for scheme in (scheme for country in REGISTRY.values() for scheme in country.schemes):
        assert scheme.meaning, scheme.code
        assert scheme.meaning.es.strip(), scheme.code
        assert scheme.meaning.en.strip(), scheme.code


def test_a_template_is_translated_when_it_is_read() -> None:
    template = '<p>{{ _("Search") }} {{ _("share correct (%%)") }} {{ _("Companies by %(place)s", place=place) }}</p>'
    written = Site("https://padron.example", "x@padron.example")._environments["es"].compile(template, raw=True)
    assert "Buscar" in written
    assert "(%)" in written
    assert written.count("'gettext'") + written.count("'_'") > 0, "a sentence with a value is looked up"
    assert "'Search'" not in written


def test_an_address_that_is_the_same_on_every_page_is_written_when_a_template_is_read() -> None:
    template = '<a href="{{ path("plans") }}">{{ asset("style.css") }}</a> {{ path("list", country=place) }}'
    site = Site("https://padron.example", "x@padron.example")
    written = site._environments["es"].compile(template, raw=True)
    assert "/es/planes" in written
    assert site.assets.address("style.css") in written
    assert "'asset'" not in written
    assert "'path'" in written, "an address with a value is made on the page"


def test_every_page_has_an_address_of_its_own_in_both_languages() -> None:
    addresses = [address for page in PAGES.values() for address in (page.es, page.en)]
    assert len(set(addresses)) == len(addresses)
    assert all(page.es.startswith("/es") and page.en.startswith("/en") for page in PAGES.values())
