"""Keys that `padron-client login` keeps: a file that only its owner can read, with a key for each address."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import msgspec

_UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError)


def path() -> Path:
    """The file: `padron/keys.json` among the settings of the user."""
    settings = os.environ.get("XDG_CONFIG_HOME") or os.environ.get("APPDATA") or str(Path.home() / ".config")
    return Path(settings) / "padron" / "keys.json"


def read(base_url: str) -> str | None:
    """The key kept for an address, and for no other: a key goes nowhere else. Raises `ValueError` for a broken file."""
    return _keys().get(base_url.rstrip("/"))


def write(base_url: str, api_key: str) -> Path:
    """Keep a key for an address, in place of one kept before; return the file."""
    keys = _keys() | {base_url.rstrip("/"): api_key}
    file = path()
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=file.parent)  # made with mode 0600
    with open(handle, "wb") as written:
        written.write(msgspec.json.encode(keys))
    os.replace(name, file)
    return file


def _keys() -> dict[str, str]:
    try:
        return msgspec.json.decode(path().read_bytes(), type=dict[str, str])
    except FileNotFoundError:
        return {}
    except _UNREADABLE:
        raise ValueError(f"{path()} is damaged: remove it, and log in again") from None
