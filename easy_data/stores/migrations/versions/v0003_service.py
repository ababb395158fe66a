"""What the service needs: leases on the index outbox, and on PostgreSQL row-level security by tenant.

The policies hold for the owner of the tables too, but a superuser passes them: the service's user must be neither
superuser nor BYPASSRLS. A migration that reads rows has to set ``app.tenant`` for each tenant.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

TABLES = (
    "entities",
    "conversations",
    "candidates",
    "profile_facts",
    "events",
    "workspaces",
    "evidence",
    "review_items",
    "revisions",
    "index_outbox",
    "recall_log",
    "windows",
    "tombstones",
    "llm_calls",
)
OWN_ROWS = "tenant_id = current_setting('app.tenant', true)"


def upgrade() -> None:
    op.add_column("index_outbox", sa.Column("lease_until", sa.DateTime(timezone=True), nullable=True))
    if op.get_bind().dialect.name == "postgresql":
        for table in TABLES:
            op.execute(f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY")
            op.execute(f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY")
            op.execute(f"CREATE POLICY own_tenant ON {table} USING ({OWN_ROWS}) WITH CHECK ({OWN_ROWS})")


def downgrade() -> None:
    if op.get_bind().dialect.name == "postgresql":
        for table in TABLES:
            op.execute(f"DROP POLICY own_tenant ON {table}")
            op.execute(f"ALTER TABLE {table} NO FORCE ROW LEVEL SECURITY")
            op.execute(f"ALTER TABLE {table} DISABLE ROW LEVEL SECURITY")
    with op.batch_alter_table("index_outbox") as batch:
        batch.drop_column("lease_until")
