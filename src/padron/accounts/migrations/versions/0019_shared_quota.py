"""The daily quota that a key shares with those that it replaces."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"


def upgrade() -> None:
    """Add the column; keys of before have a quota each."""
    op.add_column("keys", sa.Column("first", sa.String(length=40), nullable=True))


def downgrade() -> None:
    """Remove it."""
    op.drop_column("keys", "first")
