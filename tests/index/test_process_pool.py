"""Work in other processes: in order, a few requests ahead, and never silent about a process that is lost."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import pool_work
from padron.errors import Unavailable
from padron.index import process_pool
from waiting import until


def requests(count: int) -> Iterator[bytes]:
    return (str(number).encode() for number in range(count))


def children() -> set[str]:
    return set(Path("/proc/self/task").joinpath(str(os.getpid()), "children").read_text().split())


def test_answers_come_in_the_order_of_the_requests() -> None:
    assert list(process_pool.apply(pool_work.double, requests(40))) == [request * 2 for request in requests(40)]
    assert list(process_pool.apply(pool_work.double, ())) == []


def test_every_process_works_and_few_requests_are_taken_ahead() -> None:
    taken = []

    def counted() -> Iterator[bytes]:
        for request in requests(60):
            taken.append(request)
            yield request

    processes = set()
    for done, answer in enumerate(process_pool.apply(pool_work.who, counted()), start=1):
        processes.add(answer)
        assert len(taken) <= done + 2 * process_pool.PROCESSES
    assert len(processes) == process_pool.PROCESSES


def test_a_killed_process_is_told_and_leaves_none_behind() -> None:
    before = children()
    with pytest.raises(Unavailable, match="build-process-lost") as lost:
        list(process_pool.apply(pool_work.die, requests(100)))
    assert lost.value.context == {"status": -signal.SIGKILL}
    assert children() == before


def test_what_the_work_raises_is_told(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(Unavailable, match="build-process-lost") as lost:
        list(process_pool.apply(pool_work.fail, requests(1)))
    assert lost.value.context == {"status": 1}
    assert "ValueError: b'0'" in capfd.readouterr().err


def test_work_that_nobody_waits_for_any_more_ends() -> None:
    before = children()
    answers = process_pool.apply(pool_work.who, requests(1_000))
    next(answers)
    assert len(children() - before) == process_pool.PROCESSES
    answers.close()
    assert children() == before


CALLER = """
import pool_work
from padron.index import process_pool
for answer in process_pool.apply(pool_work.who, (b"1" for _ in range(100_000))):
    print(answer.decode(), flush=True)
"""


def test_no_process_outlives_a_caller_that_is_killed() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", CALLER],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=subprocess.PIPE,
        text=True,
    ) as caller:
        assert caller.stdout
        processes = {caller.stdout.readline().strip() for _ in range(20 * process_pool.PROCESSES)}
        caller.kill()
    assert len(processes) == process_pool.PROCESSES
    until(lambda: not any(Path("/proc", process).exists() for process in processes))
