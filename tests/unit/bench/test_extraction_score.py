"""The rules by which the extraction benchmark counts."""

from __future__ import annotations

from typing import Any

import pytest

from bench.extraction_score import Score, figures

NOTHING: dict[str, list[Any]] = {"profile": [], "events": [], "workspace": [], "review": []}


def case(**more: Any) -> dict[str, Any]:
    start = {"id": "d1", "lang": "en", "kind": "event", "timezone": "Asia/Shanghai", "expect": NOTHING}
    return start | more | {"expect": NOTHING | more.get("expect", {})}


def fact(attr_name: str, attr_value: str) -> dict[str, Any]:
    return {"attr_name": attr_name, "attr_value": attr_value}


def label(attr_name: str, *spellings: str, **more: str) -> dict[str, Any]:
    return {"attr_name": attr_name, "value_any": list(spellings), **more}


def errors(found: dict[str, Any], **more: Any) -> list[str]:
    score = Score()
    score.add(NOTHING | found, case(**more))
    return [problem.partition(":")[0].partition(" ")[0] for _, problem in score.errors]


@pytest.mark.parametrize(
    ("value", "spelling", "right"),
    [
        ("Rust", "R", False),
        ("C++ and R", "R", True),
        ("two ferrets", "ferret", True),
        ("绿茶", "喝绿茶", True),
        ("绿茶", "红茶", False),
        ("", "Porto", False),
    ],
)
def test_a_fact_fits_when_one_spelling_holds_the_other(value: str, spelling: str, right: bool) -> None:
    found = errors({"profile": [fact("pet", value)]}, expect={"profile": [label("pet", spelling)]})
    assert found == ([] if right else ["WRONG", "MISSED"])


def test_what_is_tolerated_is_neither_right_nor_wrong() -> None:
    score = Score()
    tolerated = {"profile": [label("hobby", "chess")]}
    score.add(NOTHING | {"profile": [fact("hobby", "chess")]}, case(optional=tolerated))
    assert (score.errors, figures(score.groups["all"])[0]) == ([], None)


@pytest.mark.parametrize(
    ("value", "forbidden"), [("beer", True), ("no beer", False), ("不喝啤酒", False), ("啤酒", True)]
)
def test_what_says_its_own_negation_is_not_forbidden(value: str, forbidden: bool) -> None:
    spellings = label("beverage_preference", "beer", "啤酒", why="negated")
    found = errors({"profile": [fact("beverage_preference", value)]}, forbid={"profile": [spellings]})
    assert found == (["FORBIDDEN"] if forbidden else ["WRONG"])


@pytest.mark.parametrize(("at", "found"), [("2026-05-07T18:00:00+00:00", True), ("2026-05-07T02:00:00+00:00", False)])
def test_an_event_counts_on_its_local_day(at: str, found: bool) -> None:
    told = {"event_type": "milestone", "summary": "Passed the bar exam", "happened_at": at}
    wanted = {"events": [{"event_type": "milestone", "mentions_all": ["bar"], "happened_on": "2026-05-08"}]}
    assert errors({"events": [told]}, expect=wanted) == ([] if found else ["MISSED"])


def test_a_secret_in_any_text_is_found_with_blanks_or_without() -> None:
    found = {"workspace": [{"task_id": "deploy", "state": {"next": "use 4417 0012"}}]}
    assert errors(found, forbid={"anywhere": ["44170012"]}) == ["FORBIDDEN"]


def test_figures_are_told_by_language_and_by_kind() -> None:
    score = Score()
    score.add(NOTHING, case(lang="zh", expect={"profile": [label("pet", "猫")]}))
    score.add(NOTHING | {"profile": [fact("pet", "cat")]}, case(expect={"profile": [label("pet", "cat")]}))
    assert [line.split()[0] for line in score.table()][1:] == ["all", "language", "language", "kind"]
    assert figures(score.groups["all"])[:2] == [1.0, 0.5]
    assert figures(score.groups["language zh"])[1] == 0.0
