"""How a monthly review reads."""

from __future__ import annotations

from datetime import date

from easy_data.pipeline.maintenance.archive import MAX_SUMMARY_CHARS, summary_of


def test_a_review_names_month_and_matters_in_both_languages() -> None:
    assert summary_of(date(2028, 2, 1), ["Finished the audit.", "Chose oak"], "en") == (
        "Finished in February 2028: Finished the audit; Chose oak"
    )
    assert summary_of(date(2028, 2, 1), ["完成了审计。", "选了橡木"], "zh") == "2028年2月完成的事：完成了审计；选了橡木"


def test_a_review_that_cannot_name_all_says_how_many_there_were() -> None:
    line = summary_of(date(2028, 2, 1), [f"Finished chapter {number} of the book" for number in range(200)], "en")
    assert line.endswith("; ... 200 in all")
    assert len(line) < MAX_SUMMARY_CHARS + 40
    assert "chapter 0 " in line
