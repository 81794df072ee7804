"""Texts of registers as they are shown: on one line, as short as needed, without what cannot be seen."""

from __future__ import annotations

from padron.web.plain import calm, markdown, plain


def test_register_text_is_shown_plain_and_whole() -> None:
    assert plain("A\u202eB\x00C\nD") == "A B C D"
    assert plain("E\u0301TICA") == "ÉTICA"
    assert plain("CORPORACIÓN FAVORITA C.A.") == "CORPORACIÓN FAVORITA C.A."
    assert len(plain("X" * 10_000)) == 300


def test_markdown_says_just_what_the_text_says() -> None:
    assert markdown("[x](y) <b>*") == r"\[x\]\(y\) \<b\>\*"


def test_a_long_text_is_cut_at_a_word() -> None:
    assert plain("Otras actividades de servicio de apoyo", 24) == "Otras actividades de…"
    assert plain("Otras actividades de servicio", 29) == "Otras actividades de servicio"


def test_a_place_in_capitals_is_written_as_one_is() -> None:
    assert [calm(text) for text in ("BOGOTÁ, D.C.", "SANTA FE DE ANTIOQUIA")] == [
        "Bogotá, D.C.",
        "Santa Fe de Antioquia",
    ]
