"""The Python client with the real service: journeys, types, documents, the wheel. More of it: clients/python/tests."""

from __future__ import annotations

import asyncio
import copy
import csv
import io
import json
import os
import re
import runpy
import subprocess
import sys
import tomllib
import venv
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx2
import pytest

from account_service import both
from padron_client import (
    APIStatusError,
    AsyncPadron,
    AuthenticationError,
    BadRequestError,
    NotFoundError,
    Padron,
    PermissionDeniedError,
    RateLimitError,
    Row,
)
from process import Server
from waiting import until

ROOT = Path(__file__).parents[2]
CLIENT = ROOT / "clients/python"
READMES = ["README.md", "README.es.md"]
_BLOCK = re.compile(r"^```(python|sh)\n(.*?)^```$(?:\n+```text\n(.*?)^```$)?", re.DOTALL | re.MULTILINE)


class Wire(httpx2.HTTPTransport):
    """A transport that sends as the library would, and records requests and status codes."""

    def __init__(self) -> None:
        super().__init__()
        self.passed: list[tuple[httpx2.Request, int]] = []

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        response = super().handle_request(request)
        self.passed.append((request, response.status_code))
        return response


def pay(server: Server, key: str, checkout_url: str) -> None:
    """Go to the sandbox and pay there; wait until the service has noticed."""
    page = httpx2.URL(checkout_url).copy_with(port=server.port)
    assert httpx2.post(page, data={"move": "complete"}).status_code == 200
    until(lambda: httpx2.get(f"{server.url}/api/v1/usage", headers=both(key)).json()["plan"] != "free")


def test_from_a_key_to_financials(server: Server, new_key: Callable[[str], str]) -> None:
    wire, key = Wire(), new_key("threads@example.ec")
    with Padron(api_key=key, base_url=server.url, language="en", transport=wire) as padron:
        best = padron.search("apple inc", country="US", limit=3).best_match
        assert best is not None
        assert (best.legal_name, best.country_code, best.identifier) == ("Apple Inc.", "US", "320193")
        company = padron.get(best.country_code, best.identifier)
        assert (company.entity.legal_name, company.requested_identifier.match) == ("Apple Inc.", "primary")
        with pytest.raises(PermissionDeniedError) as refused:
            padron.financials("US", "320193")
        assert (refused.value.status, refused.value.code) == (403, "plan-required")
        assert refused.value.problem is not None
        assert "Pro, Business" in refused.value.problem.detail
        checkout = padron.checkout(plan_id="pro", idempotency_key="order-17")
        assert padron.checkout(plan_id="pro", idempotency_key="order-17") == checkout
        pay(server, key, checkout.checkout_url)
        history = padron.financials("US", "320193")
        assert [statement.fiscal_year for statement in history.statements][:2] == [2025, 2024]
        revenue = next(figure for figure in history.statements[0].figures if figure.key == "revenue")
        assert (revenue.amount, history.statements[0].currency) == ("416161000000", "USD")
        rows = [*csv.DictReader(io.StringIO(padron.financials_csv("US", "320193")))]
        revenues = [row["value"] for row in rows if (row["key"], row["measure"]) == ("revenue", "amount")]
        assert revenues[0] == revenue.amount
        with pytest.raises(APIStatusError) as held:
            padron.checkout(plan_id="pro")
        assert (type(held.value), held.value.code) == (APIStatusError, "plan-already-active")
        coverage = padron.coverage()
        assert coverage.total == sum(country.companies for country in coverage.countries) > 130_000
        assert [result.identifier for result in padron.iter_search("petrobras", page_size=2)][:1] == ["33000167000101"]
    for request, _ in wire.passed:
        assert request.headers["authorization"] == f"Bearer {request.headers['apikey']}"


def test_the_same_with_asyncio(server: Server, new_key: Callable[[str], str]) -> None:
    key = new_key("asyncio@example.ec")

    async def journey() -> None:
        async with AsyncPadron(api_key=key, base_url=server.url) as padron:
            results, company = await asyncio.gather(padron.search("petrobras"), padron.get("BR", "33.000.167/0001-01"))
            assert results.best_match is not None
            assert company.entity.identifier == results.best_match.identifier == "33000167000101"
            with pytest.raises(PermissionDeniedError):
                await padron.financials("US", "320193")
            checkout = await padron.checkout(plan_id="business")
            await asyncio.to_thread(pay, server, key, checkout.checkout_url)
            assert len((await padron.financials("US", "320193")).statements) > 5
            assert (await padron.financials_csv("US", "320193")).startswith("countryCode,identifier,")
            assert (await padron.coverage()).total > 130_000
            pages = [result.identifier async for result in padron.iter_search("petrobras", page_size=2)]
            assert pages[0] == "33000167000101"
            assert len(pages) == len(set(pages)) > 2

    asyncio.run(journey())


def test_usage_changes_and_a_list(server: Server, new_key: Callable[[str], str]) -> None:
    with Padron(api_key=new_key("rest@example.ec"), base_url=server.url) as padron:
        rows: list[Row] = [{"name": "Petrobras", "country": "BR"}, {"identifier": "320193", "country": "US"}]
        companies = [match.company for match in padron.match(rows).matches]
        assert [company and company.legal_name for company in companies] == [
            "PETRÓLEO BRASILEIRO S.A. - PETROBRAS",
            "Apple Inc.",
        ]
        assert padron.usage().plan == "free"
        assert padron.changes(limit=1).more is False


def test_what_is_refused(server: Server, new_key: Callable[[str], str]) -> None:
    with Padron(api_key=new_key("refused@example.ec"), base_url=server.url) as padron:
        with pytest.raises(BadRequestError) as bad:
            padron.search("petrobras", limit=51)
        assert bad.value.problem is not None
        assert bad.value.problem.errors is not None
        assert bad.value.problem.errors[0].parameter == "limit"
        with pytest.raises(NotFoundError) as unknown:
            padron.get("BR", "11.222.333/0001-81")
        assert unknown.value.code == "company-not-found"
        assert unknown.value.request_id
    with Padron(api_key="pdr_live_nobody", base_url=server.url) as padron:
        with pytest.raises(AuthenticationError) as nobody:
            padron.search("petrobras")
        assert nobody.value.code == "key-malformed"


def test_the_same_again_is_not_sent_again(server: Server, new_key: Callable[[str], str]) -> None:
    wire = Wire()
    key = new_key("cache@example.ec")
    with Padron(api_key=key, base_url=server.url, cache={}, transport=wire) as padron:
        assert padron.get("BR", "33000167000101") == padron.get("BR", "33000167000101")
        assert padron.coverage() == padron.coverage()
    assert [status for _, status in wire.passed] == [200, 304, 200, 304]


def test_too_many_requests(server: Server, new_key: Callable[[str], str]) -> None:
    padron = Padron(api_key=new_key("busy@example.ec"), base_url=server.url, max_retries=0)
    with padron, pytest.raises(RateLimitError) as limited:
        list(map(padron.get, ["US"] * 120, ["320193"] * 120))  # 61, or more where a minute ends meanwhile
    assert limited.value.code == "rate-limited"
    assert limited.value.retry_after is not None
    assert 0 < limited.value.retry_after <= 60


def test_the_types_are_those_the_service_describes(server: Server) -> None:
    """`python clients/python/generate.py http://127.0.0.1:8000` brings them up to date."""
    generate = runpy.run_path(str(CLIENT / "generate.py"))
    served = generate["described"](server.url)
    assert generate["module"](served) == generate["TARGET"].read_text("utf-8")
    changed = copy.deepcopy(served)
    changed[0]["components"]["schemas"]["V1Record"]["required"].remove("links")
    assert generate["module"](changed) != generate["TARGET"].read_text("utf-8")
    for unknown in ({"oneOf": []}, {"type": "string", "format": "time"}, {"type": "string"}):
        changed[0]["components"]["schemas"]["V1Record"]["properties"]["links"] = unknown
        with pytest.raises((ValueError, KeyError)):
            generate["module"](changed)


def test_it_knows_neither_the_service_nor_an_agent_harness() -> None:
    """Modules loaded with the package in a fresh interpreter; its imports are checked in clients/python/tests."""
    strangers = {"padron", "mcp", "openai", "anthropic", "langchain", "langchain_core", "llama_index", "agents"}
    path = {"PYTHONPATH": os.pathsep.join([str(CLIENT / "src"), str(ROOT / "src")])}

    def loaded(module: str) -> set[str]:
        code = f"import {module}, sys; print(*{{name.partition('.')[0] for name in sys.modules}})"
        return set(run([sys.executable, "-c", code], path, ROOT).split())

    assert loaded("padron_client.command") & strangers == set()
    assert loaded("padron.companies.model") & strangers == {"padron"}


@pytest.fixture(scope="module")
def reader(server: Server, new_key: Callable[[str], str], tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment of a reader whose plan is Pro."""
    key = new_key("reader@example.ec")
    with Padron(api_key=key, base_url=server.url) as padron:
        pay(server, key, padron.checkout(plan_id="pro").checkout_url)
    folder = tmp_path_factory.mktemp("bin")
    command = folder / "padron-client"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m padron_client.command "$@"\n')
    command.chmod(0o755)
    return {
        "PADRON_API_KEY": key,
        "PYTHONPATH": str(CLIENT / "src"),
        "PATH": f"{folder}:{os.environ['PATH']}",
        "LANG": "en",
    }


def blocks(name: str, kind: str) -> Iterator[tuple[str, str]]:
    """The code blocks of a README, and what they say they print."""
    for language, text, shown in _BLOCK.findall((CLIENT / name).read_text("utf-8")):
        if language == kind:
            yield text, shown


def at(server: Server, text: str) -> str:
    """The text with the address of this server, where it names one or means the usual one."""
    text = text.replace("http://127.0.0.1:8000", server.url)
    return re.sub(r"api_key=key(?!, base_url)", f'api_key=key, base_url="{server.url}"', text)


def run(command: list[str], environment: dict[str, str], folder: Path) -> str:
    done = subprocess.run(command, env=environment, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{command[-1]}\n{done.stdout}{done.stderr}"
    return done.stdout


@pytest.mark.parametrize("name", READMES)
def test_every_block_of_the_documents_runs(name: str, server: Server, reader: dict[str, str], tmp_path: Path) -> None:
    programs = list(blocks(name, "python"))
    assert len(programs) >= 6
    assert "Padron(api_key=key" in programs[0][0]
    everything = "\n".join(
        f"print('-- {number}', flush=True)\ndef block_{number}():\n"
        + "".join(f"    {line}\n" if line else "\n" for line in at(server, text).splitlines())
        + f"block_{number}()\n"
        for number, (text, _) in enumerate(programs)
    )
    (tmp_path / "blocks.py").write_text(everything, encoding="utf-8")
    output = run([sys.executable, "-W", "error", "blocks.py"], reader, tmp_path)
    for number, (text, shown) in enumerate(programs):
        printed = output.partition(f"-- {number}\n")[2].partition("-- ")[0]
        assert printed == shown, text
    commands = [block for block in blocks(name, "sh") if block[0].startswith("padron-client")]
    assert commands
    for text, shown in commands:
        assert run(["bash", "-c", text], reader | {"PADRON_BASE_URL": server.url}, tmp_path) == shown


def test_the_documents_are_twins() -> None:
    english, spanish = (list(blocks(name, "python")) for name in READMES)
    assert [shown for _, shown in english] == [shown for _, shown in spanish]
    headings = [len(re.findall(r"^## ", (CLIENT / name).read_text("utf-8"), re.MULTILINE)) for name in READMES]
    assert headings[0] == headings[1] >= 6


def test_every_option_and_error_is_in_the_documents() -> None:
    table = json.loads((ROOT / "clients/cases.json").read_text("utf-8"))
    names = [row["name"] for row in table["errors"]]
    options = ["api_key", "base_url", "timeout", "max_retries", "language", "cache", "transport"]
    for name in READMES:
        text = (CLIENT / name).read_text("utf-8")
        assert [
            word
            for word in [*names, *options, "iter_search", "idempotency_key", "with_options", "with_raw_response"]
            if not re.search(rf"\b{word}\b", text)
        ] == []


def test_links_of_the_package_lead_somewhere_outside_the_repository() -> None:
    project = tomllib.loads((CLIENT / "pyproject.toml").read_text("utf-8"))
    packed = project["tool"]["hatch"]["build"]["targets"]["sdist"]["include"]
    for name in READMES:
        links = re.findall(r"\]\(([^)#:]+)\)", (CLIENT / name).read_text("utf-8"))
        assert links
        assert [link for link in links if link not in packed] == []


def test_the_licence_goes_with_the_package() -> None:
    assert (CLIENT / "LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()


def needed() -> list[str]:
    """Requirements of the package, with versions."""
    project = tomllib.loads((CLIENT / "pyproject.toml").read_text("utf-8"))["project"]
    dependencies: list[str] = project["dependencies"]
    return dependencies


@pytest.mark.verify
@pytest.mark.parametrize("checker", [["mypy"], ["pyright", "--pythonpath", sys.executable]], ids=["mypy", "pyright"])
def test_a_wrong_use_is_caught_by_the_type_checkers(checker: list[str], tmp_path: Path) -> None:
    wrong = (
        "padron.search(5)",
        "padron.search('x', 'EC')",
        "padron.get('EC')",
        "padron.checkout('pro')",
        "padron.coverage().sum",
        "padron.search('x').best_match.identifier",
        "Padron('k')",
        "AsyncPadron(api_key='k', language='pt')",
    )
    head = "from padron_client import AsyncPadron, Padron\n\npadron = Padron(api_key='k')\n"
    lines = [f"print({line})\n" for line in wrong]
    (tmp_path / "wrong.py").write_text(head + "".join(lines), encoding="utf-8")
    (tmp_path / "pyrightconfig.json").write_text(json.dumps({"extraPaths": [str(CLIENT / "src")]}), encoding="utf-8")
    environment = os.environ | {"MYPYPATH": str(CLIENT / "src"), "PYRIGHT_PYTHON_IGNORE_WARNINGS": "1"}
    command = [sys.executable, "-m", *checker, "wrong.py"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stdout + done.stderr
    lines = {int(number) for number in re.findall(r"wrong\.py:(\d+):.*error", done.stdout)}
    assert lines == set(range(4, 4 + len(wrong))), done.stdout


@pytest.mark.release_check
def test_the_wheel_alone_runs_the_first_example(server: Server, reader: dict[str, str], tmp_path: Path) -> None:
    """The wheel is made from the source distribution, as `python -m build` does."""
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    pack = [sys.executable, "-m", "hatchling", "build", "--target", "sdist", "--directory", str(tmp_path)]
    subprocess.run(pack, cwd=CLIENT, check=True, capture_output=True)
    (source,) = tmp_path.glob("padron_client-*.tar.gz")
    build = [*pip, "wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", str(tmp_path), str(source)]
    subprocess.run(build, check=True)
    (wheel,) = tmp_path.glob("padron_client-*.whl")
    packed = set(zipfile.ZipFile(wheel).namelist())
    assert {"padron_client/py.typed", "padron_client/types.py"} < packed
    assert any(name.endswith("licenses/LICENSE") for name in packed)
    venv.create(tmp_path / "alone", with_pip=True)
    bin_ = tmp_path / "alone/bin"
    install = [str(bin_ / "python"), "-m", "pip", "--disable-pip-version-check", "--quiet", "install", str(wheel)]
    subprocess.run(install, check=True)
    alone = {"PADRON_API_KEY": reader["PADRON_API_KEY"], "LANG": "en"}
    text, shown = next(blocks("README.md", "python"))
    assert run([str(bin_ / "python"), "-W", "error", "-c", at(server, text)], alone, tmp_path) == shown
    output = run([str(bin_ / "padron-client"), "search", "petrobras", "--base-url", server.url], alone, tmp_path)
    assert "33000167000101" in output
    oldest = [item.partition(",")[0].replace(">=", "==") for item in needed()]
    subprocess.run([*install[:-1], *oldest], check=True)
    assert run([str(bin_ / "python"), "-W", "error", "-c", at(server, text)], alone, tmp_path) == shown
    freeze = [str(bin_ / "python"), "-m", "pip", "--disable-pip-version-check", "list", "--format=freeze"]
    installed = {line.partition("==")[0].lower() for line in run(freeze, {}, tmp_path).split()}
    assert {re.split(r"[<>=]", item)[0] for item in needed()} < installed
    assert "padron" not in installed
