"""Plans that are paid by the year."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"

_TABLES = ("checkouts", "subscriptions", "sandbox")


def upgrade() -> None:
    """Add the period of payment; all that was sold before is paid by the month."""
    for table in _TABLES:
        op.add_column(table, sa.Column("period", sa.String(length=5), nullable=False, server_default="month"))


def downgrade() -> None:
    """Remove it."""
    for table in _TABLES:
        op.drop_column(table, "period")
