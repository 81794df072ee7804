"""Texts of registers as they are shown: on one line, as short as needed, without what cannot be seen."""

from __future__ import annotations

from padron.web.plain import markdown, plain


def test_register_text_is_shown_plain_and_whole() -> None:
    assert plain("A\u202eB\x00C\nD") == "A B C D"
    assert plain("E\u0301TICA") == "ÉTICA"
    assert plain("CORPORACIÓN FAVORITA C.A.") == "CORPORACIÓN FAVORITA C.A."
    assert len(plain("X" * 10_000)) == 300


def test_markdown_says_just_what_the_text_says() -> None:
    assert markdown("[x](y) <b>*") == r"\[x\]\(y\) \<b\>\*"
