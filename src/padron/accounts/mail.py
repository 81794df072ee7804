"""Mail to account holders: into a folder by default, by SMTP when a setting names a server.

A mail waits in the table `mails` from the moment the request that caused it is committed, so none is lost when the
service is killed; its token is made when it is sent. It may then come twice, never not at all.
"""

from __future__ import annotations

import os
import smtplib
import ssl
from datetime import UTC, datetime
from email.headerregistry import Address
from email.message import EmailMessage
from email.utils import format_datetime
from pathlib import Path
from secrets import token_hex
from typing import Any, Final, Literal, NamedTuple, Protocol
from urllib.parse import unquote, urlsplit

from sqlalchemy import Connection, Row, delete, select, update

from padron.accounts.audit import note
from padron.accounts.sessions import VERIFYING, AccountHolders, Purpose
from padron.accounts.store import Store, accounts, mails
from padron.errors import Unavailable
from padron.storage import move_into_place
from padron.words import N_, translate

_LEASE: Final = 60
"""Seconds after which a mail that a worker took and did not send may be taken by another; doubled at each try."""
_TRIES: Final = 12
_GIVEN_UP: Final = "mail-given-up"


class Template(NamedTuple):
    """A kind of mail: its text in English, the purpose of the token in its link, how long that is valid, its page."""

    subject: str
    body: str
    page: str
    purpose: Purpose | None = None
    seconds: int = 0


TEMPLATES: Final = {
    "verify": Template(
        N_("Confirm your address for Padrón"),
        N_(
            "Someone, we hope it was you, opened a Padrón account with this address. To confirm it, open this link "
            "within 24 hours and enter the password you chose:\n\n{link}\n\nIf it was not you, ignore this message."
        ),
        page="verify",
        purpose="verify",
        seconds=VERIFYING,
    ),
    "taken": Template(
        N_("You already have a Padrón account"),
        N_(
            "Someone, perhaps you, tried to open a Padrón account with this address, which already has one. You can "
            "log in here, or ask there for a new password if you forgot yours:\n\n{link}\n\n"
            "If it was not you, ignore this message."
        ),
        page="log-in",
    ),
    "reset": Template(
        N_("A new password for Padrón"),
        N_(
            "To choose a new password, open this link within one hour:\n\n{link}\n\n"
            "This ends every open session. If you did not ask for it, ignore this message."
        ),
        page="reset",
        purpose="reset",
        seconds=3600,
    ),
    "new-device": Template(
        N_("A new browser logged in to your Padrón account"),
        N_(
            "Someone, we hope it was you, logged in to your account with its password from a browser that was not used "
            "before. If it was not you, set a new password, which ends every session, here:\n\n{link}"
        ),
        page="security",
    ),
    "new-address": Template(
        N_("Confirm your new address for Padrón"),
        N_(
            "Someone, we hope it was you, asked to use this address for a Padrón account. To confirm it, open this "
            "link within 24 hours and enter the password of the account:\n\n{link}\n\nIf it was not you, ignore this "
            "message."
        ),
        page="address",
        purpose="address",
        seconds=VERIFYING,
    ),
    "address-asked": Template(
        N_("Your Padrón account is about to change its address"),
        N_(
            "Someone, we hope it was you, asked for another mail address for your account. It changes when that "
            "address is confirmed. If it was not you, set a new password, which ends the change and every session, "
            "here:\n\n{link}"
        ),
        page="security",
    ),
    "address-changed": Template(
        N_("Your Padrón account has another address now"),
        N_(
            "Your account has another mail address now, which was confirmed with its password. Mails go there. If it "
            "was not you, reply to this message at once.\n\n{link}"
        ),
        page="log-in",
    ),
    "second-factor-on": Template(
        N_("Your Padrón account has a second factor now"),
        N_(
            "From now on a code of your app is asked for beside your password. Keep the recovery codes where you find "
            "them without your telephone. If it was not you, reply to this message at once, and the operator of this "
            "service turns it off: logging in and setting a new password ask for the code too.\n\n{link}"
        ),
        page="security",
    ),
    "second-factor-off": Template(
        N_("Your Padrón account has no second factor any more"),
        N_(
            "The second factor of your account was turned off: the password alone opens it. If it was not you, set a "
            "new password, which ends every session, here:\n\n{link}"
        ),
        page="security",
    ),
    "password-changed": Template(
        N_("Your Padrón account has a new password"),
        N_(
            "The password of your account was changed, and every other session has ended. If it was not you, set a "
            "new one at once by a link that we send to this address, which you can ask for here:\n\n{link}"
        ),
        page="forgotten",
    ),
    "recovery-renewed": Template(
        N_("Your Padrón account has new recovery codes"),
        N_(
            "New recovery codes of the second factor of your account were made; those before are void. If it was not "
            "you, set a new password, which ends every session, and make new codes, here:\n\n{link}"
        ),
        page="security",
    ),
    "recovery-code-used": Template(
        N_("A recovery code of your Padrón account was used"),
        N_(
            "Someone, we hope it was you, used a recovery code of your account beside its password; the code is void "
            "now. You can see how many are left, and make new ones, here:\n\n{link}\n\nIf it was not you, set "
            "a new password and make new codes at once."
        ),
        page="security",
    ),
    "suspended": Template(
        N_("Your Padrón account is suspended"),
        N_(
            "The operator of this service has suspended your account: its keys are refused, and it cannot make or buy "
            "anything. You can still log in, download your data and delete the account here:\n\n{link}\n\n"
            "If you think this is a mistake, reply to this message."
        ),
        page="security",
    ),
    "deleted": Template(
        N_("Your Padrón account was deleted"),
        N_(
            "Your account was deleted with all it owned: its keys are refused, and nothing of it can be brought back. "
            "If it was not you, reply to this message at once. You can open a new account here:\n\n{link}"
        ),
        page="sign-up",
    ),
    "payment-failed": Template(
        N_("A payment for your Padrón plan failed"),
        N_(
            "The payment provider could not collect the price of your plan, and will try again. If it still cannot "
            "seven days after the first try, your account has the free plan from then on. You can change the method "
            "of payment here:\n\n{link}"
        ),
        page="plan",
    ),
    "renewal-resumed": Template(
        N_("Your Padrón plan will be renewed again"),
        N_(
            "Your plan was to end with the period that is paid. Someone, we hope it was you, had it renewed again: it "
            "goes on, and so do its payments. You can cancel it here:\n\n{link}"
        ),
        page="plan",
    ),
    "quota-80": Template(
        N_("You have used 80 percent of today's answers"),
        N_(
            "The keys of your account have used 80 percent of the answers that your plan includes per day (UTC). By "
            "key and operation:\n\n{link}\n\nWhen all are used, further requests are refused until midnight UTC. "
            "Higher plans include more."
        ),
        page="usage",
    ),
    "quota-100": Template(
        N_("You have used all of today's answers"),
        N_(
            "The keys of your account have used all of the answers that your plan includes per day. Further requests "
            "are refused until midnight UTC. By key and operation:\n\n{link}\n\nHigher plans include more."
        ),
        page="usage",
    ),
    "webhook-disabled": Template(
        N_("A webhook of your Padrón account was switched off"),
        N_(
            "Every try to deliver a message to one of your webhooks failed for three days, or its address answered "
            "that it is gone. It gets no more messages. Once its address answers again, switch it on by the API "
            "(PATCH /api/v1/webhooks, enabled: true): it goes on with the oldest message that is kept, for 30 days."
            "\n\n{link}"
        ),
        page="keys",
    ),
    "exposed": Template(
        N_("One of your keys was found in public"),
        N_(
            "Somebody who looks for exposed secrets reported an API key of your account to us: it stands where others "
            "can read it, such as a public repository. It still works. Replace it as soon as you can, and revoke it, "
            "here:\n\n{link}"
        ),
        page="keys",
    ),
    "leaked": Template(
        N_("One of your keys was exposed"),
        N_(
            "An API key of your account reached us inside a web address, which is kept in logs that others can read. "
            "Send keys in header fields only, and replace this one as soon as you can here:\n\n{link}"
        ),
        page="keys",
    ),
}
"""The mails by kind; a kind is stored in the table `mails`."""


Delivery = Literal["sent", "refused", "undeliverable"]
"""The outcome of a mail: `refused` for now, by a server that takes others; `undeliverable` lasts."""


class MailTransport(Protocol):
    """A way to send mails. Raises `Unavailable("mail-unavailable")` when it can send none just now."""

    def send(self, mail: EmailMessage) -> Delivery:
        """Send one mail."""


class FolderTransport:
    """A folder of mails, one `.eml` file each, written atomically and readable to their owner only.

    Their text is not encoded for transport, which would break links over several lines: people copy them from there.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def send(self, mail: EmailMessage) -> Delivery:
        """Write one mail."""
        mail.set_content(mail.get_content(), cte="8bit")
        name = f"{datetime.now(UTC):%Y%m%dT%H%M%S}-{token_hex(6)}.eml"
        try:
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            fresh = self.folder / f".{name}"
            with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                file.write(bytes(mail))
            move_into_place(fresh, self.folder / name)
        except OSError as error:
            raise Unavailable("mail-unavailable") from error
        return "sent"


class SmtpTransport:
    """An SMTP server: `smtp://user:password@host:port` with STARTTLS when offered, or `smtps://`.

    User and password are only ever sent over TLS. A domain outside ASCII is sent as IDNA writes it, any other part of
    an address only to a server with SMTPUTF8 (RFC 6531).
    """

    def __init__(self, url: str) -> None:
        self._parts = urlsplit(url)

    def send(self, mail: EmailMessage) -> Delivery:
        """Send one mail."""
        try:
            _write_domain(mail, "From")
        except UnicodeError as error:  # of the settings, and of every mail
            raise Unavailable("mail-unavailable") from error
        try:
            _write_domain(mail, "To")
        except UnicodeError:
            return "undeliverable"
        parts, context = self._parts, ssl.create_default_context()
        host, secure = parts.hostname or "", parts.scheme == "smtps"
        try:
            with (
                smtplib.SMTP_SSL(host, parts.port or 465, timeout=20, context=context)
                if secure
                else smtplib.SMTP(host, parts.port or 587, timeout=20)
            ) as server:
                server.ehlo_or_helo_if_needed()
                if (not secure and server.has_extn("starttls")) or (parts.username and not secure):
                    server.starttls(context=context)
                if parts.username:
                    server.login(unquote(parts.username), unquote(parts.password or ""))
                server.send_message(mail)
        except smtplib.SMTPRecipientsRefused:
            return "refused"
        except smtplib.SMTPNotSupportedError as error:
            if mail["To"].addresses[0].username.isascii():
                raise Unavailable("mail-unavailable") from error
            return "undeliverable"
        except (OSError, smtplib.SMTPException) as error:
            raise Unavailable("mail-unavailable") from error
        return "sent"


def _write_domain(mail: EmailMessage, field: str) -> None:
    """Write the domains of a header field in the letters of the DNS. Raises `UnicodeError`."""
    mail.replace_header(field, [_with_ascii_domain(address) for address in mail[field].addresses])


def _with_ascii_domain(address: Address) -> Address:
    """Return an address with its domain in the letters of the DNS.

    Raises `UnicodeError` for one that the IDNA of the standard library lacks, or makes another of (`ß` to `ss`).
    """
    domain = address.domain.encode("idna").decode()
    if domain != address.domain and domain.encode().decode("idna") != address.domain:
        raise UnicodeError
    return Address(address.display_name, address.username, domain)


class MailSender:
    """The sender of the mails that wait in `mails`; each worker leases the mails it sends."""

    def __init__(
        self, store: Store, holders: AccountHolders, transport: MailTransport, sender: str, base_url: str
    ) -> None:
        self._store = store
        self._holders = holders
        self._transport = transport
        self._sender = sender
        self._base_url = base_url

    def send_due(self) -> int:
        """Send the mails that are due; gives how many went. Raises `Unavailable` at the first that finds no server.

        One that is refused waits alone to be tried again.
        """
        sent = 0
        while (mail := self._take()) is not None:
            row, message = mail
            delivery = self._transport.send(message)
            sent += delivery == "sent"
            if delivery != "refused":
                with self._store.writing() as connection:
                    connection.execute(delete(mails).where(mails.c.id == row.id))
                    if delivery == "undeliverable":
                        note(connection, self._store.now(), "service", _GIVEN_UP, account=row.account, subject=row.kind)
        return sent

    def _take(self) -> tuple[Row[Any], EmailMessage] | None:
        """One mail that is due, for this worker alone until its lease ends."""
        now = self._store.now()
        with self._store.writing() as connection:
            while (row := _due(connection, now)) is not None and not _lease(connection, row, now):
                pass
            if row is None:
                return None
            template, language = TEMPLATES[row.kind], row.language or row.holder_language
            link = f"{self._base_url}/{language}/account/{template.page}"
            if template.purpose is not None:
                # Behind `#`, so that no server, proxy or Referer ever holds it.
                link += f"#token={self._holders.token(connection, row.account, template.purpose, template.seconds)}"
        message = EmailMessage()
        message["From"], message["To"] = self._sender, row.recipient or row.address
        message["Subject"] = translate(template.subject, language)
        message["Date"] = format_datetime(datetime.now(UTC))
        message["Message-ID"] = f"<{token_hex(16)}@{urlsplit(self._base_url).hostname}>"
        message["Auto-Submitted"] = "auto-generated"
        message.set_content(translate(template.body, language).format(link=link))
        return row, message


def _due(connection: Connection, now: int) -> Row[Any] | None:
    """The mail that has been due longest, with its account's address, and its language."""
    return connection.execute(
        select(mails, accounts.c.address, accounts.c.language.label("holder_language"))
        .outerjoin(accounts, accounts.c.id == mails.c.account)
        .where(mails.c.due_at <= now)
        .order_by(mails.c.due_at)
        .limit(1)
        .with_for_update(of=mails, skip_locked=True)
    ).one_or_none()


def _lease(connection: Connection, row: Row[Any], now: int) -> bool:
    """Lease a mail, and return whether it can be sent; after too many tries it is given up instead.

    One of a kind that this program does not have was queued by a newer one, which may be back before the last try.
    """
    own = mails.c.id == row.id
    if row.tries >= _TRIES:
        connection.execute(delete(mails).where(own))
        note(connection, now, "service", _GIVEN_UP, account=row.account, subject=row.kind)
        return False
    ends = now + _LEASE * 2**row.tries
    connection.execute(update(mails).where(own).values(due_at=ends, tries=row.tries + 1))
    return row.kind in TEMPLATES


def mail_transport_of(url: str | None, folder: Path) -> MailTransport:
    """The way mails go: by SMTP where `url` names a server, else into `folder`."""
    return SmtpTransport(url) if url else FolderTransport(folder)
