"""What users say in a run: made from the seed, with words that tell which conversation they come from."""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import datetime, timedelta

from bench.chaos.deployment import PAST_DAYS, Deployment

CITIES = ("Oslo", "Porto", "Leeds", "Turin", "Cork")
FOODS = ("香菜", "芹菜", "茄子")
HOBBIES = ("chess", "pottery", "archery")
MODEL_SOURCE = "model"
MODEL_SHARE = 0.12
LATE_SHARE = 0.15
LATE_DAYS = 5
DUPLICATE_SHARE = 0.1
# A conversation that kills whoever reads it, and one whose reading fails until somebody mends the reader.
POISON, BROKEN = "zzpoison", "zzbroken"


@dataclass(frozen=True)
class Talk:
    """One conversation. ``key`` is its id; ``texts`` alternate between user and assistant."""

    key: str
    entity: str
    texts: tuple[str, ...]
    source: str
    ended_at: datetime

    @property
    def messages(self) -> list[dict[str, str]]:
        roles = ("user", "assistant")
        return [{"role": roles[i % 2], "content": text} for i, text in enumerate(self.texts)]


def talks_of(deployment: Deployment, producer: int) -> list[Talk]:
    """Return everything one producer hands over, in its order."""
    numbers = range(producer, deployment.conversations, deployment.producers)
    return [_talk(deployment, number) for number in numbers]


def entities_of(deployment: Deployment) -> list[str]:
    """Return whom the conversations are about. Those with the first letter p began in the past."""
    number = max(4, deployment.conversations // 20)
    return [f"{'p' if i % 8 == 0 else 'e'}{i:03}" for i in range(number)]


def _talk(deployment: Deployment, number: int) -> Talk:
    rng = random.Random(f"{deployment.seed}/{number}")
    entities = entities_of(deployment)
    entity = rng.choice(entities)
    said = [_statement(rng, number) for _ in range(rng.randint(1, 4))]
    if deployment.poison and number in (3, 5):
        said.append(f"My hobby is {POISON if number == 3 else BROKEN}.")
    texts = tuple(text for statement in said for text in (statement, "Noted, tell me more."))
    ended_at = deployment.start + timedelta(seconds=number)
    if entity.startswith("p"):
        ended_at -= timedelta(days=PAST_DAYS)
    if rng.random() < LATE_SHARE:
        # It arrives now and is about an earlier time.
        ended_at -= timedelta(days=rng.uniform(1, LATE_DAYS))
    source = MODEL_SOURCE if rng.random() < MODEL_SHARE else "default"
    return Talk(f"s{deployment.seed}-{number:05}", entity, texts, source, ended_at)


def _statement(rng: random.Random, number: int) -> str:
    mark = f"{number:05}{rng.randint(0, 99):02}"
    return rng.choice(
        (
            f"I live in {rng.choice(CITIES)}.",
            f"I live in {rng.choice(CITIES)}.",
            f"I have a dog named Rex{mark}.",
            f"Yesterday I finished the harbour report {mark}.",
            f"昨天我完成了报告{mark}。",
            f"我不吃{rng.choice(FOODS)}。",
            f"My hobby is {rng.choice(HOBBIES)}.",
            "ok thanks",
        )
    )
