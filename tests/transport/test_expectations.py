"""The words for what a refused value lacks repeat nothing of it."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
import pytest
from msgspec import Meta, Struct

from padron.transport.expectations import expected

SECRET = "pdr_live_0123456789abcdefghijklmnopqrstuvwxyzABCDEFGH"


class Guest(Struct, forbid_unknown_fields=True, rename="camel"):
    """An object with members of its own."""

    first_name: str
    age: int = 0


class Table(Struct):
    """An object with a list of others."""

    guests: list[Guest]


Short = Annotated[str, Meta(min_length=2, max_length=4)]
Few = Annotated[list[int], Meta(min_length=1, max_length=2)]
Small = Annotated[int, Meta(ge=1, le=20)]


@pytest.mark.parametrize(
    ("kind", "value", "english", "spanish"),
    [
        (Short, "x", "a text of at least 2 characters", "un texto de al menos 2 caracteres"),
        (Short | None, SECRET, "a text of at most 4 characters", "un texto de como máximo 4 caracteres"),
        (Few, [], "a list of at least 1 element", "una lista de al menos 1 elemento"),
        (Few, [1, 2, 3], "a list of at most 2 elements", "una lista de como máximo 2 elementos"),
        (Small, 21, "a number of at most 20", "un número de como máximo 20"),
        (Small, 0, "a number of at least 1", "un número de al menos 1"),
        (int | None, SECRET, "a whole number", "un número entero"),
        (list[Guest], [7], "an object", "un objeto"),
        (list[Guest], [{"age": 7}], "the member “firstName”", "el miembro «firstName»"),
        (
            list[Guest],
            [{"firstName": "a", "foo": 1}],
            "no member “foo”; the members are firstName, age",
            "ningún miembro «foo»; los miembros son firstName, age",
        ),
        (
            list[Guest],
            [{"firstName": "a", SECRET: 1}],
            "no member but firstName, age",
            "ningún miembro salvo firstName, age",
        ),
        (list[Table], [{"guests": [{"foo": 1}]}], "no unknown member", "ningún miembro desconocido"),
        (list[Literal["a", "b"]] | None, [SECRET], "one of a, b", "uno de a, b"),
    ],
)
def test_the_bound_is_told_and_the_value_is_not(kind: object, value: object, english: str, spanish: str) -> None:
    with pytest.raises(msgspec.ValidationError) as refused:
        msgspec.json.decode(msgspec.json.encode(value), type=kind)
    words = expected(refused.value, kind)
    assert words is not None
    assert (words.en, words.es) == (english, spanish)


def test_a_message_that_is_not_known_has_no_words() -> None:
    assert expected(msgspec.ValidationError(f"Something about {SECRET}"), str) is None
