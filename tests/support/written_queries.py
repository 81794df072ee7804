"""Queries as people write them for a company: seeded, for comparing engines."""

from __future__ import annotations

import random

from padron.companies.company import Company


def written(chance: random.Random, company: Company) -> str:
    """A query for a company as somebody may write it: whole, begun, misspelt, mixed up, by number, or for nobody."""
    words = company.legal_name.split()
    at = chance.randrange(len(words))
    word = words[at]
    kind = chance.choice(("name", "beginning", "typo", "order", "number", "glued", "less", "absent"))
    if kind == "name":
        return company.legal_name
    if kind == "beginning":
        return company.legal_name[: chance.randint(3, len(company.legal_name))]
    if kind == "typo" and len(word) > 4:
        place = chance.randrange(1, len(word) - 1)
        words[at] = word[:place] + word[place + 1] + word[place] + word[place + 2 :]
    if kind == "order":
        chance.shuffle(words)
    if kind == "number":
        return company.identifier
    if kind == "glued":
        return "".join(words)
    if kind == "less" and len(words) > 1:
        del words[at]
    if kind == "absent":
        words[at] = "".join(chance.choices("abdefgilmnoprstu", k=8))
    return " ".join(words)
