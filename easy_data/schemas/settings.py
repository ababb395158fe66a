"""One frozen ``Settings``; the only reader of the environment.

Order, first wins: arguments, ``EASY_DATA_*`` variables, a TOML file (``EASY_DATA_CONFIG`` or ``./easy_data.toml``),
the defaults here. Unknown keys are refused in each of them.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, SecretStr, ValidationError, field_validator, model_validator
from pydantic_settings import BaseSettings, NoDecode, PydanticBaseSettingsSource, SettingsConfigDict

from easy_data.schemas.errors import SettingsError
from easy_data.schemas.ids import DEFAULT_TENANT, checked_name
from easy_data.schemas.zones import zone_of

PREFIX = "EASY_DATA_"
CONFIG_VARIABLE = "EASY_DATA_CONFIG"
TEST_PREFIX = "EASY_DATA_TEST_"
SERVICE_SETTINGS = ("database_url", "broker_url", "cache_url", "qdrant_url", "qdrant_api_key", "index_path")
URL_SCHEMES = {
    "database_url": ("postgresql", "postgresql+psycopg2"),
    "broker_url": ("redis", "rediss", "amqp", "amqps"),
    "cache_url": ("redis", "rediss"),
}


class Settings(BaseSettings):
    """Everything that can be set. Each field's description is what ``docs/settings.md`` shows."""

    model_config = SettingsConfigDict(env_prefix=PREFIX, frozen=True, extra="forbid", env_ignore_empty=True)

    # where
    backend: Literal["sqlite", "postgresql"] = Field(
        "sqlite", description="Which database keeps the rows; with postgresql, workers do the work."
    )
    path: Path = Field(Path("easy_data.db"), description="SQLite file; the vector index stands beside it.")
    tenant_id: str = Field(DEFAULT_TENANT, description="Isolation boundary of everything read and written.")
    time_zone: str = Field("UTC", description="IANA zone of entities that were given none.")
    language: Literal["zh", "en"] | None = Field(
        None, description="Language of entities that were given none; unset: read from what they say."
    )
    # the service
    database_url: SecretStr | None = Field(
        None, description="PostgreSQL, as `postgresql://user:password@host/database`."
    )
    broker_url: SecretStr | None = Field(
        None,
        description="Redis or RabbitMQ that wakes the workers; a process that has none leaves it to their sweeper.",
    )
    cache_url: SecretStr | None = Field(
        None, description="Redis for hot summaries, apart from the broker's; unset: each process keeps its own."
    )
    qdrant_url: str | None = Field(None, description="Qdrant server that keeps the vectors.")
    qdrant_api_key: SecretStr | None = Field(None, description="Key of the Qdrant server.")
    index_path: Path | None = Field(
        None, description="Folder of an index inside the one process that opens it, in place of a Qdrant server."
    )
    deployment: str = Field(
        "easy-data",
        pattern=r"^[A-Za-z0-9_-]{1,40}$",
        description="Prefix of every key in Redis and every collection, so that installations can share a server.",
    )
    # write policy
    auto_extract: bool = Field(True, description="Read conversations when they end; off: keep them, extract nothing.")
    extractor: Literal["auto", "patterns", "chat"] = Field(
        "auto", description="Who reads conversations; auto: patterns, and the chat model too when one is set."
    )
    confidence_threshold: float = Field(0.6, ge=0, le=1, description="From here on a candidate is written unseen.")
    review_floor: float = Field(0.3, ge=0, le=1, description="Below this a candidate is rejected, not reviewed.")
    protect_threshold: float = Field(
        0.8, ge=0, le=1, description="A memory this sure is never replaced without the user's confirmation."
    )
    keep_sensitive: bool = Field(
        False, description="Keep sensitive attributes (health, contact data) that conversations mention."
    )
    event_retention_days: int = Field(90, ge=1, description="Days after which low-value events lose their detail.")
    low_value_events: Annotated[tuple[str, ...], NoDecode] = Field(
        ("conversation_turn", "info_learned", "plan", "remark"),
        description="Event types that lose their detail then, separated by commas; the others only by confidence.",
    )
    low_value_confidence: float = Field(
        0.6, ge=0, le=1, description="An event less sure than this is of low value, whatever its type."
    )
    max_value_chars: int = Field(4000, ge=100, description="Longest attribute value or event summary; longer: refused.")
    flood_conversations: int = Field(
        120, ge=0, description="Conversations of one entity in an hour after which all it says waits in review; 0: off."
    )
    # intake limits
    max_conversation_bytes: int = Field(
        20_000_000, ge=10_000, description="Largest conversation intake accepts, in UTF-8 bytes of text."
    )
    max_messages: int = Field(20_000, ge=1, description="Most messages of one conversation.")
    # retries
    max_attempts: int = Field(5, ge=1, description="Attempts at one conversation before it becomes a dead letter.")
    retry_seconds: float = Field(5.0, gt=0, description="Wait before the second attempt; doubles each time.")
    lease_seconds: float = Field(300.0, gt=0, description="How long a claimed conversation is left to its worker.")
    # recall
    top_k: int = Field(5, ge=0, le=100, description="Memories a recall returns when the call names no number.")
    recency_weight: float = Field(0.3, ge=0, le=1, description="Share of freshness in the rank; 0: relevance alone.")
    recall_log_days: int = Field(30, ge=1, description="Days the recall log is kept.")
    transcript_days: int = Field(90, ge=1, description="Days a settled conversation's text is kept as evidence.")
    ledger_days: int = Field(400, ge=1, description="Days the record of maintenance windows is kept.")
    # models
    llm_base_url: str | None = Field(None, description="OpenAI-compatible chat endpoint; unset: patterns only.")
    llm_model: str | None = Field(None, description="Chat model's name.")
    llm_api_key: SecretStr | None = Field(None, description="Key of the chat endpoint.")
    llm_mode: Literal["auto", "json_schema", "json_object", "prompt"] = Field(
        "auto", description="How the endpoint is asked for structured output; auto: detected once."
    )
    llm_timeout_seconds: float = Field(60.0, gt=0, description="Time limit of one chat call.")
    llm_attempts: int = Field(3, ge=1, description="Calls to the chat endpoint in one attempt at a conversation.")
    llm_chunk_chars: int = Field(12_000, ge=1000, description="Most characters of dialogue in one prompt.")
    llm_daily_tokens: int | None = Field(
        None,
        ge=1,
        description="Tokens of chat calls after which patterns alone read, for one tenant until 00:00 UTC; unset: none.",
    )
    llm_prompt_price: float = Field(0.0, ge=0, description="Price of a million prompt tokens, for the cost record.")
    llm_completion_price: float = Field(0.0, ge=0, description="Price of a million completion tokens.")
    embedder: Literal["local", "openai"] = Field("local", description="Who turns text into vectors.")
    embedding_base_url: str | None = Field(None, description="OpenAI-compatible embeddings endpoint.")
    embedding_model: str | None = Field(None, description="Embedding model's name.")
    embedding_size: int | None = Field(None, ge=1, description="Dimensions of the embedding model.")
    embedding_api_key: SecretStr | None = Field(None, description="Key of the embeddings endpoint.")

    @field_validator("time_zone")
    @classmethod
    def _known_zone(cls, value: str) -> str:
        zone_of(value)
        return value

    @field_validator("path")
    @classmethod
    def _one_file(cls, value: Path) -> Path:
        if not value.name or "\0" in str(value) or str(value) == ":memory:":
            raise ValueError("must name a file: a memory is kept on disk")
        if value.is_dir():
            raise ValueError("is a folder; name a file in it")
        # The lock and the index stand beside the file itself, whatever name it was opened by.
        return value.resolve() if value.is_symlink() else value

    @field_validator("tenant_id")
    @classmethod
    def _usable_tenant(cls, value: str) -> str:
        return checked_name(value, field="tenant_id")

    @field_validator("low_value_events", mode="before")
    @classmethod
    def _names(cls, value: object) -> object:
        return tuple(name.strip() for name in value.split(",") if name.strip()) if isinstance(value, str) else value

    @model_validator(mode="after")
    def _consistent(self) -> Settings:
        if not self.review_floor <= self.confidence_threshold:
            raise ValueError("review_floor must not be above confidence_threshold")
        if bool(self.llm_base_url) != bool(self.llm_model):
            raise ValueError("llm_base_url and llm_model must be set together")
        if self.extractor == "chat" and not self.llm_base_url:
            raise ValueError("extractor = chat needs llm_base_url and llm_model")
        if self.embedder == "openai" and not (self.embedding_base_url and self.embedding_model and self.embedding_size):
            raise ValueError("embedder = openai needs embedding_base_url, embedding_model and embedding_size")
        self._check_service()
        return self

    def _check_service(self) -> None:
        if self.backend == "sqlite":
            given = [name for name in SERVICE_SETTINGS if getattr(self, name) is not None]
            if given:
                raise ValueError(f"{', '.join(given)} can be set with backend = postgresql only")
            return
        if self.database_url is None:
            raise ValueError("backend = postgresql needs database_url")
        if (self.qdrant_url is None) == (self.index_path is None):
            raise ValueError("backend = postgresql needs either qdrant_url or index_path")
        for name, schemes in URL_SCHEMES.items():
            url = getattr(self, name)
            scheme = url.get_secret_value().partition("://")[0] if url else schemes[0]
            if scheme not in schemes:
                raise ValueError(f"{name} must begin with {' or '.join(f'{each}://' for each in schemes)}")

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Keep arguments and the environment; ``load_settings`` adds the file."""
        del settings_cls, dotenv_settings, file_secret_settings
        return (init_settings, env_settings)


def load_settings(*, config: Path | None = None, **arguments: Any) -> Settings:
    """Read the settings once. Raises ``SettingsError`` naming each wrong or unknown key and where it stands."""
    _refuse_unknown_variables()
    given = os.environ.get(CONFIG_VARIABLE)
    file = config or (Path(given) if given else Path("easy_data.toml"))
    from_file = _read_file(file, required=config is not None or given is not None)
    from_environment = {name for name in Settings.model_fields if os.environ.get(PREFIX + name.upper())}
    merged = {k: v for k, v in from_file.items() if k not in from_environment}
    merged |= {k: v for k, v in arguments.items() if v is not None}
    try:
        return Settings(**merged)
    except ValidationError as error:
        raise SettingsError(_explain(error)) from None


def environment_with(values: Mapping[str, str]) -> dict[str, str]:
    """Return the environment for a child process: this one's, with these settings and no others of the service."""
    others = {PREFIX + name.upper(): "" for name in SERVICE_SETTINGS}
    return os.environ | others | {PREFIX + name.upper(): value for name, value in values.items()}


def _refuse_unknown_variables() -> None:
    known = {PREFIX + name.upper() for name in Settings.model_fields} | {CONFIG_VARIABLE}
    unknown = sorted(
        name
        for name in os.environ
        if name.startswith(PREFIX) and name not in known and not name.startswith(TEST_PREFIX)
    )
    if unknown:
        raise SettingsError(f"unknown environment variable {', '.join(unknown)}; see docs/settings.md for the names")


def _read_file(path: Path, *, required: bool) -> dict[str, Any]:
    if not path.is_file():
        if required:
            raise SettingsError(f"the settings file {path} does not exist")
        return {}
    try:
        found = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path} is not valid TOML: {error}") from None
    unknown = sorted(set(found) - set(Settings.model_fields))
    if unknown:
        raise SettingsError(f"{path}: unknown key {', '.join(unknown)}; see docs/settings.md for the names")
    return found


def _explain(error: ValidationError) -> str:
    # The values are left out on purpose: one of them may be a key.
    parts = []
    for problem in error.errors(include_input=False, include_url=False):
        where = ".".join(str(step) for step in problem["loc"]) or "settings"
        what = (
            "unknown setting" if problem["type"] == "extra_forbidden" else problem["msg"].removeprefix("Value error, ")
        )
        parts.append(f"{where}: {what}")
    return "; ".join(parts)
