"""The query set as a data set of its own, one file per kind of licence.

    python -m evaluation.publish --data var

Writes evaluation/dataset/queries-{open,odbl,cc-by-sa}.jsonl.gz; evaluation/dataset/README.md describes them.
A query made from the names of two companies, or from another name than the legal one, is filed under the share-alike
licence of its country where there is one: part of it may come from there.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections.abc import Iterable
from pathlib import Path

from evaluation.directory import Directory
from evaluation.generate import Generator, outsiders_of
from evaluation.queries import Query
from evaluation.records import read_release

ROOT = Path(__file__).parents[1]
DATASET = Path(__file__).with_name("dataset")
GROUPS = ("open", "odbl", "cc-by-sa")
_COUNTRY_GROUP = {"BR": "odbl", "CO": "cc-by-sa"}
_MIXED = frozenset(
    "absent-other-word absent-recombined trade-name former-name alternative-name ticker".split(),
)


def licences(official: Path) -> dict[str, str]:
    """Return the licence of each source by its key, from the provenance beside the official files."""
    licence_of: dict[str, str] = {}
    for path in sorted(official.glob("*/*/PROVENANCE.json")):
        for file in json.loads(path.read_text(encoding="utf-8"))["files"]:
            licence_of.setdefault(path.parent.name, file["licence"])
    return licence_of


def group_of(query: Query, licence: str) -> str:
    """Return the group of `GROUPS` to whose file a query belongs."""
    if "ODbL" in licence:
        return "odbl"
    if "BY-SA" in licence:
        return "cc-by-sa"
    return _COUNTRY_GROUP.get(query.country, "open") if query.kind in _MIXED else "open"


def write(queries: Iterable[Query], known: dict[str, str], folder: Path) -> dict[str, int]:
    """Write the files and return the number of queries in each; raise `KeyError` for a source without a licence."""
    lines: dict[str, list[str]] = {group: [] for group in GROUPS}
    for query in queries:
        licence = known[query.source]
        row = query._asdict() | {"licence": licence}
        lines[group_of(query, licence)].append(json.dumps(row, ensure_ascii=False, separators=(",", ":")))
    folder.mkdir(exist_ok=True)
    for group, rows in lines.items():
        text = "".join(f"{row}\n" for row in sorted(rows)).encode()
        (folder / f"queries-{group}.jsonl.gz").write_bytes(gzip.compress(text, mtime=0))
    return {group: len(rows) for group, rows in lines.items()}


def main() -> None:
    """Generate and write."""
    parser = argparse.ArgumentParser(prog="python -m evaluation.publish")
    parser.add_argument("--data", type=Path, default=Path("var"), help="folder of the built release")
    options = parser.parse_args()
    outsiders = outsiders_of(ROOT / "data/official/us/gleif")
    generator = Generator(Directory(read_release(options.data)), outsiders=outsiders)
    print(write(generator.queries(), licences(ROOT / "data/official"), DATASET))


if __name__ == "__main__":
    main()
