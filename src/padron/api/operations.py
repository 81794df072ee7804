"""The operations of the public interface, of v1 and of accounts, as data for their OpenAPI documents."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Final

import msgspec

from padron.accounts.keys import SCOPES
from padron.accounts.plans import Plans, read_plans
from padron.accounts.watchlists import MOST_SAVED
from padron.accounts.webhook_sender import FAULTS as URL_FAULTS
from padron.api import billing, examples, parameters, public, v1, v1_changes, v1_watchlists
from padron.api.account_model import BuyPlan
from padron.api.account_operations import ATTEMPTS, NO_ACCOUNTS, account_interface, checkout_errors
from padron.api.openapi import Guard, Interface, Operation, SentMessage, document
from padron.api.openapi_words import sentences
from padron.api.parameters import PAGE, QUESTION_LENGTH
from padron.api.sample import not_in_sample
from padron.api.v1_match import ListBody
from padron.api.v1_match_stream import MOST_BYTES_OF_ROW
from padron.api.v1_watchlists import NewWatchlist, WatchlistChanged, WatchlistList
from padron.api.v1_webhooks import ChangeWebhook, NewWebhook, RotateSecret, WebhookContent, WebhookList
from padron.countries import REGISTRY
from padron.countries.country import names_in_words
from padron.errors import Denied, Invalid, Limited, NotFound, PadronError, Unavailable
from padron.lists.columns import MOST_COLUMNS
from padron.lists.rows import FIELDS, SentRow
from padron.transport.auth import offer
from padron.transport.connections import MOST_OF_TARGET
from padron.transport.inputs import COUNTRIES, IDENTIFIER_LENGTH, LIMIT, Q_LENGTH
from padron.words import Extracted, Language, bilingual, extracted

_PUBLIC = bilingual(
    "Companies of {countries}, from the official registers, by name or by official identifier. The texts of an answer, "
    "and of this description, are in Spanish or English, according to `Accept-Language`.\n\n"
    "`confidence` is the calibrated probability that a result is the company that was meant; it is exactly 1 only when "
    "the query is the primary identifier of exactly one company. Keys are ignored here, valid or not.\n\n"
    "The same directory speaks two protocols that describe themselves: `/mcp` (Model Context Protocol; the schemas of "
    "its tools are at `/mcp/tools.json`) and `/reconcile` (Reconciliation Service API; its address answers the "
    "manifest, and `/reconcile/key/<key>` is the same within the plan of an account).",
    countries=names_in_words(REGISTRY.values()),
)
_V1 = bilingual(
    "Full records of companies, for holders of an API key. Every request carries the key twice: "
    "`Authorization: Bearer <key>` and `apiKey: <key>`. Accounts and keys are free; paid plans give higher limits and "
    "financial statements."
)
_NOT_READY = Unavailable("not-ready")
_RATE = Limited("rate-limited", amount=60, window=60, retry_after=20)

OPEN: Final = Guard((), (Invalid("key-in-url"), _RATE, _NOT_READY))
"""Open to all, each within the quota of its address."""
API_KEY: Final = Guard(
    ("bearer", "apiKey"),
    (
        *map(
            Denied,
            (
                "credentials-missing",
                "bearer-missing",
                "apikey-missing",
                "credentials-differ",
                "key-malformed",
                "link-key",
                "key-unknown",
                "key-revoked",
                "key-expired",
            ),
        ),
        Denied("key-beyond-plan", most=5),
        Denied("account-suspended"),
        Denied("address-not-allowed"),
        Denied("origin-not-allowed"),
        not_in_sample(),
        Denied("scope-missing", scope=SCOPES[0]),
        Invalid("key-in-url"),
        Invalid("target-too-long", maximum=MOST_OF_TARGET),
        _RATE,
        Limited("too-many-failures", retry_after=20),
        NO_ACCOUNTS,
    ),
)
"""A key in both header fields."""
_RATE_LIMIT = ("RateLimit-Policy", "RateLimit")
_CACHED = ("ETag", "Cache-Control", "Content-Language", "Vary", *_RATE_LIMIT)

_PERSON = NotFound("natural-person-not-covered")
_COUNTRY = Invalid("unknown-country", parameter="country", known=COUNTRIES)


def _text_errors(parameter: str) -> tuple[PadronError, ...]:
    return Invalid("control-characters", parameter=parameter), Invalid("not-utf8", parameter=parameter)


def _search_errors(length: tuple[int, int], limit: tuple[int, int, int]) -> tuple[PadronError, ...]:
    """Errors of a search, by the bounds of `q` and of `limit`."""
    return (
        Invalid("query-missing", parameter="q"),
        Invalid("query-too-short", parameter="q", minimum=length[0]),
        Invalid("query-too-long", parameter="q", maximum=length[1]),
        _COUNTRY,
        Invalid("limit-out-of-range", parameter="limit", minimum=limit[0], maximum=limit[1]),
        Invalid("repeated-parameter", parameter="q"),
        *_text_errors("q"),
        _PERSON,
    )


_COMPANY_ERRORS: tuple[PadronError, ...] = (
    _COUNTRY,
    Invalid("invalid-identifier", parameter="identifier", country="EC"),
    Invalid("identifier-too-long", parameter="identifier", maximum=IDENTIFIER_LENGTH),
    *_text_errors("identifier"),
    NotFound(
        "company-not-found",
        hints=bilingual(
            "No company of {country} has the {scheme} {number} (data as of {date}).",
            country="Ecuador",
            scheme="RUC",
            number="9999999999999",
            date="2025-12-31",
        ),
    ),
    NotFound("identifier-not-unique", country="US", candidates=("320193", "789019")),
    _PERSON,
)


def public_interface(base_url: str) -> Interface:
    """Return the public interface of a service at `base_url`."""
    return Interface(
        title="Padron API",
        description=_PUBLIC,
        tag="public",
        headers=("X-Request-Id", "Access-Control-Allow-Origin"),
        refusal_headers=_RATE_LIMIT,
        names={"Teaser": "CompanyTeaser", "Record": "CompanyRecord"},
        closed=True,
        operations=[
            Operation(
                "get",
                f"{public.BASE}/search",
                "searchCompanies",
                "Find companies by name or official identifier, the best match first",
                200,
                examples.answer(base_url),
                OPEN,
                _search_errors(Q_LENGTH, LIMIT),
                parameters.SEARCH,
                headers=_CACHED,
                description="The matches; there may be none",
            ),
            Operation(
                "get",
                f"{public.BASE}/{{country}}/{{identifier}}",
                "getCompanyByOfficialId",
                "One company by its official identifier",
                200,
                examples.entity(base_url),
                OPEN,
                _COMPANY_ERRORS,
                parameters.COMPANY,
                headers=(*_CACHED, "Content-Location", "Identifier-Match"),
                description="The company",
            ),
            Operation(
                "get",
                f"{public.BASE}/stats",
                "getCompanyCoverage",
                "The coverage: companies by country, with their sources and dates",
                200,
                examples.coverage(),
                OPEN,
                headers=_CACHED,
                description="The content of the current release",
            ),
        ],
    )


def v1_interface(base_url: str, language: Language) -> Interface:
    """Return v1 and the checkout of a service at `base_url`; its examples are in `language`."""
    plans = read_plans()
    free, paid = plans.plan("free"), plans.opening("financials")
    more = offer(base_url, plans.above(free))
    quota = Limited("quota-exceeded", plan=free.name, amount=free.per_day, retry_after=3600, violated=("day",), **more)
    rows = Limited(
        "rows-exceeded",
        plan=free.name,
        amount=free.rows_per_day,
        left=12,
        rows=1_000,
        retry_after=3600,
        violated=("rows",),
        **more,
    )
    plan = Denied("plan-required", plans=tuple(plan.name for plan in paid), **offer(base_url, paid))
    entity = f"{v1.BASE}/entities/{{country}}/{{identifier}}"
    return Interface(
        title="Padron API v1",
        description=_V1,
        tag="v1",
        names={"SentRow": "ListRow", "AnsweredRow": "RowMatch"},
        messages=_messages(),
        operations=[
            Operation(
                "get",
                f"{v1.BASE}/search",
                "search",
                "Search companies by name, number or description, in a sentence in Spanish, English or Portuguese",
                200,
                examples.v1_answer(base_url, language),
                API_KEY,
                (
                    *_search_errors(QUESTION_LENGTH, PAGE),
                    Invalid("bad-filter", parameter="status", known=("active",)),
                    Invalid("bad-cursor", parameter="cursor"),
                    _NOT_READY,
                    quota,
                ),
                parameters.QUESTION,
                headers=(*_RATE_LIMIT, "ETag"),
            ),
            Operation(
                "get",
                entity,
                "getEntity",
                "The full record of a company, by any of its official identifiers",
                200,
                examples.v1_entity(base_url),
                API_KEY,
                (*_COMPANY_ERRORS, _NOT_READY, quota),
                parameters.COMPANY,
                headers=(*_RATE_LIMIT, "ETag", "Content-Location"),
            ),
            Operation(
                "get",
                f"{entity}/financials",
                "getFinancials",
                "Yearly statements of a company, as JSON or CSV (`Accept`)",
                200,
                examples.financials(base_url, language),
                API_KEY,
                (*_COMPANY_ERRORS, _NOT_READY, quota, plan),
                parameters.COMPANY,
                headers=_RATE_LIMIT,
                csv="countryCode,identifier,fiscalYear,…",
            ),
            Operation(
                "post",
                f"{v1.BASE}/match",
                "matchList",
                "The company of each row of a list, of up to 1,000 rows as JSON, and of any number as NDJSON or CSV, "
                "answered line by line while it arrives; rows count against their own daily quota",
                200,
                examples.list_matches(base_url),
                API_KEY,
                (
                    _NOT_READY,
                    rows,
                    Invalid("bad-row", row=12, maximum=MOST_BYTES_OF_ROW),
                    Invalid("bad-offset", parameter="offset"),
                    Invalid("no-company-column", columns="a, b", known=", ".join(FIELDS)),
                    Invalid("too-many-columns", most=MOST_COLUMNS),
                ),
                parameters.OFFSET,
                ListBody(rows=[SentRow(id="supplier 12", name="Apple", country="US", city="Cupertino")]),
                headers=(*_RATE_LIMIT, "Release"),
                streams=examples.LIST_STREAMS,
            ),
            Operation(
                "get",
                f"{v1.BASE}/changes",
                "listChanges",
                "The changes of companies between releases, the oldest first",
                200,
                examples.changes(),
                API_KEY,
                (
                    Invalid("bad-cursor", parameter="since"),
                    Invalid("bad-filter", parameter="kind", known=v1_changes.KINDS),
                    NotFound("watchlist-not-found"),
                    _COUNTRY,
                    Invalid("limit-out-of-range", parameter="limit", minimum=1, maximum=v1_changes.PAGE[1]),
                    Invalid("repeated-parameter", parameter="since"),
                    *_text_errors("since"),
                    _NOT_READY,
                    quota,
                ),
                parameters.CHANGES,
                headers=(*_RATE_LIMIT, "ETag"),
            ),
            *_watchlist_operations(plans, quota),
            *_webhook_operations(plans, quota),
            Operation(
                "get",
                f"{v1.BASE}/usage",
                "getUsage",
                "The usage and the remaining quota",
                200,
                examples.v1_usage(plans),
                API_KEY,
                headers=_RATE_LIMIT,
            ),
            Operation(
                "post",
                billing.CHECKOUT,
                "startCheckout",
                "Start the checkout of a plan",
                201,
                examples.checkout(base_url),
                API_KEY,
                (*checkout_errors(plans), _NOT_READY, ATTEMPTS),
                parameters.IDEMPOTENCY,
                BuyPlan(plan_id="pro"),
                _RATE_LIMIT,
            ),
        ],
    )


def _watchlist_operations(plans: Plans, quota: PadronError) -> list[Operation]:
    """Return the operations on watchlists."""
    free, base = plans.plan("free"), f"{v1.BASE}/watchlists"
    single = f"{base}/{{watchlist}}"
    refusals = (quota,)
    unknown, taken = NotFound("watchlist-not-found"), Invalid("watchlist-name-taken", parameter="name")
    return [
        Operation(
            "get",
            base,
            "listWatchlists",
            "The watchlists of the account",
            200,
            WatchlistList(watchlists=[examples.watchlist()]),
            API_KEY,
            refusals,
            headers=_RATE_LIMIT,
        ),
        Operation(
            "post",
            base,
            "createWatchlist",
            "Create a watchlist",
            201,
            examples.watchlist(),
            API_KEY,
            (*refusals, taken, Invalid("too-many-watchlists", most=free.watchlists)),
            body=NewWatchlist(name="Proveedores"),
            headers=_RATE_LIMIT,
        ),
        Operation(
            "get",
            single,
            "getWatchlist",
            "A watchlist with its saved searches and a page of its companies",
            200,
            examples.watchlist_content(),
            API_KEY,
            (
                *refusals,
                unknown,
                _NOT_READY,
                Invalid("bad-cursor", parameter="cursor"),
                Invalid("limit-out-of-range", parameter="limit", minimum=1, maximum=v1_watchlists.PAGE[1]),
                Invalid("repeated-parameter", parameter="cursor"),
                *_text_errors("cursor"),
            ),
            parameters.WATCHED,
            headers=_RATE_LIMIT,
        ),
        Operation(
            "patch",
            single,
            "changeWatchlist",
            "Rename a watchlist; add or remove companies and saved searches",
            200,
            WatchlistChanged(watchlist=examples.watchlist(), added=2, removed=0, refused=[]),
            API_KEY,
            (
                *refusals,
                unknown,
                taken,
                _NOT_READY,
                Invalid("too-many-watched", most=free.watched, held=free.watched),
                Invalid("too-many-searches", most=MOST_SAVED, held=MOST_SAVED),
                Invalid("bad-saved-search", parameter="addSearches[0].text", most=v1_watchlists.MOST_DIGITS),
                Invalid("unknown-country", parameter="addSearches[0].country", known=COUNTRIES),
            ),
            parameters.WATCHLIST,
            examples.watchlist_change(),
            _RATE_LIMIT,
        ),
        Operation(
            "delete",
            single,
            "deleteWatchlist",
            "Delete a watchlist",
            204,
            None,
            API_KEY,
            (*refusals, unknown),
            parameters.WATCHLIST,
            headers=_RATE_LIMIT,
        ),
    ]


def _webhook_operations(plans: Plans, quota: PadronError) -> list[Operation]:
    """Return the operations on webhooks."""
    base = f"{v1.BASE}/webhooks"
    single, url, made = f"{base}/{{webhook}}", examples.webhook().url, examples.webhook_made()
    unknown = NotFound("webhook-not-found")
    refused = [Invalid("bad-webhook-url", parameter="url", reason=reason) for reason in URL_FAULTS]
    return [
        Operation("get", base, "listWebhooks", "The webhooks of the account", 200,
                  WebhookList(webhooks=[made.webhook]), API_KEY, (quota,), headers=_RATE_LIMIT),
        Operation("post", base, "createWebhook", "Send the changes of a watchlist to an address, signed", 201, made,
                  API_KEY,
                  (quota, *refused, NotFound("watchlist-not-found"), _NOT_READY,
                   Invalid("too-many-webhooks", most=plans.plan("free").webhooks)),
                  body=NewWebhook(url=url, watchlist=made.webhook.watchlist), headers=_RATE_LIMIT),
        Operation("get", single, "getWebhook", "A webhook and how its latest messages were delivered", 200,
                  WebhookContent(webhook=made.webhook, messages=[examples.webhook_message()]), API_KEY,
                  (quota, unknown), parameters.WEBHOOK, headers=_RATE_LIMIT),
        Operation("patch", single, "changeWebhook", "Change the address of a webhook, or switch it on or off", 200,
                  made.webhook, API_KEY, (quota, unknown, *refused), parameters.WEBHOOK,
                  ChangeWebhook(url=url, enabled=True), _RATE_LIMIT),
        Operation("delete", single, "deleteWebhook", "Delete a webhook and its messages", 204, None, API_KEY,
                  (quota, unknown), parameters.WEBHOOK, headers=_RATE_LIMIT),
        Operation("post", f"{single}/rotate", "rotateWebhookSecret",
                  "Make a new secret; the old one signs beside it for a while", 200, made, API_KEY,
                  (quota, unknown, Invalid("webhook-rotating", seconds=3600)), parameters.WEBHOOK,
                  RotateSecret(overlap_seconds=3600), _RATE_LIMIT),
        Operation("post", f"{single}/test", "testWebhook", "Send a test message", 202, examples.webhook_message(),
                  API_KEY, (quota, unknown, Invalid("webhook-disabled")), parameters.WEBHOOK, headers=_RATE_LIMIT),
    ]  # fmt: skip


def _messages() -> list[SentMessage]:
    """Return the messages to webhooks."""
    changed = "What changed of a watchlist; its answer is any status 2xx"
    return [
        SentMessage("companies.changed", "companiesChanged", changed, examples.webhook_event(), parameters.MESSAGE),
        SentMessage("webhook.test", "webhookTest", "The test message", examples.webhook_test(), parameters.MESSAGE),
    ]


@cache
def public_document(base_url: str, language: Language) -> bytes:
    """Return the OpenAPI document of the public interface."""
    return document(public_interface(base_url), base_url, language)


@cache
def v1_document(base_url: str, language: Language) -> bytes:
    """Return the OpenAPI document of v1 and the checkout."""
    return document(v1_interface(base_url, language), base_url, language)


@cache
def account_document(base_url: str, language: Language) -> bytes:
    """Return the OpenAPI document of `/api/account`."""
    return document(account_interface(base_url, language), base_url, language)


def extract(*_unused: object, **_options: object) -> Iterator[Extracted]:
    """Yield the sentences of the three documents, as an extraction method of Babel."""
    documents = [public_document("", "en"), v1_document("", "en"), account_document("", "en")]
    parts = [msgspec.json.decode(document) for document in documents]
    unique = {
        sentence
        for part in parts
        for key in ("paths", "webhooks", "components")
        for sentence in sentences(part.get(key))
    }
    yield from extracted(unique)
