"""Keys that answer about a few fixed companies, for testing programs."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Add the mark of such a key; none of before is one."""
    op.add_column("keys", sa.Column("test", sa.Boolean(), nullable=False, server_default=sa.false()))


def downgrade() -> None:
    """Remove such keys, which would become keys for everything, and the mark."""
    op.execute(sa.text("DELETE FROM keys WHERE test"))
    op.drop_column("keys", "test")
