"""The Spanish catalogue is complete, current and well formed; each rule is proved by a planted violation."""

from __future__ import annotations

import ast
import logging
import re
import string
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog, Message
from babel.messages.frontend import CommandLineInterface
from babel.messages.pofile import read_po

from padron import words
from padron.errors import NotFound, PadronError, messages
from padron.words import N_, Text, bilingual, bilingual_plural, catalogue, read_catalogue, translate

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "padron"
MARKERS = {"N_": 1, "bilingual": 1, "bilingual_plural": 2}
"""Functions whose leading arguments are extracted, and how many."""


def extracted(folder: Path, pot: Path) -> Catalog:
    """The sentences below a folder, extracted as `make words` does."""
    options = re.search(r"^EXTRACT := (.*)$", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    assert options
    arguments = options[1].replace("pyproject.toml", str(ROOT / "pyproject.toml")).split()
    CommandLineInterface().run(["pybabel", "--quiet", "extract", *arguments, "--output-file", str(pot), str(folder)])
    with pot.open("rb") as file:
        return read_po(file)


def spanish(path: Path = words.CATALOGUE) -> Catalog:
    with path.open("rb") as file:
        return read_po(file, locale="es")


def forms(text: str | tuple[str, ...] | list[str]) -> tuple[str, ...]:
    """The singular and plural of an entry, or its one form."""
    return (text,) if isinstance(text, str) else tuple(text)


def placeholders(text: str) -> set[str]:
    """The names in `{braces}` and in `%(percent)s` placeholders."""
    percent = set(re.findall(r"%\((\w+)\)", text))
    try:
        return percent | {f"{{{name}}}" for _, name, _, _ in string.Formatter().parse(text) if name is not None}
    except ValueError:
        return percent | {"unbalanced braces"}


def faults(wanted: Catalog, kept: Catalog) -> list[str]:
    """Mismatches between the sentences of the source and the catalogue."""
    sources = {forms(message.id)[0]: message for message in wanted if message.id}
    entries = {forms(message.id)[0]: message for message in kept if message.id}
    return [
        *(f"missing: {source}" for source in sorted(sources.keys() - entries.keys())),
        *(f"unused: {source}" for source in sorted(entries.keys() - sources.keys())),
        *(fault for source in sorted(entries) for fault in entry_faults(source, entries[source])),
    ]


def entry_faults(source: str, entry: Message) -> Iterator[str]:
    if entry.fuzzy:
        yield f"fuzzy: {source}"
    if not all(forms(entry.string)):
        yield f"empty: {source}"
    elif any(placeholders(form) != placeholders(forms(entry.id)[-1]) for form in forms(entry.string)):
        yield f"placeholders differ: {source}"
    elif forms(entry.string)[0].strip() != forms(entry.string)[0]:
        yield f"spaces at an end: {source}"


def test_every_sentence_has_its_spanish_and_every_entry_is_used(tmp_path: Path) -> None:
    assert faults(extracted(PACKAGE, tmp_path / "padron.pot"), spanish()) == [], "run `make words`"


def test_each_fault_of_a_catalogue_is_found(tmp_path: Path) -> None:
    (tmp_path / "web" / "templates").mkdir(parents=True)
    (tmp_path / "web" / "templates" / "page.html").write_text(
        '{{ _("New") }}{% trans n=1 %}{{ n }} key{% pluralize %}{{ n }} keys{% endtrans %}'
    )
    (tmp_path / "room.py").write_text(
        "bilingual('Search {place}', place=1)\n"
        "bilingual_plural('{count} row', '{count} rows', 3)\n"
        "N_('Nearly')\n"
        "N_('Empty')\n"
        "room.bilingual('Known')\n"
    )
    kept = Catalog(locale="es")
    kept.add("Search {place}", "Buscar {lugar}")
    kept.add(("{count} row", "{count} rows"), ("{count} fila", "{count} filas"))
    kept.add("Nearly", "Casi", flags=["fuzzy"])
    kept.add("Empty", "")
    kept.add("Known", "Conocido")
    kept.add("Old", "Viejo")
    assert faults(extracted(tmp_path, tmp_path / "padron.pot"), kept) == [
        "missing: %(n)s key",
        "missing: New",
        "unused: Old",
        "empty: Empty",
        "fuzzy: Nearly",
        "placeholders differ: Search {place}",
    ]


def is_marked(node: ast.expr, name: str) -> bool:
    """A literal; for `bilingual` also the name of a sentence that is marked elsewhere."""
    return (isinstance(node, ast.Constant) and isinstance(node.value, str)) or (
        name == "bilingual" and isinstance(node, ast.Name | ast.Attribute | ast.Subscript)
    )


def unextracted(package: Path) -> list[str]:
    """Calls whose sentence extraction cannot read."""
    places = []
    for path in sorted(package.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call):
                name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
                if not all(is_marked(argument, name) for argument in node.args[: MARKERS.get(name, 0)]):
                    places.append(f"{path.relative_to(package)}:{node.lineno}: {name}")
    return places


def test_every_sentence_can_be_extracted(tmp_path: Path) -> None:
    assert unextracted(PACKAGE) == []
    (tmp_path / "room.py").write_text(
        "bilingual('Fine {x}', x=1)\n"
        "bilingual(TABLE[1])\n"
        "bilingual(f'Not {x}')\n"
        "N_(name)\n"
        "words.bilingual('a' + b)\n"
        "bilingual_plural('one', many, 3)\n"
    )
    assert unextracted(tmp_path) == [
        "room.py:3: bilingual",
        "room.py:4: N_",
        "room.py:5: bilingual",
        "room.py:6: bilingual_plural",
    ]


TEXTS_OF_THEIR_OWN = {"words", "countries", "companies"}
"""Modules with both languages side by side: the catalogue, and the data of a country or of a field of a company."""


def texts_outside(package: Path) -> list[str]:
    """Places outside the catalogue where a `Text` is given sentences: two literals that differ and are no address."""
    places = []
    for path in sorted(package.rglob("*.py")):
        name = path.relative_to(package)
        if name.parts[0] in TEXTS_OF_THEIR_OWN:
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Text":
                words = {re.sub(r"[^A-Za-zÀ-ÿ]", "", literal) for literal in map(written, node.args)} - {""}
                if words and not any(literal.startswith("/") for literal in map(written, node.args)):
                    places.append(f"{name}:{node.lineno}")
    return places


def written(node: ast.expr) -> str:
    """The literal part of an argument: of a string, an f-string, or a sum of such."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=parts):
            return "".join(map(written, parts))
        case ast.BinOp(left=left, right=right):
            return written(left) + written(right)
    return ""


def test_sentences_stand_in_the_catalogue_alone(tmp_path: Path) -> None:
    assert texts_outside(PACKAGE) == []
    (tmp_path / "countries").mkdir()
    (tmp_path / "countries" / "cl.py").write_text("Text('Chile', 'Chile')\nText('RUT', 'RUT')\n")
    (tmp_path / "room.py").write_text(
        "Text('Sin resultados.', 'Nothing found.')\n"
        "Text(f'de {name}', f'of {name}')\n"
        "Text(', '.join(spanish), ', '.join(english))\n"
        "Text('/es/buscar', '/en/search')\n"
        "Text(name, name)\n"
        "Text(known('es'), known('en'))\n"
        "Text(f'«{name}»', f'“{name}”')\n"
    )
    assert texts_outside(tmp_path) == ["room.py:1", "room.py:2"]


def test_a_sentence_is_filled_in_both_languages(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = tmp_path / "padron.po"
    path.write_text(
        'msgid ""\nmsgstr "Plural-Forms: nplurals=2; plural=(n != 1);\\n"\n\n'
        'msgid "Search {place}"\nmsgstr "Busque en {place}"\n\n'
        'msgid "{count} row of {place}"\nmsgid_plural "{count} rows of {place}"\n'
        'msgstr[0] "{count} fila de {place}"\nmsgstr[1] "{count} filas de {place}"\n'
    )
    translations = read_catalogue(path)
    monkeypatch.setattr(words, "catalogue", lambda language: translations if language == "es" else catalogue("en"))
    brazil = Text("Brasil", "Brazil")
    assert bilingual("Search {place}", place=brazil) == Text("Busque en Brasil", "Search Brazil")
    rows = [bilingual_plural("{count} row of {place}", "{count} rows of {place}", n, place=brazil) for n in (1, 2)]
    assert rows == [
        Text("1 fila de Brasil", "1 row of Brazil"),
        Text("2 filas de Brasil", "2 rows of Brazil"),
    ]


def test_what_has_no_spanish_is_shown_in_english_and_logged_once(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "padron.po"
    path.write_bytes(BytesIO(b'msgid ""\nmsgstr ""\n\n#, fuzzy\nmsgid "Nearly"\nmsgstr "Casi"\n').getvalue())
    translations = read_catalogue(path)
    monkeypatch.setattr(words, "catalogue", lambda language: translations if language == "es" else catalogue("en"))
    with caplog.at_level(logging.WARNING):
        assert [translate(N_("Nearly"), "es") for _ in range(3)] == ["Nearly"] * 3
        assert bilingual_plural("{count} row", "{count} rows", 2) == Text("2 rows", "2 rows")
    assert [record.getMessage() for record in caplog.records] == [
        "no Spanish translation: Nearly",
        "no Spanish translation: {count} row",
    ]


def test_the_catalogue_is_read_as_the_tools_write_it() -> None:
    kept = catalogue("es")
    for message in spanish():
        if isinstance(message.id, tuple):
            assert tuple(kept.ngettext(*message.id, n) for n in (1, 2)) == message.string
        elif message.id:
            assert kept.gettext(message.id) == message.string


def test_an_error_without_a_message_is_named_by_its_code(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        for _ in range(2):
            assert messages.detail(PadronError("code-that-no-error-has"), "es") == "code-that-no-error-has"
            assert messages.title("code-that-no-error-has", "en") == "code-that-no-error-has"
    assert [record.getMessage() for record in caplog.records] == [
        "no message for error code code-that-no-error-has",
        "no Spanish translation: code-that-no-error-has",
    ]


def test_the_context_of_an_error_is_filled_in() -> None:
    shared = NotFound("identifier-not-unique", country="US", candidates=["US 1", "US 2"])
    assert messages.detail(shared, "es").endswith("US 1, US 2.")
