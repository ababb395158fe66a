"""Indexes for what is asked of every conversation, so that its cost does not grow with the entity's past."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

OPEN = sa.text("state <> 'settled'")
DEAD = sa.text("outcome = 'dead_letter'")
TURN = ["tenant_id", "entity_id", "entity_seq"]


def upgrade() -> None:
    op.create_index("ix_conversations_turn", "conversations", TURN, sqlite_where=OPEN, postgresql_where=OPEN)
    op.create_index("ix_conversations_settled", "conversations", ["tenant_id", "settled_at"])
    dead = ["tenant_id", "received_at"]
    op.create_index("ix_conversations_dead", "conversations", dead, sqlite_where=DEAD, postgresql_where=DEAD)
    op.drop_index("ix_evidence_memory", "evidence")
    op.create_index("ix_evidence_memory", "evidence", ["memory_id", "conversation_id"])


def downgrade() -> None:
    op.drop_index("ix_evidence_memory", "evidence")
    op.create_index("ix_evidence_memory", "evidence", ["memory_id"])
    for name in ("dead", "settled", "turn"):
        op.drop_index(f"ix_conversations_{name}", "conversations")
