"""A server that answers by a script, well or badly, over real sockets; it keeps what it was asked."""

from __future__ import annotations

import contextlib
import json
import socket
import threading
from collections.abc import Mapping, Sequence
from typing import NamedTuple
from urllib.parse import parse_qsl


class Asked(NamedTuple):
    """A request as it stood on the wire; names of header fields in lower case."""

    method: str
    path: str
    query: list[tuple[str, str]]
    headers: Mapping[str, str]
    body: bytes

    def json(self) -> object:
        return json.loads(self.body)


class Reply(NamedTuple):
    """A reply to send: `body` as it is; `failure` is empty or one of refused, cut, timeout, stall, drip, drip-head."""

    status: int = 200
    headers: Mapping[str, str] = {}
    body: bytes = b""
    failure: str = ""


class Script:
    """A server of `replies`, one after the other, while the block lasts; `asked` are the requests it got."""

    def __init__(self, replies: Sequence[Reply]) -> None:
        self.asked: list[Asked] = []
        self._replies = replies
        self._over = threading.Event()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._open: list[socket.socket] = []
        self._threads = [threading.Thread(target=self._accept)]

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._listener.getsockname()[1]}"

    def __enter__(self) -> Script:
        self._threads[0].start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        for end in (self._listener, *self._open):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
        for thread in list(self._threads):
            thread.join(5)
            assert not thread.is_alive()
        for end in (self._listener, *self._open):
            end.close()

    def _accept(self) -> None:
        while not self._over.is_set():
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self._open.append(connection)
            thread = threading.Thread(target=self._serve, args=(connection,))
            self._threads.append(thread)
            thread.start()

    def _serve(self, connection: socket.socket) -> None:
        try:
            with connection.makefile("rb") as stream:
                while (asked := _read(stream)) is not None:
                    number = len(self.asked)
                    self.asked.append(asked)
                    reply = self._replies[number] if number < len(self._replies) else Reply(418)
                    if not self._answer(connection, reply):
                        break
        except OSError:
            pass
        connection.close()

    def _answer(self, connection: socket.socket, reply: Reply) -> bool:
        """Send a reply; true if the connection stays open."""
        if reply.failure in {"refused", "timeout"}:
            if reply.failure == "timeout":
                self._over.wait()
            return False
        body = reply.body or (b'{"half": "of it"}' if reply.failure else b"")
        fields = {**reply.headers, "Content-Length": str(len(body))}
        head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
        start = f"HTTP/1.1 {reply.status} -\r\n{head}\r\n".encode()
        if reply.failure == "drip-head":
            self._drip(connection, start)
            return False
        connection.sendall(start)
        if not reply.failure:
            connection.sendall(b"" if reply.status == 304 else body)
            return True
        if reply.failure == "drip":
            self._drip(connection, body)
            return False
        connection.sendall(body[: len(body) // 2])
        if reply.failure == "stall":
            self._over.wait()
        return False

    def _drip(self, connection: socket.socket, data: bytes) -> None:
        for byte in data:
            connection.sendall(bytes([byte]))
            if self._over.wait(0.05):
                break


def _read(stream) -> Asked | None:
    line = stream.readline()
    if not line:
        return None
    method, target, _ = line.decode("ascii").split()
    headers = {}
    while (field := stream.readline().decode("latin-1").strip()) != "":
        name, _, value = field.partition(":")
        headers[name.lower()] = value.strip()
    path, _, query = target.partition("?")
    body = stream.read(int(headers.get("content-length", 0)))
    return Asked(method, path, parse_qsl(query, keep_blank_values=True, strict_parsing=bool(query)), headers, body)
