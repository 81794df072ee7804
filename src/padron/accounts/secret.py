"""The secret key of all digests: without it a stolen database does not reveal which API key belongs to whom."""

from __future__ import annotations

import os
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from secrets import token_urlsafe

from padron.errors import Invalid, Unavailable

FEWEST = 32
"""Characters a secret must have."""
_MADE = 64
"""Characters of those made here."""


class Secret:
    """Keyed digests (BLAKE2b, 256 bits), separate for each purpose. The key cannot be read back from it.

    Without a text it has no key until `assume`, and makes no digest: `Unavailable("accounts-unavailable")`.
    """

    __slots__ = ("_key",)

    def __init__(self, text: str | None = None) -> None:
        if text is not None and len(text) < FEWEST:
            raise Invalid("secret-too-short", minimum=FEWEST)
        self._key = None if text is None else blake2b(text.encode()).digest()

    def assume(self, other: Secret) -> None:
        """Make the digests of another secret from now on."""
        self._key = other._key

    @property
    def deployment(self) -> str:
        """Id of this deployment: it tells our objects at a payment provider from those of others that share it."""
        return self.digest("deployment", "")[:24]

    def digest(self, purpose: str, text: str) -> str:
        """Return the digest of `text` in 64 hexadecimal digits; `purpose` has at most 16 letters."""
        if self._key is None:
            raise Unavailable("accounts-unavailable")
        return blake2b(text.encode(), key=self._key, digest_size=32, person=purpose.encode()).hexdigest()


def secret_of(folder: Path) -> Secret:
    """Return the secret in a folder; it is created on first use, readable to its owner only.

    A new one beside accounts that are there already would make every key unknown, in silence: `secret-damaged` is
    raised instead. It is linked into place once it is complete: if several workers start together, one wins and all
    read its secret. Where it cannot be written, `Unavailable("secret-unwritten")` is raised.
    """
    path = folder / "secret"
    if not is_made(folder):
        try:
            folder.mkdir(parents=True, exist_ok=True)
            _make(path)
        except OSError as error:
            raise Unavailable("secret-unwritten", folder=str(folder), reason=error.strerror) from error
    return read_secret(path)


def _make(path: Path) -> None:
    fresh = path.with_name(f".secret-{os.getpid()}")
    try:
        with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
            made = token_urlsafe(_MADE * 3 // 4)
            file.write(f"{made} {_checksum(made)}\n")
            file.flush()
            os.fsync(file.fileno())
        with suppress(FileExistsError):
            os.link(fresh, path)
    finally:
        fresh.unlink(missing_ok=True)


def is_made(folder: Path) -> bool:
    """Tell whether the secret of a folder is there, or must have been: workers make it before the database."""
    database = folder / "accounts.sqlite"
    return (database.exists() and database.stat().st_size > 0) or (folder / "secret").exists()


def read_secret(path: Path) -> Secret:
    """Return the secret in a file. Raises `Invalid("secret-damaged")` unless it is the one that was made."""
    damaged = Invalid("secret-damaged", file=str(path))
    try:
        made, *checksum = path.read_text(encoding="ascii").split()
    except (OSError, ValueError) as error:
        raise damaged from error
    if len(made) != _MADE or checksum not in ([], [_checksum(made)]):  # none was written at first
        raise damaged
    return Secret(made)


def _checksum(made: str) -> str:
    return blake2b(made.encode(), digest_size=8).hexdigest()
