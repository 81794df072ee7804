"""The second factor of a log-in: codes of an app (TOTP, RFC 6238) and recovery codes, each valid once.

No secret is stored: that of the app is a keyed digest of a random seed, computed when it is needed, and recovery codes
are kept as keyed digests. A stolen database gives no code.
"""

from __future__ import annotations

from base64 import b32encode
from collections.abc import Iterator
from contextlib import contextmanager
from hmac import compare_digest
from secrets import token_bytes, token_hex
from typing import Any, Final, Literal, NamedTuple

from pyotp import TOTP
from sqlalchemy import Connection, delete, insert, select, update

from padron.accounts.audit import Actor, note
from padron.accounts.keys import lock_with_password
from padron.accounts.secret import Secret
from padron.accounts.store import (
    Store,
    accounts,
    count,
    fold_address,
    queue_mail,
    recovery_codes,
    second_factors,
    sessions,
)
from padron.errors import Denied, Invalid, NotFound

ISSUER: Final = "Padrón"
ENROLLING: Final = 3_600
"""Seconds within which the first code must confirm an enrolment."""
RECOVERY_CODES: Final = 10
_DRIFT: Final = 1
"""Steps of 30 seconds by which the clock of an app may differ."""


class Enrolment(NamedTuple):
    """The secret of an app for codes in base 32, and the same as an `otpauth:` address."""

    secret: str
    uri: str


class SecondFactor(NamedTuple):
    """State of the second factor: when it was turned on (seconds since the epoch), and recovery codes that are left."""

    state: Literal["off", "begun", "on"]
    confirmed_at: int | None = None
    recovery_codes: int = 0


class SecondFactors:
    """Enrolment of apps, and the check of codes."""

    def __init__(self, store: Store, secret: Secret) -> None:
        self._store = store
        self._secret = secret

    def of(self, account: str) -> SecondFactor:
        """Return the state of an account's second factor."""
        with self._store.reading() as connection:
            row = connection.execute(second_factors.select().where(second_factors.c.account == account)).one_or_none()
            left = count(connection, recovery_codes, recovery_codes.c.account == account)
        if row is None:
            return SecondFactor("off")
        return SecondFactor("on" if row.confirmed_at else "begun", row.confirmed_at, left)

    def begin(self, account: str, address: str, kept: str) -> Enrolment:
        """Begin an enrolment, in place of one that was not confirmed.

        Args:
            address: Its e-mail address, by which the app names it.
            kept: The hash of the password that was checked.

        Raises:
            Denied: `bad-login` if the password was changed since.
            Invalid: `second-factor-on`.
        """
        seed, now = token_hex(16), self._store.now()
        with self._store.writing() as connection:
            lock_with_password(connection, account, kept)
            end_enrolment(connection, account)
            if _row(connection, account) is not None:
                raise Invalid("second-factor-on")
            row = {"account": account, "seed": seed, "created_at": now, "last_step": 0}
            connection.execute(insert(second_factors).values(row))
        return enrolment_of(self._app(seed).secret, address)

    def confirm(self, account: str, code: str, session: str) -> list[str]:
        """Turn the second factor on by a first code of the app, and tell the holder by mail.

        Sessions that the password alone has opened end, but for the one in which the code is given.

        Args:
            session: The session in which it is given.

        Returns:
            The recovery codes, which are shown this once.

        Raises:
            Denied: `bad-code`.
            Invalid: `second-factor-on`; `second-factor-not-begun` if no enrolment is open.
        """
        now = self._store.now()
        with self._store.writing() as connection:
            row = _row(connection, account)
            if row is not None and row.confirmed_at is not None:
                raise Invalid("second-factor-on")
            if row is None or row.created_at <= now - ENROLLING:
                raise Invalid("second-factor-not-begun")
            step = self._step(row, _folded(code))
            if step is None:
                raise Denied("bad-code")
            own = update(second_factors).where(second_factors.c.account == account)
            connection.execute(own.values(confirmed_at=now, last_step=step))
            others = (sessions.c.account == account, sessions.c.digest != self._secret.digest("session", session))
            connection.execute(delete(sessions).where(*others))
            queue_mail(connection, now, account, "second-factor-on")
            note(connection, now, "account", "second-factor-on", account=account)
            return self._make_recovery_codes(connection, account)

    def renew_recovery_codes(self, account: str, kept: str) -> list[str]:
        """Return new recovery codes and tell the holder by mail; those before are void.

        Raises `Denied("bad-login")` if the password is no longer that with the hash `kept`;
        `NotFound("no-second-factor")`.
        """
        with self._store.writing() as connection:
            lock_with_password(connection, account, kept)
            row = _row(connection, account)
            if row is None or row.confirmed_at is None:
                raise NotFound("no-second-factor")
            now = self._store.now()
            queue_mail(connection, now, account, "recovery-renewed")
            note(connection, now, "account", "recovery-codes-renewed", account=account)
            return self._make_recovery_codes(connection, account)

    @contextmanager
    def using(self, account: str, code: str | None) -> Iterator[Connection]:
        """Use up a code in the transaction of what it confirms, if the account has a second factor.

        No code is taken twice; where the block raises, none is used up.

        Args:
            account: Id of the account, which is locked.
            code: A code of the app, or a recovery code, of whose use the holder gets a mail; None if none was given.

        Raises:
            Denied: `code-required`, `bad-code`.
        """
        with self._store.writing() as connection:
            row = _row(connection, account)
            is_off = row is None or row.confirmed_at is None
            if is_off or (code is not None and self._accept(connection, row, _folded(code))):
                yield connection
                return
            if code is not None:
                note(connection, self._store.now(), "account", "code-refused", account=account)
        raise Denied("code-required" if code is None else "bad-code")

    def is_recovery_code(self, address: str, code: str) -> bool:
        """Return whether `code` is an unused recovery code of the account with an e-mail address."""
        with self._store.reading() as connection:
            own = select(accounts.c.id).where(accounts.c.address == fold_address(address))
            account = connection.execute(own).scalar_one_or_none() or ""
            digest = self._digest(account, _folded(code))
            return count(connection, recovery_codes, recovery_codes.c.digest == digest) > 0

    def _accept(self, connection: Connection, row: Any, code: str) -> bool:
        """Use up a code; return whether there was one to use."""
        step = self._step(row, code)
        if step is not None:
            own = update(second_factors).where(second_factors.c.account == row.account)
            connection.execute(own.values(last_step=step))
            return True
        spent = delete(recovery_codes).where(recovery_codes.c.digest == self._digest(row.account, code))
        if not connection.execute(spent).rowcount:
            return False
        now = self._store.now()
        queue_mail(connection, now, row.account, "recovery-code-used")
        note(connection, now, "account", "recovery-code-used", account=row.account)
        return True

    def _step(self, row: Any, code: str) -> int | None:
        """Return the step of which `code` is the code, among those of now that are later than the last one used."""
        app = self._app(row.seed)
        now = self._store.now() // app.interval
        steps = range(max(now - _DRIFT, row.last_step + 1), now + _DRIFT + 1)
        return next((step for step in steps if compare_digest(app.generate_otp(step).encode(), code.encode())), None)

    def _app(self, seed: str) -> TOTP:
        return TOTP(b32encode(bytes.fromhex(self._secret.digest("second factor", seed))[:20]).decode())

    def _make_recovery_codes(self, connection: Connection, account: str) -> list[str]:
        """Make recovery codes of 80 random bits in place of those before."""
        codes = [b32encode(token_bytes(10)).decode().lower() for _ in range(RECOVERY_CODES)]
        connection.execute(delete(recovery_codes).where(recovery_codes.c.account == account))
        rows = [{"digest": self._digest(account, code), "account": account} for code in codes]
        connection.execute(insert(recovery_codes), rows)
        return ["-".join(code[start : start + 4] for start in range(0, 16, 4)) for code in codes]

    def _digest(self, account: str, code: str) -> str:
        return self._secret.digest("recovery code", f"{account} {code}")


def enrolment_of(secret: str, address: str) -> Enrolment:
    """Return what an app needs; it names the account by its e-mail address."""
    return Enrolment(secret, TOTP(secret).provisioning_uri(name=address, issuer_name=ISSUER))


def end_enrolment(connection: Connection, account: str) -> None:
    """End an enrolment that was not confirmed, as a new one and a new password do."""
    unconfirmed = (second_factors.c.account == account, second_factors.c.confirmed_at.is_(None))
    connection.execute(delete(second_factors).where(*unconfirmed))


def remove(store: Store, account: str, actor: Actor, kept: str | None = None) -> None:
    """Turn the second factor of an account off, and tell its holder by mail.

    Args:
        kept: The hash of the password that was checked; None for an operator, who gives none.

    Raises:
        Denied: `bad-login` if the password was changed since.
        NotFound: `no-second-factor`.
    """
    now = store.now()
    with store.writing() as connection:
        if kept is not None:
            lock_with_password(connection, account, kept)
        row = _row(connection, account)
        if row is None or row.confirmed_at is None:
            raise NotFound("no-second-factor")
        for table in (second_factors, recovery_codes):
            connection.execute(delete(table).where(table.c.account == account))
        queue_mail(connection, now, account, "second-factor-off")
        note(connection, now, actor, "second-factor-off", account=account)


def _row(connection: Connection, account: str) -> Any:
    """Lock an account, and return its second factor; None if there is none."""
    connection.execute(select(accounts.c.id).where(accounts.c.id == account).with_for_update(key_share=True))
    return connection.execute(second_factors.select().where(second_factors.c.account == account)).one_or_none()


def _folded(code: str) -> str:
    """A code without the blanks and hyphens that make it readable, in lower case."""
    return "".join(code.split()).replace("-", "").lower()
