"""The list of common passwords: each entry refuses something that nothing else would."""

from __future__ import annotations

import pytest

from padron.accounts import passwords
from padron.errors import Invalid


def idle(listed: frozenset[str]) -> set[str]:
    """Entries that end with digits or signs, and are too short to be a password or have their stem in the list too."""
    return {
        entry
        for entry in listed
        if (stem := passwords._TAIL.sub("", entry)) != entry and (len(entry) < passwords.FEWEST or stem in listed)
    } - {""}


def test_no_entry_of_the_list_is_idle() -> None:
    assert idle(passwords.common()) == set()
    assert idle(frozenset({"dragon", "dragon12345", "abc123", "1q2w3e4r5t"})) == {"dragon12345", "abc123"}


@pytest.mark.parametrize("password", ["Dragon2026!!", "1q2w3e4r5t", "12345678901", "contraseña!!"])
def test_what_people_use_most_is_refused(password: str) -> None:
    with pytest.raises(Invalid, match="weak-password") as refused:
        passwords.check(password, "ana@example.ec")
    assert refused.value.context["reason"] == "common"
