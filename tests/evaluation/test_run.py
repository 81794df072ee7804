"""The harness against the real service over the bundled release."""

from __future__ import annotations

import json
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

import pytest
from evaluation import run
from evaluation.records import read_release, release_id
from evaluation.score import Answer, is_found, is_right

from padron.releases import snapshot
from scored import ANSWERS, QUERIES, query


def test_records_are_those_of_the_release(release):
    companies = read_release(release)
    known = snapshot.read_release(release, release_id(release))
    assert len(companies) == known.coverage["total"]
    apple = next(company for company in companies if company.key == ("US", "320193"))
    assert (apple.scheme, apple.legal_name) == ("us-cik", "Apple Inc.")
    assert ("ticker", "AAPL") in apple.names
    groups = {}
    for company in companies:
        groups.setdefault(company.group, set()).add(company.key)
    linked = {key for members in groups.values() if len(members) > 1 for key in members}
    assert linked == set(known.links)


def test_the_service_is_asked_over_http(release):
    asked = [
        query("name", meant="320193", expected=["320193"], country="US")._replace(q="Apple Inc.", filter="US"),
        query("number", meant="320193", expected=["320193"], country="US")._replace(q="CIK 320193", filter=None),
        query("nobody")._replace(q="Zyxwvut Qrstuv Ponmlk", filter="BR"),
    ]
    with run.served(release) as url:
        answers = run.ask(url, asked)
    assert is_found(asked[0], answers["name"], 1)
    assert is_right(asked[0], answers["name"])
    assert answers["name"].results[0].confidence < 1.0
    assert answers["number"].results[0].confidence == 1.0
    assert answers["nobody"].results == ()
    assert answers["nobody"].hints


class _Broken(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        status, code = (404, "natural-person-not-covered") if "q=person" in self.path else (503, "not-ready")
        body = json.dumps({"code": code}).encode()
        self.send_response(status)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def test_an_error_is_no_answer_but_a_persons_number_is():
    server = HTTPServer(("127.0.0.1", 0), _Broken)
    Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}"
    try:
        assert run.ask(url, [QUERIES[0]._replace(id="p", q="person")]) == {"p": Answer()}
        with pytest.raises(RuntimeError, match="503 not-ready"):
            run.ask(url, [QUERIES[0]])
    finally:
        server.shutdown()
        server.server_close()


def test_a_service_that_does_not_start_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr(run, "_START_TIMEOUT", 3)
    with pytest.raises(RuntimeError, match="not ready"), run.served(tmp_path / "nothing"):
        pass


def test_misses():
    missed = [json.loads(line) for line in run.misses(QUERIES, ANSWERS)]
    assert [row["q"] for row in missed] == ["namesake", "second", "absent, matched"]
    assert missed[1]["results"] == [["EC", "y", 0.5], ["EC", "d", 0.4]]


def test_nobody_looks_at_the_test_part(monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["run", "--misses", "x.jsonl"])
    with pytest.raises(SystemExit):
        run.main()
    assert "never looked at" in capsys.readouterr().err
