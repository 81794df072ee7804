"""OpenSearch as the engine: the companies of each release in an index of their own, on one node or many.

The folder of the engine holds one file (`opensearch_folder`): the name of the index, the number of its companies, and
the sum of their checksums.

An index is asked by its own name, never by an alias: stored bytes refer to the tables of their release. All look-ups of
a stage are one request, with those that are likely to come next (`prefetch`). Each request goes to a node that answers
with its own copy where it has one; where that one fails or is late, another is asked, and the first answer counts. An
answer of less than all shards is none.
"""

from __future__ import annotations

import base64
import logging
import re
import secrets
import ssl
import weakref
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from time import sleep
from typing import Any, Final, TypeVar

import msgspec
from opensearchpy import AsyncOpenSearch, OpenSearch
from opensearchpy.exceptions import OpenSearchException, SSLError, TransportError

from padron import threads
from padron.errors import PadronError, ReleaseError, Unavailable
from padron.index import engine, opensearch_folder, prefetch
from padron.index.engine import (
    AllOf,
    AllWords,
    AnyKey,
    AnyOf,
    BestOf,
    EncodedDocument,
    EngineKind,
    Hit,
    IdentifierKey,
    Scope,
)
from padron.index.opensearch_address import Address
from padron.index.opensearch_folder import LoadedIndex
from padron.index.opensearch_nodes import Breaker, Nodes, connected
from padron.index.tags import Within
from padron.releases import snapshot

T = TypeVar("T")
_Clause = dict[str, Any]

_MOST_SHARING: Final = 100
"""Companies of one identifier: more than share any number that identifies."""
_PART_BATCH: Final = 500
"""Companies of a part that are read at a time."""
_PAGE: Final = engine.MOST
"""Companies behind which a list is reached in pages."""
_BULK: Final = 1_000
"""Documents that are indexed at a time: about a megabyte."""
_BULK_TIME: Final = 60
"""Seconds for documents to be indexed: a hundred times what they take."""
_PAUSES: Final = tuple(0.5 * 2**attempt for attempt in range(7))
"""Seconds between the attempts at a step of a build that fails for now: a minute in all, in which a node restarts."""
_PASSING: Final = frozenset({429, 502, 503, 504, "ConnectionError", "ConnectionTimeout"})
"""Reasons for which a request fails now and perhaps not later."""
_UNASKED: Final = 3.0
"""Seconds for which nobody may have asked an index that is removed: every worker asks its own once a second."""
_OPENING: Final = 10.0
"""Seconds at least to add up the checksums of all companies: a hundred million a few times over."""
_BUILDING: Final = 300
"""Seconds for one request of a build: merging a large index takes long."""

_MAPPINGS: Final = {
    "dynamic": "strict",
    "_source": {"enabled": False},
    "properties": {
        "words": {
            "type": "text",
            "analyzer": "whitespace",
            "index_options": "docs",
            "fields": {"each": {"type": "keyword", "index": False}},
        },
        "keys": {"type": "text", "analyzer": "keyword", "index_options": "docs"},
        "identifiers": {"type": "keyword", "doc_values": False},
        "country": {"type": "keyword", "doc_values": False},
        "tags": {"type": "keyword", "doc_values": False},
        "size": {"type": "integer", "index": False},
        "place": {"type": "long"},
        "stored": {"type": "binary", "store": True},
        "sum_low": {"type": "integer", "index": False},
        "sum_high": {"type": "integer", "index": False},
    },
}
_SUMMED: Final[dict[str, Any]] = {
    "size": 0,
    "track_total_hits": True,
    "aggs": {half: {"sum": {"field": half}} for half in ("sum_low", "sum_high")},
}
"""The number of companies and the sum of their checksums, in halves of 16 bits: OpenSearch adds in floating point,
which is exact for a hundred thousand million of them."""
_SHOWN: Final = ",".join(
    f"responses.{member}"
    for member in (
        "status",
        "timed_out",
        "_shards.failed",
        "hits.total.value",
        "hits.hits.sort",
        "hits.hits.fields",
        "aggregations",
    )
)
"""Members of an answer that are sent."""
_STATE_SHOWN: Final = "blocks,routing_table.indices.*.shards.*.state"
_ANSWERING: Final = frozenset({"STARTED", "RELOCATING"})
"""States of a copy that is searched."""
_FULL_INDEX: Final = "12"
"""The block `index.blocks.read_only_allow_delete`, by its number in the state of the cluster."""
_FULL_CLUSTER: Final = frozenset({"10", "13"})
"""The blocks `cluster.blocks.create_index` and `cluster.blocks.read_only_allow_delete`."""
_FORBIDDEN: Final = frozenset({"cluster_block_exception", "index_create_block_exception"})
_FULL: Final = frozenset({403, 429})
"""Status of what a full disk forbids: to make an index, and to write to it."""
_REFUSED: Final = frozenset({401, 403})
"""Status of a login that is wrong or may not do this."""
_WRONG: Final = 300
"""Status from which on a document is not indexed."""
_NOTHING: Final[_Clause] = {"match_none": {}}

_encode: Final = msgspec.json.Encoder().encode


class _Stored(msgspec.Struct):
    stored: list[bytes]


class _Row(msgspec.Struct):
    """A company: the last of `sort` is its place."""

    sort: list[Any]
    fields: _Stored | None = None


class _Total(msgspec.Struct):
    value: int


class _Rows(msgspec.Struct):
    hits: list[_Row] = []
    total: _Total | None = None


class _Shards(msgspec.Struct):
    failed: int = 0


class _Bucket(msgspec.Struct):
    key: str


class _Buckets(msgspec.Struct):
    buckets: list[_Bucket] = []


class _Aggregations(msgspec.Struct):
    words: _Buckets


class _Reply(msgspec.Struct):
    """The answer to one search of a request."""

    status: int = 200
    timed_out: bool = False
    shards: _Shards = msgspec.field(name="_shards", default_factory=_Shards)
    hits: _Rows = msgspec.field(default_factory=_Rows)
    aggregations: _Aggregations | None = None

    def hits_in_order(self) -> list[Hit]:
        """Return the companies."""
        return [Hit(row.sort[-1], row.fields.stored[0]) for row in self.hits.hits if row.fields]


class _Replies(msgspec.Struct):
    responses: list[_Reply]


class _Sum(msgspec.Struct):
    value: float


class _Sums(msgspec.Struct):
    sum_low: _Sum
    sum_high: _Sum


class _Summed(msgspec.Struct):
    """The answer to `_SUMMED`."""

    hits: _Rows
    aggregations: _Sums
    shards: _Shards = msgspec.field(name="_shards", default_factory=_Shards)

    def holdings(self) -> tuple[int, int]:
        """Return the number of companies and the sum of their checksums."""
        low, high = self.aggregations.sum_low.value, self.aggregations.sum_high.value
        return self.hits.total.value if self.hits.total else 0, int(low) + (int(high) << 16)


class _Copy(msgspec.Struct):
    state: str


class _Copies(msgspec.Struct):
    shards: dict[str, list[_Copy]] = {}


class _Routing(msgspec.Struct):
    indices: dict[str, _Copies] = {}


class _Blocks(msgspec.Struct):
    """Numbers of what is forbidden, in the whole cluster and in an index."""

    everywhere: dict[str, Any] = msgspec.field(name="global", default_factory=dict)
    indices: dict[str, dict[str, Any]] = {}


class _State(msgspec.Struct):
    """The parts of the state of a cluster that tell what is wrong with an index."""

    blocks: _Blocks = msgspec.field(default_factory=_Blocks)
    routing_table: _Routing = msgspec.field(default_factory=_Routing)

    def is_red(self) -> bool:
        """Return whether a shard has no copy that answers."""
        return any(
            all(copy.state not in _ANSWERING for copy in shard)
            for index in self.routing_table.indices.values()
            for shard in index.shards.values()
        )

    def is_full(self) -> bool:
        """Return whether a disk is so full that OpenSearch has forbidden new indexes, or writing to this one."""
        forbidden = self.blocks.everywhere.keys() & _FULL_CLUSTER
        return bool(forbidden or any(_FULL_INDEX in blocks for blocks in self.blocks.indices.values()))


_decode_replies = msgspec.json.Decoder(_Replies).decode
_decode_sums = msgspec.json.Decoder(_Summed).decode
_decode_state = msgspec.json.Decoder(_State).decode


def _unavailable(reason: object) -> Unavailable:
    return Unavailable("engine-unavailable", reason=reason)


class _Incomplete(OpenSearchException):
    """An answer that lacks a part. `reason`: the status of that part, if it has one."""

    def __init__(self, reason: object) -> None:
        self.reason = reason


def _reason(error: Exception) -> object:
    """Return the status or the kind of an error: its text may hold what was asked."""
    if isinstance(error, _Incomplete):
        return error.reason
    status = error.status_code if isinstance(error, TransportError) else None
    return status if isinstance(status, int) else type(error).__name__


def _lost(index: str) -> ReleaseError:
    return ReleaseError("engine-index-lost", index=index)


def _fault(error: Exception) -> Unavailable:
    """Return what an error means, for those who run the cluster: a request of the public is told `_unavailable`."""
    reason = _reason(error)
    if isinstance(error, TransportError) and error.error in _FORBIDDEN and reason in _FULL:
        return Unavailable("engine-full", reason=reason)
    if reason in _REFUSED or _is_about_certificates(error):
        return Unavailable("engine-refused", reason=reason)
    return _unavailable(reason)


def _is_about_certificates(error: Exception) -> bool:
    """Return whether TLS failed; the exception of the system is somewhere behind that of the library."""
    cause = error.args[-1] if error.args else None
    while isinstance(cause, BaseException) and not isinstance(cause, ssl.SSLError):
        cause = cause.__cause__ or cause.__context__
    return isinstance(error, SSLError) or isinstance(cause, ssl.SSLError)


def _persist(attempt: Callable[[], T]) -> T:
    """Return what an attempt gives; one that fails for now is made again, later and later."""
    for pause in _PAUSES:
        try:
            return attempt()
        except Unavailable as fault:
            if fault.code == "engine-refused" or fault.context["reason"] not in _PASSING:
                raise
        sleep(pause)
    return attempt()


class OpenSearchBuilder:
    """Loads an index that nobody asks yet. Not finished, it goes when closed."""

    def __init__(self, address: Address, folder: Path) -> None:
        folder.mkdir(parents=True)
        self._folder = folder
        self._address = address
        self._client = _builder_client(address)
        self._index = f"{address.prefix}-{secrets.token_hex(8)}"
        self._documents: list[bytes] = []
        self._count = self._sum = 0
        self._finished = False
        settings = {
            "number_of_shards": address.shards,
            "number_of_replicas": 0,
            "refresh_interval": "-1",
        }
        self._call(self._client.indices.create, index=self._index, body={"settings": settings, "mappings": _MAPPINGS})

    def add(self, document: EncodedDocument) -> int:
        """Index a company; return its key."""
        place = self._count
        self._count += 1
        fields = msgspec.json.decode(document.fields)
        fields |= {
            "words": fields["words"].split(),
            "place": place,
            "stored": base64.b64encode(document.stored).decode(),
        }
        content = _encode(fields)
        checksum = zlib.crc32(content)
        self._sum += checksum
        sums = b'"sum_low":%d,"sum_high":%d' % (checksum & 0xFFFF, checksum >> 16)
        self._documents.append(b'{"index":{"_id":"%d"}}\n%s,%s}\n' % (place, content[:-1], sums))
        if len(self._documents) == _BULK:
            self._send()
        return place

    def finish(self) -> None:
        """Make the index ready to be opened: whole, merged, on as many nodes as wanted, never to be written again."""
        self._send()
        indices = partial(self._persistently, index=self._index)
        ready = {"wait_for_status": "green", "timeout": f"{_BUILDING - 5}s", "request_timeout": _BUILDING}
        indices(self._client.cluster.health, params=ready)  # a shard that is not there would be passed over
        indices(self._client.indices.refresh)
        indices(self._client.indices.forcemerge, params={"max_num_segments": 1})
        indices(
            self._client.indices.put_settings,
            body={"auto_expand_replicas": f"0-{self._address.replicas}", "blocks.write": True},
        )
        indices(self._client.cluster.health, params=ready)
        summed = msgspec.convert(indices(self._client.search, body=_SUMMED), _Summed)
        if summed.holdings() != (self._count, self._sum) or summed.shards.failed:
            raise _lost(self._index)
        opensearch_folder.write(self._folder, LoadedIndex(self._index, self._count, self._sum))
        snapshot.seal(self._folder)
        self._finished = True

    def close(self) -> None:
        """Close the connections; remove an index that is not finished."""
        try:
            if not self._finished:
                self._call(self._client.indices.delete, index=self._index, params={"ignore_unavailable": "true"})
        except Unavailable:
            pass  # the next build removes it
        finally:
            self._client.close()

    def _send(self) -> None:
        """Send the documents at hand, and again those that the cluster does not take now: each keeps its id."""
        waiting, self._documents = self._documents, []

        def send() -> None:
            nonlocal waiting
            bulk = partial(self._client.bulk, index=self._index, params={"request_timeout": _BULK_TIME})
            answer = self._call(bulk, body=b"".join(waiting))
            results = [item["index"] for item in answer["items"]] if answer["errors"] else []
            waiting = [
                document for document, result in zip(waiting, results, strict=False) if result["status"] in _PASSING
            ]
            if failures := [result for result in results if result["status"] >= _WRONG]:
                raise _refusal(failures)

        if waiting:
            _persist(send)

    def _persistently(self, call: Callable[..., T], **arguments: Any) -> T:
        return _persist(partial(self._call, call, **arguments))

    def _call(self, call: Callable[..., T], **arguments: Any) -> T:
        try:
            return call(**arguments)
        except OpenSearchException as error:
            raise _fault(error) from None


def _refusal(failures: Sequence[Mapping[str, Any]]) -> Unavailable:
    """Return why documents are not indexed, what does not pass before what may."""
    failure = min(failures, key=lambda result: result["status"] in _PASSING)
    is_full = failure.get("error", {}).get("type") in _FORBIDDEN and failure["status"] in _FULL
    return Unavailable("engine-full" if is_full else "engine-unavailable", reason=failure["status"])


def _builder_client(address: Address) -> OpenSearch:
    return OpenSearch(**address.connection(), timeout=_BUILDING, max_retries=len(address.nodes) - 1)


def _remove_others(address: Address, kept: Iterable[Path]) -> list[str]:
    """Remove the indexes of the address that no folder names and nobody asks: of old releases and of killed builds."""
    named = {loaded.index for folder in kept if (loaded := opensearch_folder.read(folder))}
    client = _builder_client(address)
    try:
        indexes = client.indices.get(index=f"{address.prefix}-*", params={"filter_path": "*.aliases"})
        own = re.compile(f"{address.prefix}-[0-9a-f]{{16}}")
        others = sorted(index for index in indexes if index not in named and own.fullmatch(index))
        removed = _unasked(client, address, others)
        for index in removed:
            client.indices.delete(index=index, params={"ignore_unavailable": "true"})
    except OpenSearchException as error:
        raise _fault(error) from None
    finally:
        client.close()
    return removed


def _unasked(client: OpenSearch, address: Address, indexes: Sequence[str]) -> list[str]:
    """Return those that nobody asks for some seconds: a node may serve an index that the folder no longer names."""
    if not indexes:
        return []
    before = _searches(client, address)
    sleep(_UNASKED)
    after = _searches(client, address)
    return [index for index in indexes if before.get(index) == after.get(index)]


def _searches(client: OpenSearch, address: Address) -> dict[str, Any]:
    """Return how often each index was asked."""
    shown = {"filter_path": "indices.*.total.search.query_total"}
    answer: dict[str, Any] = client.indices.stats(index=f"{address.prefix}-*", metric="search", params=shown)
    return dict(answer.get("indices", {}))


class OpenSearchEngine:
    """Look-ups in the index of one release."""

    def __init__(self, address: Address, index: str, clients: Sequence[AsyncOpenSearch]) -> None:
        self._nodes = Nodes(clients)
        self._index = index
        self._opening = max(address.timeout, _OPENING)
        self._breaker = Breaker()
        header: _Clause = {"preference": "_local", "allow_partial_search_results": False}
        if address.shards > 1:
            header["search_type"] = "dfs_query_then_fetch"
        self._header = _encode(header)
        self._in_each_shard = {"shard_size": _PAGE} if address.shards > 1 else {}

    async def look_up(
        self, queries: Sequence[engine.Query], scope: Scope, limit: int, enough: int
    ) -> Sequence[Sequence[Hit]]:
        """Answer a batch of queries. See `Engine.look_up`."""
        restrictions = _restrictions(scope)
        ranked = [{"_score": "desc"}, {"place": "asc"}]
        searches = [_companies(_restricted(_translated(query), restrictions), ranked, limit) for query in queries]
        return [reply.hits_in_order() for reply in await self._search(searches)]

    async def by_identifier(self, identifiers: Sequence[IdentifierKey], tags: Within = ()) -> Sequence[Sequence[Hit]]:
        """Answer a batch of identifiers."""
        searches = []
        for country, scheme, key in identifiers:
            filters = [_term("identifiers", f"{scheme}:{key}"), *_restrictions(Scope(country, tags))]
            searches.append(_companies(_filtered(filters), [{"place": "asc"}], _MOST_SHARING))
        return [reply.hits_in_order() for reply in await self._search(searches)]

    async def among(self, scope: Scope, start: int, limit: int) -> tuple[int, Sequence[Hit]]:
        """List the companies of a scope. See `Engine.among`."""
        search: _Clause = {"query": _filtered(_restrictions(scope)), "sort": [{"size": "desc"}, {"place": "asc"}]}
        place, end, count, hits = 0, start + limit, 0, list[Hit]()
        if end <= _PAGE:
            search["from"] = place = start
        while True:
            size = min(_PAGE, (start if place < start else end) - place)
            shown = {"stored_fields": ["stored"] if place >= start else [], "track_total_hits": not count}
            (reply,) = await self._search([search | shown | {"size": size}])
            count = reply.hits.total.value if reply.hits.total else count
            hits += reply.hits_in_order()
            place += size
            if place >= end or len(reply.hits.hits) < size:
                return count, hits
            search["search_after"] = reply.hits.hits[-1].sort

    async def complete(self, beginning: str, words: Sequence[str], limit: int) -> Sequence[str]:
        """Complete a word among companies. See `Engine.complete`."""
        literal = "".join(letter if letter.isalnum() else f"\\{letter}" for letter in beginning)
        counted = {"field": "words.each", "include": f"{literal}.*", "size": limit, **self._in_each_shard}
        query = _filtered([_term("words", word) for word in words])
        (reply,) = await self._search([{"query": query, "size": 0, "aggs": {"words": {"terms": counted}}}])
        return [bucket.key for bucket in reply.aggregations.words.buckets] if reply.aggregations else []

    async def part(self, first: int, end: int | None) -> AsyncIterator[Sequence[Hit]]:
        """Yield the companies of a part."""
        while True:
            among = {"range": {"place": {"gte": first} | ({} if end is None else {"lt": end})}}
            (reply,) = await self._search([_companies(_filtered([among]), [{"place": "asc"}], _PART_BATCH)])
            hits = reply.hits_in_order()
            if hits:
                yield hits
            if len(hits) < _PART_BATCH:
                return
            first = hits[-1].key + 1

    async def check(self) -> None:
        """Raise what is wrong. See `Engine.check`."""
        failure: Unavailable | None = None
        try:
            await self.by_identifier([engine.NOBODY])
        except Unavailable as error:
            failure = error
        if fault := await self._fault(failure):
            raise fault

    async def verify(self, loaded: LoadedIndex) -> None:
        """Compare the index with what was loaded. Raises as `check`, but for a full disk."""
        try:
            holdings = await self._ask(partial(_summed, index=self._index, timeout=self._opening))
        except Unavailable as failure:
            raise (await self._fault(failure) or failure) from None
        if holdings != (loaded.companies, loaded.sum):
            raise _lost(self._index)

    async def _fault(self, failure: Unavailable | None) -> PadronError | None:
        """Return what is wrong, for those who run the cluster.

        Args:
            failure: What a search has failed with, None where it was answered.
        """
        reason = failure and failure.context["reason"]
        if reason == 404:
            return _lost(self._index)
        if reason in _REFUSED:
            return Unavailable("engine-refused", reason=reason)
        try:
            state = await self._nodes.first_answer(partial(_state, index=self._index))
        except (OpenSearchException, msgspec.DecodeError) as error:
            return failure and _fault(error)  # a login that may search may be refused the state
        if failure:
            return ReleaseError("engine-index-red", index=self._index) if state.is_red() else failure
        return Unavailable("engine-full", reason="blocked") if state.is_full() else None

    async def _search(self, searches: Sequence[_Clause]) -> list[_Reply]:
        """Answer some searches, in one request with those that are likely to come next (`prefetch`)."""
        bodies = list(map(_encode, searches))
        search = prefetch.current.get()
        return await (search.replies(bodies, self._ask_together, _Reply()) if search else self._ask_together(bodies))

    async def _ask_together(self, searches: Sequence[bytes]) -> list[_Reply]:
        """Answer some searches in one request."""
        if not searches:
            return []
        body = b"".join(chain.from_iterable((self._header, b"\n", search, b"\n") for search in searches))
        return await self._ask(partial(_searched, index=self._index, body=body, count=len(searches)))

    async def _ask(self, request: Callable[[AsyncOpenSearch], Awaitable[T]]) -> T:
        """Return the first answer of a node to a request, unless the cluster counts as down."""
        self._breaker.admit()
        try:
            answer = await self._nodes.first_answer(request)
        except (OpenSearchException, msgspec.DecodeError) as error:
            self._breaker.failed()
            raise _unavailable(_reason(error)) from None
        self._breaker.succeeded()
        return answer


async def _summed(client: AsyncOpenSearch, index: str, timeout: float) -> tuple[int, int]:
    """Ask a node for the number of companies and the sum of their checksums."""
    params = {
        "preference": "_local",
        "allow_partial_search_results": "false",
        "filter_path": "hits.total.value,aggregations,_shards.failed",
        "request_timeout": timeout,
    }
    summed = _decode_sums(await client.search(index=index, body=_encode(_SUMMED), params=params))
    if summed.shards.failed:
        raise _Incomplete("partial")
    return summed.holdings()


async def _state(client: AsyncOpenSearch, index: str) -> _State:
    """Ask a node for what it knows of the state of the cluster."""
    params = {"local": "true", "ignore_unavailable": "true", "filter_path": _STATE_SHOWN}
    return _decode_state(await client.cluster.state(metric="blocks,routing_table", index=index, params=params))


async def _searched(client: AsyncOpenSearch, index: str, body: bytes, count: int) -> list[_Reply]:
    """Ask a node for the replies to all searches, whole."""
    answer = await client.msearch(body=body, index=index, params={"filter_path": _SHOWN})
    replies = _decode_replies(answer).responses
    failures = [reply.status for reply in replies if reply.status != 200]
    if len(replies) != count or failures or any(map(_is_partial, replies)):
        raise _Incomplete(max(failures, default="partial"))
    return replies


def _is_partial(reply: _Reply) -> bool:
    return reply.timed_out or reply.shards.failed > 0


def _term(field: str, text: str, weight: float = 1.0) -> _Clause:
    return {"term": {field: {"value": text, "boost": weight}}}


def _companies(query: _Clause, sort: Sequence[Mapping[str, str]], size: int) -> _Clause:
    return {"query": query, "sort": sort, "size": size, "stored_fields": ["stored"], "track_total_hits": False}


def _filtered(filters: Sequence[_Clause]) -> _Clause:
    """A query for documents that match all filters, without a score."""
    return {"bool": {"filter": filters}}


def _restricted(query: _Clause, restrictions: Sequence[_Clause]) -> _Clause:
    return {"bool": {"must": [query], "filter": restrictions}} if restrictions else query


def _restrictions(scope: Scope) -> list[_Clause]:
    filters = [_term("country", scope.country)] if scope.country else []
    return filters + [{"terms": {"tags": group}} for group in scope.tags]


def _translated(query: engine.Query) -> _Clause:
    """Return a query of the seam in the words of OpenSearch."""
    match query:
        case AnyKey(keys):
            return _any([_term("keys", key) for key in keys])
        case AllWords(words):
            return _all([_term("words", word) for word in words])
        case BestOf(weights, pairs):
            best = [_term("words", word, weight) for word, weight in weights.items()]
            best += [_all([_term("words", first), _term("words", second)]) for first, second in pairs]
            return {"dis_max": {"queries": best}} if best else _NOTHING
        case AnyOf(queries):
            return _any([_translated(query) for query in queries])
        case AllOf(queries, optional):
            return _all([_translated(query) for query in queries], [_translated(query) for query in optional])


def _any(queries: Sequence[_Clause]) -> _Clause:
    return {"bool": {"should": queries}} if queries else _NOTHING


def _all(queries: Sequence[_Clause], optional: Sequence[_Clause] = ()) -> _Clause:
    return {"bool": {"must": queries, "should": optional}} if queries else _NOTHING


def opensearch(url: str) -> EngineKind:
    """Return the engine at an address. Raises `Invalid("bad-setting")`."""
    address = Address.parse(url)
    address.connection()
    logging.getLogger("opensearch").disabled = True  # its lines hold requests, and everything that fails is told anyway
    return EngineKind(partial(OpenSearchBuilder, address), partial(_open, address), partial(_remove_others, address))


def _let_go(lifetime: object) -> None:
    """The last holder of a client's lifetime, outside of any cycle of references that the engine may be part of."""


async def _open(address: Address, folder: Path) -> OpenSearchEngine:
    """Open the index that a folder names.

    Raises `ReleaseError("release-damaged")` where it names none, and as `OpenSearchEngine.verify`.
    """
    await threads.FILES.call(snapshot.verify, folder)
    loaded = opensearch_folder.read(folder)
    if loaded is None:
        raise ReleaseError("release-damaged", folder=str(folder), file=opensearch_folder.FILE)
    lifetime = connected(address)
    engine = OpenSearchEngine(address, loaded.index, await anext(lifetime))
    weakref.finalize(engine, _let_go, lifetime).atexit = False
    try:
        await engine.verify(loaded)
    except PadronError:
        await lifetime.aclose()
        raise
    return engine
