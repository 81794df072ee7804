"""All tables: accounts, sessions, keys, usage, subscriptions, watchlists, webhooks, mails, audit."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

_KEPT = 5 * 365 * 86_400
"""Seconds for which the database refuses to delete a line of the audit log."""


def upgrade() -> None:
    """Make the tables; `revision` holds its one row from the beginning. The audit log is append-only."""
    op.create_table(
        "accounts",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("address", sa.String(length=254), nullable=False),
        sa.Column("new_address", sa.String(length=254), nullable=True),
        sa.Column("password", sa.String(length=200), nullable=False),
        sa.Column("language", sa.String(length=2), nullable=False),
        sa.Column("customer", sa.String(length=80), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("verified_at", sa.BigInteger(), nullable=True),
        sa.Column("suspended_at", sa.BigInteger(), nullable=True),
        sa.Column("operator_at", sa.BigInteger(), nullable=True),
        sa.Column("terms", sa.String(length=10), nullable=True),
        sa.Column("unlocked_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_accounts"),
        sa.UniqueConstraint("address", name="uq_accounts_address"),
        sa.UniqueConstraint("customer", name="uq_accounts_customer"),
    )
    op.create_table(
        "audit",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("account", sa.String(length=40), nullable=True),
        sa.Column("actor", sa.String(length=20), nullable=False),
        sa.Column("event", sa.String(length=40), nullable=False),
        sa.Column("subject", sa.String(length=120), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_audit"),
    )
    op.create_index("ix_audit_account", "audit", ["account"])
    op.create_index("ix_audit_at", "audit", ["at"])
    op.create_index("ix_audit_subject", "audit", ["subject"])
    op.create_table(
        "events",
        sa.Column("provider", sa.String(length=20), nullable=False),
        sa.Column("id", sa.String(length=120), nullable=False),
        sa.Column("kind", sa.String(length=60), nullable=False),
        sa.Column("applied_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("provider", "id", name="pk_events"),
    )
    op.create_table(
        "revision",
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("deployment", sa.String(length=24), nullable=True),
        sa.Column("birth", sa.String(length=24), nullable=True),
    )
    op.create_table(
        "sandbox",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("account", sa.String(length=40), nullable=False),
        sa.Column("plan", sa.String(length=20), nullable=False),
        sa.Column("period", sa.String(length=5), server_default="month", nullable=False),
        sa.Column("state", sa.String(length=10), nullable=False),
        sa.Column("ending", sa.Boolean(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.Column("period_end", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_sandbox"),
    )
    op.create_index("ix_sandbox_account", "sandbox", ["account"])
    op.create_table(
        "tombstones",
        sa.Column("account", sa.String(length=40), nullable=False),
        sa.Column("customer", sa.String(length=80), nullable=True),
        sa.Column("deleted_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("account", name="pk_tombstones"),
    )
    op.create_table(
        "checkouts",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("account", sa.String(length=40), nullable=False),
        sa.Column("plan", sa.String(length=20), nullable=False),
        sa.Column("period", sa.String(length=5), server_default="month", nullable=False),
        sa.Column("provider", sa.String(length=20), nullable=False),
        sa.Column("reference", sa.String(length=120), nullable=True),
        sa.Column("url", sa.Text(), nullable=True),
        sa.Column("state", sa.String(length=10), nullable=False),
        sa.Column("idempotency", sa.String(length=64), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["account"], ["accounts.id"], name="fk_checkouts_account", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name="pk_checkouts"),
        sa.UniqueConstraint("idempotency", name="uq_checkouts_idempotency"),
        sa.UniqueConstraint("provider", "reference", name="uq_checkouts_provider_reference"),
    )
    op.create_index("ix_checkouts_account", "checkouts", ["account"])
    op.create_index("ix_checkouts_state", "checkouts", ["state"])
    op.create_table(
        "key_usage",
        sa.Column("account", sa.String(length=40), nullable=False),
        sa.Column("day", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("key", sa.String(length=40), nullable=False),
        sa.Column("operation", sa.String(length=20), nullable=False),
        sa.Column("answers", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["account"], ["accounts.id"], name="fk_key_usage_account", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("account", "day", "key", "operation", name="pk_key_usage"),
    )
    op.create_table(
        "keys",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("account", sa.String(length=40), nullable=False),
        sa.Column("name", sa.String(length=80), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("ending", sa.String(length=4), nullable=False),
        sa.Column("scopes", sa.String(length=100), nullable=False),
        sa.Column("networks", sa.Text(), server_default="", nullable=False),
        sa.Column("origins", sa.Text(), server_default="", nullable=False),
        sa.Column("per_day", sa.Integer(), nullable=True),
        sa.Column("test", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=True),
        sa.Column("revoked_at", sa.BigInteger(), nullable=True),
        sa.Column("replaced_at", sa.BigInteger(), nullable=True),
        sa.Column("first", sa.String(length=40), nullable=True),
        sa.Column("leaked_at", sa.BigInteger(), nullable=True),
        sa.Column("used_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["account"], ["accounts.id"], name="fk_keys_account", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name="pk_keys"),
        sa.UniqueConstraint("digest", name="uq_keys_digest"),
    )
    op.create_index("ix_keys_account", "keys", ["account"])
    op.create_table(
        "mails",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("account", sa.String(length=40), nullable=True),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("recipient", sa.String(length=254), nullable=True),
        sa.Column("language", sa.String(length=2), nullable=True),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("due_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["account"], ["accounts.id"], name="fk_mails_account", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name="pk_mails"),
    )
    op.create_index("ix_mails_account", "mails", ["account"])
    op.create_index("ix_mails_due_at", "mails", ["due_at"])
    op.create_table(
        "recovery_codes",
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("account", sa.String(length=40), nullable=False),
        sa.ForeignKeyConstraint(["account"], ["accounts.id"], name="fk_recovery_codes_account", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("digest", name="pk_recovery_codes"),
    )
    op.create_index("ix_recovery_codes_account", "recovery_codes", ["account"])
    op.create_table(
        "second_factors",
        sa.Column("account", sa.String(length=40), nullable=False),
        sa.Column("seed", sa.String(length=32), nullable=False),
        sa.Column("last_step", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("confirmed_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["account"], ["accounts.id"], name="fk_second_factors_account", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("account", name="pk_second_factors"),
    )
    op.create_table(
        "sessions",
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("account", sa.String(length=40), nullable=False),
        sa.Column("browser", sa.String(length=40), server_default="", nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("seen_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["account"], ["accounts.id"], name="fk_sessions_account", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("digest", name="pk_sessions"),
    )
    op.create_index("ix_sessions_account", "sessions", ["account"])
    op.create_table(
        "subscriptions",
        sa.Column("account", sa.String(length=40), nullable=False),
        sa.Column("provider", sa.String(length=20), nullable=False),
        sa.Column("reference", sa.String(length=80), nullable=False),
        sa.Column("plan", sa.String(length=20), nullable=False),
        sa.Column("period", sa.String(length=5), server_default="month", nullable=False),
        sa.Column("state", sa.String(length=10), nullable=False),
        sa.Column("ending", sa.Boolean(), nullable=False),
        sa.Column("period_end", sa.BigInteger(), nullable=False),
        sa.Column("failed_at", sa.BigInteger(), nullable=True),
        sa.Column("replaces", sa.String(length=80), nullable=True),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["account"], ["accounts.id"], name="fk_subscriptions_account", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("account", name="pk_subscriptions"),
        sa.UniqueConstraint("provider", "reference", name="uq_subscriptions_provider_reference"),
    )
    op.create_table(
        "tokens",
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("account", sa.String(length=40), nullable=False),
        sa.Column("purpose", sa.String(length=10), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.Column("used_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["account"], ["accounts.id"], name="fk_tokens_account", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("digest", name="pk_tokens"),
    )
    op.create_index("ix_tokens_account", "tokens", ["account"])
    op.create_table(
        "usage",
        sa.Column("account", sa.String(length=40), nullable=False),
        sa.Column("day", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("answers", sa.Integer(), nullable=False),
        sa.Column("notified", sa.Integer(), server_default="0", nullable=False),
        sa.ForeignKeyConstraint(["account"], ["accounts.id"], name="fk_usage_account", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("account", "day", name="pk_usage"),
    )
    op.create_table(
        "watchlists",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("account", sa.String(length=40), nullable=False),
        sa.Column("name", sa.String(length=80), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["account"], ["accounts.id"], name="fk_watchlists_account", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name="pk_watchlists"),
        sa.UniqueConstraint("account", "name", name="uq_watchlists_account_name"),
    )
    op.create_table(
        "saved_searches",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("account", sa.String(length=40), nullable=False),
        sa.Column("watchlist", sa.String(length=40), nullable=False),
        sa.Column("text", sa.String(length=100), nullable=False),
        sa.Column("country", sa.String(length=2), nullable=True),
        sa.Column("added_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["account"], ["accounts.id"], name="fk_saved_searches_account", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["watchlist"], ["watchlists.id"], name="fk_saved_searches_watchlist", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_saved_searches"),
    )
    op.create_index("ix_saved_searches_account", "saved_searches", ["account"])
    op.create_index("ix_saved_searches_watchlist", "saved_searches", ["watchlist"])
    op.create_table(
        "watched_companies",
        sa.Column("number", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("account", sa.String(length=40), nullable=False),
        sa.Column("watchlist", sa.String(length=40), nullable=False),
        sa.Column("country", sa.String(length=2), nullable=False),
        sa.Column("identifier", sa.String(length=64), nullable=False),
        sa.Column("added_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["account"], ["accounts.id"], name="fk_watched_companies_account", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["watchlist"], ["watchlists.id"], name="fk_watched_companies_watchlist", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("number", name="pk_watched_companies"),
        sa.UniqueConstraint(
            "watchlist", "country", "identifier", name="uq_watched_companies_watchlist_country_identifier"
        ),
    )
    op.create_index("ix_watched_companies_account", "watched_companies", ["account"])
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
        sa.ForeignKeyConstraint(["account"], ["accounts.id"], name="fk_webhooks_account", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["watchlist"], ["watchlists.id"], name="fk_webhooks_watchlist", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name="pk_webhooks"),
    )
    op.create_index("ix_webhooks_account", "webhooks", ["account"])
    op.create_index("ix_webhooks_watchlist", "webhooks", ["watchlist"])
    op.create_table(
        "messages",
        sa.Column("number", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
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
        sa.ForeignKeyConstraint(["account"], ["accounts.id"], name="fk_messages_account", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["webhook"], ["webhooks.id"], name="fk_messages_webhook", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("number", name="pk_messages"),
        sa.UniqueConstraint("id", name="uq_messages_id"),
    )
    op.create_index("ix_messages_account", "messages", ["account"])
    op.create_index("ix_messages_webhook_state", "messages", ["webhook", "state"])
    op.execute("INSERT INTO revision (number) VALUES (0)")
    if _is_postgresql():
        op.execute(
            "CREATE FUNCTION audit_is_append_only() RETURNS trigger LANGUAGE plpgsql AS "
            "$$ BEGIN RAISE EXCEPTION 'the audit log is append-only'; END $$"
        )
        op.execute(
            "CREATE TRIGGER audit_is_append_only BEFORE UPDATE OR TRUNCATE ON audit "
            "FOR EACH STATEMENT EXECUTE FUNCTION audit_is_append_only()"
        )
        op.execute(
            "CREATE TRIGGER audit_refuses_delete BEFORE DELETE ON audit FOR EACH ROW "
            f"WHEN (OLD.at > extract(epoch FROM now()) - {_KEPT}) EXECUTE FUNCTION audit_is_append_only()"
        )
        return
    # `REPLACE` of SQLite deletes a line without the triggers of DELETE.
    for name, condition in {
        "update BEFORE UPDATE": "",
        "delete BEFORE DELETE": f"WHEN OLD.at > CAST(strftime('%s', 'now') AS INTEGER) - {_KEPT} ",
        "replace BEFORE INSERT": "WHEN EXISTS (SELECT 1 FROM audit WHERE id = NEW.id OR rowid = NEW.rowid) ",
    }.items():
        op.execute(
            f"CREATE TRIGGER audit_refuses_{name} ON audit {condition}"
            "BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END"
        )


def _is_postgresql() -> bool:
    return op.get_context().dialect.name == "postgresql"
