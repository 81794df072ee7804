"""The tools with the official client, over HTTP and over standard input, on a small release."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from datetime import date
from pathlib import Path
from typing import Any, cast

import httpx2
import jsonschema_rs
import msgspec
import pytest
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from starlette.testclient import TestClient

from account_service import Holder, account_service, both, buy, enrol
from padron import threads
from padron.accounts.plans import read_plans
from padron.companies.model import EntitySource, Figure, Filing, Statement
from padron.config import load
from padron.countries import REGISTRY
from padron.directory import Directory, run
from padron.lists.rows import ListRow
from padron.mcp import calls, model, tools
from padron.mcp.endpoint import Endpoint
from padron.mcp.model import MOST_ROWS, MatchArguments
from padron.mcp.server import LocalCaller
from padron.service.app import build_app
from padron.transport.call import Call
from padron.transport.client_limits import ClientLimits
from padron.words import Language
from waiting import PATIENCE

ROOT = Path(__file__).parents[2]
SITE = "http://127.0.0.1:8000"
FAVORITA = {"country": "EC", "identifier": "1790016919001"}
CALLS = {
    "search_companies": {"query": "corporacion favorita"},
    "find_companies": {"country": "EC", "place": "Quito"},
    "get_company": FAVORITA,
    "get_financials": FAVORITA,
    "match_companies": {"rows": [{"name": name} for name in ("ecopetrol", "hotel plaza", "zzyzx")]},
    "validate_identifier": {"identifier": "33.000.167/0001-02", "country": "BR"},
    "get_coverage": {},
    "search": {"query": "ecopetrol"},
    "fetch": {"id": "CO/899999068"},
}
"""One call of every tool."""


@asynccontextmanager
async def over_http(directory: Directory, mode: str = "auto", **headers: str) -> AsyncIterator[Client]:
    app = build_app(load({"PADRON_LIMITS__ENABLED": "0", "PADRON_BASE_URL": SITE}), directory)
    async with (
        httpx2.AsyncClient(transport=httpx2.ASGITransport(app), headers=headers) as http,
        Client(streamable_http_client(f"{SITE}/mcp", http_client=http), mode=mode) as client,
    ):
        yield client


async def result_of(client: Client, name: str, **arguments: object) -> dict:
    answer = await client.call_tool(name, arguments)
    assert not answer.is_error, answer.content
    assert json.loads(answer.content[0].text) == answer.structured_content
    return answer.structured_content


async def problem_of(client: Client, name: str, **arguments: object) -> dict:
    answer = await client.call_tool(name, arguments)
    assert answer.is_error
    return json.loads(answer.content[0].text)


async def call_all(client: Client) -> dict[str, str | None]:
    """Call every tool; the code of each that refuses."""
    codes = {}
    for tool in (await client.list_tools()).tools:
        assert tool.annotations.read_only_hint
        answer = await client.call_tool(tool.name, CALLS[tool.name])
        codes[tool.name] = json.loads(answer.content[0].text)["code"] if answer.is_error else None
        if not answer.is_error:
            jsonschema_rs.validate(tool.output_schema, answer.structured_content)
    return codes


INITIALIZE = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "1"},
}


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_every_tool_is_listed_and_called_over_http(small: Directory, mode: str) -> None:
    async def visit() -> dict[str, str | None]:
        async with over_http(small, mode) as client:
            return await call_all(client)

    assert run(visit()) == dict.fromkeys(CALLS) | {"get_financials": "credentials-missing"}


@pytest.mark.verify
def test_every_tool_is_listed_and_called_over_standard_input(small_data: Path) -> None:
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src"), "LC_ALL": "en_US.UTF-8"}
    command = StdioServerParameters(
        command=sys.executable, args=["-m", "padron.cli.app", "mcp", "--data", str(small_data)], env=environment
    )

    async def visit() -> dict[str, str | None]:
        async with Client(stdio_client(command)) as client:
            return await call_all(client)

    assert run(visit()) == dict.fromkeys(CALLS)


def test_a_signal_ends_it_while_its_standard_input_is_open(small_data: Path) -> None:
    command = [sys.executable, "-m", "padron.cli.app", "mcp", "--data", str(small_data)]
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src")}
    with subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin
        assert process.stdout
        process.stdin.write(b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
        process.stdin.flush()
        assert json.loads(process.stdout.readline())["id"] == 1
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE) == -signal.SIGTERM


def test_every_request_is_answered_however_soon_the_standard_input_ends(small_data: Path) -> None:
    command = [sys.executable, "-m", "padron.cli.app", "mcp", "--data", str(small_data)]
    call = {"name": "search_companies", "arguments": {"query": "ecopetrol"}}
    requests = [
        {"id": 1, "method": "initialize", "params": INITIALIZE},
        {"method": "notifications/initialized"},
        {"id": 0, "method": "nothing"},
        {"id": 3, "method": "tools/call", "params": call},
        {"id": 4, "method": "tools/call", "params": call},
        {"method": "notifications/cancelled", "params": {"requestId": 4}},
        {"method": "notifications/cancelled", "params": {"requestId": [4]}},
        {"id": "5", "method": "tools/call", "params": call},
    ]
    lines = "".join(json.dumps({"jsonrpc": "2.0", **request}) + "\n" for request in requests)
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src")}
    output = subprocess.run(
        command, env=environment, input=lines.encode(), stdout=subprocess.PIPE, check=True, timeout=PATIENCE
    ).stdout
    answers = {answer["id"]: answer for answer in map(json.loads, output.splitlines())}
    assert answers.keys() >= {0, 1, 3, "5"}
    for key in (3, "5"):
        assert answers[key]["result"]["structuredContent"]["answer"]["bestMatch"]["identifier"] == "899999068"


@pytest.mark.parametrize(
    ("stated", "address", "other"),
    [
        ({}, "https://appscvsmovil.supercias.gob.ec/ranking/", "https://www.sec.gov/cgi-bin/browse-edgar?"),
        ({"PADRON_BASE_URL": "http://127.0.0.1:8000"}, f"{SITE}/es/empresas/ec/1790016919001", f"{SITE}/es/"),
    ],
)
def test_without_pages_companies_have_the_addresses_of_their_official_records(
    small_data: Path, stated: dict[str, str], address: str, other: str
) -> None:
    command = [sys.executable, "-m", "padron.cli.app", "mcp", "--data", str(small_data)]
    unset = {name: value for name, value in os.environ.items() if not name.startswith(("PADRON_", "LC_", "LANG"))}
    environment = unset | {"PYTHONPATH": str(ROOT / "src")} | stated
    questions = [("search_companies", {"query": query}) for query in ("corporacion favorita", "apple inc")]
    calling = [{"name": name, "arguments": arguments} for name, arguments in [*questions, ("get_company", FAVORITA)]]
    requests = [
        {"id": 0, "method": "initialize", "params": INITIALIZE},
        {"method": "notifications/initialized"},
        *({"id": key, "method": "tools/call", "params": params} for key, params in enumerate(calling, start=1)),
    ]
    lines = "".join(json.dumps({"jsonrpc": "2.0", **request}) + "\n" for request in requests)
    output = subprocess.run(
        command, env=environment, input=lines.encode(), stdout=subprocess.PIPE, check=True, timeout=PATIENCE
    ).stdout
    answers = {answer["id"]: answer for answer in map(json.loads, output.splitlines())}
    favorita, apple, company = (answers[key]["result"]["structuredContent"] for key in (1, 2, 3))
    assert favorita["citation"]["url"].startswith(address)
    assert favorita["citation"]["text"].endswith(favorita["citation"]["url"])
    assert apple["answer"]["bestMatch"]["canonicalUrls"]["es"].startswith(other)
    assert (
        company["citation"]["url"] == favorita["citation"]["url"] == company["entity"]["canonicalUrls"]["en"] or stated
    )
    assert ("127.0.0.1" in output.decode()) is bool(stated)


def test_an_agent_finds_disambiguates_verifies_and_cites(small: Directory) -> None:
    async def work() -> str:
        async with over_http(small, **{"accept-language": "en"}) as client:
            # Finds: the name alone fits two companies, so nothing may be asserted.
            first = await result_of(client, "search_companies", query="hotel plaza")
            assert first["answer"]["bestMatch"] is None
            assert first["citation"] is None
            assert {company["countryCode"] for company in first["answer"]["results"]} == {"EC", "CO"}
            # Disambiguates: the user says which country.
            second = await result_of(client, "search_companies", query="hotel plaza", country="CO")
            best = second["answer"]["bestMatch"]
            assert best["identifier"] == "800000013"
            # Verifies: the number is a NIT with the right check digit, and this company's.
            check = await result_of(client, "validate_identifier", identifier="800.000.013-1", country="CO")
            (reading,) = check["readings"]
            assert (reading["scheme"], reading["identifier"]) == ("co-nit", best["identifier"])
            assert reading["company"]["url"] == best["canonicalUrls"]["en"]
            # Cites.
            company = await result_of(client, "get_company", country="CO", identifier=reading["identifier"])
            assert company["entity"]["legalName"] == best["legalName"]
            return company["citation"]["text"]

    assert run(work()) == ("HOTEL PLAZA S.A.S. (CO, NIT 800000013), https://padron.example/en/companies/co/800000013")


def test_a_number_of_which_only_the_form_is_known_is_not_called_valid(small: Directory) -> None:
    async def visit() -> list[bool | None]:
        async with over_http(small) as client:
            numbers = ["899999068-2", "1712345678", "899999068-1", "EC1790016919001", "nada"]
            return [(await result_of(client, "validate_identifier", identifier=number))["valid"] for number in numbers]

    assert run(visit()) == [None, None, True, True, False]


def test_a_number_that_a_register_gives_is_right_whatever_its_check_digit(directory: Directory) -> None:
    visit = calls.Visit(directory, LocalCaller("en"), "en")
    registered = run(calls.validate_identifier(visit, model.ValidateArguments(identifier="1793229811001")))
    reading = registered.readings[0]
    assert (registered.valid, registered.hint, reading.valid_check, reading.corrected) == (True, None, False, None)
    assert reading.company
    mistyped = run(calls.validate_identifier(visit, model.ValidateArguments(identifier="860005224-1", country="CO")))
    assert (mistyped.valid, mistyped.readings[0].corrected) == (False, "860.005.224-6")
    mistyped = run(calls.validate_identifier(visit, model.ValidateArguments(identifier="0990004192001", country="EC")))
    assert (mistyped.valid, mistyped.readings[0].corrected) == (False, "0990004196001")


def test_no_next_step_asks_for_a_country_that_is_not_held(directory: Directory) -> None:
    visit = calls.Visit(directory, LocalCaller("en"), "en")
    query = "I need the tax ID of Mercadona, the Spanish supermarket chain"
    answer = run(calls.search_companies(visit, model.SearchArguments(query=query))).answer
    assert answer.best_match is None
    assert {step.arguments.get("country") for step in answer.next_steps} <= {None, *REGISTRY}


def test_others_have_their_turn_between_the_rows_of_a_list(small: Directory) -> None:
    turns = 0

    async def others() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    async def visit() -> None:
        rows = [ListRow(name="ecopetrol")] * 20
        beside = asyncio.create_task(others())
        await calls.match_companies(calls.Visit(small, LocalCaller("en"), "en"), MatchArguments(rows=rows))
        beside.cancel()

    run(visit())
    assert turns >= 20


def test_a_call_that_waits_for_its_turn_keeps_no_release(small: Directory) -> None:
    taken: list[Directory] = []

    def directory() -> Directory:
        taken.append(small)
        return small

    endpoint = Endpoint(ClientLimits(None, read_plans().anonymous, ()), cast(Any, None), directory, "http://x")
    sent = message("search_companies", {"query": "ecopetrol"})
    fields = [(name.encode(), value.encode()) for name, value in sent["headers"].items()]
    scope = {"type": "http", "method": "POST", "path": "/mcp", "query_string": b"", "client": ("192.0.2.7", 1)}
    scope |= {"headers": [*fields, (b"content-type", b"application/json"), (b"host", b"x")], "http_version": "1.1"}
    scope["padron.call"] = Call(scope)
    statuses: list[int] = []

    async def receive() -> dict[str, object]:
        return {"type": "http.request", "body": json.dumps(sent["json"]).encode()}

    async def send(part: dict[str, Any]) -> None:
        statuses.append(part.get("status", 0))

    async def visit() -> None:
        turns = threads.QUESTION_TURNS.of("192.0.2.7")
        async with asyncio.timeout(PATIENCE), turns, turns:
            asking = asyncio.create_task(endpoint(scope, receive, send))
            while not turns._waiters:
                await asyncio.sleep(0)
            assert taken == []
        await asking

    asyncio.run(visit())
    assert (taken, statuses[0]) == ([small], 200)


def test_what_each_tool_answers(small: Directory) -> None:
    async def visit() -> None:
        async with over_http(small) as client:
            search = await result_of(client, "search_companies", query="corporacion favorita", language="en")
            assert search["citation"] == {
                "text": "CORPORACION FAVORITA C.A. (EC, RUC 1790016919001), Ranking de Compañías, 2024-12-31, "
                "https://padron.example/en/companies/ec/1790016919001",
                "url": "https://padron.example/en/companies/ec/1790016919001",
                "source": "Ranking de Compañías",
                "sourceUrl": search["citation"]["sourceUrl"],
                "date": "2024-12-31",
            }
            answer = await result_of(client, "match_companies", **CALLS["match_companies"])
            assert answer["counts"] == {"found": 1, "ambiguous": 1, "not_found": 1}
            matches = answer["matches"]
            assert [match["verdict"] for match in matches] == ["found", "ambiguous", "not_found"]
            assert [match["company"] and match["company"]["identifier"] for match in matches][0::2] == [
                "899999068",
                None,
            ]
            assert matches[0]["citation"]["text"].startswith("ECOPETROL S.A. (CO, NIT 899999068)")
            assert matches[1]["citation"] is None
            placed = {"name": "hotel plaza", "country": "colombia"}
            single = await result_of(client, "match_companies", rows=[placed], language="en")
            expected = await small.match(ListRow(**placed), "en")
            assert single["matches"][0] | {"citation": None} == msgspec.to_builtins(expected) | {"citation": None}
            assert single["matches"][0]["company"]["identifier"] == "800000013"
            check = await result_of(client, "validate_identifier", **CALLS["validate_identifier"])
            assert not check["valid"]
            assert [(each["validCheck"], each["corrected"]) for each in check["readings"]] == [
                (False, "33.000.167/0001-01")
            ]
            hint = "The check digit of that NIT (tax number) is wrong; with the correct one it would be 899.999.068-1."
            for number, stated, valid in (
                ("899999068-3", {}, None),  # it also has the form of a CLEE
                ("899999068-3", {"country": "CO"}, False),
                ("NIT 899999068-3", {}, False),
                ("NIT 899999068-1", {}, True),
            ):
                check = await result_of(client, "validate_identifier", identifier=number, language="en", **stated)
                assert (check["valid"], check["hint"]) == (valid, None if number.endswith("1") else hint), number
            check = await result_of(client, "validate_identifier", identifier="EC-1790016919001")
            assert [(each["identifier"], each["countryCode"]) for each in check["readings"]] == [
                ("1790016919001", "EC")
            ]
            page = await result_of(client, "fetch", id="EC/1790016919001")
            assert page["title"] == "CORPORACION FAVORITA C.A. (EC, RUC 1790016919001)"
            assert "status: active" in page["text"].splitlines()
            assert page["metadata"]["date"] == "2024-12-31"
            ids = [each["id"] for each in (await result_of(client, "search", query="ñandues mexico"))["results"]]
            assert "MX/C%C3%91%26850101AB1" in ids
            assert (await result_of(client, "fetch", id=ids[0]))["id"] == ids[0]

    run(visit())


def test_a_whole_question_is_answered(small: Directory) -> None:
    """Agents pass on what the user wrote: a name alone was searched for before, and nothing was sure."""

    async def visit() -> None:
        async with over_http(small, **{"accept-language": "en"}) as client:
            search = await result_of(client, "search_companies", query="¿Cuál es el RUC de Corporación Favorita?")
            answer = search["answer"]
            assert (answer["verdict"], answer["bestMatch"]["identifier"]) == ("found", "1790016919001")
            assert "1790016919001" in answer["sentence"]
            assert (answer["bestMatch"]["municipality"], answer["searched"]) == ("QUITO", [])
            assert search["citation"]["text"].startswith("CORPORACION FAVORITA C.A. (EC, RUC 1790016919001)")
            assert [(step["tool"], step["arguments"]) for step in answer["nextSteps"]] == [
                ("get_company", FAVORITA),
                ("get_financials", FAVORITA),
            ]
            several = await result_of(client, "search_companies", query="Ecopetrol\nAlmacenes Éxito")
            parts = several["answer"]["companies"]
            assert [part["citation"]["text"].partition(" (")[0] for part in parts] == [
                "ECOPETROL S.A.",
                "ALMACENES EXITO S.A.",
            ]
            plaza = (await result_of(client, "search_companies", query="hotel plaza"))["answer"]
            assert [(step["tool"], step["arguments"]["country"]) for step in plaza["nextSteps"]] == [
                ("search_companies", "EC"),
                ("search_companies", "CO"),
            ]
            for step in plaza["nextSteps"]:
                assert (await result_of(client, step["tool"], **step["arguments"]))["citation"]
            missing = (await result_of(client, "search_companies", query="Quimera Andina del Pastaza"))["answer"]
            assert (missing["verdict"], missing["bestMatch"]) == ("not_found", None)
            assert {country["countryCode"] for country in missing["searched"]} == set(REGISTRY)
            assert "EC/1790016919001" in [
                page["id"]
                for page in (await result_of(client, "search", query="¿qué RUC tiene Corporación Favorita?"))["results"]
            ]

    run(visit())


def test_a_question_is_searched_within_conditions(small: Directory) -> None:
    async def visit() -> None:
        async with over_http(small) as client:
            alps = {"query": "inmobiliaria los alpes", "country": "EC"}
            there = await result_of(client, "search_companies", **alps, place="Quito")
            assert there["answer"]["bestMatch"]["identifier"] == "1001"
            assert [company["identifier"] for company in there["answer"]["results"]] == ["1001"]
            active = await result_of(client, "search_companies", query="favorita", status="activa")
            assert [company["identifier"] for company in active["answer"]["results"]] == ["1790016919001"]
            doing = await result_of(client, "search_companies", query="favorita", activity="supermercados")
            assert [company["identifier"] for company in doing["answer"]["results"]] == ["1790016919001"]
            asked = "¿Qué empresas de Quito se dedican a la venta al por menor en supermercados?"
            for country in ({}, {"country": "EC"}):
                unread = await result_of(client, "search_companies", query=asked, **country)
                first = unread["answer"]["nextSteps"][0]
                assert (first["tool"], first["arguments"]["country"]) == ("find_companies", "EC")
                listed = await result_of(client, first["tool"], **first["arguments"])
                assert [company["identifier"] for company in listed["companies"]] == ["1790016919001"]

    run(visit())


def test_a_company_that_only_a_condition_leaves_out_is_told(small: Directory) -> None:
    async def visit() -> None:
        async with over_http(small, **{"accept-language": "en"}) as client:
            asked = {"query": "Apple Inc.", "country": "US"}
            answer = (await result_of(client, "search_companies", **asked, status="active"))["answer"]
            assert (answer["verdict"], answer["sentence"][:25]) == ("not_found", "“Apple Inc.” is held as A")
            (step,) = answer["nextSteps"]
            assert (step["tool"], step["arguments"]) == ("search_companies", asked)

    run(visit())


def test_a_word_of_activity_beside_conditions_is_a_list(small: Directory) -> None:
    async def visit() -> None:
        async with over_http(small, **{"accept-language": "en"}) as client:
            asked = {"query": "supermercados", "country": "EC", "place": "Quito"}
            answer = (await result_of(client, "search_companies", **asked, status="active"))["answer"]
            assert [company["identifier"] for company in answer["results"]] == ["1790016919001"]
            assert answer["nextSteps"][-1]["arguments"] == asked

    run(visit())


def test_a_list_says_which_place_was_applied_and_how_many_state_a_status(
    small: Directory, directory: Directory
) -> None:
    async def visit() -> None:
        async with over_http(directory, **{"accept-language": "en"}) as client:
            houston = await result_of(client, "find_companies", country="US", place="Houston")
            assert houston["hint"].startswith("The registers of the United States do not state the city: the place app")
            texas = await result_of(client, "find_companies", country="US", place="Texas")
            assert (houston["total"], "city" in texas["hint"]) == (texas["total"], False)
            named = await result_of(client, "search_companies", query="oil companies", country="US", place="Houston")
            assert "the place applied is Texas, not only Houston." in named["answer"]["matchHints"][0]
            problem = await problem_of(client, "find_companies", country="US", place="Dallas")
            assert "a state, as “California”: the registers there" in problem["errors"][0]["detail"]
        async with over_http(small, **{"accept-language": "en"}) as client:
            dissolved = await result_of(client, "find_companies", country="EC", status="dissolved")
            assert "state the status of 1 of 8 companies" in dissolved["hint"]
            assert "Call again without `status`" in dissolved["hint"]

    run(visit())


def test_companies_are_listed_by_conditions_page_by_page(small: Directory) -> None:
    async def visit() -> None:
        async with over_http(small, **{"accept-language": "en"}) as client:

            async def listed(**conditions: object) -> list[str]:
                page = await result_of(client, "find_companies", country="EC", **conditions)
                assert page["total"] == len(page["companies"])
                return [company["identifier"] for company in page["companies"]]

            favorita = ["1790016919001"]
            assert await listed(place="Quito") == [*favorita, "1001"]
            assert await listed(place="Quito, Pichincha") == [*favorita, "1001"]
            assert await listed(place="Pichincha") == favorita
            for activity in ("supermercados", "supermarkets", "G4711", "isic:G47", "venta al por menor"):
                assert await listed(activity=activity) == favorita, activity
            assert await listed(status="active") == await listed(status="activas") == favorita
            assert await listed(financials=True) == favorita
            assert "1001" in await listed(financials=False)
            pages, cursor = [], None
            while not pages or cursor:
                more = {"cursor": cursor} if cursor else {}
                page = await result_of(client, "find_companies", country="EC", limit=3, **more)
                pages.append([company["identifier"] for company in page["companies"]])
                cursor = page["nextCursor"]
            together = [identifier for identifiers in pages for identifier in identifiers]
            assert [len(identifiers) for identifiers in pages] == [3, 3, 2]
            assert len(set(together)) == page["total"] == 8
            first = (await result_of(client, "find_companies", country="EC"))["companies"][0]
            assert first["citation"]["url"] == "https://padron.example/en/companies/ec/1790016919001"
            another = await result_of(client, "find_companies", country="EC", limit=3)
            for tool, changed in (("find_companies", {"place": "Quito"}), ("search_companies", {"query": "alpes"})):
                arguments = {"country": "EC", "cursor": another["nextCursor"], **changed}
                assert (await problem_of(client, tool, **arguments))["code"] == "bad-cursor"

    run(visit())


@pytest.mark.parametrize(
    ("activity", "remedy"),
    [
        ("alquimia y calzado", "none of them has: alquimia."),
        ("cultivo calzado", "no label has all of them."),
        ("alquimia", "isic:G47)."),
    ],
)
def test_words_that_no_label_of_an_activity_has_are_named(directory: Directory, activity: str, remedy: str) -> None:
    async def visit() -> None:
        async with over_http(directory, **{"accept-language": "en"}) as client:
            problem = await problem_of(client, "find_companies", country="EC", activity=activity)
            assert problem["errors"][0]["detail"].endswith(remedy)

    run(visit())


def test_conditions_that_cannot_be_applied_are_named_with_the_remedy(small: Directory) -> None:
    async def visit() -> None:
        async with over_http(small, **{"accept-language": "en"}) as client:
            wrong = {"place": "Narnia", "activity": "alquimia", "status": "alive"}
            for tool, arguments in (("find_companies", {}), ("search_companies", {"query": "hotel plaza"})):
                problem = await problem_of(client, tool, country="EC", **arguments, **wrong)
                assert [error["parameter"] for error in problem["errors"]] == list(wrong)
                place, activity, status = [error["detail"] for error in problem["errors"]]
                assert ("province" in place, "isic:G47" in activity, "in_liquidation" in status) == (True, True, True)
            assert (await problem_of(client, "find_companies"))["errors"][0]["parameter"] == "country"
            assert (await problem_of(client, "find_companies", country="EC", place="  "))["code"] == "bad-filter"
            for years in ([], "2024", [1789.5], [{}]):
                problem = await problem_of(client, "get_financials", **FAVORITA, years=years)
                assert problem["errors"][0]["parameter"].startswith("years")

    run(visit())


def test_every_description_says_countries_the_least_confidence_and_what_is_next() -> None:
    for language, (rule, following) in {"en": ("Assert", "Next: "), "es": ("Afirme", "Después: ")}.items():
        for tool in tools.described(language):
            both_languages = tool["description"].split("\n\n")
            assert all(country.name_in_sentence.of(language) in both_languages[0] for country in REGISTRY.values())
            assert all("0.85" in part for part in both_languages)
            assert rule in both_languages[0]
            assert following in both_languages[0]
        assert "0.85" in tools.instructions(language)


def test_a_company_is_given_with_its_former_names_other_numbers_and_place(small: Directory) -> None:
    async def visit() -> dict:
        async with over_http(small) as client:
            return await result_of(client, "get_company", **FAVORITA)

    company = run(visit())
    assert [name["name"] for name in company["names"]] == ["SUPERMERCADOS LA FAVORITA C.A."]
    assert [number["identifier"] for number in company["identifiers"]] == ["384"]
    assert (company["region"], company["municipality"]) == ("PICHINCHA", "QUITO")


def test_a_company_of_a_wrong_check_digit_comes_with_a_warning(small: Directory) -> None:
    async def visit() -> list[dict]:
        async with over_http(small, **{"accept-language": "en"}) as client:
            numbers = ("33.000.167/0001-02", "33.000.167/9999-99", "33.000.167/0002-92", "33.000.167/0001-01")
            return [await result_of(client, "get_company", country="BR", identifier=number) for number in numbers]

    mistyped, far, branch, own = run(visit())
    wrong = [
        "The check digit of that CNPJ is wrong: check the number.",
        "It begins as the number of “PETRÓLEO BRASILEIRO S.A. - PETROBRAS”, which is CNPJ 33.000.167/0001-01: check "
        "which company is meant.",
    ]
    assert mistyped["requestedIdentifier"] == {
        "scheme": "br-cnpj",
        "identifier": "33000167000102",
        "match": "primary",
        "validCheck": False,
    }
    assert (mistyped["match"], mistyped["hints"]) == ("primary", wrong)
    assert (far["match"], far["requestedIdentifier"]["validCheck"], far["hints"]) == ("branch", False, wrong)
    assert (branch["match"], branch["requestedIdentifier"]["validCheck"]) == ("branch", True)
    assert branch["hints"] == [
        "CNPJ 33.000.167/0002-92 is the number of a branch, or a root number, in Brazil; the head office is shown."
    ]
    assert (own["match"], own["requestedIdentifier"]["validCheck"], own["hints"]) == ("primary", True, [])


def test_a_page_fetched_by_another_number_than_its_companys_says_so(small: Directory) -> None:
    async def visit() -> list[list[str]]:
        async with over_http(small, **{"accept-language": "en"}) as client:
            ids = ("EC/1790016919009", "BR/33000167000102", "ec/1790016919001")
            return [(await result_of(client, "fetch", id=each))["text"].splitlines() for each in ids]

    branch, mistyped, own = run(visit())
    assert "requestedIdentifier: 1790016919009" in branch
    assert branch[-1].startswith("hints: RUC (tax number) 1790016919009 is the number of a branch")
    assert mistyped[-1].startswith("hints: The check digit of that CNPJ is wrong: check the number.")
    assert not any(line.startswith(("requestedIdentifier", "hints")) for line in own)


def test_a_number_that_cannot_be_right_says_why(small: Directory) -> None:
    async def visit() -> list[dict]:
        async with over_http(small, **{"accept-language": "en"}) as client:
            asked: list[dict[str, str]] = [
                {"identifier": "33.000.167/9999-99"},
                {"identifier": "Apple"},
                {"identifier": "179001691900", "country": "EC"},
            ]
            return [await result_of(client, "validate_identifier", **each) for each in asked]

    far, name, short = run(visit())
    assert far["hint"] == (
        "The check digit of that CNPJ is wrong: check the number. It begins as the number of “PETRÓLEO BRASILEIRO S.A. "
        "- PETROBRAS”, which is CNPJ 33.000.167/0001-01: check which company is meant."
    )
    assert name["valid"] is False
    assert name["hint"].startswith("It does not have the form of an official identifier of any of these countries:")
    assert "13 digits" in short["hint"]


@pytest.mark.parametrize(
    ("number", "near"),
    [
        ("33.000.167/0099-88", "It begins as the number of"),
        ("33.000.167/0001-99", "It begins as the number of"),
        ("33.000.167/0001-02", "With one digit changed, or two swapped:"),
        ("33.000.167/0001-10", "With one digit changed, or two swapped:"),
        ("NIT 899.999.068-3", "With one digit changed, or two swapped:"),
    ],
)
def test_a_wrong_number_is_one_slip_off_only_where_it_is(small: Directory, number: str, near: str) -> None:
    async def visit() -> dict:
        async with over_http(small, **{"accept-language": "en"}) as client:
            return await result_of(client, "search_companies", query=number)

    sentence = run(visit())["answer"]["sentence"]
    assert f"its check digit is wrong. {near} " in sentence


def defaults(schema: dict) -> dict:
    return {name: each["default"] for name, each in schema["properties"].items() if "default" in each}


def test_every_input_schema_accepts_its_own_defaults() -> None:
    schemas = {tool["name"]: tool["inputSchema"] for tool in tools.described("en")}
    accepted = {
        name: jsonschema_rs.is_valid(schema, CALLS[name] | defaults(schema)) for name, schema in schemas.items()
    }
    assert accepted == dict.fromkeys(CALLS, True)


def test_a_batch_is_refused_without_its_content(holder: Holder) -> None:
    batch = [message("search_companies", {"query": "secreta"})["json"]]
    fields = message("", {})["headers"] | {"accept-language": "en"}
    answer = holder.client.post("/mcp", json=batch, headers=fields)
    assert answer.status_code == 400
    assert answer.json() == {
        "jsonrpc": "2.0",
        "id": None,
        "error": {
            "code": -32600,
            "message": "A batch of messages is not part of the protocol: send each message as a request of its own.",
        },
    }


class ManyYears:
    """The small directory, in which one company has statements of 26 years."""

    def __init__(self, directory: Directory) -> None:
        self._directory = directory

    def __getattr__(self, name: str) -> Any:
        return getattr(self._directory, name)

    async def statements(self, country: str, raw: str, language: Language) -> list[Statement]:
        source = EntitySource(
            key="supercias-ranking",
            name="Ranking de Compañías",
            publisher="Superintendencia de Compañías, Valores y Seguros",
            url="https://appscvsmovil.supercias.gob.ec/ranking/reporte.html",
            licence="Información pública (Ley de Compañías, art. 20); citar la fuente",
            attribution="Superintendencia de Compañías, Valores y Seguros del Ecuador",
        )
        keys = ("revenue", "pretaxProfit", "netProfit", "assets", "liabilities", "equity")
        return [
            Statement(
                fiscal_year=year,
                period_start=date(year, 1, 1),
                period_end=date(year, 12, 31),
                currency="USD",
                unit=1,
                scope="individual",
                figures=[
                    Figure(key=key, label=key, amount=f"{year}101459.75", basis="ingresos_ventas", first_reported=None)
                    for key in keys
                ],
                employees=11547,
                restated=False,
                filing=Filing(form=None, reference=None, filed_on=None),
                source=source,
                checks=[],
            )
            for year in range(2024, 1998, -1)
        ]


def test_statements_are_of_the_years_asked_for_or_the_latest(small: Directory) -> None:
    def asked(**arguments: object) -> model.CompanyFinancials:
        given = {**FAVORITA, **arguments}
        call = tools.call(tools.TOOLS["get_financials"], cast(Any, ManyYears(small)), LocalCaller("en"), given)
        return cast(model.CompanyFinancials, run(call))

    latest = asked()
    assert [statement.fiscal_year for statement in latest.financials.statements] == [2024, 2023, 2022, 2021, 2020]
    assert latest.note == "These are the latest 5 of 26 years; for others call again with `years`."
    assert (len(latest.held), latest.missing) == (26, [])
    assert len(msgspec.json.encode(latest)) < 12_000
    chosen = asked(years=[2001, 1990, 2020])
    assert [statement.fiscal_year for statement in chosen.financials.statements] == [2020, 2001]
    assert (chosen.missing, chosen.note) == ([1990], None)


def test_bad_calls_say_what_to_mend(small: Directory) -> None:
    async def visit() -> None:
        async with over_http(small, **{"accept-language": "en"}) as client:
            problem = await problem_of(client, "get_company", identifier=7, apiKey="pdr_x", country="CO")
            assert [error["parameter"] for error in problem["errors"]] == ["identifier", "apiKey"]
            assert (await problem_of(client, "get_company", country="XX", identifier="1"))["code"] == "unknown-country"
            problem = await problem_of(client, "get_company", country="CO", identifier="899.999.069-1")
            assert problem["code"] == "company-not-found"
            assert (await problem_of(client, "fetch", id="nothing"))["errors"][0]["parameter"] == "id"
            assert (await problem_of(client, "match_companies", rows=[{"name": "x"}] * 51))["code"] == "invalid-field"
            rows = (({"name": 5}, "[1].name"), ({"nombre": "x"}, "[1]"), ({"city": "a\nb"}, "[1].city"))
            for row, place in rows:
                problem = await problem_of(client, "match_companies", rows=[{"name": "x"}, row])
                assert [error["parameter"] for error in problem["errors"]] == [f"rows{place}"]
            bad = await problem_of(client, "search_companies", query="two\x0blines")
            assert bad["code"] == "control-characters"
            with pytest.raises(Exception, match="search_companies"):
                await client.call_tool("no_such_tool", {})

    run(visit())


@pytest.mark.parametrize(
    ("name", "arguments", "parameter", "expected"),
    [
        ("search_companies", {"query": "ecopetrol", "limit": 21}, "limit", "a number of at most 20"),
        ("search_companies", {"query": "x"}, "query", "a text of at least 2 characters"),
        ("match_companies", {"rows": [{"name": "x"}] * 51}, "rows", "a list of at most 50 elements"),
        ("match_companies", {"rows": [{"foo": 1}]}, "rows[0]", "no member “foo”; the members are "),
        ("get_company", {"country": "CO", "identifier": 7}, "identifier", "a text"),
        ("fetch", {"id": "nothing"}, "id", "an id of `search`, as EC/1790016919001"),
    ],
)
def test_a_bad_argument_comes_with_its_bound(
    small: Directory, name: str, arguments: dict, parameter: str, expected: str
) -> None:
    async def visit() -> dict:
        async with over_http(small, **{"accept-language": "en"}) as client:
            return await problem_of(client, name, **arguments)

    problem = run(visit())
    assert problem["errors"][0]["parameter"] == parameter
    assert f"Expected: {expected}" in problem["errors"][0]["detail"]


def message(name: str, arguments: dict, **headers: str) -> dict:
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": arguments}}
    accept = {"accept": "application/json, text/event-stream", "mcp-protocol-version": "2025-06-18"}
    return {"json": call, "headers": accept | headers}


@pytest.fixture(scope="module")
def holder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Holder]:
    data = tmp_path_factory.mktemp("tools")
    with account_service(data, PADRON_LIMITS__ENABLED="1") as client:
        yield enrol(client, data)


def test_financial_values_need_the_callers_own_key(holder: Holder) -> None:
    asked = {"country": "BR", "identifier": "33000167000101"}

    def asking(**headers: str) -> str:
        return holder.client.post("/mcp", **message("get_financials", asked, **headers)).json()["result"]

    def refusal(**headers: str) -> str:
        return json.loads(asking(**headers)["content"][0]["text"])["code"]

    key = holder.key()
    assert refusal() == "credentials-missing"
    assert refusal(authorization=f"Bearer {key}") == "apikey-missing"
    assert refusal(**both(key)) == "plan-required"
    buy(holder, "pro")
    holder.services.grants.refresh()
    answers = holder.services.usage
    answers.flush()
    result = asking(**both(key))["structuredContent"]
    assert [each["fiscalYear"] for each in result["financials"]["statements"]] == [2023, 2022]
    assert result["financials"]["statements"][0]["figures"][0]["amount"] == "511994000000"
    answers.flush()
    usage = holder.client.get("/api/v1/usage", headers=both(key)).json()
    assert [day["answers"] for day in usage["history"]] == [1]


def test_a_valid_key_counts_for_its_plan_and_not_for_its_address(tmp_path: Path) -> None:
    with account_service(tmp_path, PADRON_LIMITS__ENABLED="1") as client:
        holder = enrol(client, tmp_path)
        key, test = holder.key(), holder.key("pruebas", test=True)
        search, unknown = ("search_companies", {"query": "petroleo"}), ("fetch", {"id": "CO/1"})

        def policy(call: tuple[str, dict], **headers: str) -> str:
            answer = client.post("/mcp", **message(*call, **headers))
            assert answer.status_code == 200, answer.text
            return answer.headers["ratelimit-policy"]

        assert policy(search).startswith('"public"')
        assert policy(search, **both(test)).startswith('"public"')
        assert policy(search, authorization=f"Bearer {key}").startswith('"public"')
        for call in (search, unknown, ("get_financials", FAVORITA)):
            assert policy(call, **both(key)) == '"minute";q=60;w=60, "day";q=1000;w=86400'
        listing = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
        headers = message("", {})["headers"]
        assert client.post("/mcp", json=listing, headers=headers | both(key)).headers["ratelimit-policy"] == (
            '"minute";q=60;w=60'
        )
        rows = client.post("/mcp", **message("match_companies", {"rows": [{"name": "petroleo"}] * 5}, **both(key)))
        assert [field for field in rows.headers.get_list("ratelimit-policy") if field.startswith('"rows"')]
        holder.services.usage.flush()
        used = client.get("/api/account/usage").json()["byKey"]
        assert [(row["name"], row["operation"], row["answers"]) for row in used] == [("uno", "search", 2)]


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_limit_reaches_the_agent_with_its_reason(small: Directory, mode: str) -> None:
    """Without a key the endpoint refuses before the library of the protocol: clients do not read a bare 429."""

    async def visit() -> tuple[dict, httpx2.Response]:
        app = build_app(load({"PADRON_LIMITS__ENABLED": "1", "PADRON_BASE_URL": SITE}), small)
        transport = httpx2.ASGITransport(app)
        async with (
            httpx2.AsyncClient(transport=transport, base_url=SITE, headers={"accept-language": "en"}) as http,
            Client(streamable_http_client(f"{SITE}/mcp", http_client=http), mode=mode) as client,
        ):
            while not (await client.call_tool("get_coverage", {})).is_error:
                pass
            with pytest.raises(MCPError, match="Try again in"):
                await client.list_tools()
            refused = await problem_of(client, "search_companies", query="ecopetrol")
            return refused, await http.post("/mcp", **message("get_coverage", {}))

    problem, bare = run(visit())
    assert (problem["code"], problem["status"]) == ("rate-limited", 429)
    assert "Try again in" in problem["detail"]
    assert (bare.status_code, bare.json()["id"], bare.json()["result"]["isError"]) == (200, 1, True)
    assert int(bare.headers["retry-after"]) > 0
    assert bare.headers["ratelimit"].startswith('"public";r=0')


def test_a_limit_refuses_as_http_what_is_no_request(tmp_path: Path) -> None:
    with account_service(tmp_path, PADRON_LIMITS__ENABLED="1") as client:
        headers = message("", {})["headers"]
        note = {"jsonrpc": "2.0", "method": "notifications/initialized"}
        while (answer := client.post("/mcp", json=note, headers=headers)).status_code == 202:
            pass
        assert (answer.status_code, answer.json()["code"]) == (429, "rate-limited")
        listing = client.post("/mcp", json={"jsonrpc": "2.0", "id": "a", "method": "tools/list"}, headers=headers)
        assert (listing.status_code, listing.json()["id"]) == (429, "a")
        assert listing.json()["error"]["data"]["code"] == "rate-limited"
        key = enrol(client, tmp_path).key()
        assert client.post("/mcp", **message("search_companies", {"query": "petroleo"}, **both(key))).status_code == 200


@pytest.mark.parametrize("revision", ["2025-11-25", "2025-06-18", "2025-03-26"])
def test_earlier_revisions_of_the_protocol(holder: Holder, revision: str) -> None:
    who = {"protocolVersion": revision, "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    hello = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": who}
    headers = {"accept": "application/json, text/event-stream"}
    greeting = holder.client.post("/mcp", json=hello, headers=headers)
    assert "mcp-session-id" not in greeting.headers
    assert greeting.json()["result"]["protocolVersion"] == revision
    assert greeting.json()["result"]["serverInfo"]["name"] == "padron"
    if revision > "2025-03-26":  # the header came with the next revision
        headers |= {"mcp-protocol-version": revision}
    begun = holder.client.post("/mcp", json={"jsonrpc": "2.0", "method": "notifications/initialized"}, headers=headers)
    assert (begun.status_code, begun.content) == (202, b"")
    asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    listed = holder.client.post("/mcp", json=asked, headers=headers).json()["result"]["tools"]
    assert [tool["name"] for tool in listed] == list(tools.TOOLS)


def test_a_list_counts_as_many_searches_as_it_has_rows(holder: Holder) -> None:
    def left(**body: object) -> int:
        answer = holder.client.post("/mcp", **message("match_companies", body))
        return int(answer.headers["ratelimit"].split("r=")[1].split(";")[0])

    assert left(rows=[{"name": "petroleo"}]) - left(rows=[{"name": "petroleo"}] * 5) == 5


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        ("http://127.0.0.1:8000", 200),
        ("http://localhost:6274", 200),
        ("https://evil.example", 403),
        ("null", 403),
        ("http://[", 403),
    ],
)
def test_pages_of_other_sites_are_refused(holder: Holder, origin: str, status: int) -> None:
    answer = holder.client.post("/mcp", **message("get_coverage", {}, origin=origin))
    assert answer.status_code == status
    assert status == 200 or answer.json()["code"] == "cross-site-request"


def test_bytes_that_are_no_text_are_no_message(holder: Holder) -> None:
    fields = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
    assert holder.client.post("/mcp", content=b'{"method":"\xff"}', headers=fields).status_code == 400


def test_the_transport_is_strict_and_logs_nothing_of_a_call(holder: Holder, capfd: pytest.CaptureFixture) -> None:
    client: TestClient = holder.client
    assert client.get("/mcp").status_code == 405
    assert client.post("/mcp", content=b"x" * 200_000).json()["code"] == "body-too-large"
    answer = client.post("/mcp", **message("search_companies", {"query": "secreta"}, **{"x-request-id": "abc-1"}))
    assert answer.headers["x-request-id"] == "abc-1"
    assert answer.headers["cache-control"] == "no-store"
    assert client.post("/mcp", content=b"{secreta", headers=message("", {})["headers"]).status_code == 400
    client.app.middleware_stack._observer.log.close()
    out, err = capfd.readouterr()
    assert '"route":"/mcp"' in out
    assert "secreta" not in out + err


def test_the_schemas_are_served_in_both_languages(holder: Holder) -> None:
    spanish, english = (
        holder.client.get("/mcp/tools.json", headers={"accept-language": language}).json()["tools"]
        for language in ("es", "en")
    )
    assert [tool["name"] for tool in spanish] == [tool["name"] for tool in english] == list(tools.TOOLS)
    for tool, same in zip(spanish, english, strict=True):
        assert tool["title"] != same["title"]
        assert sorted(tool["description"].split("\n\n")) == sorted(same["description"].split("\n\n"))
        for schema in (tool["inputSchema"], tool["outputSchema"]):
            assert schema["type"] == "object"
            jsonschema_rs.meta.validate(schema)


def deep(levels: int) -> object:
    value: object = 0
    for _ in range(levels):
        value = {"": value}
    return value


DEAR = {
    "deep": {"name": "get_coverage", "_meta": {"io.modelcontextprotocol/clientCapabilities": deep(40)}},
    "deep arguments": {"name": "get_coverage", "arguments": deep(40)},
    "many members": {"name": "get_coverage", "inputResponses": {"a": {"content": [{}] * 300}}},
    "behind a text": {"name": 'get_coverage\\"', "inputResponses": {"a[": {"content": [5] * 300}}},
}
"""Parameters of calls that the library of the protocol would take long for."""


@pytest.mark.parametrize("params", DEAR.values(), ids=DEAR)
def test_what_would_take_the_library_long_is_refused_before_it_reads_it(
    small: Directory, params: dict[str, object]
) -> None:
    with TestClient(build_app(load({"PADRON_LIMITS__ENABLED": "0"}), small)) as client:
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        answer = client.post("/mcp", json=message)
    assert (answer.status_code, answer.json()["code"]) == (400, "message-too-complex")


def test_the_arguments_of_a_tool_may_have_as_many_values_as_it_takes(small: Directory) -> None:
    rows = [{"name": "Ecopetrol S.A.", "country": "CO", "city": "[Bogotá], {D.C.}"}] * MOST_ROWS

    async def visit() -> dict:
        async with over_http(small) as client:
            return await result_of(client, "match_companies", rows=rows)

    assert run(visit())["counts"] == {"found": MOST_ROWS}


@pytest.mark.parametrize("text", [r"\ud800", r"a\uDC00\ud800"])
@pytest.mark.parametrize("place", ['"query": "%s"', '"%s": "query"', '"query": "a", "%s": [{"%s": 1}]'])
def test_half_of_a_pair_is_no_text(small: Directory, place: str, text: str) -> None:
    with TestClient(build_app(load({"PADRON_LIMITS__ENABLED": "0"}), small)) as client:
        arguments = place.replace("%s", text)
        params = f'{{"name": "search_companies", "arguments": {{{arguments}}}}}'
        message = f'{{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {params}}}'
        answer = client.post("/mcp", content=message.encode())
    assert (answer.status_code, answer.json()["code"]) == (400, "malformed-json")
