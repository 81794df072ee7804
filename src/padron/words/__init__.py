"""Sentences for people, in Spanish and English.

The English of a sentence stands in the code or the template that uses it; its Spanish is in the gettext catalogue
`locale/es/LC_MESSAGES/padron.po`. `make words` extracts the sentences and updates the catalogue, and a test fails on a
missing, fuzzy or unused entry. At run time a sentence without Spanish is shown in English and logged once.

Extraction reads source text, so the first argument of these functions must be a string literal. A sentence that is
translated later than it is written (a constant, a table) is marked with `N_`.
"""

from __future__ import annotations

import gettext
import logging
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Final, Literal, NamedTuple

Language = Literal["es", "en"]
LANGUAGES: Final[tuple[Language, ...]] = ("es", "en")

Extracted = tuple[int, None, str, list[str]]
"""Line, function, message and comments, as an extraction method of Babel yields them."""

CATALOGUE: Final = Path(__file__).with_name("locale") / "es" / "LC_MESSAGES" / "padron.po"

_log = logging.getLogger(__name__)


class Text(NamedTuple):
    """A text in both languages of the service."""

    es: str
    en: str

    def of(self, language: Language) -> str:
        """The text in `language`."""
        return self.en if language == "en" else self.es


class _Spanish(gettext.NullTranslations):
    """Sentences read from a catalogue; one that it lacks is shown in English, and logged the first time."""

    def __init__(self, sentences: dict[str, list[str]]) -> None:
        super().__init__()
        self._sentences = sentences
        self._logged: set[str] = set()

    def gettext(self, message: str) -> str:
        return self._forms(message, [message])[0]

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        return self._forms(msgid1, [msgid1, msgid2])[n != 1]

    def _forms(self, message: str, english: list[str]) -> list[str]:
        forms = self._sentences.get(message)
        if forms:
            return forms
        if message not in self._logged:
            self._logged.add(message)
            _log.warning("no Spanish translation: %s", message)
        return english


@cache
def catalogue(language: Language) -> gettext.NullTranslations:
    """Return the translations of a language, read from the catalogue at first use."""
    return gettext.NullTranslations() if language == "en" else read_catalogue(CATALOGUE)


_FIELD: Final = re.compile(r'^(?:(msgid|msgid_plural|msgstr(?:\[[01]\])?) )?"(.*)"$', re.MULTILINE)
"""A line of an entry: its field, which the lines without one continue, and its text."""
_ESCAPED: Final = re.compile(r"\\(.)")
_ESCAPES: Final = {"n": "\n", "t": "\t"}


def read_catalogue(path: Path) -> gettext.NullTranslations:
    """Read a Spanish catalogue, without the entries that nobody has read yet (`#, fuzzy`).

    Here, because a library for it takes longer than a command may take to start.
    """
    sentences: dict[str, list[str]] = {}
    for entry in path.read_text("utf-8").split("\n\n"):
        if "#, fuzzy" in entry:
            continue
        fields: list[tuple[str, str]] = []
        for field, text in _FIELD.findall(entry):
            if field:
                fields.append((field, text))
            else:
                fields[-1] = (fields[-1][0], fields[-1][1] + text)
        texts = [
            (field, _ESCAPED.sub(lambda escaped: _ESCAPES.get(escaped[1], escaped[1]), text)) for field, text in fields
        ]
        if texts:
            sentences[texts[0][1]] = [text for field, text in texts if field.startswith("msgstr") and text]
    return _Spanish(sentences)


def N_(message: str) -> str:  # noqa: N802 - the name that gettext tools and translators know
    """Mark a sentence for extraction without translating it."""
    return message


def translate(message: str, language: Language) -> str:
    """Return a marked sentence in a language, its placeholders not filled in."""
    return catalogue(language).gettext(message)


def bilingual(message: str, **values: object) -> Text:
    """Return a sentence in both languages, its `{placeholders}` filled in.

    Args:
        values: Values of the placeholders; a `Text` is shown in the language of the sentence.
    """
    return _filled(_both(message), values)


def bilingual_plural(singular: str, plural: str, count: int, **values: object) -> Text:
    """Return a sentence in both languages, in the number that agrees with a count.

    Args:
        plural: The English sentence for any other number.
        count: The number; the placeholder `{count}` shows it.
        values: Values of the other placeholders, as in `bilingual`.
    """
    sentence = Text(*(catalogue(language).ngettext(singular, plural, count) for language in Text._fields))
    return _filled(sentence, {"count": count, **values})


def joined(texts: Iterable[Text], separator: str) -> Text:
    """Return texts one after the other, in each language."""
    parts = list(texts)
    return Text(separator.join(part.es for part in parts), separator.join(part.en for part in parts))


@cache
def _both(message: str) -> Text:
    return Text(translate(message, "es"), message)


def _filled(sentence: Text, values: dict[str, object]) -> Text:
    if not values:
        return sentence
    spanish = english = values
    if any(isinstance(value, Text) for value in values.values()):
        spanish, english = (
            {name: value.of(language) if isinstance(value, Text) else value for name, value in values.items()}
            for language in ("es", "en")
        )
    return Text(sentence.es.format_map(spanish), sentence.en.format_map(english))


def extracted(sentences: Iterable[str]) -> Iterator[Extracted]:
    """Yield sentences that stand in no source text, each once, for the extraction of `make words`."""
    for line, sentence in enumerate(sorted(set(sentences)), start=1):
        yield line, None, sentence, []
