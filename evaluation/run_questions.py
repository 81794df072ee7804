"""`make golden`, second half: send the labelled questions to agentic search over HTTP, and score the answers.

    python -m evaluation.run_questions --data var    all halves, and the names of the golden set to both searches
    … --per-kind 40                                  fewer names: queries per country and kind, as in evaluation.run
    … --keep                                         keep the result
    … --misses misses.jsonl                          write the misses of the development half to a file

The exit code is 1 when the held-out half has fallen by more than a point since the last kept result.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from http.client import HTTPConnection
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple
from urllib.parse import urlencode, urlsplit

from evaluation import labelled_texts
from evaluation.directory import Directory
from evaluation.generate import PER_KIND, Generator, outsiders_of
from evaluation.intervals import of_share
from evaluation.labelled_questions import (
    OTHERS,
    PARTS,
    TYPED,
    Facts,
    Question,
    Record,
    Reply,
    Score,
    facts,
    is_right,
    precision,
    read,
    read_folder,
    score,
)
from evaluation.queries import Query, is_identifier
from evaluation.records import read_release, release_id
from evaluation.report import Bar
from evaluation.run import ROOT, served
from evaluation.score import THRESHOLD

RESULTS = ROOT / "benchmarks/results"
HELD_OUT = PARTS[1]
TEXTS = {part: f"texts, {part}" for part in PARTS}
"""Names of the parts of the texts in figures."""
LEAST_PRECISION = 0.9
"""Bar of the precision of lists."""
_PASSWORD = "una frase larga para medir"  # noqa: S105 - of an account that lives as long as the measurement
_ADDRESS = "golden@example.org"


class Plain(NamedTuple):
    """Figures of plain names: asked, right first result, asserted, and asserted rightly."""

    asked: int
    first: int
    asserted: int
    rightly: int


@contextmanager
def keyed(data: Path) -> Iterator[tuple[str, dict[str, str]]]:
    """Start a service over `data`; yield its address and the header fields with the key of a temporary account."""
    with TemporaryDirectory() as folder:
        accounts = {"PADRON_ACCOUNTS__URL": f"sqlite:///{folder}/accounts.sqlite"}
        command = [str(Path(sys.executable).with_name("padron")), "accounts", "create", _ADDRESS, "--data", str(data)]
        environment = os.environ | accounts
        subprocess.run(  # noqa: S603 - our own command
            command, input=f"{_PASSWORD}\n", env=environment, text=True, check=True, stdout=subprocess.DEVNULL
        )
        with served(data, accounts) as url, closing(HTTPConnection(urlsplit(url).netloc, timeout=60)) as connection:
            session = _post(connection, "/api/account/session", {"email": _ADDRESS, "password": _PASSWORD}, {})
            key = _post(connection, "/api/account/keys", {"name": "golden"}, {"cookie": session.cookie}).body["apiKey"]
            yield url, {"authorization": f"Bearer {key}", "apikey": key}


class _Posted(NamedTuple):
    body: dict[str, Any]
    cookie: str


def _post(connection: HTTPConnection, path: str, body: dict[str, str], headers: dict[str, str]) -> _Posted:
    connection.request("POST", path, json.dumps(body), {"content-type": "application/json", **headers})
    response = connection.getresponse()
    read_body = response.read()
    if response.status >= 300:
        raise RuntimeError(f"{response.status} for {path}: {read_body.decode()}")
    return _Posted(json.loads(read_body), (response.headers["set-cookie"] or "").partition(";")[0])


def _get(connection: HTTPConnection, path: str, given: dict[str, str], headers: dict[str, str]) -> dict[str, Any]:
    connection.request("GET", f"{path}?{urlencode(given)}", headers=headers)
    response = connection.getresponse()
    body: dict[str, Any] = json.loads(response.read())
    if response.status == 404 and body.get("code") == "natural-person-not-covered":
        return {"verdict": "not_found", "results": [], "companies": []}
    if response.status != 200:
        raise RuntimeError(f"{response.status} {body.get('code')} for {given['q']!r}")
    return body


def ask(connection: HTTPConnection, headers: dict[str, str], questions: Sequence[Question]) -> dict[str, Reply]:
    """Return the replies of agentic search."""
    return {
        question.id: _reply(_get(connection, "/api/v1/search", {"q": question.q}, headers)) for question in questions
    }


def _reply(body: dict[str, Any]) -> Reply:
    parts = tuple(_reply(part | {"companies": []}) for part in body["companies"])
    records = tuple((row["countryCode"], row["identifier"]) for row in body["results"])
    return Reply(body["verdict"], records, parts, body.get("interpretation", {}).get("intent") == "list")


def plain_names(connection: HTTPConnection, headers: dict[str, str], queries: Sequence[Query]) -> dict[str, Plain]:
    """Send names without a question around them to both searches."""
    figures = {}
    for name, path, fields in (("public", "/api/public/empresas/search", {}), ("agentic", "/api/v1/search", headers)):
        answers = []
        for query in queries:
            given = {"q": query.q} | ({"country": query.filter} if query.filter else {})
            answers.append((query, _get(connection, path, given, fields)["results"]))
        figures[name] = Plain(
            len(answers),
            sum(bool(results) and _record(results[0]) in query.expected for query, results in answers),
            sum(_sure(results) for _, results in answers),
            sum(_sure(results) and _record(results[0]) in query.meant for query, results in answers),
        )
    return figures


def _record(result: dict[str, Any]) -> Record:
    return result["countryCode"], result["identifier"]


def _sure(results: list[dict[str, Any]]) -> bool:
    return bool(results) and (results[0]["confidence"] or 0) >= THRESHOLD


def golden_names(data: Path, per_kind: int) -> list[Query]:
    """Return the name queries of the golden set's test part."""
    generator = Generator(
        Directory(read_release(data)), per_kind=per_kind, outsiders=outsiders_of(ROOT / "data/official/us/gleif")
    )
    return [query for query in generator.queries() if query.split == "test" and not is_identifier(query.kind)]


def printed(scores: dict[str, Score], plain: dict[str, Plain]) -> str:
    """Format the run for a terminal."""
    lines = [f"{'questions':16}{'asked':>7}{'right':>9}{'wrong':>7}{'denied':>8}{'lists':>7}{'precision@8':>13}"]
    for part, some in scores.items():
        lines.append(
            f"{part:16}{some.asked:>7}{some.right / some.asked:>9.4f}{some.wrongly_asserted:>7}{some.denied:>8}"
            f"{some.lists:>7}{some.precision or 0:>13.4f}"
        )
    held = scores[HELD_OUT]
    lines += [
        Bar(name, value, bar, least, interval).line
        for name, value, bar, least, interval in (
            ("right", held.right / held.asked, 0.95, True, of_share(held.right, held.asked)),
            (
                "wrongly asserted",
                held.wrongly_asserted / held.asked,
                0.01,
                False,
                of_share(held.wrongly_asserted, held.asked),
            ),
            ("denied although held", held.denied / held.held, 0.005, False, of_share(held.denied, held.held)),
            ("precision of lists", held.precision or 0, LEAST_PRECISION, True, None),
        )
    ]
    lines += ["", f"{'plain names':12}{'asked':>7}{'first':>9}{'sure':>7}{'sure, right':>13}"]
    lines += [
        f"{name:12}{some.asked:>7}{some.first / some.asked:>9.4f}{some.asserted:>7}{some.rightly:>13}"
        for name, some in plain.items()
    ]
    return "\n".join(lines)


def _misses(
    questions: Sequence[Question], replies: dict[str, Reply], group: dict[Record, str], known: dict[Record, Facts]
) -> Iterator[str]:
    for question in questions:
        reply = replies[question.id]
        poor = question.criteria is not None and precision(question, reply, known) < LEAST_PRECISION
        if poor or not is_right(question, reply, group):
            yield json.dumps({**question._asdict(), "reply": reply}, ensure_ascii=False)


def _fallen(held: Score) -> bool:
    """Return whether the held-out half is more than a point worse than in the last kept result."""
    kept = sorted(RESULTS.glob("questions-*.json"))
    if not kept:
        return False
    before = json.loads(kept[-1].read_text(encoding="utf-8"))[HELD_OUT]
    return bool(round(before["right"] / before["asked"] - held.right / held.asked, 6) > 0.01)


def _keep(scores: dict[str, Score], plain: dict[str, Plain], release: str) -> None:
    today = datetime.now(UTC).date().isoformat()
    parts = {part: some._asdict() for part, some in scores.items()}
    names = {name: some._asdict() for name, some in plain.items()}
    made = {"date": today, "release": release, **parts, "plain": names}
    (RESULTS / f"questions-{today}.json").write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")


def main() -> int:
    """Send the questions, score the replies, and report."""
    parser = argparse.ArgumentParser(prog="python -m evaluation.run_questions")
    parser.add_argument("--data", type=Path, default=Path("var"), help="folder of the built release")
    parser.add_argument(
        "--per-kind", type=int, default=PER_KIND, help="plain names per country and kind, over all parts"
    )
    parser.add_argument("--keep", action="store_true", help="keep the result")
    parser.add_argument("--misses", type=Path, help="file for the misses of the development half")
    options = parser.parse_args()
    group = {company.key: company.group for company in read_release(options.data)}
    known = facts(options.data)
    questions = {part: read(part) for part in PARTS} | {OTHERS: read_folder(TYPED, OTHERS)}
    questions |= {TEXTS[part]: labelled_texts.read_questions(part) for part in PARTS}
    names = golden_names(options.data, options.per_kind)
    with (
        keyed(options.data) as (url, headers),
        closing(HTTPConnection(urlsplit(url).netloc, timeout=60)) as connection,
    ):
        replies = {part: ask(connection, headers, some) for part, some in questions.items()}
        plain = plain_names(connection, headers, names)
    scores = {part: score(some, replies[part], group, known) for part, some in questions.items()}
    print(printed(scores, plain))
    if options.misses:
        dev = (PARTS[0], TEXTS[PARTS[0]])
        lines = chain.from_iterable(_misses(questions[part], replies[part], group, known) for part in dev)
        options.misses.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    fallen = _fallen(scores[HELD_OUT])
    if fallen:
        print("fallen since the last kept result: the held-out questions")
    if options.keep:
        _keep(scores, plain, release_id(options.data))
    return 1 if fallen else 0


if __name__ == "__main__":
    sys.exit(main())
