"""What a request may hold, and reading it strictly: every refusal is an `Invalid` that names the parameter."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final
from urllib.parse import unquote_to_bytes

from padron.countries import REGISTRY
from padron.errors import Invalid
from padron.model import CountryCode

COUNTRIES: Final[tuple[CountryCode, ...]] = tuple(REGISTRY)
Q_LENGTH: Final = (2, 256)
"""Fewest characters of a query without the blanks at its ends, and most with them."""
LIMIT: Final = (1, 20, 8)
"""Fewest, most and default number of results."""
IDENTIFIER_LENGTH: Final = 64
"""Most characters of an identifier: the longest canonical one has 28, formatted ones some 40."""

NAME_LENGTH: Final = 64
"""Most characters told of the name of a parameter, or of a member of a body, that nobody knows."""
MOST_FAULTS: Final = 50
"""Most faults told of one request: an answer must not be much longer than what was sent."""

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_WHOLE = re.compile(r"[1-9][0-9]?")


class Faults:
    """Gathers the refusals of what is read `with` it, so that all that is wrong with a request is told at once.

    Of each parameter only the first is kept: what follows from a value that could not be read says nothing new. Of all
    the first `MOST_FAULTS`.
    """

    def __init__(self) -> None:
        self._found: dict[object, Invalid] = {}

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> bool:
        if not isinstance(error, Invalid):
            return False
        for one in (error, *error.also):
            if len(self._found) < MOST_FAULTS:
                self._found.setdefault(one.context.get("parameter"), one)
        return True

    def tell(self) -> None:
        """Raise the first refusal, the others with it (`Invalid.also`), if there was any."""
        if self._found:
            first, *others = self._found.values()
            first.also = tuple(others)
            raise first


def parameters(query_string: bytes, known: tuple[str, ...] = (), faults: Faults | None = None) -> dict[str, str]:
    """The parameters of a query string, each given at most once.

    Raises `Invalid`, or puts into `faults` what it would raise, and goes on without those parameters:
    `unknown-parameter`, `repeated-parameter`, `not-utf8`, `control-characters`.
    """
    gathered = faults or Faults()
    found: dict[str, str] = {}
    for part in filter(None, query_string.split(b"&")):
        with gathered:
            written, _, value = part.replace(b"+", b" ").partition(b"=")
            name = unquote_to_bytes(written).decode(errors="replace")
            if name not in known:
                raise Invalid("unknown-parameter", parameter=name[:NAME_LENGTH], known=known or "—")
            if name in found:
                raise Invalid("repeated-parameter", parameter=name)
            found[name] = decoded(name, unquote_to_bytes(value))
    if faults is None:
        gathered.tell()
    return found


def company_path(raw_path: bytes, prefix: str, query_string: bytes = b"") -> tuple[CountryCode, str]:
    """Country code and identifier of `<prefix>/{country}/{identifier}`, where a `query_string` may hold nothing.

    The identifier may hold slashes. From the raw bytes: what is not UTF-8 the server replaces without a word. Raises
    `Invalid`: `unknown-country`, `not-utf8`, `control-characters`, `identifier-too-long`, `unknown-parameter`.
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
    faults.tell()
    return code, number


def decoded(parameter: str, raw: bytes) -> str:
    """Bytes as text without control characters. Raises `Invalid`: `not-utf8`, `control-characters`."""
    try:
        text = raw.decode()
    except UnicodeDecodeError as error:
        raise Invalid("not-utf8", parameter=parameter) from error
    if _CONTROL.search(text):
        raise Invalid("control-characters", parameter=parameter)
    return text


def query(given: Mapping[str, str], length: tuple[int, int] = Q_LENGTH) -> str:
    """`q`, as decoded. Raises `Invalid`: `query-missing`, `query-too-short`, `query-too-long`."""
    fewest, most = length
    if "q" not in given:
        raise Invalid("query-missing", parameter="q")
    if len(given["q"].strip()) < fewest:
        raise Invalid("query-too-short", parameter="q", minimum=fewest)
    if len(given["q"]) > most:
        raise Invalid("query-too-long", parameter="q", maximum=most)
    return given["q"]


def limit(given: Mapping[str, str], bounds: tuple[int, int, int] = LIMIT) -> int:
    """`limit`; `bounds` are fewest, most and default. Raises `Invalid("limit-out-of-range")`."""
    fewest, most, default = bounds
    text = given.get("limit", str(default))
    if not _WHOLE.fullmatch(text) or not fewest <= int(text) <= most:
        raise Invalid("limit-out-of-range", parameter="limit", minimum=fewest, maximum=most)
    return int(text)


def country_code(text: str) -> CountryCode:
    """A country code written in either case. Raises `Invalid("unknown-country")`."""
    code = text.upper() if text.isascii() else text
    if code not in REGISTRY:
        raise Invalid("unknown-country", parameter="country", known=COUNTRIES)
    return code
