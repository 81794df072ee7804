"""Watchlists: companies and saved searches whose changes an account asks for."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "watchlists",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("account", sa.String(length=40), nullable=False),
        sa.Column("name", sa.String(length=80), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        _owner("watchlists"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_watchlists")),
        sa.UniqueConstraint("account", "name", name=op.f("uq_watchlists_account_name")),
    )
    op.create_table(
        "watched_companies",
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("account", sa.String(length=40), nullable=False),
        sa.Column("watchlist", sa.String(length=40), nullable=False),
        sa.Column("country", sa.String(length=2), nullable=False),
        sa.Column("identifier", sa.String(length=64), nullable=False),
        sa.Column("added_at", sa.BigInteger(), nullable=False),
        _owner("watched_companies"),
        _watchlist("watched_companies"),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_watched_companies")),
        sa.UniqueConstraint(
            "watchlist", "country", "identifier", name=op.f("uq_watched_companies_watchlist_country_identifier")
        ),
    )
    op.create_index(op.f("ix_watched_companies_account"), "watched_companies", ["account"])
    op.create_table(
        "saved_searches",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("account", sa.String(length=40), nullable=False),
        sa.Column("watchlist", sa.String(length=40), nullable=False),
        sa.Column("text", sa.String(length=100), nullable=False),
        sa.Column("country", sa.String(length=2), nullable=True),
        sa.Column("added_at", sa.BigInteger(), nullable=False),
        _owner("saved_searches"),
        _watchlist("saved_searches"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_saved_searches")),
    )
    for column in ("account", "watchlist"):
        op.create_index(op.f(f"ix_saved_searches_{column}"), "saved_searches", [column])


def downgrade() -> None:
    """Drop them."""
    for table in ("saved_searches", "watched_companies", "watchlists"):
        op.drop_table(table)


def _owner(table: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(["account"], ["accounts.id"], name=op.f(f"fk_{table}_account"), ondelete="CASCADE")


def _watchlist(table: str) -> sa.ForeignKeyConstraint:
    name = op.f(f"fk_{table}_watchlist")
    return sa.ForeignKeyConstraint(["watchlist"], ["watchlists.id"], name=name, ondelete="CASCADE")
