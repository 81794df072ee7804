"""Webhooks, and the queue of their messages."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "webhooks",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("account", sa.String(length=40), nullable=False),
        sa.Column("watchlist", sa.String(length=40), nullable=False),
        sa.Column("url", sa.String(length=500), nullable=False),
        sa.Column("seed", sa.String(length=32), nullable=False),
        sa.Column("old_seed", sa.String(length=32), nullable=True),
        sa.Column("old_until", sa.BigInteger(), nullable=True),
        sa.Column("cursor", sa.String(length=40), nullable=False),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("due_at", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("disabled_at", sa.BigInteger(), nullable=True),
        _reference("webhooks", "account", "accounts"),
        _reference("webhooks", "watchlist", "watchlists"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_webhooks")),
    )
    for column in ("account", "watchlist"):
        op.create_index(op.f(f"ix_webhooks_{column}"), "webhooks", [column])
    op.create_table(
        "messages",
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("account", sa.String(length=40), nullable=False),
        sa.Column("webhook", sa.String(length=40), nullable=False),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.Column("state", sa.String(length=10), nullable=False),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("status", sa.Integer(), nullable=True),
        sa.Column("fault", sa.String(length=20), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("tried_at", sa.BigInteger(), nullable=True),
        _reference("messages", "account", "accounts"),
        _reference("messages", "webhook", "webhooks"),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_messages")),
        sa.UniqueConstraint("id", name=op.f("uq_messages_id")),
    )
    op.create_index(op.f("ix_messages_account"), "messages", ["account"])
    op.create_index(op.f("ix_messages_webhook_state"), "messages", ["webhook", "state"])


def downgrade() -> None:
    """Drop them, and the mails that an older program cannot send."""
    op.execute("DELETE FROM mails WHERE kind = 'webhook-disabled'")
    op.drop_table("messages")
    op.drop_table("webhooks")


def _reference(table: str, column: str, other: str) -> sa.ForeignKeyConstraint:
    name = op.f(f"fk_{table}_{column}")
    return sa.ForeignKeyConstraint([column], [f"{other}.id"], name=name, ondelete="CASCADE")
