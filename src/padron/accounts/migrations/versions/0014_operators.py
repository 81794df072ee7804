"""Accounts whose holders are operators."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"


def upgrade() -> None:
    """Add the role; nobody has it."""
    op.add_column("accounts", sa.Column("operator_at", sa.BigInteger(), nullable=True))


def downgrade() -> None:
    """Remove it."""
    op.drop_column("accounts", "operator_at")
