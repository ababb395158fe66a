"""The ledger of maintenance windows."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

INSTANT = sa.DateTime(timezone=True)
JSON = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")
NAME = sa.String(length=200)


def upgrade() -> None:
    op.create_table(
        "windows",
        sa.Column("tenant_id", NAME, nullable=False),
        sa.Column("entity_id", NAME, nullable=False),
        sa.Column("job", sa.String(length=64), nullable=False),
        sa.Column("window_start", INSTANT, nullable=False),
        sa.Column("ran_at", INSTANT, nullable=False),
        sa.Column("counts", JSON, nullable=False),
        sa.PrimaryKeyConstraint("tenant_id", "entity_id", "job", "window_start", name=op.f("pk_windows")),
    )


def downgrade() -> None:
    op.drop_table("windows")
