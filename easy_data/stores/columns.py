"""Column types and groups of columns that the tables share."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import (
    JSON,
    Column,
    DateTime,
    Dialect,
    Float,
    Integer,
    MetaData,
    String,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.types import TypeDecorator

from easy_data.schemas.ids import MAX_ID_CHARS


class Instant(TypeDecorator[datetime]):
    """An aware instant, always UTC. SQLite has no zones, so there the UTC wall time is kept and the zone put back."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Refuse naive values; hand over UTC."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("naive datetime reached the store")
        in_utc = value.astimezone(UTC)
        return in_utc.replace(tzinfo=None) if dialect.name == "sqlite" else in_utc

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Return aware UTC."""
        del dialect
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


NAMING = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
    "pk": "pk_%(table_name)s",
}
metadata = MetaData(naming_convention=NAMING)
Json = JSON(none_as_null=True).with_variant(JSONB(none_as_null=True), "postgresql")
Name = String(MAX_ID_CHARS)
Id = String(36)
Word = String(64)


def scope_columns() -> tuple[Column[Any], Column[Any]]:
    """Columns every table of an entity has: whose the row is."""
    return Column("tenant_id", Name, nullable=False), Column("entity_id", Name, nullable=False)


def memory_columns() -> tuple[Column[Any], ...]:
    """Columns every bucket has: life, trust, both time axes and the row version the index is compared by."""
    return (
        Column("status", Word, nullable=False),
        Column("source", Word, nullable=False),
        Column("confidence", Float, nullable=False),
        Column("conversation_id", Name),
        Column("version", Integer, nullable=False),
        Column("recorded_at", Instant, nullable=False),
        Column("updated_at", Instant, nullable=False),
        Column("retired_at", Instant),
    )


def only(condition: str) -> dict[str, Any]:
    """Return what makes an index hold only the rows of which the condition is true."""
    return {"sqlite_where": text(condition), "postgresql_where": text(condition)}
