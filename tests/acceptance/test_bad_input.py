"""Bad input and a bad machine: normalised, or refused by field and with a remedy; the neighbours are kept."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from easy_data import EasyMemory
from easy_data.schemas.errors import (
    ConversationTooLarge,
    EasyDataError,
    InputError,
    MigrationNeeded,
    SettingsError,
    StoreLocked,
    StoreReadOnly,
    UnknownAttribute,
)
from easy_data.schemas.receipts import Outcome
from tests.fixtures.memories import Open
from tests.fixtures.talk import assistant, facts, stored, tell, user

ROOT = Path(__file__).parents[2]


def test_controls_surrogates_and_bidi_marks_are_cleaned_and_counted(memory: EasyMemory) -> None:
    status = tell(memory, "I live in \x00Oslo\x07. \u202eevil\u202c \ud83d", "我不\u200e吃香菜。")
    assert status.notes == {"control_dropped": 2, "bidi_dropped": 3, "broken_surrogate": 1}
    assert facts(memory)["location"] == {"Oslo"}
    assert len(facts(memory)) == 2


def test_ten_megabytes_of_text_are_read_or_refused_with_the_limit(open_memory: Open, tmp_path: Path) -> None:
    line = "2026-01-01 00:00:00 INFO all is well\n"
    ten_megabytes = [user(line * 2800)] * 100
    memory = open_memory(extractor=None, auto_extract=False)
    assert memory.end_conversation("ann", ten_megabytes).wait(30).outcome is Outcome.EMPTY
    with pytest.raises(
        ConversationTooLarge, match=r"messages: .* bytes of text, intake accepts 20,000,000; send it in"
    ):
        memory.end_conversation("ann", [user("x" * 21_000_000)])
    assert memory.end_conversation("ann", [user("hi")]).wait(30).outcome is Outcome.EMPTY


def test_ten_thousand_messages_are_one_conversation(memory: EasyMemory) -> None:
    chat = [user(f"ok {n}") if n % 2 else assistant("fine") for n in range(9_999)]
    status = memory.end_conversation("ann", [*chat, user("I live in Oslo.")]).wait(50)
    assert status.outcome is Outcome.WRITTEN
    assert facts(memory) == {"location": {"Oslo"}}


@pytest.mark.parametrize(
    "content",
    [
        {"type": "text", "text": "I live in Oslo."},
        [{"type": "audio", "data": 1}, {"type": "text", "text": "I live in Oslo."}],
        ["I live in Oslo."],
        [{"no": "type"}, None, 7, {"type": "text", "text": "I live in Oslo."}],
        [{"type": "text", "text": None}, {"type": "text", "text": "I live in Oslo."}],
    ],
)
def test_odd_parts_cost_nothing_but_themselves(memory: EasyMemory, content: Any) -> None:
    assert tell(memory, content).outcome is Outcome.WRITTEN
    assert facts(memory) == {"location": {"Oslo"}}


@pytest.mark.parametrize("content", [7, 1.5, True, b"bytes", object()])
def test_content_that_is_no_text_is_left_out_and_counted(memory: EasyMemory, content: Any) -> None:
    status = tell(memory, content, "I live in Oslo.")
    assert status.notes
    assert facts(memory) == {"location": {"Oslo"}}


@pytest.mark.parametrize(
    "stamp", ["2026-02-30T00:00:00", "yesterday", math.nan, math.inf, -1e300, 10**30, "", [], {}, "9999999999999999"]
)
def test_a_timestamp_that_is_none_is_left_out_and_counted(memory: EasyMemory, stamp: Any) -> None:
    status = memory.end_conversation("ann", [user("I live in Oslo.", timestamp=stamp)]).wait(30)
    assert (status.outcome, status.notes) == (Outcome.WRITTEN, {"bad_timestamp": 1})
    with pytest.raises(InputError, match="ended_at"):
        memory.end_conversation("ann", [user("hi")], ended_at=stamp)


@pytest.mark.parametrize("zone", ["Mars/Olympus", "", "../etc/passwd", "UTC+25", "a" * 300])
def test_an_unknown_zone_is_refused_with_an_example(memory: EasyMemory, zone: str) -> None:
    with pytest.raises(InputError, match=r"time_zone: .* such as 'Asia/Shanghai'"):
        memory.end_conversation("ann", [user("I live in Oslo.")], time_zone=zone)
    with pytest.raises((InputError, SettingsError), match="time_zone"):
        EasyMemory(path="/nonexistent/x.db", time_zone=zone)
    assert tell(memory, "I live in Oslo.").outcome is Outcome.WRITTEN


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"confidence": math.nan}, "confidence"),
        ({"confidence": 1.5}, "confidence"),
        ({"confidence": "sure"}, "confidence"),
        ({"attr_value": "x" * 100_000}, "attr_value"),
        ({"attr_value": " \x00 "}, "attr_value"),
        ({"attr_value": None}, "attr_value"),
        ({"attr_name": "shoe_size"}, "attr_name"),
        ({"polarity": 3}, "polarity"),
        ({"colour": "red"}, "colour"),
        ({"valid_from": datetime(2026, 1, 1)}, "valid_from"),  # noqa: DTZ001 - naive on purpose
        ({"entity_id": ""}, "entity_id"),
    ],
)
def test_a_fact_that_cannot_be_is_refused_by_field(memory: EasyMemory, fields: dict[str, Any], field: str) -> None:
    right = {"entity_id": "ann", "attr_name": "hobby", "attr_value": "chess"}
    with pytest.raises(InputError, match=field):
        memory.write_profile(**(right | fields))
    memory.write_profile(**right)
    assert facts(memory) == {"hobby": {"chess"}}


def test_an_attribute_outside_the_registry_names_the_remedy(memory: EasyMemory) -> None:
    with pytest.raises(
        UnknownAttribute, match=r"'shoe_size' is not in the registry; add it with EasyMemory\(attributes"
    ):
        memory.write_profile(entity_id="ann", attr_name="shoe_size", attr_value="44")
    with pytest.raises(InputError, match=r"event_type: 'party' is not registered; add it with EasyMemory\(event_types"):
        memory.write_event(entity_id="ann", event_type="party", summary="x")


@pytest.mark.parametrize(
    "payload",
    [{"a": math.nan}, {"a": [math.inf]}, {"a": object()}, {"a": {1, 2}}, {"a": "x" * 200_000}, {"a": b"x"}],
)
def test_a_payload_that_is_no_json_or_too_large_is_refused(memory: EasyMemory, payload: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="payload"):
        memory.write_event(entity_id="ann", event_type="info_learned", summary="x", payload=payload)
    with pytest.raises(InputError, match="state"):
        memory.save_workspace(entity_id="ann", task_id="t", state=payload)
    assert stored(memory) == []


def test_a_store_that_another_process_holds_names_its_holder(tmp_path: Path, open_memory: Open) -> None:
    path = tmp_path / "memory.db"
    with subprocess.Popen(
        [sys.executable, "-m", "tests.fixtures.holding", str(path)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "open\n"
        with pytest.raises(StoreLocked, match=rf"is in use by process {other.pid} on .*close it there"):
            open_memory()
        other.communicate()
    assert other.returncode == 0
    assert tell(open_memory(), "I live in Oslo.").outcome is Outcome.WRITTEN


def test_one_process_that_opens_a_store_twice_is_told_so(open_memory: Open) -> None:
    first = open_memory()
    with pytest.raises(StoreLocked):
        open_memory()
    assert tell(first, "I live in Oslo.").outcome is Outcome.WRITTEN


@pytest.mark.parametrize("where", ["a-file/memory.db", "folder"])
def test_a_path_that_cannot_hold_a_store_is_a_clear_error(tmp_path: Path, open_memory: Open, where: str) -> None:
    (tmp_path / "a-file").write_text("in the way")
    (tmp_path / "folder").mkdir()
    with pytest.raises(EasyDataError, match=r"cannot be|disk|read-only|is a folder"):
        open_memory(path=tmp_path / where)


def test_a_file_that_is_no_database_is_refused_and_left_as_it_is(tmp_path: Path, open_memory: Open) -> None:
    path = tmp_path / "memory.db"
    path.write_bytes(b"my novel, chapter one\n" * 100)
    with pytest.raises(EasyDataError):
        open_memory()
    assert path.read_bytes() == b"my novel, chapter one\n" * 100


def test_a_store_of_a_newer_release_is_not_touched(open_memory: Open) -> None:
    memory = open_memory()
    with memory._runtime.database.write() as connection:
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
    memory.close()
    with pytest.raises(MigrationNeeded, match="install the newer"):
        open_memory()


def test_a_full_disk_refuses_what_it_cannot_keep_and_keeps_what_it_accepted(tmp_path: Path, open_memory: Open) -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "tests.fixtures.cramped", str(tmp_path / "memory.db")],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=50,
        check=True,
    )
    told = json.loads(ran.stdout.splitlines()[-1])
    assert {code for code, _ in told["refused"]} == {StoreReadOnly.code}
    memory = open_memory(auto_extract=False)
    assert memory.flush(30)
    outcomes = [memory.receipt(receipt).outcome for receipt in (*told["accepted"], told["after"])]
    assert set(outcomes) == {Outcome.EMPTY}


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"confidence_threshold": 2}, "confidence_threshold"),
        ({"confidence_threshold": math.nan}, "confidence_threshold"),
        ({"review_floor": 0.9}, "review_floor"),
        ({"llm_base_url": "http://x"}, "llm_model"),
        ({"extractor": "chat"}, "llm_base_url"),
        ({"embedder": "openai"}, "embedding_size"),
        ({"backend": "mysql"}, "backend"),
        ({"top_k": "many"}, "top_k"),
        ({"max_attempts": 0}, "max_attempts"),
    ],
)
def test_a_setting_out_of_range_is_refused_by_name(open_memory: Open, settings: dict[str, Any], named: str) -> None:
    with pytest.raises(SettingsError, match=named):
        open_memory(**settings)


def test_a_key_never_stands_in_an_error(open_memory: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EASY_DATA_LLM_API_KEY", "sk-very-secret")
    monkeypatch.setenv("EASY_DATA_TOP_K", "sk-very-secret")
    with pytest.raises(SettingsError) as refused:
        open_memory()
    assert "top_k" in str(refused.value)
    assert "very-secret" not in str(refused.value)


def test_times_from_before_the_epoch_and_long_after_do_not_break_a_memory(memory: EasyMemory) -> None:
    for year in (1, 1800, 9998):
        memory.write_event(
            entity_id="ann",
            event_type="info_learned",
            summary=f"in {year}",
            happened_at=datetime(year, 1, 2, tzinfo=UTC),
        )
    assert len(memory.events("ann")) == 3
    assert memory.recall("ann", "what happened in 1800?").memories
