"""Tombstones of deleted accounts, and an audit log that the database keeps from being edited."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Make the tombstones of accounts deleted so far, and refuse UPDATE and DELETE on the audit log."""
    op.create_table(
        "tombstones",
        sa.Column("account", sa.String(length=40), nullable=False),
        sa.Column("deleted_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("account", name=op.f("pk_tombstones")),
    )
    op.execute(
        "INSERT INTO tombstones (account, deleted_at) "
        "SELECT account, max(at) FROM audit WHERE event = 'deleted' AND account IS NOT NULL GROUP BY account"
    )
    op.create_index(op.f("ix_audit_subject"), "audit", ["subject"], unique=False)
    if _is_postgresql():
        op.execute(
            "CREATE FUNCTION audit_is_append_only() RETURNS trigger LANGUAGE plpgsql AS "
            "$$ BEGIN RAISE EXCEPTION 'the audit log is append-only'; END $$"
        )
        op.execute(
            "CREATE TRIGGER audit_is_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit "
            "FOR EACH STATEMENT EXECUTE FUNCTION audit_is_append_only()"
        )
    else:
        for act in ("UPDATE", "DELETE"):
            op.execute(
                f"CREATE TRIGGER audit_refuses_{act.lower()} BEFORE {act} ON audit "
                "BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END"
            )


def downgrade() -> None:
    """Remove them."""
    if _is_postgresql():
        op.execute("DROP TRIGGER audit_is_append_only ON audit")
        op.execute("DROP FUNCTION audit_is_append_only()")
    else:
        for act in ("update", "delete"):
            op.execute(f"DROP TRIGGER audit_refuses_{act}")
    op.drop_index(op.f("ix_audit_subject"), table_name="audit")
    op.drop_table("tombstones")


def _is_postgresql() -> bool:
    return op.get_context().dialect.name == "postgresql"
