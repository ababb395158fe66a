"""Builds what talks to a paid model. Loaded only when the settings name one: the client library is heavy."""

from __future__ import annotations

from pydantic import BaseModel

from easy_data.pipeline.extraction.chat_extractor import ChatExtractor
from easy_data.pipeline.extraction.combined_extractor import CombinedExtractor
from easy_data.pipeline.extraction.pattern_extractor import PatternExtractor
from easy_data.providers.chat import OpenAIChat
from easy_data.providers.openai_embedder import OpenAIEmbedder
from easy_data.schemas.errors import SettingsError
from easy_data.schemas.ports import Embedder, Extractor
from easy_data.schemas.registry import Registry
from easy_data.schemas.settings import Settings


def build_chat_extractor(settings: Settings, registry: Registry) -> Extractor:
    """Return the extractor that asks the chat endpoint of the settings; with ``auto``, patterns read as well."""
    chat = ChatExtractor(build_chat(settings), registry, chunk_chars=settings.llm_chunk_chars)
    return chat if settings.extractor == "chat" else CombinedExtractor(chat, PatternExtractor(registry), registry)


def build_chat(settings: Settings) -> OpenAIChat:
    """Return the chat model of the settings; raise ``SettingsError`` when they name none."""
    if not (settings.llm_base_url and settings.llm_model):
        raise SettingsError("set llm_base_url and llm_model to use a chat model")
    return OpenAIChat(
        base_url=settings.llm_base_url,
        model=settings.llm_model,
        api_key=settings.llm_api_key.get_secret_value() if settings.llm_api_key else None,
        mode=settings.llm_mode,
        timeout_seconds=settings.llm_timeout_seconds,
        attempts=settings.llm_attempts,
        prompt_price=settings.llm_prompt_price,
        completion_price=settings.llm_completion_price,
    )


class Ready(BaseModel):
    """What the chat model is asked for when somebody wants to know if it can be asked."""

    ready: bool


def ask_if_ready(settings: Settings) -> None:
    """Ask the chat model of the settings one small question. Raises ``ModelError`` or ``SettingsError``."""
    chat = build_chat(settings)
    try:
        chat.ask(system="You answer in JSON.", user='Answer with {"ready": true}.', answer=Ready)
    finally:
        chat.close()


def build_openai_embedder(settings: Settings) -> Embedder:
    """Return the embedder that asks the embeddings endpoint of the settings."""
    if not (settings.embedding_base_url and settings.embedding_model and settings.embedding_size):
        raise SettingsError("set embedding_base_url, embedding_model and embedding_size to use an embeddings endpoint")
    return OpenAIEmbedder(
        base_url=settings.embedding_base_url,
        model=settings.embedding_model,
        size=settings.embedding_size,
        api_key=settings.embedding_api_key.get_secret_value() if settings.embedding_api_key else None,
    )
