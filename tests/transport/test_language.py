"""Spanish unless the request prefers English."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from padron.transport.language import negotiate


@pytest.mark.parametrize(
    ("header", "language"),
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
def test_the_language_of_a_reader(header: str, language: str) -> None:
    assert negotiate(header.encode()) == language


@given(st.binary())
def test_any_header_gives_a_language(header: bytes) -> None:
    assert negotiate(header) in {"es", "en"}
