"""Shows what became of the candidates of a conversation."""

from __future__ import annotations

from collections.abc import Iterable

from rich.table import Table

from easy_data.cli.output import table
from easy_data.schemas.candidates import CandidateFate


def fates_table(fates: Iterable[CandidateFate], *, title: str | None = None) -> Table:
    """Return one row a candidate: where it went, why, and the words it rests on."""
    rows = (
        (f"{fate.fate.value} ({fate.reason})" if fate.reason else fate.fate.value, fate.bucket, fate.what, fate.quote)
        for fate in fates
    )
    return table(("fate", "bucket", "what", "quote"), rows, title=title)
