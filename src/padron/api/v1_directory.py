"""The part of the directory that v1 needs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from padron.api import v1_changes, v1_match, v1_search
from padron.api.webhook_worker import ChangeSource
from padron.companies.model import Statement
from padron.lookup.detail import LocatedDetail
from padron.words import Language


class CompanyDirectory(v1_search.QuestionAnswerer, v1_match.RowDirectory, v1_changes.ChangeDirectory, Protocol):
    """The part of the directory that v1 needs; each method answers from one release."""

    async def details(self, country: str, raw: str, language: Language) -> LocatedDetail:
        """Return one company in full; raise as `Directory.get`.

        Args:
            raw: The identifier as requested.

        Returns:
            The company and the identifier it was found by.
        """

    async def statements(self, country: str, raw: str, language: Language) -> Sequence[Statement]:
        """Return the yearly statements of a company, the latest first; raise as `Directory.get`.

        Args:
            raw: The identifier as requested.
        """


class WatchedDirectory(CompanyDirectory, ChangeSource, Protocol):
    """The part of the directory that v1, watchlists and webhooks need."""
