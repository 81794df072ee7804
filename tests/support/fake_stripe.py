"""A server that speaks as much of Stripe as the service uses: customers, sessions, subscriptions, portal, events.

Requests and objects have the shapes of the pinned SDK's API version. It keeps books, so that a test can pay, fail,
cancel and then send the events late, twice or in the wrong order.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from pathlib import Path
from urllib.parse import parse_qsl

import stripe

from padron.accounts.plans import BUNDLED

KEY = "sk_test_0123456789abcdef0123456789abcdef"
WEBHOOK_SECRET = "whsec_0123456789abcdef0123456789abcdef"
MONTH = 30 * 86_400


class FakeStripe:
    """The books and the server.

    `requests` holds every request as (method, path, parameters, header fields), except those of prices.
    """

    def __init__(self) -> None:
        self.customers: dict[str, dict] = {}
        self.sessions: dict[str, dict] = {}
        self.subscriptions: dict[str, dict] = {}
        self.charges: dict[str, dict] = {}
        self.forgotten: list[str] = []
        self.invoices: list[dict] = []
        self.prices = {
            "price_pro": _price(4_900),
            "price_business": _price(24_900),
            "price_proyear": _price(49_000, "year"),
            "price_businessyear": _price(249_000, "year"),
        }
        self.requests: list[tuple[str, str, dict[str, str], dict[str, str]]] = []
        self.down = False
        self._by_key: dict[str, tuple[str, dict[str, str]]] = {}
        self._begun, self._sold = count(1), count(1)
        self._events = 0
        fake = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                self.answer("POST")

            def do_GET(self) -> None:
                self.answer("GET")

            def do_DELETE(self) -> None:
                self.answer("DELETE")

            def answer(self, method: str) -> None:
                body = self.rfile.read(int(self.headers.get("content-length") or 0)).decode()
                path, _, query = self.path.partition("?")
                given = dict(parse_qsl(body or query, keep_blank_values=True))
                fields = {name.lower(): value for name, value in self.headers.items()}
                if not path.startswith("/v1/prices/"):  # asked in the background
                    fake.requests.append((method, path, given, fields))
                status, document = fake.answer(method, path, given, fields)
                text = json.dumps(document).encode()
                self.send_response(status)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            def log_message(self, *_: object) -> None:
                """Log nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def settings(self, folder: Path) -> dict[str, str]:
        """The settings of a service that sells here, by a table of plans that it writes to `folder`."""
        return {
            "PADRON_ACCOUNTS__PLANS": priced_plans(folder),
            "PADRON_BILLING__STRIPE_KEY": KEY,
            "PADRON_BILLING__STRIPE_WEBHOOK_SECRET": WEBHOOK_SECRET,
            "PADRON_BILLING__STRIPE_URL": self.url,
        }

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def answer(self, method: str, path: str, given: dict[str, str], fields: dict[str, str]) -> tuple[int, dict]:
        if self.down:
            return 500, {"error": {"type": "api_error", "message": "down"}}
        if fields.get("authorization") != f"Bearer {KEY}":
            return 401, {"error": {"type": "invalid_request_error", "message": "bad key"}}
        parts = path.removeprefix("/v1/checkout").removeprefix("/v1").split("/")[1:]
        if method == "GET":
            return self._read(parts, given)
        if (method, path) == ("POST", "/v1/checkout/sessions"):
            return self._start(given, fields.get("idempotency-key", ""))
        if parts[0] == "sessions":
            return self._expire(parts[1])
        if parts[0] == "customers":
            return self._write_customer(method, parts[1:], given, fields)
        if parts[0] == "subscriptions":
            return self._change(method, self.subscriptions[parts[1]], given)
        if (method, path) == ("POST", "/v1/billing_portal/sessions"):
            if not self._knows(given["customer"]):
                return self._lookup(None)
            return 200, {
                "id": "bps_1", "object": "billing_portal.session", "url": f"{self.url}/p/{given['customer']}",
            }  # fmt: skip
        return 404, {"error": {"type": "invalid_request_error", "message": f"no {method} {path}"}}

    def _read(self, parts: list[str], given: dict[str, str]) -> tuple[int, dict]:
        books = {
            "prices": self.prices,
            "charges": self.charges,
            "subscriptions": self.subscriptions,
            "sessions": self.sessions,
            "customers": self.customers,
        }
        return self._list(parts[0], given) if len(parts) == 1 else self._lookup(books[parts[0]].get(parts[1]))

    def _lookup(self, thing: dict | None) -> tuple[int, dict]:
        missing = {"error": {"type": "invalid_request_error", "code": "resource_missing", "message": "none"}}
        return (200, thing) if thing else (404, missing)

    def _list(self, kind: str, given: dict[str, str]) -> tuple[int, dict]:
        """The subscriptions, invoices or sessions of a customer, of one status if it is given."""
        if given["customer"] not in self.customers:
            return self._lookup(None)
        things = {
            "subscriptions": self.subscriptions.values(),
            "invoices": self.invoices,
            "sessions": self.sessions.values(),
        }[kind]
        status = given.get("status", "all")
        own = [thing for thing in things if thing["customer"] == given["customer"]]
        own = [thing for thing in own if status in {"all", thing["status"]}]
        return 200, {"object": "list", "data": own, "has_more": False, "url": f"/v1/{kind}"}

    def _knows(self, customer: str) -> bool:
        return customer in self.customers and not self.customers[customer].get("deleted")

    def _write_customer(
        self, method: str, parts: list[str], given: dict[str, str], fields: dict[str, str]
    ) -> tuple[int, dict]:
        if not parts:
            return self._make(given, fields["idempotency-key"])
        return self._forget(parts[0]) if method == "DELETE" else self._mend(parts[0], given)

    def _make(self, given: dict[str, str], key: str) -> tuple[int, dict]:
        """A customer; the same key gives the same one again, as it was made, also where it was deleted since."""
        made = {
            "id": f"cus_{key[:14]}", "object": "customer", "email": given["email"],
            "metadata": {name[len("metadata[") : -1]: value for name, value in given.items() if "[" in name},
        }  # fmt: skip
        self.customers.setdefault(made["id"], made)
        return 200, made

    def _mend(self, customer: str, given: dict[str, str]) -> tuple[int, dict]:
        """Change the address of a customer."""
        if not self._knows(customer):
            return self._lookup(None)
        assert given.keys() == {"email"}, given
        self.customers[customer] |= given
        return 200, self.customers[customer]

    def _expire(self, session: str) -> tuple[int, dict]:
        """End a session that is open."""
        if self.sessions[session]["status"] != "open":
            return 400, {"error": {"type": "invalid_request_error", "message": "not open"}}
        self.sessions[session]["status"] = "expired"
        return 200, self.sessions[session]

    def _change(self, method: str, subscription: dict, given: dict[str, str]) -> tuple[int, dict]:
        """End a subscription, or take back its cancellation, as that was made."""
        if method == "DELETE":
            subscription["status"] = "canceled"
        elif subscription["status"] == "canceled":
            return 400, {"error": {"type": "invalid_request_error", "message": "canceled"}}
        else:
            assert given in ({"cancel_at_period_end": "false"}, {"cancel_at": ""}), given
            subscription |= {name: None if name == "cancel_at" else False for name in given}
        return 200, subscription

    def _forget(self, customer: str) -> tuple[int, dict]:
        """Delete a customer, which ends the subscriptions."""
        if not self._knows(customer):
            return self._lookup(None)
        for subscription in self.subscriptions.values():
            if subscription["customer"] == customer:
                subscription["status"] = "canceled"
        self.forgotten.append(customer)
        self.customers[customer] = {"id": customer, "object": "customer", "deleted": True}
        return 200, self.customers[customer]

    def _start(self, given: dict[str, str], key: str) -> tuple[int, dict]:
        """Begin a session; the same key gives the same one again, and takes no other parameters."""
        if key in self._by_key:
            number, before = self._by_key[key]
            if before != given:
                return 400, {"error": {"type": "idempotency_error", "message": "other parameters"}}
            return 200, self.sessions[number]
        assert given["mode"] == "subscription"
        if "customer" in given and not self._knows(given["customer"]):
            return self._lookup(None)
        number = f"cs_test_{next(self._begun)}"
        self._by_key[key] = number, given
        self.sessions[number] = {
            "id": number, "object": "checkout.session", "mode": "subscription", "status": "open",
            "url": f"{self.url}/c/{number}", "expires_at": int(time.time()) + 86_400, "subscription": None,
            "price": given["line_items[0][price]"],
            "customer": given.get("customer"), "client_reference_id": given["client_reference_id"],
            "metadata": {
                name.removeprefix("subscription_data[metadata][").removesuffix("]"): value
                for name, value in given.items()
                if name.startswith("subscription_data[metadata][")
            },
        }  # fmt: skip
        return 200, self.sessions[number]

    def pay(self, session: str) -> str:
        """The buyer pays, which makes a customer of one that is none yet; gives the id of the subscription."""
        checkout = self.sessions[session]
        assert checkout["status"] == "open"
        number = f"sub_{next(self._sold)}"
        if checkout["customer"] is None:
            checkout["customer"] = f"cus_of_{session}"
            self.customers[f"cus_of_{session}"] = {"id": f"cus_of_{session}", "object": "customer", "metadata": {}}
        checkout |= {"status": "complete", "subscription": number}
        self.subscriptions[number] = {
            "id": number, "object": "subscription", "status": "active", "customer": checkout["customer"],
            "metadata": checkout["metadata"], "cancel_at_period_end": False, "cancel_at": None,
            "items": {
                "object": "list", "data": [
                    {
                        "id": "si_1", "object": "subscription_item", "current_period_end": int(time.time()) + MONTH,
                        "price": self.prices[checkout["price"]],
                    }
                ],
            },
        }  # fmt: skip
        return number

    def event(self, kind: str, thing: dict, *, at: float | None = None) -> tuple[bytes, str]:
        """An event about a thing as it is now, and its Stripe-Signature."""
        self._events += 1
        body = json.dumps(
            {
                "id": f"evt_{self._events}", "object": "event", "type": kind, "created": int(time.time()),
                "api_version": stripe.api_version, "data": {"object": thing}, "livemode": False,
                "pending_webhooks": 1, "request": {"id": None, "idempotency_key": None},
            }
        ).encode()  # fmt: skip
        return body, sign(body, at)

    def invoice(self, subscription: str) -> dict:
        return {
            "id": "in_1", "object": "invoice",
            "parent": {
                "type": "subscription_details", "subscription_details": {"subscription": subscription, "metadata": {}},
            },
        }  # fmt: skip


def _price(amount: int, interval: str = "month") -> dict:
    return {
        "id": "price_1", "object": "price", "active": True, "unit_amount": amount, "currency": "usd",
        "tax_behavior": "exclusive", "recurring": {"interval": interval, "interval_count": 1},
    }  # fmt: skip


def priced_plans(folder: Path) -> str:
    """Write the bundled table of plans with the ids of the prices; gives its path."""
    table = BUNDLED.read_text(encoding="utf-8")
    for plan in ("pro", "business"):
        table = table.replace(
            f"[plans.{plan}]",
            f'[plans.{plan}]\nstripe_price = "price_{plan}"\nstripe_yearly_price = "price_{plan}year"',
        )
    path = folder / "priced.toml"
    path.write_text(table, encoding="utf-8")
    return str(path)


def sign(body: bytes, at: float | None = None, secret: str = WEBHOOK_SECRET) -> str:
    """The Stripe-Signature of a body."""
    moment = int(time.time() if at is None else at)
    digest = hmac.new(secret.encode(), f"{moment}.".encode() + body, hashlib.sha256).hexdigest()
    return f"t={moment},v1={digest}"
