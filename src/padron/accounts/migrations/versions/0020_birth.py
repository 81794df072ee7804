"""The birth of the database: which one it is, as the data folder notes it too."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"


def upgrade() -> None:
    """Add the column; it is filled at the next start."""
    op.add_column("revision", sa.Column("birth", sa.String(length=24), nullable=True))


def downgrade() -> None:
    """Remove it."""
    op.drop_column("revision", "birth")
