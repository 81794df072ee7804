"""Strict parsing of paths and queries: every refusal is an `Invalid` that names the parameter."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final
from urllib.parse import unquote_to_bytes

from padron.companies.model import CountryCode
from padron.countries import REGISTRY
from padron.errors import Invalid

COUNTRIES: Final[tuple[CountryCode, ...]] = tuple(REGISTRY)
Q_LENGTH: Final = (2, 256)
"""Fewest characters of a query without the blanks at its ends, and most with them."""
LIMIT: Final = (1, 20, 8)
"""Fewest, most and default number of results."""
IDENTIFIER_LENGTH: Final = 64
"""Most characters of an identifier: the longest canonical one has 28, formatted ones some 40."""

NAME_LENGTH: Final = 64
"""Most characters repeated of the name of an unknown parameter or member of a body."""
MOST_FAULTS: Final = 50
"""Most faults reported of one request: an answer must not be much longer than the request."""

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_LINES = str.maketrans(dict.fromkeys("\t\n\r", " "))
"""Control characters of a text in lines, which only parameters that hold such texts may have."""
_WHOLE = re.compile(r"[1-9][0-9]{0,3}")


class Faults:
    """A collector of refusals: blocks `with` it may raise `Invalid`, and all are reported together.

    Of each parameter only the first is kept, because later ones may follow from it; of all the first `MOST_FAULTS`.
    """

    def __init__(self) -> None:
        self._refusals: dict[object, Invalid] = {}
        self._caught = 0

    @property
    def is_full(self) -> bool:
        """Return whether so many blocks have raised that what else is wrong is not looked for."""
        return self._caught >= MOST_FAULTS

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> bool:
        if not isinstance(error, Invalid):
            return False
        self._caught += 1
        for refusal in (error, *error.also):
            if len(self._refusals) < MOST_FAULTS:
                self._refusals.setdefault(refusal.context.get("parameter"), refusal)
        return True

    def raise_collected(self) -> None:
        """Raise the first refusal, if there is any, with the others (`Invalid.also`)."""
        if self._refusals:
            first, *others = self._refusals.values()
            first.also = tuple(others)
            raise first


def parameters(
    query_string: bytes, known: tuple[str, ...] = (), faults: Faults | None = None, lines: tuple[str, ...] = ()
) -> dict[str, str]:
    """Parse the parameters of a query string, each given at most once.

    Args:
        known: Names that are allowed.
        faults: A collector of refusals, used instead of raising; refused parameters are left out.
        lines: Names of those that may have several lines.

    Returns:
        The values by name.

    Raises:
        Invalid: `unknown-parameter`, `repeated-parameter`, `not-utf8`, `control-characters`.
    """
    collector = faults or Faults()
    values: dict[str, str] = {}
    for part in filter(None, query_string.split(b"&")):
        if collector.is_full:
            break
        with collector:
            raw_name, _, value = part.replace(b"+", b" ").partition(b"=")
            name = unquote_to_bytes(raw_name).decode(errors="replace")
            if name not in known:
                raise Invalid("unknown-parameter", parameter=name[:NAME_LENGTH], known=known or "—")
            if name in values:
                raise Invalid("repeated-parameter", parameter=name)
            values[name] = decoded(name, unquote_to_bytes(value), lines=name in lines)
    if faults is None:
        collector.raise_collected()
    return values


def company_path(raw_path: bytes, prefix: str, query_string: bytes = b"") -> tuple[CountryCode, str]:
    """Parse country code and identifier of `<prefix>/{country}/{identifier}`; the identifier may hold slashes.

    Args:
        raw_path: The path as bytes, because the server replaces what is not UTF-8 in the decoded one.
        query_string: The query string, which may hold nothing.

    Raises:
        Invalid: `unknown-country`, `not-utf8`, `control-characters`, `identifier-too-long`, `unknown-parameter`.
    """
    path = unquote_to_bytes(raw_path).removeprefix(prefix.encode() + b"/")
    country, _, identifier = path.partition(b"/")
    faults = Faults()
    parameters(query_string, (), faults)
    with faults:
        code = country_code(decoded("country", country))
    with faults:
        number = decoded("identifier", identifier)
        if len(number) > IDENTIFIER_LENGTH:
            raise Invalid("identifier-too-long", parameter="identifier", maximum=IDENTIFIER_LENGTH)
    faults.raise_collected()
    return code, number


def decoded(parameter: str, raw: bytes, *, lines: bool = False) -> str:
    """Decode bytes as text without control characters.

    Args:
        raw: The bytes.
        lines: The text may have several lines, and tabs.

    Raises:
        Invalid: `not-utf8`, `control-characters`.
    """
    try:
        text = raw.decode()
    except UnicodeDecodeError as error:
        raise Invalid("not-utf8", parameter=parameter) from error
    if _CONTROL.search(text.translate(_LINES) if lines else text):
        raise Invalid("control-characters", parameter=parameter)
    return text


def query(given: Mapping[str, str], length: tuple[int, int] = Q_LENGTH) -> str:
    """Return `q`, as decoded. Raises `Invalid`: `query-missing`, `query-too-short`, `query-too-long`."""
    fewest, most = length
    if "q" not in given:
        raise Invalid("query-missing", parameter="q")
    if len(given["q"].strip()) < fewest:
        raise Invalid("query-too-short", parameter="q", minimum=fewest)
    if len(given["q"]) > most:
        raise Invalid("query-too-long", parameter="q", maximum=most)
    return given["q"]


def limit(given: Mapping[str, str], bounds: tuple[int, int, int] = LIMIT) -> int:
    """Return `limit`; `bounds` are fewest, most and default. Raises `Invalid("limit-out-of-range")`."""
    fewest, most, default = bounds
    text = given.get("limit", str(default))
    if not _WHOLE.fullmatch(text) or not fewest <= int(text) <= most:
        raise Invalid("limit-out-of-range", parameter="limit", minimum=fewest, maximum=most)
    return int(text)


def country_code(text: str) -> CountryCode:
    """Return a country code given in either case. Raises `Invalid("unknown-country")`."""
    code = text.upper() if text.isascii() else text
    if code not in REGISTRY:
        raise Invalid("unknown-country", parameter="country", known=COUNTRIES)
    return code
