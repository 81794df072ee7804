"""Clients take turns: the many requests and connections of one do not come before the one of another."""

from __future__ import annotations

import asyncio

import pytest

from padron.transport.turns import Turns


async def begun(clients: str, at_once: int) -> str:
    """The order in which requests begin that are ready together; each letter is a client."""
    turns, order = Turns(at_once), []

    async def request(client: str) -> None:
        await turns.take(client)
        order.append(client)

    await asyncio.gather(*map(request, clients))
    return "".join(order)


def test_clients_take_turns_when_more_is_ready_than_one_round_begins() -> None:
    assert asyncio.run(begun("aaaaaaaabc", at_once=2)) == "aa" + "abcaaaaa"


def test_a_few_requests_wait_for_nothing() -> None:
    assert asyncio.run(begun("aab", at_once=3)) == "aab"


def test_each_round_of_the_loop_begins_a_few() -> None:
    async def rounds() -> list[int]:
        turns, done, counts = Turns(2), 0, []

        async def request() -> None:
            nonlocal done
            await turns.take("a")
            done += 1

        tasks = [asyncio.create_task(request()) for _ in range(6)]
        while done < len(tasks):
            await asyncio.sleep(0)
            counts.append(done)
        return counts

    counts = asyncio.run(rounds())
    assert max(after - before for before, after in zip([0, *counts], counts, strict=False)) == 2


def test_a_request_that_is_given_up_takes_no_turn() -> None:
    async def given_up() -> list[str]:
        turns, order = Turns(1), []

        async def request(name: str) -> None:
            await turns.take("a")
            order.append(name)

        tasks = [asyncio.create_task(request(name)) for name in ("first", "second", "third")]
        await asyncio.sleep(0)
        tasks[1].cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        return order

    assert asyncio.run(given_up()) == ["first", "third"]


def test_a_round_ends_after_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Others wait for one dear request at a time, whoever sent it, and are passed over by none of another client."""
    now = 0.0
    monkeypatch.setattr("padron.transport.turns.monotonic", lambda: now)

    async def rounds(clients: str) -> list[str]:
        turns, order, seen = Turns(4), [], []

        async def request(client: str) -> None:
            nonlocal now
            await turns.take(client)
            order.append(client)
            now += 0.02 if client == "a" else 0.001

        tasks = [asyncio.create_task(request(client)) for client in clients]
        while len(order) < len(tasks):
            await asyncio.sleep(0)
            if begun := "".join(order[sum(map(len, seen)) :]):
                seen.append(begun)
        return seen

    assert asyncio.run(rounds("aaaaabc")) == ["a", "a", "bca", "a", "a"]
    assert asyncio.run(rounds("bcdefg")) == ["bcde", "fg"]


def test_who_comes_later_waits_for_few_dear_requests_of_another(monkeypatch: pytest.MonkeyPatch) -> None:
    """A round that had no time for requests of one client puts them behind one another, not before those of others."""
    now = 0.0
    monkeypatch.setattr("padron.transport.turns.monotonic", lambda: now)

    async def order_of_a_late_one() -> str:
        turns, order = Turns(4), []

        async def request(client: str) -> None:
            nonlocal now
            await turns.take(client)
            order.append(client)
            now += 0.02

        tasks = [asyncio.create_task(request("a")) for _ in range(12)]
        while len(order) < 2:
            await asyncio.sleep(0)
        await asyncio.gather(*tasks, request("b"))
        return "".join(order)

    assert asyncio.run(order_of_a_late_one()) == "aaaaab" + 7 * "a"  # it came after the third


@pytest.mark.parametrize("calls", [1, 2, 3, 5])
@pytest.mark.parametrize("waits", [0, 1, 2, 3])
def test_who_is_ready_in_each_round_passes_nobody_over(monkeypatch: pytest.MonkeyPatch, calls: int, waits: int) -> None:
    """Long work of one client asks for its next turn in the moment in which a round has begun."""
    now = 0.0
    monkeypatch.setattr("padron.transport.turns.monotonic", lambda: now)

    async def steps_before(arrival: int) -> int:
        turns, steps = Turns(4), 0

        async def work() -> None:
            nonlocal now, steps
            for _ in range(40):
                await turns.take("a")
                steps += 1
                now += 0.02
                for _ in range(waits):
                    await asyncio.sleep(0)

        tasks = [asyncio.create_task(work()) for _ in range(calls)]
        while steps < arrival:
            await asyncio.sleep(0)
        before = steps
        await turns.take("b")
        waited = steps - before
        await asyncio.gather(*tasks)
        return waited

    assert max(asyncio.run(steps_before(arrival)) for arrival in range(1, 12)) <= 2
