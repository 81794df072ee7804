"""Fixtures of the whole suite. A test asks for the smallest of these that can show what it is about:

    company              makes a company with chosen fields, without a release or an index
    companies            the companies of a small directory: invented, each for a rule of the search
    index, opened        their index, as a folder and opened
    small_data, small    their release, as a data folder and as a directory
    publish              publishes companies as a release in a data folder, again and again
    country, official    a country with one source of three columns, and its official files with provenance
    release, directory   all bundled official files: their data folder, built once for a run, and the directory over it
    one_moment           stops the clock of quotas

In tests/support, `memory_directory.service` answers HTTP over a few real rows without an index, and `account_service`
does so with accounts; `database` and `cluster` (tests/accounts) run a test on SQLite and PostgreSQL. Servers, browsers
and publishers are in `servers`, `browser` and `publisher`; `waiting.until` waits, with a limit.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from filelock import FileLock
from hypothesis import HealthCheck, settings

from padron.cli import builds
from padron.countries import REGISTRY
from padron.countries.country import Classification, Country, Scheme, Source, Status
from padron.directory import Directory, run
from padron.words import Text
from small_directory import companies, company, index, opened, publish, small, small_data
from small_register import SCRIPT, identify

__all__ = ["companies", "company", "index", "opened", "publish", "small", "small_data"]
"""Fixtures that are defined elsewhere."""

ROOT = Path(__file__).parents[1]
BUILT = ROOT / "build" / "tests"
"""Releases that runs of the tests have built; `make clean` removes them."""
BASE_URL = "https://padron.example"

os.environ.pop("LANGUAGE", None)  # of whoever runs them: it comes before the variables that tests set

PATIENT = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("random", PATIENT)
settings.register_profile("same", PATIENT, derandomize=True, database=None)
# The same cases whenever the same tests run; `make endurance` draws new ones each time.
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))


@pytest.fixture
def one_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    """All requests of a test count in one moment: a quota refills with time, and no window ends between two of them."""
    now = time.time()
    monkeypatch.setattr("padron.accounts.rate_limits.time", SimpleNamespace(time=lambda: now))


@pytest.fixture(scope="session")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with the release of all bundled files, published. Read only; the processes of a run share it."""
    run = tmp_path_factory.getbasetemp()
    shared = run.parent if "PYTEST_XDIST_WORKER" in os.environ else run
    data = shared / "release" / "var"
    BUILT.mkdir(parents=True, exist_ok=True)
    with FileLock(BUILT / "release.lock"):
        if not (data / "current").exists():
            shutil.copytree(built_release(), data, copy_function=link_or_copy)
    return data


def built_release() -> Path:
    """The release of this source and these files, built unless an earlier run of the tests has built it."""
    built = BUILT / inputs_digest()
    if not (built / "current").exists():
        for path in BUILT.glob("*/current"):
            shutil.rmtree(path.parent)
        assert builds.build(source=[builds.BUNDLED], data=built) == 0
    return built


def inputs_digest() -> str:
    """A digest of every file that a release is made from: the program, its libraries, the official data."""
    digest = hashlib.sha256()
    folders = (ROOT / "src" / "padron", builds.BUNDLED)
    files = [path for folder in folders for path in folder.rglob("*") if path.is_file() and path.suffix != ".pyc"]
    for path in sorted([*files, ROOT / "requirements.lock"]):
        digest.update(f"{path.relative_to(ROOT)} {hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return digest.hexdigest()[:16]


def link_or_copy(source: str, target: str) -> None:
    """Link a file that nobody changes; copy it where the target is on another file system."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


@pytest.fixture(scope="session")
def directory(release: Path) -> Directory:
    """The directory over `release`."""
    return run(Directory.open(release, REGISTRY, BASE_URL))


@pytest.fixture
def country(tmp_path: Path) -> Callable[[Source], Country]:
    """A country with one source and the script above."""
    folder = tmp_path / "country"
    folder.mkdir()
    (folder / "companies.sql").write_text(SCRIPT, encoding="utf-8")
    (folder / "forms.csv").write_text("code,short,es,en,spellings\nsa,S.A.,x,x,sa\n", encoding="utf-8")
    (folder / "activities.csv").write_text("code,label\n", encoding="utf-8")

    def make(source: Source) -> Country:
        return Country(
            code="EC",
            name=Text("Ecuador", "Ecuador"),
            demonyms=(),
            schemes=(Scheme("ec-ruc", Text("RUC", "RUC"), "primary", ("ruc",)),),
            sources=(source,),
            reads=identify,
            status=lambda raw: Status.ACTIVE if raw == "ACTIVA" else Status.UNKNOWN,
            classification=Classification("CIIU", "4.0"),
            folder=folder,
            examples=(),
        )

    return make


@pytest.fixture
def official(tmp_path: Path) -> Callable[..., Path]:
    """A function that writes files of the small register with their provenance record and returns the root folder."""

    def write(**files: bytes) -> Path:
        folder = tmp_path / "official" / "ec" / "register"
        folder.mkdir(parents=True, exist_ok=True)
        records = []
        for key, content in files.items():
            name = key.replace("__", ".")
            (folder / name).write_bytes(content)
            digest = hashlib.sha256(content).hexdigest()
            records.append({"file": name, "published": "2026-03-01", "sha256": digest, "bytes": len(content)})
        provenance = {"source": "register", "files": records}
        (folder / "PROVENANCE.json").write_text(json.dumps(provenance), encoding="utf-8")
        return tmp_path / "official"

    return write
