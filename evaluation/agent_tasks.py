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

    `companies` are all to be named, at least `at_least` of `any_of`. The last answer may assert none of `must_not`, and
    no company at all where `none` or `ask` is true: an agent asks again where a bare name says too little. `valid` is
    whether a number is right, `years` are those with figures or said to be missing, `count_between` and `total_between`
    bound the companies listed and held, `distinct` says that none is listed twice in `rows`. Others are for readers of
    the agent's own words.
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
    parts = list(_objects(answered))
    named = set(filter(None, map(_company, parts)))
    asserted = {_company(company) for company in _asserted(list(_objects(answered[-1:])))}
    pages = [part for part in parts if "total" in part and "nextCursor" in part]
    listed = [_company(company) for page in pages for company in _listed(page)]
    totals = [page["total"] for page in pages]
    years = {part["fiscalYear"] for part in parts if "fiscalYear" in part}
    years |= {year for part in parts for year in part.get("missing", ())}
    checks = {
        "companies": set(truth.companies) <= named,
        "any_of": len(set(truth.any_of) & named) >= truth.at_least,
        "must_not": not asserted & truth.must_not,
        "none": not (truth.none or truth.ask) or not asserted,
        "valid": truth.valid is None or truth.valid in [part.get("valid") for part in parts],
        "years": truth.years <= years,
        "count_between": _is_between(truth.count_between, [len(listed), *totals]),
        "total_between": _is_between(truth.total_between, totals),
        "rows": len(listed) >= truth.rows and (not truth.distinct or len(listed) == len(set(listed))),
        "must_cite": not truth.must_cite or any(all(part.get(fact) for fact in truth.must_cite) for part in parts),
        "numbers": all(number in str(answered).replace("-", "") for number in truth.numbers),
    }
    return [name for name, holds in checks.items() if not holds]


def _is_between(bounds: tuple[int, int] | None, counts: list[int]) -> bool:
    return bounds is None or any(bounds[0] <= count <= bounds[1] for count in counts)


def _objects(value: Any) -> Iterator[dict[str, Any]]:
    """Yield the objects of JSON, an outer one before those in it."""
    if isinstance(value, dict):
        yield value
        value = list(value.values())
    if isinstance(value, list):
        for member in value:
            yield from _objects(member)


def _company(part: dict[str, Any]) -> str | None:
    """Return the company that an object is, or cites by its address."""
    if "countryCode" in part and "identifier" in part:
        return f"{part['countryCode']}:{part['identifier']}"
    if "sourceUrl" in part and "text" in part:
        country, identifier = part["url"].rsplit("/", 2)[1:]
        return f"{country.upper()}:{identifier}"
    return None


def _asserted(parts: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    yield from (part["bestMatch"] for part in parts if part.get("bestMatch"))
    yield from (part["company"] for part in parts if part.get("verdict") == "found" and part.get("company"))


def _listed(page: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the results of a search, or the companies of a list."""
    return list(page["results"] if "results" in page else page["companies"])


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
