"""The strings of the pages, and their Spanish: `python tests/support/catalogue.py` brings the catalogue up to date."""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.extract import extract
from babel.messages.pofile import read_po, write_po

WEB = Path(__file__).parents[2] / "src" / "padron" / "web"
CATALOGUE = WEB / "locale" / "es" / "LC_MESSAGES" / "messages.po"
_OPTIONS = {"trimmed": "true", "silent": "false", "trim_blocks": "true", "lstrip_blocks": "true"}


def strings(folder: Path = WEB / "templates") -> Iterator[tuple[str, str | tuple[str, ...]]]:
    """Template and message of every string to translate."""
    for path in sorted(folder.rglob("*.*")):
        with path.open("rb") as file:
            for _, message, _, _ in extract("jinja2.ext:babel_extract", file, options=_OPTIONS):
                yield path.name, message


def catalogue() -> Catalog:
    """The Spanish catalogue as it is kept."""
    with CATALOGUE.open("rb") as file:
        return read_po(file, locale="es")


def faults(wanted: set[str], kept: Catalog) -> list[str]:
    """Strings without a translation, translations that need a look, and those that nothing uses."""
    found = {message.id if isinstance(message.id, str) else message.id[0]: message for message in kept if message.id}
    lacking = [f"no translation: {text}" for text in sorted(wanted - found.keys())]
    unused = [f"not used: {text}" for text in sorted(found.keys() - wanted)]
    poor = [
        f"to be looked at: {text}"
        for text, message in sorted(found.items())
        if message.fuzzy or not all([message.string] if isinstance(message.string, str) else message.string)
    ]
    return lacking + unused + poor


def update() -> None:
    """Add what is new, drop what nothing uses, keep every translation."""
    kept = {message.id: message.string for message in catalogue()}
    fresh = Catalog(locale="es", project="Padrón", header_comment="# The Spanish of the pages.", fuzzy=False)
    for template, message in strings():
        fresh.add(message, kept.get(message), locations=[(template, None)])
    out = BytesIO()
    write_po(out, fresh, width=110, omit_header=False, sort_output=False, include_lineno=False)
    lines = out.getvalue().decode().splitlines()
    stable = [
        line
        for line in lines
        if not line.startswith(('"POT-Creation', '"PO-Revision', '"Last-Translator', '"Generated'))
    ]
    CATALOGUE.write_text("\n".join(stable) + "\n", encoding="utf-8")


if __name__ == "__main__":
    update()
    wanted = {message if isinstance(message, str) else message[0] for _, message in strings()}
    print("\n".join(faults(wanted, catalogue())) or "complete")
