from __future__ import annotations

from collections.abc import Iterator

import pytest

from easy_data.cli.exit_codes import MEANINGS, ExitCode, code_of, explained
from easy_data.schemas import errors
from easy_data.schemas.errors import EasyDataError


def all_errors(kind: type[EasyDataError] = EasyDataError) -> Iterator[type[EasyDataError]]:
    yield kind
    for child in kind.__subclasses__():
        yield from all_errors(child)


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (errors.InputError("x"), 2),
        (errors.UnknownAttribute("x"), 2),
        (errors.SettingsError("x"), 2),
        (errors.NotFound(), 3),
        (errors.StoreLocked(), 4),
        (errors.StoreReadOnly(), 4),
        (errors.ModelUnavailable(), 5),
        (errors.StaleReview(), 6),
        (TimeoutError("x"), 6),
    ],
)
def test_an_error_ends_with_the_documented_code(error: EasyDataError | TimeoutError, code: int) -> None:
    assert code_of(error) == code


def test_every_error_but_the_root_has_a_code_of_its_kind() -> None:
    vague = [kind.__name__ for kind in all_errors() if code_of(kind()) is ExitCode.FAILED]
    assert vague == ["EasyDataError"]


def test_the_help_explains_every_code() -> None:
    assert set(MEANINGS) == set(ExitCode)
    assert all(f"{code.value:>5}  {meaning}" in explained() for code, meaning in MEANINGS.items())
