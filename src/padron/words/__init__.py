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
from collections.abc import Iterable
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Final

from padron.model import Language, Text

CATALOGUE: Final = Path(__file__).with_name("locale") / "es" / "LC_MESSAGES" / "padron.po"

_log = logging.getLogger(__name__)


class _Untranslated(gettext.NullTranslations):
    """Fallback of the Spanish catalogue: the English sentence, logged the first time."""

    def __init__(self) -> None:
        super().__init__()
        self._logged: set[str] = set()

    def gettext(self, message: str) -> str:
        self._log_once(message)
        return message

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        self._log_once(msgid1)
        return super().ngettext(msgid1, msgid2, n)

    def _log_once(self, message: str) -> None:
        if message not in self._logged:
            self._logged.add(message)
            _log.warning("no Spanish translation: %s", message)


@cache
def catalogue(language: Language) -> gettext.NullTranslations:
    """Return the translations of a language, compiled from the catalogue at first use."""
    if language == "en":
        return gettext.NullTranslations()
    return compiled(CATALOGUE)


def compiled(path: Path) -> gettext.GNUTranslations:
    """Compile a Spanish catalogue in memory, which takes less time than finding out whether a `.mo` file is current."""
    # Imported with the first Spanish sentence: most commands and all of their start-up do without.
    from babel.messages.mofile import write_mo  # noqa: PLC0415
    from babel.messages.pofile import read_po  # noqa: PLC0415

    binary = BytesIO()
    with path.open("rb") as file:
        write_mo(binary, read_po(file, locale="es"))
    binary.seek(0)
    translations = gettext.GNUTranslations(binary)
    translations.add_fallback(_Untranslated())
    return translations


def N_(message: str) -> str:  # noqa: N802 - the name that gettext tools and translators know
    """Mark a sentence for extraction without translating it."""
    return message


def translate(message: str, language: Language) -> str:
    """Return a marked sentence in a language, its placeholders not filled in."""
    return catalogue(language).gettext(message)


def bilingual(message: str, **values: object) -> Text:
    """Return a sentence in both languages, its `{placeholders}` filled in.

    Args:
        message: The English sentence.
        values: Values of the placeholders; a `Text` is shown in the language of the sentence.
    """
    return _filled(_both(message), values)


def bilingual_plural(singular: str, plural: str, count: int, **values: object) -> Text:
    """Return a sentence in both languages, in the number that agrees with a count.

    Args:
        singular: The English sentence for one.
        plural: The English sentence for any other number.
        count: The number; the placeholder `{count}` shows it.
        values: Values of the other placeholders, as in `bilingual`.

    Returns:
        The sentence.
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
