"""OpenSanctions' logic-v2 on pairs of names, in an environment of its own: its dependencies are many.

    python3 -m venv build/logic-v2 && build/logic-v2/bin/pip install nomenklatura==4.17.4

Run by `evaluation.side_by_side` with that environment's Python. Standard input: one JSON object per line, `q`, `filter`
(country or null) and `names` ([name, country] each). Standard output: a line of scores for each, and at last the
seconds spent in scoring. Imports nothing from this project.
"""

import json
import sys
import time
from typing import Any

from followthemoney import model  # type: ignore[import-not-found]
from nomenklatura.matching.logic_v2.model import LogicV2  # type: ignore[import-not-found]


def _company(name: str, country: str | None) -> Any:
    properties = {"name": [name]} | ({"country": [country.lower()]} if country else {})
    entity = model.make_entity("Company")
    entity.id = f"{country}:{name}"
    for key, values in properties.items():
        entity.add(key, values)
    return entity


def main() -> None:
    """Score every pair of standard input."""
    config = LogicV2.default_config()
    spent = 0.0
    for line in sys.stdin:
        row = json.loads(line)
        query = _company(row["q"], row["filter"])
        others = [_company(name, country) for name, country in row["names"]]
        began = time.perf_counter()
        scores = [LogicV2.compare(query, other, config).score for other in others]
        spent += time.perf_counter() - began
        print(json.dumps(scores))
    print(spent)


if __name__ == "__main__":
    main()
