"""`padron accounts backup | restore | verify`: the accounts saved, brought back and checked, while the service runs."""

from __future__ import annotations

from pathlib import Path

from padron import config
from padron.accounts import backup
from padron.accounts.secret import Secret
from padron.accounts.store import Store
from padron.cli.terminal import word
from padron.config import Settings


def save(folder: Path, *, data: Path | None = None) -> int:
    """Save the accounts into a new folder while the service runs; keep it as secret as the data folder.

    Args:
        folder: The folder to make.
        data: Data folder (default: the PADRON_DATA setting).
    """
    settings = config.load(data=data)
    given = Secret(settings.accounts.secret) if settings.accounts.secret else None
    backup.save(_url(settings), given, settings.data / "secret", folder)
    print(f"{word('saved')}: {folder}")  # noqa: T201
    return 0


def restore(folder: Path, *, data: Path | None = None) -> int:
    """Bring the accounts of a backup back, where there are none yet, while the service is stopped.

    Args:
        folder: The folder that `padron accounts backup` made.
        data: Data folder (default: the PADRON_DATA setting).
    """
    settings = config.load(data=data)
    backup.restore(folder, _url(settings), settings.data / "secret")
    store = Store(_url(settings))
    try:
        store.migrate()
        store.check()
    finally:
        store.close()
    print(f"{word('restored')}: {folder}")  # noqa: T201
    return 0


def verify(folder: Path) -> int:
    """Read a whole backup and compare it with its checksums.

    Args:
        folder: The folder that `padron accounts backup` made.
    """
    backup.verify(folder)
    print(f"{folder}: {word('whole')}")  # noqa: T201
    return 0


def _url(settings: Settings) -> str:
    return settings.accounts.url or f"sqlite:///{settings.data / 'accounts.sqlite'}"
