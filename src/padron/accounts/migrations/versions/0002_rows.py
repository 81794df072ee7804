"""Rows of lists that were matched, beside the answers of each day."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Add the column to both tables of usage; of the days before, the rows were not kept."""
    for table in ("usage", "key_usage"):
        op.add_column(table, sa.Column("rows", sa.Integer(), server_default="0", nullable=False))
