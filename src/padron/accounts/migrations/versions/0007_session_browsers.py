"""The browser of a session, and the change of an e-mail address."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Add them; the browsers of open sessions are not known."""
    op.add_column("sessions", sa.Column("browser", sa.String(length=40), nullable=False, server_default=""))
    op.add_column("accounts", sa.Column("new_address", sa.String(length=254), nullable=True))
    op.add_column("mails", sa.Column("recipient", sa.String(length=254), nullable=True))


def downgrade() -> None:
    """Remove them, and the mails and links that an older program cannot send or take."""
    op.execute("DELETE FROM mails WHERE kind IN ('new-device', 'new-address', 'address-asked', 'address-changed')")
    op.execute("DELETE FROM tokens WHERE purpose = 'address'")
    op.drop_column("mails", "recipient")
    op.drop_column("accounts", "new_address")
    op.drop_column("sessions", "browser")
