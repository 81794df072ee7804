"""Serve `account_service.app_of` with several workers, as `padron serve` does; arguments: port, number of workers."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from account_service import app_of
from padron.accounts.rate_limits import RedisRateLimiter
from padron.config import load
from padron.transport.connections import Connections
from padron.transport.server import Listener, listen, supervise
from waiting import PATIENCE

if __name__ == "__main__":
    RedisRateLimiter.TIMEOUT = PATIENCE  # as long as a busy machine needs: no test of these workers is of its loss
    settings, listening = load(), listen("127.0.0.1", int(sys.argv[1]))
    with TemporaryDirectory() as folder:

        def work(place: int, replaced: int, beat: Callable[[], None]) -> None:
            app = app_of(settings, None, Path(folder) / "counters")

            def tick() -> None:
                beat()
                app.state.observer.flush()

            Listener(app, listening, Connections(settings.server), tick=tick).run()

        supervise(work, int(sys.argv[2]), lambda place, code: None, lambda error: None)
