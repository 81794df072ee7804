"""`match` of a data frame: cells, equal rows, progress, resumption. With the libraries themselves: tests/clients."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from both import KEY
from padron_client import BadRequestError, Padron, frames, match
from scripted import Reply, Script


class Series(list[Any]):
    """A column with the methods that both libraries have; polars makes one of a name and its cells."""

    def __init__(self, name: str, cells: list[Any]) -> None:
        super().__init__(cells)
        self.name = name

    def to_list(self) -> list[Any]:
        return list(self)


class Pandas:
    """A frame as pandas has it, as far as `match` knows it."""

    def __init__(self, **columns: list[Any]) -> None:
        self.by_name = columns
        self.columns = list(columns)

    def __getitem__(self, name: str) -> Series:
        return Series(name, self.by_name[name])

    def assign(self, **columns: list[Any]) -> Pandas:
        return Pandas(**self.by_name | columns)


class Polars(Pandas):
    """The same as polars has it."""

    assign = property()  # type: ignore[assignment]

    def with_columns(self, columns: list[Series]) -> Polars:
        return Polars(**self.by_name | {column.name: list(column) for column in columns})


class NAType:
    """The missing value of pandas, which answers no comparison."""

    def __eq__(self, other: object) -> bool:
        raise TypeError

    __hash__ = None  # type: ignore[assignment]


def company(name: str, confidence: float) -> dict[str, Any]:
    return {
        "legalName": name, "tradeName": None, "countryCode": "EC", "scheme": "ec-ruc", "identifier": "1790016919001",
        "idLabel": "RUC", "confidence": confidence, "status": "active", "classificationCode": None,
        "classificationLabel": None, "financialsAvailable": False, "canonicalUrls": {"es": "x", "en": "x"},
    }  # fmt: skip


def matching(name: str) -> dict[str, Any]:
    return {"verdict": "found", "company": company(name, 0.99), "matchedOn": "legalName", "conflicts": ["A", "B"],
            "reason": "why", "second": company("other", 0.005)}  # fmt: skip


NONE = {"verdict": "not_found", "company": None, "matchedOn": None, "second": None, "conflicts": [], "reason": "no"}


def reply(*matches: dict[str, Any]) -> Reply:
    return Reply(body=json.dumps({"release": "r", "matches": matches}).encode())


def client(server: Script) -> Padron:
    return Padron(api_key=KEY, base_url=server.url, max_retries=0)


@pytest.mark.parametrize("kind", [Pandas, Polars])
def test_each_row_gets_its_company_and_equal_rows_are_asked_once(kind: type[Pandas]) -> None:
    frame = kind(
        Empresa=["Favorita", "qwertz", "Favorita", None],
        RUC=[1790016919001.0, float("nan"), 1790016919001.0, NAType()],
        n=[1, 2, 3, 4],
    )
    done: list[tuple[int, int]] = []
    with Script([reply(matching("FAVORITA"), NONE, NONE)]) as server, client(server) as padron:
        matched = match(
            frame, padron, columns={"name": "Empresa", "identifier": "RUC"}, progress=lambda *at: done.append(at)
        )
    assert type(matched) is kind
    assert [asked.json() for asked in server.asked] == [
        {"rows": [{"name": "Favorita", "identifier": "1790016919001"}, {"name": "qwertz"}, {}]}
    ]
    assert done == [(3, 3)]
    assert matched.columns == ["Empresa", "RUC", "n", *frames.ADDED]
    assert matched.by_name["padron_verdict"] == ["found", "not_found", "found", "not_found"]
    assert matched.by_name["padron_confidence"] == [0.99, None, 0.99, None]
    assert [matched.by_name[f"padron_{name}"][0] for name in ("country", "scheme", "identifier", "name", "status")] == [
        "EC", "ec-ruc", "1790016919001", "FAVORITA", "active"]  # fmt: skip
    assert [matched.by_name[f"padron_{name}"][0] for name in ("matched_on", "reason", "conflicts")] == [
        "legalName", "why", "A B"]  # fmt: skip
    assert [cells[0] for name, cells in matched.by_name.items() if name.startswith("padron_second")] == [
        "EC", "1790016919001", "other", 0.005]  # fmt: skip
    assert frame.columns == ["Empresa", "RUC", "n"]


def test_it_goes_on_where_it_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frames, "_BATCH", 2)
    frame, kept = Pandas(name=["a", "b", "c"]), tmp_path / "kept"
    cut = Reply(status=400, body=b'{"code":"bad-row"}', headers={"content-type": "application/problem+json"})
    replies = [reply(matching("A"), matching("B")), cut]
    with Script(replies) as server, client(server) as padron, pytest.raises(BadRequestError):
        match(frame, padron, resume=kept)
    with kept.open("ab") as file:
        file.write(b'{"verdict":"fo')
    with Script([reply(matching("C"))]) as server, client(server) as padron:
        matched = match(frame, padron, resume=kept)
    assert [asked.json() for asked in server.asked] == [{"rows": [{"name": "c"}]}]
    assert matched.by_name["padron_name"] == ["A", "B", "C"]
    assert not kept.exists()


def test_the_answers_of_another_list_are_not_used(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    kept.write_bytes(b"0" * 64 + b"\n" + json.dumps(matching("A")).encode() + b"\n")
    with Script([reply(NONE)]) as server, client(server) as padron:
        matched = match(Pandas(name=["a"]), padron, resume=kept)
    assert matched.by_name["padron_verdict"] == ["not_found"]


def test_a_frame_without_rows_asks_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PADRON_API_KEY", KEY)
    assert match(Pandas(name=[])).by_name["padron_verdict"] == []


@pytest.mark.parametrize(
    ("frame", "columns", "error", "message"),
    [
        ([["a"]], None, TypeError, "a data frame of pandas or polars is needed, not list"),
        (Pandas(Empresa=["a"]), None, ValueError, "say which column has names or identifiers"),
        (Pandas(Empresa=["a"]), {"name": "Firma"}, ValueError, "no column 'Firma'; it has: Empresa"),
        (Pandas(Empresa=["a"]), {"nombre": "Empresa"}, ValueError, "'nombre' is no field; the fields are: name, "),
    ],
)
def test_what_cannot_be_read_is_told(frame: Any, columns: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        match(frame, columns=columns)
