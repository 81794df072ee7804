"""`make golden`, last part: match a labelled list whose columns agree or conflict, and score the verdicts.

    python -m evaluation.run_list --data var [--rows 300]

Rows are made from companies of the release whose legal name no other has; what each means is known by how it is made.
Where the name is one company's and the number another's, no company may be asserted. The rows are asked in process: the
interface, the command and the page give the same answers.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Final, NamedTuple

from evaluation.identifiers import wrong_digit
from evaluation.intervals import of_share
from evaluation.records import Company, read_release
from padron import config
from padron.countries import REGISTRY
from padron.directory import Directory, run
from padron.lists.rows import ListRow

SEED: Final = 19
ROWS: Final = 300
"""Rows of each kind."""
_COMMON: Final = 100
"""Companies of a scheme, at least, whose numbers are exchanged."""
_SHORTEST: Final = 6
"""Letters of a word that may lose one."""


class LabelledRow(NamedTuple):
    """A row, the company that it means (None: none may be asserted), and whether its columns conflict."""

    kind: str
    row: ListRow
    company: Company | None
    conflicts: bool


class Outcome(NamedTuple):
    """Outcome of a row: whether a company was asserted, whether that is the right one, whether a conflict was told."""

    asserted: bool
    right: bool
    warned: bool


def typed(chance: Random, name: str) -> str:
    """Return a name in lower case whose longest word has lost a letter."""
    words = name.lower().split()
    at = max(range(len(words)), key=lambda place: len(words[place]))
    if len(words[at]) >= _SHORTEST:
        lost = chance.randrange(2, len(words[at]))
        words[at] = words[at][:lost] + words[at][lost + 1 :]
    return " ".join(words)


def labelled(companies: Sequence[Company], chance: Random, count: int) -> list[LabelledRow]:
    """Return `count` rows of each kind.

    Args:
        companies: The companies of the release.
        chance: The source of chance.
        count: The number of rows of each kind.

    Returns:
        The rows.
    """
    bearers = Counter(company.legal_name.casefold() for company in companies)
    schemes = Counter(company.scheme for company in companies)
    unique = [
        company
        for company in companies
        if bearers[company.legal_name.casefold()] == 1 and schemes[company.scheme] >= _COMMON
    ]
    rows = []
    for company in chance.sample(unique, min(count, len(unique))):
        other = next(
            candidate
            for candidate in iter(lambda: chance.choice(unique), None)
            if candidate.group != company.group and candidate.scheme == company.scheme
        )
        name, number, country = company.legal_name, company.identifier, company.country
        slip = typed(chance, name)
        wrong = wrong_digit(chance, company.scheme, number)
        rows += [
            LabelledRow("name", ListRow(name=name, country=country), company, conflicts=False),
            LabelledRow("misspelt", ListRow(name=slip, country=country), company, conflicts=False),
            LabelledRow("misspelt, number", ListRow(name=slip, identifier=number), company, conflicts=False),
            LabelledRow(
                "number of another",
                ListRow(name=name, identifier=other.identifier, country=country),
                None,
                conflicts=True,
            ),
            LabelledRow("wrong number", ListRow(name=name, identifier=wrong, country=country), company, conflicts=True),
        ]
        if company.place:
            rows.append(LabelledRow("place", ListRow(name=name, city=company.place), company, conflicts=False))
    return rows


def outcome(directory: Directory, labelled_row: LabelledRow) -> Outcome:
    """Return how a row is answered."""
    match, meant = run(directory.match(labelled_row.row, "en")), labelled_row.company
    asserted = match.verdict == "found" and match.company is not None
    answered = (match.company.country_code, match.company.identifier) if match.company else None
    return Outcome(asserted, asserted and meant is not None and answered == meant.key, bool(match.conflicts))


def line(kind: str, rows: Sequence[tuple[LabelledRow, Outcome]]) -> str:
    """Return precision, recall and the share of told conflicts of some rows, with intervals."""
    asserted = sum(answer.asserted for _, answer in rows)
    right = sum(answer.right for _, answer in rows)
    meant = sum(row.company is not None for row, _ in rows)
    warned = sum(answer.warned for row, answer in rows if row.conflicts)
    conflicts = sum(row.conflicts for row, _ in rows)
    shares = [_share(right, asserted), _share(right, meant), _share(warned, conflicts)]
    return f"{kind:20} {len(rows):6} " + " ".join(f"{share:>22}" for share in shares)


def _share(part: int, whole: int) -> str:
    interval = of_share(part, whole)
    return f"{part / whole:.4f} ({interval.low:.3f}-{interval.high:.3f})" if interval else "-"


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("var"))
    parser.add_argument("--rows", type=int, default=ROWS)
    arguments = parser.parse_args()
    directory = run(Directory.open(arguments.data, REGISTRY, config.load().base_url))
    rows = labelled(read_release(arguments.data), Random(SEED), arguments.rows)
    answered = [(row, outcome(directory, row)) for row in rows]
    print(f"{'rows of a list':20} {'rows':>6} {'precision':>22} {'recall':>22} {'conflicts told':>22}")
    for kind in dict.fromkeys(row.kind for row in rows):
        print(line(kind, [pair for pair in answered if pair[0].kind == kind]))
    print(line("all", answered))


if __name__ == "__main__":
    main()
