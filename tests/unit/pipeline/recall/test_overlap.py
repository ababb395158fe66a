from __future__ import annotations

from easy_data.pipeline.recall.overlap import overlap


def test_a_text_with_all_words_of_the_query_scores_one_and_one_without_any_nothing() -> None:
    assert overlap("green tea", ["I drink green tea", "coffee only"]).tolist() == [1.0, 0.0]


def test_a_rare_word_counts_more_than_a_common_one() -> None:
    texts = ["tea", "kayak", "tea", "tea"]
    scores = overlap("tea kayak", texts)
    assert scores[1] > scores[0]


def test_a_query_without_words_scores_nothing() -> None:
    assert overlap("的了", ["茶", "咖啡"]).tolist() == [0.0, 0.0]
