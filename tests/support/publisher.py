"""Official publishers on 127.0.0.1: the same addresses, the same documents, and every way they misbehave.

A `Site` answers for all hosts: `https://www.sec.gov/x` is `<url>/www.sec.gov/x` here, by the mirrors of `settings`.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple
from urllib.parse import parse_qs, quote, unquote, urlsplit

from padron.countries.country import Country
from padron.countries.origin import Addresses, Index, Manual, Share, Table
from padron.ingest.fetching.client import FetchSettings, RetryPolicy

HASTE = RetryPolicy(attempts=5, first=0.001, longest=0.5)


class Held(NamedTuple):
    """A document of the site."""

    body: bytes
    etag: str | None = None
    last_modified: str | None = None


def held(body: bytes, *, issue: str = "1") -> Held:
    """A document with both validators; `issue` sets them apart."""
    return Held(body, f'"{hashlib.sha256(body).hexdigest()[:8]}-{issue}"', f"Fri, 0{issue} May 2026 10:00:00 GMT")


class Asked(NamedTuple):
    """A request as it came."""

    method: str
    path: str
    headers: dict[str, str]
    query: dict[str, list[str]]


Fault = Callable[["_Handler"], bool]
"""A fault that a request meets; true when it has answered the request."""


@dataclass
class Site:
    """The published documents, the requests so far, and the faults that the next requests for a path meet, one each."""

    url: str = ""
    documents: dict[str, Held] = field(default_factory=dict)
    tables: dict[str, list[dict[str, str]]] = field(default_factory=dict)
    columns: dict[str, list[str]] = field(default_factory=dict)
    renewed: int = 1_790_000_000
    faults: dict[str, list[Fault]] = field(default_factory=dict)
    asked: list[Asked] = field(default_factory=list)
    ranges: bool = True
    at_once: dict[str, int] = field(default_factory=dict)
    most_at_once: dict[str, int] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def put(self, url: str, document: Held | bytes) -> None:
        """Publish a document at an official address."""
        parts = urlsplit(url)
        query = f"?{parts.query}" if parts.query else ""
        path = f"/{parts.netloc}{unquote(parts.path)}{query}"
        self.documents[path] = held(document) if isinstance(document, bytes) else document

    def misbehave(self, url: str, *faults: Fault) -> None:
        """Plant faults for the next requests of an official address."""
        parts = urlsplit(url)
        self.faults.setdefault(f"/{parts.netloc}{unquote(parts.path)}", []).extend(faults)

    def requests(self, part: str = "", method: str = "GET") -> list[Asked]:
        """The requests so far whose path holds `part`."""
        return [asked for asked in self.asked if part in asked.path and asked.method == method]

    def settings(self, *countries: Country, contact: str | None = "Padron tests tests@padron.example") -> FetchSettings:
        """FetchSettings that lead every host of the countries here."""
        hosts = {host for country in countries for origin in country.origins for host in hosts_of(origin.way)}
        return FetchSettings(contact, {host: f"{self.url}/{host}" for host in hosts}, retry=HASTE)


def hosts_of(way: object) -> set[str]:
    """The hosts an origin asks."""
    urls: list[str] = []
    if isinstance(way, Addresses):
        urls = [file.url for file in way.of(date(2026, 11, 20))]
    elif isinstance(way, Index):
        urls = [way.url]
    elif isinstance(way, Share):
        urls = [way.listing]
    elif isinstance(way, Table):
        urls = [way.host]
    else:
        assert isinstance(way, Manual)
    return {urlsplit(url).netloc for url in urls}


def status(code: int, retry_after: str | None = None, times: int = 1) -> list[Fault]:
    """Answer an error with a page of HTML, as these servers do."""

    def fault(handler: _Handler) -> bool:
        page = b"<!DOCTYPE html><html><body>Request Rate Threshold Exceeded</body></html>"
        handler.send(code, {"Content-Type": "text/html"}, page, retry_after)
        return True

    return [fault] * times


def redirect_to_itself(handler: _Handler) -> bool:
    """Lead to the very address that was asked for."""
    handler.send(302, {"Location": handler.path}, b"")
    return True


def cut(at: float) -> Fault:
    """Send a share of the bytes of an answer and drop the connection."""

    def fault(handler: _Handler) -> bool:
        handler.cut = at
        return False

    return fault


def page_instead(handler: _Handler) -> bool:
    """Answer 200 with a page that says sorry."""
    page = b"\n<html><head><title>Error</title></head><body>Servicio no disponible</body></html>"
    handler.send(200, {"Content-Type": "text/csv"}, page)
    return True


def drop(handler: _Handler) -> bool:
    """Close the connection without an answer."""
    handler.close_connection = True
    return True


def no_ranges(handler: _Handler) -> bool:
    """Ignore Range and send everything from the start."""
    handler.whole = True
    return False


def swap(url: str, body: bytes) -> Fault:
    """Cut the answer in the middle and publish another issue of the file meanwhile."""

    def fault(handler: _Handler) -> bool:
        handler.cut = 0.5
        handler.afterwards = lambda: handler.site.put(url, held(body, issue="2"))
        return False

    return fault


def wrong_range(handler: _Handler) -> bool:
    """Answer a range of the new issue although If-Range named the old one."""
    handler.careless = True
    return False


def _span(wanted: re.Match[str], length: int) -> tuple[int, int]:
    """The bytes of a range: from one to another, from one on, or the last ones (`-n`)."""
    if not wanted[1]:
        return max(0, length - int(wanted[2])), length
    return int(wanted[1]), min(length, int(wanted[2]) + 1) if wanted[2] else length


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    site: Site

    def setup(self) -> None:
        super().setup()
        self.cut: float | None = None
        self.whole = self.careless = False
        self.host, self.counted = "", 0
        self.afterwards: Callable[[], None] = lambda: None

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def do_PROPFIND(self) -> None:
        self._answer("PROPFIND")

    def do_GET(self) -> None:
        self._answer("GET")

    def _answer(self, method: str) -> None:
        self.cut, self.whole, self.careless, self.afterwards = None, False, False, lambda: None
        parts = urlsplit(self.path)
        path = unquote(parts.path)
        self.host, self.counted = path.split("/")[1], 1
        site = self.site
        with site.lock:
            headers = {key.lower(): value for key, value in self.headers.items()}
            site.asked.append(Asked(method, path, headers, parse_qs(parts.query)))
            site.at_once[self.host] = site.at_once.get(self.host, 0) + 1
            site.most_at_once[self.host] = max(site.most_at_once.get(self.host, 0), site.at_once[self.host])
            faults = site.faults.get(path)
            fault = faults.pop(0) if faults else None
        try:
            if fault is None or not fault(self):
                if method == "PROPFIND":
                    self._listing(path)
                elif (table := re.search(r"/(resource|api/views)/([\w-]+)\.(csv|json)$", path)) and table[
                    2
                ] in site.tables:
                    self._table(table[1], table[2], table[3], parse_qs(parts.query))
                else:
                    query = f"?{parts.query}" if parts.query else ""
                    self._document(path + query)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True
        finally:
            self._answered()
        self.afterwards()

    def _document(self, path: str) -> None:
        document = self.site.documents.get(path)
        if document is None:
            self.send(404, {}, b"<html>404</html>")
            return
        validators = {"ETag": document.etag, "Last-Modified": document.last_modified}
        headers = {key: value for key, value in validators.items() if value}
        asked = self.headers
        if document.etag and document.etag == asked.get("If-None-Match"):
            self.send(304, headers, b"")
            return
        body, code = document.body, 200
        wanted = re.fullmatch(r"bytes=(\d*)-(\d*)", asked.get("Range", ""))
        fits = self.careless or asked.get("If-Range", document.etag) in {document.etag, document.last_modified}
        if wanted and fits and self.site.ranges and not self.whole:
            start, end = _span(wanted, len(body))
            if start >= len(body):
                self.send(416, {"Content-Range": f"bytes */{len(body)}"}, b"")
                return
            headers["Content-Range"] = f"bytes {start}-{end - 1}/{len(body)}"
            body, code = body[start:end], 206
        self.send(code, headers, body)

    def send(self, code: int, headers: dict[str, str], body: bytes, retry_after: str | None = None) -> None:
        """Send an answer, or its first part and no more where it is cut."""
        self.send_response(code)
        for key, value in headers.items():
            self.send_header(key, value)
        if retry_after:
            self.send_header("Retry-After", retry_after)
        self.send_header("Content-Length", str(len(body)))
        if self.cut is None:
            body, last = body[:-1], body[-1:]
        else:
            body, last = body[: int(len(body) * self.cut)], b""
            self.close_connection = True
        if not body or code >= 400:  # the client goes on without reading what a refusal says
            self._answered()
        self.end_headers()
        self.wfile.write(body)
        self._answered()
        self.wfile.write(last)

    def _answered(self) -> None:
        """Count a request as over before its client can see that it is."""
        with self.site.lock:
            self.site.at_once[self.host] -= self.counted
            self.counted = 0

    def _listing(self, path: str) -> None:
        """The folders or files below a folder of a WebDAV share, as Nextcloud lists them."""
        folder = path.rstrip("/") + "/"
        names = set()
        for known in self.site.documents:
            if match := re.search(r"/public\.php/dav/files/[^/]+/(.+)$", known):
                inside = f"/{folder.split('/')[1]}/public.php/webdav/{match[1]}"
                if inside.startswith(folder):
                    rest = inside.removeprefix(folder)
                    names.add(rest.split("/")[0] + ("/" if "/" in rest else ""))
        official = "/" + folder.split("/", 2)[2]
        rows = "".join(
            f"<d:response><d:href>{quote(official + name)}</d:href><d:propstat/></d:response>" for name in sorted(names)
        )
        body = (
            f'<?xml version="1.0"?><d:multistatus xmlns:d="DAV:"><d:response><d:href>{official}</d:href>'
            f"</d:response>{rows}</d:multistatus>"
        )
        self.send(207, {"Content-Type": "application/xml"}, body.encode())

    def _table(self, kind: str, dataset: str, form: str, query: dict[str, list[str]]) -> None:
        """A Socrata table: its metadata, a count, or a page."""
        if kind == "api/views":
            view = {"id": dataset, "rowsUpdatedAt": self.site.renewed}
            columns = [{"fieldName": name} for name in self.site.columns.get(dataset, [])]
            self.send(200, {}, json.dumps({**view, "columns": columns}).encode())
            return
        rows = self.site.tables[dataset]
        for condition in re.findall(r"(\w+)='([^']*)'", query.get("$where", [""])[0]):
            rows = [row for row in rows if row.get(condition[0]) == condition[1]]
        if form == "json":
            self.send(200, {}, json.dumps([{"rows": str(len(rows))}]).encode())
            return
        assert query["$order"] == [":id"], "pages are stable in the order of :id only"
        columns = query["$select"][0].split(",")
        offset, limit = int(query["$offset"][0]), int(query["$limit"][0])
        out = io.StringIO(newline="")
        writer = csv.writer(out, quoting=csv.QUOTE_ALL, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows([row.get(column, "") for column in columns] for row in rows[offset : offset + limit])
        self.send(200, {"Content-Type": "text/csv"}, out.getvalue().encode())


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing: a client that hung up is no fault, and the output of its test may be closed by now."""


@contextmanager
def publishing() -> Iterator[Site]:
    """A site on a free port until the block ends."""
    site = Site()
    handler = type("Handler", (_Handler,), {"site": site})
    server = _Server(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    site.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield site
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
