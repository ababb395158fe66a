"""Facts about people found in two-person conversations that the patterns were not written for, without a model.

    python bench/persona.py --data ../shared/data/locomo/locomo_dev.json --sample 100 --seed 1

reads the LoCoMo conversations (https://github.com/snap-research/locomo), each session once with either speaker as the
user and the other as the assistant. It prints how many facts were found in 100 user turns, then a random sample of them
as JSON lines, each with its quote and the turn before, to be judged by a person.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from easy_data.pipeline.extraction.pattern_extractor import PatternExtractor
from easy_data.schemas.candidates import Candidate, Certainty, Change
from easy_data.schemas.conversation import Conversation, Message
from easy_data.schemas.records import Bucket
from easy_data.schemas.registry import Registry

_SESSION = re.compile(r"session_\d+")


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--data", type=Path, required=True, help="conversations in LoCoMo's published form")
    arguments.add_argument("--sample", type=int, default=100, help="how many facts to print")
    arguments.add_argument("--seed", type=int, default=1, help="which sample")
    given = arguments.parse_args()
    extractor = PatternExtractor(Registry())
    user_turns = 0
    found: list[dict[str, str]] = []
    for conversation in conversations(json.loads(given.data.read_text(encoding="utf-8"))):
        user_turns += sum(message.role == "user" for message in conversation.messages)
        candidates = extractor.extract(conversation).candidates
        found += [shown(candidate, conversation) for candidate in candidates if is_fact(candidate)]
    rate = 100 * len(found) / user_turns
    print(f"{len(found)} facts in {user_turns} user turns: {rate:.1f} in 100 turns", file=sys.stderr)
    for row in random.Random(given.seed).sample(found, min(given.sample, len(found))):
        print(json.dumps(row, ensure_ascii=False))


def conversations(data: list[dict[str, Any]]) -> Iterator[Conversation]:
    """Yield each session twice, once with either speaker as the user."""
    for number, item in enumerate(data):
        talk = item.get("conversation", item)
        sessions = [name for name in talk if _SESSION.fullmatch(name)]
        for user in (talk["speaker_a"], talk["speaker_b"]):
            for name in sessions:
                messages = tuple(
                    Message(role="user" if turn["speaker"] == user else "assistant", content=turn["text"])
                    for turn in talk[name]
                )
                yield Conversation(
                    tenant_id="bench",
                    entity_id=user,
                    source="locomo",
                    conversation_id=f"{number}/{user}/{name}",
                    messages=messages,
                    ended_at=datetime(2023, 6, 1, 12, tzinfo=UTC),
                    time_zone="UTC",
                    language="en",
                )


def is_fact(candidate: Candidate) -> bool:
    """Tell if the candidate would be written to the profile as it stands."""
    return (
        candidate.bucket is Bucket.PROFILE
        and not candidate.flags
        and candidate.certainty in (Certainty.STATED, Certainty.CONFIRMED)
        and candidate.change not in (Change.PAST, Change.ENDED)
    )


def shown(candidate: Candidate, conversation: Conversation) -> dict[str, str]:
    """Return what a person needs to judge the fact."""
    before = conversation.messages[candidate.turn - 1].content if candidate.turn else ""
    value = candidate.value if candidate.polarity > 0 else f"not {candidate.value}"
    return {
        "user": conversation.entity_id,
        "fact": f"{candidate.attr_name} = {value}",
        "quote": candidate.quote,
        "turn": conversation.messages[candidate.turn].content,
        "before": before,
    }


if __name__ == "__main__":
    main()
