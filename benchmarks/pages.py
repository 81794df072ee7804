"""How fast a company's page is answered, how much it weighs, and what Lighthouse says of the main pages.

    python benchmarks/pages.py [--data var] [--pages 2000] [--runs 5] [--no-lighthouse]

One worker serves the current release. A client on one kept-alive connection asks in turns for a constant page of that
server (/healthz) and for the page of a company it has not asked for yet, compressed: the difference of the medians is
what the page costs. The weight is all that a first view transfers (page, styles, scripts, letters, icon), compressed.
Lighthouse (median of `runs`) judges home, results, a company, and a page that never changes on a server of its own: its
performance tells what this machine makes of any page. Results: benchmarks/results/pages-<date>.json.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from statistics import median
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
RESULTS = Path(__file__).with_name("results")
TOOLS = ROOT / "tests" / "web" / "tools" / "node_modules"
PORT = 8790
BASE = f"http://127.0.0.1:{PORT}"
ACCEPT = {"Accept-Encoding": "gzip, deflate, br, zstd"}
CATEGORIES = ("performance", "accessibility", "best-practices", "seo")
JUDGED = {"home": "/es", "results": "/es/buscar?q=petrobras", "company": "/es/empresas/br/33000167000101"}
CONSTANT = b"""<!doctype html><html lang="es"><head><meta charset="utf-8"><title>Constante</title>
<meta name="viewport" content="width=device-width"><meta name="description" content="Siempre igual."></head>
<body><main><h1>Constante</h1><p>Siempre igual.</p></main></body></html>"""


@contextmanager
def served(data: Path) -> Iterator[None]:
    """The service over `data`, in a process of its own."""
    environment = os.environ | {"PADRON_BASE_URL": BASE, "PADRON_LIMITS__ENABLED": "0", "PYTHONPATH": str(ROOT / "src")}
    command = [sys.executable, "-m", "padron.cli", "serve", "--data", str(data), "--port", str(PORT)]
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)
    try:
        for _ in range(600):
            try:
                urllib.request.urlopen(f"{BASE}/readyz", timeout=2).close()
                break
            except OSError:
                time.sleep(0.1)
        yield
    finally:
        process.terminate()
        process.wait(20)


class _Constant(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200 if self.path == "/" else 404)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(CONSTANT)))
        self.end_headers()
        self.wfile.write(CONSTANT)

    def log_message(self, *_: object) -> None:
        """Nothing."""


def companies(count: int) -> list[str]:
    """Pages of that many companies, drawn by a seed from the sitemaps."""
    index = urllib.request.urlopen(f"{BASE}/sitemap.xml").read().decode()
    found: list[str] = []
    for url in re.findall(r"<loc>([^<]+)</loc>", index):
        if "/es/" in url and "pages" not in url:
            found += re.findall(r"<loc>http://[^/]+([^<]+)</loc>", urllib.request.urlopen(url).read().decode())
    return random.Random("pages").sample(found, count)


def timed(connection: HTTPConnection, path: str) -> tuple[float, int]:
    """Milliseconds until the whole answer is there, and its bytes."""
    began = time.perf_counter()
    connection.request("GET", path, headers=ACCEPT)
    response = connection.getresponse()
    body = response.read()
    assert response.status == 200, (path, response.status)
    return (time.perf_counter() - began) * 1000, len(body)


def answered(pages: list[str]) -> dict[str, Any]:
    """Times of company pages and of the constant page, in turns."""
    connection = HTTPConnection("127.0.0.1", PORT)
    for path in pages[:100]:
        timed(connection, path)
    constant, company, sizes = [], [], []
    for path in pages:
        constant.append(timed(connection, "/healthz")[0])
        taken, size = timed(connection, path)
        company.append(taken)
        sizes.append(size)
    return {
        "constant_ms_p50": round(median(constant), 3),
        "company_ms_p50": round(median(company), 3),
        "company_ms_p99": round(sorted(company)[len(company) * 99 // 100], 3),
        "above_constant_ms_p50": round(median(company) - median(constant), 3),
        "page_bytes_p50": int(median(sizes)),
        "page_bytes_most": max(sizes),
    }


def weight(page: str) -> dict[str, int]:
    """Bytes of a first view by file, compressed as sent, and their sum."""
    connection = HTTPConnection("127.0.0.1", PORT)
    html = urllib.request.urlopen(BASE + page).read().decode()
    files = dict.fromkeys(re.findall(r'(?:href|src)="(/static/[^"]+)"', html))
    found = {"page": timed(connection, page)[1]} | {file.split("/")[-1]: timed(connection, file)[1] for file in files}
    return found | {"sum": sum(found.values())}


def judged(url: str, runs: int) -> dict[str, float]:
    """The median of what Lighthouse gives a page, by category, out of 100."""
    node = next(TOOLS.glob("node-linux-*/bin/node"))
    scores: dict[str, list[float]] = {category: [] for category in CATEGORIES}
    for _ in range(runs):
        with tempfile.TemporaryDirectory() as folder:
            report = Path(folder) / "report.json"
            subprocess.run(
                [
                    str(node),
                    str(TOOLS / "lighthouse" / "cli" / "index.js"),
                    url,
                    "--quiet",
                    "--output=json",
                    f"--output-path={report}",
                    f"--only-categories={','.join(CATEGORIES)}",
                    "--chrome-flags=--headless=new --no-sandbox --disable-gpu",
                ],
                env=os.environ | {"CHROME_PATH": str(shutil.which("chromium"))},
                check=True,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            categories = json.loads(report.read_text())["categories"]
        for category in CATEGORIES:
            scores[category].append(categories[category]["score"] * 100)
    return {category: median(found) for category, found in scores.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=ROOT / "var")
    parser.add_argument("--pages", type=int, default=2000)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--no-lighthouse", action="store_true")
    options = parser.parse_args()
    date = datetime.now(UTC).date().isoformat()
    result: dict[str, Any] = {"date": date, "machine": f"{os.cpu_count()} cores, {platform.machine()}"}
    with served(options.data):
        result["answered"] = answered(companies(options.pages))
        result["first_view_bytes"] = weight(JUDGED["company"])
        if not options.no_lighthouse:
            constant = ThreadingHTTPServer(("127.0.0.1", PORT + 1), _Constant)
            threading.Thread(target=constant.serve_forever, daemon=True).start()
            addresses = {"constant": f"http://127.0.0.1:{PORT + 1}/"} | {name: BASE + at for name, at in JUDGED.items()}
            result["lighthouse"] = {name: judged(url, options.runs) for name, url in addresses.items()}
            constant.shutdown()
    print(json.dumps(result, indent=1))
    (RESULTS / f"pages-{date}.json").write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
