"""Looking after a store or the service from the command line: dead letters, the schema, the index."""

from __future__ import annotations

import json

import pytest

from easy_data import EasyMemory
from easy_data.cli.exit_codes import ExitCode
from easy_data.pipeline.inbox import drain
from easy_data.schemas.conversation import Conversation
from easy_data.schemas.errors import ModelRefused
from easy_data.schemas.ports import Extraction
from tests.fixtures.command_line import CommandLine
from tests.fixtures.scripted_openai import EMBEDDING_SIZE, ScriptedOpenAI
from tests.fixtures.service import Service


class Refusing:
    """An extractor whose model does not want these conversations."""

    def extract(self, conversation: Conversation) -> Extraction:
        raise ModelRefused


def said(entity: str, text: str) -> str:
    return json.dumps({"entity_id": entity, "messages": [{"role": "user", "content": text}]})


def test_dead_letters_of_the_service_are_listed_shown_and_replayed(service_line: CommandLine, service: Service) -> None:
    service_line.run("ingest", "-", "--no-wait", stdin=said("ann", "I live in Oslo."))
    drain(service.runtime(extractor=Refusing()))
    (letter,) = service_line.json("deadletter", "list")
    assert letter["reason"].startswith("model_refused")
    assert service_line.json("deadletter", "show", letter["receipt_id"])["attempts"] == letter["attempts"] == 1
    assert service_line.json("deadletter", "replay", "--all") == {"replayed": [letter["receipt_id"]]}
    assert service_line.json("deadletter", "list") == []
    assert service_line.json("status")["conversations"]["received"] == 1
    assert service_line.run("deadletter", "show", letter["receipt_id"]).exit_code == ExitCode.NOT_FOUND
    assert service_line.run("deadletter", "replay", letter["receipt_id"]).exit_code == ExitCode.NOT_FOUND


def test_dead_letters_of_a_store_are_read_before_the_replay_ends(command_line: CommandLine) -> None:
    with EasyMemory(path=command_line.path, extractor=Refusing()) as memory:
        receipt = memory.end_conversation("ann", [{"role": "user", "content": "I live in Oslo."}])
        assert receipt.wait().outcome == "dead_letter"
    assert receipt.id in command_line.run("deadletter", "list").stdout
    assert "model_refused" in command_line.run("deadletter", "show", receipt.id).stdout
    assert command_line.json("deadletter", "replay", receipt.id) == {"replayed": [receipt.id]}
    assert command_line.json("list", "ann")[0]["attr_value"] == "Oslo"
    assert "(nothing)" in command_line.run("deadletter", "list").stdout


@pytest.mark.parametrize("arguments", [[], ["some-id", "--all"]])
def test_a_replay_names_one_or_all(command_line: CommandLine, arguments: list[str]) -> None:
    assert command_line.run("deadletter", "replay", *arguments).exit_code == ExitCode.USAGE


def test_a_database_is_brought_to_this_releases_schema_once(
    command_line: CommandLine, postgresql_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {"BACKEND": "postgresql", "DATABASE_URL": postgresql_url, "INDEX_PATH": "unused"}.items():
        monkeypatch.setenv(f"EASY_DATA_{name}", value)
    _upgrade(command_line)


def test_so_is_the_file_of_a_store(command_line: CommandLine) -> None:
    assert command_line.run("db", "check").exit_code == ExitCode.NOT_FOUND
    command_line.path.touch()
    _upgrade(command_line)
    with EasyMemory(path=command_line.path):
        assert command_line.run("db", "upgrade").exit_code == ExitCode.STORE


def _upgrade(line: CommandLine) -> None:
    before = line.run("db", "check")
    assert (before.exit_code, "easy-data db upgrade" in before.stdout) == (ExitCode.FAILED, True)
    assert line.json("db", "upgrade")["changed"] is True
    assert line.json("db", "upgrade")["changed"] is False
    assert line.json("db", "check")["ok"] is True


def test_the_index_of_the_service_is_repaired_or_made_anew_while_it_serves(service_line: CommandLine) -> None:
    service_line.run("remember", "ann", "location", "Oslo")
    service_line.run("remember", "ann", "pet", "a cat")
    assert service_line.json("reindex", "--repair") == {"memories": 2}
    assert service_line.json("recall", "ann", "which pet?")["degraded"] == []
    assert service_line.json("reindex") == {"memories": 2}
    (index,) = [check for check in service_line.json("doctor") if check["name"] == "index"]
    assert "2 memories, 0 differ" in index["found"]


def test_reindex_changes_the_index_to_the_embedding_model_of_the_settings(
    service_line: CommandLine, chat_server: ScriptedOpenAI, monkeypatch: pytest.MonkeyPatch
) -> None:
    service_line.run("remember", "ann", "location", "Oslo")
    assert service_line.json("reindex", "--repair") == {"memories": 1}
    settings = {"EMBEDDER": "openai", "EMBEDDING_MODEL": "other", "EMBEDDING_SIZE": str(EMBEDDING_SIZE)}
    for name, value in settings.items() | {("EMBEDDING_BASE_URL", chat_server.base_url)}:
        monkeypatch.setenv(f"EASY_DATA_{name}", value)
    (before,) = [check for check in service_line.json("doctor") if check["name"] == "index"]
    assert (before["state"], "change the model with reindex" in before["found"]) == ("error", True)
    assert service_line.json("reindex") == {"memories": 1}
    (after,) = [check for check in service_line.json("doctor") if check["name"] == "index"]
    assert (after["state"], "other" in after["found"]) == ("ok", True)
