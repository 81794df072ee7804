"""A receiver of webhooks on this machine, and a sender that may send to it."""

from __future__ import annotations

import json
import ssl
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import trustme

from padron.accounts.webhook_sender import Begin, WebhookSender
from padron.threads import Threads

HOST = "hooks.example.ec"


class Receiver:
    """A receiver: what it was sent, and the status and header fields of its next answers (the last one stays)."""

    def __init__(self) -> None:
        self.received: list[tuple[dict[str, str], bytes]] = []
        self.answers: list[tuple[int, dict[str, str]]] = [(204, {})]
        self.answering = threading.Event()
        self.answering.set()
        self.url = ""

    def changes(self) -> list[str]:
        return [change["after"] for _, body in self.received for change in json.loads(body)["data"]["changes"]]

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        body = handler.rfile.read(int(handler.headers["content-length"]))
        self.received.append(({name.lower(): value for name, value in handler.headers.items()}, body))
        self.answering.wait(30)
        status, fields = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        handler.send_response(status)
        for name, value in {**fields, "content-length": "0"}.items():
            handler.send_header(name, value)
        handler.end_headers()


@contextmanager
def receiving(authority: trustme.CA) -> Iterator[Receiver]:
    receiver = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            receiver.answer(self)

        def log_message(self, *_: object) -> None:
            pass

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(HOST).configure_cert(context)
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    receiver.url = f"https://{HOST}:{server.server_address[1]}/hook?to=padron"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield receiver
    finally:
        receiver.answering.set()
        server.shutdown()
        server.server_close()
        thread.join()


async def here(host: str, port: int, pool: Threads, begin: Begin) -> Sequence[str]:
    return ["127.0.0.1"]


def trusting(authority: trustme.CA) -> WebhookSender:
    """A sender that trusts the authority and sends to this machine."""
    sender = WebhookSender()
    sender._context = ssl.create_default_context()
    authority.configure_trust(sender._context)
    sender.resolve, sender.is_allowed = here, lambda address: True
    return sender
