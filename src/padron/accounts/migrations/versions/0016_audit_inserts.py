"""Lines of the audit log that another one of the same id would replace."""

from __future__ import annotations

from alembic import op

revision = "0016"
down_revision = "0015"


def upgrade() -> None:
    """Refuse them. `REPLACE` of SQLite deletes a line without its triggers; PostgreSQL has nothing like that."""
    if _is_sqlite():
        op.execute(
            "CREATE TRIGGER audit_refuses_replace BEFORE INSERT ON audit "
            "WHEN EXISTS (SELECT 1 FROM audit WHERE id = NEW.id OR rowid = NEW.rowid) "
            "BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END"
        )


def downgrade() -> None:
    """Let them be replaced."""
    if _is_sqlite():
        op.execute("DROP TRIGGER audit_refuses_replace")


def _is_sqlite() -> bool:
    return op.get_context().dialect.name == "sqlite"
