"""The HTTP service: an ASGI application built from settings and a directory, and the server that runs it."""

from __future__ import annotations

import asyncio
import ctypes
import gc
import logging
import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager, suppress
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from socket import socket
from threading import Thread
from time import sleep

from starlette.applications import Starlette
from starlette.routing import Router

from padron import threads
from padron.accounts.rate_limits import allocated
from padron.api import public
from padron.config import Server, Settings, reader_language
from padron.countries import REGISTRY
from padron.directory import Directory
from padron.errors import Invalid, PadronError, ReleaseError, Unavailable
from padron.index import release_index
from padron.index.engine import LOADED_ANEW
from padron.mcp import endpoint as mcp
from padron.reconcile import endpoint as reconcile
from padron.releases import snapshot
from padron.service.accounts import Services
from padron.storage import make_again, temporary_folder
from padron.transport import health, tracing
from padron.transport.client_limits import ClientLimits
from padron.transport.connections import Connections
from padron.transport.headers import HTTPS_ONLY, Header
from padron.transport.middleware import Middleware
from padron.transport.observability import (
    LogHandler,
    Metrics,
    Observer,
    RefusedLine,
    ReleaseLine,
    ServerLine,
    StructuredLog,
    reserve_metrics,
)
from padron.transport.server import Listener, connection_room, listen, supervise
from padron.web import routes as web_routes
from padron.web.error_pages import ErrorPages
from padron.web.site import Site
from padron.words import bilingual

POLL_EVERY = 1.0
"""Seconds between two reads of the pointer `current`."""
_READ_AGAIN = 32
"""Blocks of 256 KiB of the served files that are compared with their digests at each poll."""
_LASTING = frozenset({"release-damaged", "release-format", "release-unreadable", "engine-index-lost"})
"""Faults of a release that last, as a rule, until its files change."""
_REFUSED_FOR = 300
"""Polls after which a release with such a fault is tried again all the same: its disk may be well again. To read it
takes long."""
OPERATIONS = ("127.0.0.1", 8901)
"""Address of health, readiness and metrics if the settings name none."""
_COUNTERS = "counters"
"""The file in which the workers count requests together."""
_COLLECTED = (700, 10, 1_000)
"""Thresholds of the garbage collections of a worker, which stop all of its threads: requests leave little, and the
thousands that wait are half a million objects. They are walked over a few at a time, and all together hardly ever."""
_SWITCH = 0.0001
"""Seconds after which a thread lets another one go on: the operations answer while the event loop works. Less than a
round of the loop takes: each ends with a moment in which no thread holds the interpreter, too short for another to take
it, from which on the seconds are counted anew."""
_SETTLED = 10
"""Seconds after which no request of a release that was replaced is at work, but for some long lists."""
_TRIM_EVERY = 10
"""Seconds after which memory that is free, between what is in use, is given back again."""
_MALLOC = {-3: 256 << 10, -1: 1 << 20}
"""Parameters of `mallopt` -> bytes: a block as large as M_MMAP_THRESHOLD (-3) is given back once it is free, and so is
what is free behind all others, beyond M_TRIM_THRESHOLD (-1). Both would grow with the largest block that was freed."""


class ServedDirectory:
    """The directory being served: opened when a release exists, replaced when `current` names another."""

    def __init__(
        self,
        settings: Settings,
        directory: Directory | None,
        observer: Observer,
        opened: Callable[[], None] = lambda: None,
    ) -> None:
        self._settings = settings
        self._directory = directory
        self._damaged: Directory | None = None
        """The one that is served no more because its files are damaged."""
        self._observer = observer
        self._opened = opened
        if directory:
            observer.metrics.serve(directory.coverage())
        self._error = ""
        self.refused: str | None = None
        """The code of what keeps the current release from being served, or None."""
        self._refused_files: snapshot.Fingerprint | None = None
        """The files of the current release when they were refused twice: until one changes they are seldom read."""
        self._polls = 0
        """Polls since they were read."""
        self._unanswered: str | None = None
        """The code of what the engine last failed with, or None."""
        self._failing_files: snapshot.Fingerprint | None = None
        """The files of the current release when its index was last looked for."""
        self._reread: str | None = None
        self._unread: str | None = None
        """The code of what is wrong with a file without which the release is served, until all are whole, or None."""
        self._blocks: Iterator[None] = iter(())
        """The rest of the files of the release `_reread` that are read again."""

    def directory(self) -> Directory:
        """Return the directory. Raises `Unavailable("not-ready")` before the first release."""
        if self._directory is None:
            raise Unavailable("not-ready")
        return self._directory

    async def poll(self) -> None:
        """Serve the release that `current` names; one that does not open is logged once, and the old one stays.

        At the start that is the one before it, where that one opens.
        """
        data = self._settings.data
        files = await threads.FILES.call(snapshot.fingerprint, data, release_index.FORMAT) if self.refused else None
        self._polls += 1
        if files is None or files != self._refused_files or self._polls >= _REFUSED_FOR:
            self._polls = 0
            self.refused, failure = await self._attempt(self._take())
            self._refused_files = files if self.refused in _LASTING else None
            failure = failure or str(self._list_fault() or "")
            if failure and failure != self._error:
                self._observer.log.write_now(RefusedLine(error=failure))
            self._error = failure
        self._observer.state("search", self._fault())
        if self.refused and self._directory is not None:
            await self._attempt(self._take(self._directory.release))  # for changes of the suppressions
        elif self.refused:
            for release in snapshot.earlier(data):
                if not (await self._attempt(self._take(release)))[1]:
                    break

    async def watch(self) -> None:
        """Read some of the files of the release again; then `poll`, which leaves a release whose index is damaged now.

        A file that cannot be read may be sound, and no answer comes from a snapshot or the file of the release itself:
        the release stays, and its files are read again from the first one on.
        """
        if self._directory is not None:
            try:
                await self._read_again(self._directory)
            except (ReleaseError, Unavailable) as error:
                self._reread = None
                if self._directory.answers_from(error):
                    self._damaged, self._directory = self._directory, None
                else:
                    self._report_unread(error.code)
        await self.poll()

    async def _read_again(self, directory: Directory) -> None:
        release = directory.release
        if self._reread != release:
            self._reread = release
            self._blocks = directory.reread()
        blocks = await threads.FILES.call(lambda: sum(1 for _ in islice(self._blocks, _READ_AGAIN)))
        if blocks < _READ_AGAIN:
            self._reread = None
            self._report_unread(None)

    def _report_unread(self, code: str | None) -> None:
        if code != self._unread:
            self._unread = code
            self._observer.lost("search", self._fault())

    async def check_engine(self) -> None:
        """Ask the engine a question; report that it does not answer, and that it answers again, once each."""
        if self._directory is None:
            return
        failing, _ = await self._attempt(self._directory.reach_engine())
        if failing in LOADED_ANEW:
            again, _ = await self._attempt(self._take_index(self._directory))
            if again and again not in _LASTING | LOADED_ANEW:
                self._failing_files = None  # it may go well the next time
        if failing != self._unanswered:
            self._unanswered = failing
            self._observer.lost("search", self._fault())

    async def _take_index(self, before: Directory) -> None:
        """Serve the same release from the index that a build has loaded meanwhile, if its files have changed."""
        files = await threads.FILES.call(snapshot.fingerprint, self._settings.data, release_index.FORMAT)
        if files != self._failing_files:
            self._failing_files = files
            directory = await before.reopened(before.release)
            if self._directory is before:
                self._serve(directory)

    def _list_fault(self) -> Invalid | None:
        return self._directory.suppressions_fault if self._directory else None

    def _fault(self) -> str | None:
        """The code of what is wrong with search, the worst first, or None."""
        unlisted = self._list_fault()
        return self.refused or self._unread or (unlisted and unlisted.code) or self._unanswered

    async def _attempt(self, taking: Awaitable[None]) -> tuple[str | None, str]:
        """Return code and description of what failed, if anything: the service goes on."""
        try:
            await taking
        except PadronError as error:
            return error.code, str(error)
        except Exception as error:  # whatever it is
            return type(error).__name__, f"{type(error).__name__}: {error}"
        return None, ""

    async def _take(self, release: str | None = None) -> None:
        """Serve a release, by default the current one; log it if that changes any answer."""
        before = self._directory
        directory = await (self._open(release) if before is None else before.refreshed(release))
        if directory is not before:
            self._serve(directory)

    def _serve(self, directory: Directory) -> None:
        self._directory = directory
        self._damaged = self._unread = None
        self._observer.log.write_now(ReleaseLine(release=directory.release))
        self._observer.metrics.serve(directory.coverage())
        self._opened()

    async def _open(self, release: str | None) -> Directory:
        if self._damaged is not None:
            return await self._damaged.reopened(release)
        settings = self._settings
        return await Directory.open(
            settings.data,
            REGISTRY,
            settings.base_url,
            settings.suppressions,
            search_url=settings.search.url,
            release=release,
            searched=self._observer.metrics.searched,
        )

    async def keep(self, name: str, act: Callable[[], Awaitable[None]]) -> None:
        """Do something every second without end, whatever it fails with."""
        while True:
            await asyncio.sleep(POLL_EVERY)
            try:
                self._observer.flush()
                await act()
            except Exception as error:  # a disk that fails, say; the next time it may be well again
                if self._observer.parts["search"] != type(error).__name__:
                    self._observer.lost("search", type(error).__name__)
            else:
                self._observer.succeeded(name)


def build_app(
    settings: Settings,
    directory: Directory | None = None,
    *,
    metrics_folder: Path | None = None,
    observer: Observer | None = None,
    opened: Callable[[], None] = lambda: None,
) -> Starlette:
    """Build the service as an ASGI application.

    Args:
        settings: All that can be configured.
        directory: The companies; by default those of the current release under `settings.data`.
        metrics_folder: The folder in which several workers add up their metrics.
        observer: The receiver of log lines and metrics; by default standard output and the metrics of this process.
        opened: Called when another directory has begun to be served.

    Returns:
        The application, with its lifespan; its `state.operations` answers health, readiness and metrics alone.
    """
    observer = observer or Observer(StructuredLog(), Metrics(metrics_folder))
    served = ServedDirectory(settings, directory, observer, opened)
    services = Services(
        settings, observer.lost, observer.succeeded, metrics_folder / _COUNTERS if metrics_folder else None
    )
    client_limits = ClientLimits(services.limiter, services.plans.anonymous, settings.server.trusted_proxies)
    mail_folder = settings.mail_folder if settings.is_local and not settings.mail.url else None
    site = Site(settings.base_url, settings.mail.address, mail_folder)
    refusals = ErrorPages(site)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        await served.poll()
        # Two tasks: an engine that hangs must not keep a new release waiting.
        watching = [
            asyncio.create_task(served.keep("release", served.watch)),
            asyncio.create_task(served.keep("engine", served.check_engine)),
        ]
        async with services.running(served.directory):
            yield
        for task in watching:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
        await asyncio.to_thread(observer.close)

    service_routes = health.routes(served.directory, observer)
    app = Starlette(
        routes=[
            *public.routes(client_limits, served.directory, settings.base_url),
            *services.routes(served.directory),
            *service_routes,
            *mcp.routes(client_limits, services.authenticator, served.directory, settings.base_url),
            *reconcile.routes(client_limits, services.authenticator, served.directory, settings.base_url),
            *web_routes.routes(
                site,
                client_limits,
                served.directory,
                services.context,
                services.watching.watchlists,
                services.sandbox,
            ),
        ],
        lifespan=lifespan,
    )
    fields = _https_only(settings)
    app.middleware_stack = Middleware(
        app.router,
        observer,
        refusals,
        fields,
        settings.server.trusted_proxies,
        services.authenticator.check_target,
    )
    app.router.redirect_slashes = False
    app.state.operations = Middleware(Router(service_routes, redirect_slashes=False), observer)
    return app


def _https_only(settings: Settings) -> list[Header]:
    """Return the field of every answer that keeps browsers to https, where the service has it."""
    return [HTTPS_ONLY] if settings.base_url.startswith("https:") else []


@contextmanager
def shared_folder(settings: Settings, workers: int) -> Iterator[Path]:
    """Make the temporary folder of the workers, with all the disk of what they count: a full one ends no worker later.

    Raises `Unavailable("disk-fault")`.
    """
    with ExitStack() as stack:
        try:
            folder = stack.enter_context(temporary_folder())
        except OSError as error:
            raise Unavailable("disk-fault", folder=error.filename or "TMPDIR", reason=error.strerror) from error
        _reserve(settings, folder, range(workers))
        yield folder


def _reserve(settings: Settings, folder: Path, places: Iterable[int]) -> None:
    """Take the disk of what workers count, as far as it is not taken. Raises `Unavailable("disk-fault")`."""
    if settings.limits.enabled:
        os.close(allocated(folder / _COUNTERS))
    for place in places:
        reserve_metrics(folder, place)


def serve(settings: Settings, host: str, port: int, workers: int) -> None:
    """Serve until SIGTERM, SIGINT or SIGHUP; then each worker answers what it has accepted, in at most ten seconds.

    Each worker opens and replaces the release by itself; one that dies is replaced, and so is one whose event loop has
    stood still for `STUCK` seconds.

    Raises:
        Unavailable: `disk-fault`, as `shared_folder`.
    """
    if settings.traces.url:
        tracing.ensure_installed()
    log = StructuredLog()
    listening, operations = listen(host, port), _operations(settings.server, log)
    with shared_folder(settings, workers) as folder:
        shared: Path | None = folder

        def lost(place: int, code: int) -> None:
            """Make what the next worker shares with others again where it was cleaned away."""
            nonlocal shared
            shared = folder
            try:
                make_again(folder)
                _reserve(settings, folder, [place])
            except (OSError, Unavailable):
                shared = None
            log.write_now(ServerLine(level="error", message=f"worker ended with {code}, another one starts"))

        def refused(error: OSError) -> None:
            log.write_now(ServerLine(level="error", message=f"no worker can be started now: {error.strerror}"))

        def work(place: int, replaced: int, beat: Callable[[], None]) -> None:
            _work(settings, shared, listening, operations, place, replaced, beat)

        supervise(work, workers, lost, refused)
        log.close()


def _operations(server: Server, log: StructuredLog) -> socket | None:
    """Return the socket for health, readiness and metrics; none if its port is in use and was not chosen."""
    try:
        return listen(*(server.operations or OPERATIONS))
    except OSError as error:
        if server.operations:
            raise
        log.write_now(ServerLine(level="warning", message=f"no listener for operations: {error.strerror}"))
        return None


def _settle(address: str | None = None) -> None:
    """Leave the first release, and what there is beside it, out of later garbage collections.

    At the first release, tell the person at the terminal which `address` to open (None: another worker does).

    Another one is not: requests that are at work then may refer to themselves and to the release before, and would keep
    it for good. They are collected when they have ended; a release that is replaced does not refer to itself.
    """
    if gc.get_freeze_count():
        asyncio.get_running_loop().call_later(_SETTLED, gc.collect)
    else:
        gc.collect()
        gc.freeze()
        if address:
            with suppress(OSError):
                print(bilingual("Open {address}", address=address).of(reader_language()), file=sys.stderr, flush=True)  # noqa: T201


def _return_memory() -> None:
    """Give memory that is free back to the system, from now on; only glibc keeps it otherwise."""
    library = ctypes.CDLL(None)
    if not hasattr(library, "malloc_trim"):
        return
    for parameter, size in _MALLOC.items():
        library.mallopt(parameter, size)

    def trim() -> None:
        while True:
            sleep(_TRIM_EVERY)
            library.malloc_trim(0)

    Thread(target=trim, name="memory", daemon=True).start()


def _work(
    settings: Settings,
    folder: Path | None,
    listening: socket,
    operations: socket | None,
    place: int,
    replaced: int,
    beat: Callable[[], None],
) -> None:
    """Serve, as one of several processes: they count together in a folder, and one without it by itself."""
    gc.set_threshold(*_COLLECTED)
    sys.setswitchinterval(_SWITCH)
    _return_memory()
    tracer = tracing.exporting(settings.traces.url) if settings.traces.url else None
    observer = Observer(StructuredLog(), Metrics(folder, place), tracer)
    metrics = observer.metrics
    metrics.replaced.set(replaced)
    if folder is None:
        observer.lost("limits", "disk-fault")
    library = logging.getLogger("uvicorn")  # what clients do wrong is counted, not written
    library.handlers, library.propagate = [LogHandler(observer.log)], False
    library.setLevel(logging.ERROR)
    address = None if place or replaced else settings.base_url
    app = build_app(settings, metrics_folder=folder, observer=observer, opened=partial(_settle, address))
    server = settings.server
    connections = Connections(
        replace(server, connections=min(server.connections, connection_room())),
        lambda reason: metrics.closed.labels(reason).inc(),
        _https_only(settings),
    )
    beside = None
    if operations:
        beside = Listener(app.state.operations, operations, Connections(server), lifespan="off")

    def report() -> None:
        beat()
        for phase, count in connections.counts().items():
            metrics.connections.labels(phase).set(count)
        metrics.hashing.set(threads.HASHING.waiting())

    Listener(app, listening, connections, beside=beside, tick=report).run()
