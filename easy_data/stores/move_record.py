"""What a target remembers of a move into it: whose rows are to arrive, and how far they have. It ends with the move.

While it is there, the database's schema is marked as being moved into, so that no memory opens a half of a store.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import (
    BigInteger,
    Column,
    Connection,
    MetaData,
    String,
    Table,
    Text,
    insert,
    inspect,
    select,
    text,
    update,
)

from easy_data.schemas.errors import StoreError
from easy_data.stores.columns import Name, Word
from easy_data.stores.copying import TableSum
from easy_data.stores.migrate import HEAD, MOVING

_metadata = MetaData()
_record = Table(
    "easy_data_move",
    _metadata,
    Column("tenant_id", Name, primary_key=True),
    Column("step", Word, primary_key=True),
    Column("schema", Word, nullable=False),
    Column("rows", BigInteger, nullable=False),
    Column("digest", String(64), nullable=False),
    Column("done", BigInteger, nullable=False),
    Column("last_key", Text),
)
_SET_VERSION = text("UPDATE alembic_version SET version_num = :version")

# By tenant and table.
Manifest = Mapping[tuple[str, str], TableSum]


@dataclass(frozen=True, slots=True)
class Step:
    """How far one table of one tenant is: rows done, and the last one's key as text; None at the beginning."""

    done: int
    last_key: str | None


def exists(connection: Connection) -> bool:
    """Tell if a move into this database was begun and not ended."""
    return inspect(connection).has_table(_record.name)


def begin(connection: Connection, manifest: Manifest) -> None:
    """Write down what is to arrive, and close the database for everybody else."""
    _metadata.create_all(connection)
    rows = [
        {"tenant_id": t, "step": step, "schema": HEAD, "rows": s.rows, "digest": s.digest, "done": 0}
        for (t, step), s in manifest.items()
    ]
    if rows:
        connection.execute(insert(_record), rows)
    connection.execute(_SET_VERSION, {"version": MOVING})


def refuse_other(connection: Connection, manifest: Manifest) -> int:
    """Return how many rows of this very move have arrived; raise ``StoreError`` when another was begun here."""
    found = connection.execute(select(_record)).all()
    if {row.schema for row in found} - {HEAD}:
        raise StoreError("another release of Easy Data began to move a store here; end the move with that release")
    if {(row.tenant_id, row.step): TableSum(row.rows, row.digest) for row in found} != dict(manifest):
        raise StoreError(
            "the target holds the beginning of another move, or the source was changed since this one began; "
            "make the target anew, empty, and begin again"
        )
    return sum(row.done for row in found)


def locked_step(connection: Connection, tenant_id: str, step: str) -> Step:
    """Return how far a step is; another move into this database waits for the end of the transaction."""
    row = connection.execute(
        select(_record.c.done, _record.c.last_key)
        .where(_record.c.tenant_id == tenant_id, _record.c.step == step)
        .with_for_update()
    ).one()
    return Step(row.done, row.last_key)


def advance(connection: Connection, tenant_id: str, step: str, to: Step) -> None:
    """Write down how far a step is, in the transaction that takes it there."""
    connection.execute(
        update(_record)
        .where(_record.c.tenant_id == tenant_id, _record.c.step == step)
        .values(done=to.done, last_key=to.last_key)
    )


def end(connection: Connection) -> None:
    """Forget the move and open the database."""
    connection.execute(_SET_VERSION, {"version": HEAD})
    _metadata.drop_all(connection)
