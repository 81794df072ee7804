"""Accounts that an operator suspends, and unlocks after wrong passwords."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Add the times of both; no account has any yet."""
    op.add_column("accounts", sa.Column("suspended_at", sa.BigInteger(), nullable=True))
    op.add_column("accounts", sa.Column("unlocked_at", sa.BigInteger(), nullable=True))


def downgrade() -> None:
    """Remove them."""
    op.drop_column("accounts", "unlocked_at")
    op.drop_column("accounts", "suspended_at")
