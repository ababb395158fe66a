"""``easy-data chat``: talk to your memory and see what it does with what you say."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from typing import Annotated

import typer
from rich.panel import Panel

from easy_data.cli.fates import fates_table
from easy_data.cli.opening import opened, settings_of
from easy_data.cli.output import Output, write_json
from easy_data.cli.session import Session, session_of
from easy_data.cli.settling import settled
from easy_data.client.embedded import EasyMemory
from easy_data.pipeline.replying import reply
from easy_data.schemas.errors import ModelError
from easy_data.schemas.ports import ChatModel
from easy_data.schemas.recall import Context
from easy_data.schemas.receipts import ReceiptStatus
from easy_data.schemas.settings import Settings

app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False)

END, EXIT = "/end", "/exit"
_USAGE = f"{END} ends the conversation and shows what was learned, {EXIT} leaves."
_HEARD = {"zh": "（我会记着，直到对话结束。）", "en": "(Noted until the conversation ends.)"}


@app.command()
def chat(
    context: typer.Context,
    entity: Annotated[str, typer.Argument(help="Who you are.")] = "me",
) -> None:
    """Talk: each line shows what is recalled; /end ends the conversation and shows what was learned; /exit leaves.

    With a chat model in the settings it answers through that; without one the answers are what memory knows, and the
    questions it has. Ctrl-C leaves without keeping the conversation.
    """
    session = session_of(context)
    with opened(session, create=True) as memory:
        Chat(memory, session, entity, _model_of(settings_of(session))).run()


def _model_of(settings: Settings) -> ChatModel | None:
    """Return the chat model of the settings, or None when they name none."""
    if settings.llm_base_url is None:
        return None
    # The client library is heavy; without a model nobody waits for it.
    model: ChatModel = importlib.import_module("easy_data.pipeline.models").build_chat(settings)
    return model


class Chat:
    """One sitting at the prompt: a conversation at a time."""

    def __init__(self, memory: EasyMemory, session: Session, entity: str, model: ChatModel | None) -> None:
        self._model = model
        self._memory = memory
        self._entity = entity
        self._json = session.json
        self._output = Output(stderr=session.json)
        self._messages: list[dict[str, str]] = []
        self._asked: set[str] = set()

    def run(self) -> None:
        """Take lines until /exit or the end of the input; the last conversation is ended then."""
        self._output.print(_USAGE, style="dim")
        for line in self._lines():
            if line == EXIT:
                break
            if line == END:
                self._end()
            elif line.startswith("/"):
                self._output.print(f"{line.split()[0]} is no command here. {_USAGE}", style="yellow")
            elif line:
                self._answer(line)
        self._end()

    def _lines(self) -> Iterator[str]:
        prompting = sys.stdin.isatty() and not self._json
        while True:
            if prompting:
                self._output.print("> ", end="", style="bold")
            line = sys.stdin.readline()
            if not line:
                return
            yield line.strip()

    def _answer(self, line: str) -> None:
        found = self._memory.recall(self._entity, line)
        question = next((item for item in found.questions if item.id not in self._asked), None)
        if question is not None:
            self._asked.add(question.id)
        self._messages.append({"role": "user", "content": line})
        said = self._asked_model(found) or (question.question if question is not None else _HEARD[found.language])
        self._messages.append({"role": "assistant", "content": said})
        self._show(found, said)

    def _asked_model(self, found: Context) -> str:
        if self._model is None:
            return ""
        try:
            return reply(self._model, found, self._messages)
        except ModelError as error:
            self._output.print(f"The model gave no answer: {error}", style="yellow")
            return ""

    def _show(self, found: Context, said: str) -> None:
        if self._json:
            write_json({"type": "recall", "context": found.model_dump(mode="json"), "reply": said})
            return
        if found.text:
            self._output.print(Panel(found.text, title="recalled", title_align="left", style="dim"))
        self._output.print(said)

    def _end(self) -> None:
        if not self._messages:
            return
        messages, self._messages = self._messages, []
        self._learned(settled(self._memory.end_conversation(self._entity, messages, source="chat")))

    def _learned(self, status: ReceiptStatus) -> None:
        if self._json:
            write_json({"type": "learned", **status.model_dump(mode="json")})
        elif status.fates:
            self._output.print(fates_table(status.fates, title="learned"))
        else:
            self._output.print("Nothing in this conversation is to be remembered.")
