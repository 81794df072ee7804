"""OpenSearch as the engine: the companies of each release in an index of their own, on one node or many.

The folder of the engine holds one file, with the name of the index and the number of its companies. The address is

    https://user:password@node-1:9200,node-2:9200/padron?shards=1&replicas=1&timeout=2&ca=/etc/ssl/search.pem

where everything behind the nodes may be left out: the path begins the names of the indexes and belongs to one data
folder that builds; `shards` of an index; `replicas` of each shard, as far as there are nodes for them; seconds until an
attempt is given up; the certificates to trust instead of the system's. `login=FILE` names a file with `user:password`
in its first line, as it is, instead of the part before the nodes.

An index is asked by its own name, never by an alias: stored bytes refer to the tables of their release. All look-ups of
a stage are one request, with those that are likely to come next (`prefetch`). Each request goes to a node that answers
with its own copy where it has one; where that one fails or is late, another is asked, and the first answer counts. An
answer of less than all shards is none.
"""

from __future__ import annotations

import asyncio
import base64
import logging
import math
import re
import secrets
import ssl
import weakref
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from time import monotonic, sleep
from typing import Any, Final, NamedTuple, TypeVar
from urllib.parse import parse_qsl, quote, unquote, urlsplit

import msgspec
from opensearchpy import AsyncOpenSearch, OpenSearch
from opensearchpy.exceptions import OpenSearchException, TransportError
from opensearchpy.serializer import Serializer

from padron import threads
from padron.errors import Invalid, ReleaseError, Unavailable
from padron.index import engine, prefetch
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
from padron.index.tags import Within
from padron.releases import snapshot
from padron.words import bilingual

T = TypeVar("T")
_Clause = dict[str, Any]

_PREFIX: Final = re.compile(r"[a-z0-9][a-z0-9_-]*")
_MOST: Final = 100
"""Shards, replicas and seconds at most: more is a slip."""
_FILE: Final = "opensearch.json"
_MOST_SHARING: Final = 100
"""Companies of one identifier: more than share any number that identifies."""
_PART_BATCH: Final = 500
"""Companies of a part that are read at a time."""
_PAGE: Final = engine.MOST
"""Companies behind which a list is reached in pages."""
_BULK: Final = 1_000
"""Documents that are indexed at a time: about a megabyte."""
_BULK_TRIES: Final = 8
"""Times that documents are sent which a busy cluster refuses, after pauses that double from half a second."""
_LATE: Final = 0.25
"""Seconds after which another node is asked too: ten times what a look-up takes."""
_TRIED: Final = 2
"""Nodes that are asked although they are late, too: a busy cluster is not asked even more."""
_FAILURES: Final = 5
"""Requests that fail one after the other until the cluster counts as down."""
_PAUSE: Final = 1.0
"""Seconds between two requests that try whether a cluster that is down is back, or a node that was avoided."""
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
    },
}
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
_NOTHING: Final[_Clause] = {"match_none": {}}

_encode: Final = msgspec.json.Encoder().encode


class _Opened(msgspec.Struct, frozen=True):
    """The file in the folder of the engine."""

    index: str
    companies: int


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


class _Count(msgspec.Struct):
    count: int
    shards: _Shards = msgspec.field(name="_shards", default_factory=_Shards)


_decode_replies = msgspec.json.Decoder(_Replies).decode
_decode_count = msgspec.json.Decoder(_Count).decode


class Address(NamedTuple):
    """Nodes of a cluster, and the layout of an index there. `prefix` begins the names of the indexes."""

    nodes: tuple[tuple[str, int], ...]
    tls: bool
    login: tuple[str, str] | None
    prefix: str
    shards: int
    replicas: int
    timeout: float
    authorities: str | None

    @classmethod
    def parse(cls, url: str) -> Address:
        """Read an address. Raises `Invalid("bad-setting")`."""
        try:
            return _address(url)
        except ValueError:
            example = "https://user:password@node-1:9200,node-2:9200/padron?shards=1&replicas=1&timeout=2&ca=FILE"
            expected = bilingual("an address such as {example}", example=example)
            raise Invalid("bad-setting", setting="PADRON_SEARCH__URL", expected=expected) from None

    def connection(self) -> dict[str, Any]:
        """Return what a client needs to connect. Raises `Invalid("bad-setting")` without the certificates it names."""
        known: dict[str, Any] = {
            "hosts": [{"host": host, "port": port} for host, port in self.nodes],
            "http_auth": self.login,
            "use_ssl": self.tls,
            "retry_on_timeout": True,
        }
        if self.tls:
            try:
                known["ssl_context"] = ssl.create_default_context(cafile=self.authorities)
            except OSError:
                expected = bilingual("with a file of certificates as its parameter ca")
                raise Invalid("bad-setting", setting="PADRON_SEARCH__URL", expected=expected) from None
        return known


def _address(url: str) -> Address:
    """Return an address. Raises `ValueError` for a text that is none."""
    parts = urlsplit(url)
    login, _, nodes = parts.netloc.rpartition("@")
    given = dict(parse_qsl(parts.query, strict_parsing=True)) if parts.query else {}
    if file := given.pop("login", None):
        if login:
            raise ValueError(url)
        login = quote(_first_line(Path(file)), safe=":")
    user, _, password = login.partition(":")
    address = Address(
        tuple(_node(node, parts.scheme) for node in nodes.split(",")),
        parts.scheme == "https",
        (unquote(user), unquote(password)) if login else None,
        parts.path.strip("/") or "padron",
        int(given.pop("shards", 1)),
        int(given.pop("replicas", 1)),
        float(given.pop("timeout", 2)),
        given.pop("ca", None),
    )
    if given or parts.fragment or not _PREFIX.fullmatch(address.prefix):
        raise ValueError(url)
    if not (1 <= address.shards <= _MOST and 0 <= address.replicas <= _MOST and 0 < address.timeout <= _MOST):
        raise ValueError(url)
    return address


def _first_line(file: Path) -> str:
    """Return the login in a file. Raises `ValueError` for a file that cannot be read, or holds none."""
    try:
        line = file.read_text("utf-8").partition("\n")[0].strip()
    except OSError as error:
        raise ValueError(file) from error
    if ":" not in line:
        raise ValueError(file)
    return line


def _node(text: str, scheme: str) -> tuple[str, int]:
    parts = urlsplit(f"{scheme}://{text}")
    if not parts.hostname or parts.port == 0:
        raise ValueError(text)
    return parts.hostname, parts.port or (443 if scheme == "https" else 9200)


class _Undecoded(Serializer):
    """Bodies as they are: requests are encoded and answers decoded here, by their types."""

    mimetype = "application/json"

    def loads(self, s: str) -> Any:
        return s

    def dumps(self, data: Any) -> Any:
        return data


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


class OpenSearchBuilder:
    """Loads an index that nobody asks yet. Not finished, it goes when closed."""

    def __init__(self, address: Address, folder: Path) -> None:
        folder.mkdir(parents=True)
        self._folder = folder
        self._address = address
        self._client = _builder_client(address)
        self._index = f"{address.prefix}-{secrets.token_hex(8)}"
        self._documents: list[bytes] = []
        self._count = 0
        self._finished = False
        settings = {
            "number_of_shards": address.shards,
            "number_of_replicas": 0,
            "refresh_interval": "-1",
            "translog.durability": "async",
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
        self._documents.append(b'{"index":{"_id":"%d"}}\n%s\n' % (place, _encode(fields)))
        if len(self._documents) == _BULK:
            self._send()
        return place

    def finish(self) -> None:
        """Make the index ready to be opened: whole, merged, on as many nodes as wanted, never to be written again."""
        self._send()
        indices = partial(self._call, index=self._index)
        indices(self._client.indices.refresh)
        indices(self._client.indices.forcemerge, params={"max_num_segments": 1})
        indices(
            self._client.indices.put_settings,
            body={"auto_expand_replicas": f"0-{self._address.replicas}", "blocks.write": True},
        )
        ready = {"wait_for_status": "green", "timeout": f"{_BUILDING - 5}s", "request_timeout": _BUILDING}
        indices(self._client.cluster.health, params=ready)
        counted = indices(self._client.count)
        if (counted["count"], counted["_shards"]["failed"]) != (self._count, 0):
            raise _unavailable(f"{counted['count']} ≠ {self._count}")
        (self._folder / _FILE).write_bytes(_encode(_Opened(self._index, self._count)))
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
        """Send the documents at hand; those that a busy cluster refuses again, later and later."""
        waiting, self._documents = self._documents, []
        for attempt in range(_BULK_TRIES):
            if not waiting:
                return
            if attempt:
                sleep(0.25 * 2**attempt)
            try:
                answer = self._client.bulk(body=b"".join(waiting), index=self._index)
            except TransportError as error:
                if error.status_code != 429:
                    raise _unavailable(_reason(error)) from None
                continue
            statuses = [item["index"]["status"] for item in answer["items"]] if answer["errors"] else []
            if wrong := set(statuses) - {200, 201, 429}:
                raise _unavailable(min(wrong))
            waiting = [document for document, status in zip(waiting, statuses, strict=False) if status == 429]
        if waiting:
            raise _unavailable(429)

    def _call(self, call: Callable[..., T], **arguments: Any) -> T:
        try:
            return call(**arguments)
        except OpenSearchException as error:
            raise _unavailable(_reason(error)) from None


def _builder_client(address: Address) -> OpenSearch:
    return OpenSearch(**address.connection(), timeout=_BUILDING, max_retries=4)


def _remove_others(address: Address, kept: Iterable[Path]) -> None:
    """Remove the indexes of the address that no folder names: those of old releases and of builds that were killed."""
    named = {opened.index for folder in kept if (opened := _read(folder))}
    client = _builder_client(address)
    try:
        for index in sorted(client.indices.get(index=f"{address.prefix}-*", params={"filter_path": "*.aliases"})):
            if index not in named and re.fullmatch(f"{address.prefix}-[0-9a-f]{{16}}", index):
                client.indices.delete(index=index, params={"ignore_unavailable": "true"})
    except OpenSearchException as error:
        raise _unavailable(_reason(error)) from None
    finally:
        client.close()


def _read(folder: Path) -> _Opened | None:
    try:
        return msgspec.json.decode((folder / _FILE).read_bytes(), type=_Opened)
    except (OSError, ValueError):
        return None


class _Node:
    """A node that is asked. `prompt`: whether its last answer came in time; `answered`: when the last such one came."""

    def __init__(self, client: AsyncOpenSearch) -> None:
        self.client = client
        self.prompt = True
        self.answered = self.asked = 0.0

    async def answer(self, request: Callable[[AsyncOpenSearch], Awaitable[T]]) -> T:
        """Return the answer to a request; in the meantime, and by how it ends, the node is prompt or not."""
        loop = asyncio.get_running_loop()
        self.asked = loop.time()
        end = self.asked + _LATE
        late = loop.call_at(end, self._is_late)
        in_time = False
        try:
            answer = await request(self.client)
            now = loop.time()
            if in_time := now < end:
                self.answered = now
        finally:
            late.cancel()
            self.prompt = in_time
        return answer

    def _is_late(self) -> None:
        self.prompt = False


class _Nodes:
    """The nodes of a cluster, asked in turn.

    One that fails or is late is avoided, until it answers a request in time that another node is asked as well: nobody
    waits to know whether it is back.
    """

    def __init__(self, clients: Sequence[AsyncOpenSearch]) -> None:
        self._nodes = [_Node(client) for client in clients]
        self._under_way: set[asyncio.Task[Any]] = set()

    async def first_answer(self, request: Callable[[AsyncOpenSearch], Awaitable[T]]) -> T:
        """Ask a node, another one where it fails or is late, and more where those fail, or are late and others prompt.

        Raises what the last of the nodes to fail has raised.
        """
        self._nodes.append(self._nodes.pop(0))
        waiting, attempts = [*self._nodes], set[asyncio.Task[T]]()
        due = True
        while True:
            if due and waiting:
                node = min(waiting, key=_precedence)
                waiting.remove(node)
                attempts.add(self._begin(node, request))
                if node.prompt:
                    self._try_others(waiting, request)
            done, attempts = await asyncio.wait(
                attempts, timeout=_LATE if waiting else None, return_when=asyncio.FIRST_COMPLETED
            )
            for attempt in done:
                if attempt.exception() is None:
                    return attempt.result()
            if not (attempts or waiting):
                return done.pop().result()
            due = bool(done) or len(attempts) < _TRIED or any(node.prompt for node in waiting)

    def _try_others(self, nodes: Iterable[_Node], request: Callable[[AsyncOpenSearch], Awaitable[T]]) -> None:
        """Ask each node that is avoided, now and then."""
        now = asyncio.get_running_loop().time()
        for node in nodes:
            if not node.prompt and now >= node.asked + _PAUSE:
                self._begin(node, request)

    def _begin(self, node: _Node, request: Callable[[AsyncOpenSearch], Awaitable[T]]) -> asyncio.Task[T]:
        """Begin an attempt, which goes on where another one has answered."""
        attempt = asyncio.get_running_loop().create_task(node.answer(request))
        self._under_way.add(attempt)
        attempt.add_done_callback(self._ended)
        return attempt

    def _ended(self, attempt: asyncio.Task[Any]) -> None:
        self._under_way.discard(attempt)
        if not attempt.cancelled():
            attempt.exception()  # seen, where another attempt has answered


def _precedence(node: _Node) -> float:
    """Rank prompt nodes first, then by how recently they were."""
    return -math.inf if node.prompt else -node.answered


async def _connected(address: Address) -> AsyncGenerator[list[AsyncOpenSearch]]:
    """Yield a client of each node; they close when nobody holds this, at the latest with the event loop."""
    known = address.connection()
    clients = [
        AsyncOpenSearch(
            **known | {"hosts": [host]}, timeout=address.timeout, max_retries=0, serializer=_Undecoded(), maxsize=100
        )
        for host in known["hosts"]
    ]
    try:
        yield clients
    finally:
        for client in clients:
            await client.close()


class _Breaker:
    """Circuit breaker: after some failures in a row one request per pause passes, until an answer comes."""

    def __init__(self) -> None:
        self._failures = 0
        self._closed_until = 0.0

    def admit(self) -> None:
        """Raise `Unavailable` while the cluster counts as down, except for the request that tries again."""
        if self._failures >= _FAILURES:
            if monotonic() < self._closed_until:
                raise _unavailable("down")
            self._closed_until = monotonic() + _PAUSE

    def succeeded(self) -> None:
        """Count an answer."""
        self._failures = 0

    def failed(self) -> None:
        """Count a failure."""
        self._failures += 1
        self._closed_until = monotonic() + _PAUSE


class OpenSearchEngine:
    """Look-ups in the index of one release."""

    def __init__(self, address: Address, index: str, clients: Sequence[AsyncOpenSearch]) -> None:
        self._nodes = _Nodes(clients)
        self._index = index
        self._breaker = _Breaker()
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

    async def count(self) -> int:
        """Return the number of companies. Raises `NotFound` where there is no such index any more."""
        return await self._ask(partial(_counted, index=self._index))

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


async def _counted(client: AsyncOpenSearch, index: str) -> int:
    counted = _decode_count(await client.count(index=index))
    if counted.shards.failed:
        raise _Incomplete("partial")
    return counted.count


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

    Raises `ReleaseError("release-damaged")` where it is not there or holds another number of companies.
    """
    await threads.FILES.call(snapshot.verify, folder)
    opened = _read(folder)
    if opened is None:
        raise ReleaseError("release-damaged", folder=str(folder), file=_FILE)
    lifetime = _connected(address)
    engine = OpenSearchEngine(address, opened.index, await anext(lifetime))
    weakref.finalize(engine, _let_go, lifetime).atexit = False
    try:
        count = await engine.count()
    except Unavailable as error:
        await lifetime.aclose()
        if error.context["reason"] == 404:
            raise ReleaseError("release-damaged", folder=str(folder), file=_FILE) from None
        raise
    if count != opened.companies:
        await lifetime.aclose()
        raise ReleaseError("release-damaged", folder=str(folder), file=_FILE)
    return engine
