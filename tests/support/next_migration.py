"""A migration that the program does not have yet, so that a database of today is an older one."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from padron.accounts import store

_NEXT = """
import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade():
    op.add_column("messages", sa.Column("planted", sa.Integer(), nullable=True))
"""


def plant_next_migration(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Give the program one more migration, which adds a column to the table of messages."""
    migrations = folder / "migrations"
    shutil.copytree(store._MIGRATIONS, migrations, ignore=shutil.ignore_patterns("__pycache__"))
    (migrations / "versions" / "0003_planted.py").write_text(_NEXT, "utf-8")
    monkeypatch.setattr(store, "_MIGRATIONS", migrations)
