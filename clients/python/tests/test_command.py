"""`padron-client`: what it prints, its exit codes, and that it takes no key from the line."""

from __future__ import annotations

import json

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
    assert run("search", "petrobras") == 2
    assert "PADRON_API_KEY" in capsys.readouterr().err


@pytest.mark.parametrize(
    "line", [[], ["search"], ["find", "x"], ["search", "x", "--api-key", KEY], ["search", "x", "--limit", "a"]]
)
def test_a_wrong_line_is_refused(line: list[str]) -> None:
    assert run(*line) == 2


def test_its_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--version") == 0
    assert capsys.readouterr().out == f"{padron_client.__version__}\n"
