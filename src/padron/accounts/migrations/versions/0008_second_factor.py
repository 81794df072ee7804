"""The second factor: apps that make codes, and recovery codes."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "second_factors",
        sa.Column("account", sa.String(length=40), nullable=False),
        sa.Column("seed", sa.String(length=32), nullable=False),
        sa.Column("last_step", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("confirmed_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(
            ["account"], ["accounts.id"], name=op.f("fk_second_factors_account"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("account", name=op.f("pk_second_factors")),
    )
    op.create_table(
        "recovery_codes",
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("account", sa.String(length=40), nullable=False),
        sa.ForeignKeyConstraint(
            ["account"], ["accounts.id"], name=op.f("fk_recovery_codes_account"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("digest", name=op.f("pk_recovery_codes")),
    )
    op.create_index(op.f("ix_recovery_codes_account"), "recovery_codes", ["account"])


def downgrade() -> None:
    """Drop them, and the mails that an older program cannot send."""
    op.execute("DELETE FROM mails WHERE kind IN ('second-factor-on', 'second-factor-off', 'recovery-code-used')")
    op.drop_table("recovery_codes")
    op.drop_table("second_factors")
