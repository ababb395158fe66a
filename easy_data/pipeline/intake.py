"""Intake: one durable commit, then the receipt. Delivering the same conversation again changes nothing."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass

from easy_data.pipeline.normalise import normalise, read_instant, text_bytes
from easy_data.pipeline.runtime import Runtime
from easy_data.schemas.conversation import Conversation, ConversationInput, Message
from easy_data.schemas.errors import ConversationConflict, ConversationTooLarge, InputError
from easy_data.schemas.ids import Scope, checked_name, new_id
from easy_data.schemas.language import language_of
from easy_data.schemas.receipts import State
from easy_data.schemas.records import Entity
from easy_data.schemas.zones import zone_of
from easy_data.stores.repositories import conversations, entities
from easy_data.stores.repositories.conversations import InboxRow

_OTHERS = "this conversation id belongs to another entity; give each conversation an id of its own"


@dataclass(frozen=True, slots=True)
class Accepted:
    """What intake did: the inbox row's id, and if it was there before."""

    row_id: str
    duplicate: bool


def accept(given: ConversationInput, runtime: Runtime) -> Accepted:
    """Take a finished conversation in; when this returns, it is durable.

    Raises ``InputError`` (an id, zone or time that cannot be used), ``ConversationTooLarge``,
    ``ConversationConflict`` (the id is taken by another body and ``revise`` was not asked for) or ``StoreError``.
    """
    scope = runtime.scope(checked_name(given.entity_id, field="entity_id"))
    source = checked_name(given.source, field="source")
    name = (
        checked_name(given.conversation_id, field="conversation_id") if given.conversation_id is not None else new_id()
    )
    if len(given.messages) > runtime.settings.max_messages:
        raise ConversationTooLarge(
            f"{len(given.messages)} messages, intake accepts {runtime.settings.max_messages}; "
            "send it in parts or raise max_messages",
            field="messages",
        )
    _refuse_large(given, runtime)
    now = runtime.clock.now()
    # Normalising is the slow part, so it happens outside the transaction, in the zone the entity is known to have.
    with runtime.database.read() as connection:
        known = entities.find(connection, scope) or runtime.newcomer(scope.entity_id)
    draft, sha256 = _draft(given, known, scope, source=source, name=name, runtime=runtime)
    with runtime.database.write() as connection:
        entity = entities.ensure(
            connection,
            scope,
            time_zone=given.time_zone,
            language=given.language or (None if known.version or runtime.settings.language else draft.language),
            defaults=known,
            now=now,
        )
        stored = conversations.latest(connection, scope.tenant_id, source, name)
        if stored is not None:
            # A late delivery of an older revision is a repetition as well, and takes nothing back.
            same = conversations.with_body(connection, scope.tenant_id, source, name, sha256)
            if same is not None and same.scope == scope:
                conversations.count_duplicate(connection, same.id)
                return Accepted(same.id, duplicate=True)
            draft = _next_revision(draft, stored, given)
        row_id = new_id()
        added = conversations.add(
            connection,
            row_id=row_id,
            conversation=draft,
            entity_seq=entities.take_sequence(connection, scope),
            epoch=entity.erased_epoch,
            sha256=sha256,
            now=now,
            due=runtime.queue_time(connection),
        )
        if not added:
            # Another process has just accepted it, for another entity: this one's deliveries wait for each other.
            raise ConversationConflict(_OTHERS, field="conversation_id")
    runtime.reached("intake.committed")
    runtime.queue.wake(State.RECEIVED, row_id)
    return Accepted(row_id, duplicate=False)


def _next_revision(draft: Conversation, stored: InboxRow, given: ConversationInput) -> Conversation:
    if stored.scope.entity_id != draft.entity_id:
        raise ConversationConflict(_OTHERS, field="conversation_id")
    if not given.revise:
        raise ConversationConflict(
            "this id was accepted before with other messages; pass revise=True for a new revision, or a new id",
            field="conversation_id",
        )
    return draft.model_copy(update={"revision": stored.revision + 1})


def _draft(
    given: ConversationInput, known: Entity, scope: Scope, *, source: str, name: str, runtime: Runtime
) -> tuple[Conversation, str]:
    zone_name = known.time_zone if given.time_zone is None else given.time_zone
    zone = zone_of(zone_name)
    messages, notes = normalise(given.messages, zone)
    ended_at = runtime.clock.now() if given.ended_at is None else read_instant(given.ended_at, zone)
    if ended_at is None:
        raise InputError("must be a datetime, ISO 8601 text or epoch seconds", field="ended_at")
    said = " ".join(m.content[:2000] for m in messages if m.role == "user")[:20_000]
    language = given.language or language_of(said) or runtime.settings.language or known.language
    conversation = Conversation(
        tenant_id=scope.tenant_id,
        entity_id=scope.entity_id,
        source=source,
        conversation_id=name,
        messages=messages,
        ended_at=ended_at,
        time_zone=zone_name,
        language=language,
        notes=notes,
    )
    return conversation, _digest(messages)


def _digest(messages: tuple[Message, ...]) -> str:
    # Who said what; message ids and delivery times differ between deliveries of one conversation.
    body = json.dumps([[m.role, m.name, m.content] for m in messages], ensure_ascii=False)
    return hashlib.sha256(body.encode()).hexdigest()


def _refuse_large(given: ConversationInput, runtime: Runtime) -> None:
    size = sum(text_bytes(message) for message in given.messages)
    if size > runtime.settings.max_conversation_bytes:
        raise ConversationTooLarge(
            f"{size:,} bytes of text, intake accepts {runtime.settings.max_conversation_bytes:,}; "
            "send it in parts or raise max_conversation_bytes",
            field="messages",
        )
