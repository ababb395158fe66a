"""Cases of finding: every script, every sign, every id, and the order of time."""

from __future__ import annotations

import unicodedata
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from easy_data import EasyMemory
from easy_data.schemas.errors import InputError
from easy_data.schemas.records import EventRecord
from tests.fixtures.memories import Build
from tests.fixtures.outages import BreakableEmbedder, BreakableIndex
from tests.fixtures.talk import facts, stored, tell

SCRIPTS = [
    ("배포는 금요일에 하지 않는다", "금요일에"),
    ("Пароль меняю раз в квартал", "пароль"),
    ("أفضل القهوة بدون سكر", "القهوة"),
    ("אני גר בחיפה", "בחיפה"),
    ("ฉันชอบดื่มชาเย็น", "ชาเย็น"),
    ("She orders a café crème", unicodedata.normalize("NFD", "crème")),
    (unicodedata.normalize("NFD", "He orders a naïve latte"), "naïve"),
    ("🌶️ okay", "okay"),
    ("İstanbul is home", "istanbul"),
    ("周末在苏州的花店帮忙", "花店"),
]


@pytest.mark.parametrize("without", ["embedder", "index"])
def test_words_of_every_script_are_found_without_vectors(build: Build, without: str) -> None:
    """O-49."""
    runtime = build()
    embedder, index = BreakableEmbedder(runtime.embedder), BreakableIndex(runtime.index)
    with EasyMemory.over(replace(runtime, embedder=embedder, index=index)) as memory:
        memory.write_events(
            EventRecord(entity_id="ann", event_type="info_learned", summary=text) for text, _ in SCRIPTS
        )
        assert memory.flush(30)
        embedder.down, index.down = without == "embedder", without == "index"
        for text, word in SCRIPTS:
            context = memory.recall("ann", word)
            assert context.degraded
            assert context.memories, word
            assert context.memories[0].record.summary == unicodedata.normalize("NFC", text)  # type: ignore[union-attr]


def test_signs_that_some_query_languages_read_are_plain_text(memory: EasyMemory) -> None:
    """O-50."""
    said = ("discount of 100%", "100 euros", "file_name", "filename", "折扣100%", "a'); DROP TABLE events; --")
    memory.write_events(EventRecord(entity_id="ann", event_type="info_learned", summary=text) for text in said)
    for query, first in (("100%", "discount of 100%"), ("file_name", "file_name"), ("折扣100%", "折扣100%")):
        assert memory.search_events("ann", query)[0].text.startswith(first), query
    for query in ("%", "_", "' OR 1=1 --", '"', "*", "(", "\\", "a AND (b OR"):
        memory.recall("ann", query)
    assert len(memory.events("ann")) == len(said)


ACCEPTED = [
    "6b0c1a52-6a3b-4d43-9c2b-1f0f3a4f7a10",
    "a:b",
    "org/7",
    "zoë",
    "x y",
    "null",
    "0",
    "../etc",
    "张伟",
    "100%_",
]
REFUSED = ["x" * 300, "", "  ", "a\nb", "a\x00b", "\ud800"]


def test_an_id_works_everywhere_or_nowhere(memory: EasyMemory) -> None:
    """O-51."""
    for number, name in enumerate(ACCEPTED):
        memory.write_profile(entity_id=name, attr_name="location", attr_value=f"Town{number}")
        tell(memory, "I have two cats.", entity=name, conversation_id=name, source=name)
        memory.save_workspace(entity_id=name, task_id=name, summary="the report", state={"next": "chapter 2"})
    for number, name in enumerate(ACCEPTED):
        assert facts(memory, name)["location"] == {f"Town{number}"}
        recalled = memory.recall(name, "where do they live? which pets? what about the report?", top_k=10)
        assert {hit.record.entity_id for hit in recalled.memories} == {name}
        assert memory.load_workspace(name, name) is not None
        assert len(list(memory.export(name))) > 3
    memory.forget(ACCEPTED[0], everything=True)
    for name in ACCEPTED[1:]:
        assert len(stored(memory, name)) == 3
        memory.forget(name, everything=True)
        assert set(memory.verify_erasure(name).values()) == {0}


@pytest.mark.parametrize("name", REFUSED, ids=["long", "empty", "blank", "line", "nul", "surrogate"])
def test_an_id_that_is_refused_is_refused_everywhere(memory: EasyMemory, name: str) -> None:
    """O-51."""
    for call in (
        lambda: memory.end_conversation(name, []),
        lambda: memory.end_conversation("ann", [], conversation_id=name),
        lambda: memory.end_conversation("ann", [], source=name),
        lambda: memory.write_profile(entity_id=name, attr_name="location", attr_value="Oslo"),
        lambda: memory.write_event(entity_id=name, event_type="info_learned", summary="x"),
        lambda: memory.save_workspace(entity_id="ann", task_id=name),
        lambda: memory.recall(name, "x"),
        lambda: memory.search_profile(name, "x"),
        lambda: memory.profile(name),
        lambda: memory.summary(name),
        lambda: memory.load_workspace("ann", name),
        lambda: memory.forget(name, everything=True),
    ):
        with pytest.raises(InputError, match=r"entity_id|conversation_id|source|task_id"):
            call()
    assert list(memory.export()) == []


def test_recent_means_recent_and_pages_show_everything_once(memory: EasyMemory) -> None:
    """O-58."""
    start = datetime(2026, 3, 1, tzinfo=UTC)
    moments = [start + timedelta(hours=number) for number in range(25)] + [start + timedelta(hours=24)] * 5
    written = memory.write_events(
        EventRecord(entity_id="ann", event_type="conversation_turn", summary=f"note {number}", happened_at=moment)
        for number, moment in enumerate(moments)
    )
    newest = memory.events("ann", limit=5)
    assert {e.happened_at for e in newest} == {start + timedelta(hours=24)}
    seen, page = [], memory.events("ann", limit=4)
    while page:
        seen += page
        page = memory.events("ann", limit=4, before=page[-1])
    assert [e.happened_at for e in seen] == sorted(moments, reverse=True)
    assert sorted(e.id for e in seen) == sorted(str(w.memory_id) for w in written)
