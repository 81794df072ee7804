"""`GET /api/v1/search`: a question in, an answer that can be relied on out."""

from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error as NotBase64
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from hashlib import blake2b
from hmac import compare_digest
from typing import Final, NamedTuple, Protocol
from urllib.parse import quote, urlencode

import msgspec
from msgspec.structs import replace

from padron.api import parameters
from padron.api.parameters import ALL, PAGE, QUESTION_LENGTH
from padron.api.v1_search_model import NextStep, V1Answer, interpretation, part, result, searched, steps
from padron.countries.country import Status
from padron.errors import Invalid
from padron.index.tags import ACTIVITY_CODE, Filters, activity_filter
from padron.questions.answer import FollowUp, QuestionAnswer
from padron.questions.interpretation import ASPECTS, Aspect
from padron.questions.results import Question
from padron.text import fold
from padron.transport import inputs
from padron.transport.call import Call
from padron.words import Language

_FILTERS = parameters.names(parameters.FILTERS)
_PARAMETERS = parameters.names(parameters.QUESTION)
_KEPT: Final = frozenset(_FILTERS) - {"status"}
_START_BYTES: Final = 4
_SIGNATURE_BYTES: Final = 12
_encode = msgspec.json.Encoder().encode


Sign = Callable[[str], str]
"""Return the signature of a text in hexadecimal digits: nobody else can make it."""


def unkeyed(text: str) -> str:
    """Sign for whoever has the release itself, and may ask for any page."""
    return blake2b(text.encode()).hexdigest()


class QuestionAnswerer(Protocol):
    """The part of the directory that the v1 search needs."""

    @property
    def edition(self) -> str:
        """Context of answers besides the question."""

    async def ask(self, question: Question, language: Language) -> QuestionAnswer:
        """Answer a question; raise as `Directory.search`."""


class Answered(NamedTuple):
    """The body of an answer, and the same without what differs between equal answers, for the ETag."""

    body: bytes
    constant: bytes


async def search(companies: QuestionAnswerer, base_url: str, sign: Sign, call: Call) -> Answered:
    """Answer q, country, limit, cursor, the filters and `ignore`.

    Returns:
        The `V1Answer`, encoded.

    Raises:
        Invalid: A parameter is wrong; `bad-cursor` for a cursor that is not ours, of another question or release, or
            beyond the end.
    """
    faults = inputs.Faults()
    given = inputs.parameters(call.scope["query_string"], _PARAMETERS, faults, lines=("q",))
    country, start = None, 0
    cursor = partial(_cursor, sign, companies.edition, given)
    with faults:
        q = inputs.query(given, QUESTION_LENGTH)
    with faults:
        limit = inputs.limit(given, PAGE)
    with faults:
        country = inputs.country_code(given["country"]) if "country" in given else None
    with faults:
        start = start_of(given["cursor"], cursor) if "cursor" in given else 0
    with faults:
        ignored = _ignored(given)
    with faults:
        filters = read_filters(given)
    faults.raise_collected()
    call.q_length = len(q)
    question = Question(q, country, filters, ignored, start, limit)
    response = await companies.ask(question, call.language)
    if start > response.total:
        raise Invalid("bad-cursor", parameter="cursor")
    call.results = len(response.results)
    following = cursor(start + len(response.results)) if response.more else None
    own = {name: value for name, value in given.items() if name in _KEPT}
    answer = _answer(response, question, partial(_link, base_url, own), call.language, following)
    constant = replace(answer, steps=[replace(step, took_ms=0.0) for step in answer.steps])
    return Answered(_encode(answer), _encode(constant))


def _answer(
    response: QuestionAnswer,
    question: Question,
    link: Callable[[FollowUp], str],
    language: Language,
    cursor: str | None,
) -> V1Answer:
    results = [result(seen, language) for seen in response.results]
    countries = list(dict.fromkeys(company.country_code for company in results))
    return V1Answer(
        q=question.q,
        country=question.country,
        verdict=response.verdict,
        sentence=response.sentence.of(language),
        best_match=result(response.best, language) if response.best else None,
        suggested_countries=countries if question.country is None and len(countries) > 1 else [],
        match_hints=[hint.of(language) for hint in response.hints],
        results=results,
        total=response.total,
        next_cursor=cursor,
        interpretation=interpretation(response, sorted(question.ignored)),
        steps=steps(response, language),
        companies=[part(answer, language) for answer in response.parts],
        searched=[searched(country) for country in response.searched],
        next_steps=[
            NextStep(action=step.action, method="GET", link=link(step), why=step.why.of(language))
            for step in response.next_steps
        ],
    )


def _link(base_url: str, own: Mapping[str, str], step: FollowUp) -> str:
    """The address of a next step.

    Args:
        own: The filters of the question but for the status.
    """
    if step.action == "seeCoverage":
        return f"{base_url}/api/public/empresas/stats"
    if step.identifier is not None:
        entity = f"{base_url}/api/v1/entities/{step.country}/{quote(step.identifier, safe='')}"
        return f"{entity}/financials" if step.action == "getFinancials" else entity
    given = {"q": step.q or ""} | ({"country": step.country} if step.country else {})
    if step.action == "searchEverywhere":
        given["ignore"] = "country"
    if step.action == "dropStatus":
        given |= own
    return f"{base_url}/api/v1/search?{urlencode(given)}"


def _ignored(given: Mapping[str, str]) -> frozenset[Aspect]:
    """The aspects that are not to be understood. Raises `Invalid("bad-filter")` for others."""
    names = given["ignore"].split(",") if "ignore" in given else []
    if names == [ALL]:
        return frozenset(ASPECTS)
    for name in names:
        if name not in ASPECTS:
            raise Invalid("bad-filter", parameter="ignore", known=(ALL, *ASPECTS))
    return frozenset(aspect for aspect in ASPECTS if aspect in names)


def read_filters(given: Mapping[str, str]) -> Filters:
    """Parse the filters of a request. Raises `Invalid("bad-filter")` for one that cannot be applied."""
    activity = given.get("activity")
    if activity is not None and not ACTIVITY_CODE.fullmatch(activity):
        raise Invalid("bad-filter", parameter="activity", known="a code, or its beginning; isic:G47")
    financials = _one_of(given, "hasFinancials", ("true", "false"))
    return Filters(
        status=_one_of(given, "status", tuple(map(str, Status))),
        form=_folded(given, "legalForm", given.get("legalForm", "").strip().lower(), "sa, srl, ltda …"),
        region=_folded(given, "region", fold(given.get("region", "")), "Pichincha, SP …"),
        financials=None if financials is None else financials == "true",
        activity=(activity_filter(activity),) if activity else (),
    )


def _folded(given: Mapping[str, str], parameter: str, text: str, known: str) -> str | None:
    if parameter in given and not text:
        raise Invalid("bad-filter", parameter=parameter, known=known)
    return text or None


def _one_of(given: Mapping[str, str], parameter: str, known: tuple[str, ...]) -> str | None:
    if parameter in given and given[parameter] not in known:
        raise Invalid("bad-filter", parameter=parameter, known=known)
    return given.get(parameter)


def _cursor(sign: Sign, edition: str, given: Mapping[str, str], start: int) -> str:
    """Return the cursor of the page that begins at `start`; the same question of the same release alone accepts it."""
    question = (given.get(name, "") for name in _FILTERS)
    return cursor_of(sign, [edition, given.get("q", ""), given.get("country", "").upper(), *question], start)


def cursor_of(sign: Sign, asked: Sequence[object], start: int) -> str:
    """Return the cursor of the page of what is `asked` that begins at `start`."""
    signature = bytes.fromhex(sign(_encode([*asked, start]).decode()))[:_SIGNATURE_BYTES]
    return urlsafe_b64encode(start.to_bytes(_START_BYTES) + signature).decode().rstrip("=")


def start_of(sent: str, cursor: Callable[[int], str]) -> int:
    """Return where the page of a cursor that was sent begins. Raises `Invalid("bad-cursor")` if it is not ours."""
    try:
        start = int.from_bytes(urlsafe_b64decode(sent + "=" * (-len(sent) % 4))[:_START_BYTES])
    except (ValueError, NotBase64) as error:
        raise Invalid("bad-cursor", parameter="cursor") from error
    if not compare_digest(sent.encode(), cursor(start).encode()):
        raise Invalid("bad-cursor", parameter="cursor")
    return start
