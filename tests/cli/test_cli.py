"""The command line as a script meets it: what it prints, on which stream, with which exit code."""

from __future__ import annotations

import importlib
import io
import json
import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import warnings
from datetime import date
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from cyclopts import App, CycloptsError
from rich.console import Console

from padron import __version__
from padron.cli import app as cli
from padron.cli import builds
from padron.cli import help as command_help
from padron.countries import REGISTRY
from padron.errors import messages
from padron.ingest.files import source_files
from waiting import PATIENCE, until


def run(
    *words: str, data: Path | None = None, language: str = "es_EC.UTF-8", typed: str = "", **environment: str
) -> Any:
    """A finished `padron` process."""
    clean = {key: value for key, value in os.environ.items() if not key.startswith("PADRON_")}
    folder = {"PADRON_DATA": str(data)} if data else {}
    return subprocess.run(
        [sys.executable, "-m", "padron", *words],
        input=typed,
        capture_output=True,
        text=True,
        check=False,
        env={**clean, **folder, "LC_ALL": language, **environment},
    )


def test_search_prints_a_table_and_the_public_answer_as_json(release: Path) -> None:
    done = run("search", "corporacion favorita", data=release)
    assert (done.returncode, done.stderr) == (0, "")
    assert "CORPORACION FAVORITA C.A." in done.stdout
    assert "1790016919001" in done.stdout
    answer = json.loads(run("search", "corporacion favorita", "--json", data=release).stdout)
    assert answer["bestMatch"]["identifier"] == "1790016919001"
    assert list(answer) == ["q", "country", "bestMatch", "suggestedCountries", "matchHints", "results"]


def test_get_prints_the_entity(release: Path) -> None:
    entity = json.loads(run("get", "br", "33.000.167/0001-01", "--json", data=release).stdout)["entity"]
    assert (entity["scheme"], entity["identifier"]) == ("br-cnpj", "33000167000101")
    assert "PETROBRAS" in run("get", "BR", "33000167", data=release).stdout


def test_get_tells_that_a_number_is_a_branchs_or_mistyped(release: Path) -> None:
    for number, branch, mistyped in (
        ("33000167000101", False, False),
        ("33000167000292", True, False),
        ("33000167000293", True, True),
    ):
        done = run("get", "BR", number, data=release, language="en_US.UTF-8")
        notes = ("the head office is shown" in done.stdout, "check digit" in done.stdout)
        assert (done.returncode, *notes) == (0, branch, mistyped)
    assert "dígito verificador" in run("get", "CO", "899.999.068-2", data=release).stdout


def test_a_source_by_hand_is_placed_as_fetch_prints_it(tmp_path: Path) -> None:
    data = tmp_path / "var"
    done = run("fetch", "CO", "--source", "supersociedades-10000", data=data, language="en_US.UTF-8")
    assert (done.returncode, done.stderr) == (0, "")
    page, command = done.stdout.splitlines()[-2:]
    assert page == "CO supersociedades-10000: https://www.supersociedades.gov.co/"
    saved = builds.BUNDLED / "co" / "supersociedades-10000" / "Base_10000_empresas_2026.xlsx"
    shutil.copy(saved, tmp_path)
    typed = shlex.split(command.replace("YYYY", "2026").replace("DAY", "2026-06-30"))
    placed = subprocess.run(typed, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (placed.returncode, placed.stderr) == (0, "")
    [source] = [each for each in REGISTRY["CO"].sources if each.key == "supersociedades-10000"]
    [file] = source_files(source, data / "official" / "co" / "supersociedades-10000")
    assert (file.path.name, file.path.read_bytes()) == (saved.name, saved.read_bytes())
    assert file.published == date(2026, 6, 30)


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = run("corpus", "--rows", "10", "--to", str(tmp_path / "file" / "corpus"), language="en_US.UTF-8")
    assert (done.returncode, done.stderr.count("\n")) == (4, 1)
    assert "Cannot write to" in done.stderr


def test_coverage_counts_every_country(release: Path) -> None:
    coverage = json.loads(run("coverage", "--json", data=release).stdout)
    assert [country["countryCode"] for country in coverage["countries"]] == list(REGISTRY)
    assert coverage["total"] == sum(country["companies"] for country in coverage["countries"]) >= 110_000
    assert all(country["companies"] for country in coverage["countries"])
    shown = run("coverage", data=release).stdout
    assert ("a mano" in shown, "con atraso" in shown, "manual" in shown) == (True, True, False)


def test_compare_is_the_ranker_alone(release: Path) -> None:
    same = json.loads(run("compare", "Ecopetrol", "ECOPETROL S.A.", "--country", "CO", "--json", data=release).stdout)
    other = json.loads(run("compare", "Ecopetrol", "CEMENTOS ARGOS S.A.", "--json", data=release).stdout)
    assert same["confidence"] > 0.85 > 0.1 > other["confidence"]
    assert same["explanations"]


@pytest.mark.parametrize(
    ("words", "code", "es", "en"),
    [
        (("get", "EC", "1790019845001"), 1, "ninguna empresa", "no company"),
        (("get", "XX", "1"), 2, "uno de: EC", "one of: EC"),
        (("get", "EC", "abc"), 2, "identificador", "identifier"),
        (("search", "favorita", "--limit", "21"), 2, "20", "20"),
        (("search", "f"), 2, "2", "2"),
        (("search", "!!"), 1, "", ""),
        (("search", "ab\udcff", "--json"), 2, "UTF-8", "UTF-8"),
        (("get", "EC", "38\t4"), 2, "control", "control"),
        (("compare", "ab\udcff", "ab"), 2, "UTF-8", "UTF-8"),
    ],
)
def test_every_failure_has_its_sentence_and_exit_code(
    release: Path, words: tuple[str, ...], code: int, es: str, en: str
) -> None:
    for language, message in (("es_EC.UTF-8", es), ("en_US.UTF-8", en)):
        done = run(*words, data=release, language=language)
        assert done.returncode == code
        assert "Traceback" not in done.stderr
        if message:
            assert message.lower() in done.stderr.lower()
            assert done.stdout == ""


@pytest.mark.parametrize(
    ("words", "es", "en"),
    [
        (("search", "x", "--nope"), "no hay una opción --nope", "there is no option --nope"),
        (("nope",), "no hay un comando nope", "there is no command nope"),
        (("get", "EC", "1", "2"), "sobra 2", "2 is one word too many"),
        (("search",), "--text necesita un valor", "--text needs a value"),
        (("search", "x", "--limit", "ten"), "--limit no puede tener ese valor", "--limit cannot have this value"),
        (("search", "x", "--data", "a", "--data", "b"), "--data está repetido", "--data is given twice"),
    ],
)
def test_a_wrong_command_line_is_explained(words: tuple[str, ...], es: str, en: str) -> None:
    with pytest.raises(CycloptsError) as refused:
        cli.app(words, exit_on_error=False, print_error=False)
    error = command_help.fault(refused.value)
    assert es in messages.detail(error, "es")
    assert en in messages.detail(error, "en")


def test_a_wrong_command_line_is_one_sentence() -> None:
    done = run("search", "x", "--nope")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert "`padron search --help`" in done.stderr
    assert json.loads(run("search", "x", "--nope", "--json").stderr)["code"] == "bad-command-line"


ENGLISH = re.compile(r"\b(?:the|of|and|which|with|from|is|are|its|print|show|only|default|required)\b", re.IGNORECASE)
"""Words of English sentences that no Spanish one has."""


def test_help_is_in_the_language_of_the_person(monkeypatch: pytest.MonkeyPatch) -> None:
    def page(words: tuple[str, ...], language: str) -> str:
        monkeypatch.setenv("LC_ALL", language)
        cli.app.help_print(words, console=Console(file=(printed := StringIO()), width=200))
        return printed.getvalue()

    pages = list(command_help.pages(cli.app))
    assert {(), ("search",), ("accounts", "backup"), ("accounts", "plans", "check"), ("release", "list")} <= set(pages)
    for words in pages:
        assert ENGLISH.search(page(words, "es_EC.UTF-8")) is None, words
    assert ENGLISH.search(page((), "en_US.UTF-8"))
    assert "Uso: padron get [OPCIONES] COUNTRY IDENTIFIER\n" in page(("get",), "es_EC.UTF-8")
    assert "Usage: padron get [OPTIONS] COUNTRY IDENTIFIER\n" in page(("get",), "en_US.UTF-8")
    limited = " ".join(page(("search",), "es").split())
    assert "--limit NÚMERO Cuántos resultados como máximo, de 1 a 20. [por omisión: 8]" in limited


def test_a_wrong_option_or_setting_is_bad_input(tmp_path: Path) -> None:
    done = run("coverage", data=tmp_path, PADRON_NONSENSE="1", PADRON_LIMITS__ENABLED="maybe")
    assert done.returncode == 2
    assert "PADRON_NONSENSE" in done.stderr
    assert "PADRON_LIMITS__ENABLED" in done.stderr


def test_errors_are_problem_documents_where_json_is_asked_for(tmp_path: Path) -> None:
    done = run("coverage", "--json", data=tmp_path, language="en_US.UTF-8")
    problem = json.loads(done.stderr)
    assert (done.returncode, done.stdout) == (3, "")
    assert problem["type"] == "urn:padron:problem:no-release"
    assert (problem["code"], problem["title"]) == ("no-release", "No release published")
    assert "padron build" in problem["detail"]


@pytest.mark.parametrize("words", [("sources", "--json"), ("sources",), ("--help",)])
def test_output_that_cannot_be_written_is_a_sentence(tmp_path: Path, words: tuple[str, ...]) -> None:
    environment = os.environ | {"PADRON_DATA": str(tmp_path), "LC_ALL": "en_US.UTF-8"}
    with Path("/dev/full").open("wb") as full:
        command = [sys.executable, "-m", "padron", *words]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, env=environment, check=False)
    assert (done.returncode, done.stderr.count(b"\n")) == (4, 1)
    assert b"No space left on device" in done.stderr


@pytest.mark.parametrize(("closed", "code"), [("", 0), ("<&-", 0), (">&-", 4), ("2>&-", 0), ("<&- >&- 2>&-", 4)])
def test_a_command_does_without_the_files_that_are_closed(closed: str, code: int) -> None:
    command = [sys.executable, "-m", "padron", "--version"]
    done = subprocess.run(
        ["sh", "-c", f'exec "$@" {closed}', "sh", *command],
        capture_output=True,
        text=True,
        env=os.environ | {"LC_ALL": "en_US.UTF-8"},
        check=False,
    )
    fault = "The output cannot be written: Bad file descriptor.\n" if closed == ">&-" else ""
    assert (done.returncode, done.stdout, done.stderr) == (code, "" if code else f"{__version__}\n", fault)


def started(tmp_path: Path, *, ignored: bool) -> tuple[subprocess.Popen[bytes], Path]:
    """A command that waits for a list on standard input, `nohup` before it or not, and its temporary folder."""
    (temporary := tmp_path / "temporary").mkdir()
    words = [sys.executable, "-m", "padron", "match", "-", "--output", "-"]
    process = subprocess.Popen(
        ["nohup", *words] if ignored else words,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=os.environ | {"PADRON_DATA": str(tmp_path / "var"), "TMPDIR": str(temporary)},
    )
    return process, until(lambda: next(temporary.glob("*/rows.raw"), None)).parent


@pytest.mark.parametrize("ending", [signal.SIGHUP, signal.SIGTERM])
def test_a_command_that_a_signal_ends_removes_what_it_has_begun(tmp_path: Path, ending: signal.Signals) -> None:
    process, folder = started(tmp_path, ignored=False)
    process.send_signal(ending)
    assert (process.wait(PATIENCE), folder.exists()) == (-ending, False)
    assert process.communicate() == (b"", b"")


def test_a_command_goes_on_where_the_end_of_the_terminal_is_ignored(tmp_path: Path) -> None:
    process, folder = started(tmp_path, ignored=True)
    process.send_signal(signal.SIGHUP)
    process.communicate(b"name\nPETROBRAS\n")
    assert (process.returncode, folder.exists()) == (3, False)  # there is no release


def test_completion_is_installed_for_a_shell(tmp_path: Path) -> None:
    done = run("--install-completion", HOME=str(tmp_path), SHELL="/bin/bash", XDG_DATA_HOME=str(tmp_path / "share"))
    assert (done.returncode, done.stderr) == (0, "")
    written = "".join(path.read_text() for path in tmp_path.rglob("*") if path.is_file())
    assert "rollback" in written


def test_the_release_of_another_folder_is_found_by_its_name(release: Path, tmp_path: Path) -> None:
    """Outside the clone the default folder has no release; the sentence says where it looked and how to name one."""
    (tmp_path / "elsewhere").mkdir()
    environment = {name: value for name, value in os.environ.items() if name != "PADRON_DATA"} | {
        "LC_ALL": "en_US.UTF-8"
    }

    def search(*words: str, **settings: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "padron", "search", "petrobras", *words]
        return subprocess.run(
            command, cwd=tmp_path / "elsewhere", env=environment | settings, capture_output=True, text=True, check=False
        )

    lost = search()
    folder = tmp_path / "elsewhere" / "var"
    assert (lost.returncode, lost.stderr) == (
        3,
        f"There is no published release in {folder}. Build one with `padron build --data {folder}`, or name the data "
        "folder that has one with `--data` or the setting PADRON_DATA.\n",
    )
    for answer in (search("--json", "--data", str(release)), search("--json", PADRON_DATA=str(release))):
        assert (answer.returncode, answer.stderr) == (0, "")
        assert json.loads(answer.stdout)["bestMatch"]["identifier"] == "33000167000101"


def test_no_release_is_told(tmp_path: Path) -> None:
    done = run("coverage", data=tmp_path, language="en_US.UTF-8")
    assert done.returncode == 3
    assert "padron build" in done.stderr


def test_help_and_version() -> None:
    assert run("--version").stdout.strip() == __version__
    listed = run("--help").stdout
    for command in ("build", "serve", "search", "get", "coverage", "compare", "corpus", "doctor"):
        assert command in listed


@pytest.mark.parametrize("word", ["--version", "--help"])
def test_what_only_describes_the_program_loads_no_command(word: str) -> None:
    code = (
        "import atexit, sys; atexit.register(lambda: print(*sorted(sys.modules), sep='\\n', file=sys.stderr));"
        f"sys.argv = ['padron', '{word}']; import runpy; runpy.run_module('padron', run_name='__main__')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stderr.split())
    assert "padron.cli.app" in loaded
    assert not loaded & {"asyncio", "duckdb", "tantivy", "padron.countries", "padron.directory", "padron.ingest"}


def test_the_list_of_commands_says_what_each_says_of_itself() -> None:
    for name, (place, summary) in cli.COMMANDS.items():
        module, _, member = place.partition(":")
        command = getattr(importlib.import_module(f"padron.cli.{module}"), member)
        own = command.help if isinstance(command, App) else command.__doc__.partition("\n")[0]
        assert (name, summary) == (name, own)


def test_doctor_finds_a_sound_release(release: Path) -> None:
    done = run("doctor", "--port", "1", data=release, language="en_US.UTF-8")
    assert (done.returncode, done.stderr) == (0, "")
    assert "✗" not in done.stdout


@pytest.mark.parametrize("command", ["serve", "doctor"])
@pytest.mark.parametrize(
    ("setting", "value", "message"),
    [
        ("PADRON_ACCOUNTS__PLANS", "/nowhere.toml", "/nowhere.toml"),
        ("PADRON_BILLING__PROVIDER", "stripe", "STRIPE_KEY"),
    ],
)
def test_what_no_service_can_start_with_is_one_sentence(
    tmp_path: Path, command: str, setting: str, value: str, message: str
) -> None:
    done = run(command, data=tmp_path, language="en_US.UTF-8", **{setting: value})
    assert done.returncode in {2, 3}
    assert message in done.stdout + done.stderr
    assert len((done.stdout + done.stderr).splitlines()) == 1


def test_a_port_is_not_shared_with_another_service(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        for command, code in (("serve", 4), ("doctor", 3)):
            done = run(command, "--port", port, data=tmp_path, language="en_US.UTF-8")
            assert (done.returncode, f"Cannot listen on 127.0.0.1:{port}" in done.stdout + done.stderr) == (code, True)
    assert run("serve", "--port", "65536", data=tmp_path).returncode == 2


def test_doctor_tells_every_fault_at_once(tmp_path: Path) -> None:
    done = run("doctor", data=tmp_path, language="en_US.UTF-8", PADRON_NONSENSE="1", PADRON_BASE_URL="nowhere")
    assert done.returncode == 3
    assert "PADRON_NONSENSE" in done.stdout
    assert "PADRON_BASE_URL" in done.stdout


def test_sources_are_told_with_the_sentence_of_what_failed(tmp_path: Path) -> None:
    work = tmp_path / "official" / "co" / ".rues"
    work.mkdir(parents=True)
    context = {"source": "rues", "url": "https://www.datos.gov.co", "status": "403"}
    (work / "state.json").write_text(json.dumps({"state": "failed", "code": "publisher-refused", "context": context}))
    for language, state, never, message in (
        ("es_EC.UTF-8", "fallida", "aún no obtenida", "respondió 403"),
        ("en_US.UTF-8", "failed", "not fetched yet", "answered 403"),
    ):
        lines = run("sources", data=tmp_path, language=language).stdout.splitlines()
        [rues] = [line for line in lines if line.startswith("CO") and " rues " in line]
        assert [text for text in (state, never, message) if text not in rues] == []
    rows = {(row["country"], row["source"]): row for row in json.loads(run("sources", "--json", data=tmp_path).stdout)}
    assert rows["CO", "rues"]["reason"] == "publisher-refused"
    assert (rows["MX", "retc"]["state"], rows["MX", "retc"]["completeness"]) == ("manual", "sample")


@pytest.mark.verify
def test_changes_are_told_page_by_page_from_a_cursor(tmp_path: Path) -> None:
    change = {"country": "EC", "scheme": "ec-ruc", "identifier": "1790016919001", "name": "CORPORACION FAVORITA C.A."}
    renamed = {**change, "change": "renamed", "before": "LA FAVORITA C.A.", "after": change["name"], "aliases": []}
    other = {**renamed, "identifier": "1790010937001", "change": "new", "before": None, "after": None}
    head = {"from": "2026-03-01-aaaaaaaa", "to": "2026-03-02-bbbbbbbb", "at": "2026-03-02T04:00:00+00:00"}
    (tmp_path / "changes").mkdir()
    lines = [json.dumps(line) + "\n" for line in (head, renamed, other)]
    (tmp_path / "changes" / "000001-2026-03-02-bbbbbbbb.jsonl").write_text("".join(lines))

    first = json.loads(run("changes", "--limit", "1", "--json", data=tmp_path).stdout)
    assert [change["before"] for change in first["changes"]] == ["LA FAVORITA C.A."]
    rest = json.loads(run("changes", "--since", first["cursor"], "--json", data=tmp_path).stdout)
    assert [change["identifier"] for change in rest["changes"]] == ["1790010937001"]
    none = run("changes", "--since", rest["cursor"], data=tmp_path, language="en_US.UTF-8")
    assert (none.returncode, none.stdout.splitlines()[-1]) == (1, f"Cursor: {rest['cursor']}")
    shown = run("changes", data=tmp_path).stdout
    assert "2026-03-02-bbbbbbbb" in shown
    assert "LA FAVORITA C.A." in shown
    for language, message in (("es_EC.UTF-8", "empiece de nuevo sin cursor"), ("en_US.UTF-8", "start again without a")):
        wrong = run("changes", "--since", "1-3", data=tmp_path, language=language)
        assert (wrong.returncode, wrong.stdout) == (2, "")
        assert message in wrong.stderr
        assert run("changes", "--limit", "0", data=tmp_path, language=language).returncode == 2


def test_accounts_from_their_opening_to_their_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PADRON_DATA", str(tmp_path))
    monkeypatch.setenv("LC_ALL", "en_US.UTF-8")

    def accounts(*words: str, typed: str = "") -> subprocess.CompletedProcess[str]:
        """`padron accounts …` as `main` runs it, in this process: two dozen of their own take half a minute."""
        monkeypatch.setattr(sys, "argv", ["padron", "accounts", *words])
        monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Cyclopts application invoked without tokens")
            with pytest.raises(SystemExit) as ended:
                cli.main()
        return subprocess.CompletedProcess(words, int(str(ended.value.code or 0)), *capfd.readouterr())

    opened = accounts("create", "ana@example.ec", typed="una clave larga de verdad\n")
    assert (opened.returncode, opened.stderr) == (0, "")
    assert accounts("set-plan", "ana@example.ec", "pro").returncode == 0
    (line,) = json.loads(accounts("list", "--json").stdout)
    assert (line["id"], line["address"], line["plan"]) == (opened.stdout.strip(), "ana@example.ec", "pro")
    listed = json.loads(accounts("audit", "ana@example.ec", "--json").stdout)
    assert {(line["actor"], line["event"]) for line in listed} == {("operator", "signed-up"), ("operator", "plan-pro")}
    shown = accounts("audit", line["id"], "--event", "plan-pro").stdout
    assert [word in shown for word in ("operator", "plan-pro", "signed-up", line["id"])] == [True, True, False, True]
    assert accounts("audit", "nobody@example.ec").returncode == 1
    made = json.loads(accounts("create-key", "ana@example.ec", "uno", "--expires", "2999-01-01", "--json").stdout)
    assert (made["apiKey"][:9], made["key"]["expiresAt"]) == ("pdr_live_", "2999-01-01T00:00:00Z")
    assert accounts("create-key", "ana@example.ec", "uno").returncode == 2
    past = accounts("create-key", "ana@example.ec", "dos", "--expires", "2020-01-01")
    assert (past.returncode, past.stderr) == (2, "“--expires” must be in the future.\n")
    unknown = accounts("revoke", "key_" + "0" * 24)
    assert (unknown.returncode, unknown.stderr) == (1, "There is no such key.\n")
    with monkeypatch.context() as elsewhere:
        elsewhere.setenv("PADRON_ACCOUNTS__SECRET", "another secret " * 4)
        for command in (("create-key", "ana@example.ec", "dos"), ("plans", "check")):
            refused = accounts(*command)
            assert (refused.returncode, refused.stdout) == (2, "")
            assert "was filled with another secret" in refused.stderr
        assert accounts("list").returncode == 0
    narrow = accounts("create-key", "ana@example.ec", "dos", "--scope", "search").stdout
    assert (narrow[:9], len(narrow)) == ("pdr_live_", 46)
    assert json.loads(accounts("revoke", made["key"]["id"], "--json").stdout)["state"] == "revoked"
    assert json.loads(accounts("suspend", "ana@example.ec", "--json").stdout)["suspended"] is True
    assert "in use" in accounts("resume", "ana@example.ec").stdout
    for command in ("unlock", "grant-operator", "withdraw-operator"):
        assert accounts(command, "ana@example.ec").returncode == 0
    refused = accounts("resend", "ana@example.ec")
    assert (refused.returncode, "is confirmed" in refused.stderr) == (2, True)
    assert json.loads(accounts("usage", "ana@example.ec", "--json").stdout) == []
    checked = json.loads(accounts("plans", "check", "--json").stdout)
    assert checked == {"plans": ["free", "pro", "business"], "faults": []}
    assert "ana@example.ec" in accounts("export", "ana@example.ec").stdout
    assert accounts("set-plan", "ana@example.ec", "gold").returncode == 2
    assert accounts("create", "ana@example.ec", typed="otra clave larga de verdad\n").returncode == 2
    assert accounts("export", "nobody@example.ec").returncode == 1
    assert accounts("revoke", "key_none").returncode == 1
    deleted = json.loads(accounts("delete", "ana@example.ec", "--json").stdout)
    assert (deleted["id"], deleted["deleted"]) == (line["id"], True)
    assert (accounts("list", "--json").stdout, accounts("suspend", "ana@example.ec").returncode) == ("[]\n", 1)
