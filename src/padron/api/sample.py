"""The companies that test keys answer about: fixed and few, so that programs can be tested without a quota.

The answers are those of the served release. A request about anything else is refused before it is searched for.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from padron.api.v1_directory import CompanyDirectory
from padron.companies.model import Statement
from padron.errors import Denied
from padron.lists.rows import ListRow, RowMatch
from padron.lookup.detail import LocatedDetail
from padron.questions.answer import QuestionAnswer
from padron.questions.results import Question
from padron.releases.change_log import ChangeFilter, ChangePage
from padron.text import fold
from padron.words import Language

COMPANIES: Final[dict[tuple[str, str], str]] = {
    ("EC", "1790016919001"): "Corporación Favorita",
    ("MX", "6189108"): "CEMEX",
    ("US", "320193"): "Apple",
    ("BR", "33000167000101"): "Petrobras",
    ("CO", "899999068"): "Ecopetrol",
    ("AR", "30546689979"): "YPF",
}
"""Country and identifier of each company, and the name by which it is searched for."""
NOBODY: Final = "Zzyzx Qwrty"
"""A name that no company has, to test the answer that nothing was found."""

_TEXTS: Final = {fold(text) for text in (*COMPANIES.values(), *(number for _, number in COMPANIES), NOBODY)}


class Sample:
    """The sample companies of a directory; every method raises `Denied("not-in-sample")` about others."""

    def __init__(self, companies: CompanyDirectory) -> None:
        self._companies = companies

    @property
    def release(self) -> str:
        """Id of the release that answers."""
        return self._companies.release

    @property
    def edition(self) -> str:
        """Context of its answers besides the question."""
        return self._companies.edition

    async def ask(self, question: Question, language: Language) -> QuestionAnswer:
        """Answer a question that is the name or the identifier of a sample company and nothing else."""
        check(question.q)
        return await self._companies.ask(question, language)

    async def details(self, country: str, raw: str, language: Language) -> LocatedDetail:
        """Return a sample company in full.

        Args:
            raw: Any of its identifiers.

        Raises:
            Denied: `not-in-sample`.
        """
        located = await self._companies.details(country, raw, language)
        record = located.detail.record
        if (record.country_code, record.identifier) not in COMPANIES:
            raise not_in_sample()
        return located

    async def changes(self, cursor: str | None, limit: int, wanted: ChangeFilter) -> ChangePage:
        """Return a page of the change log with the changes of sample companies alone."""
        page = await self._companies.changes(cursor, limit, wanted)
        return page._replace(
            changes=[change for change in page.changes if (change["country"], change["identifier"]) in COMPANIES]
        )

    async def statements(self, country: str, raw: str, language: Language) -> Sequence[Statement]:
        """Return the yearly statements of a sample company.

        Args:
            raw: The identifier as requested.
        """
        await self.details(country, raw, language)  # a company of the sample
        return await self._companies.statements(country, raw, language)

    async def match(self, row: ListRow, language: Language) -> RowMatch:
        """Return the company of a row whose name and identifier are those of the sample."""
        for text in filter(None, (row.name, row.identifier)):
            check(text)
        return await self._companies.match(row, language)


def check(text: str) -> None:
    """Raise `Denied("not-in-sample")` unless a text is a name or an identifier of the sample."""
    if fold(text) not in _TEXTS:
        raise not_in_sample()


def not_in_sample() -> Denied:
    """Return the error of a request with a test key about another company."""
    return Denied("not-in-sample", sample=[*COMPANIES.values(), NOBODY])
