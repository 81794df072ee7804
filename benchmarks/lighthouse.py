"""Lighthouse scores of one page of each kind that strangers come to, beside an empty page.

    python benchmarks/lighthouse.py [--data var] [--rounds 3]

One worker serves the release; Debian's Chromium is driven by the Lighthouse of tests/web/tools under the Node it comes
with, once for a phone and its slow network (Lighthouse's default). Rounds of all pages alternate; the median score of
each category counts. The empty page shows the share of the machine: performance is met where it is 97 or within 3
points of that page; the bar of the others is 100, without the rule against `noindex` on results and financials, which
no search engine shall list. Chromium now and then leaves the start of a page out of its trace: Lighthouse refuses such
a trace (NO_NAVSTART), and the audit is asked again. Results: benchmarks/results/lighthouse-<date>.json.
"""

from __future__ import annotations

import argparse
import http.server
import json
import os
import shutil
import statistics
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from kept import keep
from serving import running

TOOLS = Path(__file__).parents[1] / "tests" / "web" / "tools" / "node_modules"
BAR = 97
ATTEMPTS = 3
CATEGORIES = ("performance", "accessibility", "best-practices", "seo")
PAGES = {
    "home": "/en",
    "results": "/en/search?q=petrobras",
    "company": "/en/companies/br/33000167000101",
    "financials": "/en/companies/us/1045810/financials",
    "directory": "/en/directory/co",
    "documentation": "/en/docs/fields",
    "api": "/en/api",
    "plans": "/en/plans",
}
UNLISTED = {"results", "financials"}
"""Pages that no search engine shall list: they break the rule `is-crawlable` on purpose."""
CONSTANT = b"""<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport"
content="width=device-width"><title>Constant</title><meta name="description" content="A page that says nothing.">
<link rel="icon" href="data:,"></head><body><main><h1>Constant</h1></main></body></html>"""


class Constant(http.server.BaseHTTPRequestHandler):
    """Answers everything with the constant page."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/html; charset=utf-8")
        self.send_header("content-length", str(len(CONSTANT)))
        self.end_headers()
        self.wfile.write(CONSTANT)

    def log_message(self, *message: object) -> None:
        """Log nothing."""


@contextmanager
def constant() -> Iterator[str]:
    """The address of the constant page, as long as it is served."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Constant)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()


def node() -> Path:
    """The Node of the tools: Debian's is too old for Lighthouse."""
    return next(TOOLS.glob("node-linux-*/bin/node"))


def audit(url: str, chromium: str) -> dict[str, Any]:
    """Scores of 0 to 100 by category, and what fell short of the full mark in all but performance."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.json")
        flags = "--headless=new --no-sandbox --disable-gpu"
        command = [str(node()), str(TOOLS / "lighthouse" / "cli" / "index.js"), url, "--quiet", "--output=json"]
        options = [f"--output-path={report}", f"--chrome-flags={flags}", f"--only-categories={','.join(CATEGORIES)}"]
        environment = os.environ | {"CHROME_PATH": chromium}
        for _ in range(ATTEMPTS):
            ran = subprocess.run(
                [*command, *options], env=environment, stderr=subprocess.PIPE, timeout=180, check=False
            )
            if b"NO_NAVSTART" not in ran.stderr:
                break
        if ran.returncode:
            raise SystemExit(ran.stderr.decode())
        audited = json.loads(report.read_text("utf-8"))
    short = [
        f"{name}: {item['id']}"
        for name in CATEGORIES[1:]
        for item in audited["categories"][name]["auditRefs"]
        if item["weight"] and (score := audited["audits"][item["id"]]["score"]) is not None and score < 1
    ]
    scores = {name: round(100 * audited["categories"][name]["score"]) for name in CATEGORIES}
    return {"scores": scores, "short": short}


def run(data: Path, rounds: int, chromium: str) -> dict[str, Any]:
    """Median of each score, and whether the bars are met."""
    with running("service", data) as service, constant() as nothing:
        urls = {"constant": nothing} | {name: f"http://127.0.0.1:{service.port}{path}" for name, path in PAGES.items()}
        seen = [{name: audit(url, chromium) for name, url in urls.items()} for _ in range(rounds)]
    middle = {
        name: {
            category: statistics.median(scores[name]["scores"][category] for scores in seen) for category in CATEGORIES
        }
        | {"short": sorted({short for scores in seen for short in scores[name]["short"]})}
        for name in urls
    }
    fast = min(BAR, middle["constant"]["performance"] - 3)
    return {
        "rounds": rounds,
        "pages": middle,
        "met": {
            name: middle[name]["performance"] >= fast
            and middle[name]["short"] == ["seo: is-crawlable"] * (name in UNLISTED)
            for name in PAGES
        },
    }


def main() -> None:
    """Measure, print a table, keep the result."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--data", type=Path, default=Path("var"))
    options.add_argument("--rounds", type=int, default=3)
    given = options.parse_args()
    chromium = shutil.which("chromium")
    if not chromium:
        raise SystemExit("This benchmark needs Chromium: apt-get install chromium")
    result = run(given.data, given.rounds, chromium)
    for name, scores in result["pages"].items():
        print(f"{name:10}", *(f"{category} {scores[category]:.0f}" for category in CATEGORIES), *scores["short"])
    keep("lighthouse", result)


if __name__ == "__main__":
    main()
