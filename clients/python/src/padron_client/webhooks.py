"""Verification of the messages that the service sends to a webhook, signed as Standard Webhooks 1.0 describes."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import time
from collections.abc import Mapping, Sequence
from typing import Any

TOLERANCE = 300
"""Seconds by which the time of a message may differ from ours: older ones may be sent again by somebody else."""


class WebhookVerificationError(ValueError):
    """The message is not one of the service, was changed on its way, or is too old."""


def verify_webhook(
    body: bytes,
    headers: Mapping[str, str],
    secret: str | Sequence[str],
    *,
    tolerance: float = TOLERANCE,
    now: float | None = None,
) -> dict[str, Any]:
    """Return the event of a message, once its signature is verified.

    Keep the `webhook-id` of each message for some days: one that comes again was delivered before.

    Args:
        body: The body as it came, byte for byte.
        headers: The header fields, names in any case.
        secret: The secret of the webhook (`whsec_…`), or several while one replaces another.
        tolerance: Seconds by which the time of the message may differ from `now`.
        now: Seconds since the epoch; by default the time.

    Returns:
        The event: `type`, `timestamp`, `data`.

    Raises:
        WebhookVerificationError: It is not genuine, or too old.
    """
    fields = {name.lower(): value for name, value in headers.items()}
    try:
        message, stated, signatures = (fields[f"webhook-{name}"] for name in ("id", "timestamp", "signature"))
        timestamp = int(stated)
    except (KeyError, ValueError) as error:
        raise WebhookVerificationError("webhook-id, webhook-timestamp or webhook-signature is missing") from error
    if abs((time.time() if now is None else now) - timestamp) > tolerance:
        raise WebhookVerificationError("the message is too old, or a clock is wrong")
    signed = f"{message}.{timestamp}.".encode() + body
    for text in [secret] if isinstance(secret, str) else secret:
        digest = hmac.new(_key(text), signed, hashlib.sha256).digest()
        expected = f"v1,{base64.b64encode(digest).decode()}".encode()
        if any(hmac.compare_digest(expected, given.encode()) for given in signatures.split(" ")):
            event: dict[str, Any] = json.loads(body)
            return event
    raise WebhookVerificationError("no signature is that of the secret")


def _key(secret: str) -> bytes:
    try:
        return base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except binascii.Error as error:
        raise WebhookVerificationError("the secret is not whsec_ and base64") from error
