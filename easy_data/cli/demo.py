"""``easy-data demo``: a story in Chinese and in English, checked as it is shown."""

from __future__ import annotations

import io
from typing import Annotated, Literal

import typer

from easy_data.cli.checking import Checked
from easy_data.cli.exit_codes import ExitCode
from easy_data.cli.opening import log_to_standard_error
from easy_data.cli.output import Output, write_json
from easy_data.cli.player import play
from easy_data.cli.session import session_of
from easy_data.cli.stage import Stage
from easy_data.cli.story import LANGUAGES, load_story

app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False)


@app.command()
def demo(
    context: typer.Context,
    language: Annotated[Literal["zh", "en"] | None, typer.Option("--language", help="Only this language.")] = None,
) -> None:
    """Play the story: what is kept, what is refused, what is asked, and what comes back the next day.

    It runs in a temporary folder, needs no key and no network, and ends with 0 only if everything it shows is right.
    """
    log_to_standard_error()
    session = session_of(context)
    output = Output(file=io.StringIO() if session.json else None)
    checked: list[Checked] = []
    for chosen in [language] if language else LANGUAGES:
        story = load_story(chosen)
        checked += play(story, Stage(story, output))
    right = all(check.ok for check in checked)
    if session.json:
        write_json({"ok": right, "checks": checked})
    else:
        _sum_up(checked, output)
    if not right:
        raise typer.Exit(ExitCode.FAILED)


def _sum_up(checked: list[Checked], output: Output) -> None:
    failed = [check for check in checked if not check.ok]
    output.print()
    output.print(
        f"{len(checked) - len(failed)} of {len(checked)} checks hold.", style="bold red" if failed else "bold green"
    )
    for check in failed:
        output.print(f"  {check.language}: {check.name}", style="red")
