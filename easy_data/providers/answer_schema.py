"""The JSON schema of an answer, as endpoints with strict structured output want it."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

# Keywords that strict mode refuses or that only cost tokens; pydantic checks them when the answer is read.
_DROPPED = frozenset({"title", "default", "minLength", "maxLength", "minItems", "maxItems", "minimum", "maximum"})
_BY_NAME = frozenset({"properties", "$defs"})  # their keys are names, not keywords


def strict_schema(answer: type[BaseModel]) -> dict[str, Any]:
    """Return the schema of ``answer`` with every property required and no others allowed.

    Rules: https://platform.openai.com/docs/guides/structured-outputs, "Supported schemas".
    """
    return _strict_object(answer.model_json_schema())


def _strict(node: object) -> object:
    if isinstance(node, list):
        return [_strict(item) for item in node]
    return _strict_object(node) if isinstance(node, dict) else node


def _strict_object(schema: dict[str, Any]) -> dict[str, Any]:
    kept = {
        key: {name: _strict(part) for name, part in value.items()} if key in _BY_NAME else _strict(value)
        for key, value in schema.items()
        if key not in _DROPPED
    }
    if "properties" in kept:
        kept["required"] = list(schema["properties"])
        kept["additionalProperties"] = False
    return kept
