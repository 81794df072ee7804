"""The page for lists: a file goes in, a table to review and a file come out, and nothing is kept."""

from __future__ import annotations

import asyncio
import csv
import errno
import io
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from html import unescape
from pathlib import Path
from threading import Event, current_thread

import httpx2
import pytest
import uvloop
import xlsxwriter
from python_calamine import CalamineWorkbook
from starlette.testclient import TestClient

from padron.config import load
from padron.directory import Directory
from padron.errors import Unavailable
from padron.lists.added_columns import ADDED
from padron.lists.columns import MOST_COLUMNS, csv_rows
from padron.lists.rows import ListRow, RowMatch
from padron.service.app import build_app
from padron.web import match_list, page
from padron.web.site import Site
from padron.words import Language
from parsed_page import Reading, faults
from starving import no_file_beyond
from waiting import PATIENCE

SITE = "https://padron.example"
PAGE = {"es": "/es/emparejar", "en": "/en/match-list"}
LIST = (
    "proveedor;identificación;país\n"
    "Corporación Favorita;1790016919001;Ecuador\n"
    "Petrobras;;Brasil\n"
    "Zzyzx Qwrty;;México\n"
    "Corporación Favorita;1790016919001;Ecuador\n"
)
BR = "33000167000101"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("lists")


@pytest.fixture(scope="module")
def client(directory: Directory, folder: Path) -> Iterator[TestClient]:
    settings = load({"PADRON_LIMITS__ENABLED": "0", "PADRON_BASE_URL": "https://padron.example"}, data=folder)
    with TestClient(build_app(settings, directory), base_url="https://padron.example") as client:
        yield client


def upload(client: TestClient, content: bytes, language: str = "es"):
    return client.post(PAGE[language], files={"list": ("lista.csv", content, "text/csv")})


def parts(text: str) -> tuple[str, str, list[str]]:
    """The list as the page carries it, the numbers offered, and those that are ticked."""
    page = Reading(text)
    matched = unescape(text.split('<textarea name="matched" hidden>')[1].split("</textarea>", maxsplit=1)[0])
    offered = page.all("input", name="offered")[0]["value"]
    return matched, offered, [box["value"] for box in page.all("input", name="keep") if "checked" in box]


def workbook(rows: Sequence[Sequence[str | float]]) -> bytes:
    file = io.BytesIO()
    with xlsxwriter.Workbook(file) as book:
        sheet = book.add_worksheet()
        for at, row in enumerate(rows):
            sheet.write_row(at, 0, row)
    return file.getvalue()


def cells_of(content: bytes) -> list[list[object]]:
    return CalamineWorkbook.from_filelike(io.BytesIO(content)).get_sheet_by_index(0).to_python()


def test_a_list_goes_in_and_comes_out_reviewed(client: TestClient) -> None:
    answer = upload(client, LIST.encode("cp1252"))
    assert answer.status_code == 200
    assert answer.headers["cache-control"] == "no-store"
    assert faults(Reading(answer.text)) == []
    assert "Filas: 4. Con una empresa segura: 3. Por revisar: 0." in answer.text
    assert f'href="/es/empresas/br/{BR}"' in answer.text
    matched, offered, ticked = parts(answer.text)
    assert ticked == ["1", "2", "4"]
    assert offered.split()[:2] == ["1", "2"]

    form = {"matched": matched.replace("\r\n", "\n").replace("\n", "\r\n"), "offered": offered, "keep": ["1", "4"]}
    done = client.post(PAGE["es"], data=form, files={"none": b""})
    assert done.headers["content-disposition"] == 'attachment; filename="padron.csv"'
    assert done.headers["cache-control"] == "no-store"
    rows = list(csv.DictReader(io.StringIO(done.content.decode("utf-8-sig"), newline="")))
    assert [(row["proveedor"], row["padron_identifier"], row["padron_reviewed"]) for row in rows[:2]] == [
        ("Corporación Favorita", "1790016919001", "yes"),
        ("Petrobras", BR, "no"),
    ]
    assert [row["padron_verdict"] for row in rows] == ["found", "found", "not_found", "found"]
    assert rows[3]["padron_reviewed"] == "yes"


def download(client: TestClient, text: str, keep: list[str]):
    """The list that the page carries, downloaded."""
    matched, offered, _ = parts(text)
    inputs = {name: Reading(text).all("input", name=name)[0]["value"] for name in ("form", "above", "numbers")}
    form = {"matched": matched, "offered": offered, "keep": keep, **inputs}
    return client.post(PAGE["es"], data=form, files={"none": b""})


def test_a_list_comes_back_with_its_delimiter(client: TestClient) -> None:
    done = download(client, upload(client, LIST.encode("cp1252")).text, ["1"])
    header, first, *_ = done.content.decode("utf-8-sig").splitlines()
    assert header.startswith("proveedor;identificación;país;padron_verdict;padron_confidence;")
    assert first.startswith("Corporación Favorita;1790016919001;Ecuador;found;1.0000;EC;")


def test_a_workbook_comes_back_as_one_whose_confidence_is_a_number(client: TestClient) -> None:
    rows = [line.split(";") for line in LIST.splitlines()]
    answer = upload(client, workbook([["Proveedores"], *rows]))
    done = download(client, answer.text, ["1"])
    assert done.headers["content-disposition"] == 'attachment; filename="padron.xlsx"'
    title, header, first, *_ = cells_of(done.content)
    named = dict(zip(header, first, strict=True))
    assert title[0] == "Proveedores"
    assert (named["identificación"], named["padron_confidence"]) == ("1790016919001", 1.0)
    assert named["padron_reviewed"] == "yes"


def test_numbers_of_a_workbook_come_back_as_numbers(client: TestClient) -> None:
    rows = [
        ["Compras", "", "", "", ""],
        ["Proveedor", "RUC", "2025", "Código", "Nota"],
        ["Corporación Favorita", 1790016919001, -12.5, "007", 3],
        ["Petrobras", "", "", "8", "n/d"],
        ["", 5, 0.1, "9", ""],
    ]
    title, header, *others = cells_of(download(client, upload(client, workbook(rows)).text, []).content)
    rows[2][4] = "3"
    assert [row[:5] for row in (title, header, *others)] == rows


def test_positions_of_numbers_that_are_none_are_refused(client: TestClient) -> None:
    form = {"matched": "empresa\nx\n", "offered": "", "form": "xlsx", "numbers": "0 ²"}
    assert client.post(PAGE["es"], data=form, files={"none": b""}).status_code == 400
    form["numbers"] = "0 7"
    assert cells_of(client.post(PAGE["es"], data=form, files={"none": b""}).content)[1][0] == "x"


def test_a_formula_is_a_text_of_the_workbook(client: TestClient) -> None:
    form = {"matched": "empresa\n=1+1\n", "offered": "1", "form": "xlsx"}
    done = client.post(PAGE["es"], data=form, files={"none": b""})
    assert cells_of(done.content)[1][0] == "=1+1"


def test_the_form_of_a_download_is_that_of_a_list(client: TestClient) -> None:
    form = {"matched": "empresa", "offered": "", "form": "\\"}
    assert client.post(PAGE["es"], data=form, files={"none": b""}).status_code == 400


def test_columns_that_are_not_read_and_rows_with_a_cell_too_many_are_told(client: TestClient) -> None:
    answer = upload(client, b"proveedor,monto,nota\nPetrobras,5,a\nEcopetrol,5,a,b\nYPF,5\n")
    assert answer.status_code == 200
    assert "Columnas leídas: proveedor. No leídas: monto, nota." in answer.text
    assert "La fila 3 del archivo tiene 4 celdas y la lista 3 columnas; tras la última dice: b." in answer.text
    rows = list(csv.DictReader(io.StringIO(parts(answer.text)[0], newline="")))
    assert [row["padron_verdict"] for row in rows] == ["found", "invalid_input", "found"]


def test_a_list_without_names_that_are_read_says_so(client: TestClient) -> None:
    words = "No se leyó ninguna columna de nombres, así que los números no se comparan con nombres"
    assert words in upload(client, b"RUC,detalle\n1790016919001,Pronaca\n").text
    assert words not in upload(client, b"RUC,empresa,x\n1790016919001,Pronaca,y\n").text


def test_rows_above_the_header_come_back_above_it(client: TestClient) -> None:
    answer = upload(client, b"Lista;;\nproveedor;NIT;nota\nPetrobras;;a\nEcopetrol;1790016919001;b\n")
    assert "Columnas leídas: proveedor, NIT. No leídas: nota." in answer.text
    matched, offered, ticked = parts(answer.text)
    assert (offered, ticked) == ("1 2", ["1"])
    above = Reading(answer.text).all("input", name="above")[0]["value"]
    form = {"matched": matched, "offered": offered, "keep": ticked, "above": above}
    done = client.post(PAGE["es"], data=form, files={"none": b""})
    title, header, *rows = csv.reader(io.StringIO(done.content.decode("utf-8-sig"), newline=""))
    assert (title, header[0], header[-1]) == (["Lista", "", ""], "proveedor", "padron_reviewed")
    assert [(row[0], row[-1]) for row in rows] == [("Petrobras", "yes"), ("Ecopetrol", "no")]
    refused = client.post(PAGE["es"], data=form | {"above": "-1"}, files={"none": b""})
    assert refused.status_code == 400


def test_blank_rows_are_counted_wherever_they_stand(client: TestClient) -> None:
    answer = upload(client, b"\n\nproveedor;monto\n\nPetrobras;5\n;\nEcopetrol;5;a\n")
    assert "La fila 7 del archivo tiene 3 celdas y la lista 2 columnas; tras la última dice: a." in answer.text
    assert "(fila 4: " in upload(client, b'\n\nproveedor\n"Petrobras').text


def test_a_first_line_may_state_the_delimiter(client: TestClient) -> None:
    answer = upload(client, b"sep=;\r\nproveedor;nota\r\nPetrobras;a,b,c\r\n")
    rows = list(csv.DictReader(io.StringIO(parts(answer.text)[0], newline="")))
    assert [(row["proveedor"], row["nota"], row["padron_verdict"]) for row in rows] == [("Petrobras", "a,b,c", "found")]


def test_the_delimiter_is_that_of_the_first_line_with_one(client: TestClient) -> None:
    answer = upload(client, b"Proveedores de 2025\r\n\r\nEmpresa;NIT\r\nEcopetrol;899999068-1\r\n")
    rows = list(csv.reader(io.StringIO(parts(answer.text)[0], newline="")))
    assert rows[-1][:3] == ["Ecopetrol", "899999068-1", "found"]


def test_a_workbook_is_read_and_both_languages_answer(client: TestClient) -> None:
    rows = [line.split(";") for line in LIST.splitlines()]
    answer = upload(client, workbook(rows), "en")
    assert answer.status_code == 200
    assert "Rows: 4. With a sure company: 3. To review: 0." in answer.text
    assert next(csv.reader(io.StringIO(parts(answer.text)[0])))[:3] == rows[0]


def test_nothing_is_kept_or_logged(
    client: TestClient, folder: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    before = {path for path in folder.rglob("*") if path.is_file()}
    for content in (LIST.encode(), workbook([["empresa"], ["Zzyzx Qwrty"]])):
        assert upload(client, content).status_code == 200
    assert {path for path in folder.rglob("*") if path.is_file()} == before
    assert all(b"Qwrty" not in path.read_bytes() for path in before)
    client.app.middleware_stack._observer.log.close()
    log = "".join(capfd.readouterr())
    assert '"method":"POST"' in log
    assert "Qwrty" not in log


def test_markup_and_formulas_of_a_list_are_text(client: TestClient) -> None:
    nasty = 'empresa,"</textarea><script>alert(1)</script>"\nPetrobras,=1+1\n'
    answer = upload(client, nasty.encode())
    assert answer.status_code == 200
    assert faults(Reading(answer.text)) == []
    assert "<script>alert" not in answer.text
    assert parts(answer.text)[0].splitlines()[0].startswith("empresa,</textarea><script>alert(1)</script>,")


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", "El archivo no se puede leer (está vacío)."),
        (b"\x89PNG\r\n\x00\x00", "(no es ni CSV ni un libro de cálculo)"),
        (b"PK\x03\x04 no workbook", "(el libro está dañado o es demasiado grande)"),
        (
            b'empresa\n"never closed',
            "(fila 2: unas comillas abren una celda y no se cierran; ciérrelas o quítelas)",
        ),
        (b"a,b\n1,2\n", "Dé a esa columna un encabezado como Empresa"),
        (b"empresa\n" + b"Petrobras\n" * (match_list.MOST_ROWS + 1), "listas de 500 filas"),
        (b"empresa\nPetrobras" + b"," * MOST_COLUMNS, "más de 256 columnas"),
    ],
)
def test_what_cannot_be_read_is_told_on_the_page(client: TestClient, content: bytes, code: str) -> None:
    answer = upload(client, content)
    assert answer.status_code == 400
    page = Reading(answer.text)
    assert len(page.all("div", role="alert")) == 1
    assert code in unescape(answer.text)
    assert page.all("input", name="list"), "the form is there for another try"


def test_too_large_and_malformed_forms(client: TestClient) -> None:
    large = upload(client, b"empresa\n" + b"x" * match_list.MOST_BYTES)
    assert large.status_code == 413
    for kind, body in (
        ("application/x-www-form-urlencoded", b"list=x"),
        ("multipart/form-data; boundary=abc", b"--abc\r\nnothing"),
        ("multipart/form-data", b""),
    ):
        answer = client.post(PAGE["en"], content=body, headers={"content-type": kind})
        assert answer.status_code == 400
        assert "the form that brought it is not complete" in answer.text


def test_a_file_arrives_byte_for_byte() -> None:
    content = bytes(range(256)) + b"\r\n--ab\r\n\r\r\n"
    body = b'--abc\r\nContent-Disposition: form-data; name="list"; filename="x"\r\n\r\n' + content + b"\r\n--abc--\r\n"

    class Given:
        given = {b"content-type": b'multipart/form-data; boundary="abc"'}  # noqa: RUF012

    assert match_list.read_form(Given(), body) == {b"list": [content]}


@pytest.mark.usefixtures("one_moment")
def test_lists_have_a_limit_of_their_own(directory: Directory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(match_list, "UPLOADS", match_list.UPLOADS._replace(amount=2))
    settings = load({"PADRON_BASE_URL": "https://padron.example"}, data=tmp_path)
    with TestClient(build_app(settings, directory), base_url="https://padron.example") as client:
        assert [upload(client, LIST.encode()).status_code for _ in range(3)] == [200, 200, 429]
        assert client.get(PAGE["es"]).status_code == 200


def test_the_loop_of_the_service_reads_a_workbook() -> None:
    """The service runs on uvloop, whose subprocesses take fewer options than those of asyncio's own loop."""
    assert uvloop.run(match_list._sheet(workbook([["nombre"], ["Petrobras"]]))).split() == ['"nombre"', '"Petrobras"']


def test_a_workbook_needs_no_disk(client: TestClient) -> None:
    content = workbook([["nombre"], ["Petrobras"]])
    with no_file_beyond(0):
        assert upload(client, content).status_code == 200


def test_of_many_workbooks_at_once_a_few_are_read_and_the_others_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(match_list, "_READING", asyncio.Semaphore(2))  # one that has waited belongs to its loop
    book = workbook([["nombre"], ["Petrobras"]])

    async def read() -> list[str]:
        return await asyncio.gather(*(match_list._sheet(book) for _ in range(4)))

    assert uvloop.run(read()) == ['"nombre"\n"Petrobras"\n'] * 4


def test_a_workbook_waits_for_nothing_where_no_process_can_be_started(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_given: object, **_more: object) -> None:
        raise BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable")

    monkeypatch.setattr(asyncio, "create_subprocess_exec", refuse)
    with pytest.raises(Unavailable, match="busy"):
        uvloop.run(match_list._sheet(b""))


def test_a_workbook_has_an_end_where_others_have_the_processors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(match_list, "_LONGEST_READING", 0.0)
    with pytest.raises(Unavailable, match="busy"):
        uvloop.run(match_list._sheet(b"PK"))


def test_a_cell_may_be_long_and_is_told_to_be(client: TestClient) -> None:
    page = upload(client, f"Empresa\nPetrobras\n{'a' * 200_000}\n".encode())
    matched, offered, _ = parts(page.text)
    answers = list(csv.DictReader(io.StringIO(matched)))
    assert [row["padron_verdict"] for row in answers] == ["found", "invalid_input"]
    form = {"matched": matched, "offered": offered, "keep": offered}
    assert client.post(PAGE["es"], files={name: (None, value) for name, value in form.items()}).status_code == 200


def test_a_list_that_takes_long_to_read_or_write_holds_up_nobody(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, go_on = Event(), Event()

    def read_slowly(*given):
        begun.set()
        assert go_on.wait(PATIENCE)
        return csv_rows(*given)

    monkeypatch.setattr(match_list, "csv_rows", read_slowly)
    form = {"matched": "empresa\nPetrobras\n", "offered": "1"}
    for post in (
        partial(upload, client, LIST.encode()),
        partial(client.post, PAGE["es"], data=form, files={"none": b""}),
    ):
        begun.clear()
        go_on.clear()
        with ThreadPoolExecutor(1) as second, ThreadPoolExecutor(1) as third:
            answer = second.submit(post)
            try:
                assert begun.wait(PATIENCE)
                assert third.submit(client.get, "/healthz").result(PATIENCE).status_code == 200
            finally:
                go_on.set()
        assert answer.result().status_code == 200


def test_of_the_forms_of_one_client_a_few_are_received_and_others_have_their_turn(
    directory: Directory, tmp_path: Path
) -> None:
    """Forms whose answers are not taken keep their places; what is refused is not received."""
    boundary = b"--ab\r\nContent-Disposition: form-data; name="
    matched = b"empresa\n" + b"Petrobras,%s\n" % (b"a" * 9_000) * 100
    body = boundary + b'"offered"\r\n\r\n1\r\n' + boundary + b'"matched"\r\n\r\n' + matched + b"\r\n--ab--\r\n"
    received: list[str] = []
    statuses: list[tuple[str, int]] = []

    async def visit() -> None:
        app = build_app(load({"PADRON_LIMITS__ENABLED": "0", "PADRON_BASE_URL": SITE}, data=tmp_path), directory)
        reads, taken, sent = asyncio.Event(), Counter(), Counter()

        async def post(client: str) -> None:
            async def receive() -> dict[str, object]:
                received.append(client)
                return {"type": "http.request", "body": body, "more_body": False}

            async def send(message: dict[str, object]) -> None:
                if message["type"] == "http.response.start":
                    statuses.append((client, message["status"]))
                elif statuses[-1][1] == 200:
                    taken[client] += 1
                    await reads.wait()
                    sent[client] += len(message["body"])

            fields = [(b"host", b"padron.example"), (b"content-type", b"multipart/form-data; boundary=ab")]
            scope = {"type": "http", "http_version": "1.1", "method": "POST", "scheme": "https", "path": PAGE["es"]}
            scope |= {"raw_path": PAGE["es"].encode(), "query_string": b"", "headers": fields}
            await app(scope | {"client": (client, 1), "server": ("padron.example", 443)}, receive, send)

        posts = [asyncio.create_task(post("192.0.2.1")) for _ in range(40)]
        while taken["192.0.2.1"] < match_list.FORMS_OF_CLIENT or len(statuses) < 40:
            await asyncio.sleep(0)
        assert Counter(statuses) == {("192.0.2.1", 200): 6, ("192.0.2.1", 503): 34}
        assert Counter(received) == {"192.0.2.1": 6}
        posts += [asyncio.create_task(post(f"192.0.2.{number}")) for number in range(2, 9)]
        while len(statuses) < 47 or taken.total() < match_list.FORMS:
            await asyncio.sleep(0)
        assert Counter(status for _, status in statuses[40:]) == {200: 6, 503: 1}
        assert set(received[6:]) <= {f"192.0.2.{number}" for number in range(2, 9)}
        reads.set()
        await asyncio.gather(*posts)
        assert len({sent[f"192.0.2.{number}"] for number in range(2, 9)} - {0}) == 1
        assert match_list._PLACES == {}

    asyncio.run(asyncio.wait_for(visit(), PATIENCE))


def test_the_delimiter_is_looked_for_at_the_beginning_of_a_list() -> None:
    row = "nombre;x\n"
    within, beyond = (uvloop.run(match_list.read_rows(("\n" * blank + row).encode())) for blank in (65_000, 66_000))
    assert within == ([(65_001, ["nombre", "x"])], ";", ())
    assert beyond == ([(66_001, ["nombre;x"])], ",", ())


def test_the_rows_of_all_lists_take_turns(
    directory: Directory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rounds: list[int] = []
    number, search = 0, Directory.match

    async def count_rounds() -> None:
        nonlocal number
        while True:
            await asyncio.sleep(0)
            number += 1

    async def noted(directory: Directory, row: ListRow, language: Language) -> RowMatch:
        rounds.append(number)
        return await search(directory, row, language)

    async def visit() -> None:
        app = build_app(load({"PADRON_LIMITS__ENABLED": "0", "PADRON_BASE_URL": SITE}, data=tmp_path), directory)
        counting = asyncio.create_task(count_rounds())
        lists = ["".join(f"petroleo {place}\n" for place in range(start, start + 40)) for start in range(0, 240, 40)]
        async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app), base_url=SITE) as http:
            uploads = (http.post(PAGE["en"], files={"list": ("a.csv", f"name\n{rows}".encode())}) for rows in lists)
            assert [answer.status_code for answer in await asyncio.gather(*uploads)] == [200] * 6
        counting.cancel()

    monkeypatch.setattr(Directory, "match", noted)
    asyncio.run(visit())
    assert (len(rounds), max(Counter(rounds).values())) == (240, 1)


def test_a_download_has_no_more_columns_than_a_list(client: TestClient) -> None:
    matched = "empresa" + "," * (MOST_COLUMNS + len(ADDED))
    answer = client.post(PAGE["es"], data={"matched": matched, "offered": "1"}, files={"none": b""})
    assert answer.status_code == 400
    assert "la lista de la página fue modificada" in answer.text


def test_columns_are_recognised_and_the_page_is_made_beside_the_loop(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A list may have cells that take long to read, to escape and to compress."""
    names: dict[str, str] = {}

    def noting(step: str, act):
        def noted(*given, **more):
            names[step] = current_thread().name.partition("_")[0]
            return act(*given, **more)

        return noted

    monkeypatch.setattr(match_list, "recognise", noting("recognise", match_list.recognise))
    monkeypatch.setattr(Site, "render", noting("render", Site.render))
    monkeypatch.setattr(page, "compressed_for", noting("compress", page.compressed_for))
    assert upload(client, LIST.encode()).status_code == 200
    assert names == {"recognise": "lists", "render": "lists", "compress": "lists"}
