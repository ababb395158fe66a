"""Migrations on both engines: up, down, up again, and equal to the tables of the code."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

from easy_data.schemas.errors import MigrationNeeded
from easy_data.stores import migrate, tables
from easy_data.stores.columns import metadata
from easy_data.stores.database import Database


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    database = Database(database_url)
    yield database
    database.close()


def names(database: Database) -> set[str]:
    with database.read() as connection:
        return set(sa.inspect(connection).get_table_names())


def test_a_new_database_is_upgraded_once(database: Database) -> None:
    assert migrate.ensure_schema(database)
    assert not migrate.ensure_schema(database)
    assert names(database) == {*metadata.tables, "alembic_version"}
    with database.read() as connection:
        assert migrate.current(connection) == migrate.HEAD


def test_the_schema_goes_up_down_and_up_again(database: Database) -> None:
    for _ in range(2):
        with database.write() as connection:
            migrate.upgrade(connection)
        assert tables.entities.name in names(database)
        with database.write() as connection:
            migrate.downgrade(connection, "base")
        assert names(database) == {"alembic_version"}
    assert migrate.ensure_schema(database)


def test_the_tables_of_the_code_are_the_tables_of_the_migrations(database: Database) -> None:
    migrate.ensure_schema(database)
    with database.read() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True, "compare_server_default": True})
        assert compare_metadata(context, metadata) == []


def test_partial_indexes_hold_on_both_engines(database: Database) -> None:
    migrate.ensure_schema(database)
    with database.read() as connection:
        found = {i["name"]: i for i in sa.inspect(connection).get_indexes("profile_facts")}
    unique = found["uq_profile_facts_live_value"]
    assert unique["unique"]
    assert unique["dialect_options"][f"{database.dialect}_where"] is not None


def test_a_database_of_a_newer_release_is_refused(database: Database) -> None:
    migrate.ensure_schema(database)
    with database.write() as connection:
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(MigrationNeeded, match="9999"):
        migrate.ensure_schema(database)
