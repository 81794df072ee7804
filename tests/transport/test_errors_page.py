"""docs/errors.md is the table of error codes; run this file with `PYTHONPATH=src` to write it anew."""

from __future__ import annotations

from pathlib import Path

from padron.errors.messages import MESSAGES, ErrorMessage
from padron.transport.problems import STATUS
from padron.words import translate

PAGE = Path(__file__).parents[2] / "docs" / "errors.md"

_HEAD = """\
# Error codes · Códigos de error

A code never changes; its message may. Names in braces are placeholders. Over HTTP, errors are problem details
(RFC 9457), see [api.md](api.md).

Un código no cambia nunca; su mensaje sí puede cambiar. Los nombres entre llaves se reemplazan por valores. Por HTTP
los errores son documentos de problema (RFC 9457), véase [api.es.md](api.es.md).
"""
_TERMINAL = """
## At the terminal · En la terminal

Building, checking and starting. · Al construir, comprobar y arrancar.
"""


def page() -> str:
    """The whole page: what HTTP answers by status, then what is only met at a terminal."""
    answered = sorted(STATUS, key=lambda code: (STATUS[code], code))
    local = sorted(MESSAGES.keys() - STATUS.keys())
    return "".join(
        (
            _HEAD,
            "\n## Over HTTP · Por HTTP\n\n| status | code | English | español |\n| --- | --- | --- | --- |\n",
            *(f"| {STATUS[code]} {row(code)}" for code in answered),
            _TERMINAL,
            "\n| code | English | español |\n| --- | --- | --- |\n",
            *(row(code) for code in local),
        )
    )


def row(code: str) -> str:
    """The code and its message in both languages, as table cells."""
    message = MESSAGES[code]
    spanish = ErrorMessage(*(translate(sentence, "es") for sentence in message))
    return f"| `{code}` | {cell(message)} | {cell(spanish)} |\n"


def cell(message: ErrorMessage) -> str:
    """Title and detail in one cell; doubled braces are none of a placeholder."""
    return ". ".join(message).replace("|", "\\|").replace("{{", "{").replace("}}", "}")


def test_the_page_is_current() -> None:
    assert PAGE.read_text("utf-8") == page(), "run this file to write the page anew"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
