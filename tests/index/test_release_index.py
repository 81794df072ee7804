"""Building and opening the embedded index: what is written, what is refused, and that memory stays flat."""

from __future__ import annotations

import gc
import hashlib
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

from padron.companies.company import Company
from padron.companies.fields import FIELDS
from padron.companies.model import Name
from padron.countries import REGISTRY
from padron.countries.country import Scheme
from padron.directory import run
from padron.errors import ReleaseError, Unavailable
from padron.index import document_stream, release_index
from padron.index.document import LEGAL, Tables, decode_company, decode_record, variants
from padron.index.engine import Hit, IdentifierKey
from padron.index.release_index import ReleaseIndex
from padron.index.retrieval import Lookup, Retrieval
from padron.releases import snapshot
from padron.text import FormTable
from padron.words import Text


@pytest.fixture
def copy(index: Path, tmp_path: Path) -> Path:
    """A copy of the small index to be damaged."""
    return Path(shutil.copytree(index, tmp_path / "copy"))


def candidates(index: ReleaseIndex, words: tuple[str, ...]) -> list[Hit]:
    return list(run(Retrieval(index, FormTable({})).candidates(Lookup((words,)), 50)))


def digests(folder: Path) -> dict[str, str]:
    """SHA-256 of every file, by path."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def filed_under(index: ReleaseIndex, key: str) -> list[Hit]:
    (hits,) = run(index.engine.by_identifier([IdentifierKey("EC", "ec-ruc", key)]))
    return list(hits)


def test_the_same_companies_give_an_index_that_answers_the_same(
    opened: ReleaseIndex, companies: tuple[Company, ...], tmp_path: Path
) -> None:
    release_index.build(iter(companies), tmp_path / "again", REGISTRY)
    again = run(release_index.open_index(tmp_path / "again"))
    assert again.tables == opened.tables
    for words in (("apple",), ("corporacion", "favrita"), ("hotel", "plasa")):
        assert candidates(again, words) == candidates(opened, words)


def test_the_same_companies_give_the_same_bytes(index: Path, companies: tuple[Company, ...], tmp_path: Path) -> None:
    release_index.build(iter(companies), tmp_path / "again", REGISTRY)
    assert digests(tmp_path / "again") == digests(index)
    release_index.build(companies[1:], tmp_path / "other", REGISTRY)
    assert digests(tmp_path / "other").keys() == digests(index).keys()
    assert digests(tmp_path / "other") != digests(index)


def test_progress_is_told_and_companies_are_read_once(
    company: Callable[..., Company], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(release_index, "_PROGRESS_EVERY", 10)
    counts: list[int] = []
    release_index.build(
        (company("EC", "ec-expediente", str(number + 1), f"EMPRESA {number} S.A.") for number in range(25)),
        tmp_path / "index",
        REGISTRY,
        progress=counts.append,
    )
    assert counts == [10, 20, 25]


@pytest.fixture
def shared_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Even a few companies and words are given to other processes, a few at a time."""
    monkeypatch.setattr(document_stream, "_FEW", 3)
    monkeypatch.setattr(document_stream, "_BATCH", 2)


@pytest.mark.usefixtures("shared_out")
def test_other_processes_make_the_same_index(index: Path, companies: tuple[Company, ...], tmp_path: Path) -> None:
    release_index.build(iter(companies), tmp_path / "shared", REGISTRY)
    for name in ("tables.msgpack", "companies/rows.bin", "companies/starts.bin", "vocabulary/near/rows.bin"):
        assert (tmp_path / "shared" / name).read_bytes() == (index / name).read_bytes(), name
    for part in ("companies", "vocabulary/near"):
        for ending in ("term", "idx", "fast"):
            (file,), (other,) = ((folder / part).glob(f"*.{ending}") for folder in (index, tmp_path / "shared"))
            assert file.read_bytes() == other.read_bytes(), (part, ending)


@pytest.mark.usefixtures("shared_out")
def test_a_build_that_loses_a_process_fails(
    company: Callable[..., Company], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(release_index, "_PROGRESS_EVERY", 1)

    def kill_one(done: int) -> None:
        if done == 1:
            children = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
            os.kill(int(children[-1]), signal.SIGKILL)

    many = (company("EC", "ec-expediente", str(number + 1), f"EMPRESA {number} S.A.") for number in range(1_000))
    with pytest.raises(Unavailable, match="build-process-lost"):
        release_index.build(many, tmp_path / "index", REGISTRY, progress=kill_one)
    assert not (tmp_path / "index" / snapshot.SEAL).exists()


def test_countries_other_than_ours_are_described_here(company: Callable[..., Company], tmp_path: Path) -> None:
    """No other process knows their functions, however many companies there are."""
    registry = {"EC": replace(REGISTRY["EC"], schemes=(Scheme("ec-ruc", Text("R", "R"), "primary", (), key=reverse),))}
    companies = (company("EC", "ec-ruc", str(number), "EMPRESA S.A.") for number in range(10_000, 30_000))
    release_index.build(companies, tmp_path / "index", registry)
    assert filed_under(run(release_index.open_index(tmp_path / "index")), "99992")


def reverse(value: str) -> str:
    return value[::-1]


def test_a_release_without_companies_can_be_opened(tmp_path: Path) -> None:
    release_index.build((), tmp_path / "index", REGISTRY)
    opened = run(release_index.open_index(tmp_path / "index"))
    assert candidates(opened, ("favorita",)) == []
    assert filed_under(opened, "1790016919") == []


def test_an_index_that_was_replaced_is_let_go_at_once(index: Path) -> None:
    opened = run(release_index.open_index(index))
    assert candidates(opened, ("corporacion", "favrita"))
    engine, vocabulary = ref(opened.engine), ref(opened.vocabulary)
    gc.disable()
    try:
        del opened
        assert engine() is vocabulary() is None
    finally:
        gc.enable()


@pytest.mark.parametrize(
    "file",
    [
        "tables.msgpack",
        "companies/rows.bin",
        "vocabulary/near/starts.bin",
        "vocabulary/words.marisa",
        "companies/meta.json",
    ],
)
def test_a_damaged_file_is_named(copy: Path, file: str) -> None:
    path = copy / file
    path.write_bytes(path.read_bytes()[:-1] + b"?")
    with pytest.raises(ReleaseError) as damaged:
        run(release_index.open_index(copy))
    assert damaged.value.code == "release-damaged"
    assert damaged.value.context["file"] == path.name


def test_a_missing_folder_is_told(tmp_path: Path) -> None:
    with pytest.raises(ReleaseError, match="release-damaged"):
        run(release_index.open_index(tmp_path / "nothing"))


def test_an_index_of_another_format_is_refused(copy: Path) -> None:
    path = copy / "tables.msgpack"
    tables = msgspec.msgpack.decode(path.read_bytes(), type=Tables)
    path.write_bytes(msgspec.msgpack.encode(msgspec.structs.replace(tables, format=release_index.FORMAT + 1)))
    snapshot.seal(copy)
    with pytest.raises(ReleaseError) as other:
        run(release_index.open_index(copy))
    assert other.value.code == "release-format"
    assert (other.value.context["found"], other.value.context["expected"]) == (
        release_index.FORMAT + 1,
        release_index.FORMAT,
    )


OPEN = """
import os, sys
from pathlib import Path
from padron.directory import run
from padron.errors import ReleaseError
from padron.index import release_index
if os.getuid() == 0:
    os.setuid(65534)
try:
    run(release_index.open_index(Path(sys.argv[1])))
except ReleaseError as error:
    print(error.code)
else:
    print("open")
"""


def test_another_user_opens_it_in_a_read_only_folder(index: Path) -> None:
    with TemporaryDirectory() as place:
        Path(place).chmod(0o755)
        folder = Path(shutil.copytree(index, Path(place) / "index"))
        paths = [folder, *folder.rglob("*")]
        for path in paths:
            path.chmod(0o555 if path.is_dir() else 0o444)
        assert run_python(OPEN, folder) == "open"
        assert [folder, *folder.rglob("*")] == paths
        for path in paths:
            path.chmod(0o755)


def run_python(script: str, folder: Path) -> str:
    """Return what a script prints about a folder, in a process of its own."""
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
        release_index.build(many(count), tmp_path / str(count), REGISTRY)
        sizes[count] = int(run_python(MEMORY, tmp_path / str(count)))
    assert sizes[11_000] - sizes[1_000] < 1_000


MEMORY = """
import sys
from pathlib import Path
from padron.directory import run
from padron.index import release_index
from padron.index.retrieval import Lookup, Retrieval
from padron.text import FormTable
retrieval = Retrieval(run(release_index.open_index(Path(sys.argv[1]))), FormTable({}))
for number in range(500):
    run(retrieval.candidates(Lookup((("comercial", f"{number % 97}x"),)), 50))
rollup = Path("/proc/self/smaps_rollup").read_text()
print(next(line.split()[1] for line in rollup.splitlines() if line.startswith("Anonymous:")))
"""


def test_every_column_comes_back(opened: ReleaseIndex, companies: tuple[Company, ...]) -> None:
    texts = opened.tables.texts
    (hit,) = filed_under(opened, "1790016919")
    head = decode_company(hit.stored)
    record = decode_record(head.record)
    stored = {
        "country": texts[head.country],
        "aliases": tuple((texts[scheme], value) for scheme, value in record.aliases),
        "names": tuple((texts[kind], name, since, until) for kind, name, since, until in record.names),
        "size": head.size / 1000,
        "sources": tuple(texts[record.sources].split("|")),
        "given": tuple(key or None for key in texts[record.given].split("|")),
        "link": head.link,
        "link_home": head.link_home,
    }
    for column in FIELDS:
        if column.name not in stored:
            value = getattr(record, column.name)
            stored[column.name] = texts[value] or None if column.shared else value
    assert Company(**stored) == companies[0]


def test_nothing_is_stored_that_belongs_to_serving(opened: ReleaseIndex) -> None:
    (hit,) = filed_under(opened, "1790016919")
    for word in (b"http", b"confidence", b"/es/", b"Spanish"):
        assert word not in hit.stored


def test_a_company_is_found_by_what_its_linked_record_is_called(
    company: Callable[..., Company], tmp_path: Path
) -> None:
    former = (Name("former", "COMPANHIA VALE DO RIO DOCE", None, None),)
    vale = company("BR", "br-cnpj", "33592510000154", "VALE S.A.", link="vale", linked_names=former)
    release_index.build([vale], tmp_path / "index", REGISTRY)
    (hit,) = candidates(run(release_index.open_index(tmp_path / "index")), ("vale", "rio", "doce"))
    assert [name.words for name in decode_company(hit.stored).names] == ["vale", "companhia vale rio doce"]
    assert decode_record(decode_company(hit.stored).record).names == ()


def test_a_symbol_in_place_of_a_name_finds_nobody(company: Callable[..., Company], tmp_path: Path) -> None:
    symbols = (Name("ticker", "XXXX", None, None), Name("ticker", "BMO", None, None))
    release_index.build(
        [company("US", "us-cik", "927971", "BANK OF MONTREAL", names=symbols)], tmp_path / "i", REGISTRY
    )
    index = run(release_index.open_index(tmp_path / "i"))
    assert not candidates(index, ("xxxx",))
    assert len(candidates(index, ("bmo",))) == 1


@pytest.mark.parametrize("words", [("grupo", "2"), ("grupo", "ii"), ("grupo", "dos"), ("grupo", "segundo")])
def test_a_number_is_found_however_it_is_written(
    company: Callable[..., Company], tmp_path: Path, words: tuple[str, ...]
) -> None:
    companies = [
        company("EC", "ec-expediente", "1", "GRUPO S.A."),
        company("EC", "ec-expediente", "2", "GRUPO DOS S.A."),
        company("EC", "ec-expediente", "3", "GRUPO TRES S.A."),
    ]
    release_index.build(companies, tmp_path / "index", REGISTRY)
    first, *_ = candidates(run(release_index.open_index(tmp_path / "index")), words)
    assert decode_record(decode_company(first.stored).record).legal_name == "GRUPO DOS S.A."


@pytest.mark.parametrize(
    ("legal_name", "names"),
    [
        ("FURUKAWA PLANTACIONES C.A. DEL ECUADOR", ["furukawa plantaciones ecuador"]),
        ("MCKINSEY & COMPANY, INC. ECUADOR", ["mckinsey company ecuador"]),
        ("EMPRESA ELECTRICA S.A. EMELEC", ["empresa electrica emelec", "empresa electrica", "emelec"]),
    ],
)
def test_the_country_behind_a_legal_form_is_no_acronym(legal_name: str, names: list[str]) -> None:
    assert [name.words for name in variants(LEGAL, legal_name, REGISTRY["EC"])] == names
