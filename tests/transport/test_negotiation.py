"""Languages, content codings and media types, by the weights a client states."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from padron.transport.negotiation import content_coding, language, media_type, weights


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("", "es"),
        ("*", "es"),
        ("es", "es"),
        ("es-EC", "es"),
        ("en", "en"),
        ("EN-us", "en"),
        ("en-US,en;q=0.9", "en"),
        ("en-US,en;q=0.5,es;q=0.7", "en"),
        ("en;q=0.5,es;q=0.7", "es"),
        ("es;q=0.7,en;q=0.8", "en"),
        ("en, es", "en"),
        ("es, en", "es"),
        ("pt-BR,pt;q=0.9,en;q=0.8", "es"),
        ("pt;q=0.2,en;q=0.8", "en"),
        ("fr", "es"),
        ("fr,de;q=0.9,en;q=0.1", "en"),
        ("fr, *;q=0.5", "es"),
        ("en;q=0.4, *;q=0.5", "es"),
        ("en;q=0.6, *;q=0.5", "en"),
        ("en;q=0", "es"),
        ("es;q=0", "en"),
        ("es;q=0, *", "en"),
        ("es;q=0, en;q=0", "es"),
        ("en;q=x", "es"),
        ("en;q=2", "es"),
        ("en;q=nan", "es"),
        ("en;level=1", "es"),
        ("en ; q = 0.8", "en"),
        (",,;;==,", "es"),
        ("english", "es"),
        ("fr," * 100 + "en", "es"),
    ],
)
def test_the_language_of_a_reader(header: str, expected: str) -> None:
    assert language(header.encode()) == expected


@given(st.binary())
def test_any_header_gives_a_language(header: bytes) -> None:
    assert language(header) in {"es", "en"}


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("", ""),
        ("gzip", "gzip"),
        ("gzip, br", "br"),
        ("br;q=0.5, GZIP", "gzip"),
        ("*", "br"),
        ("br;q=0, *;q=0.1", "gzip"),
        ("gzip;q=0", ""),
        ("gzip;q=x", ""),
        ("identity", ""),
    ],
)
def test_the_coding_of_a_client(header: str, expected: str) -> None:
    assert content_coding(header.encode(), ("br", "gzip")) == expected


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("", "application/json"),
        ("*/*", "application/json"),
        ("text/csv", "text/csv"),
        ("text/csv, application/json", "application/json"),
        ("Text/CSV; header=present; q=0.9, application/json;q=0.8", "text/csv"),
        ("text/csv;q=0", "application/json"),
        ("a/b," * 300 + "text/csv", "application/json"),
        ("a/b," * 248 + "text/csv;q=0.5,application/json", "application/json"),
    ],
)
def test_the_media_type_of_a_client(header: str, expected: str) -> None:
    assert media_type(header.encode(), ("application/json", "text/csv")) == expected


def test_weights_are_read_from_the_end_of_each_value() -> None:
    assert weights("a; q=0.25, B;x=1 ;Q=1.000, c;q=2, a;q=0.5") == {"a": 0.5, "b;x=1": 1.0, "c;q=2": 1.0}
