"""Serve `bureau.app_of` with several workers, as `padron serve` does: port and number of workers are arguments."""

from __future__ import annotations

import multiprocessing
import sys
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from granian import Granian
from granian.constants import Interfaces
from granian.log import LogLevels

from bureau import app_of
from padron.config import load

if __name__ == "__main__":
    multiprocessing.set_start_method("spawn", force=True)
    with TemporaryDirectory() as folder:
        Granian(
            "bureau",
            address="127.0.0.1",
            port=int(sys.argv[1]),
            workers=int(sys.argv[2]),
            interface=Interfaces.ASGI,
            log_level=LogLevels.warning,
            log_access=False,
            websockets=False,
            respawn_failed_workers=True,
        ).serve(target_loader=partial(app_of, load(), None, Path(folder) / "counters"), wrap_loader=False)
