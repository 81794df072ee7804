"""Both clients keep watchlists and webhooks at the real service, and have a method for each operation of the API."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import httpx2
import pytest
import trustme
import uvicorn

from account_service import app_of, sign_up
from node_tools import CLIENT, TOOLS, run
from padron.config import load
from padron_client import (
    APIStatusError,
    AsyncPadron,
    BadRequestError,
    CompanyToWatch,
    NotFoundError,
    Padron,
    verify_webhook,
)
from padron_client.types import MessageShown
from ports import free_port
from process import Server
from waiting import PATIENCE, until
from webhook_receiver import Receiver, receiving, trusting

OTHER_NAMES = {
    "getEntity": "get",
    "getFinancials": "financials",
    "matchList": "match",
    "listChanges": "changes",
    "getUsage": "usage",
    "startCheckout": "checkout",
}
"""Operation -> the method of the clients, where that has not its name."""
FAVORITA: CompanyToWatch = {"country": "EC", "identifier": "1790016919001"}
NOBODY: CompanyToWatch = {"country": "EC", "identifier": "1790016927001"}


class Service(NamedTuple):
    """A service that may send to a receiver on this machine."""

    url: str
    data: Path
    receiver: Receiver

    def key(self, address: str) -> str:
        """The key of a new account."""
        with httpx2.Client(base_url=self.url) as browser:
            return sign_up(browser, self.data, address)


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    data, port = tmp_path_factory.mktemp("watching"), free_port()
    url, authority = f"http://127.0.0.1:{port}", trustme.CA()
    app = app_of(load({"PADRON_LIMITS__ENABLED": "0", "PADRON_BASE_URL": url}, data=data))
    own, sender = app.state.services.watching.sender, trusting(authority)
    own.resolve, own.is_allowed, own._context = sender.resolve, sender.is_allowed, sender._context
    server = uvicorn.Server(uvicorn.Config(app, port=port, log_level="error"))
    thread = threading.Thread(target=server.run)
    with receiving(authority) as receiver:
        thread.start()
        until(lambda: server.started)
        yield Service(url, data, receiver)
        server.should_exit = True
        thread.join(PATIENCE)


def test_watchlists_and_webhooks(service: Service) -> None:
    with Padron(api_key=service.key("threads@example.ec"), base_url=service.url, language="en") as padron:
        assert padron.list_watchlists().watchlists == []
        made = padron.create_watchlist("Suppliers")
        with pytest.raises(APIStatusError) as taken:
            padron.create_watchlist("Suppliers")
        assert (taken.value.status, taken.value.code) == (409, "watchlist-name-taken")
        changed = padron.change_watchlist(
            made.id, add_companies=[FAVORITA, NOBODY], add_searches=[{"text": "petrobras", "country": "BR"}]
        )
        assert (changed.added, changed.removed) == (2, 0)
        assert [(entry.pointer, entry.code) for entry in changed.refused] == [("#/addCompanies/1", "company-not-found")]
        assert padron.change_watchlist(made.id, name="Vendors", remove_companies=[NOBODY]).watchlist.name == "Vendors"
        content = padron.get_watchlist(made.id, limit=1)
        assert [(entry.country_code, entry.identifier) for entry in content.companies] == [("EC", "1790016919001")]
        assert [search.text for search in content.searches] == ["petrobras"]
        assert content.next_cursor is None
        assert padron.list_watchlists().watchlists == [content.watchlist]
        assert [change.identifier for change in padron.changes(watchlist=made.id).changes] == ["1790016919001"]
        with pytest.raises(NotFoundError):
            padron.changes(watchlist="wl_0123456789abcdef01234567")
        removed = padron.change_watchlist(made.id, remove_searches=[content.searches[0].id])
        assert (removed.removed, removed.watchlist.searches) == (1, 0)

        with pytest.raises(BadRequestError) as private:
            padron.create_webhook(url="http://hooks.example.ec/", watchlist=made.id)
        assert private.value.code == "bad-webhook-url"
        hook = padron.create_webhook(url=service.receiver.url, watchlist=made.id)
        assert padron.list_webhooks().webhooks == [hook.webhook]
        assert padron.change_webhook(hook.webhook.id, enabled=False).disabled_at is not None
        with pytest.raises(APIStatusError) as off:
            padron.test_webhook(hook.webhook.id)
        assert off.value.code == "webhook-disabled"
        assert padron.change_webhook(hook.webhook.id, enabled=True).disabled_at is None
        message = padron.test_webhook(hook.webhook.id)
        assert delivered(lambda: padron.get_webhook(hook.webhook.id).messages, message.id).status == 204
        fields, body = next(each for each in service.receiver.received if each[0]["webhook-id"] == message.id)
        assert verify_webhook(body, fields, hook.secret)["type"] == "webhook.test"
        rotated = padron.rotate_webhook_secret(hook.webhook.id, overlap_seconds=0)
        assert rotated.secret != hook.secret
        padron.delete_webhook(hook.webhook.id)
        with pytest.raises(NotFoundError) as gone:
            padron.get_webhook(hook.webhook.id)
        assert gone.value.code == "webhook-not-found"
        padron.delete_watchlist(made.id)
        assert padron.list_watchlists().watchlists == []


def delivered(log: Callable[[], list[MessageShown]], message: str) -> MessageShown:
    """The entry of a message in the log of its webhook, once it is delivered."""
    return until(lambda: [entry for entry in log() if (entry.id, entry.state) == (message, "delivered")])[0]


def test_watchlists_and_webhooks_with_asyncio(service: Service) -> None:
    async def journey() -> list[str]:
        async with AsyncPadron(api_key=service.key("asyncio@example.ec"), base_url=service.url) as padron:
            made = await padron.create_watchlist("Proveedores")
            await padron.change_watchlist(made.id, add_companies=[FAVORITA])
            names = [entry.legal_name or "" for entry in (await padron.get_watchlist(made.id)).companies]
            hook = await padron.create_webhook(url=service.receiver.url, watchlist=made.id)
            await padron.test_webhook(hook.webhook.id)
            await padron.change_webhook(hook.webhook.id, enabled=False)
            await padron.rotate_webhook_secret(hook.webhook.id)
            listed = [(await padron.get_webhook(hook.webhook.id)).webhook.watchlist]
            listed += [webhook.watchlist for webhook in (await padron.list_webhooks()).webhooks]
            assert listed == [made.id, made.id]
            await padron.delete_webhook(hook.webhook.id)
            await padron.delete_watchlist(made.id)
            assert (await padron.list_watchlists()).watchlists == []
            return names

    assert asyncio.run(journey()) == ["CORPORACION FAVORITA C.A."]


@pytest.mark.verify
def test_watchlists_and_webhooks_with_typescript(service: Service, tmp_path: Path) -> None:
    run("npm", "run", "build")
    given = {"base": service.url, "key": service.key("typescript@example.ec"), "url": service.receiver.url}
    program = tmp_path / "watching.mjs"
    program.write_text(
        f'import * as main from "{CLIENT}/dist/index.js";\n'
        f'import * as watchlists from "{CLIENT}/dist/watchlists.js";\n'
        f'import {{ watching }} from "{CLIENT}/test/suite.mjs";\n'
        f"console.log(JSON.stringify(await watching({{ ...main, ...watchlists }}, {json.dumps(given)})));\n",
        encoding="utf-8",
    )
    message, secret = json.loads(run(TOOLS / "node", program))
    fields, body = next(each for each in service.receiver.received if each[0]["webhook-id"] == message)
    assert verify_webhook(body, fields, secret)["type"] == "webhook.test"


def without_method(document: Mapping[str, Any], methods: set[str]) -> list[str]:
    """The operations of an OpenAPI document that have no method of their name, or of `OTHER_NAMES`."""
    operations = [operation["operationId"] for item in document["paths"].values() for operation in item.values()]
    return [operation for operation in operations if OTHER_NAMES.get(operation, operation) not in methods]


def camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(map(str.capitalize, rest))


@pytest.mark.parametrize("client", [Padron, AsyncPadron])
def test_each_operation_has_a_method_in_python(client: type, server: Server) -> None:
    document = httpx2.get(f"{server.url}/api/v1/openapi.json").json()
    methods = {camel(name) for name in dir(client)}
    assert without_method(document, methods) == []
    assert without_method(document, methods - {"testWebhook", "usage"}) == ["testWebhook", "getUsage"]


def test_each_operation_has_a_method_in_typescript(server: Server) -> None:
    document = httpx2.get(f"{server.url}/api/v1/openapi.json").json()
    program = (
        f'import {{ createClient }} from "{CLIENT}/src/index.ts";\n'
        f'import {{ createWatchlistClient }} from "{CLIENT}/src/watchlists.ts";\n'
        'const options = { apiKey: "k" };\n'
        "const clients = [createClient(options), createWatchlistClient(options)];\n"
        "const names = clients.flatMap((client) => [Object.keys(client), Object.keys(client.withResponse)]);\n"
        "console.log(JSON.stringify(names));\n"
    )
    main, main_answered, watching, watching_answered = json.loads(bundled(program))
    assert without_method(document, {*main, *watching}) == []
    assert without_method(document, {*main_answered, *watching_answered}) == []
    assert len(without_method(document, set(main))) == 12


def bundled(program: str) -> str:
    """The output of a program that imports sources of the client."""
    bundle = (
        'import { rolldown } from "rolldown";\n'
        'const input = { resolveId: (id) => (id === "main" ? id : null), '
        f'load: (id) => (id === "main" ? {json.dumps(program)} : null), name: "main" }};\n'
        'const made = await rolldown({ input: "main", platform: "node", plugins: [input] });\n'
        "const { output } = await made.generate();\n"
        'await import("data:text/javascript," + encodeURIComponent(output[0].code));\n'
    )
    return run(TOOLS / "node", "--input-type=module", "--eval", bundle)
