"""Usage by key and operation, and the mails that report the state of a quota."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Add both; answers of before stay known by account and day alone."""
    op.add_column("usage", sa.Column("notified", sa.Integer(), nullable=False, server_default="0"))
    op.create_table(
        "key_usage",
        sa.Column("account", sa.String(length=40), nullable=False),
        sa.Column("day", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("key", sa.String(length=40), nullable=False),
        sa.Column("operation", sa.String(length=20), nullable=False),
        sa.Column("answers", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["account"], ["accounts.id"], name=op.f("fk_key_usage_account"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("account", "day", "key", "operation", name=op.f("pk_key_usage")),
    )


def downgrade() -> None:
    """Remove them."""
    op.drop_table("key_usage")
    op.drop_column("usage", "notified")
