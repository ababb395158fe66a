"""A chat extractor with its real client, and the scripted endpoint it asks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import stamina

from easy_data.pipeline.extraction.chat_extractor import ChatExtractor
from easy_data.providers.chat import OpenAIChat
from easy_data.schemas.registry import Registry
from tests.fixtures.chat_answers import NOTHING, Extract
from tests.fixtures.scripted_openai import ScriptedOpenAI


@pytest.fixture
def server() -> Iterator[ScriptedOpenAI]:
    with ScriptedOpenAI(default=NOTHING) as server:
        yield server


@pytest.fixture
def extractor(server: ScriptedOpenAI) -> Iterator[Extract]:
    chat = OpenAIChat(base_url=server.base_url, model="scripted-1", attempts=2, prompt_price=1.0)

    def build(**arguments: Any) -> ChatExtractor:
        return ChatExtractor(chat, arguments.pop("registry", Registry()), **arguments)

    with stamina.set_testing(True, attempts=2, cap=True):  # retries do not wait
        yield build
    chat.close()
