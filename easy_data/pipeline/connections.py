"""The doctor's look at the servers of the service: each by itself, so that one that is away hides no other."""

from __future__ import annotations

from datetime import timedelta

from pydantic import SecretStr

from easy_data.pipeline.runtime import build_database, service_part
from easy_data.schemas.errors import EasyDataError, StoreError
from easy_data.schemas.insight import Check
from easy_data.schemas.ports import Clock
from easy_data.schemas.settings import Settings
from easy_data.stores import migrate
from easy_data.stores.postgresql import refuse_old_server
from easy_data.stores.postgresql_facts import postgresql_facts

# Leases and due times are the database's; what else is dated is dated here, and a schedule must not run a day early.
CLOCKS_APART = timedelta(seconds=5)


def check_connections(settings: Settings, clock: Clock) -> list[Check]:
    """Look at database, broker and cache; the index and the models are looked at where they are used."""
    return [*_database(settings, clock), *_broker(settings), *_cache(settings)]


def refuse_unready_database(settings: Settings) -> None:
    """Raise what keeps a worker from using the database: ``SettingsError`` or ``StoreError``; bring it up to date."""
    database = build_database(settings)
    try:
        migrate.ensure_schema(database)
    finally:
        database.close()


def refuse_unready_broker(settings: Settings) -> None:
    """Raise what keeps a worker from using the broker: away, refusing, too old, or throwing messages away when full."""
    url = _value(settings.broker_url)
    if url.startswith("redis"):
        part = service_part("easy_data.stores.redis_server")
        part.refuse_evicting(part.look_at_redis(url, setting="broker_url"))
    else:
        service_part("easy_data.stores.queue").rabbitmq_version(url)


def _database(settings: Settings, clock: Clock) -> list[Check]:
    database = build_database(settings)
    try:
        with database.read() as connection:
            refuse_old_server(connection)
            facts = postgresql_facts(connection)
            apart = abs(facts.now - clock.now())
    except EasyDataError as error:
        return [Check(name="database", state="error", found=str(error), remedy="start it, or correct database_url")]
    finally:
        database.close()
    remedy = "let the service's user be neither superuser nor BYPASSRLS, so that tenants are kept apart"
    found = f"PostgreSQL {facts.version}, as {facts.user}"
    late = apart > CLOCKS_APART
    return [
        Check(name="database", state="ok", found=found)
        if not facts.sees_all
        else Check(name="database", state="warning", found=f"{found}, who sees every tenant's rows", remedy=remedy),
        Check(
            name="clock",
            state="warning" if late else "ok",
            found=f"{apart.total_seconds():.1f} s between this host and the database",
            remedy="let both take their time from NTP" if late else "",
        ),
    ]


def _broker(settings: Settings) -> list[Check]:
    if settings.broker_url is None:
        remedy = "set broker_url, or the workers' sweeper finds each conversation only once a minute"
        return [Check(name="broker", state="warning", found="none is set", remedy=remedy)]
    url = settings.broker_url.get_secret_value()
    try:
        if not url.startswith("redis"):
            version = service_part("easy_data.stores.queue").rabbitmq_version(url)
            return [Check(name="broker", state="ok", found=f"RabbitMQ {version}")]
        part = service_part("easy_data.stores.redis_server")
        server = part.look_at_redis(url, setting="broker_url")
        part.refuse_evicting(server)
    except StoreError as error:
        return [Check(name="broker", state="error", found=str(error), remedy="conversations are kept; it costs time")]
    remedies = []
    if not server.durable:
        remedies.append("switch appendonly on: a restart loses the queues, and the sweeper has to fill them again")
    if server.nearly_full:
        remedies.append("give it more memory, or find out why nobody works the queues off")
    state = "warning" if remedies else "ok"
    found = f"{server}, {'append-only file' if server.durable else 'nothing on disk'}"
    return [Check(name="broker", state=state, found=found, remedy="; ".join(remedies))]


def _cache(settings: Settings) -> list[Check]:
    if settings.cache_url is None:
        return [Check(name="cache", state="ok", found="none is set: each process keeps summaries of its own")]
    look_at_redis = service_part("easy_data.stores.redis_server").look_at_redis
    try:
        server = look_at_redis(settings.cache_url.get_secret_value(), setting="cache_url")
    except StoreError as error:
        return [Check(name="cache", state="error", found=str(error), remedy="summaries are made anew for each recall")]
    remedy = "" if server.evicts else "set its maxmemory and a maxmemory-policy of allkeys-lfu: what is in it may go"
    broker_url = _value(settings.broker_url)
    if broker_url.startswith("redis"):
        try:
            shared = look_at_redis(broker_url, setting="broker_url").run_id == server.run_id
        except EasyDataError:
            shared = False  # the broker's own row says so
        if shared:
            remedy = "keep it on a server of its own: the broker's must not evict, this one should"
    return [Check(name="cache", state="warning" if remedy else "ok", found=str(server), remedy=remedy)]


def _value(secret: SecretStr | None) -> str:
    return secret.get_secret_value() if secret else ""
