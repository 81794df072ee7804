"""Servers of a system: each a process with descendants of its own, which can be killed and started again."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from waiting import until

LINES = 20
"""Lines of the log of a part that did not start."""


class PartFailure(AssertionError):
    """A part that does not start, with the end of its log."""


@dataclass(kw_only=True)
class Part:
    """A server; its output goes to `log`. `user` are the arguments of `Popen` by which it is not root."""

    name: str
    command: Sequence[str]
    log: Path
    answers: Callable[[], bool]
    environment: Mapping[str, str] = field(default_factory=dict)
    user: Mapping[str, object] = field(default_factory=dict)
    process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it, and return when it answers."""
        with self.log.open("ab") as output:
            self.process = subprocess.Popen(
                self.command, env=os.environ | self.environment, cwd="/", stdin=subprocess.DEVNULL, stdout=output,
                stderr=output, start_new_session=True, **self.user,
            )  # fmt: skip
        until(self._answers)

    def _answers(self) -> bool:
        assert self.process is not None
        if (code := self.process.poll()) is not None:
            raise PartFailure(f"{self.name} ended with {code}; the end of its log:\n{end_of(self.log)}")
        return self.answers()

    def kill(self) -> None:
        """End it and all that it started, at once."""
        assert self.process is not None
        started = descendants(self.process.pid)
        for pid in (self.process.pid, *started):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.process.wait()
        until(lambda: not any(is_running(pid) for pid in started))

    def stop(self, number: int = signal.SIGTERM) -> None:
        """End it as a supervisor does."""
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(number)
            self.process.wait()

    @contextmanager
    def running(self, number: int = signal.SIGTERM) -> Iterator[None]:
        """Run it for the block; a signal ends it."""
        try:
            self.start()
            yield
        finally:
            self.stop(number)


@contextmanager
def starting(name: str, logs: Callable[[], Sequence[Path]] = tuple) -> Iterator[None]:
    """Say of what fails in the block which part it is, with the end of its logs."""
    try:
        yield
    except PartFailure:
        raise
    except (AssertionError, OSError, subprocess.SubprocessError) as error:
        ends = [f"the end of {log.parent.name}/{log.name}:\n{end_of(log)}" for log in logs()]
        raise PartFailure("\n".join([f"{name} does not start: {error}", *ends])) from error


def end_of(log: Path) -> str:
    return "\n".join(log.read_text(errors="replace").splitlines()[-LINES:])


def is_running(pid: int) -> bool:
    """True unless the process is gone, or only waits for its parent to notice."""
    with suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


def descendants(pid: int) -> list[int]:
    """The processes that a process has started, and those that they have."""
    children: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            parent = int(stat.read_text().rpartition(")")[2].split()[1])
            children.setdefault(parent, []).append(int(stat.parent.name))
    below = list(children.get(pid, ()))
    for child in below:
        below += children.get(child, ())
    return below
