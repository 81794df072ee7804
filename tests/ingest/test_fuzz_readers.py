"""Every family of readers against damaged official files."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import fuzz_readers
from full_size import of_full_size
from fuzz_readers import FAMILIES, mutate, read, seed

CASES = 2_000
QUICK = {"damaged-zip", "damaged-gzip", "json-object", "json-filer"}
"""Families most of whose cases end before DuckDB reads a table: they get more of the long run's cases."""
LONG_CASES = {"workbook": 4_000} | {
    family: 31_000 if family in QUICK else 12_000 for family in FAMILIES if family != "workbook"
}
"""A workbook is read by a process of its own: each case starts one, so only the long run has them, and first."""
SHARE = of_full_size(1, small=100)
"""The part of the long run that is done: one of so many cases."""
ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("family", [family for family in FAMILIES if family != "workbook"])
def test_damaged_files_give_a_typed_error_or_counted_rejects(family: str) -> None:
    assert read(family, seed(family)) == "read", "the seed is a good file"
    draw = random.Random(family)
    outcomes = Counter(read(family, mutate(draw, seed(family))) for _ in range(CASES // len(FAMILIES) + 1))
    assert outcomes.total() > CASES // len(FAMILIES)
    assert outcomes.keys() - {"read"}, "the damage is felt"


def test_a_loss_without_a_word_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = fuzz_readers.read_file

    def forgetful(db, file, number, scratch):
        rejects = whole(db, file, number, scratch)
        db.execute("DELETE FROM sri_ruc_establecimientos WHERE razon_social = 'CENTINELA'")
        return rejects

    monkeypatch.setattr(fuzz_readers, "read_file", forgetful)
    with pytest.raises(AssertionError, match="without"):
        read("pipe-quoted", seed("pipe-quoted"))


@pytest.mark.verify
@pytest.mark.endurance
def test_long_fuzzing_guided_by_coverage(tmp_path: Path) -> None:
    assert sum(LONG_CASES.values()) == 200_000

    def fuzz(family: str, cases: int) -> tuple[str, int, str]:
        script = ROOT / "tests" / "support" / "fuzz_readers.py"
        folder = tmp_path / family
        folder.mkdir()
        path = f"{ROOT / 'src'}:{ROOT / 'tests' / 'support'}"
        run = subprocess.run(
            [sys.executable, str(script), family, f"-runs={cases // SHARE}", "-seed=1", "-timeout=20"],
            env=os.environ | {"PYTHONPATH": path, "TMPDIR": str(folder)},
            capture_output=True, text=True, check=False, cwd=folder,
        )  # fmt: skip
        return family, run.returncode, run.stderr[-3000:]

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        ended = list(pool.map(fuzz, *zip(*LONG_CASES.items(), strict=True)))
    assert not [result for result in ended if result[1] != 0]
