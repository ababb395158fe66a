"""An index for what model calls of one day used: it is asked before each conversation when a day has a budget."""

from __future__ import annotations

from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index("ix_llm_calls_day", "llm_calls", ["tenant_id", "at"])


def downgrade() -> None:
    op.drop_index("ix_llm_calls_day", "llm_calls")
