"""Look-ups that are asked ahead: in which request each goes, and what a dry run gets."""

from __future__ import annotations

from collections.abc import Sequence

from padron.directory import run
from padron.index.prefetch import Prefetch, current, prefetching


class Asked(list[list[bytes]]):
    """The look-ups of each request; the reply to one is its name in capitals."""

    async def request(self, names: Sequence[bytes]) -> list[bytes]:
        self.append(list(names))
        return [name.upper() for name in names]


async def looked_up(asked: Asked, *names: bytes) -> list[bytes]:
    search = current.get()
    assert search is not None
    return await search.replies(names, asked.request, b"")


def test_a_dry_run_is_asked_with_each_of_the_first_requests() -> None:
    asked, dry = Asked(), []

    async def first() -> None:
        dry.append(await looked_up(asked, b"a", b"b"))

    async def second() -> None:
        dry.append(await looked_up(asked, b"b", b"c", b"d"))

    async def search() -> list[bytes]:
        with prefetching(iter((first, second))):
            got = await looked_up(asked, b"a")
            for name in (b"b", b"c", b"d", b"e"):
                got += await looked_up(asked, name)
        return got

    assert run(search()) == [b"A", b"B", b"C", b"D", b"E"]
    assert asked == [[b"a", b"b"], [b"c", b"d"], [b"e"]]
    assert dry == [[b"", b""], [b"B", b"", b""]]
    assert current.get() is None


def test_no_more_is_asked_ahead_than_a_request_may_hold() -> None:
    asked = Asked()
    spans = [b"%d" % at for at in range(600)]

    async def search() -> int:
        with prefetching(iter((lambda: looked_up(asked, *spans),))):
            return len(await looked_up(asked, b"name"))

    assert run(search()) == 1
    assert [len(names) for names in asked] == [501]


def test_a_dry_run_that_fails_leaves_the_search_as_it_was() -> None:
    asked = Asked()

    async def failing() -> None:
        await looked_up(asked, b"a")
        raise ValueError("a fault of ours")

    async def search() -> list[bytes]:
        prefetch = Prefetch(iter((failing,)))
        token = current.set(prefetch)
        try:
            await looked_up(asked, b"a")
        except ValueError:
            return await looked_up(asked, b"b")
        finally:
            current.reset(token)
        return []

    assert run(search()) == [b"B"]
    assert asked == [[b"b"]]
