"""Code of a caller, for type checkers. Not run: mypy and pyright read it, both strict."""

from __future__ import annotations

import datetime as dt
from collections.abc import AsyncIterator, Iterator
from decimal import Decimal

from typing_extensions import assert_type

from padron_client import APIError, AsyncPadron, Kept, Padron, RateLimitError, Row
from padron_client.types import (
    CheckoutShown,
    Coverage,
    Financials,
    RowMatch,
    V1Answer,
    V1Entity,
    V1Result,
    WatchlistChanged,
    WebhookMade,
)


def threads(country: str) -> None:
    kept: dict[str, Kept] = {}
    with Padron(api_key="k", base_url="http://h", timeout=5, max_retries=0, language="es", cache=kept) as padron:
        assert_type(padron.search("x", country="EC", limit=1), V1Answer)
        assert_type(padron.get(country, "1"), V1Entity)
        assert_type(padron.financials("US", "320193"), Financials)
        assert_type(padron.coverage(), Coverage)
        assert_type(padron.checkout(plan_id="pro"), CheckoutShown)
        assert_type(padron.iter_search("x"), Iterator[V1Result])
        change = padron.change_watchlist("wl_1", add_companies=[{"country": "EC", "identifier": "1"}])
        assert_type(change, WatchlistChanged)
        assert_type(padron.change_watchlist("wl_1", add_searches=[{"text": "x"}]), WatchlistChanged)
        best = padron.search("x").best_match
        if best is not None:
            assert_type(best.confidence, float | None)
            padron.get(best.country_code, best.identifier)
        statement = padron.financials("US", "320193").statements[0]
        assert_type(statement.period_end, dt.date)
        assert_type(Decimal(statement.figures[0].amount), Decimal)


async def coroutines(rows: AsyncIterator[Row]) -> None:
    async with AsyncPadron(api_key="k") as padron:
        assert_type(await padron.search("x"), V1Answer)
        assert_type(await padron.checkout(plan_id="pro", idempotency_key="order-17"), CheckoutShown)
        assert_type(padron.iter_search("x"), AsyncIterator[V1Result])
        assert_type(padron.iter_match([{"name": "x"}]), AsyncIterator[RowMatch])
        assert_type(padron.iter_match(rows), AsyncIterator[RowMatch])
        assert_type(await padron.create_webhook(url="https://h", watchlist="wl_1"), WebhookMade)


def errors(error: APIError) -> None:
    assert_type(error.status, int | None)
    assert_type(error.code, str | None)
    if isinstance(error, RateLimitError):
        assert_type(error.retry_after, float | None)
