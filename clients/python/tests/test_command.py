"""`padron-client`: what it prints, its exit codes, and that it takes no key from the line."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

import padron_client
from both import KEY, TABLE
from padron_client import command
from scripted import Reply, Script

ANSWER = TABLE["answers"]["search"]


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PADRON_API_KEY", KEY)
    monkeypatch.setenv("LC_ALL", "en_US.UTF-8")


def run(*arguments: str) -> int:
    with pytest.raises(SystemExit) as ended:
        command.main(arguments)
    assert isinstance(ended.value.code, int)
    return ended.value.code


def body(content: object) -> bytes:
    return json.dumps(content).encode()


def test_a_search_prints_a_line_a_result(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    with Script([Reply(body=body(ANSWER))]) as server:
        monkeypatch.setenv("PADRON_BASE_URL", server.url)
        assert run("search", "petrobras", "--country", "BR", "--limit", "1") == 0
    output = capsys.readouterr()
    assert output.out == "0.9712  BR  33000167000101  PETRÓLEO BRASILEIRO S.A. - PETROBRAS\n"
    assert output.err.splitlines() == ANSWER["matchHints"]
    assert server.asked[0].query == [("q", "petrobras"), ("country", "BR"), ("limit", "1")]
    assert server.asked[0].headers["accept-language"] == "en"
    assert server.asked[0].headers["apikey"] == KEY


def test_a_result_without_a_confidence_has_a_dash(capsys: pytest.CaptureFixture[str]) -> None:
    results = [ANSWER["results"][0] | {"confidence": None}]
    with Script([Reply(body=body(ANSWER | {"results": results}))]) as server:
        assert run("search", "petroleras en Brasil", "--base-url", server.url) == 0
    assert capsys.readouterr().out == "-       BR  33000167000101  PETRÓLEO BRASILEIRO S.A. - PETROBRAS\n"


def test_a_wrong_check_digit_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    requested = {"scheme": "br-cnpj", "identifier": "33000167000102", "match": "primary", "validCheck": False}
    answer = TABLE["answers"]["entity"] | {"requestedIdentifier": requested}
    replies = [Reply(body=body(given)) for given in (answer, answer, TABLE["answers"]["entity"])]
    with Script(replies) as server:
        assert run("get", "BR", "33.000.167/0001-02", "--base-url", server.url) == 0
        error = "the check digit of 33.000.167/0001-02 is wrong; shown is the company with CNPJ 33000167000101\n"
        assert capsys.readouterr().err == error
        assert run("get", "BR", "33.000.167/0001-02", "--json", "--base-url", server.url) == 0
        assert run("get", "BR", "33.000.167/0001-01", "--base-url", server.url) == 0
        assert capsys.readouterr().err == ""


def test_json_is_the_whole_answer(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", "es_EC.UTF-8")
    with Script([Reply(body=body(ANSWER))]) as server:
        assert run("search", "petrobras", "--json", "--base-url", server.url) == 0
    assert json.loads(capsys.readouterr().out) == ANSWER
    assert server.asked[0].headers["accept-language"] == "es"


def test_exit_codes(capsys: pytest.CaptureFixture[str], waits: list[float]) -> None:
    problem = body(TABLE["answers"]["problem-key-unknown"])
    nothing = body(ANSWER | {"results": [], "bestMatch": None})
    replies = [(Reply(body=nothing), 1), (Reply(401, {}, problem), 2), (Reply(429, {"Retry-After": "199"}), 4)]
    for reply, code in replies:
        with Script([reply]) as server:
            assert run("search", "x y", "--base-url", server.url) == code
    with Script([Reply(failure="refused")] * 3) as server:
        assert run("search", "x y", "--base-url", server.url) == 4
    assert "padron-client: 401 key-unknown: No account has this key." in capsys.readouterr().err


def test_without_a_key_it_says_so(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PADRON_API_KEY")
    monkeypatch.setenv("XDG_CONFIG_HOME", "/nowhere")
    assert run("search", "petrobras") == 2
    assert "PADRON_API_KEY" in capsys.readouterr().err


@pytest.mark.parametrize(
    "line", [[], ["search"], ["find", "x"], ["search", "x", "--api-key", KEY], ["search", "x", "--limit", "a"]]
)
def test_a_wrong_line_is_refused(line: list[str]) -> None:
    assert run(*line) == 2


@pytest.fixture
def kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The file of keys of a user who has none in the environment."""
    monkeypatch.delenv("PADRON_API_KEY")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "settings"))
    return tmp_path / "settings/padron/keys.json"


USAGE = {
    "plan": "free",
    "scopes": ["search"],
    "features": [],
    "minute": {"limit": 60, "remaining": 59, "resetsAt": "2026-11-23T12:00:00Z"},
    "day": None,
    "rows": {"limit": 2000, "remaining": 1700, "resetsAt": "2026-11-24T00:00:00Z"},
    "history": [],
}


def test_a_login_keeps_a_key_for_its_address_alone(
    kept: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{KEY}\n"))
    with Script([Reply(body=body(USAGE)), Reply(body=body(USAGE))]) as server:
        assert run("login", "--base-url", server.url) == 0
        assert run("usage", "--base-url", f"{server.url}/") == 0
        assert [asked.headers["apikey"] for asked in server.asked] == [KEY, KEY]
        assert run("usage", "--base-url", "http://127.0.0.1:9") == 2
    output = capsys.readouterr()
    assert "plan: free\nminute: 59 of 60 left\n" in output.out
    assert "rows: 1,700 of 2,000 left\n" in output.out
    assert "run `padron-client login`" in output.err
    assert KEY not in output.out + output.err
    assert (kept.stat().st_mode & 0o777, kept.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    assert [path.name for path in kept.parent.iterdir()] == ["keys.json"]


def test_a_key_that_the_service_refuses_is_not_kept(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{KEY}\n"))
    with Script([Reply(401, {}, body(TABLE["answers"]["problem-key-unknown"]))]) as server:
        assert run("login", "--base-url", server.url) == 2
    assert not kept.exists()


def test_a_damaged_file_of_keys_is_named(kept: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kept.parent.mkdir(parents=True)
    kept.write_text("{")
    assert run("coverage") == 2
    assert f"{kept} is damaged" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "answer", "printed"),
    [
        (["get", "BR", "33000167000101"], "entity", "CNPJ: 33000167000101\ncountry: BR\n"),
        (["financials", "US", "320193"], "financials", "  USD\n"),
        (["coverage"], "coverage", "=   "),
    ],
)
def test_the_other_commands(line: list[str], answer: str, printed: str, capsys: pytest.CaptureFixture[str]) -> None:
    replies = [Reply(body=body(TABLE["answers"][answer]))] * 2
    with Script(replies) as server:
        assert run(*line, "--base-url", server.url) == 0
        assert printed in capsys.readouterr().out
        assert run(*line, "--json", "--base-url", server.url) == 0
        assert set(json.loads(capsys.readouterr().out)) == set(TABLE["answers"][answer])


def test_a_company_that_there_is_not(capsys: pytest.CaptureFixture[str]) -> None:
    with Script([Reply(404, {}, body(TABLE["answers"]["problem-not-found"]))]) as server:
        assert run("get", "BR", "11222333000181", "--base-url", server.url) == 1
    assert "company-not-found" in capsys.readouterr().err


def test_a_list_keeps_its_columns_and_gets_the_company_of_each_row(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "list.csv").write_text("\ufeffref,name,country\n1,Petrobras,BR\n2,nobody,\n", encoding="utf-8")
    company = TABLE["answers"]["search"]["bestMatch"] | {"legalName": "=PETROBRAS"}
    rows = [
        {"verdict": "found", "company": company, "conflicts": [], "reason": "same name"},
        {"verdict": "not_found", "conflicts": [], "reason": "none"},
    ]
    with Script([Reply(body=body({"release": "2026-01-01-00000000", "matches": rows}))]) as server:
        assert run("match", str(tmp_path / "list.csv"), "--base-url", server.url) == 0
        assert json.loads(server.asked[0].body) == {
            "rows": [{"name": "Petrobras", "country": "BR"}, {"name": "nobody", "country": ""}]
        }
    assert capsys.readouterr().out.splitlines() == [
        "ref,name,country,padron_verdict,padron_confidence,padron_country,padron_scheme,padron_identifier,padron_name,"
        "padron_status,padron_matched_on,padron_reason,padron_conflicts,padron_second_country,padron_second_identifier,"
        "padron_second_name,padron_second_confidence",
        "1,Petrobras,BR,found,0.9712,BR,br-cnpj,33000167000101,'=PETROBRAS,active,,same name,,,,,",
        "2,nobody,,not_found,,,,,,,,none,,,,,",
    ]


def test_a_list_that_was_matched_before_keeps_its_columns(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    content = b"name,verdict,padron_verdict,padron_verdict_2\nPetrobras,bought,found,doubtful\n"
    assert matched(content, monkeypatch, tmp_path) == [{"name": "Petrobras"}]
    header, row = (line.split(",") for line in capsys.readouterr().out.splitlines())
    assert header[1:5] == ["verdict", "padron_verdict", "padron_verdict_2", "padron_verdict_2_2"]
    assert row[:5] == ["Petrobras", "bought", "found", "doubtful", "not_found"]
    assert len(set(header)) == len(header)


NOBODY = {"verdict": "not_found", "conflicts": [], "reason": "none"}


def matched(content: bytes, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, *options: str, code: int = 0) -> object:
    """The rows that `match` asks for, of a list of one row."""
    (tmp_path / "list.csv").write_bytes(content)
    with Script([Reply(body=body({"release": "2026-01-01-00000000", "matches": [NOBODY]}))]) as server:
        monkeypatch.setenv("PADRON_BASE_URL", server.url)
        assert run("match", str(tmp_path / "list.csv"), *options) == code
        return [row for asked in server.asked for row in json.loads(asked.body)["rows"]]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "latin-1", "utf-16"])
def test_a_list_is_read_as_spreadsheets_write_it(
    encoding: str,
    delimiter: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    text = 'Razón Social;RUC;País;Nota\r\n"Compañía ""Ñandú"", S.A.";1790016919001;EC;x\r\n'.replace(";", delimiter)
    asked = matched(text.encode(encoding), monkeypatch, tmp_path)
    assert asked == [{"name": 'Compañía "Ñandú", S.A.', "identifier": "1790016919001", "country": "EC"}]
    output = capsys.readouterr()
    assert output.out.splitlines()[0].startswith(
        delimiter.join(["Razón Social", "RUC", "País", "Nota", "padron_verdict"])
    )
    notes = output.err.splitlines()
    assert notes[:2] == ["columns: name = Razón Social, identifier = RUC, country = País", "not read: Nota"]
    assert [note.startswith("read as Windows-1252") for note in notes[2:]] == [True] * (
        encoding in {"cp1252", "latin-1"}
    )


@pytest.mark.parametrize(
    "content", ["sep=;\nempresa;ciudad\nFavorita, C.A.;Quito\n", "empresa;ciudad\nFavorita, C.A.;Quito"]
)
def test_a_delimiter_that_the_list_states(content: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert matched(content.encode(), monkeypatch, tmp_path) == [{"name": "Favorita, C.A.", "city": "Quito"}]


def test_columns_and_delimiter_that_the_caller_says(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    content = "Quién:Nombre:Clave\nFavorita:x:1790016919001\n".encode()
    options = ["--name", "quien", "--identifier", "3", "--delimiter", ":"]
    assert matched(content, monkeypatch, tmp_path, *options) == [{"name": "Favorita", "identifier": "1790016919001"}]
    assert matched(content, monkeypatch, tmp_path, "--name", "Dueño", "--delimiter", ":", code=2) == []
    assert "has no column Dueño. The columns of its first line: Quién, Nombre, Clave" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("content", "remedy"),
    [
        ("nombre\nÑandú".encode("utf-16-le"), "save the list again as CSV in UTF-8"),
        (b"PK\x03\x04\x00\x00", "save the list again as CSV in UTF-8"),
        ("nombre\nÑandú y Compañía".encode() + b"\xf1", "save the list again as CSV in UTF-8"),
        ("nombre\nÑandú".encode("cp850") + b"\x90", "save the list again as CSV in UTF-8"),
        ("nombre\nÑandú".encode("utf-16")[:-1], "save the list again as CSV in UTF-8"),
        (b"nombre,ciudad\nFavorita, C.A.,Quito\n", "--delimiter"),
        (b"quien,donde\nFavorita,Quito\n", "--name COLUMN"),
        (b"", "--name COLUMN"),
    ],
)
def test_a_list_that_cannot_be_read_is_refused_with_the_remedy(
    content: bytes, remedy: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert matched(content, monkeypatch, tmp_path, code=2) == []
    assert remedy in capsys.readouterr().err


@pytest.fixture
def usual_limit() -> Iterator[None]:
    """The limit of the csv module on a cell as a new process has it: others may have raised it."""
    before = csv.field_size_limit(131_072)
    yield
    csv.field_size_limit(before)


@pytest.mark.parametrize(
    ("content", "row", "remedy"),
    [
        (b'name,country\n"Apple,US\nPetrobras,BR\n', "row 1 below the header", "close it, or remove it"),
        (b'name,country\nApple,US\n\n"Petrobras,BR', "row 3 below the header", "close it, or remove it"),
        (b'name,country\n"Apple" Inc,US\n', "row 1 below the header", "write a quotation mark inside a cell twice"),
        (b'name,"country\nApple,US\n', "the header", "close it, or remove it"),
        (b"name,note\nApple,US\nPetrobras," + b"x" * 131_073, "row 2 below the header", "shorten the cell"),
    ],
)
@pytest.mark.usefixtures("usual_limit")
def test_a_row_that_is_no_csv_is_refused_with_its_number(
    content: bytes,
    row: str,
    remedy: str,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert matched(content, monkeypatch, tmp_path, code=2) == []
    error = capsys.readouterr().err.splitlines()[-1]
    assert error.startswith(f"padron-client: {row}: ")
    assert remedy in error


@pytest.mark.parametrize("sign", ['"', "\n", "\r"])
def test_a_sign_that_delimits_no_cells_is_refused(
    sign: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert matched(b"name\nApple\n", monkeypatch, tmp_path, "--delimiter", sign, code=2) == []
    assert "--delimiter must be one character" in capsys.readouterr().err


def test_a_list_from_standard_input(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.write(writing, "Nombre;RFC\nÑandú;ÑEX121116KM4\n".encode("cp1252"))
    os.close(writing)
    with open(reading) as pipe, Script([Reply(body=body({"release": "r", "matches": [NOBODY]}))]) as server:
        monkeypatch.setattr("sys.stdin", pipe)
        assert run("match", "-", "--base-url", server.url) == 0
        assert json.loads(server.asked[0].body) == {"rows": [{"name": "Ñandú", "identifier": "ÑEX121116KM4"}]}


def test_a_company_without_statements_has_a_reason(capsys: pytest.CaptureFixture[str]) -> None:
    absence = {"reason": "not-published", "es": "México no publica estados.", "en": "Mexico publishes no statements."}
    answer = TABLE["answers"]["financials"] | {"statements": [], "absence": absence}
    with Script([Reply(body=body(answer))] * 2) as server:
        assert run("financials", "MX", "S&N921215RG4", "--base-url", server.url) == 1
        assert capsys.readouterr().err == "Mexico publishes no statements.\n"
        assert run("financials", "MX", "S&N921215RG4", "--json", "--base-url", server.url) == 1
        assert json.loads(capsys.readouterr().out)["absence"] == absence


def test_statements_as_csv(capsys: pytest.CaptureFixture[str]) -> None:
    header = "countryCode,identifier,key,value\r\n"
    replies = [Reply(body=f"{header}US,320193,revenue,416161000000\r\n".encode()), Reply(body=header.encode())]
    with Script(replies) as server:
        assert run("financials", "US", "320193", "--csv", "--base-url", server.url) == 0
        printed = "countryCode,identifier,key,value\nUS,320193,revenue,416161000000\n"
        assert capsys.readouterr().out == printed
        assert run("financials", "MX", "S&N921215RG4", "--csv", "--base-url", server.url) == 1
    assert run("financials", "US", "320193", "--csv", "--json") == 2


def test_files_of_the_directory(capsys: pytest.CaptureFixture[str]) -> None:
    file = {
        "dcat:downloadURL": {"@id": "ec.parquet"},
        "dcat:byteSize": {"@value": "845108"},
        "spdx:checksum": {"spdx:checksumValue": {"@value": "0f01"}},
    }
    catalogue = {"dcat:dataset": [{"dct:spatial": {"dct:identifier": "EC"}, "dcat:distribution": [file]}]}
    with Script([Reply(body=body(catalogue))] * 2) as server:
        assert run("bulk", "--base-url", server.url) == 0
        assert capsys.readouterr().out == f"      845108  0f01  {server.url}/bulk/ec.parquet\n"
        assert run("bulk", "--json", "--base-url", server.url) == 0
        shown = {"countryCode": "EC", "url": f"{server.url}/bulk/ec.parquet", "bytes": 845108, "sha256": "0f01"}
        assert json.loads(capsys.readouterr().out) == [shown]


def test_a_service_that_does_not_answer_is_named(capsys: pytest.CaptureFixture[str], waits: list[float]) -> None:
    assert run("usage", "--base-url", "http://127.0.0.1:9") == 4
    error = capsys.readouterr().err
    assert "http://127.0.0.1:9 was asked: --base-url or PADRON_BASE_URL sets the address" in error


def test_a_list_without_a_name_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "list.csv").write_text("city\nQuito\n", encoding="utf-8")
    assert run("match", str(tmp_path / "list.csv")) == 2
    assert run("match", str(tmp_path / "no.csv")) == 2
    assert "has no column `name` or `identifier`" in capsys.readouterr().err


def test_its_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--version") == 0
    assert capsys.readouterr().out == f"{padron_client.__version__}\n"
