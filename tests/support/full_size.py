"""Sizes of long tests: a small one in `make verify`, the full one in `make endurance`."""

from __future__ import annotations

import os


def of_full_size(full: int, *, small: int) -> int:
    return full if os.environ.get("FULL_SIZE") else small
