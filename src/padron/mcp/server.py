"""The tools over the Model Context Protocol, by its official library; the only module that knows the library.

Loading the library takes half a second and 30 MB, so this module is imported with the first request.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, NamedTuple

import anyio
import mcp_types as types
import msgspec
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.shared._stream_protocols import ReadStream, WriteStream
from mcp.shared.exceptions import MCPError
from mcp.shared.message import SessionMessage
from starlette.types import Receive, Scope, Send

from padron import __version__
from padron.directory import Directory
from padron.errors import PadronError
from padron.mcp import calls, tools
from padron.transport import problems
from padron.transport.headers import request_id
from padron.words import Language

_Context = ServerRequestContext[Any, Any]
_Item = SessionMessage | Exception
"""A message that is read, or why a line is none."""

for _library in ("mcp", "mcp_types"):
    # Its messages may quote a request; what fails is reported without them.
    logging.getLogger(_library).addHandler(logging.NullHandler())
    logging.getLogger(_library).propagate = False


class Exchange(NamedTuple):
    """The context that the calls of a request share: the caller, the directory, the receiver of faults of ours."""

    caller: calls.Caller
    directory: Callable[[], Awaitable[Directory]]
    request_id: str
    report: Callable[[Exception], None]


def build(exchange: Exchange) -> Server[Any]:
    """Return a server of the protocol for one exchange; making one takes microseconds."""
    language = exchange.caller.language

    async def list_tools(context: _Context, given: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        listed = [types.Tool.model_validate(tool) for tool in tools.described(language)]
        return types.ListToolsResult(tools=listed)

    async def call_tool(context: _Context, given: types.CallToolRequestParams) -> types.CallToolResult:
        if given.name not in tools.TOOLS:
            raise MCPError(types.INVALID_PARAMS, f"Unknown tool; known: {', '.join(tools.TOOLS)}")
        try:
            async with exchange.caller.answering(given.name):
                result = await tools.call(
                    tools.TOOLS[given.name], await exchange.directory(), exchange.caller, given.arguments or {}
                )
        except PadronError as error:
            problem = problems.body(error, language, exchange.request_id)
            return types.CallToolResult(content=[_text(problem)], is_error=True)
        except Exception as error:
            exchange.report(error)
            raise MCPError(types.INTERNAL_ERROR, "internal error") from None
        encoded = msgspec.json.encode(result)
        return types.CallToolResult(content=[_text(encoded)], structured_content=msgspec.json.decode(encoded))

    return Server(
        "padron",
        title="Padrón",
        version=__version__,
        instructions=tools.instructions(language),
        get_tool_input_schema=_input_schemas(language).get,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


def _text(encoded: bytes) -> types.TextContent:
    return types.TextContent(text=encoded.decode())


def _input_schemas(language: Language) -> dict[str, Any]:
    return {tool["name"]: tool["inputSchema"] for tool in tools.described(language)}


async def answer(exchange: Exchange, scope: Scope, receive: Receive, send: Send) -> None:
    """Answer one HTTP request of any revision of the protocol, without a session."""
    manager = StreamableHTTPSessionManager(build(exchange), json_response=True, stateless=True)
    async with manager.run():
        await manager.handle_request(scope, receive, send)


class LocalCaller:
    """The owner of a release on this machine, who has its files anyway: there is nothing to count or to grant."""

    def __init__(self, language: Language) -> None:
        self.language: Language = language

    async def count_searches(self, count: int) -> None:
        """Count nothing."""

    async def take_row(self) -> None:
        """Let other calls have their turn."""
        await asyncio.sleep(0)

    @asynccontextmanager
    async def answering(self, tool: str) -> AsyncIterator[None]:
        """Count nothing."""
        yield

    async def check_financials(self) -> None:
        """Permit them."""


class _Waiting:
    """The requests of a client that have no answer yet, between its streams and those of the server."""

    def __init__(self) -> None:
        self._ids: set[types.RequestId] = set()
        self._answered = asyncio.Event()

    async def pass_on(self, read: ReadStream[_Item], to_server: WriteStream[_Item]) -> None:
        """Pass on what is read, and its end as soon as no request waits: the library drops those that do."""
        async with to_server:
            async for item in read:
                self._note(item)
                await to_server.send(item)
            while self._ids:
                self._answered.clear()
                await self._answered.wait()

    def _note(self, item: _Item) -> None:
        match item:
            case SessionMessage(message=types.JSONRPCRequest(id=key)):
                self._ids.add(key)
            case SessionMessage(
                message=types.JSONRPCNotification(
                    method="notifications/cancelled", params={"requestId": str() | int() as key}
                )
            ):
                self._ids.discard(key)

    async def send_back(self, answers: ReadStream[SessionMessage], write: WriteStream[SessionMessage]) -> None:
        """Send back what the server answers."""
        async with write:
            async for item in answers:
                await write.send(item)
                match item.message:
                    case types.JSONRPCResponse(id=key) | types.JSONRPCError(id=str() | int() as key):
                        self._ids.discard(key)
                        self._answered.set()


async def serve_standard_input(directory: Directory, language: Language) -> None:
    """Answer all requests on standard input, however soon it ends behind the last one.

    A new release or suppression list counts from the next call.
    """

    async def current() -> Directory:
        nonlocal directory
        directory = await directory.refreshed()
        return directory

    def report(error: Exception) -> None:
        logging.getLogger(__name__).error("%s", type(error).__name__)

    server = build(Exchange(LocalCaller(language), current, request_id(None), report))
    to_server, requests = anyio.create_memory_object_stream[_Item]()
    to_client, answers = anyio.create_memory_object_stream[SessionMessage]()
    waiting = _Waiting()
    async with stdio_server() as (read, write), asyncio.TaskGroup() as tasks:
        tasks.create_task(waiting.send_back(answers, write))
        reading = tasks.create_task(waiting.pass_on(read, to_server))
        await server.run(requests, to_client, server.create_initialization_options())
        reading.cancel()
