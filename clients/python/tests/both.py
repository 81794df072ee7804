"""One way to use either client, so that each test speaks for both."""

from __future__ import annotations

import asyncio
import json
import re
import ssl
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal

import httpx2

from padron_client import AsyncPadron, Padron

TABLE = json.loads((Path(__file__).parents[2] / "cases.json").read_text(encoding="utf-8"))
KEY: str = TABLE["apiKey"]
Kind = Literal["threads", "asyncio"]

_TLS = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
"""A TLS context that no server here uses: making one for each client would take most of the tests' time."""


def call(kind: Kind, options: Mapping[str, Any], method: str, arguments: Mapping[str, Any], repeat: int = 1) -> Any:
    """The result of the last of `repeat` calls of one client; method and arguments as in cases.json."""
    named = {snake(name): value for name, value in arguments.items()}
    return use(kind, options, lambda client: getattr(client, snake(method))(**named), repeat)


def snake(name: str) -> str:
    """A name of cases.json as Python has it."""
    return re.sub("[A-Z]", lambda letter: f"_{letter[0].lower()}", name)


def use(kind: Kind, options: Mapping[str, Any], act: Callable[[Any], Any], repeat: int = 1) -> Any:
    """The last result of `act(client)`; what it gives with asyncio is awaited, or gathered into a list."""
    if kind == "threads":
        with Padron(**{"api_key": KEY, "transport": httpx2.HTTPTransport(verify=_TLS)} | options) as client:
            return [_whole(act(client)) for _ in range(repeat)][-1]

    async def go() -> Any:
        async with AsyncPadron(
            **{"api_key": KEY, "transport": httpx2.AsyncHTTPTransport(verify=_TLS)} | options
        ) as client:
            return [await _awaited(act(client)) for _ in range(repeat)][-1]

    return asyncio.run(go())


def _whole(thing: Any) -> Any:
    return list(thing) if hasattr(thing, "__next__") else thing


async def _awaited(thing: Any) -> Any:
    return [item async for item in thing] if hasattr(thing, "__anext__") else await thing
