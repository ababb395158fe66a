"""Plays a story through the memory, with the embedded parts, in a folder of its own, on the story's clock."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from easy_data.cli.checking import Checked, holds
from easy_data.cli.stage import Stage
from easy_data.cli.story import QUESTION, Scene, Story, Turn
from easy_data.client.embedded import EasyMemory
from easy_data.pipeline.runtime import build_runtime
from easy_data.schemas.candidates import CandidateFate
from easy_data.schemas.recall import Context
from easy_data.schemas.settings import Settings
from easy_data.schemas.zones import zone_of


class StoryClock:
    """Tells the time of the story; each scene sets it."""

    def __init__(self, moment: datetime) -> None:
        self.moment = moment

    def now(self) -> datetime:
        """Return the present instant of the story."""
        return self.moment


def play(story: Story, stage: Stage) -> list[Checked]:
    """Play a story from an empty memory and return its checks."""
    clock = StoryClock(story.scenes[0].at)
    checked: list[Checked] = []
    stage.begin()
    with _fresh_memory(clock) as memory:
        recalled = Context(entity_id=story.entity_id, language=story.language)
        for scene in story.scenes:
            clock.moment = scene.at
            stage.scene(scene, f"{scene.at.astimezone(zone_of(story.time_zone)):%Y-%m-%d %H:%M}")
            if scene.query:
                recalled = memory.recall(story.entity_id, scene.query)
                stage.recalled(scene.query, recalled)
            if scene.turns:
                _converse(memory, story, scene, recalled, stage)
            now = [
                Checked(story.language, check.name, holds(check, memory, story.entity_id, recalled))
                for check in scene.checks
            ]
            stage.checks(now)
            checked += now
    return checked


@contextmanager
def _fresh_memory(clock: StoryClock) -> Iterator[EasyMemory]:
    """Open an empty memory on the default settings, whatever is set on this machine."""
    with TemporaryDirectory(prefix="easy-data-demo-") as folder:
        settings = Settings.model_construct(path=Path(folder) / "memory.db")
        with EasyMemory.over(build_runtime(settings, clock=clock)) as memory:
            yield memory


def _converse(memory: EasyMemory, story: Story, scene: Scene, recalled: Context, stage: Stage) -> None:
    question = recalled.questions[0].question if recalled.questions else ""
    turns = [turn.model_copy(update={"assistant": turn.assistant.replace(QUESTION, question)}) for turn in scene.turns]
    stage.said(turns)
    messages = [
        {"role": "user" if turn.user else "assistant", "content": turn.user or turn.assistant} for turn in turns
    ]
    receipt = memory.end_conversation(
        story.entity_id,
        messages,
        conversation_id=f"{story.language}-{scene.at:%Y%m%d-%H%M}",
        ended_at=scene.at,
        time_zone=story.time_zone,
    )
    fates = receipt.wait().fates
    stage.became(fates, _ignored(turns, fates))


def _ignored(turns: list[Turn], fates: tuple[CandidateFate, ...]) -> list[Turn]:
    """Return the noted sentences of the user of which nothing was even proposed."""
    proposed = {fate.turn for fate in fates}
    return [turn for place, turn in enumerate(turns) if turn.note and place not in proposed]
