"""`make golden`: send the typed queries and those of the test part to the service over HTTP, and score the answers.

    python -m evaluation.run --data var                    start `padron serve` with limits off
    python -m evaluation.run --url http://127.0.0.1:8000   use a running service (of the release of --data)
    … --baselines                                          also the simple rankers, on a sample of the queries
    … --keep                                               keep the result, write docs/reliability.*
    … --part train --misses misses.jsonl                   write the misses to a file; never of the test part

The typed queries come first: their held-out half with the test part, the development half with any other. Those of two
other hands stand beside them; the weights are fitted to these too.

The exit code is 1 when a figure has fallen by more than a point since the last kept result; a bar that is missed is
only printed.
"""

from __future__ import annotations

import argparse
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, nullcontext, suppress
from datetime import UTC, datetime
from functools import partial
from http.client import HTTPConnection
from pathlib import Path
from tempfile import TemporaryFile
from types import MappingProxyType
from urllib.parse import urlencode, urlsplit

from evaluation import baselines
from evaluation.directory import Directory
from evaluation.generate import PER_KIND, SEED, Generator, outsiders_of
from evaluation.names import meaning
from evaluation.names import read as read_name
from evaluation.queries import SPLITS, Query, Split, read_queries
from evaluation.records import Company, read_release, release_id
from evaluation.report import About, keep, last_kept, printed, printed_typed, typed_bars
from evaluation.score import Answer, Answers, Result, fallen, is_asserted, is_found, is_right, report

ROOT = Path(__file__).parents[1]
READ_SINCE = frozenset({"lei", "mx-nra"})
"""Schemes of the companies that the directory holds only since the typed queries were labelled."""
TYPED = Path(__file__).with_name("typed") / "queries"
_START_TIMEOUT = 300
"""Seconds for the service to become ready: it verifies the files of the release, 10 GB for ten million companies."""
_CONNECTIONS = 2
"""Connections that ask at once: more do not help a service with one worker."""


@contextmanager
def served(data: Path, settings: Mapping[str, str] = MappingProxyType({})) -> Iterator[str]:
    """Start a service over `data`, with limits off and `settings`, and yield its address.

    Raises:
        RuntimeError: The service does not become ready; the message is the last line of its log.
    """
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [str(Path(sys.executable).with_name("padron")), "serve", "--data", str(data), "--port", str(port)]
    environment = os.environ | {"PADRON_LIMITS__ENABLED": "0"} | dict(settings)
    with (
        TemporaryFile() as log,
        subprocess.Popen(command, env=environment, stdout=log, stderr=log) as server,  # noqa: S603 - our own command
    ):
        try:
            if not _ready(server, port):
                log.seek(0)
                last = log.read().decode(errors="replace").strip().rpartition("\n")[2]
                raise RuntimeError(f"`padron serve` is not ready: {last}")
            yield f"http://127.0.0.1:{port}"
        finally:
            server.terminate()


def _ready(server: subprocess.Popen[bytes], port: int) -> bool:
    until = time.monotonic() + _START_TIMEOUT
    while time.monotonic() < until and server.poll() is None:
        with closing(HTTPConnection("127.0.0.1", port, timeout=5)) as connection, suppress(OSError):
            connection.request("GET", "/readyz")
            if connection.getresponse().status == 200:
                return True
        time.sleep(0.2)
    return False


def ask(url: str, queries: Sequence[Query], connections: int = _CONNECTIONS) -> Answers:
    """Return the answers of the service at `url`, over persistent connections."""
    shares = [queries[start::connections] for start in range(connections)]
    with ThreadPoolExecutor(connections) as pool:
        answers: dict[str, Answer] = {}
        for share in pool.map(partial(_ask, url), shares):
            answers |= share
    return answers


def _ask(url: str, queries: Sequence[Query]) -> dict[str, Answer]:
    answers = {}
    with closing(HTTPConnection(urlsplit(url).netloc, timeout=60)) as connection:
        for query in queries:
            given = {"q": query.q, "limit": "8"} | ({"country": query.filter} if query.filter else {})
            connection.request("GET", f"/api/public/empresas/search?{urlencode(given)}")
            response = connection.getresponse()
            body = json.loads(response.read())
            if response.status == 200:
                answers[query.id] = _answer(body)
            elif body.get("code") == "natural-person-not-covered":
                answers[query.id] = Answer()
            else:
                raise RuntimeError(f"{response.status} {body.get('code')} for {query.q!r}")
    return answers


def _answer(body: dict[str, list[dict[str, str | float]]]) -> Answer:
    results = tuple(
        Result(str(row["countryCode"]), str(row["identifier"]), float(row["confidence"])) for row in body["results"]
    )
    return Answer(results, tuple(map(str, body["matchHints"])))


def typed_queries(part: Split) -> list[Query]:
    """Return the half of the typed queries that belongs to a part of the generated ones."""
    half = "held-out" if part == "test" else "dev"
    return read_queries((TYPED / f"{half}.jsonl").read_text(encoding="utf-8").splitlines())


def of_other_hands() -> list[Query]:
    """Return the queries typed by two other hands, which are for development."""
    return read_queries((TYPED / "others.jsonl").read_text(encoding="utf-8").splitlines())


def settled(queries: Iterable[Query], companies: Iterable[Company]) -> list[Query]:
    """Return the typed queries whose label holds: not those for nobody with all their words in one name read since."""
    added = [
        (company.country, frozenset(meaning(read_name(company.legal_name, company.country).words)))
        for company in companies
        if company.scheme in READ_SINCE
    ]

    def is_settled(query: Query) -> bool:
        words = set(meaning(read_name(query.q, query.country).words))
        return not query.absent or not any(words <= name and query.filter in {None, country} for country, name in added)

    return list(filter(is_settled, queries))


def misses(queries: Sequence[Query], answers: Answers) -> Iterator[str]:
    """Yield the misses as JSON lines: not first, sure of the wrong company, or not sure of the only right one."""
    for query in queries:
        answer = answers[query.id]
        asserted, right = is_asserted(answer), is_right(query, answer)
        lost = not query.absent and not is_found(query, answer, 1)
        if lost or (asserted and not right) or (query.unique and not asserted):
            yield json.dumps({**query._asdict(), "results": answer.results[:3]}, ensure_ascii=False)


def main() -> int:
    """Generate the queries, send them, score the answers, and report."""
    parser = argparse.ArgumentParser(prog="python -m evaluation.run")
    parser.add_argument("--data", type=Path, default=Path("var"), help="folder of the built release")
    parser.add_argument("--url", help="a running service instead of one started here")
    parser.add_argument("--part", choices=SPLITS, default="test")
    parser.add_argument("--per-kind", type=int, default=PER_KIND, help="queries per country and kind, over all parts")
    parser.add_argument("--outsiders", type=Path, default=ROOT / "data/official/us/gleif", help="folder of GLEIF files")
    parser.add_argument("--baselines", action="store_true", help="also score the simple rankers")
    parser.add_argument("--keep", action="store_true", help="keep the result and write docs/reliability.*")
    parser.add_argument("--misses", type=Path, help="file for the misses; not for the test part")
    options = parser.parse_args()
    if options.part == "test" and options.misses:
        parser.error("the misses of the test part are never looked at: use --part train")

    companies = read_release(options.data)
    with served(options.data) if not options.url else nullcontext(options.url) as url:
        generator = Generator(
            Directory(companies), per_kind=options.per_kind, outsiders=outsiders_of(options.outsiders)
        )
        queries = [query for query in generator.queries() if query.split == options.part]
        generator.check(queries)
        labelled = typed_queries(options.part)
        typed, others = settled(labelled, companies), settled(of_other_hands(), companies)
        answers = ask(url, [*typed, *others, *queries])
    rows = []
    if options.baselines:
        some = baselines.sample(queries)
        rows = baselines.compare(some, companies, answers)
        print(f"{baselines.table(rows)}\n")
        for sign in baselines.too_easy(rows):
            print(f"the set is too easy: {sign}")
    print(f"{len(labelled) - len(typed)} typed queries for nobody left out: a company read since may have the name")
    about = About(datetime.now(UTC).date().isoformat(), release_id(options.data), options.part, SEED, options.per_kind)
    print(printed_typed("typed by two other hands, for development", others, answers, about))
    return _report(typed, queries, answers, rows, about, options)


def _report(
    typed: Sequence[Query],
    queries: Sequence[Query],
    answers: Answers,
    rows: list[baselines.Row],
    about: About,
    options: argparse.Namespace,
) -> int:
    made = report(queries, answers)
    print(printed_typed("typed by hand", typed, answers, about))
    print(printed(made, about))
    if options.misses:
        options.misses.write_text(
            "".join(f"{line}\n" for line in misses([*typed, *queries], answers)), encoding="utf-8"
        )
    if options.part != "test":
        return 0
    before = last_kept(ROOT / "benchmarks/results", about)
    worse = fallen(made.names, before["names"]) if before else []
    for fall in worse:
        print(f"fallen since the last kept result: {fall}")
    if options.keep:
        keep(made, about, rows, ROOT / "benchmarks/results", ROOT / "docs", typed_bars(typed, answers))
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main())
