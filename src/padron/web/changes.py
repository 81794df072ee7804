"""The page of what each release changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from itertools import groupby
from typing import Any, Final, NamedTuple

from padron.directory import Directory
from padron.transport.call import Call
from padron.web.page import Entry, Handler
from padron.web.site import PageResponse, Site, page_address
from padron.words import Language

LAST_CHANGES: Final = 200
"""Changes of companies on the page and in the feed; all of them are in the API."""


class ChangedRelease(NamedTuple):
    """A release, when it was built, and its changes of companies, the latest first; `kinds` counts them."""

    id: str
    at: datetime
    changes: Sequence[dict[str, Any]]
    kinds: Mapping[str, int]


def changes_page(site: Site, entry: Entry, of: Language) -> Handler:
    """Return the page of what each release changed."""

    async def answer(call: Call, directory: Directory) -> PageResponse:
        latest = await directory.latest_changes(LAST_CHANGES, entry.client(call))
        releases = []
        for (release, at), each in groupby(latest, key=lambda change: (change["release"], change["at"])):
            changes = list(each)
            kinds = Counter(change["change"] for change in changes)
            releases.append(ChangedRelease(release, datetime.fromisoformat(at), changes, kinds))
        return site.page("changes.html", of, page_address("changes"), releases=releases, most=LAST_CHANGES)

    return answer
