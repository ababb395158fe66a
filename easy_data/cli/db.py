"""``easy-data db``: the schema of the database, looked at and upgraded."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import typer

from easy_data.cli.exit_codes import ExitCode
from easy_data.cli.opening import log_to_standard_error, refuse_missing, settings_of
from easy_data.cli.output import Output, write_json
from easy_data.cli.session import Session, session_of
from easy_data.pipeline.runtime import build_database
from easy_data.providers.clock import SystemClock
from easy_data.stores import migrate
from easy_data.stores.database import Database
from easy_data.stores.store_lock import StoreLock

app = typer.Typer(
    rich_markup_mode=None, pretty_exceptions_enable=False, help="Look at the database's schema, or upgrade it."
)


@app.command()
def check(context: typer.Context) -> None:
    """Tell which schema the database has; ends with 1 when this release needs another."""
    session = session_of(context)
    with _database(session, create=False) as database, database.read() as connection:
        found = migrate.current(connection)
    good = found == migrate.HEAD
    if session.json:
        write_json({"schema": found, "needed": migrate.HEAD, "ok": good})
    else:
        remedy = "" if good else "; run: easy-data db upgrade"
        Output().print(f"schema {found or '(none)'}, this release needs {migrate.HEAD}{remedy}")
    if not good:
        raise typer.Exit(ExitCode.FAILED)


@app.command()
def upgrade(context: typer.Context) -> None:
    """Bring the database to the schema this release needs, as a user who may change it; a second run does nothing."""
    session = session_of(context)
    with _database(session, create=True) as database:
        changed = migrate.ensure_schema(database)
    if session.json:
        write_json({"schema": migrate.HEAD, "changed": changed})
    else:
        Output().print(f"schema {migrate.HEAD}, {'upgraded' if changed else 'nothing to do'}")


@contextmanager
def _database(session: Session, *, create: bool) -> Iterator[Database]:
    """Open the database alone; an embedded store under its lock."""
    log_to_standard_error()
    settings = settings_of(session)
    lock = None
    if settings.backend == "sqlite":
        refuse_missing(settings.path, create=create)
        lock = StoreLock(settings.path)
        lock.acquire(now=SystemClock().now())
    database = build_database(settings)
    try:
        yield database
    finally:
        database.close()
        if lock is not None:
            lock.release()
