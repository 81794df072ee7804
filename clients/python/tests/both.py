"""One way to call either client, so that each test speaks for both."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Literal

from padron_client import AsyncPadron, Padron

Kind = Literal["threads", "asyncio"]
NAMES = {"id": "id", "planId": "plan_id", "idempotencyKey": "idempotency_key"}


def call(kind: Kind, options: Mapping[str, Any], method: str, arguments: Mapping[str, Any], repeat: int = 1) -> Any:
    """The result of the last of `repeat` calls of one client."""
    named = {NAMES.get(name, name): value for name, value in arguments.items()}
    return run(kind, options, lambda client: getattr(client, method)(**named), repeat)


def run(kind: Kind, options: Mapping[str, Any], use: Callable[[Any], Any], repeat: int = 1) -> Any:
    """The last result of `use(client)`."""
    if kind == "threads":
        with Padron(**options) as client:
            return [use(client) for _ in range(repeat)][-1]

    async def go() -> Any:
        async with AsyncPadron(**options) as client:
            return [await _whole(use(client)) for _ in range(repeat)][-1]

    return asyncio.run(go())


async def _whole(thing: Awaitable[Any]) -> Any:
    return await thing
