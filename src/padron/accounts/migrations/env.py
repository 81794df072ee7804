"""Alembic's entry: runs the migrations on the connection that `Store.migrate` hands over, in its transaction."""

from __future__ import annotations

from alembic import context

from padron.accounts.store import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata)
context.run_migrations()
