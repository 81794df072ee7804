"""Passwords: a check for weak ones, and argon2id hashes.

`common_passwords.txt` beside this module holds the passwords of six characters and more that leaks show to be the most
used: the list that Django 5.2 carries (by Royce Williams, from Have I Been Pwned; 3-clause BSD licence), lower-cased,
and Spanish ones of our own; without those that `check` refuses anyway. A list is looked up in the same time whatever is
sent; zxcvbn 4.5 takes 1.6 s for the 66 characters of `"4@8({[</369&!1|0$5+7%2" * 3`.
"""

from __future__ import annotations

import re
import threading
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Final
from unicodedata import category, normalize

from argon2 import PasswordHasher
from argon2.exceptions import VerifyMismatchError

from padron.accounts.store import fold_address
from padron.errors import Invalid

FEWEST: Final = 10
MOST: Final = 256
"""Characters of a password. The maximum bounds the work of hashing."""

_HASHER = PasswordHasher()  # argon2id, RFC 9106 second choice: 64 MiB, three passes
_AT_ONCE = threading.BoundedSemaphore(4)
"""Each hash takes 64 MiB and a core: unlimited concurrency would let strangers exhaust the memory."""
_NOBODY = _HASHER.hash("a password of nobody, so that unknown addresses take as long to refuse as known ones")
_TAIL = re.compile(r"[\W\d_]+$")


@cache
def common() -> frozenset[str]:
    """Return the passwords of the bundled list."""
    return frozenset(Path(__file__).with_name("common_passwords.txt").read_text(encoding="utf-8").split("\n"))


def check(password: str, address: str, parameter: str = "password") -> None:
    """Refuse a password that is too short or long, too common, or derived from the address.

    A common word followed by digits and signs (`Contraseña2026!`) is as common as the word.

    Raises:
        Invalid: `weak-password`.
    """
    password, address = _prepared(password), fold_address(address)
    folded = password.lower()
    stem = _TAIL.sub("", folded)
    if not FEWEST <= len(password) <= MOST:
        reason = "length"
    elif folded in common() or stem in common() or len(set(folded)) < 4 or (len(stem) < 3 and len(set(folded)) < 6):
        reason = "common"
    elif any(
        len(part) >= 4 and part in folded and len(folded) - len(part) < 6
        for part in (address.partition("@")[0], address)
    ):
        reason = "address"
    else:
        return
    raise Invalid("weak-password", parameter=parameter, minimum=FEWEST, maximum=MOST, reason=reason)


def hashed(password: str) -> str:
    """Return the argon2id hash of a password, with its parameters and salt."""
    with _AT_ONCE:
        return _HASHER.hash(_prepared(password))


def verify(kept: str | None, password: str) -> bool:
    """Return whether `kept` is the hash of a password; without a hash False, and just as slowly.

    Hashes of before are of the password as it was typed.
    """
    with _AT_ONCE:
        for text in dict.fromkeys((_prepared(password)[:MOST], password[:MOST])):
            with suppress(VerifyMismatchError):
                _HASHER.verify(kept or _NOBODY, text)
                return kept is not None
    return False


def _prepared(password: str) -> str:
    """Return a password with blanks for other spaces, and its letters composed (OpaqueString, RFC 8265 §4.2)."""
    return normalize("NFC", "".join(" " if category(char) == "Zs" else char for char in password))
