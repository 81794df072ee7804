"""Parameters of every operation, as data: names are those that reading allows, bounds the constants it checks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal, NamedTuple

from padron.api.v1_changes import KINDS as CHANGE_KINDS
from padron.api.v1_changes import PAGE as CHANGES_PAGE
from padron.api.v1_watchlists import PAGE as WATCHED_PAGE
from padron.countries.country import Status
from padron.questions.interpretation import ASPECTS
from padron.transport.inputs import COUNTRIES, IDENTIFIER_LENGTH, LIMIT, Q_LENGTH

QUESTION_LENGTH: Final = (2, 1_000)
"""Fewest and most characters of a question in v1, where whole sentences are welcome."""
PAGE: Final = (1, 50, 8)
"""Fewest, most and default results of a page in v1."""
ALL: Final = "all"
"""Value of `ignore`: nothing is understood, the text is a name or a number."""


class Parameter(NamedTuple):
    """A parameter of an operation: where it stands in the request and its JSON Schema.

    `extra` holds further members of the OpenAPI parameter object, such as `example`.
    """

    name: str
    description: str
    schema: Mapping[str, object]
    required: bool = False
    place: Literal["query", "path", "header"] = "query"
    extra: Mapping[str, object] = {}

    def described(self) -> dict[str, Any]:
        """Return the OpenAPI parameter object."""
        stated = {"name": self.name, "in": self.place, "required": self.required, "description": self.description}
        return {**stated, "schema": self.schema, **self.extra}


_PLAIN = r"[^\u0000-\u001f\u007f-\u009f]*"
_LINES = r"[^\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]*"
_VISIBLE = r"[^\s\u0000-\u001f\u007f-\u009f]"
_ASPECT = "|".join(ASPECTS)
_COUNTRY = {"type": "string", "enum": list(COUNTRIES)}


def _query(length: tuple[int, int], plain: str = _PLAIN) -> dict[str, object]:
    """Schema of `q`: characters that are `plain`, and at least two that are not blank."""
    pattern = f"^{plain}{_VISIBLE}{plain}{_VISIBLE}{plain}$"
    return {"type": "string", "minLength": length[0], "maxLength": length[1], "pattern": pattern}


def _limit(bounds: tuple[int, int, int]) -> dict[str, object]:
    return {"type": "integer", "minimum": bounds[0], "maximum": bounds[1], "default": bounds[2]}


def _text(pattern: str) -> dict[str, object]:
    return {"type": "string", "pattern": pattern}


def _enumeration(*values: str) -> dict[str, object]:
    return {"type": "string", "enum": list(values)}


SEARCH: Final = (
    Parameter(
        "q",
        f"Name or identifier, in any punctuation; at least {Q_LENGTH[0]} characters without the blanks around it.",
        _query(Q_LENGTH),
        required=True,
        extra={"example": "corporacion favorita"},
    ),
    Parameter("country", "Only the registers of this country; in upper or lower case.", _COUNTRY),
    Parameter("limit", "Maximum number of results.", _limit(LIMIT)),
)
"""Query of the public search."""

FILTERS: Final = (
    Parameter("status", "Only companies of this status.", _enumeration(*map(str, Status))),
    Parameter(
        "activity",
        "Only activities whose code starts with this: one of the country's own classification, or of ISIC Rev. 4 in "
        "all countries whose codes tell it (`isic:G47`).",
        _text("^(isic:)?[A-Za-z]?[0-9]{1,6}$"),
    ),
    Parameter("legalForm", "Only this legal form, by its code.", _text("^[a-z]{2,10}$")),
    Parameter("region", "Only this province, state or department.", _text("^[A-Za-z]{2,40}$")),
    Parameter("hasFinancials", "Only companies with, or without, statements.", _enumeration("true", "false")),
    Parameter(
        "ignore",
        "Aspects not to read from the text, separated by commas; `all`: q is a name or a number.",
        _text(f"^({ALL}|({_ASPECT})(,({_ASPECT}))*)$"),
    ),
)
"""Query members of the v1 search that change which companies fit."""

_QUESTIONS = (
    ("identifier", "The number of a company", "¿cuál es el RUC de Corporación Favorita?"),
    ("several", "Several companies", "Grupo Argos or Cementos Argos, Colombia, active"),
    ("list", "All companies that match a description", "empresas brasileiras de energia listadas"),
    ("name", "A name", "petrobras"),
)
"""Example questions, in the three languages that are understood."""

QUESTION: Final = (
    Parameter(
        "q",
        "A question, a name or an identifier.",
        _query(QUESTION_LENGTH, _LINES),
        required=True,
        extra={"examples": {name: {"summary": summary, "value": text} for name, summary, text in _QUESTIONS}},
    ),
    Parameter("country", "Only the registers of this country.", _COUNTRY),
    Parameter("limit", "Results per page.", _limit(PAGE)),
    *FILTERS,
    Parameter("cursor", "`nextCursor` of the page before.", {"type": "string", "maxLength": 40}),
)
"""Query of the v1 search."""

COMPANY: Final = (
    Parameter(
        "country",
        "Country of the register; in upper or lower case.",
        _COUNTRY,
        required=True,
        place="path",
        extra={"example": "US"},
    ),
    Parameter(
        "identifier",
        "Official identifier, formatted or not, in either case; slashes need no escaping.",
        {"type": "string", "minLength": 1, "maxLength": IDENTIFIER_LENGTH, "pattern": f"^{_PLAIN}$"},
        required=True,
        place="path",
        extra={"example": "320193"},
    ),
)
"""Path of one company."""

KEY: Final = (Parameter("key", "Id of the key.", _text("^key_[0-9a-f]{24}$"), required=True, place="path"),)
"""Path of one API key."""
SESSION: Final = (Parameter("session", "Id of the session.", _text("^ses_[0-9a-f]{16}$"), required=True, place="path"),)
"""Path of one session."""

IDEMPOTENCY: Final = (
    Parameter(
        "Idempotency-Key",
        "The same key gives the same checkout again.",
        {"type": "string", "minLength": 1, "maxLength": 255, "pattern": r"^[\x21-\x7e]+$"},
        place="header",
    ),
)
CHANGES: Final = (
    Parameter("since", "`cursor` of the page before; by default the oldest changes.", _text(r"^\d{1,6}-\d{1,18}$")),
    Parameter("country", "Only the registers of this country.", _COUNTRY),
    Parameter("kind", "Only changes of this kind.", _enumeration(*CHANGE_KINDS)),
    Parameter("watchlist", "Only changes of what this watchlist holds.", _text("^wl_[0-9a-f]{24}$")),
    Parameter("limit", "Changes per page.", _limit(CHANGES_PAGE)),
)
"""Query of the change log."""
WATCHLIST: Final = (
    Parameter("watchlist", "Id of the watchlist.", _text("^wl_[0-9a-f]{24}$"), required=True, place="path"),
)
"""Path of one watchlist."""
WATCHED: Final = (
    *WATCHLIST,
    Parameter("cursor", "`nextCursor` of the page before.", _text(r"^\d{1,9}$")),
    Parameter("limit", "Companies per page.", _limit(WATCHED_PAGE)),
)
"""Path of one watchlist, and the page of its companies."""
WEBHOOK: Final = (Parameter("webhook", "Id of the webhook.", _text("^whk_[0-9a-f]{24}$"), required=True, place="path"),)
"""Path of one webhook."""
MESSAGE: Final = (
    Parameter(
        "webhook-id", "Id of the message, the same at every try.", {"type": "string"}, required=True, place="header"
    ),
    Parameter(
        "webhook-timestamp",
        "When the message was sent, in seconds since 1970: refuse what is older than five minutes.",
        {"type": "string", "pattern": r"^\d+$"},
        required=True,
        place="header",
    ),
    Parameter(
        "webhook-signature",
        "Signatures as Standard Webhooks 1.0 defines them, separated by blanks: one is by your secret.",
        {"type": "string", "pattern": r"^v1,\S+( v1,\S+)*$"},
        required=True,
        place="header",
    ),
)
"""Header fields of a message to a webhook."""
OFFSET: Final = (
    Parameter(
        "offset",
        "Of NDJSON and CSV alone: number of rows that are answered already, to go on after a cut connection.",
        {"type": "integer", "minimum": 0, "maximum": 999_999_999},
    ),
)
"""Query of a list."""
LANGUAGE: Final = Parameter(
    "Accept-Language",
    "Spanish or English; by default Spanish.",
    {"type": "string", "default": "es"},
    place="header",
)
"""Read by every operation."""
CONDITION: Final = Parameter(
    "If-None-Match", "ETag of a cached answer: 304 while it is current.", {"type": "string"}, place="header"
)
"""Read by the operations whose answers have an ETag."""


def names(parameters: tuple[Parameter, ...]) -> tuple[str, ...]:
    """Return the names of parameters, in their order."""
    return tuple(parameter.name for parameter in parameters)
