"""The bound or form that a refused value lacks, in words: of a message of msgspec nothing that the sender wrote."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Final

import msgspec
from msgspec import inspect

from padron.words import Text, bilingual, bilingual_plural, joined

_TYPES: Final[Mapping[str, Text]] = {
    "str": bilingual("a text"),
    "int": bilingual("a whole number"),
    "float": bilingual("a number"),
    "bool": bilingual("true or false"),
    "array": bilingual("a list"),
    "object": bilingual("an object"),
}
"""The types of JSON as msgspec calls them."""
_SHOWN_NAME: Final = re.compile(r"[\w.\- ]{1,40}")
"""A name of a member that may be repeated: a longer one may be a key."""
_PLACE: Final = re.compile(r" - at `\$([^`]*)`$")
_ELEMENT: Final = re.compile(r"\[\d+\]")
"""The place of an element of a list, which is of the type that the list states."""


def expected(error: msgspec.DecodeError, kind: object) -> Text | None:
    """Return what msgspec expected instead of a value, None for what is not among its common messages.

    Args:
        kind: The type of the whole value.
    """
    message = str(error)
    if place := _PLACE.search(message):
        message = message[: place.start()]
        kind = kind if _ELEMENT.fullmatch(place[1]) else None
    for pattern, words in _MESSAGES:
        if match := pattern.fullmatch(message):
            return words(match, kind)
    return None


def at_most(count: int) -> Text:
    """Return the words for a list of so many elements at most."""
    return bilingual_plural("a list of at most {count} element", "a list of at most {count} elements", count)


def any_of(values: Iterable[str]) -> Text:
    """Return the words for a choice."""
    return bilingual("one of {values}", values=", ".join(values))


def _of_length(message: re.Match[str], _: object) -> Text:
    count = int(message["count"])
    match message["type"], message["bound"]:
        case "str", "<=":
            return bilingual_plural(
                "a text of at most {count} character", "a text of at most {count} characters", count
            )
        case "str", _:
            return bilingual_plural(
                "a text of at least {count} character", "a text of at least {count} characters", count
            )
        case _, "<=":
            return at_most(count)
    return bilingual_plural("a list of at least {count} element", "a list of at least {count} elements", count)


def _of_size(message: re.Match[str], _: object) -> Text:
    if message["bound"] == "<=":
        return bilingual("a number of at most {bound}", bound=message["count"])
    return bilingual("a number of at least {bound}", bound=message["count"])


def _of_type(message: re.Match[str], _: object) -> Text | None:
    names = [name for name in message["types"].split(" | ") if name != "null"]
    if not names or any(name not in _TYPES for name in names):
        return None
    return joined((_TYPES[name] for name in names), " / ")


def _known_member(message: re.Match[str], kind: object) -> Text:
    known = ", ".join(_members(kind))
    if not known:
        return bilingual("no unknown member")
    if _SHOWN_NAME.fullmatch(message["name"]):
        return bilingual("no member “{name}”; the members are {known}", name=message["name"], known=known)
    return bilingual("no member but {known}", known=known)


def _required_member(message: re.Match[str], _: object) -> Text:
    return bilingual("the member “{name}”", name=message["name"])


def _choice(_: re.Match[str], kind: object) -> Text | None:
    values = [str(value) for each in _parts(inspect.type_info(kind)) for value in _choices(each)]
    return any_of(values) if values else None


_MESSAGES: Final[tuple[tuple[re.Pattern[str], Callable[[re.Match[str], object], Text | None]], ...]] = (
    (re.compile(r"Expected `(?P<type>str|array)` of length (?P<bound><=|>=) (?P<count>\d+)"), _of_length),
    (re.compile(r"Expected `(?:int|float)` (?P<bound><=|>=) (?P<count>-?[\d.]+)"), _of_size),
    (re.compile(r"Expected `(?P<types>[a-z| ]+)`, got `[^`]*`"), _of_type),
    (re.compile(r"Object contains unknown field `(?P<name>.*)`", re.DOTALL), _known_member),
    (re.compile(r"Object missing required field `(?P<name>\w+)`"), _required_member),
    (re.compile(r"Invalid enum value .*", re.DOTALL), _choice),
)
"""The messages of msgspec, and what says the same in words."""


def _parts(described: inspect.Type) -> list[inspect.Type]:
    """Return a type without what only describes it, its alternatives, or those of the elements of a list."""
    if isinstance(described, inspect.Metadata):
        return _parts(described.type)
    if isinstance(described, inspect.UnionType):
        return [part for each in described.types for part in _parts(each)]
    return _parts(described.item_type) if isinstance(described, inspect.ListType) else [described]


def _choices(described: inspect.Type) -> Iterable[object]:
    return described.values if isinstance(described, inspect.LiteralType) else ()


def _members(kind: object) -> list[str]:
    """Return the members of an object, or of those of a list."""
    return [
        field.encode_name
        for each in _parts(inspect.type_info(kind))
        if isinstance(each, inspect.StructType)
        for field in each.fields
    ]
