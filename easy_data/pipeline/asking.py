"""Tells whether what the assistant said asks the user for a waiting change, and not merely for something like it."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from easy_data.pipeline.extraction.pattern_extractor import PatternExtractor
from easy_data.schemas.conversation import Conversation, Message
from easy_data.schemas.keys import bare_value, folded
from easy_data.schemas.records import Language
from easy_data.schemas.registry import Registry
from easy_data.schemas.review import ReviewItem

_ASKS = re.compile(r"[?？]|(?:吗|呢|对不对|是不是)\s*$")
_SENTENCE = re.compile(r"[^.!?。！？\n]+[.!?。！？]*")
# Values this short are in a text by chance.
_MIN_VALUE_CHARS = 2
# "Is it Berlin now?": nothing but the value is asked for.
_BARE = re.compile(
    r"^(?:so|and|is|it|are|you|now|still|then|right|correct|that|the|a|in|really|s"
    r"|那|那么|所以|现在|是|还是|就是|了|吗|呢|对吗|对不对|是不是|您|你|的|\s)*$"
)
# A question about the user, turned into what the user would have said.
_TURNED: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"\b(?:do|did|would) you\b", re.IGNORECASE), "I"),
    (re.compile(r"\b(?:are|were) you\b|\byou are\b|\byou're\b", re.IGNORECASE), "I am"),
    (re.compile(r"\bhave you\b|\byou have\b|\byou've\b", re.IGNORECASE), "I have"),
    (re.compile(r"\bis your\b", re.IGNORECASE), "my"),
    (re.compile(r"\byour\b", re.IGNORECASE), "my"),
    (re.compile(r"\byou\b", re.IGNORECASE), "I"),
    (re.compile("您|你"), "我"),
    (re.compile("是不是|是否"), "是"),
    (re.compile(r"(?:吗|呢|对吗|对不对)?\s*[?？]"), "."),
)


def asks_for(text: str, item: ReviewItem, registry: Registry) -> bool:
    """Tell if a text of the assistant asks for the change that waits.

    It does when it holds the item's own question; when it names the proposed value and the present one; when it asks
    for the bare value; or when, turned into a statement of the user's, it says the proposed value of that attribute.
    "Shall I book a hotel in Berlin?" therefore does not ask whether the user lives there.
    """
    if not _ASKS.search(text):
        return False
    if item.question and folded(item.question) in folded(text):
        return True
    proposed = str(item.proposed.get("attr_value") or item.proposed.get("summary") or "")
    if not mentions(text, proposed):
        return False
    if item.current is not None and mentions(text, str(item.current.get("attr_value") or "")):
        return True
    asking = [s for s in _SENTENCE.findall(text) if mentions(s, proposed)]
    return any(_is_bare(s, proposed) or _says(s, item, proposed, registry) for s in asking)


def mentions(text: str, value: str) -> bool:
    """Tell if a text names a value."""
    wanted = bare_value(value) if value else ""
    return len(wanted) >= _MIN_VALUE_CHARS and wanted in folded(text)


def _is_bare(sentence: str, value: str) -> bool:
    return _BARE.match(folded(sentence).replace(bare_value(value), " ")) is not None


def _says(sentence: str, item: ReviewItem, value: str, registry: Registry) -> bool:
    for pattern, words in _TURNED:
        sentence = pattern.sub(words, sentence)
    language: Language = "zh" if "我" in sentence else "en"
    said = Conversation(
        tenant_id="",
        entity_id="",
        source="",
        conversation_id="",
        messages=(Message(role="user", content=sentence.strip()),),
        ended_at=datetime(2000, 1, 1, tzinfo=UTC),
        time_zone="UTC",
        language=language,
    )
    found = PatternExtractor(registry).extract(said).candidates
    return any(each.attr_name == item.attr_name and mentions(each.value, value) for each in found if each.attr_name)
