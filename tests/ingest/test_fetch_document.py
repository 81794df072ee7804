"""The pages about sources are current, whole in both languages, and honest about what nobody has tried yet."""

from __future__ import annotations

import runpy
from pathlib import Path

from padron.countries import REGISTRY
from padron.countries.origin import Manual

DOCS = Path(__file__).parents[2] / "docs"
PAGES = runpy.run_path(str(DOCS / "generate_sources.py"))


def test_the_pages_are_what_the_countries_state() -> None:
    for language, name in PAGES["FILES"].items():
        assert (DOCS / name).read_text("utf-8") == PAGES["document"](language), f"run docs/generate_sources.py: {name}"


def test_every_source_says_licence_cadence_and_whether_it_was_tried() -> None:
    page = PAGES["document"]("en")
    for country in REGISTRY.values():
        origins = {origin.source: origin for origin in country.origins}
        for source in (*country.sources, *country.collected):
            section = page[page.index(f"(`{source.key}`)") :].split("\n### ")[0]
            assert source.licence in section
            assert ("renewed every day" if source.cadence == 1 else f"renewed every {source.cadence} days") in section
            origin = origins.get(source.key)
            tried = (
                "never exercised; the files are placed by hand"
                if origin is None or isinstance(origin.way, Manual)
                else "never exercised; rehearsed with a simulated publisher"
                if origin.exercised is None
                else f"exercised on {origin.exercised}"
            )
            assert f"live publisher: **{tried}**" in section


def test_a_changed_licence_makes_the_page_old() -> None:
    page = PAGES["document"]("es")
    assert page.replace("ODbL 1.0", "otra") != page
    assert (DOCS / "sources.es.md").read_text("utf-8").replace("ODbL 1.0", "otra") != page
