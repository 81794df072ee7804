"""Official files whose names attack whatever shows them: markup, other directions of writing, endless lengths."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Final

from one_country import place, unexpecting
from padron.countries import REGISTRY
from small_register import release_of

_ATTACKS: Final = {
    "harmless": "HARMLESS EXAMPLE",
    "element": "<script>alert(1)</script> <b>BOLD</b>",
    "end of a script": "</script><script>alert(2)</script><!--",
    "attribute": "ACME\"><img src=x onerror=alert(3)> ' onfocus=alert(4) autofocus='",
    "end of a section": "ACME ]]> <![CDATA[ &amp; &lt;b&gt; &#60;i&#62; -->",
    "template": "ACME {{ 7 * 7 }} {% raw %} ${alert(5)} %(name)s {0}",
    "markdown": "[ACME](javascript:alert(6)) `code` **bold** # | <https://evil.example>",
    "turned around": "ACME \u202egnp.exe\u202c \u2066LTD\u2069 \u061c\u200b\u200f\ufeff",
    "right to left": "شركة ابن سينا ACME עברית 株式会社",
    "lines": "ACME\u2028ONE\u2029TWO\u0085THREE\nFOUR\x1b[31m\x07",
    "one endless word": "A" * 9_900,
    "endless": "ACME INDUSTRIES " * 618,
    "formula": "=HYPERLINK(CHAR(104),CHAR(105))",
    "path": "ACME ../../etc/passwd?x=1#&%2e%2e",
    "marks upon marks": "ACME Z" + "\u0301\u0323" * 400,
}
NAMES: Final = {called: f"{attack} INC" for called, attack in _ATTACKS.items()}
"""Attacks by name: the legal name of a company whose former name, ticker and activity attack too."""
CIK: Final = {called: str(1_000_001 + number) for number, called in enumerate(NAMES)}


MANY_NAMED: Final = "1000099"
"""CIK of a company of 40 former names, every other one of 300 letters, of which no other fact is known."""


def hostile_release(folder: Path) -> Path:
    """A release of these companies as filers with the SEC; gives its data folder."""
    country = replace(unexpecting(REGISTRY["US"]), examples=())
    files = {}
    for called, name in NAMES.items():
        document = {
            "cik": CIK[called], "name": name, "ein": f"98765{int(CIK[called]) % 10_000:04}", "sic": "0001",
            "sicDescription": name, "stateOfIncorporation": "DE", "tickers": [name],
            "formerNames": [{"name": f"{name} OF OLD", "from": "2001-01-01T00:00:00Z", "to": "2003-01-01T00:00:00Z"}],
            "filings": {"recent": {"form": ["10-K"]}},
        }  # fmt: skip
        files[f"CIK{int(CIK[called]):010}__json"] = json.dumps(document).encode()
    former = [
        {
            "name": f"NAME {number} {'LONG ' * 59 if number % 2 else ''}INC",
            "from": f"{1960 + number}-01-01T00:00:00Z",
            "to": f"{1961 + number}-01-01T00:00:00Z",
        }
        for number in range(40)
    ]
    many_named = {
        "cik": MANY_NAMED,
        "name": "MANY NAMED INC",
        "ein": "987650099",
        "formerNames": former,
        "filings": {"recent": {"form": ["10-K"]}},
    }
    files[f"CIK{int(MANY_NAMED):010}__json"] = json.dumps(many_named).encode()
    place(folder / "official", country, "submissions", **files)
    return release_of({"US": country}, folder / "official", folder / "var")
