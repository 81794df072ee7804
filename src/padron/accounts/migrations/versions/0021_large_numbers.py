"""Numbers of watched companies and of messages, of which a large service uses more than four bytes hold."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"

_TABLES = ("watched_companies", "messages")


def upgrade() -> None:
    """Give them eight bytes on PostgreSQL; SQLite holds them already."""
    _resize(sa.Integer(), sa.BigInteger(), "bigint")


def downgrade() -> None:
    """Give them four; it fails once a number is larger."""
    _resize(sa.BigInteger(), sa.Integer(), "integer")


def _resize(old: sa.Integer, new: sa.Integer, name: str) -> None:
    if op.get_context().dialect.name == "postgresql":
        for table in _TABLES:
            op.alter_column(table, "number", existing_type=old, existing_nullable=False, type_=new)
            op.execute(
                f"ALTER SEQUENCE {table}_number_seq AS {'bigint' if isinstance(new, sa.BigInteger) else 'integer'}"
            )
