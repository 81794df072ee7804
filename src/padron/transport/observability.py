"""Log and metrics: one structured line per request. Neither can hold a query or an identifier.

Log lines are typed: only their fields can be logged, and every field is a template, a code, a count or a time.
"""

from __future__ import annotations

import errno
import logging
import os
import signal
import stat
import traceback
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime, time
from itertools import cycle
from pathlib import Path
from queue import SimpleQueue
from threading import Lock, Thread
from time import perf_counter

import msgspec
from msgspec import Struct, field
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest, values
from prometheus_client.multiprocess import MultiProcessCollector

from padron.companies.model import Coverage
from padron.errors import Unavailable
from padron.transport.call import Call, Kind
from padron.transport.headers import is_opaque
from padron.transport.tracing import RequestTracer

METHODS = frozenset({"GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"})
"""Methods that are logged by name; a client may invent others, which are logged as OTHER."""

PARTS = ("search", "accounts", "mail", "billing", "plans", "limits", "webhooks", "log")
"""Parts of the service that fail alone. `search` is not in order while the current release is not the one served, or
its engine does not answer."""

STAGES = ("retrieve", "score", "encode")
"""Stages of a search by name: its candidates are looked up, compared and ranked, and the answer becomes JSON."""

_MEASURED = 8
"""One search in so many is measured, the first included: shared histograms take 8 µs, a fast search 400."""

_STAGE_BUCKETS = (0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 1.0)
_CANDIDATE_BUCKETS = (0, 1, 5, 10, 20, 30, 40, 50)
_BUCKETS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)


_SIZES = {"histogram": 1 << 22} | dict.fromkeys(
    ("counter", "gauge_max", "gauge_livemax", "gauge_livemin", "gauge_livesum"), 1 << 18
)
"""Bytes for the metrics of each kind, as the library names the files of one of several workers: more than all routes
with all their statuses take."""


class Line(Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="event"):
    """A line of the log. `at` is UTC."""

    at: datetime = field(default_factory=lambda: datetime.now(UTC))


class RequestLine(Line, frozen=True, kw_only=True, tag="request"):
    """The end of a request. `ms` is the time to answer, `q_length` the length of `q`, `results` their number.

    `unrecorded_keys` is the number of keys in its address that the accounts database was not there to record.
    """

    route: str
    method: str
    status: int
    ms: float
    code: str | None = None
    kind: Kind | None = None
    q_length: int | None = None
    results: int | None = None
    unrecorded_keys: int | None = None
    request_id: str | None = None


class FaultLine(Line, frozen=True, kw_only=True, tag="fault"):
    """An internal error: its type and traceback, but not its message, which may quote the request."""

    route: str
    error: str
    way: list[str]
    request_id: str | None


class ReleaseLine(Line, frozen=True, kw_only=True, tag="release"):
    """A change of the release being served."""

    release: str


class RefusedLine(Line, frozen=True, kw_only=True, tag="release-refused"):
    """A release that does not open; the previous one stays."""

    error: str


class ServerLine(Line, frozen=True, kw_only=True, tag="server"):
    """A message of the HTTP server itself, such as a dead worker or a port in use."""

    level: str
    message: str


class LostLine(Line, frozen=True, kw_only=True, tag="lost"):
    """A part of `PARTS` that fails with an error, or works again (None)."""

    part: str
    error: str | None


class StructuredLog:
    """The log on standard output: one JSON object per line, written by a thread of its own.

    Standard output may be a full disk, or a pipe that nobody reads: it costs lines, never the service. Lines are given
    to the thread in blocks, or at `flush`: handing over costs a worker as much as a request. Where `_MOST_WAITING`
    bytes wait, further lines are lost.
    """

    _ATOMIC = 4_096
    """Bytes that a pipe takes at once: workers share it, and their lines must not mix."""
    _BLOCK = 65_536
    _MOST_WAITING = 1 << 20
    _LAST_WORDS = 1.0
    """Seconds that `close` waits for standard output."""

    def __init__(self) -> None:
        self._encode = msgspec.json.Encoder().encode
        self._lock = Lock()
        self._lines: list[bytes] = []
        self._size = 0
        self._blocks: SimpleQueue[list[bytes] | None] = SimpleQueue()
        self._thread: Thread | None = None
        self._given = self._taken = 0
        self._refused = self._failed = 0
        self._error: str | None = None

    @property
    def lost(self) -> int:
        """The number of lines that could not be written."""
        return self._refused + self._failed

    @property
    def error(self) -> str | None:
        """The name of the error of the last write (`ENOSPC`), `not-read` where nobody takes the lines; else None."""
        return "not-read" if self._is_full() else self._error

    def _is_full(self) -> bool:
        return self._given - self._taken >= self._MOST_WAITING

    def write(self, line: Line) -> None:
        """Buffer a line."""
        text = self._encode(line)
        with self._lock:
            if self._size + len(text) >= self._BLOCK:
                self._hand_over()
            self._lines.append(text)
            self._size += len(text) + 1

    def write_now(self, line: Line) -> None:
        """Write a line at once, for rare events."""
        self.write(line)
        self.flush()

    def flush(self) -> None:
        """Give the buffered lines to the thread."""
        with self._lock:
            self._hand_over()

    def _hand_over(self) -> None:
        if not self._lines:
            return
        lines, size, self._lines, self._size = self._lines, self._size, [], 0
        if self._is_full():
            self._refused += len(lines)
            return
        self._given += size
        self._blocks.put(lines)
        if self._thread is None:
            thread = Thread(target=self._write_blocks, name="log", daemon=True)
            with suppress(RuntimeError):  # the system starts none now: the next lines ask again
                thread.start()
                self._thread = thread

    def close(self) -> None:
        """Write what is buffered, if standard output takes it soon."""
        self.flush()
        if self._thread is not None:
            self._blocks.put(None)
            self._thread.join(self._LAST_WORDS)
            self._thread = None

    def _write_blocks(self) -> None:
        signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())  # they are for the main thread
        torn = b""
        is_pipe = False
        with suppress(OSError):  # closed: each line is lost and counted
            is_pipe = stat.S_ISFIFO(os.fstat(1).st_mode)
        most = self._ATOMIC if is_pipe else self._BLOCK
        while block := self._blocks.get():
            for lines in _portions(block, most):
                text = b"\n".join([*lines, b""])
                left = torn + text
                try:
                    while left:
                        left = left[os.write(1, left) :]
                        torn = b"\n"
                    torn, self._error = b"", None
                except OSError as error:
                    self._error = errno.errorcode.get(error.errno or 0, "EIO")
                    self._failed += len(lines)
                self._taken += len(text)


def _portions(lines: list[bytes], most: int) -> Iterator[list[bytes]]:
    """Yield lines together as long as they have no more than so many bytes with their ends."""
    portion: list[bytes] = []
    size = 0
    for line in lines:
        if portion and size + len(line) + 1 > most:
            yield portion
            portion, size = [], 0
        portion.append(line)
        size += len(line) + 1
    yield portion


class LogHandler(logging.Handler):
    """A handler of the server library's own records: they are lines of this log."""

    def __init__(self, log: StructuredLog) -> None:
        """`log`: the log."""
        super().__init__()
        self._log = log

    def emit(self, record: logging.LogRecord) -> None:
        """Write one line."""
        self._log.write_now(ServerLine(level=record.levelname.lower(), message=record.getMessage()))


class _Sample:
    """A histogram of one value in `_MEASURED`."""

    def __init__(self, histogram: Histogram) -> None:
        self._observe = histogram.observe
        self._turns = cycle(range(_MEASURED))

    def observe(self, value: float) -> None:
        """Count a value if it is its turn."""
        if next(self._turns) == 0:
            self._observe(value)


def reserve_metrics(folder: Path, place: int) -> None:
    """Make the files of the metrics of one of several workers, with all the disk that they take.

    Those of a worker before at the same place stay, but for what was true of it alone. A page of a sparse file that a
    full disk cannot give kills the process that counts in it.

    Args:
        folder: The folder that all workers share.

    Raises:
        Unavailable: `disk-fault`.
    """
    try:
        for kind, size in _SIZES.items():
            file = os.open(folder / f"{kind}_{place}.db", os.O_RDWR | os.O_CREAT, 0o600)
            try:
                if kind.startswith("gauge_live"):
                    os.pwrite(file, bytes(8), 0)  # none of it is used
                os.posix_fallocate(file, 0, size)
            finally:
                os.close(file)
    except OSError as error:
        raise Unavailable("disk-fault", folder=str(folder), reason=error.strerror) from error


class Metrics:
    """Request durations by route template and status.

    With several workers each counts in its own files of `folder`, those of its `place`, and any of them reports the
    sum. `reserve_metrics` makes the files.
    """

    def __init__(self, folder: Path | None = None, place: int = 0) -> None:
        if folder is not None:
            # The library decides at import, by its environment, whether values are shared; a worker knows only now.
            os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(folder)
            values.ValueClass = values.MultiProcessValue(lambda: place)
        self._own = CollectorRegistry()
        self._folder = folder
        self._seconds = Histogram(
            "padron_http_request_seconds",
            "Time to answer, by route template and status; its count is the number of requests.",
            ("route", "status"),
            buckets=_BUCKETS,
            registry=self._own,
        )
        self._series: dict[tuple[str, int], Histogram] = {}
        stages = Histogram(
            "padron_search_stage_seconds",
            f"Time of a stage ({', '.join(STAGES)}) of a search by name; one in {_MEASURED} is measured.",
            ("stage",),
            buckets=_STAGE_BUCKETS,
            registry=self._own,
        )
        self._retrieve, self._score, self._encode = (_Sample(stages.labels(stage)) for stage in STAGES)
        candidates = Histogram(
            "padron_search_candidates",
            f"Candidates that a search by name ranks; one in {_MEASURED} is measured.",
            buckets=_CANDIDATE_BUCKETS,
            registry=self._own,
        )
        self._candidates = _Sample(candidates)
        self.connections = Gauge(
            "padron_connections",
            "Open connections by what happens on them: idle, header, body, sending, working.",
            ("phase",),
            registry=self._own,
            multiprocess_mode="livesum",
        )
        self.closed = Counter(
            "padron_connections_closed",
            "Connections closed against their client: a phase that lasted too long, evicted, refused, malformed.",
            ("reason",),
            registry=self._own,
        )
        self.replaced = Gauge(
            "padron_workers_replaced",
            "Workers that ended by themselves, stood still or never began, and were replaced since the start.",
            registry=self._own,
            multiprocess_mode="max",
        )
        self.lost = Gauge(
            "padron_part_lost",
            f"1 while a part ({', '.join(PARTS)}) is not in order; the service answers without it.",
            ("part",),
            registry=self._own,
            multiprocess_mode="livemax",
        )
        self.errors = Counter(
            "padron_errors",
            "Answers that state an error, by its code, such as rate-limited or quota-exceeded.",
            ("code",),
            registry=self._own,
        )
        self.lines_lost = Counter(
            "padron_log_lines_lost", "Lines of the log that standard output did not take.", registry=self._own
        )
        self.hashing = Gauge(
            "padron_password_hashes_waiting",
            "Password hashes that wait for a thread.",
            registry=self._own,
            multiprocess_mode="livesum",
        )
        self._served = Gauge(
            "padron_release_info",
            "1 for a release that a worker serves, 0 for those served before.",
            ("release",),
            registry=self._own,
            multiprocess_mode="livemax",
        )
        self._built = Gauge(
            "padron_release_built_timestamp_seconds",
            "Time at which the release being served was built; the earliest, if workers serve several.",
            registry=self._own,
            multiprocess_mode="livemin",
        )
        self._sources = Gauge(
            "padron_source_timestamp_seconds",
            "Date of the newest data of an official source in the release being served.",
            ("country", "source"),
            registry=self._own,
            multiprocess_mode="livemin",
        )
        self._release: str | None = None

    def observe(self, route: str, status: int, seconds: float) -> None:
        """Count one request."""
        series = self._series.get((route, status))
        if series is None:
            series = self._series[route, status] = self._seconds.labels(route, status)
        series.observe(seconds)

    def searched(self, retrieving: float, scoring: float, candidates: int) -> None:
        """Count one search by name.

        Args:
            retrieving: The seconds until its candidates were there.
            scoring: The seconds until they were ranked.
        """
        self._retrieve.observe(retrieving)
        self._score.observe(scoring)
        self._candidates.observe(candidates)

    def encoded(self, seconds: float) -> None:
        """Count one answer to a search, and the time that its JSON took."""
        self._encode.observe(seconds)

    def serve(self, coverage: Coverage) -> None:
        """State the release that is served from now on, and the dates of its sources."""
        if self._release:
            self._served.labels(self._release).set(0)
        self._release = coverage.release
        self._served.labels(coverage.release).set(1)
        self._built.set(coverage.generated_at.timestamp())
        for country in coverage.countries:
            for source in country.sources:
                if source.date:
                    midnight = datetime.combine(source.date, time.min, UTC)
                    self._sources.labels(country.country_code, source.name).set(midnight.timestamp())

    def text(self) -> bytes:
        """Return the metrics in the Prometheus text format 0.0.4."""
        if self._folder is None:
            return generate_latest(self._own)
        shared = CollectorRegistry()
        MultiProcessCollector(shared, path=str(self._folder))
        return generate_latest(shared)


class Observer:
    """Log and metrics of finished requests, failures and dependencies."""

    def __init__(self, log: StructuredLog, metrics: Metrics, tracer: RequestTracer | None = None) -> None:
        self.log = log
        self.metrics = metrics
        self._tracer = tracer
        self._lines_lost = 0
        """Lines of the log that are counted as lost."""
        self.parts: dict[str, str | None] = {}
        """The error of each part of `PARTS` in this process, None if it is in order."""
        self.successes: dict[str, datetime] = {}
        """The last success of each background task in this process; UTC."""
        for part in PARTS:
            self.state(part, None)

    def finished(self, call: Call) -> None:
        """Log and count a request that was answered, or whose client has gone (status 499)."""
        seconds = perf_counter() - call.started
        status = call.status or 499
        method = call.scope["method"] if call.scope["method"] in METHODS else "OTHER"
        self.log.write(
            RequestLine(
                route=call.route,
                method=method,
                status=status,
                ms=round(seconds * 1000, 3),
                code=call.code,
                kind=call.kind,
                q_length=call.q_length,
                results=call.results,
                unrecorded_keys=call.unrecorded_keys,
                request_id=_opaque_id(call),
            )
        )
        self.metrics.observe(call.route, status, seconds)
        if self._tracer:
            self._tracer.record(method, call.route, status, seconds, call.given.get(b"traceparent", b""))
        if call.encoding is not None:
            self.metrics.encoded(call.encoding)
        if call.code:
            self.metrics.errors.labels(call.code).inc()

    def state(self, part: str, error: str | None) -> None:
        """Set the state of a part: the error it fails with; None: it works."""
        self.parts[part] = error
        self.metrics.lost.labels(part).set(error is not None)

    def lost(self, part: str, error: str | None) -> None:
        """Report a dependency that fails with an error; None: it works again."""
        self.state(part, error)
        self.log.write_now(LostLine(part=part, error=error))

    def succeeded(self, task: str) -> None:
        """Note that a background task has just succeeded."""
        self.successes[task] = datetime.now(UTC)

    def flush(self) -> None:
        """Give the log what is buffered, and state what became of the lines before."""
        self.log.flush()
        lost = self.log.lost
        self.metrics.lines_lost.inc(lost - self._lines_lost)
        self._lines_lost = lost
        if self.log.error != self.parts["log"]:
            self.state("log", self.log.error)

    def close(self) -> None:
        """Write and send what is left."""
        self.log.close()
        if self._tracer:
            self._tracer.close()

    def failed(self, call: Call, error: Exception) -> None:
        """Log an internal error at once."""
        way = [f"{Path(frame.filename).name}:{frame.lineno}" for frame in traceback.extract_tb(error.__traceback__)]
        self.log.write_now(
            FaultLine(route=call.route, error=type(error).__name__, way=way, request_id=_opaque_id(call))
        )


def _opaque_id(call: Call) -> str | None:
    """The request id, unless the caller invented one that may mean something."""
    return call.request_id if is_opaque(call.request_id) else None
