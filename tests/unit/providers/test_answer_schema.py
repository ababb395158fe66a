from __future__ import annotations

from typing import Any

from pydantic import BaseModel, Field

from easy_data.providers.answer_schema import strict_schema


class Part(BaseModel):
    title: str = Field(default="", max_length=10)
    default: int | None = None


class Whole(BaseModel):
    parts: list[Part] = []


def objects(node: Any) -> list[dict[str, Any]]:
    if isinstance(node, list):
        return [found for item in node for found in objects(item)]
    if not isinstance(node, dict):
        return []
    return [node] * ("properties" in node) + [found for value in node.values() for found in objects(value)]


def test_every_property_of_every_object_is_required_and_no_other_allowed() -> None:
    found = objects(strict_schema(Whole))
    assert len(found) == 2
    for schema in found:
        assert schema["required"] == list(schema["properties"])
        assert schema["additionalProperties"] is False


def test_keywords_go_but_properties_of_the_same_name_stay() -> None:
    schema = strict_schema(Whole)
    assert "title" not in schema
    assert schema["$defs"]["Part"]["properties"] == {
        "title": {"type": "string"},
        "default": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
    }
