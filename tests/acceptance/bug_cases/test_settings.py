"""Cases of settings: each is read, and a misspelt one is refused."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import easy_data
from easy_data.schemas.candidates import Fate
from easy_data.schemas.errors import ConversationTooLarge, InputError, SettingsError
from easy_data.schemas.receipts import Outcome
from easy_data.schemas.records import Bucket
from easy_data.schemas.settings import Settings
from tests.fixtures.meanings import Meanings, fact
from tests.fixtures.memories import Open
from tests.fixtures.talk import facts, tell, user


def test_every_setting_is_read_somewhere() -> None:
    """O-21."""
    package = Path(easy_data.__file__).parent
    source = "".join(
        file.read_text("utf-8") for file in package.rglob("*.py") if file != package / "schemas" / "settings.py"
    )
    unread = {name for name in Settings.model_fields if not re.search(rf"(?:settings|chosen)\.{name}\b", source)}
    assert unread == set()


@pytest.mark.parametrize("how", ["argument", "environment", "file"])
def test_a_misspelt_setting_is_refused_at_the_start(
    open_memory: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    """O-21."""
    settings: dict[str, Any] = {}
    if how == "argument":
        settings["confidence_treshold"] = 0.5
    elif how == "environment":
        monkeypatch.setenv("EASY_DATA_CONFIDENCE_TRESHOLD", "0.5")
    else:
        settings["config"] = tmp_path / "easy_data.toml"
        settings["config"].write_text("confidence_treshold = 0.5\n", "utf-8")
    with pytest.raises(SettingsError, match=r"(?i)confidence_treshold"):
        open_memory(**settings)


def test_thresholds_move_a_candidate_between_its_fates(open_memory: Open, tmp_path: Path) -> None:
    """O-21: confidence_threshold, review_floor, protect_threshold, keep_sensitive, auto_extract."""
    says = Meanings(
        {
            "perhaps jazz": fact("music_preference", "jazz", certainty="hedged"),
            "Oslo": fact("location", "Oslo", confidence=0.7),
            "now Rome": fact("location", "Rome", change="changed"),
            "asthma": fact("health_condition", "asthma"),
        }
    )

    def fates(*texts: str, **settings: Any) -> list[Fate]:
        memory = open_memory(path=tmp_path / f"{len(list(tmp_path.iterdir()))}.db", extractor=says, **settings)
        return [f.fate for text in texts for f in tell(memory, text).fates]

    assert fates("perhaps jazz") == [Fate.QUEUED]
    assert fates("perhaps jazz", confidence_threshold=0.5) == [Fate.WRITTEN]
    assert fates("perhaps jazz", review_floor=0.55) == [Fate.REJECTED]
    assert fates("Oslo", "now Rome") == [Fate.WRITTEN, Fate.WRITTEN]
    assert fates("Oslo", "now Rome", protect_threshold=0.65) == [Fate.WRITTEN, Fate.QUEUED]
    assert fates("asthma") == [Fate.REJECTED]
    assert fates("asthma", keep_sensitive=True) == [Fate.WRITTEN]
    assert fates("Oslo", auto_extract=False) == []


def test_limits_are_where_they_are_set(open_memory: Open) -> None:
    """O-21: max_messages, max_conversation_bytes, max_value_chars, top_k, time_zone, language."""
    memory = open_memory(
        max_messages=2,
        max_conversation_bytes=10_000,
        max_value_chars=100,
        top_k=1,
        time_zone="Asia/Tokyo",
        language="zh",
    )
    with pytest.raises(ConversationTooLarge, match="messages: 3 messages, intake accepts 2"):
        memory.end_conversation("ann", [user("hi")] * 3)
    with pytest.raises(ConversationTooLarge, match="raise max_conversation_bytes"):
        memory.end_conversation("ann", [user("长" * 5000)])
    with pytest.raises(InputError, match="at most 100 are kept"):
        memory.write_profile(entity_id="ann", attr_name="hobby", attr_value="x" * 101)
    for value in ("chess", "sailing"):
        memory.write_profile(entity_id="ann", attr_name="hobby", attr_value=value)
    context = memory.recall("ann", "hobbies", buckets=[Bucket.PROFILE])
    assert (len(context.memories), context.language) == (1, "zh")
    assert tell(memory, "hi").outcome is Outcome.EMPTY
    memory.write_event(entity_id="ann", event_type="plan", summary="exam", happened_at="2026-01-01T00:00:00")
    assert memory.events("ann")[0].happened_at.isoformat() == "2025-12-31T15:00:00+00:00"  # type: ignore[union-attr]
    assert facts(memory) == {"hobby": {"chess", "sailing"}}
