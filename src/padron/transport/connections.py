"""Connections that a client cannot hold: bounded in number and in every wait, the oldest idle one making room.

A connection is always in one phase. In all but `WORKING` the service waits for the client, for a limited time that
begins with the phase: a byte a second does not prolong it. Only a body that is being answered already may come slowly:
each of its pieces has that time.
"""

from __future__ import annotations

import asyncio
import re
import select
from collections import Counter, deque
from collections.abc import Callable, Sequence
from enum import IntEnum
from typing import Any, Final

from httptools import HttpParserError, HttpParserUpgrade, HttpRequestParser
from starlette.types import Receive, Scope, Send
from uvicorn.config import Config
from uvicorn.protocols.http.flow_control import HIGH_WATER_LIMIT, FlowControl
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol, RequestResponseCycle
from uvicorn.server import ServerState

from padron.config import Server
from padron.errors import Invalid
from padron.transport import problems
from padron.transport.client_limits import client_key, is_within
from padron.transport.headers import API, NO_STORE, SHARED, Header, request_id
from padron.transport.negotiation import language

MOST_OF_TARGET: Final = 65_536
"""Most bytes of a request target: the parameters of a search have fewer than 10,000."""
MOST_OF_HEADER: Final = 131_072
"""Most bytes before a body, the request target among them: browsers send fewer than 20,000."""
MOST_WAITING: Final = 4
"""Requests of one connection that wait for the one before them; until they are answered nothing more is read. Each is a
hundred objects, and those of all connections are what garbage collections walk over."""
_PIECE: Final = 512
"""Bytes that are parsed at once: few enough that the requests in them are not many more than may wait."""
_PIECES: Final = 64
"""Pieces that are parsed before others have their turn."""
_FIELD: Final = 32
"""Bytes that a header field counts besides its own, as in HTTP/2 (RFC 9113 §6.5.2)."""
_HOST: Final = re.compile(rb"(?:[\w.~!$&'()*+,;=%-]*|\[[0-9A-Fa-f:.]+\])(?::[0-9]*)?")
"""A host as RFC 3986 §3.2.2 writes it, with or without a port; it may be empty."""


class Phase(IntEnum):
    """State of a connection; connections are closed in this order to make room."""

    IDLE = 0
    """Between two requests."""
    HEADER = 1
    """Connected, and the first header is not complete; or a later one has begun."""
    BODY = 2
    SENDING = 3
    """The client does not take the answer."""
    WORKING = 4
    """The service works; or it does not take more of the body for now."""


class Connections(ServerState):
    """The open connections of one listener of a worker, by phase and by client address."""

    def __init__(
        self, limits: Server, closed: Callable[[str], None] = lambda _reason: None, fields: Sequence[Header] = ()
    ) -> None:
        """Begin without connections.

        Args:
            closed: Called with the reason of each that is closed against its client: the phase whose time was over,
                `evicted` to make room, `refused` as there was no room to make, `malformed`.
            fields: Header fields of what the server itself refuses, besides those of every answer.
        """
        super().__init__()
        self.closed = closed
        self.fields = fields
        self.limits = limits
        self._seconds = {
            Phase.IDLE: limits.idle_timeout,
            Phase.HEADER: limits.header_timeout,
            Phase.BODY: limits.body_timeout,
            Phase.SENDING: limits.send_timeout,
        }
        # Each in the order in which its connections entered their phases: clocks of an event loop count milliseconds.
        self._phases: dict[Phase, dict[Connection, None]] = {phase: {} for phase in Phase}
        self._clients: dict[str, dict[Connection, None]] = {}
        self._left: Counter[str] = Counter()

    def counts(self) -> dict[str, int]:
        """Return the number of open connections by phase."""
        return {phase.name.lower(): len(inside) for phase, inside in self._phases.items()}

    def client_of(self, address: str) -> str:
        """Return what identifies the client at an address; empty for trusted proxies, which are all one."""
        return "" if is_within(address, self.limits.trusted_proxies) else client_key(address)

    def admit(self, connection: Connection, address: str) -> None:
        """Take a new connection in; the oldest one that waits for its client makes room, else it is refused itself.

        Args:
            address: The address of its peer. Trusted proxies may open any number.
        """
        client = connection.client_key = self.client_of(address)
        of_client = self._clients.setdefault(client, {})
        if client and len(of_client) + self._left[client] >= self.limits.connections_per_address:
            waiting = (other for other in of_client if other.phase is not Phase.WORKING)
            self._make_room(min(waiting, key=lambda other: other.phase, default=connection), connection)
        elif sum(map(len, self._phases.values())) + self._left.total() >= self.limits.connections:
            oldest = (next(iter(self._phases[phase])) for phase in self._seconds if self._phases[phase])
            self._make_room(next(oldest, connection), connection)
        of_client = self._clients.setdefault(client, {})
        of_client[connection] = None
        self._phases[connection.phase][connection] = None

    def _make_room(self, oldest: Connection, fresh: Connection) -> None:
        self.closed("refused" if oldest is fresh else "evicted")
        oldest.abort()

    def move(self, connection: Connection, phase: Phase) -> None:
        """Put a connection into another phase; one that is forgotten stays so."""
        inside = self._phases[connection.phase]
        if connection in inside:
            of_client = self._clients[connection.client_key]
            del inside[connection], of_client[connection]
            self._phases[phase][connection] = of_client[connection] = None

    def release(self, connection: Connection) -> None:
        """Forget a connection that is closed or being closed; it may be forgotten already."""
        self._phases[connection.phase].pop(connection, None)
        of_client = self._clients.get(connection.client_key, {})
        of_client.pop(connection, None)
        if not of_client:
            self._clients.pop(connection.client_key, None)

    def count_left(self, connection: Connection, work: asyncio.Task[None]) -> None:
        """Count a connection that is closed for as long as work for it goes on: a client has no more of it by leaving.

        Args:
            work: The request of it that is not answered.
        """
        client = connection.client_key

        def forget(_work: asyncio.Task[None]) -> None:
            self._left[client] -= 1
            if not self._left[client]:
                del self._left[client]

        self._left[client] += 1
        work.add_done_callback(forget)

    def close_overdue(self, now: float) -> None:
        """Close the connections whose client had its time, or has gone."""
        for connection in list(self._phases[Phase.WORKING]):  # the application may have gone on to take the body
            connection.settle()
        self._close_left()
        for phase, seconds in self._seconds.items():
            inside = self._phases[phase]
            while inside and (oldest := next(iter(inside))).since + seconds <= now:
                self.closed(phase.name.lower())
                oldest.abort()

    def _close_left(self) -> None:
        """Close those whose client has gone while nothing of them is read, which their transports do not notice."""
        working = self._phases[Phase.WORKING]
        unread = {each.transport.get_extra_info("socket").fileno(): each for each in working if each.flow.read_paused}
        poll = select.poll()
        for descriptor in unread:
            poll.register(descriptor, select.POLLRDHUP)
        for descriptor, _ in poll.poll(0):
            unread[descriptor].abort()


class _Flow(FlowControl):
    """Reading that does not go on while something read before waits."""

    is_waiting = False

    def resume_reading(self) -> None:
        if not self.is_waiting:
            super().resume_reading()


class Connection(HttpToolsProtocol):
    """A connection of HTTP/1.1. What the server itself refuses is a problem document too."""

    def __init__(
        self,
        config: Config,
        server_state: Connections,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self.phase = Phase.HEADER
        self.since = self.loop.time()
        self.client_key = ""
        self._all = server_state
        self._application, self.app = self.app, self._answer
        self._unanswered: deque[RequestResponseCycle] = deque()
        self._running: asyncio.Task[None] | None = None
        self._answered: Scope = {}
        self._unparsed = bytearray()
        self._is_scheduled = False
        self._in_header = True
        self._received = 0
        self._is_refused = False
        self._fault = Invalid("malformed-request")

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take the connection in."""
        super().connection_made(transport)
        self.flow: _Flow = _Flow(transport)
        self._all.admit(self, self.client[0] if self.client else "")

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Run the application; what only reads ends with the connection, a change is finished whoever waits for it.

        The application sets `padron.only_reads` of the scope where that is so besides GET and HEAD.
        """
        scope["padron.only_reads"] = scope["method"] in {"GET", "HEAD"}
        self._running, self._answered = asyncio.current_task(), scope
        try:
            await self._application(scope, receive, send)
        except asyncio.CancelledError:
            if not self.transport.is_closing():
                raise
        finally:
            self._running, self._answered = None, {}

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection, and end what nobody waits for."""
        self._all.release(self)
        super().connection_lost(exc)
        for cycle in self._unanswered:
            cycle.disconnected = True
            cycle.message_event.set()
        if self._running:
            self._all.count_left(self, self._running)
            if self._answered["padron.only_reads"]:
                self._running.cancel()
        self._unanswered.clear()
        self.pipeline.clear()
        # What refers to itself waits for a garbage collection.
        self.app = self._application
        self.cycle = None  # type: ignore[assignment]

    def abort(self) -> None:
        """Close the connection without waiting for its client to take anything."""
        self._all.release(self)
        self.transport.abort()

    def data_received(self, data: bytes) -> None:
        """Parse what came, until enough requests wait."""
        is_answered = self.cycle is not None and self.cycle.response_started and not self.cycle.response_complete
        if self.phase is Phase.BODY and is_answered:  # a list that is answered while it comes
            self._all.move(self, Phase.BODY)
            self.since = self.loop.time()
        if len(data) <= _PIECE and not self.flow.is_waiting:
            self._feed(data)
        else:
            self._unparsed += data
        self._parse()

    def _feed(self, piece: bytes) -> None:
        """Parse a piece, as long as neither a header nor what is between and behind chunks is too long."""
        unread = piece
        while unread:
            try:
                self.parser.feed_data(unread)
                break
            except HttpParserUpgrade as upgrade:  # what is behind the header is not parsed
                unread = self._head_without_upgrade() + unread[upgrade.args[0] :]
                self.parser = HttpRequestParser(self)
                self.parser.set_dangerous_leniencies(lenient_data_after_close=True)  # as uvicorn does
            except HttpParserError:
                self.send_400_response("")
                return
        self._received += len(piece)
        length = self._received + _FIELD * len(self.headers or ())
        if length > MOST_OF_HEADER and not self.transport.is_closing():
            self._fault = Invalid("header-too-long", maximum=MOST_OF_HEADER)
            self.send_400_response("")

    def _head_without_upgrade(self) -> bytes:
        """Return the header just parsed as a request that asks for no other protocol (RFC 9110 §7.8)."""
        version = self.parser.get_http_version().encode()
        lines = [b"%s %s HTTP/%s" % (self.parser.get_method(), self.url, version)]
        lines += [b"%s: %s" % field for field in self.headers if field[0] != b"upgrade"]
        return b"\r\n".join([*lines, b"", b""])

    def _parse(self) -> None:
        """Parse what is left, until enough requests wait; read on once nothing does."""
        for _ in range(_PIECES):
            if not self._is_ready():
                break
            piece = bytes(self._unparsed[:_PIECE])
            del self._unparsed[:_PIECE]
            self._feed(piece)
        has_more = bool(self._unparsed or self.pipeline or self._is_refused)
        self.flow.is_waiting = has_more and not self.transport.is_closing()
        if self.flow.is_waiting:
            self.flow.pause_reading()
        if self._is_ready() and not self._is_scheduled:
            self._is_scheduled = True
            self.loop.call_soon(self._parse_on)
        self.settle()

    def _parse_on(self) -> None:
        """Parse more after the turns of others; then read on, unless the application has to take a body first."""
        self._is_scheduled = False
        self._parse()
        cycle = self.cycle
        has_room = cycle is None or cycle.response_complete or len(cycle.body) <= HIGH_WATER_LIMIT
        if has_room and not self.transport.is_closing():
            self.flow.resume_reading()

    def _is_ready(self) -> bool:
        """Return whether there is something to parse, and nothing against it."""
        has_room = len(self.pipeline) < MOST_WAITING and not self._is_refused
        return bool(self._unparsed) and has_room and not self.transport.is_closing()

    def on_message_begin(self) -> None:
        """Begin a request."""
        super().on_message_begin()
        self._in_header, self._received = True, 0

    def on_body(self, body: bytes) -> None:
        """Take a part of the body."""
        self._received = 0
        super().on_body(body)

    def on_headers_complete(self) -> None:
        """Hand the request to the application, if it has an acceptable header."""
        if fault := self._header_fault():
            self._fault = fault
            raise fault
        if self.parser.should_upgrade():  # it is parsed again without
            return
        if self.url == b"*":  # RFC 9112 §3.2.4: the server as a whole, which has no address here
            self.url = b"/*"
        self._in_header, self._received = False, 0
        super().on_headers_complete()
        self._unanswered.append(self.cycle)

    def _header_fault(self) -> Invalid | None:
        """Sizes, and the one host that HTTP/1.1 asks for, as it has to be written (RFC 9112 §3.2); and no tunnel."""
        if len(self.url) > MOST_OF_TARGET:
            return Invalid("target-too-long", maximum=MOST_OF_TARGET)
        if sum(len(name) + len(value) for name, value in self.headers) > MOST_OF_HEADER:
            return Invalid("header-too-long", maximum=MOST_OF_HEADER)
        hosts = [value for name, value in self.headers if name == b"host"]
        version = self.parser.get_http_version()
        is_needed = version == "1.1"
        if (
            version not in {"1.0", "1.1"}
            or self.parser.get_method() == b"CONNECT"  # what follows is in another protocol
            or len(hosts) > 1
            or (is_needed and not hosts)
            or not all(map(_HOST.fullmatch, hosts))
        ):
            return Invalid("malformed-request")
        return None

    def on_message_complete(self) -> None:
        """Note that the request is whole, answered or not."""
        if self.parser.should_upgrade():
            return
        super().on_message_complete()
        self.cycle.more_body = False

    def on_response_complete(self) -> None:
        """Note that a request is answered."""
        self._unanswered.popleft()
        super().on_response_complete()
        self._unset_keepalive_if_required()  # all waits end in `Connections.close_overdue`
        if self.flow.is_waiting and not self.transport.is_closing():
            self._parse()
            self.flow.resume_reading()
        if self._is_refused and not self._unanswered and not self.transport.is_closing():
            self._refuse()
        self.settle()

    def pause_writing(self) -> None:
        """Note that the client does not take the answer."""
        super().pause_writing()
        self.settle()

    def resume_writing(self) -> None:
        """Note that it does."""
        super().resume_writing()
        self.settle()

    def settle(self) -> None:
        """Enter the phase that holds now."""
        phase = self._current()
        if phase is not self.phase:
            self._all.move(self, phase)
            self.phase, self.since = phase, self.loop.time()

    def _current(self) -> Phase:
        cycle = self.cycle
        if self.flow.write_paused or self.transport.is_closing():
            return Phase.SENDING
        if cycle is None or (self._in_header and cycle.response_complete):
            return Phase.HEADER
        if cycle.more_body:
            return Phase.WORKING if self.flow.read_paused else Phase.BODY
        return Phase.IDLE if cycle.response_complete else Phase.WORKING

    def send_400_response(self, msg: str) -> None:
        """Refuse what is no request once the whole ones before it are answered; nothing behind it is read."""
        if self.transport.is_closing():
            return
        self._all.closed("malformed")
        self._unparsed.clear()
        self._is_refused = self.flow.is_waiting = True
        self.flow.pause_reading()
        if self.pipeline and self.pipeline[0][0].more_body:  # it is the refused one
            self.pipeline.popleft()
            self._unanswered.pop()
            self.cycle = self._unanswered[-1]
        if not self._unanswered or self.cycle.more_body:
            self._refuse()

    def _refuse(self) -> None:
        """State the fault, and close; in the middle of the answer to what is refused only close."""
        is_begun = bool(self._unanswered) and self.cycle.response_started
        if not is_begun:
            given = dict(self.headers or ())
            number = request_id(given.get(b"x-request-id"))
            words = language(given.get(b"accept-language", b""))
            document = problems.body(self._fault, words, number)
            fields = [
                *SHARED,
                *API,
                *self._all.fields,
                NO_STORE,
                (b"x-request-id", number.encode()),
                (b"content-language", words.encode()),
                (b"content-type", problems.MEDIA_TYPE.encode()),
                (b"content-length", str(len(document)).encode()),
                (b"connection", b"close"),
            ]
            lines = b"".join(b"%s: %s\r\n" % field for field in fields)
            self.transport.write(STATUS_LINE[problems.status(self._fault)] + lines + b"\r\n" + document)
        if self.cycle:
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        self.transport.close()
