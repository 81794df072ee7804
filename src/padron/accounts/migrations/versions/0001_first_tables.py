"""Accounts, sessions, keys, usage, subscriptions, audit: the first tables."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make the tables; `revision` holds its one row from the beginning."""
    op.create_table(
        "accounts",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("address", sa.String(length=254), nullable=False),
        sa.Column("password", sa.String(length=200), nullable=False),
        sa.Column("language", sa.String(length=2), nullable=False),
        sa.Column("customer", sa.String(length=80), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("verified_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_accounts")),
        sa.UniqueConstraint("address", name=op.f("uq_accounts_address")),
        sa.UniqueConstraint("customer", name=op.f("uq_accounts_customer")),
    )
    op.create_table(
        "audit",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("account", sa.String(length=40), nullable=True),
        sa.Column("actor", sa.String(length=20), nullable=False),
        sa.Column("event", sa.String(length=40), nullable=False),
        sa.Column("subject", sa.String(length=120), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_audit")),
    )
    op.create_index(op.f("ix_audit_account"), "audit", ["account"], unique=False)
    op.create_index(op.f("ix_audit_at"), "audit", ["at"], unique=False)
    op.create_table(
        "events",
        sa.Column("provider", sa.String(length=20), nullable=False),
        sa.Column("id", sa.String(length=120), nullable=False),
        sa.Column("kind", sa.String(length=60), nullable=False),
        sa.Column("applied_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("provider", "id", name=op.f("pk_events")),
    )
    op.create_table("revision", sa.Column("number", sa.BigInteger(), nullable=False))
    op.create_table(
        "sandbox",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("account", sa.String(length=40), nullable=False),
        sa.Column("plan", sa.String(length=20), nullable=False),
        sa.Column("state", sa.String(length=10), nullable=False),
        sa.Column("ending", sa.Boolean(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.Column("period_end", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_sandbox")),
    )
    op.create_index(op.f("ix_sandbox_account"), "sandbox", ["account"], unique=False)
    op.create_table(
        "checkouts",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("account", sa.String(length=40), nullable=False),
        sa.Column("plan", sa.String(length=20), nullable=False),
        sa.Column("provider", sa.String(length=20), nullable=False),
        sa.Column("reference", sa.String(length=120), nullable=True),
        sa.Column("url", sa.Text(), nullable=True),
        sa.Column("state", sa.String(length=10), nullable=False),
        sa.Column("idempotency", sa.String(length=64), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["account"], ["accounts.id"], name=op.f("fk_checkouts_account"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_checkouts")),
        sa.UniqueConstraint("idempotency", name=op.f("uq_checkouts_idempotency")),
        sa.UniqueConstraint("provider", "reference", name=op.f("uq_checkouts_provider_reference")),
    )
    op.create_index(op.f("ix_checkouts_account"), "checkouts", ["account"], unique=False)
    op.create_index(op.f("ix_checkouts_state"), "checkouts", ["state"], unique=False)
    op.create_table(
        "keys",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("account", sa.String(length=40), nullable=False),
        sa.Column("name", sa.String(length=80), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("ending", sa.String(length=4), nullable=False),
        sa.Column("scopes", sa.String(length=100), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=True),
        sa.Column("revoked_at", sa.BigInteger(), nullable=True),
        sa.Column("leaked_at", sa.BigInteger(), nullable=True),
        sa.Column("used_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["account"], ["accounts.id"], name=op.f("fk_keys_account"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_keys")),
        sa.UniqueConstraint("digest", name=op.f("uq_keys_digest")),
    )
    op.create_index(op.f("ix_keys_account"), "keys", ["account"], unique=False)
    op.create_table(
        "mails",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("account", sa.String(length=40), nullable=False),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("due_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["account"], ["accounts.id"], name=op.f("fk_mails_account"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_mails")),
    )
    op.create_index(op.f("ix_mails_account"), "mails", ["account"], unique=False)
    op.create_index(op.f("ix_mails_due_at"), "mails", ["due_at"], unique=False)
    op.create_table(
        "sessions",
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("account", sa.String(length=40), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("seen_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["account"], ["accounts.id"], name=op.f("fk_sessions_account"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("digest", name=op.f("pk_sessions")),
    )
    op.create_index(op.f("ix_sessions_account"), "sessions", ["account"], unique=False)
    op.create_table(
        "subscriptions",
        sa.Column("account", sa.String(length=40), nullable=False),
        sa.Column("provider", sa.String(length=20), nullable=False),
        sa.Column("reference", sa.String(length=80), nullable=False),
        sa.Column("plan", sa.String(length=20), nullable=False),
        sa.Column("state", sa.String(length=10), nullable=False),
        sa.Column("ending", sa.Boolean(), nullable=False),
        sa.Column("period_end", sa.BigInteger(), nullable=False),
        sa.Column("failed_at", sa.BigInteger(), nullable=True),
        sa.Column("replaces", sa.String(length=80), nullable=True),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["account"], ["accounts.id"], name=op.f("fk_subscriptions_account"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("account", name=op.f("pk_subscriptions")),
        sa.UniqueConstraint("provider", "reference", name=op.f("uq_subscriptions_provider_reference")),
    )
    op.create_table(
        "tokens",
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("account", sa.String(length=40), nullable=False),
        sa.Column("purpose", sa.String(length=10), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.Column("used_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["account"], ["accounts.id"], name=op.f("fk_tokens_account"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("digest", name=op.f("pk_tokens")),
    )
    op.create_index(op.f("ix_tokens_account"), "tokens", ["account"], unique=False)
    op.create_table(
        "usage",
        sa.Column("account", sa.String(length=40), nullable=False),
        sa.Column("day", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("answers", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["account"], ["accounts.id"], name=op.f("fk_usage_account"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("account", "day", name=op.f("pk_usage")),
    )
    op.execute("INSERT INTO revision (number) VALUES (0)")


def downgrade() -> None:
    """Remove them with all they hold."""
    op.drop_table("usage")
    op.drop_index(op.f("ix_tokens_account"), table_name="tokens")
    op.drop_table("tokens")
    op.drop_table("subscriptions")
    op.drop_index(op.f("ix_sessions_account"), table_name="sessions")
    op.drop_table("sessions")
    op.drop_index(op.f("ix_mails_due_at"), table_name="mails")
    op.drop_index(op.f("ix_mails_account"), table_name="mails")
    op.drop_table("mails")
    op.drop_index(op.f("ix_keys_account"), table_name="keys")
    op.drop_table("keys")
    op.drop_index(op.f("ix_checkouts_state"), table_name="checkouts")
    op.drop_index(op.f("ix_checkouts_account"), table_name="checkouts")
    op.drop_table("checkouts")
    op.drop_index(op.f("ix_sandbox_account"), table_name="sandbox")
    op.drop_table("sandbox")
    op.drop_table("revision")
    op.drop_table("events")
    op.drop_index(op.f("ix_audit_at"), table_name="audit")
    op.drop_index(op.f("ix_audit_account"), table_name="audit")
    op.drop_table("audit")
    op.drop_table("accounts")
