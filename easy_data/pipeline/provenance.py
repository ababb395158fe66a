"""Where a candidate comes from, checked in code: its quote must stand in a turn of the user."""

from __future__ import annotations

import re

from easy_data.schemas.candidates import Candidate, RejectReason
from easy_data.schemas.conversation import Conversation
from easy_data.schemas.keys import folded

SECRET_MARK = "[secret:"  # noqa: S105 - the mark that stands in a secret's place
# The headings of recall's block; what stands below one in a message was handed out by recall.
BLOCK_HEADINGS = ("【关于用户的长期记忆】", "[Long-term memory about the user]")
# The mark behind each line of it, which nobody writes by hand: "(2026-03-02, sure)".
_BLOCK_LINE = re.compile(
    r"^.*[(（]\d{4}-\d\d-\d\d(?:, (?:sure|likely|unsure)|，(?:确定|较确定|不太确定))[)）].*$", re.MULTILINE
)
_BLOCK_END = re.compile(r"\n\s*\n")


def doubt_of(candidate: Candidate, conversation: Conversation) -> RejectReason | None:
    """Return why a candidate may not be believed, or None."""
    if "no_evidence" in candidate.flags or not candidate.quote.strip() or candidate.turn >= len(conversation.messages):
        return RejectReason.NO_EVIDENCE
    message = conversation.messages[candidate.turn]
    if "not_user" in candidate.flags or message.role != "user":
        return RejectReason.NOT_USER
    if candidate.quote not in message.content and folded(candidate.quote) not in folded(message.content):
        return RejectReason.NO_EVIDENCE
    if _was_recalled(candidate.quote, message.content):
        return RejectReason.RECALLED_TEXT
    if "not_asserted" in candidate.flags:
        return RejectReason.NOT_ASSERTED
    if any(SECRET_MARK in text for text in (candidate.value, candidate.summary, candidate.task_id)):
        return RejectReason.SECRET
    return None


def _was_recalled(quote: str, content: str) -> bool:
    if any(quote in line for line in _BLOCK_LINE.findall(content)):
        return True
    for heading in BLOCK_HEADINGS:
        start = content.find(heading)
        if start >= 0:
            end = _BLOCK_END.search(content, start)
            if quote in content[start : end.start() if end else len(content)]:
                return True
    return False
