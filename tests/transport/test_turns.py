"""Clients take turns: the many requests and connections of one do not come before the one of another."""

from __future__ import annotations

import asyncio

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
