"""The version of the terms that the holder of an account accepted."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    """Add it; holders of older accounts are asked when they log in."""
    op.add_column("accounts", sa.Column("terms", sa.String(length=10), nullable=True))


def downgrade() -> None:
    """Remove it; the audit log keeps the acts."""
    op.drop_column("accounts", "terms")
