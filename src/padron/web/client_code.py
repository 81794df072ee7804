"""The code of the client libraries as an archive that is read, and installed from: `/clients.zip`."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import Final
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from starlette.routing import Route

from padron.web.assets import FOR_A_DAY, Asset, AssetEndpoint

ADDRESS: Final = "/clients.zip"
PARTS: Final = (
    "python/LICENSE", "python/README.es.md", "python/README.md", "python/pyproject.toml", "python/src",
    "typescript/.npmrc", "typescript/LICENSE", "typescript/README.es.md", "typescript/README.md",
    "typescript/files", "typescript/identifiers", "typescript/package-lock.json", "typescript/package.json",
    "typescript/src", "typescript/tsconfig.json", "typescript/tsdown.config.mjs", "typescript/watchlists",
)  # fmt: skip
"""Files and folders of `clients` from which the packages are built."""

_INSTALLED: Final = Path(__file__).with_name("clients")
_FOLDER: Final = _INSTALLED if _INSTALLED.is_dir() else Path(__file__).parents[3] / "clients"


def archive() -> bytes:
    """Return the files of `PARTS` under `clients/`, as a ZIP file; the same files give the same bytes."""
    packed = BytesIO()
    with ZipFile(packed, "w", ZIP_DEFLATED) as target:
        for path in sorted(path for part in PARTS for path in _files(_FOLDER / part)):
            target.writestr(_entry(path), path.read_bytes())
    return packed.getvalue()


def routes() -> list[Route]:
    """Return the route of the archive, which is made here."""
    asset = Asset(ADDRESS, b"application/zip", {"": archive()})
    return [Route(ADDRESS, AssetEndpoint({ADDRESS: asset}, FOR_A_DAY), methods=["GET"])]


def _files(part: Path) -> list[Path]:
    if part.is_dir():
        return [path for path in part.rglob("*") if path.is_file() and path.suffix != ".pyc"]
    return [part]  # one that is not there must not go unnoticed


def _entry(path: Path) -> ZipInfo:
    entry = ZipInfo(f"clients/{path.relative_to(_FOLDER).as_posix()}")
    entry.compress_type = ZIP_DEFLATED
    entry.external_attr = 0o644 << 16
    return entry
