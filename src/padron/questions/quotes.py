"""Quoted parts of a question: names in quotation marks, and the arguments of calls that programs write."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from padron.text import fold

_QUOTED: Final = re.compile(r"\"([^\"]{2,})\"|“([^”]{2,})”|«([^»]{2,})»|„([^“”]{2,})[“”]")
_KEY_BEFORE: Final = re.compile(r"(?:\"(\w+)\"\s*:|\b(\w+)\s*=)\s*+\[?\s*+$")
_LONGEST_KEY: Final = 80
"""Characters before a quotation in which its key is looked for: in all of them, time would grow as their square."""
_NAMING: Final = frozenset(
    "company companyname empresa input legalname name nombre nome q query search searchterm text".split()
)
"""Arguments whose value is what is looked for; other values of a call say how."""
_PLACING: Final = frozenset("country countrycode jurisdiction pais".split())


class Quotes(NamedTuple):
    """The quoted names of a text, the quoted country of a call, and the text without all that is quoted."""

    names: list[str]
    country: str | None
    outside: str


def quotes(text: str) -> Quotes:
    """Return the quoted parts of a text; of `"query": "Arcor", "country": "AR"` the values that say who is meant."""
    named: list[str] = []
    plain: list[str] = []
    country = None
    for match in _QUOTED.finditer(text):
        value = next(filter(None, match.groups())).strip()
        if not fold(value) or (text[match.end() :].lstrip().startswith(":") and match[0].startswith('"')):
            continue
        key = _KEY_BEFORE.search(text, max(0, match.start() - _LONGEST_KEY), match.start())
        argument = fold(key[1] or key[2]).replace(" ", "").replace("_", "") if key else ""
        if argument in _PLACING:
            country = value
        elif argument in _NAMING:
            named.append(value)
        elif not argument:
            plain.append(value)
    outside = _QUOTED.sub(lambda match: " " * len(match[0]), text)
    return Quotes(named or plain, country, outside if not named else "")
