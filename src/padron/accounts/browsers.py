"""The name of a browser, by which its holder recognizes a session; no more of its description is kept."""

from __future__ import annotations

from typing import Final

_BROWSERS: Final = (
    ("Edg", "Edge"), ("OPR/", "Opera"), ("Firefox/", "Firefox"), ("FxiOS/", "Firefox"), ("Chrome/", "Chrome"),
    ("CriOS/", "Chrome"), ("Safari/", "Safari"), ("curl/", "curl"),
)  # fmt: skip
_SYSTEMS: Final = (
    ("Android", "Android"), ("iPhone", "iOS"), ("iPad", "iOS"), ("Windows", "Windows"), ("Mac OS X", "macOS"),
    ("CrOS", "ChromeOS"), ("Linux", "Linux"),
)  # fmt: skip
"""A part of User-Agent, and the name it stands for; the first that is there counts, as others imitate later ones."""


def browser_of(user_agent: str) -> str:
    """Return browser and system of a User-Agent, as far as they are known: `Firefox, Linux`."""
    names = [next((name for part, name in known if part in user_agent), "") for known in (_BROWSERS, _SYSTEMS)]
    return ", ".join(filter(None, names))
