"""Errors and their messages: every code raised has one, every message is raised, and a document is made of both."""

from __future__ import annotations

import ast
import json
import string
import uuid
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import jsonschema_rs
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from padron import errors
from padron.errors import Invalid, NotFound, PadronError, ReleaseError
from padron.errors import messages as error_messages
from padron.errors.messages import MESSAGES, ErrorMessage
from padron.transport import problems
from padron.transport.problems import Problem
from padron.words import Text, translate

PACKAGE = Path(problems.__file__).parents[1]
REQUEST = "8d7cf6a4-2c0e-4a55-9d5f-0f6a3f2f4b11"


class Raised(NamedTuple):
    """A place that makes an error: its code, the names of its context; None: not written out there."""

    place: str
    code: str | None
    context: set[str] | None


def raised(package: Path) -> Iterator[Raised]:
    """Every place in the package that makes one of our errors, but for the examples of the APIs' descriptions."""
    modules = {
        str(path.relative_to(package)): ast.parse(path.read_text("utf-8"))
        for path in sorted(package.rglob("*.py"))
        if not path.name.startswith("openapi")
    }
    kinds = error_classes(modules.values())
    for name, module in modules.items():
        chosen = {
            node.targets[0].id: node.value
            for node in ast.walk(module)
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
        }
        for node in ast.walk(module):
            if isinstance(node, ast.Call) and called(node.func) in kinds:
                names = {keyword.arg for keyword in node.keywords}
                context = None if None in names else {str(name) for name in names}
                for code in codes(node.args[0], chosen) if node.args else [None]:
                    yield Raised(f"{name}:{node.lineno}", code, context)


def error_classes(modules: Iterable[ast.Module]) -> set[str]:
    """`PadronError` and every class below it, wherever in the package it stands."""
    bases = {
        node.name: {called(base) for base in node.bases}
        for module in modules
        for node in ast.walk(module)
        if isinstance(node, ast.ClassDef)
    }
    classes = {
        name for name, value in vars(errors).items() if isinstance(value, type) and issubclass(value, PadronError)
    }
    while more := {name for name, parents in bases.items() if parents & classes} - classes:
        classes |= more
    return classes


def called(node: ast.expr) -> str:
    """The last part of a dotted name."""
    return node.id if isinstance(node, ast.Name) else getattr(node, "attr", "")


def codes(argument: ast.expr, chosen: dict[str, ast.expr]) -> list[str | None]:
    """The codes an argument can be: written out, a choice of such, or the name of one in the same module."""
    if isinstance(argument, ast.IfExp):
        return codes(argument.body, chosen) + codes(argument.orelse, chosen)
    if isinstance(argument, ast.Name) and isinstance(chosen.get(argument.id), ast.IfExp):
        return codes(chosen[argument.id], chosen)
    return [argument.value if isinstance(argument, ast.Constant) else None]


def faults(package: Path, messages: Mapping[str, ErrorMessage]) -> list[str]:
    """Mismatches between the errors of a package and a table of messages."""
    places = list(raised(package))
    faults = [f"{place}: the code is not written out" for place, code, _ in places if code is None]
    faults += [f"{place}: no message for {code}" for place, code, _ in places if code and code not in messages]
    faults += [f"{code}: never raised" for code in sorted(messages.keys() - {code for _, code, _ in places})]
    for place, code, context in places:
        if code in messages and context is not None:
            missing = named(messages[code].detail) - context
            faults += [f"{place}: {code} leaves {name} out" for name in sorted(missing)]
    return faults


def named(template: str) -> set[str]:
    """The names in braces."""
    return {name for _, name, _, _ in string.Formatter().parse(template) if name}


def test_every_error_has_its_message_and_every_message_its_error() -> None:
    assert faults(PACKAGE, MESSAGES) == []


def test_each_planted_fault_is_found(tmp_path: Path) -> None:
    (tmp_path / "room.py").write_text(
        "raise Invalid('known', given=1)\n"
        "raise Invalid('known')\n"
        "raise errors.NotFound('unheard-of')\n"
        "raise Invalid(code)\n"
        "raise Invalid('known' if x else 'another', **context)\n"
        "class Denied(NotFound): ...\n"
        "class Refused(room.Denied): ...\n"
        "kind = 'known' if x else 'odd'\n"
        "raise Refused(kind, given=1)\n"
        "raise KeyError('not ours')\n"
    )
    (tmp_path / "openapi.py").write_text("Invalid('stale')\n")
    messages = {code: ErrorMessage("Title", "{given}") for code in ("known", "stale")}
    assert faults(tmp_path, messages) == [
        "room.py:4: the code is not written out",
        "room.py:3: no message for unheard-of",
        "room.py:5: no message for another",
        "room.py:9: no message for odd",
        "stale: never raised",
        "room.py:2: known leaves given out",
    ]


def test_every_message_is_whole_in_both_languages() -> None:
    for code, message in MESSAGES.items():
        assert code == code.lower().strip("-")
        title, detail = (Text(translate(sentence, "es"), sentence) for sentence in message)
        for text in (*title, *detail):
            assert text == text.strip() != ""
        assert not any(text.endswith(".") for text in title)
        assert title.es != title.en, code


def test_every_status_is_that_of_a_message() -> None:
    assert problems.STATUS.keys() <= MESSAGES.keys()
    assert len(problems.STATUS) == sum(len(codes.split()) for codes in problems._CODES.values())
    assert set(problems.STATUS.values()) <= {400, 401, 403, 404, 405, 409, 413, 414, 415, 416, 422, 429, 431, 500, 503}


def test_a_problem_document_is_what_the_model_says() -> None:
    error = Invalid("limit-out-of-range", parameter="limit", minimum=1, maximum=20)
    raw = problems.body(error, "en", REQUEST)
    assert json.loads(raw) == {
        "type": "urn:padron:problem:limit-out-of-range",
        "title": "Invalid limit",
        "status": 400,
        "detail": "limit must be a whole number from 1 to 20.",
        "instance": f"urn:uuid:{REQUEST}",
        "code": "limit-out-of-range",
        "requestId": REQUEST,
        "errors": [{"detail": "limit must be a whole number from 1 to 20.", "parameter": "limit"}],
    }
    assert msgspec.json.decode(raw, type=Problem).code == error.code
    schema = msgspec.json.schema(Problem)
    jsonschema_rs.validator_for(schema).validate(json.loads(raw))


@given(st.text(st.characters(codec="ascii", categories=["L", "N", "P"]), min_size=1))
def test_the_instance_is_a_uuid_whatever_the_request_is_called(request_id: str) -> None:
    problem = json.loads(problems.body(NotFound("no-such-address"), "es", request_id))
    assert str(uuid.UUID(problem["instance"].removeprefix("urn:uuid:"))) == problem["instance"].removeprefix(
        "urn:uuid:"
    )


def test_context_is_put_into_words() -> None:
    inner = Invalid("bad-setting", setting="PADRON_X", expected=Text("un número", "a number"))
    other = Invalid("bad-setting", setting="PADRON_{Y}", expected=Text("una red", "a network"))
    both = Invalid("bad-settings", faults=(inner, other))
    assert error_messages.detail(both, "en") == "PADRON_X must be a number. PADRON_{Y} must be a network."
    shared = NotFound("identifier-not-unique", country="US", candidates=["US 1", "US 2"])
    assert error_messages.detail(shared, "es").endswith("US 1, US 2.")


def test_an_error_without_a_status_is_no_answer() -> None:
    error = ReleaseError("release-damaged", folder="/srv/padron/releases", file="r.json")
    with pytest.raises(ReleaseError) as caught:
        problems.body(error, "es", REQUEST)
    assert caught.value is error


def test_an_error_of_an_unknown_code_is_no_answer() -> None:
    error = PadronError("no-such-code")
    with pytest.raises(PadronError) as caught:
        problems.body(error, "es", REQUEST)
    assert caught.value is error
