"""The addresses that a key may be used from, and keys that another one replaces."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Add both; keys of before may be used from every address."""
    op.add_column("keys", sa.Column("networks", sa.Text(), nullable=False, server_default=""))
    op.add_column("keys", sa.Column("replaced_at", sa.BigInteger(), nullable=True))


def downgrade() -> None:
    """Remove them."""
    op.drop_column("keys", "replaced_at")
    op.drop_column("keys", "networks")
