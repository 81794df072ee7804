"""Customers of deleted accounts, to be deleted at the provider; lines of the audit log that may go after five years."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"

_KEPT = 5 * 365 * 86_400
"""Seconds for which the database refuses to delete a line."""


def upgrade() -> None:
    """Add the column; the customers of accounts deleted before are not known. Refuse to delete younger lines alone."""
    op.add_column("tombstones", sa.Column("customer", sa.String(length=80), nullable=True))
    if _is_postgresql():
        op.execute("DROP TRIGGER audit_is_append_only ON audit")
        op.execute(
            "CREATE TRIGGER audit_is_append_only BEFORE UPDATE OR TRUNCATE ON audit "
            "FOR EACH STATEMENT EXECUTE FUNCTION audit_is_append_only()"
        )
        op.execute(
            "CREATE TRIGGER audit_refuses_delete BEFORE DELETE ON audit FOR EACH ROW "
            f"WHEN (OLD.at > extract(epoch FROM now()) - {_KEPT}) EXECUTE FUNCTION audit_is_append_only()"
        )
    else:
        op.execute("DROP TRIGGER audit_refuses_delete")
        op.execute(
            "CREATE TRIGGER audit_refuses_delete BEFORE DELETE ON audit "
            f"WHEN OLD.at > CAST(strftime('%s', 'now') AS INTEGER) - {_KEPT} "
            "BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END"
        )


def downgrade() -> None:
    """Refuse to delete any line; drop the column."""
    if _is_postgresql():
        op.execute("DROP TRIGGER audit_refuses_delete ON audit")
        op.execute("DROP TRIGGER audit_is_append_only ON audit")
        op.execute(
            "CREATE TRIGGER audit_is_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit "
            "FOR EACH STATEMENT EXECUTE FUNCTION audit_is_append_only()"
        )
    else:
        op.execute("DROP TRIGGER audit_refuses_delete")
        op.execute(
            "CREATE TRIGGER audit_refuses_delete BEFORE DELETE ON audit "
            "BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END"
        )
    op.drop_column("tombstones", "customer")


def _is_postgresql() -> bool:
    return op.get_context().dialect.name == "postgresql"
