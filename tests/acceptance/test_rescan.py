"""Secrets that older rules kept are found by today's and leave no trace, on disk or in what is recalled."""

from __future__ import annotations

from pathlib import Path

import pytest

from easy_data import EasyMemory, EventRecord, WorkspaceRecord
from easy_data.pipeline import redaction
from tests.fixtures.command_line import CommandLine

KEY = "sk-proj-Zk3vN8wQ2xR7tY5uP1aS9dF4"
PASSWORD = "hunter2go9"
KEPT = "Oslo"
ID_NUMBER = "11010519491231002X"


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A store that was filled when no rule knew any secret."""
    path = tmp_path / "memory.db"
    with monkeypatch.context() as before, EasyMemory(path=path) as memory:
        before.setattr(redaction, "_findings", lambda _text: iter(()))
        said = [f"I live in {KEPT}.", f"My goal is to rotate {KEY}.", f"我的密码是{PASSWORD}，我住在杭州。"]
        memory.end_conversation(ID_NUMBER, [{"role": "user", "content": text} for text in said], conversation_id="c1")
        memory.write_profile(entity_id=ID_NUMBER, attr_name="goal", attr_value=f"rotate {KEY}")
        memory.write_event(
            EventRecord(entity_id=ID_NUMBER, event_type="remark", summary="Set a password", payload={"log": [KEY]})
        )
        memory.save_workspace(
            WorkspaceRecord(entity_id=ID_NUMBER, task_id="deploy", state={"next": f"密码是 {PASSWORD}"})
        )
        assert memory.flush(30)
    return path


def on_disk(path: Path) -> bytes:
    return b"".join(file.read_bytes() for file in sorted(path.parent.rglob("*")) if file.is_file())


def test_what_older_rules_kept_is_taken_out_everywhere(path: Path) -> None:
    assert KEY.encode() in on_disk(path)
    with EasyMemory(path=path) as memory:
        would = memory.rescan(dry_run=True)
        assert would["erased"] >= 1
        assert would["changed"] == 2
        assert any(KEY in fact.attr_value for fact in memory.profile(ID_NUMBER))
        steps: list[tuple[int, int]] = []
        found = memory.rescan(progress=lambda done, total: steps.append((done, total)))
        assert found["conversations"] == 1
        assert steps == [(1, 1)]
        assert memory.flush(30)
        # A second run finds nothing, and what was no secret is there.
        assert memory.rescan() == {}
        assert not [fact for fact in memory.profile(ID_NUMBER) if "rotate" in fact.attr_value]
        (event,) = [event for event in memory.events(ID_NUMBER) if event.event_type == "remark"]
        assert event.payload == {"log": ["[secret:api_key]"]}
        assert "[secret:password]" in memory.load_workspace(ID_NUMBER, "deploy").state["next"]
        assert memory.recall(ID_NUMBER, "我住在哪里？ where do I live?").memories
        assert "rescan" in {change.cause.get("kind", change.action) for change in memory.history(ID_NUMBER, event.id)}
    held = on_disk(path)
    assert KEY.encode() not in held
    assert PASSWORD.encode() not in held
    assert KEPT.encode() in held


def test_the_command_says_what_it_found(path: Path) -> None:
    command = CommandLine(path)
    assert command.json("rescan", "--dry-run")["found"]["changed"] == 2
    assert "taken out" in command.run("rescan").stdout
    assert "no secrets found" in command.run("rescan").stdout
