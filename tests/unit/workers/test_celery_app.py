"""The settings of the Celery application: the ones under which losing or doubling a message is harmless."""

from __future__ import annotations

from typing import Any

import pytest

from easy_data.schemas.errors import SettingsError
from easy_data.schemas.settings import Settings
from easy_data.stores.task_routes import ROUTES
from easy_data.workers.celery_app import make_app
from easy_data.workers.tasks import TASKS

SERVICE = {
    "backend": "postgresql",
    "database_url": "postgresql://u:p@localhost/d",
    "broker_url": "redis://localhost:6379/0",
    "qdrant_url": "http://localhost:6333",
}


def made(**changes: Any) -> Any:
    return make_app(Settings(**SERVICE | changes))


@pytest.mark.parametrize("lease", [30.0, 300.0, 3600.0])
def test_a_step_is_over_before_another_worker_may_begin_it(lease: float) -> None:
    conf = made(lease_seconds=lease).conf
    visibility = conf.broker_transport_options["visibility_timeout"]
    assert conf.task_soft_time_limit < conf.task_time_limit < lease < visibility


def test_nothing_but_json_is_read_and_no_result_is_kept() -> None:
    conf = made().conf
    assert (conf.accept_content, conf.task_serializer) == (["json"], "json")
    assert (conf.task_ignore_result, conf.result_backend) == (True, None)


def test_a_message_is_acknowledged_when_its_work_is_done_and_none_is_hoarded() -> None:
    conf = made().conf
    assert (conf.task_acks_late, conf.task_reject_on_worker_lost, conf.worker_prefetch_multiplier) == (True, True, 1)
    assert conf.worker_cancel_long_running_tasks_on_connection_loss


def test_no_wait_for_redis_is_without_end() -> None:
    options = made().conf.broker_transport_options
    names = ("socket_timeout", "socket_connect_timeout", "socket_keepalive", "health_check_interval")
    assert all(options[name] for name in (*names, "retry_on_timeout"))
    assert options["global_keyprefix"] == "easy-data:"


def test_every_task_has_a_route_and_a_queue_and_every_route_a_task() -> None:
    app = made()
    assert TASKS.keys() == ROUTES.keys() == app.conf.task_routes.keys()
    assert {route["queue"] for route in app.conf.task_routes.values()} == set(app.amqp.queues)
    assert TASKS.keys() <= app.tasks.keys()


def test_rabbitmq_queues_are_replicated_and_give_a_killer_message_up() -> None:
    app = made(broker_url="amqp://localhost")
    queue = app.amqp.queues["easy-data.write"]
    assert queue.queue_arguments["x-queue-type"] == "quorum"
    assert queue.queue_arguments["x-delivery-limit"] > 0
    assert app.conf.broker_transport_options["confirm_publish"]


def test_beat_ticks_each_minute_in_utc_for_the_own_tenant() -> None:
    conf = made(tenant_id="t").conf
    assert (conf.timezone, conf.enable_utc) == ("UTC", True)
    assert {e["task"]: e["schedule"].total_seconds() for e in conf.beat_schedule.values()} == {
        "easy_data.sweep": 60,
        "easy_data.maintain": 60,
    }
    assert all(e["kwargs"] == {"tenant_id": "t"} for e in conf.beat_schedule.values())


def test_a_worker_without_a_service_says_what_it_needs() -> None:
    with pytest.raises(SettingsError, match="database_url and broker_url"):
        make_app(Settings())
    with pytest.raises(SettingsError, match="database_url and broker_url"):
        made(broker_url=None)
