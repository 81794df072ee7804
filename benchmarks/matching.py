"""Speed and memory of matching a list, and whether a run that is killed loses rows.

    python benchmarks/matching.py [--rows 100000] [--data var] [--kills 10] [--typed]

The list holds companies of the release: legal name and country, or, `--typed`, what people type of them (lower case,
without accents, without the legal form, cut short, a letter lost, the number instead). All are different companies up
to the size of the release; beyond it they are drawn again and again, and equal rows of a clean list share work.
`padron match` is killed (SIGKILL, all its processes) at random moments and started again; then every row of the output
is compared with the list. Processor time counts all processes and all runs, so it compares runs on a shared machine;
memory is the private memory of the main process and of the largest other one, at its highest. Results:
benchmarks/results/matching-<rows>[-typed]-<date>.json.
"""

from __future__ import annotations

import argparse
import csv
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from kept import keep

from padron import config
from padron.countries import REGISTRY
from padron.directory import Directory, run
from padron.text import fold, split_form

_EVERY = 0.1
_SAMPLE = 1 << 16


class Known(NamedTuple):
    """A company of the release."""

    country: str
    name: str
    identifier: str


async def drawn(directory: Directory, count: int, chance: random.Random) -> list[Known]:
    """Return so many different companies of the release, or all of them."""
    parts = enumerate(directory.parts())
    held = [
        (country, entry.identifier)
        for number, country in parts
        async for page in directory.part(number)
        for entry in page
    ]
    return [
        Known(country, (await directory.get(country, identifier, "en")).record.legal_name, identifier)
        for country, identifier in chance.sample(held, min(count, len(held)))
    ]


def typed(company: Known, chance: random.Random) -> str:
    """Return what somebody might type for a company."""
    name = fold(company.name)
    core = " ".join(split_form(company.name, REGISTRY[company.country].forms).core)
    at = chance.randrange(len(name))
    return chance.choice(
        (name, core, core[: max(6, len(core) * 3 // 4)], name[:at] + name[at + 1 :], company.identifier)
    )


def processes(parent: int) -> Iterator[int]:
    """The ids of a process and of those that it started."""
    yield parent
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            if int(path.read_text().rpartition(")")[2].split()[1]) == parent:
                yield int(path.parent.name)
        except OSError:
            continue


def private_memory(process: int) -> int:
    """KiB of memory that a process shares with no other; 0 where it has ended."""
    try:
        lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) for line in lines if line.startswith("Private_"))


def processor_time(process: int) -> float:
    """Seconds of the processor that a process has taken; 0 where it has ended."""
    try:
        user, system = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[11:13]
    except OSError:
        return 0.0
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


class Run:
    """All runs of one list, with the time and memory that they take."""

    def __init__(self, source: Path, target: Path, data: Path) -> None:
        self._command = [
            sys.executable,
            "-m",
            "padron.cli.app",
            "match",
            str(source),
            "-o",
            str(target),
            "--data",
            str(data),
        ]
        self._results = target.with_name(f"{target.name}.work") / "results.jsonl"
        self.processor = self.seconds = 0.0
        self.main_memory: list[int] = []
        self.other_memory: list[int] = []

    def _done(self) -> float:
        """Rows with results, by the length of the first ones."""
        if not self._results.exists():
            return 0.0
        with self._results.open("rb") as file:
            first = file.read(_SAMPLE)
        return self._results.stat().st_size * first.count(b"\n") / (first.rfind(b"\n") + 1 or 1)

    def until(self, rows: float | None) -> int | None:
        """Run until about so many rows are done and kill, or to the end; return the exit code, None if killed."""
        began = time.perf_counter()
        process = subprocess.Popen(self._command, stdout=subprocess.DEVNULL)
        while True:
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
            if pid:
                process.returncode = os.waitstatus_to_exitcode(status)
                self.processor += usage.ru_utime + usage.ru_stime
                break
            family = list(processes(process.pid))
            self.main_memory.append(private_memory(process.pid))
            self.other_memory.append(max(map(private_memory, family[1:]), default=0))
            if rows is not None and self._done() >= rows:
                self.processor += sum(map(processor_time, family))
                for member in family:
                    os.kill(member, signal.SIGKILL)
                _, status, _ = os.wait4(process.pid, 0)
                process.returncode = os.waitstatus_to_exitcode(status)
                break
            time.sleep(_EVERY)
        self.seconds += time.perf_counter() - began
        return process.returncode if process.returncode >= 0 else None

    def at(self, share: float) -> int:
        """MiB of the main process at a share of the time."""
        return self.main_memory[int(share * (len(self.main_memory) - 1))] >> 10


def compare(rows: list[Known], target: Path) -> dict[str, object]:
    """Return the verdicts, the rows that are lost or out of place, and those asserted to be another company."""
    verdicts: Counter[str] = Counter()
    misplaced, other = 0, 0
    with target.open(encoding="utf-8", newline="") as file:
        answers = csv.DictReader(file)
        for at, (row, answer) in enumerate(zip(rows, answers, strict=True)):
            verdicts[answer["padron_verdict"]] += 1
            misplaced += answer["n"] != str(at)
            company = (answer["padron_country"], answer["padron_identifier"])
            other += answer["padron_verdict"] == "found" and company != (row.country, row.identifier)
    return {"verdicts": verdicts, "misplaced": misplaced, "found_other": other}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--data", type=Path, default=Path("var"))
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--typed", action="store_true")
    arguments = parser.parse_args()
    chance = random.Random(19)
    directory = run(Directory.open(arguments.data, REGISTRY, config.load().base_url))
    companies = run(drawn(directory, arguments.rows, chance))
    rows = companies + [chance.choice(companies) for _ in range(arguments.rows - len(companies))]
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, "list.csv"), Path(folder, "matched.csv")
        with source.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(("n", "Country", "Company"))
            for at, row in enumerate(rows):
                writer.writerow((at, row.country, typed(row, chance) if arguments.typed else row.name))
        matching = Run(source, target, arguments.data)
        kills = 0
        for share in sorted(chance.random() for _ in range(arguments.kills)):
            if target.exists():
                break
            kills += matching.until(share * arguments.rows) is None
        code = matching.until(None) if not target.exists() else 0
        assert code == 0, code
        result = {
            "rows": arguments.rows,
            "list": "typed" if arguments.typed else "legal name and country",
            "different_companies": len(companies),
            "release": directory.release,
            "kills": kills,
            "seconds": round(matching.seconds, 1),
            "processor_seconds": round(matching.processor, 1),
            "rows_per_processor_second": round(arguments.rows / matching.processor),
            "main_memory_mib": {
                "a_tenth": matching.at(0.1),
                "half": matching.at(0.5),
                "highest": max(matching.main_memory) >> 10,
            },
            "other_memory_mib": max(matching.other_memory) >> 10,
            **compare(rows, target),
        }
    print(keep(f"matching-{arguments.rows}{'-typed' if arguments.typed else ''}", result))


if __name__ == "__main__":
    main()
