"""Processes under the supervisor: one that stands still is replaced, one that has not begun to beat has longer."""

from __future__ import annotations

import errno
import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from padron.transport import server
from waiting import PATIENCE, until

Task = Callable[[int, int, Callable[[], None]], None]


@contextmanager
def supervised(work: Task, folder: Path) -> Iterator[Callable[[], list[str]]]:
    """Two processes at work under a supervisor of their own; gives what it told so far, line by line."""
    lines = folder / "told"
    lines.touch()

    def tell(line: str) -> None:
        with lines.open("a") as file:
            file.write(f"{line}\n")

    def lost(place: int, code: int) -> None:
        tell(f"lost {place} {code}")

    def refused(error: OSError) -> None:
        tell(f"refused {errno.errorcode[error.errno or 0]} {len(os.listdir('/dev/fd'))}")

    context = multiprocessing.get_context("fork")
    supervisor = context.Process(target=server.supervise, args=(work, 2, lost, refused))
    supervisor.start()
    try:
        yield lambda: lines.read_text().splitlines()
    finally:
        supervisor.terminate()
        supervisor.join(PATIENCE)
    assert supervisor.exitcode == 0


def test_a_worker_that_stands_still_is_replaced_and_one_that_starts_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "STUCK", 1)

    def work(place: int, replaced: int, beat: Callable[[], None]) -> None:
        (tmp_path / f"{place}-{replaced}").touch()
        if place:
            beat()
        signal.pause()

    with supervised(work, tmp_path) as reports:
        until((tmp_path / "1-2").exists)
        assert set(reports()) == {f"lost 1 {-signal.SIGKILL}"}
    assert [path.name for path in tmp_path.glob("0-*")] == ["0-0"]


def test_a_worker_that_never_begins_to_beat_is_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "STARTING", 3)

    def work(place: int, replaced: int, beat: Callable[[], None]) -> None:
        if place or replaced:
            beat()
        (tmp_path / f"{place}-{replaced}").touch()
        signal.pause()

    with supervised(work, tmp_path) as reports:
        until((tmp_path / "0-1").exists)
        assert reports() == [f"lost 0 {-signal.SIGKILL}"]


def test_a_process_that_the_system_refuses_is_asked_for_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Memory may be short for a moment: those that are there go on."""
    refusals = iter([False, False, False, True, True, False])  # the first is the supervisor
    fork = os.fork

    def refuse() -> int:
        if next(refusals):
            raise BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable")
        return fork()

    monkeypatch.setattr(os, "fork", refuse)

    def work(place: int, replaced: int, beat: Callable[[], None]) -> None:
        beat()
        (tmp_path / f"{place}-{replaced}").touch()
        if place and not replaced:
            os._exit(3)
        signal.pause()

    with supervised(work, tmp_path) as reports:
        until((tmp_path / "1-1").exists)
        lost, first, second = reports()
    assert lost == "lost 1 3"
    assert first.startswith("refused EAGAIN ")
    assert first == second, "no descriptor stays open"


def test_a_parent_that_ignores_the_end_of_its_children_costs_no_worker(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A program started by one that ignores SIGCHLD ignores it too, and then nobody learns an exit code."""
    monkeypatch.setattr(server, "_PAUSE", 0.2)
    supervise = server.supervise

    def ignoring(*given: Any) -> None:
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        supervise(*given)

    monkeypatch.setattr(server, "supervise", ignoring)

    def work(place: int, replaced: int, beat: Callable[[], None]) -> None:
        beat()
        (tmp_path / f"{place}-{replaced}").touch()
        if not replaced:
            os._exit(3)
        signal.pause()

    with supervised(work, tmp_path) as reports:
        until(lambda: len([*tmp_path.glob("[01]-[12]")]) == 2)
        assert sorted(reports()) == ["lost 0 3", "lost 1 3"]
