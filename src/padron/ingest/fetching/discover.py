"""The files a source has at its publisher now, by the way its origin states."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote

from padron.errors import SourceError
from padron.ingest.fetching.client import Publisher
from padron.origin import Addresses, File, Index, Share

_HREF = re.compile(r"<(?:\w+:)?href>\s*([^<]+?)\s*</(?:\w+:)?href>")
_MONTH = re.compile(r"/(\d{4}-\d{2})/")


class Found(NamedTuple):
    """The files to have, and what is not as it should be although they can be had."""

    files: Sequence[File]
    lacking: SourceError | None = None


def discover(
    publisher: Publisher, source: str, way: Addresses | Index | Share, today: date, held: Iterable[str]
) -> Found:
    """The files of `way` now; `held` are the addresses of those that are held.

    Raises `SourceError`: `index-changed` when the publisher's document is not what it was, `month-incomplete` when a
    share has no whole month, and what requests raise.
    """
    if isinstance(way, Addresses):
        return Found(way.of(today))
    if isinstance(way, Share):
        return _month(publisher, source, way, held)
    document = publisher.document(source, way.url)
    try:
        return Found(way.choose(document))
    except (ValueError, KeyError, TypeError) as error:
        raise SourceError("index-changed", source=source, url=way.url, reason=str(error)) from error


def _month(publisher: Publisher, source: str, share: Share, held: Iterable[str]) -> Found:
    """The files of the newest whole month, which is the held one where all newer ones lack something."""
    name = publisher.means.shares.get(source, share.share)
    oldest = max((match[1] for url in held if (match := _MONTH.search(url))), default="")
    months = {match[1] for href in _list(publisher, source, share, name, "") if (match := _MONTH.search(href + "/"))}
    lacking: SourceError | None = None
    for month in sorted(months, reverse=True):
        there = {href.rstrip("/").rsplit("/", 1)[-1] for href in _list(publisher, source, share, name, f"{month}/")}
        missing = [file for file in share.names if file not in there]
        if not missing:
            files = [File(file, share.file.format(share=name, month=month, name=file)) for file in share.names]
            return Found(files, lacking)
        lacking = lacking or SourceError("month-incomplete", source=source, month=month, missing=", ".join(missing))
        if month <= oldest:
            break
    raise lacking or SourceError("month-incomplete", source=source, month="", missing=", ".join(share.names))


def _list(publisher: Publisher, source: str, share: Share, name: str, folder: str) -> list[str]:
    """Addresses in a folder of the share (PROPFIND, Depth 1; the id of the share is the user, without password)."""
    url = share.listing.format(share=name, month=folder)
    listing = publisher.document(source, url, method="PROPFIND", user=name, depth="1").decode("utf-8", "replace")
    hrefs = [unquote(href) for href in _HREF.findall(listing)]
    if not hrefs:
        raise SourceError("index-changed", source=source, url=url, reason="multistatus")
    return hrefs


def issue_date(share: Share, source: str, files: Mapping[str, Path]) -> date:
    """The date that the members of all zips carry in their names, its year told by one digit.

    Raises `SourceError("issues-mixed")` when they do not carry the same one.
    """
    tokens: dict[tuple[str, ...], str] = {}
    for name, path in sorted(files.items()):
        with zipfile.ZipFile(path) as archive:
            for member in archive.namelist():
                if match := re.search(share.issue, member):
                    tokens.setdefault(match.groups(), name)
    if len(tokens) != 1:
        raise SourceError("issues-mixed", source=source, files=", ".join(sorted(tokens.values())) or "0")
    digit, month, day = next(iter(tokens))
    this = date.today().year  # noqa: DTZ011 - the decade alone matters
    year = next(year for year in range(this, this - 10, -1) if year % 10 == int(digit))
    return date(year, int(month), int(day))
