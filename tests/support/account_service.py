"""The authenticated service over a small directory in memory, and how a person goes through it."""

from __future__ import annotations

import asyncio
import email
import email.policy
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from datetime import date
from pathlib import Path
from threading import Lock
from typing import NamedTuple

import httpx2
import pyotp
from starlette.applications import Starlette
from starlette.testclient import TestClient

from memory_directory import HINT, ROWS, MemoryDirectory
from padron.api import public
from padron.companies.company import Details
from padron.companies.model import EntitySource, Figure, Filing, Name, Statement
from padron.config import Settings, load
from padron.countries import REGISTRY
from padron.errors import NotFound
from padron.lists.rows import ListRow, RowMatch
from padron.lookup.detail import Detail, DetailedMatch, LocatedDetail
from padron.mcp import endpoint as mcp
from padron.questions.answer import QuestionAnswer
from padron.questions.interpretation import QuestionInterpretation
from padron.questions.results import Question, QuestionResult
from padron.releases.change_log import ChangeFilter, ChangePage
from padron.service.accounts import Services
from padron.transport import health
from padron.transport.client_limits import ClientLimits
from padron.transport.middleware import Middleware
from padron.transport.observability import Metrics, Observer, StructuredLog
from padron.web import routes as web_routes
from padron.web.site import Site
from padron.words import Language, Text
from ports import free_port
from waiting import PATIENCE, until

PASSWORD = "caballo correcto bateria grapa"
ROOT = Path(__file__).parents[2]


class DetailedDirectory(MemoryDirectory):
    """The rows of `MemoryDirectory` in full; the Brazilian company has two yearly statements."""

    async def ask(self, question: Question, language: Language) -> QuestionAnswer:
        """Answer by name alone: enough for every test but those of agentic search itself."""
        answer = await self.search(question.q, country=question.country, limit=50, language=language)
        results = [
            DetailedMatch(
                self._detail(
                    (await self.get(teaser.country_code, teaser.identifier, language)).record, teaser.confidence
                ),
                0.9,
                "legalName",
                {"sameName": 4.2},
                Text("razón social", "legal name"),
                Text("es la empresa buscada", "is the company you are looking for"),
                mistyped=False,
            )
            for teaser in answer.results
        ]
        page = results[question.start : question.start + question.limit]
        made = QuestionInterpretation("es", (), False, 0, None, (), question=False, text=question.q)
        return QuestionAnswer(
            plan=QuestionResult(made, [], [], None),
            understood=[],
            verdict="found" if results else "not_found",
            sentence=Text("Es una prueba.", "It is a test."),
            best=results[0] if results else None,
            results=page,
            more=question.start + len(page) < len(results),
            total=len(results),
            hints=[] if question.country else [HINT],
            parts=[],
            searched=[],
            next_steps=[],
        )

    async def details(self, country: str, raw: str, language: Language) -> LocatedDetail:
        match = await self.get(country, raw, language)
        return LocatedDetail(
            self.release, self._detail(match.record), match.requested, match.alias, match.branch, mistyped=False
        )

    async def match(self, row: ListRow, language: Language) -> RowMatch:
        try:
            results = (await self.search(row.name, country=None, limit=2, language=language)).results
        except NotFound:
            results = []
        company, second = (*results, None, None)[:2]
        verdict = "found" if company else "not_found"
        matched_on = "legalName" if company else None
        return RowMatch(
            verdict=verdict, company=company, matched_on=matched_on, second=second, conflicts=[], reason="Prueba."
        )

    async def changes(self, cursor: str | None, limit: int, wanted: ChangeFilter) -> ChangePage:
        row = ROWS[0]
        change = dict(zip(("country", "scheme", "identifier", "name"), row, strict=False))
        change |= {"change": "renamed", "before": "LA VIEJA", "after": row[3], "release": self.release}
        change["at"] = "2026-03-01T00:00:00+00:00"
        shown = cursor is None and wanted.country in {None, "EC"} and wanted.kind in {None, "renamed"}
        return ChangePage([change] if shown else [], "1-100", more=False)

    async def check_changes(self) -> None:
        pass

    async def end_of_changes(self) -> str:
        return "1-100"

    def hides(self, country: str, numbers: list[tuple[str, str]]) -> bool:
        return False

    async def statements(self, country: str, raw: str, language: Language) -> Sequence[Statement]:
        if (await self.get(country, raw, language)).record.country_code != "BR":
            return []
        source = EntitySource(key="cvm", name="DFP", publisher="CVM", url=None, licence="ODbL", attribution="CVM")
        label = Text("Ingresos", "Revenue").of(language)
        return [
            Statement(
                fiscal_year=year,
                period_start=date(year, 1, 1),
                period_end=date(year, 12, 31),
                currency="BRL",
                unit=1,
                scope="consolidated",
                figures=[Figure(key="revenue", label=label, amount=amount, basis="3.01", first_reported=None)],
                employees=None,
                restated=year == 2022,
                filing=Filing(form="DFP", reference="1", filed_on=date(year + 1, 3, 1)),
                source=source,
                checks=[],
            )
            for year, amount in ((2023, "511994000000"), (2022, "641256000000"))
        ]

    def _detail(self, record, confidence=None) -> Detail:
        country = REGISTRY[record.country_code]
        row = next(row for row in ROWS if row[2] == record.identifier)
        form = next((form for form in country.legal_forms if form.code == "sa"), None)
        record = type(record)(
            **{name: getattr(record, name) for name in record.__struct_fields__} | {"confidence": confidence}
        )
        return Detail(
            record=record,
            details=Details(
                **dict.fromkeys(Details._fields)
                | {
                    "status_raw": "ACTIVA",
                    "region": "Pichincha",
                    "municipality": "Quito",
                    "incorporated": date(1957, 11, 26),
                    "establishments": 3,
                }
            ),
            form=form,
            names=(Name("former", "ANTES S.A.", "1990-01-01", "2001-12-31"),),
            identifiers=tuple((country.schemes[-1].code, country.schemes[-1].label, value) for value in row[4]),
            sources=country.sources[:1],
            provenance={"legal_name": country.sources[0].key},
            name_alone=False,
            link=None,
        )


def app_of(
    settings: Settings, account_service: DetailedDirectory | None = None, counters: Path | None = None
) -> Starlette:
    """The service as `padron.service.app` puts it together, over `account_service`."""
    directory = account_service or DetailedDirectory(settings.base_url)
    observer = Observer(StructuredLog(), Metrics())
    # The first round of payments is over before the first request: else it may find what that has begun.
    reconciled = asyncio.Event()

    def report(part: str, fault: str | None) -> None:
        observer.lost(part, fault)
        if part in {"accounts", "billing"}:
            reconciled.set()

    def succeeded(task: str) -> None:
        if task == "payments":
            reconciled.set()

    services = Services(settings, report, succeeded, counters)
    # Whoever sends mails waits for the sender that runs beside: all that were due have then arrived.
    turn, send_due = Lock(), services.mail_sender.send_due

    def send_in_turn() -> int:
        with turn:
            return send_due()

    services.mail_sender.send_due = send_in_turn
    client_limits = ClientLimits(services.limiter, services.plans.anonymous, settings.server.trusted_proxies)

    @asynccontextmanager
    async def lifespan(_):
        async with services.running(lambda: directory):
            await asyncio.wait_for(reconciled.wait(), PATIENCE)
            yield
        observer.close()

    app = Starlette(
        routes=[
            *services.routes(lambda: directory),
            *public.routes(client_limits, lambda: directory, settings.base_url),
            *health.routes(lambda: directory, observer),
            *mcp.routes(client_limits, services.authenticator, lambda: directory, settings.base_url),
            *web_routes.routes(
                Site(settings.base_url, settings.mail.address),
                client_limits,
                lambda: directory,
                services.context,
                services.watching.watchlists,
                services.sandbox,
            ),
        ],
        lifespan=lifespan,
    )
    app.middleware_stack = Middleware(app.router, observer, check_target=services.authenticator.check_target)
    app.router.redirect_slashes = False
    app.state.services, app.state.observer = services, observer
    return app


class Holder(NamedTuple):
    """An account holder: the client with the session, and the services behind the app."""

    client: TestClient
    services: Services
    data: Path

    def key(self, name: str = "uno", **fields) -> str:
        response = self.client.post("/api/account/keys", json={"name": name, **fields})
        assert response.status_code == 201, response.text
        return response.json()["apiKey"]

    def mails(self) -> list[str]:
        return letters(self.data)


def letters(data: Path, to: str = "", at_least: int = 1) -> list[str]:
    """The mails in the folder to an address, oldest first, as text; waits until there are `at_least` so many."""

    def sent() -> list[str]:
        files = sorted((data / "mail").glob("[0-9]*.eml"), key=lambda path: path.stat().st_mtime_ns)
        mails = [email.message_from_bytes(path.read_bytes(), policy=email.policy.default) for path in files]
        return [f"{mail['To']}\n{mail['Subject']}\n{mail.get_content()}" for mail in mails if to in mail["To"]]

    return until(lambda: texts if len(texts := sent()) >= at_least else [])


def token_in(letter: str) -> str:
    return letter.split("#token=")[1].split(maxsplit=1)[0]


def both(key: str) -> dict[str, str]:
    """The two header fields."""
    return {"authorization": f"Bearer {key}", "apikey": key}


@contextmanager
def account_service(data: Path, base_url: str = "http://127.0.0.1:8000", **variables: str) -> Iterator[TestClient]:
    """A client of the service with its data in `data`; `variables` are settings."""
    settings = load({"PADRON_LIMITS__ENABLED": "0", "PADRON_BASE_URL": base_url} | variables, data=data)
    with TestClient(app_of(settings), base_url=base_url, follow_redirects=False) as client:
        yield client


def enrol(client: TestClient, data: Path, address: str = "ana@example.ec") -> Holder:
    """Sign up and prove the address."""
    services = client.app.state.services
    response = client.post("/api/account", json={"email": address, "password": PASSWORD})
    assert response.status_code == 202, response.text
    services.mail_sender.send_due()
    token = token_in(letters(data, address)[-1])
    response = client.post("/api/account/verify", json={"token": token, "password": PASSWORD})
    assert response.status_code == 200, response.text
    return Holder(client, services, data)


def guard(holder: Holder) -> tuple[pyotp.TOTP, list[str]]:
    """Turn the second factor on; gives the app and the recovery codes.

    From then on the clock of the service stands still: no code ages between two lines of a test.
    """
    base, store = "/api/account/second-factor", holder.services.store
    now = store.now()
    store._clock = lambda: now
    app = pyotp.TOTP(holder.client.post(base, json={"password": PASSWORD}).json()["secret"])
    confirmed = holder.client.post(f"{base}/confirm", json={"code": app.at(now)})
    return app, confirmed.json()["recoveryCodes"]


def buy(holder: Holder, plan: str) -> None:
    """Buy a plan at the sandbox of the payment provider."""
    address = holder.client.post("/api/account/checkout", json={"planId": plan}).json()["checkoutUrl"]
    path = address.split("?")[0].removeprefix(holder.services.context.session_cookie._origin)
    assert holder.client.post(path, data={"move": "complete"}).status_code == 200


def sign_up(client: httpx2.Client, data: Path, address: str = "ana@example.ec") -> str:
    """Sign up over HTTP, prove the address by the mail in the data folder, make a key."""
    signed = client.post("/api/account", json={"email": address, "password": PASSWORD})
    assert signed.status_code == 202, signed.text
    token = token_in(letters(data, address)[0])
    assert client.post("/api/account/verify", json={"token": token, "password": PASSWORD}).status_code == 200
    made = client.post("/api/account/keys", json={"name": "uno"})
    assert made.status_code == 201, made.text
    return made.json()["apiKey"]


def is_alive(process: subprocess.Popen, base: str) -> bool:
    """True once the service answers; fail if it has ended."""
    assert process.poll() is None, f"the service ended with {process.returncode}"
    try:
        return httpx2.get(f"{base}/healthz", timeout=PATIENCE).status_code == 200
    except httpx2.TransportError:
        return False


@contextmanager
def served(data: Path, workers: int = 1, **variables: str) -> Iterator[tuple[subprocess.Popen, str]]:
    """The service in processes of its own: the supervisor, and the base address."""
    port = free_port()
    base = f"http://127.0.0.1:{port}"
    environment = os.environ | {"PADRON_BASE_URL": base, "PADRON_DATA": str(data)} | variables
    environment["PYTHONPATH"] = os.pathsep.join(str(ROOT / part) for part in ("src", "tests/support"))
    with (data / "out.log").open("ab") as log:
        process = subprocess.Popen(
            [sys.executable, str(ROOT / "tests/support/account_server.py"), str(port), str(workers)],
            env=environment,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    try:
        until(lambda: is_alive(process, base))
        yield process, base
    finally:
        process.terminate()
        try:
            process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
