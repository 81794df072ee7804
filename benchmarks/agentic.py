"""Times of agentic search in process, by kind of question, and the cost of hostile text.

    python benchmarks/agentic.py [--data var] [--rounds 3]

One thread asks the labelled questions of the development set, each once per round, without any cache; HTTP and
encoding are not included. `clock` is the time that a caller waits, `cpu` the processor time of this thread, which is
more reliable on a shared machine. The best round of each question counts. Milliseconds.
Bars: p50 2 ms, p95 5 ms, p99 15 ms; hostile text takes no more steps than the budget.
Results: benchmarks/results/agentic-<date>.json.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from kept import keep

sys.path.insert(0, str(Path(__file__).parents[1]))

from evaluation import labelled_questions

from padron.countries import REGISTRY
from padron.directory import Directory, run
from padron.errors import NotFound
from padron.questions.plan import BUDGET
from padron.questions.results import Question

LONGEST = 1_000
HOSTILE = {
    "every word a country": "ecuador colombia mexico brasil argentina " * 24,
    "numbers": " ".join(f"17900169{number:05}" for number in range(70)),
    "companies": " o ".join(f"Empresa {letter}{other}" for letter in "abcdefghij" for other in "klmnopqrst"),
    "unknown words": " ".join(f"xq{number}zyw" for number in range(140)),
    "one word": "ñandu" * 200,
    "marks": '"(¿' * 333,
}


def main() -> None:
    """Ask the questions, print the times and keep them."""
    parser = argparse.ArgumentParser(prog="python benchmarks/agentic.py")
    parser.add_argument("--data", type=Path, default=Path("var"), help="folder of the built release")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    directory = run(Directory.open(options.data, REGISTRY, "https://padron.example"))
    questions = labelled_questions.read("dev")
    timed = {question.id: run(timings(directory, question.q, options.rounds)) for question in questions}
    kinds = sorted({question.kind for question in questions})
    report: dict[str, Any] = {
        "release": directory.release,
        "all": shares([timed[question.id] for question in questions]),
        "kinds": {
            kind: shares([timed[question.id] for question in questions if question.kind == kind]) for kind in kinds
        },
        "hostile": {name: hostile(directory, text, options.rounds) for name, text in HOSTILE.items()},
        "budget": BUDGET,
    }
    print(keep("agentic", report))


async def timings(directory: Directory, q: str, rounds: int) -> tuple[float, float]:
    """Best clock and processor time of a question in a running event loop, in milliseconds."""
    best = (float("inf"), float("inf"))
    for _ in range(rounds):
        clock, cpu = time.perf_counter(), time.thread_time()
        with suppress(NotFound):
            await directory.ask(Question(q), "es")
        spent = ((time.perf_counter() - clock) * 1000, (time.thread_time() - cpu) * 1000)
        best = (min(best[0], spent[0]), min(best[1], spent[1]))
    return best


def shares(timed: Sequence[tuple[float, float]]) -> dict[str, float]:
    """Median and tail of both times, and how many questions."""
    figures: dict[str, float] = {"questions": len(timed)}
    for name, times in zip(("clock", "cpu"), (sorted(column) for column in zip(*timed, strict=True)), strict=True):
        for share in (50, 95, 99):
            figures[f"{name}_p{share}"] = round(times[min(len(times) - 1, len(times) * share // 100)], 3)
    return figures


def hostile(directory: Directory, text: str, rounds: int) -> dict[str, float]:
    """Cost of a text of the greatest length."""
    q = text[:LONGEST]
    clock, cpu = run(timings(directory, q, rounds))
    steps = len(run(directory.ask(Question(q), "es")).plan.steps)
    return {"steps": steps, "clock": round(clock, 3), "cpu": round(cpu, 3)}


if __name__ == "__main__":
    main()
