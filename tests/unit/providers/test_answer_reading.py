from __future__ import annotations

import json

import pytest
from pydantic import BaseModel

from easy_data.providers.answer_reading import encodable, read_answer
from easy_data.schemas.errors import ModelAnswerUnreadable


class Memory(BaseModel):
    text: str


class Memories(BaseModel):
    memories: list[Memory]


TEA = {"memories": [{"text": "喜欢 tea {oolong}"}]}
PLAIN = json.dumps(TEA, ensure_ascii=False)


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(PLAIN, id="plain"),
        pytest.param(f"```json\n{PLAIN}\n```", id="fenced with a tag"),
        pytest.param(f"```\n{PLAIN}\n```", id="fenced without a tag"),
        pytest.param(f"Here you are:\n{PLAIN}\nAnything else?", id="sentences around"),
        pytest.param(f"\ufeff{PLAIN[:-2]},]}}", id="BOM and trailing comma"),
        pytest.param(f"<think>is {{it}} tea?</think>\n{PLAIN}", id="thoughts"),
        pytest.param(f"it must be tea</think>{PLAIN}", id="thoughts whose beginning is lost"),
        pytest.param(f"<think>hm</think>Sure:\n```json\n{PLAIN}\n```\nDone.", id="all of it"),
    ],
)
def test_wrapping_does_not_change_what_is_read(answer: str) -> None:
    """O-40."""
    assert read_answer(answer, Memories).value.model_dump() == TEA


def test_a_repaired_answer_is_told_from_a_clean_one() -> None:
    assert not read_answer(PLAIN, Memories).repaired
    assert read_answer(f"{PLAIN[:-2]},]}}", Memories).repaired


def test_marks_inside_a_string_are_text() -> None:
    text = "said ```x``` and <think>no</think>"
    assert read_answer(json.dumps({"memories": [{"text": text}]}), Memories).value.memories[0].text == text


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param("I have read the conversation and will now record three facts.", id="announcement"),
        pytest.param("", id="nothing"),
        pytest.param("[1, 2]", id="a list"),
        pytest.param('{"memories": [{"text": "a"}, {"text": "b', id="cut in a string"),
        pytest.param('{"memories": [{"text": "a"}, {"text"', id="cut in a key"),
        pytest.param("<think>" + PLAIN, id="thoughts without an end"),
        pytest.param('{"memories": ' + "[" * 100_000, id="nested without an end"),
        pytest.param('{"memories": ' + "[" * 900 + "]" * 900 + "}", id="nested deeply"),
    ],
)
def test_an_answer_without_the_whole_object_is_unreadable_and_kept(answer: str) -> None:
    """O-39."""
    with pytest.raises(ModelAnswerUnreadable) as caught:
        read_answer(answer, Memories)
    assert caught.value.answer == answer


def test_the_complaint_names_the_place_and_holds_no_text_of_the_answer() -> None:
    with pytest.raises(ModelAnswerUnreadable) as caught:
        read_answer('{"memories": [{"text": 7}, {"note": "Maribel"}]}', Memories)
    assert "memories.0.text" in str(caught.value)
    assert "memories.1.text" in str(caught.value)
    assert "Maribel" not in str(caught.value)


def test_lone_surrogates_become_replacement_characters_and_are_counted() -> None:
    """O-41."""
    reading = read_answer('{"memories": [{"text": "likes \\ud83d tea \\udc00"}, {"text": "\\ud83c\\udf75"}]}', Memories)
    assert [memory.text for memory in reading.value.memories] == ["likes \ufffd tea \ufffd", "\U0001f375"]
    assert reading.replaced == 2


def test_characters_that_databases_refuse_are_replaced() -> None:
    """O-42."""
    reading = read_answer('{"memories": [{"text": "blue\\u0000heron\\n"}]}', Memories)
    assert reading.value.memories[0].text == "blue\ufffdheron\n"


def test_an_answer_of_a_megabyte_is_read() -> None:
    many = {"memories": [{"text": "x" * 100} for _ in range(10_000)]}
    assert len(read_answer(json.dumps(many), Memories).value.memories) == 10_000


def test_encodable_text_keeps_its_length() -> None:
    assert encodable("a\ud83db\x00\tc") == "a\ufffdb\ufffd\tc"
