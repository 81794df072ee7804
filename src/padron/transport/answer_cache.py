"""Finished answers in memory: a request asked again is not worked out again. Nothing of them is ever logged."""

from __future__ import annotations

from typing import Final, NamedTuple
from weakref import WeakKeyDictionary

from cachetools import LRUCache

from padron.directory import Directory
from padron.transport.call import Call, Kind
from padron.transport.headers import Header
from padron.words import Language

_MOST_BYTES: Final = 32 << 20
"""Memory per worker: some 6,000 searches with eight results, or 25,000 companies."""
_OVERHEAD: Final = 600
"""Bytes of an answer besides its request and its body."""

Request = tuple[Language, bytes]
"""The language of an answer; path and query of its request."""


class FinishedAnswer(NamedTuple):
    """An answer of status 200: its ETag, the header fields of its own, its body, and the facts for the log.

    `coding`: the field of its coding, which a 304 does not have.
    """

    request: Request
    tag: bytes
    headers: list[Header]
    body: bytes
    coding: list[Header]
    kind: Kind | None
    q_length: int | None
    results: int | None

    def describe(self, call: Call) -> None:
        """Give a request that is answered from memory the header fields and facts of the answer."""
        call.headers += self.headers
        call.kind, call.q_length, call.results = self.kind, self.q_length, self.results


class AnswerCache:
    """The answers used last, by directory: another release or other suppressions begin with none."""

    def __init__(self, most_bytes: int = _MOST_BYTES) -> None:
        self._most_bytes = most_bytes
        self._answers: WeakKeyDictionary[Directory, LRUCache[Request, FinishedAnswer]] = WeakKeyDictionary()

    def of(self, directory: Directory) -> LRUCache[Request, FinishedAnswer]:
        """Return the answers of a directory, which are forgotten with it."""
        answers = self._answers.get(directory)
        if answers is None:
            answers = self._answers[directory] = LRUCache(self._most_bytes, getsizeof=_size)
        return answers


def _size(answer: FinishedAnswer) -> int:
    return len(answer.request[1]) + len(answer.body) + _OVERHEAD
