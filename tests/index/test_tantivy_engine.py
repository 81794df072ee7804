"""Building and opening the embedded index: what is written, what is refused, and that memory stays flat."""

from __future__ import annotations

import gc
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from weakref import ref

import msgspec
import pytest

from padron import snapshot
from padron.company import Company
from padron.countries import REGISTRY
from padron.country import Scheme
from padron.directory import run
from padron.errors import ReleaseError, Unavailable
from padron.index import document_stream, tantivy_engine
from padron.index.document import Tables, decode_company, decode_record
from padron.index.engine import Lookup
from padron.index.tantivy_engine import TantivyEngine
from padron.model import Text


@pytest.fixture
def copy(index: Path, tmp_path: Path) -> Path:
    """A copy of the small index to be damaged."""
    return Path(shutil.copytree(index, tmp_path / "copy"))


def test_the_same_companies_give_an_index_that_answers_the_same(
    engine: TantivyEngine, companies: tuple[Company, ...], tmp_path: Path
) -> None:
    tantivy_engine.build(iter(companies), tmp_path / "again", REGISTRY)
    again = run(tantivy_engine.open_index(tmp_path / "again"))
    assert again.tables == engine.tables
    for words in (("apple",), ("corporacion", "favrita"), ("hotel", "plasa")):
        assert run(again.candidates(Lookup((words,)), 50)) == run(engine.candidates(Lookup((words,)), 50))


def test_progress_is_told_and_companies_are_read_once(
    company: Callable[..., Company], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tantivy_engine, "_PROGRESS_EVERY", 10)
    told: list[int] = []
    tantivy_engine.build(
        (company("EC", "ec-expediente", str(number + 1), f"EMPRESA {number} S.A.") for number in range(25)),
        tmp_path / "index",
        REGISTRY,
        progress=told.append,
    )
    assert told == [10, 20, 25]


@pytest.fixture
def shared_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Even a few companies and words are given to other processes, a few at a time."""
    monkeypatch.setattr(document_stream, "_FEW", 3)
    monkeypatch.setattr(document_stream, "_BATCH", 2)


@pytest.mark.usefixtures("shared_out")
def test_other_processes_make_the_same_index(index: Path, companies: tuple[Company, ...], tmp_path: Path) -> None:
    tantivy_engine.build(iter(companies), tmp_path / "shared", REGISTRY)
    for name in ("tables.msgpack", "companies/rows.bin", "companies/starts.bin", "spellings/rows.bin"):
        assert (tmp_path / "shared" / name).read_bytes() == (index / name).read_bytes(), name
    for part in ("companies", "spellings"):
        for ending in ("term", "idx", "fast"):
            (one,), (other,) = ((folder / part).glob(f"*.{ending}") for folder in (index, tmp_path / "shared"))
            assert one.read_bytes() == other.read_bytes(), (part, ending)


@pytest.mark.usefixtures("shared_out")
def test_a_build_that_loses_a_process_fails(
    company: Callable[..., Company], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tantivy_engine, "_PROGRESS_EVERY", 1)

    def kill_one(_done: int) -> None:
        children = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
        os.kill(int(children[-1]), signal.SIGKILL)

    many = (company("EC", "ec-expediente", str(number + 1), f"EMPRESA {number} S.A.") for number in range(1_000))
    with pytest.raises(Unavailable, match="build-process-lost"):
        tantivy_engine.build(many, tmp_path / "index", REGISTRY, progress=kill_one)
    assert not (tmp_path / "index" / snapshot.SEAL).exists()


def test_countries_other_than_ours_are_described_here(company: Callable[..., Company], tmp_path: Path) -> None:
    """No other process knows their functions, however many companies there are."""
    registry = {"EC": replace(REGISTRY["EC"], schemes=(Scheme("ec-ruc", Text("R", "R"), "primary", (), key=reverse),))}
    companies = (company("EC", "ec-ruc", str(number), "EMPRESA S.A.") for number in range(10_000, 30_000))
    tantivy_engine.build(companies, tmp_path / "index", registry)
    assert run(run(tantivy_engine.open_index(tmp_path / "index")).by_identifier("EC", "ec-ruc", "99992"))


def reverse(value: str) -> str:
    return value[::-1]


def test_a_release_without_companies_can_be_opened(tmp_path: Path) -> None:
    tantivy_engine.build((), tmp_path / "index", REGISTRY)
    engine = run(tantivy_engine.open_index(tmp_path / "index"))
    assert run(engine.candidates(Lookup((("favorita",),)), 50)) == []
    assert run(engine.by_identifier("EC", "ec-ruc", "1790016919001")) == []


def test_an_index_that_was_replaced_is_let_go_at_once(index: Path) -> None:
    engine = run(tantivy_engine.open_index(index))
    assert run(engine.candidates(Lookup((("corporacion", "favrita"),)), 50))
    gone = ref(engine)
    gc.disable()
    try:
        del engine
        assert gone() is None
    finally:
        gc.enable()


@pytest.mark.parametrize(
    "file", ["tables.msgpack", "companies/rows.bin", "spellings/starts.bin", "companies/meta.json"]
)
def test_a_damaged_file_is_named(copy: Path, file: str) -> None:
    path = copy / file
    path.write_bytes(path.read_bytes()[:-1] + b"?")
    with pytest.raises(ReleaseError) as damaged:
        run(tantivy_engine.open_index(copy))
    assert damaged.value.code == "release-damaged"
    assert damaged.value.context["file"] == path.name


def test_a_missing_folder_is_told(tmp_path: Path) -> None:
    with pytest.raises(ReleaseError, match="release-damaged"):
        run(tantivy_engine.open_index(tmp_path / "nothing"))


def test_an_index_of_another_format_is_refused(copy: Path) -> None:
    path = copy / "tables.msgpack"
    tables = msgspec.msgpack.decode(path.read_bytes(), type=Tables)
    path.write_bytes(msgspec.msgpack.encode(msgspec.structs.replace(tables, format=tantivy_engine.FORMAT + 1)))
    snapshot.seal(copy)
    with pytest.raises(ReleaseError) as other:
        run(tantivy_engine.open_index(copy))
    assert other.value.code == "release-format"
    assert (other.value.context["found"], other.value.context["expected"]) == (
        tantivy_engine.FORMAT + 1,
        tantivy_engine.FORMAT,
    )


OPEN = """
import os, sys
from pathlib import Path
from padron.directory import run
from padron.errors import ReleaseError
from padron.index import tantivy_engine
if os.getuid() == 0:
    os.setuid(65534)
try:
    run(tantivy_engine.open_index(Path(sys.argv[1])))
except ReleaseError as error:
    print(error.code)
else:
    print("open")
"""


@pytest.mark.parametrize(("mode", "said"), [(None, "open"), (0o444, "index-not-writable")])
def test_another_user_opens_it_where_the_lock_may_be_written(index: Path, mode: int | None, said: str) -> None:
    with TemporaryDirectory() as place:
        Path(place).chmod(0o755)
        folder = Path(shutil.copytree(index, Path(place) / "index"))
        if mode is not None:
            (folder / "companies" / ".tantivy-meta.lock").chmod(mode)
        printed = run_python(OPEN, folder)
    assert printed == said


def run_python(script: str, folder: Path) -> str:
    """What a script says of a folder, in a process of its own."""
    return subprocess.run(
        [sys.executable, "-c", script, str(folder)],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()


def test_private_memory_does_not_grow_with_the_index(company: Callable[..., Company], tmp_path: Path) -> None:
    """Ten thousand companies more cost an opened engine less than a megabyte of its own; mapped files are shared."""

    def many(count: int) -> Iterator[Company]:
        for number in range(count):
            yield company("EC", "ec-expediente", str(number + 1), f"COMERCIAL {number % 97}X ANDINA S.A.")

    sizes = {}
    for count in (1_000, 11_000):
        tantivy_engine.build(many(count), tmp_path / str(count), REGISTRY)
        sizes[count] = int(run_python(MEMORY, tmp_path / str(count)))
    assert sizes[11_000] - sizes[1_000] < 1_000


MEMORY = """
import sys
from pathlib import Path
from padron.directory import run
from padron.index import tantivy_engine
from padron.index.engine import Lookup
engine = run(tantivy_engine.open_index(Path(sys.argv[1])))
for number in range(500):
    run(engine.candidates(Lookup((("comercial", f"{number % 97}x"),)), 50))
rollup = Path("/proc/self/smaps_rollup").read_text()
print(next(line.split()[1] for line in rollup.splitlines() if line.startswith("Anonymous:")))
"""


def test_every_column_comes_back(engine: TantivyEngine, companies: tuple[Company, ...]) -> None:
    texts = engine.tables.texts
    (hit,) = run(engine.by_identifier("EC", "ec-ruc", "1790016919001"))
    head = decode_company(hit.stored)
    record = decode_record(head.record)
    stored = Company(
        country=texts[head.country],
        scheme=texts[record.scheme],
        identifier=record.identifier,
        aliases=tuple((texts[scheme], value) for scheme, value in record.aliases),
        legal_name=record.legal_name,
        trade_name=record.trade_name,
        names=tuple((texts[kind], name, since, until) for kind, name, since, until in record.names),
        status=texts[record.status] or None,
        status_raw=texts[record.status_raw] or None,
        legal_form_raw=texts[record.legal_form_raw] or None,
        activity_code=texts[record.activity_code] or None,
        activity_label=texts[record.activity_label] or None,
        region=texts[record.region] or None,
        municipality=texts[record.municipality] or None,
        incorporated=record.incorporated,
        ended=record.ended,
        establishments=record.establishments,
        home=texts[record.home] or None,
        size=head.size / 1000,
        source=texts[record.source],
        sources=tuple(texts[record.sources].split("|")),
        given=tuple(key or None for key in texts[record.given].split("|")),
        refreshed=texts[record.refreshed] or None,
        financials=record.financials,
        link=head.link,
        link_home=head.link_home,
    )
    assert stored == companies[0]


def test_nothing_is_stored_that_belongs_to_serving(engine: TantivyEngine) -> None:
    (hit,) = run(engine.by_identifier("EC", "ec-ruc", "1790016919001"))
    for word in (b"http", b"confidence", b"/es/", b"Spanish"):
        assert word not in hit.stored
