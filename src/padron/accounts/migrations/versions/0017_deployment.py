"""The deployment whose secret made the digests of the database."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"


def upgrade() -> None:
    """Add the column; the next start fills it."""
    op.add_column("revision", sa.Column("deployment", sa.String(length=24), nullable=True))


def downgrade() -> None:
    """Remove it."""
    op.drop_column("revision", "deployment")
