"""`padron sources`: age and completeness of each official source, and its rows in the served release."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any, Literal, NamedTuple

from padron.countries.country import Country, Source
from padron.errors import PadronError
from padron.ingest.fetching.source_store import Record, SourceStore
from padron.ingest.files import PROVENANCE, provenance
from padron.releases import snapshot


class SourceStatus(NamedTuple):
    """The status of one source.

    Attributes:
        rows: Rows in the served release, None where it has none of this source.
        rejected: Rows rejected by its build, None as above.
        completeness: `whole` as fetched, `sample` as bundled with the project, `by-hand` as somebody put it there, or
            `none`.
        state: `failed`: the last fetch; `late`: older than two cadences, or the newest is not complete; both come
            before `manual` and `fresh`.
        reason: Code of the error, where there is one.
        context: Values for the sentence of that error.
    """

    country: str
    source: str
    date: str | None
    age: int | None
    rows: int | None
    rejected: int | None
    licence: str
    completeness: Literal["whole", "sample", "by-hand", "none"]
    state: Literal["fresh", "late", "failed", "manual"]
    reason: str | None
    context: dict[str, str]


def sources(registry: Mapping[str, Country], data: Path, bundled: Path, today: date) -> list[SourceStatus]:
    """Return the status of every source of every country.

    Args:
        data: Data folder; official files below it take precedence over bundled ones.
        bundled: Root of the official files that come with the project.

    Returns:
        The sources, in the order in which countries list them.
    """
    manifests = _manifests(data)
    return [
        _status(country, source, data / "official", bundled, manifests.get(code, {}), today)
        for code, country in registry.items()
        for source in (*country.sources, *country.collected)
    ]


def _manifests(data: Path) -> dict[str, Mapping[str, Any]]:
    """Return the `sources` of the manifests of the served release, by country; empty where none is served."""
    try:
        release = snapshot.read_release(data, snapshot.current(data))
    except PadronError:
        return {}
    return {code: snapshot.manifest(data, name)["sources"] for code, name in release.snapshots.items()}


def _status(
    country: Country, source: Source, root: Path, bundled: Path, manifest: Mapping[str, Any], today: date
) -> SourceStatus:
    store = SourceStore(root, country.code, source)
    records = store.records()
    completeness: Literal["whole", "sample", "by-hand", "none"] = "whole" if store.folder.is_symlink() else "by-hand"
    if not records:
        folder = bundled / country.code.lower() / source.key
        records = provenance(source.key, folder) if (folder / PROVENANCE).exists() else {}
        completeness = "sample" if records else "none"
    days = [day for record in records.values() if (day := record.get("published") or record.get("retrieved"))]
    newest = max(days, default=None)
    day = date.fromisoformat(newest) if newest else None
    account = manifest.get(source.key, {})
    held = account.get("date") is not None
    known = store.last_outcome()
    return SourceStatus(
        country.code,
        source.key,
        newest,
        (today - day).days if day else None,
        account["rows"] if held else None,
        sum(account["rejected"].values()) if held else None,
        source.licence,
        completeness,
        _state(known, manual=country.by_hand(source), old=day is None or source.is_late(day, today)),
        known.get("code"),
        known.get("context", {}),
    )


def _state(known: Record, *, manual: bool, old: bool) -> Literal["fresh", "late", "failed", "manual"]:
    if known.get("state") == "failed":
        return "failed"
    if manual:
        return "manual"
    return "late" if old or known.get("state") == "late" else "fresh"
