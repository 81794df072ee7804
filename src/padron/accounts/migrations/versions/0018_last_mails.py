"""Mails about accounts that are deleted, in the language that these had."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"


def upgrade() -> None:
    """Let a mail have no account."""
    with op.batch_alter_table("mails") as table:
        table.alter_column("account", existing_type=sa.String(length=40), nullable=True)
        table.add_column(sa.Column("language", sa.String(length=2), nullable=True))


def downgrade() -> None:
    """Drop those that wait."""
    op.execute("DELETE FROM mails WHERE account IS NULL")
    with op.batch_alter_table("mails") as table:
        table.drop_column("language")
        table.alter_column("account", existing_type=sa.String(length=40), nullable=False)
