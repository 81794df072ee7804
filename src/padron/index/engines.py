"""The engines there are, by the scheme of the setting `PADRON_SEARCH__URL`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from padron.errors import Invalid
from padron.index import opensearch_folder
from padron.index.engine import EngineKind
from padron.index.tantivy_engine import EMBEDDED
from padron.words import bilingual


def _opensearch(url: str) -> EngineKind:
    """Load the engine only where it is asked for. Raises `Invalid("search-not-installed")` without its library."""
    try:
        from padron.index.opensearch_engine import opensearch  # noqa: PLC0415 - an extra
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("padron"):
            raise
        raise Invalid("search-not-installed") from error
    return opensearch(url)


def place_of(folder: Path) -> str | None:
    """Return where the companies of an index are, from the folder of its engine, without asking the engine.

    Returns:
        `embedded`, or the name of an index of OpenSearch; None where there is no such folder.
    """
    if loaded := opensearch_folder.read(folder):
        return loaded.index
    return "embedded" if folder.is_dir() else None


ENGINES: Final[dict[str, Callable[[str], EngineKind]]] = {"http": _opensearch, "https": _opensearch}
"""Scheme of an URL -> the kind of engine there; without an URL it is the embedded one."""


def engine_kind(url: str | None) -> EngineKind:
    """Return the kind of engine that the setting `PADRON_SEARCH__URL` names.

    Raises `Invalid("bad-setting")` for a scheme that no engine claims.
    """
    if url is None:
        return EMBEDDED
    kind = ENGINES.get(urlsplit(url).scheme)
    if kind is None:
        schemes = ", ".join(f"{scheme}://" for scheme in ENGINES)
        expected = bilingual("left out, for the embedded engine, or begin with one of: {schemes}", schemes=schemes)
        raise Invalid("bad-setting", setting="PADRON_SEARCH__URL", expected=expected)
    return kind(url)
