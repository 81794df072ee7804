"""Threads by purpose: bounded, apart, and new in a forked process."""

from __future__ import annotations

import asyncio
import gc
import os
from threading import Event
from typing import Any

import pytest
from starlette.testclient import TestClient

from padron.config import load
from padron.directory import Directory, run
from padron.errors import Unavailable
from padron.releases import change_log
from padron.service.app import build_app
from padron.threads import DRAWING, FEEDS, REPORTING, Threads, ask_accounts
from waiting import PATIENCE


def test_calls_beyond_the_bound_are_refused_and_the_others_are_done() -> None:
    async def ask() -> tuple[list[int], list[str]]:
        free = Event()
        pool = Threads("test", 1, 2)
        begun = [asyncio.create_task(pool.call(free.wait))]
        while pool.waiting() or not begun:
            await asyncio.sleep(0)
        begun += [asyncio.create_task(pool.call(free.wait)) for _ in range(2)]
        await asyncio.sleep(0)
        refused = []
        for _ in range(3):
            with pytest.raises(Unavailable) as error:
                await pool.call(free.wait)
            refused.append(error.value.code)
        free.set()
        return [await task for task in begun], refused

    assert asyncio.run(asyncio.wait_for(ask(), PATIENCE)) == ([True] * 3, ["busy"] * 3)


def test_a_call_that_takes_too_long_is_waited_for_no_longer() -> None:
    async def ask() -> list[str]:
        free, begun = Event(), []
        pool = Threads("test", 1, seconds=0.05)
        codes = []
        for _ in range(3):
            with pytest.raises(Unavailable) as error:
                await pool.call(lambda: begun.append(free.wait()))
            codes.append(error.value.code)
        free.set()
        while not begun:
            await asyncio.sleep(0)
        assert await pool.call(len, begun) == 1, "what no thread had begun is not done any more"
        return codes

    assert asyncio.run(asyncio.wait_for(ask(), PATIENCE)) == ["busy"] * 3


def test_a_caller_that_is_given_up_waits_no_longer_than_the_others() -> None:
    async def leave() -> bool:
        free, begun = Event(), Event()
        asking = asyncio.create_task(Threads("test", 1, seconds=0.05).call(lambda: begun.set() or free.wait(PATIENCE)))
        while not begun.is_set():
            await asyncio.sleep(0)
        asking.cancel()
        await asyncio.wait({asking})
        has_ended = free.is_set()
        free.set()
        return has_ended

    assert asyncio.run(asyncio.wait_for(leave(), PATIENCE)) is False


def test_a_time_limit_of_what_is_called_is_told_as_such() -> None:
    def fail() -> None:
        raise TimeoutError("of a file system")

    with pytest.raises(TimeoutError, match="of a file system"):
        asyncio.run(Threads("test", 1, seconds=PATIENCE).call(fail))


def test_a_turn_is_held_as_long_as_a_thread_works_in_it() -> None:
    """A client that leaves, again and again, does not fill the threads with what nobody waits for."""

    async def leave() -> tuple[bool, str]:
        free, begun, untold = Event(), [], []

        def fail_later() -> None:
            begun.append(1)
            free.wait(PATIENCE)
            raise Unavailable("busy")

        asyncio.get_running_loop().set_exception_handler(lambda _loop, context: untold.append(context))
        ended = [asyncio.create_task(ask_accounts("a", fail_later)) for _ in range(2)]
        while len(begun) < 2:
            await asyncio.sleep(0)
        waiting = asyncio.create_task(ask_accounts("a", begun.append, "of a client that left before its turn"))
        later = asyncio.create_task(ask_accounts("a", str, "later"))
        await asyncio.sleep(0)
        for task in (*ended, waiting):
            task.cancel()
        other = await ask_accounts("b", str, "another account")
        await asyncio.wait({waiting})
        has_waited = not later.done() and not ended[0].done()
        free.set()
        await asyncio.wait(ended)
        assert all(task.cancelled() for task in (*ended, waiting))
        assert (await later, begun) == ("later", [1, 1])
        del ended
        gc.collect()
        assert untold == [], "a fault that nobody waits for is none of the service"
        return has_waited, other

    assert asyncio.run(asyncio.wait_for(leave(), PATIENCE)) == (True, "another account")


def test_a_forked_process_has_threads_of_its_own() -> None:
    pool = Threads("test", 1)
    assert asyncio.run(pool.call(int, "7")) == 7
    child = os.fork()
    if child == 0:
        os._exit(asyncio.run(asyncio.wait_for(pool.call(int, "7"), 30)))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7


def test_strangers_who_ask_for_feeds_keep_no_holder_of_a_key_waiting(small: Directory) -> None:
    free = Event()
    for _ in range(int(FEEDS.most_waiting) + 1):
        FEEDS.submit(free.wait, PATIENCE)
    try:
        page = run(small.changes(None, 1, change_log.ALL))
        assert page.cursor == run(small.end_of_changes())
        with pytest.raises(Unavailable, match="busy"):
            run(small.latest_changes(1, "192.0.2.1"))
    finally:
        free.set()


@pytest.mark.parametrize(
    ("pool", "method", "path"),
    [
        (DRAWING, "GET", "/cards/es/co/899999068.png"),
        (FEEDS, "GET", "/es/buscar.atom"),
        (REPORTING, "POST", "/api/keys/exposed"),
    ],
)
def test_the_many_requests_of_a_stranger_leave_places_to_others(
    small: Directory, pool: Threads, method: str, path: str
) -> None:
    app = build_app(load({"PADRON_LIMITS__ENABLED": "0"}), small)
    free = Event()

    async def ask(peer: str) -> int:
        scope = {"type": "http", "method": method, "path": path, "raw_path": path.encode(), "http_version": "1.1"}
        scope |= {"query_string": b"q=ecopetrol" * path.endswith("atom"), "headers": [], "client": (peer, 1)}
        statuses: list[int] = []

        async def receive() -> dict[str, Any]:
            return {"type": "http.request", "body": b"[]"}

        async def send(message: dict[str, Any]) -> None:
            statuses.append(message.get("status", 0))

        await app(scope, receive, send)
        return statuses[0]

    async def visit() -> list[int]:
        pool.submit(free.wait, PATIENCE)
        asking = [asyncio.create_task(ask("192.0.2.1")) for _ in range(60)]
        while not pool.waiting():
            await asyncio.sleep(0)
        for _ in range(100):
            await asyncio.sleep(0)
        asking.append(asyncio.create_task(ask("192.0.2.2")))
        while pool.waiting() < 3:
            await asyncio.sleep(0)
        free.set()
        return await asyncio.gather(*asking)

    with TestClient(app) as client:
        assert client.portal is not None
        statuses = client.portal.call(lambda: asyncio.wait_for(visit(), PATIENCE))
    assert set(statuses) == {204 if method == "POST" else 200}
