"""Servers from wheels, as ``easy-data dev`` has them."""

from __future__ import annotations

import os
import socket
import uuid
from pathlib import Path

import pytest
import redis
import sqlalchemy as sa

from easy_data.schemas.errors import SettingsError
from easy_data.stores.local_servers import (
    LocalServer,
    free_port,
    own_database,
    refuse_closed_folder,
    start_valkey,
)
from easy_data.stores.redis_server import look_at_redis
from tests.fixtures.engines import PostgresServer


def test_the_database_of_the_service_belongs_to_an_ordinary_user(postgres_server: PostgresServer) -> None:
    name = f"own_{uuid.uuid4().hex[:12]}"
    server = LocalServer(postgres_server.url.render_as_string(hide_password=False), lambda: None, lambda: True)
    url = own_database(server, name)
    assert own_database(server, name) == url
    engine = sa.create_engine(sa.make_url(url).set(drivername="postgresql+psycopg2"), poolclass=sa.NullPool)
    try:
        with engine.connect() as connection:
            connection.execute(sa.text("CREATE TABLE notes (body TEXT)"))
            found = connection.execute(
                sa.text("SELECT current_user, rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user")
            ).one()
        assert tuple(found) == (name, False)
    finally:
        postgres_server.execute(f'DROP DATABASE "{name}" WITH (FORCE)')
        postgres_server.execute(f'DROP ROLE "{name}"')


def test_a_broker_in_a_folder_has_its_messages_when_it_starts_again(tmp_path: Path) -> None:
    port = free_port()
    for expected in (1, 2):
        server = start_valkey(tmp_path / "broker", port=port, appendonly="yes", maxmemory_policy="noeviction")
        try:
            assert server.runs()
            with redis.Redis.from_url(server.url) as client:
                assert client.incr("starts") == expected
            seen = look_at_redis(server.url, setting="broker_url")
            assert (seen.name, seen.durable, seen.evicts, seen.limit) == ("valkey", True, False, 0)
        finally:
            server.stop()
        assert not server.runs()


def test_a_port_that_is_taken_is_not_given_again() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = int(taken.getsockname()[1])
        assert free_port(port) != port
    assert free_port(port) == port


def test_root_is_told_which_folder_would_be_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    with pytest.raises(SettingsError, match="may not read /"):
        refuse_closed_folder(closed / "data" / "postgresql")
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    refuse_closed_folder(closed / "data" / "postgresql")
