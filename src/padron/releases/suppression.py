"""Suppressed companies, which must answer as not found: removal requests and court orders, from a file of the operator.

    [[suppressed]]
    country = "BR"
    identifier = "33.000.167/0001-01"
    reason = "Court order 123/2026"
    date = 2026-11-20

A file without entries is no list, because it may have been emptied by mistake: `suppressed = []` hides nobody.
`scheme` is optional, for a number of several schemes. Any identifier of a company suppresses it, in Brazil also the
number of any of its establishments. The file is applied when a release is built, and by the running service.
"""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from padron.countries.country import Country
from padron.errors import Invalid, PadronError

_MEMBERS = {"country", "identifier", "reason", "date", "scheme"}


class Suppression(NamedTuple):
    """A suppressed company; `key` is the key of its identifier in `scheme` (`Scheme.key`)."""

    country: str
    scheme: str
    key: str
    reason: str
    since: date


@dataclass(frozen=True)
class Suppressions:
    """The list of suppressed companies; immutable."""

    entries: tuple[Suppression, ...] = ()

    @cached_property
    def _keys(self) -> frozenset[tuple[str, str, str]]:
        return frozenset((entry.country, entry.scheme, entry.key) for entry in self.entries)

    @cached_property
    def revision(self) -> str:
        """Digest of the list in eight hexadecimal digits; empty for an empty list."""
        if not self._keys:
            return ""
        return hashlib.sha256(repr(sorted(self._keys)).encode()).hexdigest()[:8]

    def hides(self, country: str, keys: Iterable[tuple[str, str]]) -> bool:
        """Return True if the company of `country` with one of `keys` (scheme, key) is suppressed."""
        hidden = self._keys
        return bool(hidden) and any((country, scheme, key) in hidden for scheme, key in keys)


NO_SUPPRESSIONS = Suppressions()
"""The empty list."""


def load(path: Path | None, registry: Mapping[str, Country]) -> Suppressions:
    """Read the list in a file; an empty list where `path` is None.

    Raises `Invalid("bad-suppressions")` with `file`, `entry` (from 1; 0 is the file itself) and `reason`: an unreadable
    list, or an entry that could match no company or the wrong one, is never ignored.
    """
    if path is None:
        return NO_SUPPRESSIONS
    return _parsed(path, _content(path), registry)


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise _bad(path, 0, str(error)) from error


def _parsed(path: Path, content: bytes, registry: Mapping[str, Country]) -> Suppressions:
    try:
        document = tomllib.loads(content.decode())
    except ValueError as error:
        raise _bad(path, 0, str(error)) from error
    entries = document.get("suppressed")
    if document.keys() - {"suppressed"} or not isinstance(entries, list):
        raise _bad(path, 0, "[[suppressed]] | suppressed = []")
    return Suppressions(tuple(_entry(path, number, entry, registry) for number, entry in enumerate(entries, start=1)))


def _entry(path: Path, number: int, entry: object, registry: Mapping[str, Country]) -> Suppression:
    if not isinstance(entry, dict) or entry.keys() - _MEMBERS or _MEMBERS - {"scheme"} - entry.keys():
        raise _bad(path, number, ", ".join(sorted(_MEMBERS)))
    given: dict[str, Any] = entry
    country = registry.get(str(given["country"]).upper())
    if country is None:
        raise _bad(path, number, "country")
    if type(given["date"]) is not date:
        raise _bad(path, number, "date")
    if not str(given["reason"]).strip():
        raise _bad(path, number, "reason")
    try:
        readings = country.identify(str(given["identifier"]))
    except PadronError as error:
        raise _bad(path, number, error.code) from error
    matching = [reading for reading in readings if given.get("scheme", reading.scheme) == reading.scheme]
    if len({reading.scheme for reading in matching}) != 1:
        raise _bad(path, number, "scheme: " + ", ".join(reading.scheme for reading in readings))
    scheme, value = matching[0].scheme, matching[0].value
    key = country.scheme_by_code[scheme].key(value)
    return Suppression(country.code, scheme, key, str(given["reason"]), given["date"])


def _bad(path: Path, entry: int, reason: str) -> Invalid:
    return Invalid("bad-suppressions", parameter="suppressions", file=str(path), entry=entry, reason=reason)


class SuppressionFile:
    """The list of a running service, read again when its file changes; `current` is the last readable one."""

    def __init__(self, path: Path | None, registry: Mapping[str, Country]) -> None:
        """Read the list. Raises like `load`: a service does not start with an unreadable list."""
        self._path = path
        self._registry = registry
        self._version = self._file_version()
        self.current = load(path, registry)
        self.fault: Invalid | None = None
        """The reason for which the file holds no list now (`bad-suppressions`); the list before stays in force."""

    def refresh(self) -> Suppressions:
        """Return the list as it is now, or the last one that could be read: then `fault` says why.

        Costs a call of `stat` while the file stays, and reads one that cannot be opened again each time.
        """
        version = self._file_version()
        if self._path is not None and version != self._version:
            try:
                content = _content(self._path)
                self._version = version
                self.current = _parsed(self._path, content, self._registry)
                self.fault = None
            except Invalid as error:
                self.fault = error
        return self.current

    def _file_version(self) -> tuple[int, int, int] | None:
        if self._path is None:
            return None
        try:
            state = self._path.stat()
        except FileNotFoundError:
            return (0, 0, 0)
        return (state.st_mtime_ns, state.st_size, state.st_ino)
