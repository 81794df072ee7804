"""A long list, killed many times and resumed: no row is lost or twice, and each has its own company."""

from __future__ import annotations

import csv
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from padron.directory import Directory, run
from padron.lists.rows import ListRow

pytestmark = pytest.mark.endurance

ROWS = 20_000
KILLS = 10
NOT_FOUND = "Zzyzx Qwrtp"


async def companies(directory: Directory, count: int, chance: random.Random) -> list[tuple[str, str, str]]:
    """Country, legal name and identifier of some companies."""
    parts = enumerate(directory.parts())
    held = [
        (country, entry.identifier)
        for number, country in parts
        async for page in directory.part(number)
        for entry in page
    ]
    return [
        (country, (await directory.get(country, identifier, "en")).record.legal_name, identifier)
        for country, identifier in chance.sample(held, count)
    ]


def start(source: Path, target: Path, data: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [
            sys.executable,
            "-m",
            "padron.cli.app",
            "match",
            str(source),
            "-o",
            str(target),
            "--json",
            "--data",
            str(data),
        ],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def finished(process: subprocess.Popen[bytes], target: Path, rows: int) -> bool:
    """Return whether a run ended before so many results were there."""
    results = target.with_name(f"{target.name}.work") / "results.jsonl"
    while process.poll() is None:
        if results.exists() and results.stat().st_size and results.read_bytes().count(b"\n") >= rows:
            return False
        time.sleep(0.02)
    return True


def test_a_list_that_is_killed_again_and_again(release: Path, directory: Directory, tmp_path: Path) -> None:
    chance = random.Random(19)
    known = run(companies(directory, ROWS // 2, chance))
    rows = [chance.choice(known) for _ in range(ROWS - 2)] + [("", NOT_FOUND, "")] * 2
    chance.shuffle(rows)
    source, target = tmp_path / "in.csv", tmp_path / "out.csv"
    with source.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(
            [("n", "Country", "Company"), *((at, row[0], row[1]) for at, row in enumerate(rows))]
        )
    moments = sorted(chance.sample(range(1, ROWS - 2_000), KILLS))
    for moment in moments:
        process = start(source, target, release)
        assert not finished(process, target, moment), process.communicate()
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        assert not target.exists()
    process = start(source, target, release)
    _, errors = process.communicate()
    assert (process.returncode, errors) == (0, b"")
    with target.open(encoding="utf-8", newline="") as file:
        answers = list(csv.DictReader(file))
    assert [answer["n"] for answer in answers] == [str(at) for at in range(ROWS)]
    wrong = [
        (answer["Company"], answer["padron_identifier"])
        for answer, (country, _, identifier) in zip(answers, rows, strict=True)
        if answer["padron_verdict"] == "found"
        and (answer["padron_country"], answer["padron_identifier"]) != (country, identifier)
    ]
    print(f"{len(wrong)} of {ROWS} rows are asserted to be another company: {wrong[:5]}")
    assert len(wrong) <= ROWS * 0.001
    assert sum(answer["padron_verdict"] == "not_found" for answer in answers) == 2


def test_rows_are_answered_as_searches(directory: Directory) -> None:
    chance = random.Random(5)
    for country, name, identifier in run(companies(directory, 5_000, chance)):
        cut = name[: chance.randrange(3, len(name) + 1)] if len(name) > 3 else name
        text = chance.choice((name, cut, name.lower(), identifier))
        cells = {"identifier": text} if text == identifier else {"name": text}
        row = run(directory.match(ListRow(country=country, **cells), "en"))
        answer = run(directory.search(text, country=country, limit=8, language="en"))
        assert (row.company if row.verdict == "found" else None) == answer.best_match, (country, text)
