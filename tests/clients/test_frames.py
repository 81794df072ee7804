"""`padron_client.match` with pandas and polars themselves, and the real service."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from process import Server

LIBRARIES = ("pandas==3.1.1", "polars==2.1.0")
SOURCE = Path(__file__).parents[2] / "clients" / "python" / "src"
PROGRAM = """\
import pandas, polars
from padron_client import match
names, numbers = ["Ecopetrol S.A.", "qwertz uiop", "Ecopetrol S.A.", None], [None, None, None, 1790016919001]
rows = {"name": names, "identifier": numbers}
expected = ["found", "not_found", "found", "found"]
table = pandas.DataFrame(rows, index=[7, 8, 9, 10])
matched = match(table)
assert matched["padron_verdict"].to_list() == expected, matched
assert matched["padron_identifier"].to_list()[2:] == ["899999068", "1790016919001"], matched
assert matched.index.to_list() == [7, 8, 9, 10]
assert table.columns.to_list() == ["name", "identifier"]
whole = match(polars.DataFrame(rows))
assert whole["padron_verdict"].to_list() == expected, whole
assert whole["padron_confidence"].to_list() == [x if x == x else None for x in matched["padron_confidence"].to_list()]
assert match(whole).columns == whole.columns
missing = pandas.DataFrame({"name": pandas.array(["Ecopetrol S.A.", pandas.NA], dtype="string")})
assert match(missing)["padron_verdict"].to_list() == ["found", "invalid_input"]
print("matched")
"""


@pytest.mark.release_check
def test_frames_of_pandas_and_polars(server: Server, new_key: Callable[[str], str], tmp_path: Path) -> None:
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet", "install", "--target", str(tmp_path)]
    subprocess.run([*pip, *LIBRARIES], check=True, capture_output=True)
    own = {"PADRON_API_KEY": new_key("frames@example.ec"), "PADRON_BASE_URL": server.url}
    environment = os.environ | own | {"PYTHONPATH": f"{tmp_path}{os.pathsep}{SOURCE}"}
    run = subprocess.run([sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, check=False)
    assert (run.returncode, run.stdout) == (0, "matched\n"), run.stderr
