"""The first schema: inbox, three buckets, evidence, review, history, outbox, logs."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

INSTANT = sa.DateTime(timezone=True)
JSON = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")
ID = sa.String(length=36)
NAME = sa.String(length=200)
WORD = sa.String(length=64)


def upgrade() -> None:
    _create_conversations()
    _create_entities()
    _create_events()
    _create_evidence()
    _create_index_outbox()
    _create_llm_calls()
    _create_profile_facts()
    _create_recall_log()
    _create_review_items()
    _create_revisions()
    _create_tombstones()
    _create_workspaces()
    _create_candidates()


def downgrade() -> None:
    for table in (
        "candidates",
        "workspaces",
        "tombstones",
        "revisions",
        "review_items",
        "recall_log",
        "profile_facts",
        "llm_calls",
        "index_outbox",
        "evidence",
        "events",
        "entities",
        "conversations",
    ):
        op.drop_table(table)


def _create_conversations() -> None:
    op.create_table(
        "conversations",
        sa.Column("id", ID, nullable=False),
        sa.Column("tenant_id", NAME, nullable=False),
        sa.Column("entity_id", NAME, nullable=False),
        sa.Column("source", NAME, nullable=False),
        sa.Column("conversation_id", NAME, nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("entity_seq", sa.BigInteger(), nullable=False),
        sa.Column("erased_epoch", sa.Integer(), nullable=False),
        sa.Column("body_sha256", WORD, nullable=False),
        sa.Column("payload", JSON, nullable=True),
        sa.Column("received_at", INSTANT, nullable=False),
        sa.Column("ended_at", INSTANT, nullable=False),
        sa.Column("state", WORD, nullable=False),
        sa.Column("outcome", WORD, nullable=True),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("outages", sa.Integer(), nullable=False),
        sa.Column("next_attempt_at", INSTANT, nullable=False),
        sa.Column("lease_until", INSTANT, nullable=True),
        sa.Column("fence", sa.BigInteger(), nullable=False),
        sa.Column("duplicates", sa.Integer(), nullable=False),
        sa.Column("unread", JSON, nullable=False),
        sa.Column("settled_at", INSTANT, nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_conversations")),
        sa.UniqueConstraint(
            "tenant_id",
            "source",
            "conversation_id",
            "revision",
            name=op.f("uq_conversations_tenant_id_source_conversation_id_revision"),
        ),
    )
    op.create_index("ix_conversations_due", "conversations", ["tenant_id", "entity_id", "entity_seq"], unique=False)
    op.create_index(
        "ix_conversations_open",
        "conversations",
        ["next_attempt_at"],
        unique=False,
        sqlite_where=sa.text("state <> 'settled'"),
        postgresql_where=sa.text("state <> 'settled'"),
    )


def _create_entities() -> None:
    op.create_table(
        "entities",
        sa.Column("tenant_id", NAME, nullable=False),
        sa.Column("entity_id", NAME, nullable=False),
        sa.Column("kind", WORD, nullable=False),
        sa.Column("time_zone", WORD, nullable=False),
        sa.Column("language", sa.String(length=2), nullable=False),
        sa.Column("version", sa.BigInteger(), nullable=False),
        sa.Column("next_seq", sa.BigInteger(), nullable=False),
        sa.Column("erased_epoch", sa.Integer(), nullable=False),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.PrimaryKeyConstraint("tenant_id", "entity_id", name=op.f("pk_entities")),
    )


def _create_events() -> None:
    op.create_table(
        "events",
        sa.Column("id", ID, nullable=False),
        sa.Column("tenant_id", NAME, nullable=False),
        sa.Column("entity_id", NAME, nullable=False),
        sa.Column("event_type", WORD, nullable=False),
        sa.Column("summary", sa.Text(), nullable=False),
        sa.Column("summary_key", WORD, nullable=False),
        sa.Column("payload", JSON, nullable=False),
        sa.Column("happened_at", INSTANT, nullable=False),
        sa.Column("happened_until", INSTANT, nullable=True),
        sa.Column("time_phrase", sa.Text(), nullable=False),
        sa.Column("turn", sa.Integer(), nullable=True),
        sa.Column("status", WORD, nullable=False),
        sa.Column("source", WORD, nullable=False),
        sa.Column("confidence", sa.Float(), nullable=False),
        sa.Column("conversation_id", NAME, nullable=True),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("recorded_at", INSTANT, nullable=False),
        sa.Column("updated_at", INSTANT, nullable=False),
        sa.Column("retired_at", INSTANT, nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_events")),
    )
    op.create_index(
        "ix_events_conversation", "events", ["tenant_id", "entity_id", "conversation_id", "turn"], unique=False
    )
    op.create_index(
        "ix_events_entity_happened", "events", ["tenant_id", "entity_id", "happened_at", "id"], unique=False
    )
    op.create_index("ix_events_summary", "events", ["tenant_id", "entity_id", "summary_key"], unique=False)


def _create_evidence() -> None:
    op.create_table(
        "evidence",
        sa.Column("id", ID, nullable=False),
        sa.Column("tenant_id", NAME, nullable=False),
        sa.Column("entity_id", NAME, nullable=False),
        sa.Column("memory_id", ID, nullable=False),
        sa.Column("bucket", WORD, nullable=False),
        sa.Column("conversation_row_id", ID, nullable=True),
        sa.Column("conversation_id", NAME, nullable=True),
        sa.Column("turn", sa.Integer(), nullable=True),
        sa.Column("quote", sa.Text(), nullable=False),
        sa.Column("said_at", INSTANT, nullable=False),
        sa.Column("extractor", WORD, nullable=False),
        sa.Column("live", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_evidence")),
    )
    op.create_index("ix_evidence_conversation", "evidence", ["conversation_row_id"], unique=False)
    op.create_index("ix_evidence_entity", "evidence", ["tenant_id", "entity_id"], unique=False)
    op.create_index("ix_evidence_memory", "evidence", ["memory_id"], unique=False)


def _create_index_outbox() -> None:
    op.create_table(
        "index_outbox",
        sa.Column("id", ID, nullable=False),
        sa.Column("tenant_id", NAME, nullable=False),
        sa.Column("entity_id", NAME, nullable=False),
        sa.Column("memory_id", ID, nullable=False),
        sa.Column("bucket", WORD, nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_index_outbox")),
    )
    op.create_index("ix_index_outbox_entity", "index_outbox", ["tenant_id", "entity_id"], unique=False)


def _create_llm_calls() -> None:
    op.create_table(
        "llm_calls",
        sa.Column("id", ID, nullable=False),
        sa.Column("tenant_id", NAME, nullable=False),
        sa.Column("entity_id", NAME, nullable=False),
        sa.Column("conversation_row_id", ID, nullable=True),
        sa.Column("purpose", WORD, nullable=False),
        sa.Column("model", NAME, nullable=False),
        sa.Column("prompt_tokens", sa.Integer(), nullable=False),
        sa.Column("completion_tokens", sa.Integer(), nullable=False),
        sa.Column("cost", sa.Float(), nullable=False),
        sa.Column("latency_ms", sa.Float(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("outcome", WORD, nullable=False),
        sa.Column("at", INSTANT, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_llm_calls")),
    )
    op.create_index("ix_llm_calls_entity", "llm_calls", ["tenant_id", "entity_id", "at"], unique=False)


def _create_profile_facts() -> None:
    op.create_table(
        "profile_facts",
        sa.Column("id", ID, nullable=False),
        sa.Column("tenant_id", NAME, nullable=False),
        sa.Column("entity_id", NAME, nullable=False),
        sa.Column("attr_type", WORD, nullable=False),
        sa.Column("attr_name", WORD, nullable=False),
        sa.Column("attr_value", sa.Text(), nullable=False),
        sa.Column("value_key", WORD, nullable=False),
        sa.Column("polarity", sa.Integer(), nullable=False),
        sa.Column("conflict_with", ID, nullable=True),
        sa.Column("valid_from", INSTANT, nullable=False),
        sa.Column("valid_to", INSTANT, nullable=True),
        sa.Column("status", WORD, nullable=False),
        sa.Column("source", WORD, nullable=False),
        sa.Column("confidence", sa.Float(), nullable=False),
        sa.Column("conversation_id", NAME, nullable=True),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("recorded_at", INSTANT, nullable=False),
        sa.Column("updated_at", INSTANT, nullable=False),
        sa.Column("retired_at", INSTANT, nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_profile_facts")),
    )
    op.create_index(
        "ix_profile_facts_slot", "profile_facts", ["tenant_id", "entity_id", "attr_name", "status"], unique=False
    )
    op.create_index(
        "uq_profile_facts_live_value",
        "profile_facts",
        ["tenant_id", "entity_id", "attr_name", "value_key"],
        unique=True,
        sqlite_where=sa.text("status IN ('active', 'conflict')"),
        postgresql_where=sa.text("status IN ('active', 'conflict')"),
    )


def _create_recall_log() -> None:
    op.create_table(
        "recall_log",
        sa.Column("id", ID, nullable=False),
        sa.Column("tenant_id", NAME, nullable=False),
        sa.Column("entity_id", NAME, nullable=False),
        sa.Column("at", INSTANT, nullable=False),
        sa.Column("query_sha256", WORD, nullable=False),
        sa.Column("served_from", WORD, nullable=False),
        sa.Column("degraded", JSON, nullable=False),
        sa.Column("hits", JSON, nullable=False),
        sa.Column("took_ms", sa.Float(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_recall_log")),
    )
    op.create_index("ix_recall_log_entity", "recall_log", ["tenant_id", "entity_id", "at"], unique=False)


def _create_review_items() -> None:
    op.create_table(
        "review_items",
        sa.Column("id", ID, nullable=False),
        sa.Column("tenant_id", NAME, nullable=False),
        sa.Column("entity_id", NAME, nullable=False),
        sa.Column("bucket", WORD, nullable=False),
        sa.Column("reason", WORD, nullable=False),
        sa.Column("status", WORD, nullable=False),
        sa.Column("attr_name", WORD, nullable=False),
        sa.Column("slot_key", WORD, nullable=False),
        sa.Column("proposed", JSON, nullable=False),
        sa.Column("target_memory_id", ID, nullable=True),
        sa.Column("target_version", sa.Integer(), nullable=True),
        sa.Column("question", sa.Text(), nullable=False),
        sa.Column("quote", sa.Text(), nullable=False),
        sa.Column("turn", sa.Integer(), nullable=True),
        sa.Column("conversation_row_id", ID, nullable=True),
        sa.Column("conversation_id", NAME, nullable=True),
        sa.Column("said_at", INSTANT, nullable=False),
        sa.Column("extractor", WORD, nullable=False),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.Column("decided_at", INSTANT, nullable=True),
        sa.Column("decided_by", NAME, nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_review_items")),
    )
    op.create_index("ix_review_items_pending", "review_items", ["tenant_id", "entity_id", "status"], unique=False)
    op.create_index(
        "uq_review_items_pending_proposal",
        "review_items",
        ["tenant_id", "entity_id", "slot_key"],
        unique=True,
        sqlite_where=sa.text("status IN ('open', 'needs_decision')"),
        postgresql_where=sa.text("status IN ('open', 'needs_decision')"),
    )


def _create_revisions() -> None:
    op.create_table(
        "revisions",
        sa.Column("id", ID, nullable=False),
        sa.Column("tenant_id", NAME, nullable=False),
        sa.Column("entity_id", NAME, nullable=False),
        sa.Column("memory_id", ID, nullable=False),
        sa.Column("bucket", WORD, nullable=False),
        sa.Column("entity_version", sa.BigInteger(), nullable=False),
        sa.Column("action", WORD, nullable=False),
        sa.Column("before", JSON, nullable=True),
        sa.Column("after", JSON, nullable=True),
        sa.Column("cause", JSON, nullable=False),
        sa.Column("actor", NAME, nullable=False),
        sa.Column("at", INSTANT, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_revisions")),
    )
    op.create_index("ix_revisions_entity", "revisions", ["tenant_id", "entity_id", "entity_version"], unique=False)
    op.create_index("ix_revisions_memory", "revisions", ["memory_id"], unique=False)


def _create_tombstones() -> None:
    op.create_table(
        "tombstones",
        sa.Column("id", ID, nullable=False),
        sa.Column("tenant_id", NAME, nullable=False),
        sa.Column("entity_id", NAME, nullable=False),
        sa.Column("content_key", WORD, nullable=False),
        sa.Column("memory_id", ID, nullable=True),
        sa.Column("erased_at", INSTANT, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_tombstones")),
    )
    op.create_index("ix_tombstones_content", "tombstones", ["tenant_id", "entity_id", "content_key"], unique=False)


def _create_workspaces() -> None:
    op.create_table(
        "workspaces",
        sa.Column("id", ID, nullable=False),
        sa.Column("tenant_id", NAME, nullable=False),
        sa.Column("entity_id", NAME, nullable=False),
        sa.Column("task_id", NAME, nullable=False),
        sa.Column("summary", sa.Text(), nullable=False),
        sa.Column("state", JSON, nullable=False),
        sa.Column("closed", sa.Boolean(), nullable=False),
        sa.Column("status", WORD, nullable=False),
        sa.Column("source", WORD, nullable=False),
        sa.Column("confidence", sa.Float(), nullable=False),
        sa.Column("conversation_id", NAME, nullable=True),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("recorded_at", INSTANT, nullable=False),
        sa.Column("updated_at", INSTANT, nullable=False),
        sa.Column("retired_at", INSTANT, nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_workspaces")),
    )
    op.create_index(
        "uq_workspaces_live_task",
        "workspaces",
        ["tenant_id", "entity_id", "task_id"],
        unique=True,
        sqlite_where=sa.text("status = 'active'"),
        postgresql_where=sa.text("status = 'active'"),
    )


def _create_candidates() -> None:
    op.create_table(
        "candidates",
        sa.Column("id", ID, nullable=False),
        sa.Column("tenant_id", NAME, nullable=False),
        sa.Column("entity_id", NAME, nullable=False),
        sa.Column("conversation_row_id", ID, nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("content", JSON, nullable=False),
        sa.Column("verdict", WORD, nullable=True),
        sa.Column("confidence", sa.Float(), nullable=True),
        sa.Column("plan", JSON, nullable=True),
        sa.Column("fate", WORD, nullable=True),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("memory_id", ID, nullable=True),
        sa.Column("review_id", ID, nullable=True),
        sa.ForeignKeyConstraint(
            ["conversation_row_id"],
            ["conversations.id"],
            name=op.f("fk_candidates_conversation_row_id_conversations"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_candidates")),
        sa.UniqueConstraint("conversation_row_id", "ordinal", name=op.f("uq_candidates_conversation_row_id_ordinal")),
    )
    op.create_index("ix_candidates_entity", "candidates", ["tenant_id", "entity_id"], unique=False)
    op.create_index("ix_candidates_memory", "candidates", ["memory_id"], unique=False)
