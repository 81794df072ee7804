from __future__ import annotations

import gzip
import json

import pytest
from evaluation import publish
from evaluation.queries import read_queries

from scored import query

KNOWN = {"a": "CC0 1.0", "b": "ODbL 1.0", "c": "CC BY-SA 4.0"}


def rows(folder, group):
    return [json.loads(line) for line in gzip.open(folder / f"queries-{group}.jsonl.gz", "rt", encoding="utf-8")]


def test_share_alike_names_are_in_files_of_their_own(tmp_path):
    asked = [
        query("1")._replace(source="a"),
        query("2")._replace(source="b"),
        query("3")._replace(source="c"),
        query("4")._replace(source="a", kind="absent-recombined", country="BR"),
        query("5")._replace(source="a", kind="trade-name", country="CO"),
        query("6")._replace(source="a", kind="trade-name", country="EC"),
    ]
    assert publish.write(asked, KNOWN, tmp_path) == {"open": 2, "odbl": 2, "cc-by-sa": 2}
    assert [row["id"] for row in rows(tmp_path, "open")] == ["1", "6"]
    assert [row["licence"] for row in rows(tmp_path, "odbl")] == ["ODbL 1.0", "CC0 1.0"]
    before = (tmp_path / "queries-open.jsonl.gz").read_bytes()
    publish.write(asked[::-1], KNOWN, tmp_path)
    assert (tmp_path / "queries-open.jsonl.gz").read_bytes() == before


def test_a_source_without_a_licence_is_refused(tmp_path):
    with pytest.raises(KeyError):
        publish.write([query("1")._replace(source="unknown")], KNOWN, tmp_path)


def test_the_published_set_is_whole_and_every_row_has_its_licence():
    known = publish.licences(publish.ROOT / "data/official")
    published = {group: rows(publish.DATASET, group) for group in publish.GROUPS}
    readme = (publish.DATASET / "README.md").read_text(encoding="utf-8")
    for group, group_rows in published.items():
        assert f"| `queries-{group}.jsonl.gz` | {len(group_rows):,} |" in readme
        for row in group_rows:
            assert row["licence"] == known[row["source"]]
        for row in group_rows[::50]:
            (parsed,) = read_queries([json.dumps({name: row[name] for name in row if name != "licence"})])
            assert publish.group_of(parsed, row["licence"]) == group
    assert not [row for row in published["open"] if "SA" in row["licence"] or "ODbL" in row["licence"]]
    assert sum(map(len, published.values())) > 70_000
