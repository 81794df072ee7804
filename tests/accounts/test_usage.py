"""Usage by key, operation and day, and the mails that report the state of a quota."""

from __future__ import annotations

import csv
import io
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from httpx2 import Response
from sqlalchemy import Connection, select
from sqlalchemy.exc import OperationalError
from starlette.testclient import TestClient

from account_service import Holder, account_service, both, enrol
from padron.accounts.store import mails
from padron.accounts.store import usage as usage_table
from padron.errors import Unavailable
from waiting import PATIENCE, until

SEARCH = "/api/v1/search?q=apple"
ENTITY = "/api/v1/entities/BR/33000167000101"
DAY = 86_400


def ask(holder: Holder, key: str, *paths: str) -> None:
    for path in paths:
        assert holder.client.get(path, headers=both(key)).status_code == 200
    holder.services.usage.flush()


def waiting(holder: Holder) -> list[str]:
    """The kinds of the mails that were queued, and send them."""
    with holder.services.store.reading() as connection:
        kinds = list(connection.execute(select(mails.c.kind)).scalars())
    holder.services.mail_sender.send_due()
    return kinds


def test_answers_are_counted_by_key_operation_and_day(holder: Holder) -> None:
    first, second = holder.key("uno"), holder.key("=dos")
    ids = {key["name"]: key["id"] for key in holder.client.get("/api/account/keys").json()["keys"]}
    now = time.time()
    holder.services.store._clock = lambda: now
    ask(holder, first, SEARCH, SEARCH, ENTITY)
    holder.services.store._clock = lambda: now + DAY
    ask(holder, second, SEARCH)
    ask(holder, first, SEARCH, SEARCH, SEARCH)
    assert holder.client.get("/api/v1/entities/BR/00000000000000", headers=both(first)).status_code >= 400
    holder.services.usage.flush()

    today, tomorrow = (time.strftime("%Y-%m-%d", time.gmtime(at)) for at in (now, now + DAY))
    lines = [
        (tomorrow, "uno", "search", 3),
        (tomorrow, "=dos", "search", 1),
        (today, "uno", "search", 2),
        (today, "uno", "entities", 1),
    ]
    shown = holder.client.get("/api/account/usage").json()
    assert shown["history"] == [
        {"date": tomorrow, "answers": 4, "rows": 0},
        {"date": today, "answers": 3, "rows": 0},
    ]
    assert shown["byKey"] == [
        {"date": day, "key": ids[name], "name": name, "operation": operation, "answers": answers, "rows": 0}
        for day, name, operation, answers in lines
    ]

    response = holder.client.get("/api/account/usage.csv")
    assert response.headers["content-type"] == "text/csv; charset=utf-8; header=present"
    assert response.headers["content-disposition"] == 'attachment; filename="padron-usage.csv"'
    assert list(csv.reader(io.StringIO(response.text))) == [
        ["date", "key", "name", "operation", "answers", "rows"],
        *([day, ids[name], name.replace("=", "'="), operation, str(n), "0"] for day, name, operation, n in lines),
    ]
    assert sum(row["answers"] for row in holder.client.get("/api/account/export").json()["keyUsage"]) == 7


def match(holder: Holder, key: str, rows: int) -> Response:
    return holder.client.post("/api/v1/match", json={"rows": [{"name": "apple"}] * rows}, headers=both(key))


def test_rows_of_lists_are_counted_beside_the_answers(holder: Holder) -> None:
    first, second, test = holder.key("uno"), holder.key("dos"), holder.key("prueba", test=True)
    assert [match(holder, key, rows).status_code for key, rows in ((first, 5), (second, 7), (test, 9))] == [200] * 3
    assert "<svg" not in holder.client.get("/en/account/usage").text, "no answer, no column"
    ask(holder, second, SEARCH)

    assert [(day["answers"], day["rows"]) for day in history(holder)] == [(1, 12)]
    shown = holder.client.get("/api/account/usage").json()
    assert [(line["name"], line["operation"], line["answers"], line["rows"]) for line in shown["byKey"]] == [
        ("dos", "search", 1, 7),
        ("uno", "search", 0, 5),
    ]
    assert holder.client.get("/api/v1/usage", headers=both(first)).json()["history"] == shown["history"]
    assert holder.client.get("/api/account/usage.csv").text.splitlines()[1].endswith(",dos,search,1,7")
    assert [day["rows"] for day in holder.client.get("/api/account/export").json()["usage"]] == [12]
    keys = holder.client.get("/api/account/keys").json()["keys"]
    assert all(key["lastUsedAt"] for key in keys)
    page = holder.client.get("/en/account/usage").text
    assert '<td class="num">1</td><td class="num">12</td>' in page
    assert '<td><code>search</code></td><td class="num">0</td><td class="num">5</td>' in page
    assert "Filas de listas" in holder.client.get("/es/account/usage").text


def history(holder: Holder) -> list[dict[str, int]]:
    holder.services.usage.flush()
    days: list[dict[str, int]] = holder.client.get("/api/account/usage").json()["history"]
    return days


def test_a_service_that_starts_again_goes_on_with_the_rows_of_the_day(tmp_path: Path) -> None:
    """Its counters are empty then, as those of another machine."""
    with account_service(tmp_path, PADRON_LIMITS__ENABLED="1") as client:
        holder = enrol(client, tmp_path)
        key = holder.key()
        assert [match(holder, key, rows).status_code for rows in (1_000, 990)] == [200, 200]
        before = client.get("/api/v1/usage", headers=both(key)).json()["rows"]
        session = client.cookies["padron"]
    with account_service(tmp_path, PADRON_LIMITS__ENABLED="1") as client:
        again = Holder(client, client.app.state.services, tmp_path)
        client.cookies["padron"] = session
        assert (before["limit"], before["remaining"]) == (2_000, 10)
        assert client.get("/api/v1/usage", headers=both(key)).json()["rows"]["remaining"] == 10
        assert client.get("/api/account/usage").json()["rows"]["remaining"] == 10
        refused = match(again, key, 20)
        assert (refused.status_code, refused.json()["code"], refused.json()["left"]) == (429, "rows-exceeded", 10)
        assert match(again, key, 10).status_code == 200
        assert "Rows of lists left today: 0 of 2,000." in client.get("/en/account/usage").text
        assert match(again, key, 1).json()["left"] == 0
        assert [day["rows"] for day in history(again)] == [2_000]


def test_answers_are_counted_once_though_nobody_says_that_they_are_written(
    holder: Holder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server of the database may end behind the commit and before its answer."""
    key, store = holder.key(), holder.services.store
    writing = store.writing

    @contextmanager
    def unconfirmed() -> Iterator[Connection]:
        with writing() as connection:
            yield connection
        lost = OperationalError("COMMIT", {}, ConnectionError(), connection_invalidated=True)
        raise Unavailable("accounts-unavailable") from lost

    with monkeypatch.context() as patch:
        patch.setattr(store, "writing", unconfirmed)
        assert holder.client.get(SEARCH, headers=both(key)).status_code == 200
        with suppress(Unavailable):  # or the task beside has written it
            holder.services.usage.flush()
    ask(holder, key, SEARCH)
    until(lambda: [day["answers"] for day in holder.client.get("/api/account/usage").json()["history"]] == [2])


def test_a_flush_waits_for_the_one_of_another_thread(holder: Holder, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else the last one at a stop could return while the task beside still writes, before the store is closed."""
    key, store = holder.key(), holder.services.store
    grant = holder.services.keys.look_up(holder.services.keys.digest(key))
    writing, is_writing, may_end = store.writing, threading.Event(), threading.Event()
    stored: list[int] = []

    @contextmanager
    def slow() -> Iterator[Connection]:
        with writing() as connection:
            yield connection
            is_writing.set()
            may_end.wait(PATIENCE)

    def flush_and_read() -> None:
        holder.services.usage.flush()
        stored.extend(used.answers for used in holder.services.usage.days(grant.account, 0).values())

    with monkeypatch.context() as patch:
        patch.setattr(store, "writing", slow)
        holder.services.usage.count(grant.account, grant.key, "search")
        threads = [threading.Thread(target=holder.services.usage.flush), threading.Thread(target=flush_and_read)]
        threads[0].start()
        assert is_writing.wait(PATIENCE)
        threads[1].start()
        threads[1].join(timeout=0.2)  # long enough for a flush that does not wait
        may_end.set()
        for thread in threads:
            thread.join(PATIENCE)
    assert stored == [1]


def test_the_page_shows_usage_by_key_and_leads_to_the_file(holder: Holder) -> None:
    assert "usage.csv" not in holder.client.get("/en/account/usage").text
    ask(holder, holder.key("batch"), SEARCH, SEARCH)
    page = holder.client.get("/en/account/usage").text
    assert (
        '<th scope="row"><bdi>batch</bdi></th><td><code>search</code></td><td class="num">2</td><td class="num">0</td>'
    ) in page
    assert 'href="/api/account/usage.csv"' in page
    assert "Por clave y operación" in holder.client.get("/es/account/usage").text


def test_a_mail_reports_80_and_100_per_cent_once_a_day(tmp_path: Path, store_url: str) -> None:
    plans = tmp_path / "plans.toml"
    bundled = Path("src/padron/accounts/plans.toml").read_text()
    plans.write_text(bundled.replace("per_day = 1_000", "per_day = 5"))
    variables = {"PADRON_ACCOUNTS__URL": store_url, "PADRON_ACCOUNTS__PLANS": str(plans)}
    with account_service(tmp_path, **variables, PADRON_LIMITS__ENABLED="1") as client:
        holder = enrol(client, tmp_path)
        key = holder.key()
        ask(holder, key, *[SEARCH] * 3)
        assert waiting(holder) == []
        ask(holder, key, SEARCH)
        assert waiting(holder) == ["quota-80"]
        ask(holder, key, SEARCH)
        assert waiting(holder) == ["quota-100"]
        assert client.get(SEARCH, headers=both(key)).json()["code"] == "quota-exceeded"
        holder.services.usage.flush()
        assert waiting(holder) == []
        subjects = [mail.splitlines()[1] for mail in holder.mails()]
        assert subjects[-2:] == ["Usó el 80 por ciento de las respuestas de hoy", "Usó todas las respuestas de hoy"]
        assert f"{client.base_url}/es/account/usage" in holder.mails()[-1]

        with holder.services.store.writing() as connection:  # another day, on which all are used at once
            connection.execute(usage_table.update().values(day=usage_table.c.day - 1))
        grant = holder.services.keys.look_up(holder.services.keys.digest(key))
        for _ in range(5):
            holder.services.usage.count(grant.account, grant.key, "search")
        holder.services.usage.flush()
        assert waiting(holder) == ["quota-100"]


def test_without_limits_no_mail_reports_a_quota(client: TestClient, holder: Holder) -> None:
    key = holder.key()
    grant = holder.services.keys.look_up(holder.services.keys.digest(key))
    for _ in range(1_000):
        holder.services.usage.count(grant.account, grant.key, "search")
    holder.services.usage.flush()
    assert waiting(holder) == []
