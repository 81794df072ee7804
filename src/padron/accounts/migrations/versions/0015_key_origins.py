"""The origins whose pages may use a key, and the daily quota of its own."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"


def upgrade() -> None:
    """Add both; keys of before work from every page and have the quota of the account alone."""
    op.add_column("keys", sa.Column("origins", sa.Text(), nullable=False, server_default=""))
    op.add_column("keys", sa.Column("per_day", sa.Integer(), nullable=True))


def downgrade() -> None:
    """Remove them."""
    op.drop_column("keys", "per_day")
    op.drop_column("keys", "origins")
