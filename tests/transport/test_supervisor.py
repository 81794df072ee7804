"""Processes under the supervisor: one that stands still is replaced, one that has not begun to beat is waited for."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from padron.transport import server
from waiting import PATIENCE, until


def test_a_worker_that_stands_still_is_replaced_and_one_that_starts_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "STUCK", 1)
    first, ended = tmp_path / "first", tmp_path / "ended"

    def work(replaced: int, beat: Callable[[], None]) -> None:
        try:
            first.touch(exist_ok=False)
        except FileExistsError:
            beat()
            (tmp_path / f"{os.getpid()}.beaten").touch()
        signal.pause()

    def lost(process: multiprocessing.Process) -> None:
        with ended.open("a") as file:
            file.write(f"{process.pid} {process.exitcode}\n")

    context = multiprocessing.get_context("fork")
    supervisor = context.Process(target=server.supervise, args=(work, 2, lost))
    supervisor.start()
    try:
        until(lambda: len(list(tmp_path.glob("*.beaten"))) >= 3)
    finally:
        supervisor.terminate()
        supervisor.join(PATIENCE)
    assert supervisor.exitcode == 0
    lines = ended.read_text().splitlines()
    assert len(lines) >= 2
    assert {line.split()[1] for line in lines} == {str(-signal.SIGKILL)}
    assert all((tmp_path / f"{line.split()[0]}.beaten").exists() for line in lines)
