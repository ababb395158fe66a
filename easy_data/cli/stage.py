"""Shows a story on the terminal: what is said, what became of it, and if each check holds."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
from rich.panel import Panel
from rich.text import Text

from easy_data.cli.checking import Checked
from easy_data.cli.output import Output
from easy_data.cli.story import Scene, Story, Turn
from easy_data.schemas.candidates import CandidateFate, Fate
from easy_data.schemas.recall import Context

_STYLES = {Fate.QUEUED: "yellow", Fate.REJECTED: "red"}
_KEPT = "green"
WIDTH = 100
INDENT = 6


class Stage:
    """Prints the scenes of one story. What is shown comes from the memory, the captions from the story."""

    def __init__(self, story: Story, output: Output) -> None:
        self._story = story
        self._output = output
        self._output.width = min(WIDTH, output.width)

    def begin(self) -> None:
        """Show the title."""
        self._output.print()
        self._output.rule(Text(self._story.title, "bold"), characters="═")

    def scene(self, scene: Scene, local_time: str) -> None:
        """Show where in the story we are."""
        self._output.print()
        self._output.print(Text.assemble((scene.title, "bold"), (f"  {local_time}", "dim")))
        if scene.tells:
            self._output.print(Text(scene.tells, "dim"))

    def recalled(self, query: str, context: Context) -> None:
        """Show a query and the block that the prompt gets."""
        words = self._story.words
        self._output.print(Text.assemble((f"{words['query']} ", "dim"), query))
        text = context.text or words["nothing"]
        self._output.print(Panel(text, title=words["recalled"], title_align="left", style="cyan"))

    def said(self, turns: Sequence[Turn]) -> None:
        """Show a conversation."""
        words = self._story.words
        for turn in turns:
            who, text, style = (
                (words["user"], turn.user, "") if turn.user else (words["assistant"], turn.assistant, "dim")
            )
            self._hang(Text(f"  {who} ", "bold" if turn.user else "dim"), Text(text, style))

    def became(self, fates: Sequence[CandidateFate], ignored: Sequence[Turn]) -> None:
        """Show each candidate's end with the words it rests on, and what was not even proposed."""
        self._output.print(Text(self._story.words["became"], "bold"))
        for fate in fates:
            style = _STYLES.get(fate.fate, _KEPT)
            reason = self._story.reasons.get(fate.reason, fate.reason)
            where = f" → {self._story.buckets[fate.bucket]}" if fate.memory_id and fate.fate is not Fate.QUEUED else ""
            label = self._story.fates[fate.fate] + where + (f" ({reason})" if reason else "")
            self._end("●", style, f"{label}  ", fate.what, fate.quote)
        for turn in ignored:
            self._end("○", "red", self._story.words["ignored"].format(note=turn.note), "", turn.user)

    def _end(self, mark: str, style: str, label: str, what: str, quote: str) -> None:
        line = Text.assemble((label, style), what)
        if quote not in what:
            words = f"← {quote}"
            # Words that do not fit beside go on a line of their own.
            fits = line.cell_len + cell_len(words) + INDENT <= self._output.width
            line.append(f"{'  ' if fits else chr(10)}{words}", "dim")
        self._hang(Text(f"  {mark} ", style), line)

    def _hang(self, head: Text, text: Text) -> None:
        """Print a text whose further lines begin under its first word."""
        for place, line in enumerate(text.wrap(self._output, self._output.width - head.cell_len)):
            line.rstrip()
            self._output.print(Text.assemble(head if place == 0 else " " * head.cell_len, line))

    def checks(self, checked: Sequence[Checked]) -> None:
        """Show which checks hold."""
        for check in checked:
            mark, style = ("✓", "bold green") if check.ok else ("✗", "bold red")
            self._output.print(Text.assemble((f"  {mark} ", style), check.name))
