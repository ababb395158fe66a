"""The checks that keep look-alikes from being taken for secrets."""

from __future__ import annotations

import pytest

from easy_data.pipeline.redaction import redact


@pytest.mark.parametrize("digits", ["4111111111111112", "0000000000000000", "411111111111"])
def test_digits_that_fail_the_luhn_check_are_no_card(digits: str) -> None:
    assert redact(f"ref {digits}").counts == {}


def test_a_resident_id_with_a_wrong_check_digit_counts_only_when_announced() -> None:
    assert redact("编号 110101199003078516").counts == {}
    assert redact("身份证号 110101199003078516").counts == {"id_number": 1}


def test_a_word_after_token_is_no_generated_token() -> None:
    assert redact("token international-relations").counts == {}
