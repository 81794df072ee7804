"""From an error to words: RFC 9457 problem details for HTTP, one sentence for a terminal.

The words, and the status of each code, are the table `words.toml` beside this module; a room may keep those of its own
errors in a `words.toml` of its own.
"""

from __future__ import annotations

import re
import tomllib
import uuid
from collections.abc import Collection
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

import msgspec

from padron.errors import Invalid, PadronError
from padron.model import FieldError, Language, Offer, Problem, Text

MEDIA_TYPE = "application/problem+json"

_QUOTA_EXCEEDED = "https://iana.org/assignments/http-problem-types#quota-exceeded"
"""The type of draft-ietf-httpapi-ratelimit-headers-10 for quotas that name their policy; `code` tells which."""


class Words(NamedTuple):
    """What one code means: its HTTP status (None: never met over HTTP), and title and detail for people."""

    status: int | None
    title: Text
    detail: Text


def tables() -> list[dict[str, Words]]:
    """The table of each room that keeps one."""
    return [
        {
            code: Words(row.get("status"), Text(**row["title"]), Text(**row["detail"]))
            for code, row in tomllib.loads(path.read_text(encoding="utf-8")).items()
        }
        for path in sorted(Path(__file__).parents[1].glob("*/words.toml"))
    ]


WORDS = {code: words for table in tables() for code, words in table.items()}
"""The words of every code."""

_FRAGMENT = "~!$&'()*+,;=:@/?"
"""What stands for itself in the fragment of a URI besides letters, digits, `-`, `.` and `_` (RFC 3986 §3.5)."""
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def sentence(error: PadronError, language: Language) -> str:
    """What went wrong and how to mend it, for a person."""
    shown = {name: _shown(value, language) for name, value in error.context.items()}
    return WORDS[error.code].detail.of(language).format(**shown)


def _shown(value: object, language: Language) -> str:
    """A context value in words: errors and bilingual texts in the language, collections as a list."""
    match value:
        case PadronError():
            return sentence(value, language)
        case Text():
            return value.of(language)
        case dict():
            return ", ".join(f"{key}: {_shown(item, language)}" for key, item in value.items())
        case list() | tuple() | set() | frozenset():
            sentences = all(isinstance(item, PadronError) for item in value)
            return (" " if sentences else ", ").join(_shown(item, language) for item in value)
        case _:
            return str(value)


def _field(error: PadronError, language: Language, members: Collection[str]) -> FieldError:
    """What is wrong with one parameter, or member of the body."""
    name, detail = str(error.context["parameter"]), sentence(error, language)
    if name not in members:
        return FieldError(detail=detail, parameter=name)
    escaped = name.replace("~", "~0").replace("/", "~1")
    return FieldError(detail=detail, pointer=f"#/{quote(escaped, safe=_FRAGMENT)}")


def all_wrong(error: PadronError) -> tuple[PadronError, ...]:
    """The error, and those told with it."""
    return (error, *(error.also if isinstance(error, Invalid) else ()))


def _offer(error: PadronError, language: Language) -> Offer | msgspec.UnsetType:
    """The plans (`opening`, by code) that a refusal says would open what was asked."""
    if not error.context.get("opening"):
        return msgspec.UNSET
    return msgspec.convert(
        {name: _shown(error.context[name], language) for name in ("page", "operation")}
        | {"plans": error.context["opening"]},
        Offer,
    )


def status(error: PadronError) -> int:
    """HTTP status of an error. One that has no business in an answer is raised again: then the fault is ours."""
    found = WORDS[error.code].status
    if found is None:
        raise error
    return found


def body(error: PadronError, language: Language, request_id: str, members: Collection[str] = ()) -> bytes:
    """The problem document. `instance` names the request, never its path or query: those may hold a person's number.

    `members` are those of the request's JSON body: what is wrong with one of them is pointed to (RFC 6901).
    """
    found = error.context.get("violated")
    violated = found if isinstance(found, tuple) else ()
    number = request_id if _UUID.fullmatch(request_id) else uuid.uuid5(uuid.NAMESPACE_URL, request_id)
    return msgspec.json.encode(
        Problem(
            type=_QUOTA_EXCEEDED if violated else f"urn:padron:problem:{error.code}",
            title=WORDS[error.code].title.of(language),
            status=status(error),
            detail=sentence(error, language),
            instance=f"urn:uuid:{number}",
            code=error.code,
            request_id=request_id,
            errors=[_field(one, language, members) for one in all_wrong(error) if "parameter" in one.context]
            or msgspec.UNSET,
            offer=_offer(error, language),
            violated_policies=[str(policy) for policy in violated] if violated else msgspec.UNSET,
        )
    )
