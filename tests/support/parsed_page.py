"""A page read as a browser would: its elements, by the HTML parser of the standard library."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from typing import Any, NamedTuple


class Element(NamedTuple):
    """A start tag and its attributes."""

    tag: str
    attributes: dict[str, str]


class Reading(HTMLParser):
    """`elements` in order; `text` is what a reader sees; `scripts` the contents of script elements."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[Element] = []
        self.scripts: list[str] = []
        self._texts: list[str] = []
        self._inside = ""
        self.feed(html)
        self.close()
        self.text = " ".join("".join(self._texts).split())

    def linked(self, kind: str) -> dict[str, Any]:
        """The node of a type in the JSON-LD of the page."""
        (script,) = self.scripts
        (node,) = (node for node in json.loads(script)["@graph"] if node["@type"] == kind)
        return node

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append(Element(tag, {name: value or "" for name, value in attrs}))
        self._inside = tag

    def handle_endtag(self, tag: str) -> None:
        self._inside = ""

    def handle_data(self, data: str) -> None:
        if self._inside == "script":
            self.scripts.append(data)
        elif self._inside != "style":
            self._texts.append(f"{data} ")

    def all(self, tag: str, **attributes: str) -> list[dict[str, str]]:
        """The attributes of every `tag` that has these."""
        return [
            element.attributes
            for element in self.elements
            if element.tag == tag and attributes.items() <= element.attributes.items()
        ]


def faults(page: Reading) -> list[str]:
    """List the elements that would load from elsewhere or run a script written into the page."""
    violations = []
    for tag, attributes in page.elements:
        for name, value in attributes.items():
            loads = name == "src" or (
                tag == "link"
                and name == "href"
                and attributes.get("rel") in {"stylesheet", "preload", "icon", "apple-touch-icon"}
            )
            if loads and not value.startswith("/static/"):
                violations.append(f"{tag} loads {value}")
            if name == "style" or name.startswith("on"):
                violations.append(f"{tag} has {name}")
            if name in {"href", "action"} and not re.match(r"https://|/|#|mailto:", value):
                violations.append(f"{tag} leads to {value}")
        if tag == "style" or (
            tag == "script" and "src" not in attributes and attributes.get("type") != "application/ld+json"
        ):
            violations.append(f"{tag} in the page")
    return violations
