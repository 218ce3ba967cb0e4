"""Distance to a posterior against the polarity of a lexicon."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import biaslab as bl
from biaslab.errors import MissingExtraError, QueryError
from harness.posteriors import of_draws

DIM = 6


def space(seed: int = 0, count: int = 60) -> tuple[bl.WordEmbedding, bl.posterior.Lexicon]:
    """Words along an axis of sentiment, and the lexicon that says so."""
    rng = np.random.default_rng(seed)
    polarity = np.where(np.arange(count) % 2, 1.0, -1.0) * rng.uniform(1, 4, count)
    vectors = rng.standard_normal((count, DIM)).astype(np.float32)
    vectors[:, 0] += polarity
    terms = tuple(f"w{i}" for i in range(count))
    return bl.WordEmbedding(terms, vectors), bl.posterior.Lexicon("made up", terms, polarity)


def towards(value: float, seed: int = 1) -> Any:
    draws = np.random.default_rng(seed).standard_normal((8, 50, DIM))
    draws[..., 0] += value
    return of_draws(draws)


def test_positive_words_lie_closer_to_the_positive_posterior_and_farther_from_the_negative() -> (
    None
):
    words, lexicon = space()
    plus = bl.posterior.lexicon(towards(1.0), words, lexicon)
    minus = bl.posterior.lexicon(towards(-1.0), words, lexicon)
    for found, sign, closer in ((plus, -1, "positive"), (minus, 1, "negative")):
        for r in (found.point_biserial, found.pearson, found.spearman):
            assert sign * r > 0.5
        assert found.closer == closer
        assert found.point_biserial in found.point_biserial_interval
        assert found.headline.startswith(f"{closer.capitalize()} words lie closer")
    assert plus.means[0] < plus.means[1]


@given(seed=st.integers(0, 999))
@settings(max_examples=20, deadline=None)
def test_mirrored_draws_turn_every_correlation_around(seed: int) -> None:
    words, lexicon = space(seed)
    draws = towards(0.5, seed)
    one = bl.posterior.lexicon(draws, words, lexicon)
    two = bl.posterior.lexicon(of_draws(-draws.draws), words, lexicon)
    for name in ("point_biserial", "pearson", "spearman"):
        assert getattr(two, name) == pytest.approx(-getattr(one, name), abs=1e-4)


def test_few_words_that_are_wholly_apart_are_told_apart_with_a_width() -> None:
    words, lexicon = space(count=10)
    found = bl.posterior.lexicon(towards(2.0), words, lexicon)
    assert found.closer == "positive"
    for ends in (found.point_biserial_interval, found.spearman_interval):
        assert 0.02 < ends.high - ends.low < 1.2


def test_a_lexicon_without_strength_has_one_pearson() -> None:
    words, lexicon = space()
    signs = bl.posterior.Lexicon("signs", lexicon.terms, np.sign(lexicon.polarity))
    found = bl.posterior.lexicon(towards(1.0), words, signs)
    assert not signs.graded
    assert lexicon.graded
    assert found.pearson == found.point_biserial
    assert found.pearson_interval == found.point_biserial_interval


def test_it_comes_back_from_json_draws_itself_and_tells_what_it_dropped() -> None:
    words, lexicon = space()
    more = bl.posterior.Lexicon(
        "more", (*lexicon.terms, "nobody"), np.append(lexicon.polarity, 1.0)
    )
    found = bl.posterior.lexicon(towards(1.0), words, more)
    assert [d.term for d in found.dropped] == ["nobody"]
    assert "1 word dropped: 1 not in the vocabulary" in found.summary()
    assert bl.Result.from_json(found.to_json()) == found
    assert found.to_frame().columns.tolist()[:4] == ["rank", "term", "polarity", "distance"]
    by_word = found.to_frame().set_index("term")["polarity"]
    assert by_word["w3"] == lexicon.polarity[3]
    assert found.correlations()["measure"].tolist() == ["point_biserial", "pearson", "spearman"]
    drawn = found.figure()
    assert drawn.title.text.split() == found.headline.split()
    assert any("n = 60 words of more" in getattr(each, "text", "") for each in drawn.above)


def write(folder: Path, positive: str, negative: str, encoding: str = "latin-1") -> Path:
    (folder / "positive-words.txt").write_text(positive, encoding=encoding)
    (folder / "negative-words.txt").write_text(negative, encoding=encoding)
    return folder


@pytest.mark.parametrize("encoding", ["latin-1", "utf-8"])
def test_files_are_read_in_either_encoding_without_their_comments(
    tmp_path: Path, encoding: str
) -> None:
    write(tmp_path, "; a comment\n\ngood\nenvious\ngood\n", ";\nbad\nnaïve\nenvious\n", encoding)
    found = bl.posterior.Lexicon.read(tmp_path)
    assert dict(zip(found.terms, found.polarity, strict=True)) == {
        "good": 1.0,
        "bad": -1.0,
        "naïve": -1.0,
    }
    assert [d.term for d in found.dropped] == ["envious"]
    two = bl.posterior.Lexicon.read(
        tmp_path / "positive-words.txt", tmp_path / "negative-words.txt"
    )
    assert two == found


def test_files_that_cannot_be_read_say_what_to_give(tmp_path: Path) -> None:
    with pytest.raises(QueryError, match="no file"):
        bl.posterior.Lexicon.read(tmp_path)
    write(tmp_path, "; nothing\n", "bad\n")
    with pytest.raises(QueryError, match="contains no words"):
        bl.posterior.Lexicon.read(tmp_path)
    with pytest.raises(QueryError, match="other sign are missing"):
        bl.posterior.Lexicon.read(tmp_path / "positive-words.txt")


def test_words_of_one_sign_or_unknown_ones_cannot_be_correlated() -> None:
    words, _ = space()
    for terms in (("w1", "w3", "w5", "w7"), ("a", "b", "c", "d")):
        with pytest.raises(QueryError):
            bl.posterior.lexicon(
                towards(1.0), words, bl.posterior.Lexicon("few", terms, np.ones(4))
            )


@pytest.mark.parametrize(
    ("terms", "values"), [(("a", "a"), [1, 1]), (("a",), [0]), (("a",), [1, 1])]
)
def test_a_lexicon_has_each_word_once_and_no_neutral_ones(
    terms: tuple[str, ...], values: list[float]
) -> None:
    with pytest.raises(QueryError):
        bl.posterior.Lexicon("wrong", terms, np.array(values, dtype=float))


def test_the_default_lexicon_is_there_offline() -> None:
    pytest.importorskip("vaderSentiment")
    found = bl.posterior.Lexicon.vader()
    assert len(found) > 6000
    assert found.graded
    of = dict(zip(found.terms, found.polarity, strict=True))
    assert of["wonderful"] > 2
    assert of["horrible"] < -2
    assert np.abs(found.polarity).max() <= 4
    assert ":)" in {d.term for d in found.dropped}
    words, _ = space()
    known = bl.WordEmbedding(
        ["wonderful", "horrible", "great", "awful", *words.words],
        np.concatenate([np.eye(4, DIM), words.vectors(list(words.words))[0]]),
    )
    assert bl.posterior.lexicon(towards(1.0), known).lexicon == "VADER"


def test_reading_it_runs_none_of_the_package() -> None:
    pytest.importorskip("vaderSentiment")
    code = (
        "import sys, biaslab as bl; bl.posterior.Lexicon.vader(); "
        "print([m for m in sys.modules if m.split('.')[0] in ('vaderSentiment', 'requests')])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"


def test_without_the_package_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"pip install 'biaslab\[bayes\]'"):
        bl.posterior.Lexicon.vader()
