"""Discovery of the files that a publisher offers for a source now."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote, unquote

from padron.countries.origin import Addresses, File, Index, Share
from padron.errors import SourceError
from padron.ingest.fetching.client import Publisher

_HREF = re.compile(r"<(?:\w+:)?href>\s*([^<]+?)\s*</(?:\w+:)?href>")
_MONTH = re.compile(r"/(\d{4}-\d{2})/")


class Discovery(NamedTuple):
    """The files to fetch, and why they are not the newest ones, where they are not."""

    files: Sequence[File]
    problem: SourceError | None = None


def discover(
    publisher: Publisher, source: str, way: Addresses | Index | Share, today: date, held: Iterable[str]
) -> Discovery:
    """Return the files to fetch now.

    Returns:
        The files, and what is wrong with the newest ones where older ones are taken.

    Raises:
        SourceError: `index-changed` when the publisher's index cannot be read any more, `month-incomplete` when a share
            has no complete month, and those of requests.
    """
    if isinstance(way, Addresses):
        return Discovery(way.of(today))
    if isinstance(way, Share):
        return _month(publisher, source, way, held)
    document = publisher.document(source, way.url)
    try:
        return Discovery(way.choose(document))
    except (ValueError, KeyError, TypeError) as error:
        raise SourceError("index-changed", source=source, url=way.url, reason=str(error)) from error


def _month(publisher: Publisher, source: str, share: Share, held: Iterable[str]) -> Discovery:
    """Return the files of the newest complete month; the current one where every newer one is incomplete."""
    name, _, folder = publisher.settings.shares.get(source, share.share).partition("/")
    months_at = f"{quote(folder.strip('/'))}/" if folder.strip("/") else ""
    oldest = max((match[1] for url in held if (match := _MONTH.search(url))), default="")
    months = {
        match[1] for href in _list(publisher, source, share, name, months_at) if (match := _MONTH.search(href + "/"))
    }
    problem: SourceError | None = None
    for month in sorted(months, reverse=True):
        month_at = f"{months_at}{month}"
        listed = {href.rstrip("/").rsplit("/", 1)[-1] for href in _list(publisher, source, share, name, f"{month_at}/")}
        missing = [file for file in share.names if file not in listed]
        if not missing:
            present = [file for file in (*share.optional, *share.names) if file in listed]
            files = [File(file, share.file.format(share=name, month=month_at, name=file)) for file in present]
            return Discovery(files, problem)
        problem = problem or SourceError("month-incomplete", source=source, month=month, missing=", ".join(missing))
        if month <= oldest:
            break
    raise problem or SourceError("month-incomplete", source=source, month="", missing=", ".join(share.names))


def _list(publisher: Publisher, source: str, share: Share, name: str, folder: str) -> list[str]:
    """List the addresses in a folder of the share (PROPFIND, Depth 1; its id is the user name, without password)."""
    url = share.listing.format(share=name, month=folder)
    listing = publisher.document(source, url, method="PROPFIND", user=name, depth="1").decode("utf-8", "replace")
    hrefs = [unquote(href) for href in _HREF.findall(listing)]
    if not hrefs:
        raise SourceError("index-changed", source=source, url=url, reason="multistatus")
    return hrefs


def issue_date(share: Share, source: str, files: Mapping[str, Path]) -> date:
    """Return the date in the names of the members of all zips, whose year has one digit.

    Args:
        share: The share, with the pattern of the date.
        files: The zips, by name.

    Returns:
        The date, in the last ten years.

    Raises:
        SourceError: `issues-mixed` when the members do not all have the same date.
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
