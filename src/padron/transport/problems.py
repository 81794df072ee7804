"""Problem details for HTTP (RFC 9457): the status of each error code, and the document sent for an error.

The messages are in `padron.errors.messages`.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Collection
from typing import Annotated, Final
from urllib.parse import quote

import msgspec
from msgspec import UNSET, Meta, UnsetType, field

from padron.companies.model import Wire
from padron.errors import Invalid, PadronError, messages
from padron.words import Language, Text

MEDIA_TYPE = "application/problem+json"

_QUOTA_EXCEEDED = "https://iana.org/assignments/http-problem-types#quota-exceeded"
"""Type of draft-ietf-httpapi-ratelimit-headers-10 for quotas that name their policy; `code` says which quota."""

_CODES: Final = {
    400: """
        query-missing query-too-short query-too-long unknown-country limit-out-of-range unknown-parameter
        repeated-parameter control-characters not-utf8 identifier-too-long invalid-identifier key-in-url
        bad-address weak-password unknown-scope expiry-past unknown-plan bad-signature bad-event body-unfinished
        malformed-request malformed-json message-too-complex unknown-field repeated-field missing-field invalid-field
        bad-filter bad-cursor bad-row bad-offset no-company-column too-many-columns bad-saved-search bad-webhook-url
        bad-upload list-too-long bad-network bad-origin test-key-quota link-key-alone bad-report
    """,
    401: """
        credentials-missing bearer-missing apikey-missing credentials-differ key-malformed link-key key-unknown
        key-revoked key-expired key-beyond-plan no-session bad-login
        code-required bad-code
    """,
    403: """
        scope-missing plan-required bad-token cross-site-request account-suspended
        address-not-allowed origin-not-allowed not-in-sample operators-only operator-unguarded
        sandbox-local
    """,
    404: """
        no-such-address company-not-found natural-person-not-covered identifier-not-unique account-not-found
        key-not-found no-subscription session-not-found no-second-factor watchlist-not-found webhook-not-found
    """,
    405: """
        method-not-allowed
    """,
    409: """
        address-taken subscription-running key-name-taken key-not-in-use too-many-keys plan-already-active plan-lower
        idempotency-conflict second-factor-on second-factor-not-begun plan-not-yearly terms-changed
        address-differs already-confirmed
        watchlist-name-taken too-many-watchlists too-many-watched too-many-searches too-many-webhooks
        webhook-disabled webhook-rotating
    """,
    413: """
        body-too-large
    """,
    414: """
        target-too-long
    """,
    415: """
        unsupported-media-type
    """,
    416: """
        range-not-satisfiable
    """,
    429: """
        rate-limited too-many-failures quota-exceeded key-quota-exceeded rows-exceeded too-many-attempts
    """,
    431: """
        header-too-long
    """,
    500: """
        internal-error
    """,
    503: """
        not-ready busy engine-unavailable billing-off billing-unavailable billing-refused accounts-unavailable
        accounts-busy export-damaged changes-damaged release-unreadable
    """,
}

STATUS: Final = {code: status for status, codes in _CODES.items() for code in codes.split()}
"""Error code -> HTTP status. A code that is not here never answers a request: building, checking, starting."""

_FRAGMENT = "~!$&'()*+,;=:@/?"
"""Characters that the fragment of a URI holds unescaped, besides letters, digits, `-`, `.` and `_` (RFC 3986 §3.5)."""
_PLACE = re.compile(r"(\w+)\[(\d+)\](?:\.(\w+))?")
"""An element of a member that is a list, and perhaps a member of that: `rows[3].name`."""
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


class FieldError(Wire, frozen=True, kw_only=True, omit_defaults=True):
    """A fault in a request."""

    detail: Annotated[str, Meta(description="What is wrong, and how to correct it.")]
    parameter: Annotated[str, Meta(description="Name of the parameter.")] | UnsetType = UNSET
    pointer: Annotated[str, Meta(description="JSON Pointer into the body.")] | UnsetType = UNSET


class Offer(Wire, frozen=True, kw_only=True):
    """The plans that would allow the request, and where to buy them."""

    plans: Annotated[list[str], Meta(description="Plans that include it, the cheapest first.")]
    page: Annotated[str, Meta(extra_json_schema={"format": "uri"}, description="Page where a person chooses a plan.")]
    operation: Annotated[
        str, Meta(extra_json_schema={"format": "uri"}, description="URL to which a program sends `planId` with POST.")
    ]


class Problem(Wire, frozen=True, kw_only=True, omit_defaults=True):
    """An error, as RFC 9457 `application/problem+json`."""

    type: Annotated[
        str, Meta(extra_json_schema={"format": "uri-reference"}, description="Kind of problem, as RFC 9457 names it.")
    ]
    title: Annotated[str, Meta(description="The kind of problem, in a few words.")]
    status: Annotated[int, Meta(description="HTTP status.")]
    detail: Annotated[str, Meta(description="What went wrong, and how to correct it.")]
    instance: Annotated[str, Meta(description="URI of this occurrence.")]
    code: Annotated[str, Meta(description="Stable; `title` and `detail` follow the language.")]
    request_id: Annotated[str, Meta(description="The same as `X-Request-Id`; quote it when asking for help.")]
    errors: list[FieldError] | UnsetType = UNSET
    offer: Offer | UnsetType = UNSET
    left: (
        Annotated[int, Meta(description="Rows that are left of the quota today; a list of as many is answered.")]
        | UnsetType
    ) = UNSET
    violated_policies: (
        Annotated[list[str], Meta(description="Quotas that are used up, by their names in `RateLimit-Policy`.")]
        | UnsetType
    ) = field(name="violated-policies", default=UNSET)


def _field(error: PadronError, language: Language, members: Collection[str]) -> FieldError:
    """The fault of one parameter, or of one member of the body."""
    name, detail = str(error.context["parameter"]), messages.detail(error, language)
    place = None if name in members else _PLACE.fullmatch(name)
    member, row, cell = place.groups() if place else (name, None, None)
    if member not in members:
        return FieldError(detail=detail, parameter=name)
    escaped = member.replace("~", "~0").replace("/", "~1")
    inside = "".join(f"/{step}" for step in (row, cell) if step)
    return FieldError(detail=detail, pointer=f"#/{quote(escaped, safe=_FRAGMENT)}{inside}")


def all_wrong(error: PadronError) -> tuple[PadronError, ...]:
    """Return the error and those reported with it."""
    return (error, *(error.also if isinstance(error, Invalid) else ()))


def _left(error: PadronError) -> int | UnsetType:
    """Return what is left of a quota that refuses a part of what was asked for."""
    left = error.context.get("left")
    return left if isinstance(left, int) else UNSET


def _offer(error: PadronError, language: Language) -> Offer | msgspec.UnsetType:
    """The plans (`opening`, by code) that include what was refused, and where they are bought."""
    if not error.context.get("opening"):
        return msgspec.UNSET
    page = error.context["page"]
    address = page.of(language) if isinstance(page, Text) else page
    operation, plans = error.context["operation"], error.context["opening"]
    return msgspec.convert({"plans": plans, "page": address, "operation": operation}, Offer)


def status(error: PadronError) -> int:
    """Return the HTTP status of an error. One that has no status is raised again: then the fault is ours."""
    try:
        return STATUS[error.code]
    except KeyError:
        raise error from None


def body(error: PadronError, language: Language, request_id: str, members: Collection[str] = ()) -> bytes:
    """Return the problem document of an error, as JSON.

    `instance` names the request, never its path or query: those may hold the number of a natural person.

    Args:
        language: The language of `title` and `detail`.
        members: Members of the JSON body of the request; an error in one of them is given a JSON pointer (RFC 6901).
    """
    policies = error.context.get("violated")
    violated = policies if isinstance(policies, tuple) else ()
    number = request_id if _UUID.fullmatch(request_id) else uuid.uuid5(uuid.NAMESPACE_URL, request_id)
    return msgspec.json.encode(
        Problem(
            type=_QUOTA_EXCEEDED if violated else f"urn:padron:problem:{error.code}",
            title=messages.title(error.code, language),
            status=status(error),
            detail=messages.detail(error, language),
            instance=f"urn:uuid:{number}",
            code=error.code,
            request_id=request_id,
            errors=[_field(fault, language, members) for fault in all_wrong(error) if "parameter" in fault.context]
            or msgspec.UNSET,
            offer=_offer(error, language),
            left=_left(error),
            violated_policies=[str(policy) for policy in violated] if violated else msgspec.UNSET,
        )
    )
