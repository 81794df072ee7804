"""Static files, with a digest of the content in their address, so that browsers may cache them forever."""

from __future__ import annotations

from hashlib import blake2b
from pathlib import Path
from typing import Final, NamedTuple

from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from padron.errors import NotFound
from padron.transport.call import Call
from padron.transport.compression import CODINGS, VARY, compressed_variants
from padron.transport.conditional import client_holds
from padron.transport.headers import Header
from padron.transport.negotiation import content_coding

FOLDER: Final = Path(__file__).with_name("static")
_KINDS: Final = {
    ".css": b"text/css; charset=utf-8",
    ".js": b"text/javascript; charset=utf-8",
    ".svg": b"image/svg+xml",
    ".woff2": b"font/woff2",
    ".png": b"image/png",
    ".ico": b"image/x-icon",
}
_WELL_KNOWN: Final = ("favicon.ico", "apple-touch-icon.png")
"""Files that browsers also ask for at the root, whatever a page says."""
FOR_A_DAY: Final[Header] = (b"cache-control", b"public, max-age=86400")
_FOR_EVER: Final[Header] = (b"cache-control", b"public, max-age=31536000, immutable")


class Asset(NamedTuple):
    """A static file: its address, media type, and its bytes by content coding."""

    address: str
    kind: bytes
    bodies: dict[str, bytes]


class Assets:
    """The files of `static`; a stylesheet names others by `url(file)`, which become their addresses."""

    def __init__(self) -> None:
        files = sorted(FOLDER.iterdir(), key=lambda path: path.suffix == ".css")
        self._by_name: dict[str, Asset] = {}
        for file in files:
            if file.suffix in _KINDS:
                self._by_name[file.name] = self._read(file)
        self._by_address = {asset.address: asset for asset in self._by_name.values()}

    def _read(self, file: Path) -> Asset:
        body = file.read_bytes()
        if file.suffix == ".css":
            for name, other in self._by_name.items():
                body = body.replace(f"url({name})".encode(), f"url({other.address})".encode())
        digest = blake2b(body, digest_size=6).hexdigest()
        return Asset(f"/static/{file.stem}.{digest}{file.suffix}", _KINDS[file.suffix], compressed_variants(body))

    def address(self, name: str) -> str:
        """Return the address of the file `name`."""
        return self._by_name[name].address

    def digest(self) -> bytes:
        """Return bytes that change whenever a file does."""
        return "".join(self._by_address).encode()

    def routes(self) -> list[Route]:
        """Return the routes of all static files."""
        icons = AssetEndpoint({f"/{name}": self._by_name[name] for name in _WELL_KNOWN}, FOR_A_DAY)
        return [
            Route("/static/{name}", AssetEndpoint(self._by_address, _FOR_EVER), methods=["GET"]),
            *(Route(f"/{name}", icons, methods=["GET"]) for name in _WELL_KNOWN),
        ]


class AssetEndpoint:
    """Static files by address, as an ASGI application."""

    def __init__(self, assets: dict[str, Asset], kept: Header) -> None:
        self._assets = {path: (asset, _entity_tag(asset)) for path, asset in assets.items()}
        self._kept = kept

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send a file, or 304 if the client holds it. Raises `NotFound("no-such-address")`."""
        call = Call.of(scope)
        if scope["path"] not in self._assets:
            raise NotFound("no-such-address")
        asset, tag = self._assets[scope["path"]]
        fields = [self._kept, (b"etag", tag), VARY]
        if client_holds(call, tag):
            await call.answer(send, 304, fields, b"")
            return
        coding = content_coding(call.given.get(b"accept-encoding", b""), CODINGS)
        coding = coding if coding in asset.bodies else ""
        fields.append((b"content-type", asset.kind))
        if coding:
            fields.append((b"content-encoding", coding.encode()))
        await call.answer(send, 200, fields, asset.bodies[coding])


def _entity_tag(asset: Asset) -> bytes:
    return f'W/"{blake2b(asset.bodies[""], digest_size=8).hexdigest()}"'.encode()
