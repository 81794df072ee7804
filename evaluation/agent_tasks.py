"""Replay the calls with which an agent solved the tasks in `evaluation/tasks`, and score what they answer.

    python -m evaluation.agent_tasks --data var [--show] [dev | held-out]

Somebody who did not know the tools wrote the tasks and their truth; an agent that was given the texts of the tools
alone chose the calls. What it made of the answers was read by people; here their facts are compared with the truth, so
that a change of the tools that hides one is seen.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, Literal

import msgspec

from padron import config
from padron.countries import REGISTRY
from padron.directory import Directory, run
from padron.errors import PadronError
from padron.mcp import tools
from padron.mcp.server import LocalCaller

TASKS: Final = Path(__file__).parent / "tasks" / "agent_tasks.json"
HALVES: Final = ("dev", "held-out")


class ToolCall(msgspec.Struct, frozen=True):
    """A call of a tool; a `cursor` stands for that of the call before it."""

    tool: str
    arguments: dict[str, Any]


class TaskTruth(msgspec.Struct, frozen=True, rename="camel", forbid_unknown_fields=True):
    """Facts that answer a task; companies are `CC:identifier`.

    `companies` are all to be named, at least `at_least` of `any_of`; none of `must_not` may be asserted, and none at
    all where `none` or `ask` is true. `valid` is whether a number is right, `years` are those with figures or said to
    be missing, `count_between` and `total_between` bound the companies listed and held, `distinct` says that none is
    listed twice in `rows`. Others are for readers of the agent's own words.
    """

    companies: tuple[str, ...] = ()
    any_of: tuple[str, ...] = msgspec.field(name="any_of", default=())
    at_least: int = msgspec.field(name="at_least", default=0)
    must_not: frozenset[str] = frozenset()
    none: bool = False
    ask: bool = False
    valid: bool | None = None
    years: frozenset[int] = frozenset()
    count_between: tuple[int, int] | None = msgspec.field(name="count_between", default=None)
    total_between: tuple[int, int] | None = msgspec.field(name="total_between", default=None)
    rows: int = 0
    distinct: bool = False
    must_cite: tuple[Literal["source", "date"], ...] = ()
    numbers: tuple[str, ...] = ()
    number_held: bool = True
    claim_matches: bool = True
    absent: tuple[str, ...] = ()
    person: bool = False


class AgentTask(msgspec.Struct, frozen=True, rename="camel"):
    """A task for an agent, its truth, and the calls that solved it."""

    id: str
    kind: str
    held_out: bool
    task: str
    truth: TaskTruth
    note: str
    calls: tuple[ToolCall, ...]


def written() -> list[AgentTask]:
    """Return the tasks."""
    return msgspec.json.decode(TASKS.read_bytes(), type=list[AgentTask])


async def answers(directory: Directory, task: AgentTask) -> list[Any]:
    """Return the answers to the calls of a task, as JSON."""
    answered: list[Any] = []
    for call in task.calls:
        given = call.arguments
        if "cursor" in given:
            given = {**given, "cursor": answered[-1]["nextCursor"]}
        try:
            answer = await tools.call(tools.TOOLS[call.tool], directory, LocalCaller("en"), given)
        except PadronError as error:  # the agent went on with what it says
            answered.append({"code": error.code})
        else:
            answered.append(msgspec.to_builtins(answer))
    return answered


def lacking(truth: TaskTruth, answered: list[Any]) -> list[str]:
    """Return what of the truth some answers do not say, or deny."""
    named = [company for answer in answered for company in _companies(answer)]
    asserted = {company for answer in answered for company in _asserted(answer)}
    lists = [answer for answer in answered if "total" in answer]
    listed = [company for answer in lists for company in _listed(answer)]
    totals = [answer["total"] for answer in lists]
    years = {year for answer in answered for year in _years(answer)}
    checks = {
        "companies": set(truth.companies) <= set(named),
        "any_of": len(set(truth.any_of) & set(named)) >= truth.at_least,
        "must_not": not asserted & truth.must_not,
        "none": not (truth.none or truth.ask) or not asserted,
        "valid": truth.valid is None or truth.valid in [answer.get("valid") for answer in answered],
        "years": truth.years <= years,
        "count_between": _is_between(truth.count_between, [len(listed), *totals]),
        "total_between": _is_between(truth.total_between, totals),
        "rows": len(listed) >= truth.rows and (not truth.distinct or len(listed) == len(set(listed))),
        "must_cite": not truth.must_cite or any("citation" in str(answer) for answer in answered),
        "numbers": all(number in str(answered).replace("-", "") for number in truth.numbers),
    }
    return [name for name, holds in checks.items() if not holds]


def _is_between(bounds: tuple[int, int] | None, counts: list[int]) -> bool:
    return bounds is None or any(bounds[0] <= count <= bounds[1] for count in counts)


def _companies(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        if "countryCode" in value and "identifier" in value:
            yield f"{value['countryCode']}:{value['identifier']}"
        if "sourceUrl" in value and "text" in value:  # a citation, whose address is that of a company
            country, identifier = value["url"].rsplit("/", 2)[1:]
            yield f"{country.upper()}:{identifier}"
        for member in value.values():
            yield from _companies(member)
    elif isinstance(value, list):
        for member in value:
            yield from _companies(member)


def _asserted(answer: Any) -> Iterator[str]:
    if answer.get("bestMatch"):
        yield from _companies(answer["bestMatch"])
    for match in answer.get("matches", ()):
        if match["verdict"] == "found":
            yield from _companies(match["company"])


def _listed(answer: Any) -> Iterator[str]:
    for item in answer.get("companies") or answer.get("results") or ():
        yield next(_companies(item))


def _years(answer: Any) -> Iterator[int]:
    yield from (statement["fiscalYear"] for statement in answer.get("financials", {}).get("statements", ()))
    yield from answer.get("missing", ())


async def solved(directory: Directory, tasks: list[AgentTask]) -> dict[str, list[str]]:
    """Return what each task lacks."""
    return {task.id: lacking(task.truth, await answers(directory, task)) for task in tasks}


def main() -> None:
    """Print how many tasks the recorded calls solve."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("half", nargs="?", choices=HALVES)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--show", action="store_true", help="print the tasks that are not solved")
    arguments = parser.parse_args()
    directory = run(Directory.open(arguments.data, REGISTRY, config.load().base_url))
    for half in HALVES if arguments.half is None else (arguments.half,):
        tasks = [task for task in written() if task.held_out == (half == "held-out")]
        result = run(solved(directory, tasks))
        if arguments.show:
            for task in tasks:
                if result[task.id]:
                    print(f"{task.id} {', '.join(result[task.id])}: {task.task}")
        print(f"{half}: {sum(not missing for missing in result.values())} of {len(tasks)} tasks")


if __name__ == "__main__":
    main()
