"""The routes of both versions: `/reconcile` speaks 0.2, `/reconcile/draft` the draft of 1.0.

The two manifests differ where they name the same thing, so that each version has an endpoint of its own; what they
share stands below `/reconcile`. All of it is below `/reconcile/key/<key>` too, within the plan of an account.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping
from typing import Any, Final, TypeVar

import msgspec
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from padron import __version__
from padron.companies.model import CountryCode
from padron.directory import Directory
from padron.errors import Invalid
from padron.reconcile import entities, service
from padron.reconcile.callers import AnonymousCaller, KeyCaller, ReconcileCaller
from padron.reconcile.model import (
    LONGEST,
    Candidate,
    CellQuery,
    Condition,
    DraftBatch,
    DraftQuery,
    Extension,
    Inquiry,
    PropertyValue,
    Reconciled,
    Term,
    Value,
    Wanted,
)
from padron.text import is_given
from padron.transport import headers, inputs
from padron.transport.auth import LINKS, KeyAuthenticator
from padron.transport.bodies import MemberName, read_bytes
from padron.transport.call import Call
from padron.transport.client_limits import ClientLimits
from padron.transport.compression import VARY, compressed_for
from padron.transport.expectations import at_most, expected
from padron.transport.headers import Header
from padron.words import Language, bilingual

BASE: Final = "/reconcile"
KEYED: Final = f"{LINKS}{{key}}"
BATCH: Final = 20
"""Most queries of a batch that clients are asked to send; each counts as a search, or as a row of a list."""
MOST_QUERIES: Final = 50
"""Most queries of a batch that are answered."""
MOST: Final = 262_144
"""Most bytes of a body: fifty queries with long cells and properties, percent-encoded."""
_DEFAULT_LIMIT: Final = 8
_NOTHING: Final = Inquiry("", None, _DEFAULT_LIMIT, ())
"""The query for companies of a country that is not covered, which no company answers."""

_encode = msgspec.json.Encoder().encode
_Kind = TypeVar("_Kind")
_Query = TypeVar("_Query", CellQuery, DraftQuery)
_PLACE = re.compile(r"`\$([^`]*)`$")
"""The end of a message of msgspec, which says where a value is wrong; of the client's own names it repeats none."""
_WIKIDATA = re.compile(r"(?:https?://www\.wikidata\.org/(?:entity|wiki)/)?Q[1-9][0-9]*")
"""The identifier of an entity of Wikidata."""
Handler = Callable[["Incoming"], Awaitable[object]]


class Incoming:
    """One request: its call, who sent it, its parameters, and the directory of one release."""

    def __init__(
        self, call: Call, caller: ReconcileCaller, given: Mapping[str, str], body: bytes, directory: Directory
    ) -> None:
        self.call = call
        self.caller = caller
        self.given = given
        self.body = body
        self.directory = directory

    @property
    def language(self) -> Language:
        """The language of the answer."""
        return self.call.language

    @property
    def base(self) -> str:
        """The path of the service as its caller addresses it, with the key if one is in it."""
        key = self.call.scope["path_params"].get("key")
        return BASE if key is None else f"{LINKS}{key}"


def routes(
    client_limits: ClientLimits, authenticator: KeyAuthenticator, directory: Callable[[], Directory], base_url: str
) -> list[Route]:
    """Return the routes of the service."""
    face = Reconciliation(base_url)
    return [
        Route(path, AnswerEndpoint(answer, known, directory, client_limits, authenticator), methods=methods)
        for base in (BASE, KEYED)
        for path, methods, answer, known in _table(face, base)
    ]


def _table(face: Reconciliation, base: str) -> list[tuple[str, list[str], Handler, set[str]]]:
    """Return the paths below a base with their methods, handlers and parameters."""
    draft, suggest = f"{base}/draft", {"prefix", "limit", "cursor", "offset"}
    table: list[tuple[str, list[str], Handler, set[str]]] = [
        (base, ["GET", "POST"], face.root, {"queries", "extend"}),
        (draft, ["GET"], face.draft_manifest, set()),
        (f"{draft}/match", ["POST"], face.draft_match, set()),
        (f"{draft}/extend", ["POST"], face.draft_extend, set()),
        (f"{base}/view", ["GET"], face.view, {"id"}),
    ]
    for root in (base, draft):
        table += [
            (f"{root}/suggest/entity", ["GET"], face.suggest_entity, suggest),
            (f"{root}/suggest/property", ["GET"], face.suggest_property, suggest),
            (f"{root}/suggest/type", ["GET"], face.suggest_type, suggest),
            (f"{root}/extend/propose", ["GET"], face.propose, {"type", "limit"}),
            (f"{root}/preview", ["GET"], face.preview, {"id"}),
        ]
    return table


class AnswerEndpoint:
    """A route: parameters in the address or in a form, or a JSON body; the answer is JSON unless it is a page."""

    def __init__(
        self,
        answer: Handler,
        known: set[str],
        directory: Callable[[], Directory],
        client_limits: ClientLimits,
        authenticator: KeyAuthenticator,
    ) -> None:
        self._answer = answer
        self._client_limits = client_limits
        self._authenticator = authenticator
        self._known = tuple(sorted(known))
        self._directory = directory

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        call = Call.of(scope)
        scope["padron.only_reads"] = True
        caller = await self._caller(call)
        body = b""
        if scope["method"] == "POST" or ("queries" in self._known and scope["query_string"]):
            await caller.count_request()  # before anything is parsed
        if scope["method"] == "POST":
            body = await read_bytes(call, receive, MOST)
            await caller.take_row()  # bodies that are whole together are parsed one after another
        encoded = scope["query_string"]
        if call.given.get(b"content-type", b"").startswith(b"application/x-www-form-urlencoded"):
            encoded, body = b"&".join(filter(None, (encoded, body))), b""
        given = inputs.parameters(encoded, self._known, lines=self._known)
        answer = await self._answer(Incoming(call, caller, given, body, self._directory()))
        if isinstance(answer, Elsewhere):
            await call.answer(send, 303, [(b"location", answer.address.encode())], b"")
        elif isinstance(answer, bytes):
            await call.answer(send, 200, [*_PAGE, (b"content-language", call.language.encode())], answer)
        else:
            coding, sent = compressed_for(call, _encode(answer))
            fields = [headers.JSON, *headers.API, VARY, headers.NO_STORE, (b"content-language", call.language.encode())]
            await call.answer(send, 200, [*fields, *coding], sent)

    async def _caller(self, call: Call) -> ReconcileCaller:
        """Return who sent a request. Raises as `KeyAuthenticator.authenticate_link` where a key is in the path."""
        key = call.scope["path_params"].get("key")
        if key is None:
            return AnonymousCaller(call, self._client_limits)
        grant = await self._authenticator.authenticate_link(call, key)
        return KeyCaller(call, self._client_limits, self._authenticator, grant)


_PAGE: Final[tuple[Header, ...]] = (
    (b"content-type", b"text/html; charset=utf-8"),
    (b"content-security-policy", b"default-src 'none'; style-src 'unsafe-inline'"),
    (b"vary", b"Accept-Language"),
    headers.NO_STORE,
)
"""Header fields of a preview, which pages of other sites show in a frame."""


class Elsewhere(msgspec.Struct, frozen=True):
    """An answer that leads elsewhere."""

    address: str


class Reconciliation:
    """The service in both versions."""

    def __init__(self, base_url: str) -> None:
        self._base = base_url

    async def root(self, incoming: Incoming) -> object:
        """Answer the endpoint of 0.2: queries, a data extension, or the manifest."""
        if "queries" in incoming.given:
            return await self._match(incoming)
        if "extend" in incoming.given:
            return await self._extend(incoming, _decoded(incoming.given["extend"], Extension, "extend"))
        if incoming.call.scope["method"] == "POST":
            raise Invalid("missing-field", parameter="queries")
        return self._manifest(incoming)

    async def _match(self, incoming: Incoming) -> object:
        given = incoming.given["queries"]
        names = [name.text for name in _decoded(given, dict[MemberName, msgspec.Raw], "queries")]
        if len(names) > MOST_QUERIES:
            raise Invalid("invalid-field", parameter="queries", expected=at_most(MOST_QUERIES))
        if len(names) > len(set(names)):  # of two queries with one key, one would be lost
            raise Invalid("repeated-field", parameter="queries[...]")
        batch = _decoded(given, dict[Term, CellQuery], "queries")
        results = await self._answered(incoming, batch.values(), _question)
        return {key: {"result": result} for key, result in zip(batch, results, strict=True)}

    async def draft_match(self, incoming: Incoming) -> object:
        """Answer a batch of queries of the draft."""
        batch = _decoded(incoming.body, DraftBatch, "queries")
        results = await self._answered(incoming, batch.queries, _draft_question)
        return {"results": [{"candidates": result} for result in results]}

    async def _answered(
        self, incoming: Incoming, queries: Collection[_Query], read: Callable[[_Query], Inquiry]
    ) -> list[list[Candidate]]:
        """Answer queries; none is read before all are counted."""
        if len(queries) > MOST_QUERIES:
            raise Invalid("invalid-field", parameter="queries", expected=at_most(MOST_QUERIES))
        await incoming.caller.count_queries(len(queries))
        results = []
        for query in queries:
            await incoming.caller.take_row()
            results.append(await service.match(incoming.directory, read(query), incoming.language))
        return results

    async def _extend(self, incoming: Incoming, extension: Extension) -> object:
        rows = await self._values(incoming, extension)
        meta = self._meta(extension, incoming.language)
        return {"meta": meta, "rows": dict(rows)}

    async def draft_extend(self, incoming: Incoming) -> object:
        """Answer a data extension query of the draft."""
        extension = _decoded(incoming.body, Extension, "properties")
        rows = [
            {"id": entity, "properties": [{"id": name, "values": values} for name, values in row.items()]}
            for entity, row in await self._values(incoming, extension)
        ]
        return {"meta": self._meta(extension, incoming.language), "rows": rows}

    async def _values(self, incoming: Incoming, extension: Extension) -> list[tuple[str, Any]]:
        return await service.values(incoming.directory, extension, incoming.language)

    @staticmethod
    def _meta(extension: Extension, language: Language) -> list[dict[str, str]]:
        return [
            {"id": given.id, "name": entities.PROPERTIES[given.id].name.of(language)} for given in extension.properties
        ]

    async def suggest_entity(self, incoming: Incoming) -> object:
        """Suggest companies."""
        await incoming.caller.count_suggestion()
        things = await service.suggest_entities(incoming.directory, _prefix(incoming), incoming.language)
        return {"result": _page(things, incoming.given)}

    async def suggest_property(self, incoming: Incoming) -> object:
        """Suggest properties."""
        return {
            "result": _page(
                service.suggest_of(entities.properties(incoming.language), _prefix(incoming)), incoming.given
            )
        }

    async def suggest_type(self, incoming: Incoming) -> object:
        """Suggest types."""
        return {
            "result": _page(service.suggest_of(entities.types(incoming.language), _prefix(incoming)), incoming.given)
        }

    async def propose(self, incoming: Incoming) -> object:
        """Propose the properties of a type, which are the same for all."""
        listed = _page(entities.properties(incoming.language), incoming.given)
        answer: dict[str, object] = {"properties": listed}
        if "type" in incoming.given:
            answer["type"] = incoming.given["type"]
        if "limit" in incoming.given:
            answer["limit"] = int(incoming.given["limit"])
        return answer

    async def preview(self, incoming: Incoming) -> object:
        """Return the preview of a company."""
        await incoming.caller.count_request()
        detail = await service.company(incoming.directory, _id(incoming), incoming.language)
        return service.preview(detail, getattr(detail.record.canonical_urls, incoming.language), incoming.language)

    async def view(self, incoming: Incoming) -> object:
        """Lead to the page of a company."""
        await incoming.caller.count_request()
        detail = await service.company(incoming.directory, _id(incoming), incoming.language)
        return Elsewhere(getattr(detail.record.canonical_urls, incoming.language))

    async def draft_manifest(self, incoming: Incoming) -> object:
        """Return the manifest of the draft."""
        return {
            **self._described(incoming.language),
            "versions": ["1.0-draft"],
            "lang": incoming.language,
            "view": {"url": f"{self._base}{BASE}/view{{?id}}"},  # without the key, as in 0.2
            "suggest": {"entity": True, "property": True, "type": True},
            "preview": {"width": service.SIZE[0], "height": service.SIZE[1]},
            "extend": {"proposeProperties": True, "propertySettings": []},
            "standardizedScore": True,
        }

    def _manifest(self, incoming: Incoming) -> dict[str, object]:
        """Return the manifest of 0.2.

        The key in the path is in all addresses that a program asks, and in none that it writes beside each company:
        those go along with the table.
        """
        public, base, (width, height) = f"{self._base}{BASE}", f"{self._base}{incoming.base}", service.SIZE
        suggest = {kind: {"service_url": base, "service_path": f"/suggest/{kind}"} for kind in _KINDS}
        return {
            **self._described(incoming.language),
            "versions": ["0.2"],
            "identifierSpace": f"{public}/view?id=",
            "schemaSpace": "https://schema.org/Organization",
            "view": {"url": f"{public}/view?id={{{{id}}}}"},
            "suggest": suggest,
            "preview": {"url": f"{base}/preview?id={{{{id}}}}", "width": width, "height": height},
            "extend": {
                "propose_properties": {"service_url": base, "service_path": "/extend/propose"},
                "property_settings": [],
            },
        }

    def _described(self, language: Language) -> dict[str, object]:
        """Return the members that both manifests share."""
        return {
            "name": bilingual("Padrón: companies of official registers").of(language),
            "defaultTypes": entities.types(language),
            "documentation": f"{self._base}/llms.txt",
            "serviceVersion": __version__,
            "batchSize": BATCH,
        }


_KINDS: Final = ("entity", "property", "type")


def _decoded(text: str | bytes, kind: type[_Kind], parameter: str) -> _Kind:
    """Decode a request. Raises `Invalid`: `malformed-json`, `invalid-field`, which says where and repeats no value."""
    try:
        return msgspec.json.decode(text, type=kind, dec_hook=MemberName.decoded)
    except msgspec.ValidationError as error:
        at = _PLACE.search(str(error))
        inside = at[1] if at else ""
        place = inside[1:] if inside[:1] == "." else parameter + inside
        raise Invalid("invalid-field", parameter=place, expected=expected(error, kind)) from error
    except (ValueError, RecursionError) as error:
        raise Invalid("malformed-json") from error


def _prefix(incoming: Incoming) -> str:
    return incoming.given.get("prefix", "")


def _id(incoming: Incoming) -> str:
    if "id" not in incoming.given:
        raise Invalid("missing-field", parameter="id")
    return incoming.given["id"]


def _page(things: list[Any], given: Mapping[str, str]) -> list[Any]:
    """Return the part of a list that a client asks for: 0.2 calls the number to skip `cursor`, the draft `offset`."""
    skip = _number(given, "offset", _number(given, "cursor", 0))
    return things[skip : skip + _number(given, "limit", len(things))]


def _number(given: Mapping[str, str], name: str, default: int) -> int:
    text = given.get(name, str(default))
    if not text.isascii() or not text.isdigit() or len(text) > 9:
        raise Invalid("invalid-field", parameter=name)
    return int(text)


def _question(query: CellQuery) -> Inquiry:
    """Read a query of 0.2."""
    kinds = [query.type] if isinstance(query.type, str) else query.type or []
    wanted = [_wanted(given) for given in query.properties if given.pid in entities.PROPERTIES]
    if kinds and all(map(entities.is_uncovered, kinds)):
        return _NOTHING
    return _built(query.query[:LONGEST], _only(entities.country_of(kind) for kind in kinds), query.limit, wanted)


def _wanted(given: PropertyValue) -> Wanted:
    return Wanted(given.pid, _texts(given.v, given.pid), "any", required=False)


def _draft_question(query: DraftQuery) -> Inquiry:
    """Read a query of the draft."""
    names = [
        text for each in query.conditions if each.match_type != "property" for text in _texts(each.property_value, "")
    ]
    wanted = [
        Wanted(each.property_id, _texts(each.property_value, each.property_id), each.match_quantifier, each.required)
        for each in query.conditions
        if _is_known(each)
    ]
    if entities.is_uncovered(query.type or ""):
        return _NOTHING
    return _built(" ".join(names), entities.country_of(query.type or ""), query.limit, wanted)


def _is_known(condition: Condition) -> bool:
    return condition.match_type == "property" and condition.property_id in entities.PROPERTIES


def _built(text: str, country: CountryCode | None, limit: int | None, wanted: list[Wanted]) -> Inquiry:
    """Return a query in the country that its properties or its entity state.

    Without a name, its identifier is the text.
    """
    wanted = [each._replace(values=[value for value in each.values if is_given(value)]) for each in wanted]
    given = [each for each in wanted if each.quantifier != "none"]
    stated = [entities.country_of(value) for each in given if each.property == "country" for value in each.values]
    beside = [value for each in given if each.property == entities.IDENTIFIER for value in each.values]
    place = entities.located(text.strip())
    if place:
        country, text = place
    most = min(limit or _DEFAULT_LIMIT, inputs.LIMIT[1])
    return Inquiry(text if text.strip() else " ".join(beside), country or _only(stated), most, wanted)


def _only(countries: Iterable[CountryCode | None]) -> CountryCode | None:
    """Return the country if it is one."""
    distinct = set(filter(None, countries))
    return distinct.pop() if len(distinct) == 1 else None


def _texts(value: Value | list[Value] | None, wanted: str) -> list[str]:
    """Return the texts of a property value, blank ones left out; an entity matched before counts by its identifier."""
    values = value if isinstance(value, list) else [value]
    texts = (
        _known(each, wanted) if isinstance(each, Reconciled) else "" if each is None else str(each) for each in values
    )
    return [text for each in texts if (text := each.strip()[:LONGEST])]


def _known(value: Reconciled, wanted: str) -> str:
    """Return the identifier of an entity, or its name where another service gave the identifier, as Wikidata."""
    foreign = entities.country_of(value.id) is None if wanted == "country" else _WIKIDATA.fullmatch(value.id)
    return value.name if value.name and foreign else value.id
