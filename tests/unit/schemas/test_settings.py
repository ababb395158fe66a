"""Where settings come from, which source wins, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from easy_data.schemas.errors import SettingsError
from easy_data.schemas.settings import Settings, environment_with, load_settings


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_arguments_win_over_the_environment_and_that_over_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "easy_data.toml").write_text("top_k = 1\nmax_attempts = 1\nllm_attempts = 1\n", "utf-8")
    monkeypatch.setenv("EASY_DATA_TOP_K", "2")
    monkeypatch.setenv("EASY_DATA_MAX_ATTEMPTS", "2")
    found = load_settings(top_k=3)
    assert (found.top_k, found.max_attempts, found.llm_attempts) == (3, 2, 1)


def test_a_file_can_be_named_and_must_exist_then(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = tmp_path / "other.toml"
    with pytest.raises(SettingsError, match=r"other.toml does not exist"):
        load_settings(config=other)
    other.write_text("top_k = 7\n", "utf-8")
    assert load_settings(config=other).top_k == 7
    monkeypatch.setenv("EASY_DATA_CONFIG", str(other))
    assert load_settings().top_k == 7


@pytest.mark.parametrize("text", ["top_k = ", "= 3", "\x00"])
def test_a_file_that_is_no_toml_is_refused_by_name(tmp_path: Path, text: str) -> None:
    (tmp_path / "easy_data.toml").write_text(text, "utf-8")
    with pytest.raises(SettingsError, match=r"easy_data.toml is not valid TOML"):
        load_settings()


def test_several_faults_are_told_together() -> None:
    with pytest.raises(SettingsError) as refused:
        load_settings(top_k=-1, max_attempts=0, colour="red")
    assert all(name in str(refused.value) for name in ("top_k", "max_attempts", "colour: unknown setting"))


def test_an_empty_variable_counts_as_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EASY_DATA_LLM_MODEL", "")
    assert load_settings().llm_model is None


def test_a_key_is_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EASY_DATA_LLM_API_KEY", "sk-very-secret")
    found = load_settings()
    assert found.llm_api_key is not None
    assert found.llm_api_key.get_secret_value() == "sk-very-secret"
    assert "very-secret" not in repr(found) + str(found.model_dump())


def test_every_setting_says_what_it_does() -> None:
    assert all(field.description for field in Settings.model_fields.values())


SERVICE = {"database_url": "postgresql://u:secret@h/d", "qdrant_url": "http://h:6333"}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"database_url": "postgresql://h/d"}, "with backend = postgresql only"),
        ({"backend": "postgresql"}, "needs database_url"),
        ({"backend": "postgresql", "database_url": "postgresql://h/d"}, "either qdrant_url or index_path"),
        ({"backend": "postgresql", **SERVICE, "index_path": "i"}, "either qdrant_url or index_path"),
        ({"backend": "postgresql", **SERVICE, "database_url": "mysql://u:secret@h/d"}, "must begin with postgresql://"),
        ({"backend": "postgresql", **SERVICE, "broker_url": "http://u:secret@h"}, "must begin with redis://"),
        ({"backend": "postgresql", **SERVICE, "cache_url": "amqp://u:secret@h"}, "must begin with redis://"),
        ({"backend": "postgresql", **SERVICE, "deployment": "a:b"}, "deployment"),
    ],
)
def test_addresses_that_do_not_fit_together_are_refused(given: dict[str, str], said: str) -> None:
    with pytest.raises(SettingsError, match=said) as refused:
        load_settings(**given)
    assert "secret" not in str(refused.value)


def test_passwords_in_addresses_are_not_shown() -> None:
    settings = load_settings(backend="postgresql", **SERVICE, broker_url="redis://:secret@h/0")
    assert "secret" not in repr(settings)
    assert "secret" not in settings.model_dump_json()


def test_a_child_process_gets_these_settings_of_the_service_and_no_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EASY_DATA_QDRANT_API_KEY", "of another server")
    monkeypatch.setenv("EASY_DATA_TOP_K", "7")
    made = environment_with({"broker_url": "redis://here"})
    assert (made["EASY_DATA_BROKER_URL"], made["EASY_DATA_QDRANT_API_KEY"]) == ("redis://here", "")
    assert made["EASY_DATA_TOP_K"] == "7"
