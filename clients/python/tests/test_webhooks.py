"""Messages to webhooks: the table that both clients share."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from padron_client import WebhookVerificationError, verify_webhook

CASES = json.loads((Path(__file__).parents[2] / "webhooks.json").read_text("utf-8"))["cases"]


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_a_message_is_genuine_or_refused(case: dict[str, Any]) -> None:
    headers = {f"Webhook-{name.title()}": case[name] for name in ("id", "timestamp", "signature")}
    arguments = case["body"].encode(), headers, case["secret"]
    if case["valid"]:
        assert verify_webhook(*arguments, now=case["now"]) == json.loads(case["body"])
    else:
        with pytest.raises(WebhookVerificationError):
            verify_webhook(*arguments, now=case["now"])


def test_it_uses_the_clock_by_default() -> None:
    case = CASES[0]
    headers = {f"webhook-{name}": case[name] for name in ("id", "timestamp", "signature")}
    with pytest.raises(WebhookVerificationError, match="too old"):
        verify_webhook(case["body"].encode(), headers, case["secret"])
    assert verify_webhook(case["body"].encode(), headers, case["secret"], tolerance=float("inf"))
