"""What a bench asks of the stereotype score: remembered shares are the same numbers, and more."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from biaslab.probes.sentences.checks import text_problem
from biaslab.probes.sentences.probe import statistics
from biaslab.probes.sentences.score_cache import score_pairs
from biaslab.probes.sentences.scorers.base import PairScores
from biaslab.probes.sentences.stereotype_shares import Known
from biaslab.probes.sentences.swap import side_by_side
from biaslab.stats.threads import one_openmp_thread
from biaslab.store import Store
from harness.sentence_pairs import FakeModel, StreamingScorer, TextScorer, pairs

PAIRS = pairs()
SCORES = TextScorer().score(None, PAIRS)


def found(some: Any, scores: Any, known: Known | None = None, **options: Any) -> dict[str, Any]:
    return statistics(some, scores, known=known, **{"resamples": 200, "seed": 3, **options})


@settings(max_examples=15)
@given(
    edited=st.integers(0, len(PAIRS) - 1),
    verb=st.sampled_from(["adores", "likes", "x y z", "forgets all about"]),
    lost=st.sets(st.integers(0, len(PAIRS) - 1), max_size=5),
    seed=st.integers(0, 3),
)
def test_remembered_shares_are_those_that_are_computed_anew(
    edited: int, verb: str, lost: set[int], seed: int
) -> None:
    known: Known = {}
    found(PAIRS, SCORES, known, seed=seed)
    old = PAIRS[edited]
    new = replace(
        old,
        stereotyped=f"The man {verb} {old.attribute}.",
        against=f"The woman {verb} {old.attribute}.",
    )
    changed = [*PAIRS[:edited], new, *PAIRS[edited + 1 :]]
    scores: list[PairScores | None] = [*TextScorer().score(None, changed)]
    for i in lost:
        scores[i] = None
    assert found(changed, scores, known, seed=seed) == found(changed, scores, seed=seed)


def test_a_share_is_computed_once_for_the_same_pairs_and_again_for_other_options() -> None:
    known: Known = {}
    found(PAIRS, SCORES, known)
    count = len(known)
    found(PAIRS, SCORES, known)
    assert len(known) == count
    found(PAIRS, SCORES, known, level=0.9)
    assert len(known) == 2 * count


def test_scores_are_heard_as_they_come_those_of_the_store_first(tmp_path: Path) -> None:
    store = Store(str(tmp_path / "store"))
    heard: list[tuple[int, PairScores]] = []
    scorer = StreamingScorer()
    score_pairs(FakeModel(), scorer, PAIRS[:5], store=store)

    def hear(number: int, scores: PairScores) -> None:
        heard.append((number, scores))

    scores, _ = score_pairs(FakeModel(), scorer, PAIRS[:8], store=store, on_scores=hear)
    kept = [i for i in range(5) if (one := scores[i]) is not None and not one.failure]
    assert [number for number, _ in heard][: len(kept)] == kept
    assert sorted(number for number, _ in heard) == list(range(8))
    assert all(scores[number] == one for number, one in heard)


@pytest.mark.parametrize(
    ("first", "second", "rows"),
    [
        ("The man sat.", "The woman sat.",
         [("The", "The"), ("man", "woman"), ("sat", "sat"), (".", ".")]),
        ("He is an old man.", "She is a woman.",
         [("He", "She"), ("is", "is"), ("an", "a"), ("old", "woman"), ("man", ""), (".", ".")]),
        ("So it is", "It is so",
         [("So", "It"), ("it", ""), ("is", "is"), ("", "so")]),
        ("", "a b", [("", "a"), ("", "b")]),
    ],
)  # fmt: skip
def test_words_stand_side_by_side(first: str, second: str, rows: list[tuple[str, str]]) -> None:
    shown = [
        ("" if a is None else first[slice(*a)], "" if b is None else second[slice(*b)])
        for a, b in side_by_side(first, second)
    ]
    assert shown == rows


@given(st.lists(st.sampled_from(["a", "man", "woman", "his", ","])),
       st.lists(st.sampled_from(["a", "man", "woman", "her", ","])))  # fmt: skip
def test_every_word_has_a_row(first: list[str], second: list[str]) -> None:
    texts = " ".join(first), " ".join(second)
    rows = side_by_side(*texts)
    for side in (0, 1):
        spans = [row[side] for row in rows]
        assert [texts[side][slice(*s)] for s in spans if s is not None] == [first, second][side]


def test_a_text_that_can_be_no_sentence_says_why() -> None:
    assert text_problem("The man likes algebra.") is None
    problem = text_problem("word " * 2000)
    assert problem is not None
    assert problem[0] == "too-long"
    assert problem[1].startswith("It has 2,000 words and 9,999 characters; at most 100 words")


def test_a_thread_alone_is_alone_and_has_its_threads_back() -> None:
    torch = pytest.importorskip("torch")
    torch.ones(2) @ torch.ones(2)
    before = torch.get_num_threads()
    with one_openmp_thread():
        assert torch.get_num_threads() == 1
    assert torch.get_num_threads() == before
    with pytest.raises(KeyError), one_openmp_thread():
        raise KeyError
    assert torch.get_num_threads() == before
