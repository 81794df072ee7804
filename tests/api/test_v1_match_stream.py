"""Lists of any length over HTTP: NDJSON and CSV, cut connections, back-pressure, the quota of rows."""

from __future__ import annotations

import asyncio
import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path
from threading import current_thread
from typing import Any

import httpx2
import pytest
from argon2 import PasswordHasher
from starlette.testclient import TestClient

import padron.api.account
from account_service import DetailedDirectory, account_service, app_of, both, buy, enrol, served
from padron.accounts import passwords
from padron.accounts.keys import Grant
from padron.api import v1_match_stream
from padron.api.v1_match_stream import AHEAD, MOST_AHEAD, MOST_OF_LIST, Csv, ListStream, Upload
from padron.config import load
from padron.directory import Directory, run
from padron.lists.added_columns import ADDED
from padron.lists.columns import MOST_COLUMNS, recognise
from padron.transport.call import Call

MATCH, BASE = "/api/v1/match", "http://127.0.0.1:8000"
NDJSON_MEDIA = b"application/x-ndjson"
NDJSON, CSV = {"content-type": "application/x-ndjson"}, {"content-type": "text/csv"}
NAMES = ["Ecopetrol", "Corporacion Favorita", "Zzyzx Qwrtp"]


@pytest.fixture
def client(tmp_path_factory: pytest.TempPathFactory, small: Directory) -> Iterator[TestClient]:
    """A service over the small directory that counts; its caller is on Free, reads English and holds a key."""
    data = tmp_path_factory.mktemp("stream")
    settings = load({"PADRON_LIMITS__ENABLED": "1", "PADRON_BASE_URL": BASE}, data=data)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(padron.api.account, "FLOOR", 0.0)
        patch.setattr(passwords, "_HASHER", PasswordHasher(time_cost=1, memory_cost=64, parallelism=1))
        with TestClient(app_of(settings, small), base_url=BASE) as client:
            client.headers.update(both(enrol(client, data).key()) | {"accept-language": "en"})
            yield client


def lines(rows: list[dict[str, str]]) -> bytes:
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def test_a_first_line_of_csv_may_state_the_delimiter(client: TestClient) -> None:
    answer = client.post(MATCH, content=b"sep=;\nEmpresa;Nota\nEcopetrol;a,b,c\n", headers=CSV).text
    assert answer.splitlines()[0].startswith("Empresa;Nota;padron_verdict;")
    assert answer.splitlines()[1].startswith("Ecopetrol;a,b,c;found;")


def test_the_delimiter_of_csv_is_that_of_the_first_line_with_one(client: TestClient) -> None:
    answer = client.post(MATCH, content=b"Proveedores\nEmpresa;NIT\nEcopetrol;899999068-1\n", headers=CSV).text
    assert answer.splitlines()[0] == "Proveedores"
    assert answer.splitlines()[1].startswith("Empresa;NIT;padron_verdict;")
    assert answer.splitlines()[2].startswith("Ecopetrol;899999068-1;found;")


def test_each_line_is_answered_as_the_row_alone(client: TestClient, small: Directory) -> None:
    rows = [{"name": name} for name in NAMES] + [{"name": "hotel plaza", "country": "CO"}]
    alone = client.post(MATCH, json={"rows": rows}).json()["matches"]
    response = client.post(MATCH, content=lines(rows), headers=NDJSON)
    assert response.status_code == 200, response.text
    answers = [json.loads(line) for line in response.text.splitlines()]
    assert answers == [{"row": number, **match} for number, match in enumerate(alone)]
    assert response.headers["content-type"] == "application/x-ndjson"
    assert (response.headers["release"], response.headers["cache-control"]) == ("small-1", "no-store")
    assert client.post(MATCH, content=b"", headers=NDJSON).text == ""

    rest = client.post(f"{MATCH}?offset=3", content=lines(rows), headers=NDJSON)
    assert [json.loads(line) for line in rest.text.splitlines()] == answers[3:]


def test_csv_keeps_its_cells_and_finds_its_columns(client: TestClient) -> None:
    given = '\ufeffCódigo;Proveedor;País\n7;"Ecopetrol";Colombia\n8;"Corporacion\nFavorita";\n9;Zzyzx Qwrtp\n'
    response = client.post(MATCH, content=given.encode(), headers=CSV)
    assert response.status_code == 200, response.text
    rows = list(csv.DictReader(io.StringIO(response.text, newline=""), delimiter=";"))
    assert [row["Código"] for row in rows] == ["7", "8", "9"]
    assert rows[1]["Proveedor"] == "Corporacion\nFavorita"
    assert [row["padron_verdict"] for row in rows] == ["found", "found", "not_found"]
    assert [row["padron_identifier"] for row in rows] == ["899999068", "1790016919001", ""]

    rest = client.post(f"{MATCH}?offset=1", content=given.encode(), headers=CSV)
    assert response.text.endswith(rest.text)
    assert rest.text.startswith("8;")
    assert client.post(MATCH, content=b"a,b\n1,2\n", headers=CSV).json()["code"] == "no-company-column"


@pytest.mark.parametrize(
    "bad", [b'{"nombre": "a"}\n', b'{"name": 5}\n', b"{\n", b"\xff\n", b'{"name": "%s"}\n' % (b"a" * 70_000)]
)
def test_a_bad_row_ends_the_answer_and_is_named(client: TestClient, bad: bytes) -> None:
    response = client.post(MATCH, content=lines([{"name": "Ecopetrol"}]) + bad + lines([{"name": "x"}]), headers=NDJSON)
    first, last = map(json.loads, response.text.splitlines())
    assert first["company"]["identifier"] == "899999068"
    assert (last["row"], last["problem"]["code"]) == (1, "bad-row")
    assert last["problem"]["detail"].startswith("Row 1 of the list cannot be read; those before it are answered.")
    refused = client.post(MATCH, content=bad, headers=NDJSON)
    assert (refused.status_code, refused.json()["code"]) == (400, "bad-row")


def test_few_long_rows_are_kept_to_recognise_columns() -> None:
    reader = v1_match_stream.Csv()
    rows = [b"Empresa,Nota\n", *[b"Ecopetrol," + b"x" * 60_000 + b"\n"] * 5]
    assert [len(run(reader.read(row))) for row in rows] == [0, 0, 0, 3, 1, 1]


def test_a_quote_within_a_cell_takes_no_other_row(client: TestClient) -> None:
    """Quotes open a cell at its beginning only: inches stand behind a number."""
    names = [*["Zzyzx Qwrtp"] * 205, 'Tubos de 3" SA', "Ecopetrol", 'Tubos de 4" SA', "Corporacion Favorita"]
    given = "Empresa,Nota\n" + "".join(f"{name},{number}\n" for number, name in enumerate(names))
    response = client.post(MATCH, content=given.encode(), headers=CSV)
    assert response.status_code == 200, response.text
    rows = list(csv.DictReader(io.StringIO(response.text, newline="")))
    assert [(row["Empresa"], row["Nota"]) for row in rows] == [(name, str(n)) for n, name in enumerate(names)]
    assert [row["padron_verdict"] for row in rows[-4:]] == ["not_found", "found", "not_found", "found"]


def test_a_row_of_csv_with_a_cell_too_many_is_told_and_the_others_are_answered(client: TestClient) -> None:
    content = b"name,country\nEcopetrol,CO\nEcopetrol,CO,b\nYPF,AR\n"
    rows = list(csv.DictReader(io.StringIO(client.post(MATCH, content=content, headers=CSV).text, newline="")))
    assert [row["padron_verdict"] for row in rows] == ["found", "invalid_input", "found"]
    assert rows[1]["padron_reason"].startswith("Row 3 of the file has 3 cells, the list 2 columns; behind the last one")


def test_a_list_of_csv_without_rows_has_its_header_in_the_answer(client: TestClient) -> None:
    for given in (b"name;NIT\n", b"name;NIT"):
        answer = client.post(MATCH, content=given, headers=CSV)
        assert answer.status_code == 200
        assert list(csv.reader(io.StringIO(answer.text, newline=""), delimiter=";")) == [["name", "NIT", *ADDED]]
    assert client.post(MATCH, content=b"", headers=CSV).text == ""


def test_rows_of_csv_above_the_header_are_sent_back_as_they_stood(client: TestClient) -> None:
    content = b"Proveedores,,\r\n,,\r\nname,NIT,x\r\nEcopetrol,1790016919001,1\r\nEcopetrol,,2,3\r\n"
    title, header, *rows = csv.reader(io.StringIO(client.post(MATCH, content=content, headers=CSV).text, newline=""))
    assert (title, header) == (["Proveedores", "", ""], ["name", "NIT", "x", *ADDED])
    assert [row[3] for row in rows] == ["possible", "invalid_input"]
    assert rows[1][header.index("padron_reason")].startswith("Row 5 of the file has 4 cells")


def test_blank_rows_of_csv_are_counted(client: TestClient) -> None:
    content = b"\nname,country\n\nEcopetrol,CO\n,\nEcopetrol,CO,b\n"
    rows = list(csv.DictReader(io.StringIO(client.post(MATCH, content=content, headers=CSV).text, newline="")))
    assert [row["padron_verdict"] for row in rows] == ["found", "invalid_input"]
    assert rows[1]["padron_reason"].startswith("Row 6 of the file has 3 cells")


def test_a_row_of_csv_that_never_ends(client: TestClient) -> None:
    refused = client.post(MATCH, content=b'name,country\nEcopetrol,CO\n"Ecopetrol\n', headers=CSV)
    assert refused.json()["code"] == "bad-row" if refused.status_code == 400 else "bad-row" in refused.text


def test_refusals_before_the_first_row(client: TestClient) -> None:
    for offset in ("-1", "x", "1234567890"):
        refused = client.post(f"{MATCH}?offset={offset}", content=b"{}", headers=NDJSON)
        assert (refused.status_code, refused.json()["code"]) == (400, "bad-offset")
    assert client.post(f"{MATCH}?rows=1", content=b"{}", headers=NDJSON).json()["code"] == "unknown-parameter"
    for media in ("text/plain", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"):
        refused = client.post(MATCH, content=b"", headers={"content-type": media, "accept-language": "en"})
        assert (refused.status_code, refused.json()["detail"]) == (
            415,
            "Send the body as Content-Type: application/json, application/x-ndjson or text/csv.",
        )


def test_rows_are_answered_as_far_as_the_quota_reaches(client: TestClient) -> None:
    list_of = lines([{"name": "ypf"}])
    assert client.post(MATCH, content=list_of * 1_990, headers=NDJSON).text.count("\n") == 1_990
    *answers, last = map(json.loads, client.post(MATCH, content=list_of * 20, headers=NDJSON).text.splitlines())
    assert len(answers) == 10
    assert (last["row"], last["problem"]["code"]) == (10, "rows-exceeded")
    skipped = client.post(f"{MATCH}?offset=20", content=list_of * 20, headers=NDJSON)
    assert (skipped.status_code, skipped.text) == (200, ""), "skipped rows cost nothing"
    refused = client.post(MATCH, content=b"name\nypf\n", headers=CSV)
    assert (refused.status_code, refused.json()["code"]) == (429, "rows-exceeded")


class Counter:
    """A quota that counts and never ends."""

    def __init__(self) -> None:
        self.rows = 0

    async def spend_rows(self, call: Call, grant: Grant, rows: int) -> None:
        self.rows += rows

    async def take_row(self, grant: Grant) -> None:
        await asyncio.sleep(0)


class Client:
    """A client that takes the first part of an answer and no more, while its list has no end."""

    def __init__(self, piece: bytes = lines([{"name": "petroleo"}] * 10)) -> None:
        self.piece = piece
        self.sent = 0
        self.taken = 0
        self.gone = asyncio.Event()

    async def receive(self) -> dict[str, Any]:
        if self.gone.is_set():
            return {"type": "http.disconnect"}
        self.sent += 1
        return {"type": "http.request", "body": self.piece, "more_body": True}

    async def send(self, message: dict[str, Any]) -> None:
        if message["type"] == "http.response.body":
            self.taken += 1
            if self.taken > 1:
                await self.gone.wait()


def answering(receive: Any, send: Any, counter: Counter | None = None) -> asyncio.Task[None]:
    """A list of NDJSON that is answered."""
    call = Call({"type": "http", "path": MATCH, "query_string": b"", "headers": [(b"content-type", NDJSON_MEDIA)]})
    call.status = 200
    return asyncio.create_task(ListStream(DetailedDirectory(), counter or Counter(), call, None, receive).answer(send))


async def settled(visitors: list[Client]) -> None:
    """Wait until clients send no more and wait for nothing but their answers."""
    before: list[int] = []
    while (sent := [visitor.sent for visitor in visitors]) != before or min(visitor.taken for visitor in visitors) < 2:
        before = sent
        for _ in range(2_000):
            await asyncio.sleep(0)


def test_a_client_that_does_not_read_is_not_read_either() -> None:
    async def visit() -> None:
        visitor, counter = Client(), Counter()
        answer = answering(visitor.receive, visitor.send, counter)
        await settled([visitor])
        assert visitor.sent <= MOST_AHEAD + 4
        assert counter.rows == 20, "two parts were matched: the one it took, and the one it does not take"
        visitor.gone.set()
        await answer
        assert counter.rows <= 30, "at most the part after is matched for a client that is gone"

    run(visit())


def test_of_a_list_that_waits_the_bytes_are_bounded_too() -> None:
    async def visit() -> int:
        visitor = Client(lines([{"name": "petroleo", "city": "a" * 800}] * 400))
        answer = answering(visitor.receive, visitor.send)
        await settled([visitor])
        visitor.gone.set()
        await answer
        return visitor.sent * len(visitor.piece)

    assert MOST_OF_LIST <= run(visit()) <= MOST_OF_LIST + 3 * 400 * 850


def test_all_lists_of_a_worker_share_what_may_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond it each is received piece by piece, and all go on when one of them ends."""
    most, piece = 1 << 20, lines([{"name": "petroleo"}] * 1_000)
    monkeypatch.setattr(v1_match_stream, "MOST_OF_LISTS", most)

    async def visit() -> None:
        visitors = [Client(piece) for _ in range(20)]
        answers = [answering(visitor.receive, visitor.send) for visitor in visitors]
        await settled(visitors)
        in_work = len(visitors)
        waiting = sum(visitor.sent for visitor in visitors) - in_work
        assert most <= waiting * len(piece) == AHEAD.held < most + len(visitors) * len(piece)

        pieces, parts = [piece] * 4, []

        async def receive() -> dict[str, Any]:
            if not pieces:
                await asyncio.Event().wait()
            return {"type": "http.request", "body": pieces.pop(), "more_body": bool(pieces)}

        async def send(message: dict[str, Any]) -> None:
            parts.append(message["body"])

        await answering(receive, send)
        assert b"".join(parts).count(b"\n") == 4_000, "a list whose answer is taken is answered whole"

        largest = max(visitors, key=lambda visitor: visitor.sent)
        before = sum(visitor.sent for visitor in visitors if visitor is not largest)
        largest.gone.set()
        await settled(visitors)
        assert sum(visitor.sent for visitor in visitors if visitor is not largest) > before
        assert most <= AHEAD.held < most + len(visitors) * len(piece)
        for visitor in visitors:
            visitor.gone.set()
        await asyncio.gather(*answers)
        assert AHEAD.held == 0

    run(visit())


@pytest.mark.parametrize("ending", ["cancelled", "bad row"])
def test_a_list_that_ends_gives_back_what_waited_of_it(ending: str) -> None:
    async def visit() -> tuple[bool, int]:
        visitor, held = Client(b"{\n" if ending == "bad row" else lines([{"name": "petroleo"}] * 1_000)), 0

        async def send(message: dict[str, Any]) -> None:
            nonlocal held
            held = max(held, AHEAD.held)
            if ending == "cancelled":
                answer.cancel()
                await asyncio.sleep(0)

        answer = answering(visitor.receive, send)
        await asyncio.wait([answer])
        return held > 0, AHEAD.held

    assert run(visit()) == (True, 0)


def test_rows_are_answered_a_hundred_at_a_time() -> None:
    """Rows and answers of a piece have many times its bytes."""
    parts: list[bytes] = []
    pieces = [b"{}\n" * 20_000]

    async def receive() -> dict[str, Any]:
        if not pieces:
            await asyncio.Event().wait()
        return {"type": "http.request", "body": pieces.pop(), "more_body": False}

    async def send(message: dict[str, Any]) -> None:
        parts.append(message["body"])

    async def visit() -> None:
        await answering(receive, send)

    run(visit())
    assert [part.count(b"\n") for part in parts] == [100] * 200 + [0]


@pytest.mark.parametrize(("media", "piece", "rows"), [(NDJSON, 5_000, 3), (CSV, 5_000, 3), (NDJSON, 100, 0)])
def test_a_flood_of_blank_lines_counts_as_rows(media: dict[str, str], piece: int, rows: int) -> None:
    async def visit() -> int:
        pieces = [b"\r\n" * piece] * 3
        counter = Counter()

        async def receive() -> dict[str, Any]:
            if not pieces:
                await asyncio.Event().wait()
            return {"type": "http.request", "body": pieces.pop(), "more_body": bool(pieces)}

        async def send(_message: dict[str, Any]) -> None:
            pass

        fields = [(b"content-type", media["content-type"].encode())]
        call = Call({"type": "http", "path": MATCH, "query_string": b"", "headers": fields})
        await ListStream(DetailedDirectory(), counter, call, None, receive).answer(send)
        return counter.rows

    assert run(visit()) == rows


def test_no_spreadsheet_evaluates_what_is_added_to_a_list(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(v1_match_stream, "cells", lambda match: ["=1+1", "@SUM", "-2", "plain"])
    answer = client.post(MATCH, content=b"name\nypf\n", headers=CSV).text
    assert answer.splitlines()[1] == "ypf,'=1+1,'@SUM,'-2,plain"


def test_a_cut_connection_is_gone_on_with(tmp_path: Path) -> None:
    """The answer is cut after some lines; the offset of the lines received gives the rest, none lost or twice."""
    with account_service(tmp_path) as client:
        holder = enrol(client, tmp_path)
        key = holder.key()
        buy(holder, "pro")
    rows = 3_000
    content = lines([{"name": f"petroleo {number}"} for number in range(rows)])
    received: list[int] = []
    cuts = 0
    with served(tmp_path) as (_, base), httpx2.Client(base_url=base, headers=both(key) | NDJSON) as caller:
        while len(received) < rows:
            rest = ""
            address = f"{MATCH}?offset={len(received)}"
            with caller.stream("POST", address, content=content) as response:
                assert response.status_code == 200
                for text in response.iter_text():
                    *whole, rest = (rest + text).split("\n")
                    received += [json.loads(line)["row"] for line in whole]
                    if cuts < 5 and len(received) < rows:
                        cuts += 1
                        break
        day = caller.get("/api/v1/usage").status_code
    assert (received, cuts, day) == (list(range(rows)), 5, 200)


def test_a_list_of_too_many_columns_is_refused_before_it_is_kept(client: TestClient) -> None:
    row = ",".join(["name", *map(str, range(MOST_COLUMNS))])
    refused = client.post(MATCH, content=f"{row}\n".encode() * 300, headers=CSV)
    assert (refused.status_code, refused.json()["code"]) == (400, "too-many-columns")


def test_a_quoted_cell_of_many_lines_is_one_cell(client: TestClient) -> None:
    breaks = "\n" * 20_000
    given = f'name,note\nEcopetrol,"a{breaks}b"\n'
    response = client.post(MATCH, content=given.encode(), headers=CSV)
    assert response.status_code == 200, response.text
    (row,) = csv.DictReader(io.StringIO(response.text, newline=""))
    assert (row["note"], row["padron_country"]) == (f"a{breaks}b", "CO")


@pytest.mark.parametrize("piece", ["\n", '""\n', '","\n'], ids=["blank", "quotes", "cells"])
def test_a_row_of_many_lines_is_read_at_once(client: TestClient, monkeypatch: pytest.MonkeyPatch, piece: str) -> None:
    """Its lines are no rows, and count for none of the quota."""
    read, counted = Csv.read, Counter()

    async def read_and_count(reader: Csv, line: bytes) -> list[Any]:
        counted.rows += 1
        return await read(reader, line)

    monkeypatch.setattr(Csv, "read", read_and_count)
    note = piece * (200 if "," in piece else 20_000)
    given = f'name,note\n\nEcopetrol,"{note}"\nYPF,\n'
    response = client.post(MATCH, content=given.encode(), headers=CSV)
    assert response.status_code == 200, response.text
    assert counted.rows == 4
    rows = csv.DictReader(io.StringIO(response.text, newline=""))
    assert [row["name"] for row in rows] == ["Ecopetrol", "YPF"]


def test_a_mark_of_utf8_before_a_quoted_cell_of_lines_is_none_of_it(client: TestClient) -> None:
    given = '\ufeff"name\n"\nEcopetrol\n'
    response = client.post(MATCH, content=given.encode(), headers=CSV)
    (row,) = csv.DictReader(io.StringIO(response.text, newline=""))
    assert (row["name\n"], row["padron_country"]) == ("Ecopetrol", "CO")


def test_what_waits_of_a_list_is_left_when_its_client_has_gone() -> None:
    async def scenario() -> tuple[int, int]:
        received = 0

        async def receive() -> dict[str, Any]:
            nonlocal received
            received += 1
            if received > 50:
                return {"type": "http.disconnect"}
            return {"type": "http.request", "body": b"Ecopetrol\n", "more_body": True}

        upload = Upload(receive)
        await upload.fill()
        count = sum([1 async for text in upload.texts() if text])
        upload.leave()
        return received, count

    assert (asyncio.run(scenario()), AHEAD.held) == ((51, 0), 0)


def test_columns_are_recognised_beside_the_loop(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    names: list[str] = []

    def noted(*given):
        names.append(current_thread().name.partition("_")[0])
        return recognise(*given)

    monkeypatch.setattr(v1_match_stream, "recognise", noted)
    for rows in (1, 300):
        assert client.post(MATCH, content=b"name\n" + b"ypf\n" * rows, headers=CSV).status_code == 200
    assert names == ["columns", "columns"]


@pytest.mark.parametrize(
    ("media", "body"), [(NDJSON, lines([{"name": "ypf"}]) * 2_000), (CSV, b"name\n" + b"ypf\n" * 2_000)]
)
def test_others_have_their_turn_between_rows_that_are_alike(media: dict[str, str], body: bytes) -> None:
    """They are matched once, but each is read and written."""

    async def visit() -> int:
        turns = 0
        begun = asyncio.Event()

        async def others() -> None:
            nonlocal turns
            await begun.wait()
            while True:
                await asyncio.sleep(0)
                turns += 1

        async def receive() -> dict[str, Any]:
            if begun.is_set():
                await asyncio.Event().wait()
            begun.set()
            return {"type": "http.request", "body": body, "more_body": False}

        async def send(_message: dict[str, Any]) -> None:
            pass

        beside = asyncio.create_task(others())
        fields = [(b"content-type", media["content-type"].encode())]
        call = Call({"type": "http", "path": MATCH, "query_string": b"", "headers": fields})
        await ListStream(DetailedDirectory(), Counter(), call, None, receive).answer(send)
        beside.cancel()
        return turns

    assert run(visit()) >= 36
