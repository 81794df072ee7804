"""Every family of readers against damaged official files."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

import fuzz_readers
from fuzz_readers import FAMILIES, mutate, read, seed

CASES, LONG_CASES = 2_000, 60_000
ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("family", FAMILIES)
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
@pytest.mark.parametrize("family", FAMILIES)
def test_long_fuzzing_guided_by_coverage(family: str, tmp_path: Path) -> None:
    script = ROOT / "tests" / "support" / "fuzz_readers.py"
    environment = os.environ | {"PYTHONPATH": f"{ROOT / 'src'}:{ROOT / 'tests' / 'support'}", "TMPDIR": str(tmp_path)}
    run = subprocess.run(
        [sys.executable, str(script), family, f"-runs={LONG_CASES // len(FAMILIES) + 1}", "-seed=1", "-timeout=20"],
        env=environment, capture_output=True, text=True, check=False, cwd=tmp_path,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr[-3000:]
