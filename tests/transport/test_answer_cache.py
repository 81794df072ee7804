"""Answers from memory: the same bytes, header fields and log line, of the release that is served, in bounded memory."""

from __future__ import annotations

import gc
import json

import pytest

from memory_directory import MemoryDirectory, service
from padron.transport.answer_cache import AnswerCache, FinishedAnswer

SEARCH = "/api/public/empresas/search"
BRANCH = "/api/public/empresas/BR/33000167"


@pytest.mark.parametrize("path", [f"{SEARCH}?q=s+a", BRANCH, "/api/public/empresas/stats"])
def test_an_answer_from_memory_is_the_same(path: str, capfd: pytest.CaptureFixture[str]) -> None:
    with service(MemoryDirectory()) as client:
        first, second = client.get(path), client.get(path)
    fields = [
        {name: value for name, value in answer.headers.items() if name != "x-request-id"} for answer in (first, second)
    ]
    assert (first.status_code, first.content, fields[0]) == (second.status_code, second.content, fields[1])
    assert first.headers["x-request-id"] != second.headers["x-request-id"]
    lines = [json.loads(line) for line in capfd.readouterr().out.splitlines() if '"request"' in line]
    facts = [{name: line.get(name) for name in ("route", "status", "kind", "q_length", "results")} for line in lines]
    assert facts[-2] == facts[-1]  # before them may be lines that earlier tests left in the buffer


def test_a_request_asked_again_is_not_worked_out_again() -> None:
    memory_directory = MemoryDirectory()
    with service(memory_directory) as client:
        for _ in range(3):
            tag = client.get(f"{SEARCH}?q=apple").headers["etag"]
        assert client.get(f"{SEARCH}?q=apple", headers={"if-none-match": tag}).status_code == 304
        assert memory_directory.asked == ["apple"]
        for other in (f"{SEARCH}?q=apple&limit=3", f"{SEARCH}?q=Apple"):
            client.get(other)
        client.get(f"{SEARCH}?q=apple", headers={"accept-language": "en"})
        assert memory_directory.asked == ["apple", "apple", "Apple", "apple"]
        for _ in range(2):
            assert client.get(f"{SEARCH}?q=apple&limit=0").status_code == 400


def answer(number: int, size: int) -> FinishedAnswer:
    return FinishedAnswer(("es", b"%d" % number), b"", [], b"x" * size, [], None, None, None)


def test_memory_is_bounded_and_the_answer_used_last_stays() -> None:
    cache, directory = AnswerCache(most_bytes=10_000), MemoryDirectory()
    answers = cache.of(directory)
    for number in range(100):
        answers[("es", b"%d" % number)] = answer(number, 1_000)
        assert answers.get(("es", b"0"))
    assert len(answers) == 6
    assert ("es", b"99") in answers
    assert ("es", b"50") not in answers


def test_answers_are_forgotten_with_their_directory() -> None:
    cache, old, new = AnswerCache(), MemoryDirectory(), MemoryDirectory()
    cache.of(old)["es", b"1"] = answer(1, 10)
    assert cache.of(old).get(("es", b"1"))
    assert cache.of(new).get(("es", b"1")) is None
    del old
    gc.collect()
    assert len(cache._answers) == 1
