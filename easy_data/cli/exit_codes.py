"""How a command ends: one number for each kind of end, the same for every command."""

from __future__ import annotations

from enum import IntEnum

from easy_data.schemas.errors import (
    EasyDataError,
    InputError,
    ModelError,
    NotFound,
    SettingsError,
    StaleReview,
    StoreError,
)


class ExitCode(IntEnum):
    """The exit codes. 130 and 141 are what shells use for an interrupt and a closed pipe."""

    OK = 0
    FAILED = 1
    USAGE = 2
    NOT_FOUND = 3
    STORE = 4
    MODEL = 5
    AGAIN = 6
    INTERRUPTED = 130
    CLOSED_PIPE = 141


MEANINGS: dict[ExitCode, str] = {
    ExitCode.OK: "done",
    ExitCode.FAILED: "something failed, was refused or was found wrong",
    ExitCode.USAGE: "the command, its input or a setting is wrong",
    ExitCode.NOT_FOUND: "no such store or record",
    ExitCode.STORE: "the store cannot be used: held by another process, read-only or busy",
    ExitCode.MODEL: "the model cannot be used",
    ExitCode.AGAIN: "it changed meanwhile, or took too long: look again and repeat",
    ExitCode.INTERRUPTED: "interrupted",
    ExitCode.CLOSED_PIPE: "the reader of the output went away",
}

_OF_ERRORS: tuple[tuple[type[Exception], ExitCode], ...] = (
    (InputError, ExitCode.USAGE),
    (SettingsError, ExitCode.USAGE),
    (NotFound, ExitCode.NOT_FOUND),
    (StoreError, ExitCode.STORE),
    (ModelError, ExitCode.MODEL),
    (StaleReview, ExitCode.AGAIN),
    (TimeoutError, ExitCode.AGAIN),
)


def code_of(error: EasyDataError | TimeoutError) -> ExitCode:
    """Return the exit code that stands for an error."""
    return next((code for kind, code in _OF_ERRORS if isinstance(error, kind)), ExitCode.FAILED)


def explained() -> str:
    """Return the table for the help's end, a line for each code."""
    return "\n".join(["Exit codes:", *(f"{code.value:>5}  {meaning}" for code, meaning in MEANINGS.items())])
