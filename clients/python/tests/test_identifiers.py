"""Validation of identifiers without network: the cases that all client libraries share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from both import TABLE
from padron_client import Identifier, validate_identifier

CASES: list[Mapping[str, Any]] = TABLE["validations"]


@pytest.mark.parametrize("case", CASES, ids=[f"{case['country']} {case['value']}" for case in CASES])
def test_validation(case: Mapping[str, Any]) -> None:
    readings = tuple(Identifier(each["scheme"], each["identifier"], each["validCheck"]) for each in case["readings"])
    assert validate_identifier(case["country"], case["value"]) == (case["valid"], case["code"], readings)


def test_every_outcome_is_among_the_cases() -> None:
    codes = {None, "invalid-identifier", "natural-person-not-covered", "wrong-check-digit"}
    assert {case["code"] for case in CASES} == codes


def test_a_country_without_registers_is_a_wrong_argument() -> None:
    with pytest.raises(ValueError, match="country must be one of EC, MX, US, BR, CO, AR"):
        validate_identifier("ZZ", "1")


def test_an_identifier_that_is_no_text_is_a_wrong_argument() -> None:
    number: Any = 320193
    with pytest.raises(ValueError, match="value must be text, not int: zeros in front of it count"):
        validate_identifier("US", number)
    with pytest.raises(ValueError, match="country must be text, not int"):
        validate_identifier(number, "320193")
