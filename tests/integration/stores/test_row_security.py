"""Row-level security: on PostgreSQL a tenant sees and writes its own rows, whatever a statement asks for."""

from __future__ import annotations

import uuid
from collections.abc import Iterator

import pytest
import sqlalchemy as sa

from easy_data.schemas.errors import MigrationNeeded, StoreError
from easy_data.stores import migrate
from easy_data.stores.columns import metadata
from easy_data.stores.database import Database
from easy_data.stores.tables import entities, tombstones
from tests.fixtures.engines import PostgresServer

TENANT_TABLES = sorted(t.name for t in metadata.tables.values() if "tenant_id" in t.c)


@pytest.fixture
def tenants(application_url: str) -> Iterator[tuple[Database, Database]]:
    """The database as two tenants see it."""
    both = Database(application_url, tenant_id="one"), Database(application_url, tenant_id="two")
    yield both
    for each in both:
        each.close()


def bury(database: Database, tenant_id: str) -> None:
    row = {"id": uuid.uuid4().hex, "tenant_id": tenant_id, "entity_id": "ann", "content_key": "k"}
    with database.write() as connection:
        connection.execute(sa.insert(tombstones).values(**row, erased_at=sa.func.now()))


def number(database: Database) -> int:
    with database.read() as connection:
        return int(connection.execute(sa.select(sa.func.count()).select_from(tombstones)).scalar_one())


def test_a_tenant_sees_its_own_rows_alone(tenants: tuple[Database, Database]) -> None:
    one, two = tenants
    bury(one, "one")
    assert (number(one), number(two)) == (1, 0)


def test_a_tenant_cannot_write_rows_of_another(tenants: tuple[Database, Database]) -> None:
    one, two = tenants
    with pytest.raises(StoreError):
        bury(one, "two")
    bury(one, "one")
    with two.write() as connection:
        assert connection.execute(sa.delete(tombstones)).rowcount == 0
        assert connection.execute(sa.update(tombstones).values(entity_id="bob")).rowcount == 0
    assert number(one) == 1


def test_a_connection_without_a_tenant_sees_nothing(application_url: str, tenants: tuple[Database, Database]) -> None:
    bury(tenants[0], "one")
    nobody = Database(application_url)
    assert number(nobody) == 0
    nobody.close()


def test_the_tenant_of_one_transaction_is_not_the_next_ones(tenants: tuple[Database, Database]) -> None:
    """A pooled connection carries nothing over: the setting ends with its transaction."""
    one, _ = tenants
    bury(one, "one")
    with one.engine.connect() as connection:
        connection.exec_driver_sql("COMMIT")
        connection.exec_driver_sql("BEGIN")
        assert connection.execute(sa.select(sa.func.count()).select_from(tombstones)).scalar_one() == 0


def test_every_table_of_a_tenant_is_secured_for_its_owner_too(application_url: str) -> None:
    database = Database(application_url)
    with database.read() as connection:
        found = connection.exec_driver_sql(
            "SELECT relname FROM pg_class WHERE relrowsecurity AND relforcerowsecurity ORDER BY relname"
        ).scalars()
        assert list(found) == TENANT_TABLES
    database.close()


def test_a_user_who_owns_nothing_can_start_but_not_upgrade(
    application_url: str, postgres_server: PostgresServer
) -> None:
    database = Database(application_url, tenant_id="one")
    assert not migrate.ensure_schema(database)
    name = sa.make_url(application_url).database
    owner = Database(postgres_server.url.set(database=name).render_as_string(hide_password=False))
    with owner.write() as connection:
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '0002'")
    owner.close()
    with pytest.raises(MigrationNeeded, match="as the owner of its tables"):
        migrate.ensure_schema(database)
    database.close()


def test_entities_of_two_tenants_may_have_one_name(tenants: tuple[Database, Database]) -> None:
    for database, tenant in zip(tenants, ("one", "two"), strict=True):
        with database.write() as connection:
            connection.execute(
                sa.insert(entities).values(
                    tenant_id=tenant,
                    entity_id="ann",
                    kind="person",
                    time_zone="UTC",
                    language="en",
                    version=0,
                    next_seq=1,
                    erased_epoch=0,
                    created_at=sa.func.now(),
                )
            )
            assert connection.execute(sa.select(sa.func.count()).select_from(entities)).scalar_one() == 1
