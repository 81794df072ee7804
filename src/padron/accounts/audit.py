"""The audit log of accounts, keys and plans: actor, event, subject and time. Ids only: no address, name or query."""

from __future__ import annotations

from secrets import token_hex
from typing import Literal

from sqlalchemy import Connection, insert

from padron.accounts.store import audit

Actor = Literal["account", "key", "provider", "operator", "service"]


def note(
    connection: Connection,
    now: int,
    actor: Actor,
    event: str,
    *,
    account: str | None = None,
    subject: str | None = None,
) -> None:
    """Write one line in the transaction of the event.

    Args:
        now: Seconds since the epoch.
        event: The event, as a word.
    """
    connection.execute(
        insert(audit).values(
            id=f"aud_{token_hex(12)}", at=now, account=account, actor=actor, event=event, subject=subject
        )
    )
