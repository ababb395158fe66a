"""What the package exports is a decision: listed in ``__all__``, and all of it there."""

from __future__ import annotations

from types import ModuleType

import easy_data

LANGUAGE = {"annotations", "TYPE_CHECKING"}


def test_every_exported_name_is_there() -> None:
    missing = [name for name in easy_data.__all__ if not hasattr(easy_data, name)]
    assert not missing


def test_every_public_name_is_exported() -> None:
    public = {
        name
        for name, value in vars(easy_data).items()
        if not name.startswith("_") and not isinstance(value, ModuleType) and name not in LANGUAGE
    }
    assert public <= set(easy_data.__all__)
