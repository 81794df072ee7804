"""Account holders: sign-up, verification of the address, sessions, passwords, deletion, and export of their data.

Nothing here reveals whether an address has an account, except to whoever reads its mail. A mailed token is made
when the mail is sent (`accounts.mail`), so that the queue holds none.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from secrets import token_hex, token_urlsafe
from typing import Any, Final, Literal, NamedTuple

from sqlalchemy import ColumnElement, Connection, delete, insert, select, update

from padron.accounts import passwords
from padron.accounts.audit import Actor, note
from padron.accounts.keys import lock, lock_with_password, plan_of
from padron.accounts.plans import Plans
from padron.accounts.second_factor import SecondFactors, end_enrolment
from padron.accounts.secret import Secret
from padron.accounts.store import (
    GIVEN,
    Store,
    accounts,
    audit,
    checkouts,
    fold_address,
    increment_revision,
    inserting,
    key_usage,
    keys,
    mails,
    messages,
    queue_last_mail,
    queue_mail,
    saved_searches,
    second_factors,
    sessions,
    subscriptions,
    tokens,
    tombstones,
    usage,
    watched_companies,
    watchlists,
    webhooks,
)
from padron.accounts.usage import Usage
from padron.errors import Denied, Invalid, NotFound
from padron.words import Language

Purpose = Literal["verify", "reset", "address"]

SESSION: Final = 30 * 86_400
IDLE: Final = 7 * 86_400
"""Seconds that a session lasts at most, and without being used."""
VERIFYING: Final = 24 * 3_600
"""Seconds for which the link that verifies an address is valid."""
_SEEN_EVERY: Final = 3_600
_REMIND_EVERY: Final = 3_600
"""Least seconds between two mails of that link for attempts to log in."""

_ATOM = r"[\w!#$%&'*+/=?^`{|}~-]+"
_LABEL = r"(?!-)[^\W_](?:[^\W_]|-){0,62}(?<!-)"
_ADDRESS = re.compile(rf"(?!.*=\?)(?=[^@]{{1,64}}@){_ATOM}(?:\.{_ATOM})*@(?:{_LABEL}\.)+(?=[^\W\d]){_LABEL}")
"""A dot-atom (RFC 5322) of letters of any script, no encoded word (RFC 2047), at a domain name, no address literal."""


class AccountHolder(NamedTuple):
    """An account, as its holder sees it; times are seconds since the epoch, `terms` is the version accepted last."""

    id: str
    address: str
    language: Language
    plan: str
    created_at: int
    suspended_at: int | None = None
    terms: str | None = None
    operator: bool = False


class OpenSession(NamedTuple):
    """A session as its holder sees it; times are seconds since the epoch."""

    id: str
    browser: str
    created_at: int
    seen_at: int
    current: bool


class AccountHolders:
    """Sign-up, log-in and all that account holders do with the account itself."""

    def __init__(self, store: Store, secret: Secret, plans: Plans, second: SecondFactors, usage: Usage) -> None:
        self._store = store
        self._secret = secret
        self._plans = plans
        self._second = second
        self._usage = usage

    def sign_up(self, address: str, password: str, language: Language) -> None:
        """Open an account and mail the link that verifies the address; if it is taken, mail that instead.

        Whoever opens an account accepts the terms in force.

        An account that was never verified takes the new password: its mails ask for the one given last.

        Raises:
            Invalid: `bad-address`, `weak-password`.
        """
        address = validated_address(address)
        passwords.check(password, address)
        kept = passwords.hashed(password)
        now = self._store.now()
        with self._store.writing() as connection:
            terms = self._plans.terms_version
            chosen = {"password": kept, "language": language, "terms": terms}
            values = {"id": f"acc_{token_hex(12)}", "address": address, "created_at": now}
            make = inserting(connection, accounts).values(values | chosen)
            account = connection.execute(
                make.on_conflict_do_nothing(index_elements=["address"]).returning(accounts.c.id)
            ).scalar_one_or_none()
            if account is not None:
                note(connection, now, "account", "signed-up", account=account)
                note(connection, now, "account", "terms-accepted", account=account, subject=terms)
                queue_mail(connection, now, account, "verify")
                return
            own = accounts.select().where(accounts.c.address == address).with_for_update(key_share=True)
            row = connection.execute(own).one()
            if row.verified_at is None:
                again = update(accounts).where(accounts.c.id == row.id)
                connection.execute(again.values(chosen))
                if row.terms != terms:
                    note(connection, now, "account", "terms-accepted", account=row.id, subject=terms)
                spent = update(tokens).where(tokens.c.account == row.id, tokens.c.used_at.is_(None))
                connection.execute(spent.values(used_at=now))
            queue_mail(connection, now, row.id, "taken" if row.verified_at else "verify")

    def verify(self, token: str, password: str, browser: str = "", *, code: str | None = None) -> str:
        """Verify the address with the mailed token and the password chosen.

        The password is asked for again so that nobody who signs up with the address of another person owns the account
        that this person verifies.

        Args:
            code: A code of the second factor, if the account has one.

        Raises:
            Denied: `bad-token`, `bad-login`, `code-required`, `bad-code`.
        """
        now = self._store.now()
        with self._store.reading() as connection:
            account = self._bearer(connection, token, "verify")
            kept = connection.execute(select(accounts.c.password).where(accounts.c.id == account)).scalar_one()
        if not passwords.verify(kept, password):
            raise Denied("bad-login")
        with self._second.using(account, code) as connection:
            lock_with_password(connection, account, kept)
            self._use(connection, token, "verify")
            connection.execute(update(accounts).where(accounts.c.id == account).values(verified_at=now))
            note(connection, now, "account", "verified", account=account)
            return self._session(connection, account, browser)

    def log_in(
        self, address: str, password: str, browser: str = "", *, known: bool = True, code: str | None = None
    ) -> str:
        """Return a new session id.

        Args:
            known: Whether the holder has logged in from this browser before; if not, a mail tells them.
            code: A code of the second factor, if the account has one.

        Raises:
            Denied: `bad-login`, the same for every cause; `code-required`, `bad-code` if both are right.
        """
        now = self._store.now()
        with self._store.reading() as connection:
            row = _find(connection, fold_address(address))
        good = passwords.verify(row.password if row else None, password)
        if row is not None and good and row.verified_at is not None:
            with self._second.using(row.id, code) as connection:
                lock_with_password(connection, row.id, row.password)
                note(connection, now, "account", "logged-in", account=row.id)
                if not known:
                    queue_mail(connection, now, row.id, "new-device")
                return self._session(connection, row.id, browser)
        if row is not None:
            with self._store.writing() as connection:
                note(connection, now, "account", "log-in-refused", account=row.id)
                if good and not _is_reminded(connection, now, row.id):
                    queue_mail(connection, now, row.id, "verify")
        raise Denied("bad-login")

    def unlocked_at(self, address: str) -> int:
        """Return when an operator last unlocked the account with an address, if any; 0 for never."""
        with self._store.reading() as connection:
            row = _find(connection, fold_address(address))
        return row.unlocked_at or 0 if row else 0

    def holder_of(self, session: str) -> AccountHolder:
        """Return the holder of a session. Raises `Denied("no-session")` if it is unknown, over or was ended."""
        now, digest = self._store.now(), self._secret.digest("session", session)
        with self._store.reading() as connection:
            row = connection.execute(
                select(accounts, sessions.c.seen_at)
                .join(sessions, sessions.c.account == accounts.c.id)
                .where(
                    sessions.c.digest == digest,
                    *_is_open(now),
                )
            ).one_or_none()
            if row is None:
                raise Denied("no-session")
            plan = self._plans.held(plan_of(connection, row.id, now)).code
        holder = AccountHolder(row.id, row.address, row.language, plan, row.created_at, row.suspended_at, row.terms)
        holder = holder._replace(operator=row.operator_at is not None)
        if row.seen_at < now - _SEEN_EVERY:
            self._usage.see(digest)
        return holder

    def log_out(self, session: str, *, everywhere: bool = False) -> None:
        """End a session, or all sessions of its account."""
        digest, now = self._secret.digest("session", session), self._store.now()
        with self._store.writing() as connection:
            own = select(sessions.c.account).where(sessions.c.digest == digest)
            account = connection.execute(own).scalar_one_or_none()
            if account is None:
                return
            which = sessions.c.account == account if everywhere else sessions.c.digest == digest
            connection.execute(delete(sessions).where(which))
            note(connection, now, "account", "logged-out-everywhere" if everywhere else "logged-out", account=account)

    def sessions_of(self, session: str) -> list[OpenSession]:
        """Return the sessions of the account of a session, the one seen last first."""
        digest, now = self._secret.digest("session", session), self._store.now()
        own = select(sessions.c.account).where(sessions.c.digest == digest).scalar_subquery()
        with self._store.reading() as connection:
            rows = connection.execute(
                sessions.select()
                .where(
                    sessions.c.account == own, sessions.c.created_at > now - SESSION, sessions.c.seen_at > now - IDLE
                )
                .order_by(sessions.c.seen_at.desc(), sessions.c.created_at.desc(), sessions.c.digest)
            ).all()
        return [
            OpenSession(_session_id(row.digest), row.browser, row.created_at, row.seen_at, row.digest == digest)
            for row in rows
        ]

    def end_session(self, account: str, number: str) -> None:
        """End one session of an account by its number. Raises `NotFound("session-not-found")`."""
        with self._store.writing() as connection:
            digests = connection.execute(select(sessions.c.digest).where(sessions.c.account == account)).scalars()
            digest = next((digest for digest in digests if _session_id(digest) == number), None)
            if digest is None:
                raise NotFound("session-not-found")
            connection.execute(delete(sessions).where(sessions.c.digest == digest))
            note(connection, self._store.now(), "account", "logged-out", account=account)

    def ask_new_address(self, holder: AccountHolder, address: str, password: str) -> None:
        """Mail a link to a new e-mail address that makes it the account's, and tell the present one.

        Whether the new address has an account already is known to nobody but its reader.

        Raises:
            Denied: `bad-login`.
            Invalid: `bad-address`.
        """
        address = validated_address(address)
        present = self.check_password(holder, password)
        now = self._store.now()
        with self._store.writing() as connection:
            lock_with_password(connection, holder.id, present)
            connection.execute(update(accounts).where(accounts.c.id == holder.id).values(new_address=address))
            # A mail that waits for another address would get a token made later, which confirms this one.
            waiting = (mails.c.account == holder.id, mails.c.kind == "new-address")
            connection.execute(delete(mails).where(*waiting))
            self._spend(connection, holder.id, "address")
            queue_mail(connection, now, holder.id, "new-address", address)
            queue_mail(connection, now, holder.id, "address-asked", holder.address)
            note(connection, now, "account", "address-asked", account=holder.id)

    def confirm_address(self, token: str, password: str, browser: str = "", *, code: str | None = None) -> str:
        """Make the new address the account's with the mailed token, end every session, and tell the old address.

        Args:
            code: A code of the second factor, if the account has one.

        Raises:
            Denied: `bad-token`, `bad-login`, `code-required`, `bad-code`.
            Invalid: `address-taken` if the address has an account by now.
        """
        with self._store.reading() as connection:
            account = self._bearer(connection, token, "address")
            kept = connection.execute(select(accounts.c.password).where(accounts.c.id == account)).scalar_one()
        if not passwords.verify(kept, password):
            raise Denied("bad-login")
        now = self._store.now()
        with self._second.using(account, code) as connection:
            lock_with_password(connection, account, kept)
            row = connection.execute(accounts.select().where(accounts.c.id == account)).one()
            self._use(connection, token, "address")
            self._spend(connection, account, "reset")  # links at the old address
            if row.new_address is None:  # a new password ended the change
                raise Denied("bad-token")
            if _find(connection, row.new_address) is not None:
                raise Invalid("address-taken")
            moved = {"address": row.new_address, "new_address": None}
            connection.execute(update(accounts).where(accounts.c.id == account).values(moved))
            connection.execute(delete(sessions).where(sessions.c.account == account))
            queue_mail(connection, now, account, "address-changed", row.address)
            note(connection, now, "account", "address-changed", account=account)
            return self._session(connection, account, browser)

    def forget_password(self, address: str) -> None:
        """Mail a link to set a new password, if the address has an account."""
        now = self._store.now()
        with self._store.writing() as connection:
            row = _find(connection, fold_address(address))
            if row is not None:
                queue_mail(connection, now, row.id, "reset")

    def reset_password(self, token: str, password: str, browser: str = "", *, code: str | None = None) -> str:
        """Set a new password with the mailed token, verify the address and end every session.

        Args:
            code: A code of the second factor, if the account has one.

        Raises:
            Denied: `bad-token`, `code-required`, `bad-code`.
            Invalid: `weak-password`.
        """
        now = self._store.now()
        with self._store.reading() as connection:
            account = self._bearer(connection, token, "reset")
            address = connection.execute(select(accounts.c.address).where(accounts.c.id == account)).scalar_one()
        passwords.check(password, address)
        kept = passwords.hashed(password)
        with self._second.using(account, code) as connection:
            row = connection.execute(accounts.select().where(accounts.c.id == account)).one_or_none()
            if row is None:  # another request has deleted the account since this one began
                raise Denied("bad-token")
            self._use(connection, token, "reset")
            return self._renew(connection, account, kept, row.verified_at or now, browser)

    def change_password(
        self, holder: AccountHolder, old: str, new: str, browser: str = "", *, code: str | None = None
    ) -> str:
        """Set a new password, given the old one; end every session.

        Args:
            code: A code of the second factor, if the account has one.

        Raises:
            Denied: `bad-login`, `code-required`, `bad-code`.
            Invalid: `weak-password`.
        """
        present = self.check_password(holder, old)
        passwords.check(new, holder.address, "new")
        kept = passwords.hashed(new)
        with self._second.using(holder.id, code) as connection:
            lock_with_password(connection, holder.id, present)
            return self._renew(connection, holder.id, kept, self._store.now(), browser)

    def _renew(self, connection: Connection, account: str, kept: str, verified_at: int, browser: str) -> str:
        """Set the password; end what the old one began: sessions, an unconfirmed address or second factor, a lock.

        So end mailed links to set a new one, and mails that would bring another.
        """
        now = self._store.now()
        values = {"password": kept, "verified_at": verified_at, "new_address": None, "unlocked_at": now}
        connection.execute(update(accounts).where(accounts.c.id == account).values(values))
        connection.execute(delete(sessions).where(sessions.c.account == account))
        connection.execute(delete(mails).where(mails.c.account == account, mails.c.kind == "reset"))
        self._spend(connection, account, "reset")
        end_enrolment(connection, account)
        queue_mail(connection, now, account, "password-changed")
        note(connection, now, "account", "password-changed", account=account)
        return self._session(connection, account, browser)

    def set_language(self, account: str, language: Language) -> None:
        """Set the language of the account's mails."""
        with self._store.writing() as connection:
            connection.execute(update(accounts).where(accounts.c.id == account).values(language=language))

    def accept_terms(self, account: str, version: str) -> None:
        """Note that the holder of an account accepts the terms in force; accepting them again changes nothing.

        Raises `Invalid("terms-changed")` for another version.
        """
        if version != self._plans.terms_version:
            raise Invalid("terms-changed", parameter="version", version=self._plans.terms_version)
        with self._store.writing() as connection:
            new = (accounts.c.id == account, accounts.c.terms.is_distinct_from(version))
            if connection.execute(update(accounts).where(*new).values(terms=version)).rowcount:
                note(connection, self._store.now(), "account", "terms-accepted", account=account, subject=version)

    def delete(self, holder: AccountHolder, password: str, code: str | None = None) -> None:
        """Delete an account and all it owns; its keys are refused within a second.

        Args:
            code: A code of the second factor, if the account has one.

        Raises:
            Denied: `bad-login`, `code-required`, `bad-code`.
            Invalid: `subscription-running` while a subscription would go on being paid.
        """
        kept = self.check_password(holder, password)
        with self._second.using(holder.id, code) as connection:
            lock_with_password(connection, holder.id, kept)
            _remove(connection, self._store.now(), holder.id, "account")

    def check(self, holder: AccountHolder, password: str, code: str | None) -> str:
        """Check what confirms an act: the password and, if the account has a second factor, a code of it.

        Args:
            code: The code, used up by this.

        Returns:
            The hash of the password, for `lock_with_password`.

        Raises:
            Denied: `bad-login`, `code-required`, `bad-code`.
        """
        kept = self.check_password(holder, password)
        with self._second.using(holder.id, code):
            return kept

    def check_password(self, holder: AccountHolder, password: str) -> str:
        """Return the hash of the password of the account. Raises `Denied("bad-login")` for another password."""
        with self._store.reading() as connection:
            # None: another request has deleted the account since this one began.
            own = select(accounts.c.password).where(accounts.c.id == holder.id)
            kept: str | None = connection.execute(own).scalar_one_or_none()
        if not passwords.verify(kept, password) or kept is None:
            raise Denied("bad-login")
        return kept

    def token(self, connection: Connection, account: str, purpose: Purpose, lasts: int) -> str:
        """Make a token to be mailed; tokens mailed before for this purpose stay valid until they expire.

        Args:
            lasts: Seconds until it expires.
        """
        text = token_urlsafe(32)
        row = {"digest": self._secret.digest(purpose, text), "account": account, "purpose": purpose}
        connection.execute(insert(tokens).values(row | {"expires_at": self._store.now() + lasts}))
        return text

    def bearer(self, token: str, purpose: Purpose) -> str:
        """Return the present e-mail address of the account of a mailed token. Raises `Denied("bad-token")`."""
        with self._store.reading() as connection:
            account = self._bearer(connection, token, purpose)
            return str(connection.execute(select(accounts.c.address).where(accounts.c.id == account)).scalar_one())

    def _bearer(self, connection: Connection, token: str, purpose: Purpose) -> str:
        """Return the account of a token. Raises `Denied("bad-token")`."""
        account: str | None = connection.execute(
            select(tokens.c.account).where(
                tokens.c.digest == self._secret.digest(purpose, token),
                tokens.c.used_at.is_(None),
                tokens.c.expires_at > self._store.now(),
            )
        ).scalar_one_or_none()
        if account is None:
            raise Denied("bad-token")
        return account

    def _use(self, connection: Connection, token: str, purpose: Purpose) -> None:
        """Use up a token, and all others of its account and purpose. Raises `Denied("bad-token")` if it was used."""
        self._spend(connection, self._bearer(connection, token, purpose), purpose)

    def _spend(self, connection: Connection, account: str, purpose: Purpose) -> None:
        """Use up all tokens of an account and purpose."""
        spent = update(tokens).where(tokens.c.account == account, tokens.c.purpose == purpose)
        connection.execute(spent.values(used_at=self._store.now()))

    def _session(self, connection: Connection, account: str, browser: str) -> str:
        """Open a session of an account that is locked, and return its id."""
        text, now = token_urlsafe(32), self._store.now()
        row = {"digest": self._secret.digest("session", text), "account": account, "browser": browser}
        connection.execute(insert(sessions).values(row | {"created_at": now, "seen_at": now}))
        return text


def _is_open(now: int) -> tuple[ColumnElement[bool], ...]:
    """The conditions of a session that is not over."""
    return sessions.c.created_at > now - SESSION, sessions.c.seen_at > now - IDLE


def _session_id(digest: str) -> str:
    """The number of a session for its holder: a part of its digest, which opens nothing."""
    return f"ses_{digest[:16]}"


def validated_address(address: str) -> str:
    """Return an e-mail address in normal form. Raises `Invalid("bad-address")` for one that no mail server accepts."""
    folded = fold_address(address)
    if len(folded) > 254 or not _ADDRESS.fullmatch(folded):
        raise Invalid("bad-address", parameter="email")
    return folded


def remove(store: Store, account: str, actor: Actor) -> None:
    """Delete an account and all it owns; its keys are refused within a second.

    Its customer at the payment provider is deleted by `Subscriptions.delete_customers`.

    Raises:
        Invalid: `subscription-running`.
        NotFound: `account-not-found`.
    """
    with store.writing() as connection:
        lock(connection, account)
        _remove(connection, store.now(), account, actor)


def _remove(connection: Connection, now: int, account: str, actor: Actor) -> None:
    """Delete an account that is locked. Raises `Invalid("subscription-running")`."""
    running = connection.execute(
        select(subscriptions.c.account).where(
            subscriptions.c.account == account,
            subscriptions.c.provider != GIVEN,
            subscriptions.c.state != "ended",
            subscriptions.c.ending.is_(False),
        )
    ).first()
    if running is not None:
        raise Invalid("subscription-running")
    row = connection.execute(accounts.select().where(accounts.c.id == account)).one()
    for worked_on in (mails, webhooks):  # a worker that holds one of them may need the account before it lets go
        connection.execute(delete(worked_on).where(worked_on.c.account == account))
    connection.execute(delete(accounts).where(accounts.c.id == account))
    connection.execute(insert(tombstones).values(account=account, customer=row.customer, deleted_at=now))
    if row.verified_at is not None:
        queue_last_mail(connection, now, row.address, row.language)
    increment_revision(connection)
    note(connection, now, actor, "deleted", account=account)


def export(store: Store, account: str) -> dict[str, Any]:
    """Return all data of an account except password hashes and digests. Raises `NotFound("account-not-found")`."""
    held = (
        ("keys", keys),
        ("usage", usage),
        ("key_usage", key_usage),
        ("subscriptions", subscriptions),
        ("second_factor", second_factors),
        ("watchlists", watchlists),
        ("watched_companies", watched_companies),
        ("saved_searches", saved_searches),
        ("webhooks", webhooks),
        ("messages", messages),
    )
    with store.reading() as connection:
        row = connection.execute(accounts.select().where(accounts.c.id == account)).one_or_none()
        if row is None:
            raise NotFound("account-not-found")
        document: dict[str, Any] = {"account": _shown(row._mapping)}
        for name, table in (*held, ("checkouts", checkouts), ("sessions", sessions), ("audit", audit)):
            rows = connection.execute(table.select().where(table.c.account == account)).mappings()
            document[name] = [_shown(row, _HIDDEN - {"url"} if table is webhooks else _HIDDEN) for row in rows]
    return document


_HIDDEN: Final = frozenset({"password", "digest", "idempotency", "url", "seed", "old_seed", "content"})
"""Columns of no export: secrets, and addresses that pay; what waits for a webhook is public."""


def _shown(row: Mapping[Any, Any], hidden: frozenset[str] = _HIDDEN) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name not in hidden}


def _is_reminded(connection: Connection, now: int, account: str) -> bool:
    """Return whether a link that verifies the address was mailed within the last hour."""
    lately = tokens.c.expires_at > now + VERIFYING - _REMIND_EVERY
    mailed = select(tokens.c.digest).where(tokens.c.account == account, tokens.c.purpose == "verify", lately)
    return connection.execute(mailed).first() is not None


def _find(connection: Connection, address: str) -> Any:
    return connection.execute(accounts.select().where(accounts.c.address == address)).one_or_none()
