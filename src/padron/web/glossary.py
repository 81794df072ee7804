"""Official terms in plain words: statuses of a company, kinds of names, states of a source."""

from __future__ import annotations

from typing import Final

from padron.words import N_

STATUS: Final = {
    "active": N_("Active"),
    "inactive": N_("Inactive"),
    "suspended": N_("Suspended"),
    "in_liquidation": N_("In liquidation"),
    "dissolved": N_("Dissolved"),
    "annulled": N_("Annulled"),
    "unknown": N_("Status not classified"),
}
"""Status of a company -> its name."""

STATUS_MEANING: Final = {
    "active": N_("According to the register it exists and no closing procedure is under way."),
    "inactive": N_("It exists, but according to the register it has no activity or does not meet its obligations."),
    "suspended": N_("An authority has suspended its registration or its activity; the suspension can be lifted."),
    "in_liquidation": N_("It is being closed: it pays its debts and distributes what remains. It still exists."),
    "dissolved": N_("It no longer exists: its registration was cancelled."),
    "annulled": N_("The authority declared its registration void."),
    "unknown": N_("The register publishes a status that we cannot classify; it is shown in its own words."),
}
"""Status of a company -> its explanation."""

NAME: Final = {
    "trade": N_("Trade name"),
    "former": N_("Former name"),
    "alternative": N_("Also registered as"),
    "ticker": N_("Ticker symbol"),
    "byName": N_("Known as"),
}
"""Kind of another name of a company."""

CHANGE: Final = {
    "new": N_("new in the directory"),
    "gone": N_("no longer in the directory"),
    "renumbered": N_("new identifier"),
    "renamed": N_("renamed"),
    "status-changed": N_("another status"),
    "new-statements": N_("new financial statements"),
}
"""Kind of a change of a company between two releases."""

STATE: Final = {
    "fresh": N_("up to date"),
    "late": N_("late"),
    "failed": N_("not available"),
    "manual": N_("updated by hand"),
}
"""State of an official source."""

SCOPE: Final = {
    "consolidated": N_("consolidated, with its subsidiaries"),
    "separate": N_("separate, the parent company only"),
    "individual": N_("individual"),
}
"""Scope of a yearly statement."""
