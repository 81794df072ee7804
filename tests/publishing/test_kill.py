"""A build killed at any moment leaves the served release serving and nothing half written."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from full_size import of_full_size
from padron.cli import builds
from padron.countries import REGISTRY
from padron.directory import Directory, run
from padron.releases import snapshot
from waiting import until

BUILDS = of_full_size(200, small=5)
COUNTRY = "AR"
KNOWN = "30711544581"


def sources(folder: Path) -> list[Path]:
    """Two roots with the same Argentine files, one of them a day newer, so that each build makes another release."""
    roots = []
    for name, day in (("one", "2026-01-01"), ("two", "2026-01-02")):
        root = folder / name
        shutil.copytree(builds.BUNDLED / "ar", root / "ar")
        for path in (root / "ar").glob("*/PROVENANCE.json"):
            provenance = json.loads(path.read_text(encoding="utf-8"))
            for record in provenance["files"]:
                record["published"] = day
            path.write_text(json.dumps(provenance), encoding="utf-8")
        roots.append(root)
    return roots


def start(root: Path, data: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [
            sys.executable,
            "-m",
            "padron.cli.app",
            "build",
            "--country",
            COUNTRY,
            "--source",
            str(root),
            "--data",
            str(data),
        ],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def finish(build: subprocess.Popen[bytes]) -> None:
    """Wait for a build that nobody kills."""
    _, errors = build.communicate()
    assert (build.returncode, errors) == (0, b"")


def check(data: Path) -> str:
    """The served release is whole and answers; gives its id. Whatever stands outside the work folder is complete."""
    directory = run(Directory.open(data, REGISTRY, "http://127.0.0.1:8000"))
    assert run(directory.get(COUNTRY, KNOWN, "es")).record.identifier == KNOWN
    for seal in data.glob("[!.]*/**/" + snapshot.SEAL):
        snapshot.verify(seal.parent)
    for folder in [*data.glob("snapshots/*/*"), *data.glob("indexes/*")]:
        assert (folder / snapshot.SEAL).is_file()
    for path in data.glob("releases/*.json"):
        snapshot.read_release(data, path.stem)
    return directory.release


def rounds(tmp_path: Path, count: int, seed: int) -> int:
    """Kill `count` builds at random moments; gives how many had published before they were killed."""
    data, roots, chance = tmp_path / "var", sources(tmp_path), random.Random(seed)
    began = time.monotonic()
    finish(start(roots[0], data))
    whole = time.monotonic() - began
    served, published = check(data), 0
    for turn in range(count):
        build = start(roots[(turn + 1) % 2], data)
        with suppress(subprocess.TimeoutExpired):
            build.wait(chance.uniform(0.0, whole * 1.05))
        with suppress(ProcessLookupError):  # it had ended by then
            os.killpg(build.pid, signal.SIGKILL)
        _, errors = build.communicate()
        assert errors == b""
        now = check(data)
        published += now != served
        served = now
    finish(start(roots[0], data))
    kept = set((data / "current").read_text().split())
    assert {path.stem for path in data.glob("releases/*.json")} == kept
    assert {path.name.split("-", 1)[1] for path in data.glob("indexes/*")} == kept
    assert not (data / ".building").exists()
    stands = {".build.lock", "current", "indexes", "releases", "snapshots"}
    assert stands <= {path.name for path in data.iterdir()} <= stands | {"changes"}
    return published


@pytest.mark.parametrize("ending", [signal.SIGHUP, signal.SIGTERM])
def test_a_build_that_a_signal_ends_removes_its_work(tmp_path: Path, ending: signal.Signals) -> None:
    data = tmp_path / "var"
    build = start(sources(tmp_path)[0], data)
    until(lambda: next(data.glob(".building/**/tables.duckdb"), None))
    os.killpg(build.pid, ending)
    _, errors = build.communicate()
    assert (build.returncode, errors, (data / ".building").exists()) == (-ending, b"", False)


@pytest.mark.verify
@pytest.mark.endurance
def test_many_killed_builds(tmp_path: Path) -> None:
    published = rounds(tmp_path, BUILDS, seed=2)
    print(f"{BUILDS} builds killed, {published} of them after they had published")
    assert published < BUILDS
