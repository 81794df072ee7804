"""Mail by SMTP, against a real server: encrypted, authenticated, refused, down; and no mail is lost on the way."""

from __future__ import annotations

import email
import email.policy
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from email.message import EmailMessage
from pathlib import Path

import pytest
import trustme
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session
from sqlalchemy import select

from account_service import PASSWORD, Holder, account_service, enrol, letters, token_in
from padron.accounts import mail
from padron.accounts.mail import SmtpTransport
from padron.accounts.store import accounts, audit, mails
from padron.errors import Unavailable
from ports import free_port
from waiting import until

USER, SECRET = "padron", "a pass/word: of@ the server"
ADDRESS = "padron:a%20pass%2Fword%3A%20of%40%20the%20server@localhost"


def encrypted(server: SMTP) -> bool:
    return server.transport.get_extra_info("ssl_object") is not None


class Box:
    """Input of a mail server: mails with how they came and their recipients, and log-ins; some it refuses."""

    def __init__(self) -> None:
        self.recipients: list[str] = []
        self.refused: dict[str, str] = {}
        self.mails: list[tuple[EmailMessage, bool]] = []
        self.logins: list[tuple[bytes, bytes, bool]] = []

    async def handle_RCPT(  # noqa: N802 - its name there
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if address in self.refused:
            return self.refused[address]
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:  # noqa: N802 - its name there
        message = email.message_from_bytes(envelope.content, policy=email.policy.default)
        self.mails.append((message, encrypted(server)))
        self.recipients += envelope.rcpt_tos
        return "250 OK"

    def log_in(self, server: SMTP, session: Session, envelope: Envelope, mechanism: str, given) -> AuthResult:
        assert isinstance(given, LoginPassword)
        self.logins.append((given.login, given.password, encrypted(server)))
        known = (given.login, given.password) == (USER.encode(), SECRET.encode())
        return AuthResult(success=known, handled=known)  # what is not handled is refused by the server


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture
def trusted(authority: trustme.CA, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The machine trusts the authority."""
    authority.cert_pem.write_to_path(tmp_path / "authority.pem")
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "authority.pem"))


@contextmanager
def server(
    authority: trustme.CA, tls: str = "starttls", *, closed: bool = True, port: int = 0, utf8: bool = False
) -> Iterator[tuple[Box, int]]:
    """A server that speaks `starttls`, `smtps` or plainly; `closed`: with STARTTLS only after a log-in."""
    box, context = Box(), ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("localhost").configure_cert(context)
    controller = Controller(
        box,
        hostname="localhost",
        port=port or free_port(),
        enable_SMTPUTF8=utf8,
        ssl_context=context if tls == "smtps" else None,
        tls_context=context if tls == "starttls" else None,
        authenticator=box.log_in,
        auth_required=closed and tls == "starttls",
        auth_require_tls=tls == "starttls",
    )
    controller.start()
    try:
        yield box, controller.port
    finally:
        controller.stop()


def letter() -> EmailMessage:
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = "Padrón <a@example.ec>", "ana@example.ec", "Año"
    message.set_content("Ñandú https://padron.example/es/account/verify#token=abc")
    return message


@pytest.mark.usefixtures("trusted")
@pytest.mark.parametrize(("tls", "scheme"), [("starttls", "smtp"), ("smtps", "smtps")])
def test_a_mail_goes_encrypted_with_user_and_password(authority: trustme.CA, tls: str, scheme: str) -> None:
    with server(authority, tls=tls) as (box, port):
        SmtpTransport(f"{scheme}://{ADDRESS}:{port}").send(letter())
    ((message, secure),) = box.mails
    assert (message["Subject"], message["To"], secure) == ("Año", "ana@example.ec", True)
    assert message.get_content().strip() == letter().get_content().strip()
    assert box.logins == [(USER.encode(), SECRET.encode(), True)]


@pytest.mark.usefixtures("trusted")
def test_starttls_is_used_where_it_is_offered_and_left_where_nothing_is_secret(authority: trustme.CA) -> None:
    for tls, secure in (("starttls", True), ("none", False)):
        with server(authority, tls=tls, closed=False) as (box, port):
            SmtpTransport(f"smtp://localhost:{port}").send(letter())
        assert [how for _, how in box.mails] == [secure]


def refused(url: str) -> None:
    with pytest.raises(Unavailable) as caught:
        SmtpTransport(url).send(letter())
    assert caught.value.code == "mail-unavailable"
    assert SECRET not in str(caught.value)


@pytest.mark.usefixtures("trusted")
def test_a_password_never_goes_over_an_open_line(authority: trustme.CA) -> None:
    with server(authority, tls="none", closed=False) as (box, port):
        refused(f"smtp://{ADDRESS}:{port}")
    assert (box.mails, box.logins) == ([], [])


@pytest.mark.usefixtures("trusted")
def test_a_wrong_password_and_a_server_that_is_down_are_told(authority: trustme.CA) -> None:
    with server(authority) as (box, port):
        refused(f"smtp://padron:wrong@localhost:{port}")
        assert box.mails == []
    assert box.logins
    refused(f"smtp://{ADDRESS}:{port}")


def test_a_server_nobody_vouches_for_gets_no_password(authority: trustme.CA) -> None:
    for tls, scheme in (("starttls", "smtp"), ("smtps", "smtps")):
        with server(authority, tls=tls) as (box, port):
            refused(f"{scheme}://{ADDRESS}:{port}")
        assert (box.mails, box.logins) == ([], [])


@pytest.fixture
def sent(authority: trustme.CA, trusted: None, tmp_path: Path) -> Iterator[tuple[Holder, int]]:
    """A holder whose service sends its mail to a port, where nobody listens now."""
    port = free_port()
    with account_service(tmp_path / "data") as client:
        holder = enrol(client, tmp_path / "data")
    with account_service(tmp_path / "data", PADRON_MAIL__URL=f"smtp://{ADDRESS}:{port}") as client:
        yield holder._replace(client=client, services=client.app.state.services), port


def test_no_mail_is_lost_while_the_server_is_down(authority: trustme.CA, sent: tuple[Holder, int], monkeypatch) -> None:
    holder, port = sent
    monkeypatch.setattr(mail, "_LEASE", 0)
    addresses = [f"a{number}@example.ec" for number in range(5)]
    for address in addresses:
        answer = holder.client.post("/api/account", json={"email": address, "password": PASSWORD})
        assert answer.status_code == 202
    for _ in range(3):
        with pytest.raises(Unavailable):
            holder.services.mail_sender.send_due()
    assert waiting(holder) == 5
    with server(authority, port=port) as (box, _):
        ends = 50
        while waiting(holder) and (ends := ends - 1):
            holder.services.mail_sender.send_due()
        assert sorted(message["To"] for message, _ in box.mails) == addresses
        assert all(secure for _, secure in box.mails)
        token = token_in(box.mails[0][0].get_content())
        answer = holder.client.post("/api/account/verify", json={"token": token, "password": PASSWORD})
        assert answer.status_code == 200
    assert waiting(holder) == 0


@pytest.mark.parametrize("answer", ["550 5.1.1 No such mailbox", "451 4.7.1 Try again later"])
def test_a_refused_recipient_holds_up_no_other_mail(
    authority: trustme.CA, sent: tuple[Holder, int], answer: str
) -> None:
    holder, port = sent
    store = holder.services.store
    with server(authority, port=port) as (box, _):
        box.refused = {"a1@example.ec": answer}
        for number in range(3):
            holder.services.holders.sign_up(f"a{number}@example.ec", PASSWORD, "es")
        until(lambda: holder.services.mail_sender.send_due() == 0 and waiting(holder) == 1)
        assert sorted(box.recipients) == ["a0@example.ec", "a2@example.ec"]
        assert (waiting(holder), noted(holder, "mail-given-up")) == (1, 0)
        box.refused = {}
        later = store.now() + 61
        store._clock = lambda: later
        until(lambda: holder.services.mail_sender.send_due() == 0 and waiting(holder) == 0)
        assert box.recipients[2] == "a1@example.ec"


@pytest.mark.parametrize(
    ("address", "utf8", "recipient"),
    [
        ("ana@señal.example", False, "ana@xn--seal-hqa.example"),
        ("ana@señal.example", True, "ana@xn--seal-hqa.example"),
        ("ñandú@señal.example", True, "ñandú@xn--seal-hqa.example"),
        ("ñandú@señal.example", False, None),
        ("ana@straße.example", True, None),  # IDNA 2003 makes it another domain, strasse
    ],
)
def test_an_address_outside_ascii_is_delivered_or_given_up_alone(
    authority: trustme.CA, sent: tuple[Holder, int], address: str, utf8: bool, recipient: str | None
) -> None:
    holder, port = sent
    with server(authority, port=port, utf8=utf8) as (box, _):
        for given in (address, "eva@example.ec"):
            holder.services.holders.sign_up(given, PASSWORD, "es")
        until(lambda: holder.services.mail_sender.send_due() == 0 and waiting(holder) == 0)
    assert sorted(box.recipients) == sorted(filter(None, [recipient, "eva@example.ec"]))
    assert noted(holder, "mail-given-up") == (recipient is None)


def test_a_sender_that_cannot_be_written_costs_no_mail() -> None:
    message = letter()
    message.replace_header("From", "Padrón <a@straße.example>")
    with pytest.raises(Unavailable, match="mail-unavailable") as refused:
        SmtpTransport(f"smtp://localhost:{free_port()}").send(message)
    assert isinstance(refused.value.__cause__, UnicodeError), "no server was asked"


def test_a_mail_nobody_takes_is_given_up_and_noted(sent: tuple[Holder, int], monkeypatch) -> None:
    holder, _ = sent
    monkeypatch.setattr(mail, "_LEASE", 0)
    monkeypatch.setattr(mail, "_TRIES", 3)
    holder.client.post("/api/account", json={"email": "eva@example.ec", "password": PASSWORD})
    for _ in range(20):
        try:
            holder.services.mail_sender.send_due()
        except Unavailable:
            continue
        break
    assert waiting(holder) == 0
    assert noted(holder, "mail-given-up") == 1


NEWER = "of-a-newer-program"


def queue_newer(holder: Holder) -> None:
    """Queue a mail of a kind that this program does not have, before any other that is due."""
    with holder.services.store.writing() as connection:
        owner = connection.execute(select(accounts.c.id)).scalar_one()
        row = {"id": "mail_1", "account": owner, "kind": NEWER, "tries": 0, "due_at": 0}
        connection.execute(mails.insert().values(row))


def test_a_mail_of_a_newer_program_waits_for_that_and_holds_up_no_other(
    holder: Holder, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, sender = holder.services.store, holder.services.mail_sender
    queue_newer(holder)
    holder.services.holders.forget_password("ana@example.ec")
    until(lambda: sender.send_due() == 0 and waiting(holder) == 1)
    assert "/reset#" in letters(holder.data, at_least=2)[-1]
    with store.reading() as connection:
        assert connection.execute(select(mails.c.kind, mails.c.tries)).one() == (NEWER, 1)

    monkeypatch.setitem(mail.TEMPLATES, NEWER, mail.TEMPLATES["quota-80"])  # the newer program is back
    later = store.now() + 61
    store._clock = lambda: later
    until(lambda: sender.send_due() == 0 and waiting(holder) == 0)
    assert "80 por ciento" in letters(holder.data, at_least=3)[-1]
    assert noted(holder, "mail-given-up") == 0


def test_a_mail_of_a_newer_program_that_never_comes_is_given_up(
    holder: Holder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mail, "_LEASE", 0)
    queue_newer(holder)
    until(lambda: holder.services.mail_sender.send_due() == 0 and waiting(holder) == 0)
    assert noted(holder, "mail-given-up") == 1
    assert len(letters(holder.data)) == 1


def waiting(holder: Holder) -> int:
    with holder.services.store.reading() as connection:
        return len(connection.execute(mails.select()).all())


def noted(holder: Holder, event: str) -> int:
    with holder.services.store.reading() as connection:
        return len([row for row in connection.execute(audit.select()) if row.event == event])
