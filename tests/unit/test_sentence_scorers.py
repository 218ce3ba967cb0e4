"""Scorers of sentences: equal to their definitions on every kind of language model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from biaslab.errors import QueryError
from biaslab.jobs.job import JobContext
from biaslab.probes.sentences.pairs import SentencePair
from biaslab.probes.sentences.scorers import (
    SCORERS,
    PairScores,
    changed_span,
    get_scorer,
    scorers_for,
    term_span,
)
from biaslab.probes.sentences.scorers import base as scorers_base
from biaslab.subjects.language_model import reading as language_model_reading
from biaslab.subjects.language_model.model import LanguageModel
from harness import tiny_language_models as tiny
from harness.heavy import torch
from harness.needs import needs
from harness.tiny_parts import spread

pytestmark = [needs("torch", "transformers"), pytest.mark.usefixtures("one_thread")]

Span = tuple[int, int]


@dataclass(frozen=True)
class Pair:
    stereotyped: str
    against: str
    terms: tuple[Span | None, Span | None] = (None, None)
    unrelated: str | None = None


def at(text: str, term: str) -> Span:
    return text.index(term), text.index(term) + len(term)


def pair(first: str, term: str, second: str, other: str, third: str | None = None) -> Pair:
    return Pair(first, second, (at(first, term), at(second, other)), third)


PAIRS = [
    pair("The woman is a nurse.", "woman", "The man is a nurse.", "man"),
    pair("He isn't here!", "He", "She isn't here!", "She", "Flower isn't here!"),
    pair("This unbelievable engineer", "unbelievable", "This old engineer", "old"),
    pair("his", "his", "hers", "hers"),
    pair("The old man thanked the young woman for the science lesson.", "man",
         "The old woman thanked the young woman for the science lesson.", "old woman"),
]  # fmt: skip


def _open(build: Callable[[], tuple[Any, Any]], kind: Any, name: str) -> LanguageModel:
    torch.manual_seed(0)
    model, tokenizer = build()
    return LanguageModel.of(spread(model, 6), tokenizer, kind=kind, name=name)


CAUSAL = [*tiny.CAUSAL, "biogpt"]
Opener = Callable[[str], LanguageModel]


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Opener:
    """Models by name, each opened once."""
    known: dict[str, LanguageModel] = {}

    def open_(name: str) -> LanguageModel:
        if name == "biogpt":
            pytest.importorskip("sacremoses")
            folder = tmp_path_factory.mktemp("biogpt")
            return _open(lambda: tiny.biogpt(folder), "clm", name)
        kind = "mlm" if name in tiny.MASKED else "clm"
        return _open({**tiny.MASKED, **tiny.CAUSAL}[name], kind, name)

    return lambda name: known[name] if name in known else known.setdefault(name, open_(name))


@pytest.fixture(params=list(tiny.MASKED))
def masked(request: pytest.FixtureRequest, opened: Opener) -> LanguageModel:
    return opened(request.param)


@pytest.fixture(params=CAUSAL)
def causal(request: pytest.FixtureRequest, opened: Opener) -> LanguageModel:
    return opened(request.param)


@pytest.fixture(params=[*tiny.MASKED, *CAUSAL])
def lm(request: pytest.FixtureRequest, opened: Opener) -> LanguageModel:
    return opened(request.param)


@pytest.fixture
def bert(opened: Opener) -> LanguageModel:
    return opened("bert")


@pytest.fixture
def gpt2(opened: Opener) -> LanguageModel:
    return opened("gpt2")


# What the definitions say, without padding, by the model itself.


def _log_p(lm: LanguageModel, rows: list[list[int]]) -> Any:
    """Log probabilities of all tokens at each place of texts of one length."""
    with torch.no_grad():
        return torch.log_softmax(lm.model(input_ids=torch.tensor(rows)).logits.double(), dim=-1)


def _own_tokens(lm: LanguageModel, text: str) -> tuple[list[int], list[int]]:
    """Token numbers with special ones, and places of the text's own."""
    plain = lm.tokenizer(text, add_special_tokens=False)["input_ids"]
    ids = lm.tokenizer(text)["input_ids"]
    begin = next(i for i in range(len(ids)) if ids[i : i + len(plain)] == plain)
    return list(ids), list(range(begin, begin + len(plain)))


def _hidden(lm: LanguageModel, ids: list[int], read: list[int], hide: Any) -> list[float]:
    """Log probability of each token that is read, with those of ``hide`` hidden for it."""
    mask = lm.tokenizer.mask_token_id
    rows = [[mask if i in places else token for i, token in enumerate(ids)] for places in hide]
    log_p = _log_p(lm, rows)
    return [float(log_p[row, i, ids[i]]) for row, i in enumerate(read)]


def _pll(lm: LanguageModel, text: str) -> list[float]:
    ids, own = _own_tokens(lm, text)
    return _hidden(lm, ids, own, [[i] for i in own])


def _pll_l2r(lm: LanguageModel, text: str) -> list[float]:
    ids, own = _own_tokens(lm, text)
    words = lm.tokenizer(text).word_ids()
    return _hidden(lm, ids, own, [[j for j in own if j >= i and words[j] == words[i]] for i in own])


def _unmasked(lm: LanguageModel, text: str) -> list[float]:
    ids, own = _own_tokens(lm, text)
    (log_p,) = _log_p(lm, [ids])
    return [float(log_p[i, ids[i]]) / len(own) for i in own]


def _log_likelihood(lm: LanguageModel, text: str) -> list[float]:
    ids, own = _own_tokens(lm, text)
    if own[0] == 0:
        ids, own = [lm.tokenizer.eos_token_id, *ids], [i + 1 for i in own]
    (log_p,) = _log_p(lm, [ids])
    return [float(log_p[i - 1, ids[i]]) for i in own]


def _per_token(lm: LanguageModel, text: str) -> list[float]:
    found = _log_likelihood(lm, text)
    return [value / len(found) for value in found]


def _compare(lm: LanguageModel, name: str, definition: Callable[[LanguageModel, str], Any]) -> None:
    found = SCORERS[name].score(lm, PAIRS)
    assert len(found) == len(PAIRS)
    for each, scores in zip(PAIRS, found, strict=True):
        for text, score in [
            (each.stereotyped, scores.stereotyped),
            (each.against, scores.against),
            (each.unrelated, scores.unrelated),
        ]:
            if text is None:
                assert score is None
                continue
            assert score is not None
            assert score.failure == ""
            expected = definition(lm, text)
            np.testing.assert_allclose(score.contributions, expected, atol=1e-4, rtol=0)
            assert score.log_score == pytest.approx(sum(expected), abs=1e-3)
            assert len(score.tokens) == len(score.spans) == len(expected)
    values = [scores.stereotyped.log_score for scores in found]
    assert len(set(values)) == len(values)


@pytest.mark.parametrize(
    ("name", "definition"), [("pll", _pll), ("pll-word-l2r", _pll_l2r), ("unmasked", _unmasked)]
)
def test_masked_scores_are_their_definitions(
    masked: LanguageModel, name: str, definition: Callable[[LanguageModel, str], Any]
) -> None:
    _compare(masked, name, definition)


@pytest.mark.parametrize(
    ("name", "definition"),
    [("log-likelihood", _log_likelihood), ("log-likelihood-per-token", _per_token)],
)
def test_causal_scores_are_their_definitions(
    causal: LanguageModel, name: str, definition: Callable[[LanguageModel, str], Any]
) -> None:
    _compare(causal, name, definition)


def test_the_mean_loss_is_what_the_model_reports(causal: LanguageModel) -> None:
    """The loss of the sentence as its tokenizer writes it, up to its last own token."""
    long = [PAIRS[0], PAIRS[-1]]
    for each, scores in zip(long, SCORERS["mean-loss"].score(causal, long), strict=True):
        for text, score in [(each.stereotyped, scores.stereotyped), (each.against, scores.against)]:
            ids, own = _own_tokens(causal, text)
            shown = torch.tensor([ids[: own[-1] + 1]])
            with torch.no_grad():
                loss = float(causal.model(input_ids=shown, labels=shown).loss)
            assert score.log_score == pytest.approx(-loss, abs=1e-4)
            assert len(score.tokens) == len(own) - (own[0] == 0)


def test_a_sentence_of_one_token_has_no_mean_loss(gpt2: LanguageModel) -> None:
    (scores,) = SCORERS["mean-loss"].score(gpt2, [Pair("a", "The man")])
    assert "one token" in scores.stereotyped.failure
    assert scores.against.log_score is not None


def test_only_shared_tokens_count_for_crows_pairs(masked: LanguageModel) -> None:
    each = Pair("The old woman is here.", "The old man is here.")
    (scores,) = SCORERS["crows-pairs"].score(masked, [each])
    for text, score, term in [
        (each.stereotyped, scores.stereotyped, "woman"),
        (each.against, scores.against, "man"),
    ]:
        ids, own = _own_tokens(masked, text)
        start, end = at(text, term)
        tokens = masked.tokenize(text)
        differ = set(tokens.within(start, end).tolist())
        # "wom" + "an" and "m" + "an" share a piece, which counts as the definition says.
        shared = [i for i in own if i not in differ]
        listed = dict(zip(map(tuple, score.spans.tolist()), score.contributions, strict=True))
        for i, expected in zip(
            shared, _hidden(masked, ids, shared, [[i] for i in shared]), strict=True
        ):
            assert listed[tuple(tokens.spans[i].tolist())] == pytest.approx(expected, abs=1e-4)
        assert len(shared) <= len(listed) < len(own)
    assert len(scores.stereotyped.tokens) == len(scores.against.tokens)
    assert scores.stereotyped.tokens == scores.against.tokens


def test_a_term_is_guessed_from_left_to_right(masked: LanguageModel) -> None:
    found = SCORERS["group-term"].score(masked, PAIRS)
    several = 0
    for each, scores in zip(PAIRS, found, strict=True):
        assert each.terms[0] is not None
        ids, _ = _own_tokens(masked, each.stereotyped)
        term = masked.tokenize(each.stereotyped).within(*each.terms[0]).tolist()
        expected = _hidden(masked, ids, term, [term[k:] for k in range(len(term))])
        np.testing.assert_allclose(scores.stereotyped.contributions, expected, atol=1e-4, rtol=0)
        several += len(term) > 1
    assert several


def test_the_raw_logit_is_that_at_one_mask(masked: LanguageModel) -> None:
    found = SCORERS["group-term-logit"].score(masked, PAIRS)
    for each, scores in zip(PAIRS, found, strict=True):
        assert each.terms[1] is not None
        ids, _ = _own_tokens(masked, each.against)
        term = masked.tokenize(each.against).within(*each.terms[1]).tolist()
        shown = [*ids[: term[0]], masked.tokenizer.mask_token_id, *ids[term[-1] + 1 :]]
        with torch.no_grad():
            logits = masked.model(input_ids=torch.tensor([shown])).logits[0, term[0]]
        expected = float(logits[[ids[i] for i in term]].mean())
        assert scores.against.log_score == pytest.approx(expected, abs=1e-4)


def test_probabilities_of_all_terms_of_one_token_sum_to_one(bert: LanguageModel) -> None:
    text = bert.tokenize("the woman is here")
    term = int(text.within(4, 9)[0])
    ids = text.ids.copy()
    ids[term] = bert.tokenizer.mask_token_id
    every = np.arange(bert.vocabulary)
    look = language_model_reading.Look(ids, np.full(len(every), term), every)
    (log_p,) = bert.read([look])
    assert np.exp(log_p).sum() == pytest.approx(1, abs=1e-5)


def test_scores_do_not_depend_on_what_is_scored_together(lm: LanguageModel) -> None:
    scorer = get_scorer(None, lm.kind)
    together = scorer.score(lm, PAIRS)
    reverse = scorer.score(lm, PAIRS[::-1])[::-1]
    narrow = scorer.score(lm, PAIRS, memory_mb=0.05)
    for i, each in enumerate(PAIRS):
        (alone,) = scorer.score(lm, [each])
        for other in (alone, reverse[i], narrow[i]):
            np.testing.assert_allclose(
                other.stereotyped.contributions, together[i].stereotyped.contributions, atol=1e-4
            )


def test_the_vocabulary_is_projected_only_where_it_is_read(lm: LanguageModel) -> None:
    seen: list[tuple[int, ...]] = []
    get_scorer(None, lm.kind).score(lm, PAIRS[:1])  # what is tried out at the first call
    # The name of the part that makes logits differs: what leaves the model is seen.
    hook = lm.model.register_forward_hook(lambda _, __, out: seen.append(tuple(out.logits.shape)))
    try:
        found = get_scorer(None, lm.kind).score(lm, PAIRS)
    finally:
        hook.remove()
    scored = [s.tokens for p in found for s in (p.stereotyped, p.against, p.unrelated) if s]
    assert {shape[0] for shape in seen} == {1}
    # Equal inputs, such as two versions whose terms are masked, are read once.
    assert 0.9 * sum(map(len, scored)) < sum(shape[1] for shape in seen) <= sum(map(len, scored))


def test_a_model_is_left_as_it_was(bert: LanguageModel) -> None:
    before = dict(bert.model.base_model._forward_hooks)
    get_scorer("pll", "mlm").score(bert, PAIRS)
    assert dict(bert.model.base_model._forward_hooks) == before


def test_batches_stay_under_the_cap(bert: LanguageModel, monkeypatch: pytest.MonkeyPatch) -> None:
    shapes: list[tuple[int, int]] = []
    plain = language_model_reading.logits_at

    def noting(model: Any, ids: Any, *rest: Any, **options: Any) -> Any:
        shapes.append(tuple(ids.shape))
        return plain(model, ids, *rest, **options)

    monkeypatch.setattr(language_model_reading, "logits_at", noting)
    get_scorer("pll", "mlm").score(bert, PAIRS)
    wide = list(shapes)
    shapes.clear()
    get_scorer("pll", "mlm").score(bert, PAIRS, memory_mb=0.1)
    assert max(rows for rows, _ in shapes) < max(rows for rows, _ in wide)
    for rows, longest in shapes:
        needed = language_model_reading.estimated_bytes(bert, rows, longest, rows)
        assert rows == 1 or needed <= 100_000


def test_a_long_causal_text_is_read_in_parts_under_a_small_cap(gpt2: LanguageModel) -> None:
    whole = get_scorer(None, "clm").score(gpt2, PAIRS)
    parts = get_scorer(None, "clm").score(gpt2, PAIRS, memory_mb=0.01)
    for one, other in zip(whole, parts, strict=True):
        np.testing.assert_allclose(
            one.stereotyped.contributions, other.stereotyped.contributions, atol=1e-4
        )


def test_a_device_with_too_little_memory_gets_smaller_batches(
    bert: LanguageModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = get_scorer("pll", "mlm").score(bert, PAIRS)
    plain = language_model_reading.logits_at
    most = 2

    def small(model: Any, ids: Any, *rest: Any, **options: Any) -> Any:
        if len(ids) > most:
            raise torch.OutOfMemoryError("too much")
        return plain(model, ids, *rest, **options)

    monkeypatch.setattr(language_model_reading, "logits_at", small)
    found = get_scorer("pll", "mlm").score(bert, PAIRS)
    for one, other in zip(expected, found, strict=True):
        np.testing.assert_allclose(
            one.stereotyped.contributions, other.stereotyped.contributions, atol=1e-4
        )
    most = 0
    for scores in get_scorer("pll", "mlm").score(bert, PAIRS):
        assert "not have enough memory" in scores.failure


@pytest.mark.parametrize(
    "error",
    [
        "DefaultCPUAllocator: can't allocate memory: you tried to allocate 9 bytes. Error code 12",
        "DefaultCPUAllocator: not enough memory: you tried to allocate 9 bytes.",
    ],
)
def test_memory_that_runs_out_ends_the_run_and_keeps_what_is_scored(
    bert: LanguageModel, monkeypatch: pytest.MonkeyPatch, error: str
) -> None:
    plain = language_model_reading.logits_at
    tried: list[int] = []

    def runs_out(model: Any, ids: Any, *rest: Any, **options: Any) -> Any:
        if ids.shape[1] > 12:
            tried.append(ids.shape[1])
            raise RuntimeError(error)
        return plain(model, ids, *rest, **options)

    monkeypatch.setattr(scorers_base, "_BATCHES_TOGETHER", 0)
    monkeypatch.setattr(language_model_reading, "logits_at", runs_out)
    texts = [f"She is {'a good ' * count}person." for count in (0, 1, 6, 7, 8)]
    pairs = [SentencePair(text, text.replace("She", "He")) for text in texts]
    scored = get_scorer("pll", "mlm").score(bert, pairs)
    assert [one.log_odds is None for one in scored] == [False, False, True, True, True]
    assert "enough memory" in scored[2].failure
    assert all("not reached" in one.failure for one in scored[3:])
    # Longer ones are not tried.
    third = (texts[2], texts[2].replace("She", "He"))
    assert max(tried) == max(len(bert.tokenize(text).ids) for text in third)


# What cannot be scored.

LONG = "she is here and " * 500
BAD = {
    "": "empty",
    "  \n": "empty",
    LONG: f"reads at most {tiny.POSITIONS}",
    "half \ud83d a smile": "half a character at position 6",
    "\u200b\u200d": "no token",
}


def test_what_cannot_be_scored_says_why_and_the_rest_is_scored(
    bert: LanguageModel, gpt2: LanguageModel
) -> None:
    for lm in (bert, gpt2):
        good = PAIRS[0]
        # Invisible characters are tokens to a tokenizer of bytes.
        bad = {k: v for k, v in BAD.items() if v != "no token" or lm is bert}
        asked = [Pair(text, "The man is here.") for text in bad]
        for scorer in scorers_for(lm.kind):
            found = scorer.score(lm, [*asked, good])
            assert len(found) == len(asked) + 1
            assert found[-1].failure == ""
            for scores, reason in zip(found, bad.values(), strict=False):
                assert reason in scores.failure
                assert scores.stereotyped.log_score is None
                assert scores.log_odds is None
                assert scores.stereotyped.tokens == ()


ODD = (
    "She is here 😀👩\u200d🔬.",
    "היא אחות טובה.",
    "هي ممرضة",
    "<p>She is <b>here</b> &amp; there</p>",
    "<s>She</s> is [MASK] <mask> <|endoftext|>",
    "naïve ﬁancée İstanbul",
    "она медсестра\n\tздесь",
)


# Two models have another's tokenizer.
@pytest.mark.parametrize("name", sorted({*tiny.MASKED, *CAUSAL} - {"modernbert", "falcon-alibi"}))
def test_odd_text_is_scored_as_text(name: str, opened: Opener) -> None:
    lm = opened(name)
    odd = [Pair(f"The woman: {text}", f"The man: {text}", ((4, 9), (4, 7))) for text in ODD]
    for scorer in scorers_for(lm.kind):
        for each, scores in zip(odd, scorer.score(lm, odd), strict=True):
            assert scores.failure == "", (scorer.name, each)
            assert scores.log_odds is not None
            assert np.isfinite(scores.log_odds)
            for own, version in [
                (scores.stereotyped, each.stereotyped),
                (scores.against, each.against),
            ]:
                assert (own.spans[:, 0] <= own.spans[:, 1]).all()
                assert (own.spans >= 0).all()
                assert (own.spans <= len(version)).all()


def test_what_looks_special_in_a_text_is_text(bert: LanguageModel, gpt2: LanguageModel) -> None:
    read = bert.tokenize("[MASK] is [SEP] here")
    assert bert.tokenizer.mask_token_id not in read.ids
    assert read.special.tolist() == [True] + [False] * (len(read.ids) - 2) + [True]
    assert list(gpt2.tokenize("<|endoftext|>").ids).count(0) == 1  # only the one put before it


def test_what_the_tokenizer_does_not_know_is_told(bert: LanguageModel) -> None:
    (scores,) = get_scorer("pll", "mlm").score(bert, [Pair("She is 東 here", "He is 東 here")])
    assert "does not know '東'" in scores.stereotyped.note
    assert scores.failure == ""
    (scores,) = get_scorer("pll", "mlm").score(bert, [Pair("She is 東", "She is 京")])
    assert "does not know '東', '京'" in scores.failure
    (scores,) = get_scorer("group-term", "mlm").score(bert, [Pair("東 is here", "he is here")])
    assert "does not know the term '東'" in scores.stereotyped.failure
    assert scores.against.failure == ""
    assert scores.failure == scores.stereotyped.failure


def test_versions_that_are_the_same_to_the_model_are_no_tie(bert: LanguageModel) -> None:
    scorer = get_scorer("pll", "mlm")
    (case,) = scorer.score(bert, [Pair("she is Here", "she is here")])
    assert "cannot distinguish them" in case.failure
    (same,) = scorer.score(bert, [Pair("she is here", "she is here")])
    assert "the same text" in same.failure


def test_versions_without_a_shared_token_have_no_crows_pairs_score(bert: LanguageModel) -> None:
    scorer = get_scorer("crows-pairs", "mlm")
    (scores,) = scorer.score(bert, [Pair("she is", "man nurse", unrelated="flower")])
    assert "share no token" in scores.failure
    assert scores.unrelated is not None
    assert "'pll'" in scores.unrelated.failure


def test_damaged_weights_are_told_sentence_by_sentence() -> None:
    lm = _open(tiny.bert, "mlm", "damaged")
    text = lm.tokenize("The woman is a nurse.")
    with torch.no_grad():
        lm.model.get_input_embeddings().weight[int(text.ids[4])] = float("nan")
    found = get_scorer("unmasked", "mlm").score(lm, [PAIRS[0], Pair("old man", "old woman")])
    assert "NaN" in found[0].failure


def test_a_scorer_refuses_a_model_of_another_kind(bert: LanguageModel, gpt2: LanguageModel) -> None:
    with pytest.raises(QueryError, match="'log-likelihood'"):
        SCORERS["pll"].score(gpt2, PAIRS)
    with pytest.raises(QueryError, match="'pll'"):
        SCORERS["log-likelihood"].score(bert, PAIRS)
    with pytest.raises(QueryError, match="no scorer 'perplexity' for a masked"):
        get_scorer("perplexity", "mlm")
    assert get_scorer(None, "mlm").name == "pll"
    assert get_scorer(None, "clm").name == "log-likelihood"


def test_without_a_token_for_the_beginning_the_first_does_not_count() -> None:
    def build() -> tuple[Any, Any]:
        model, tokenizer = tiny.gpt2()
        tokenizer.bos_token = tokenizer.eos_token = None
        return model, tokenizer

    lm = _open(build, "clm", "no beginning")
    assert "first token" in lm.notes[0]
    (scores,) = get_scorer(None, "clm").score(lm, [Pair("The nurse", "The man")])
    assert len(scores.stereotyped.tokens) == len(lm.tokenize("The nurse").ids) - 1
    (scores,) = get_scorer(None, "clm").score(lm, [Pair("a", "e")])
    assert "one token" in scores.failure


# Pairs as they are done, and stopping.


def test_pairs_come_once_each_and_a_stopped_run_keeps_them(bert: LanguageModel) -> None:
    class Stop(BaseException):
        pass

    class Stopping(JobContext):
        def __init__(self) -> None:
            self.reports: list[tuple[float, float | None]] = []

        def checkpoint(self) -> None:
            if self.reports:
                raise Stop

        def report(self, done: float, total: float | None = None, message: str = "") -> None:
            self.reports.append((done, total))

    many = [Pair(f"{p.stereotyped} {i}", f"{p.against} {i}") for i in range(10) for p in PAIRS]
    scorer = get_scorer("pll", "mlm")
    whole = dict(scorer.stream(bert, many))
    assert sorted(whole) == list(range(len(many)))
    kept: dict[int, PairScores] = {}
    context = Stopping()
    with pytest.raises(Stop):
        kept.update(scorer.stream(bert, many, context=context))
    assert 0 < len(kept) < len(many)
    (done, total) = context.reports[0]
    assert total is not None
    assert 0 < done < total
    for number, scores in kept.items():
        assert scores.log_odds == pytest.approx(whole[number].log_odds, abs=1e-4)


# Terms that are found by what differs.


def test_a_term_that_is_not_marked_is_what_differs() -> None:
    each = Pair("The old man is here.", "The young woman is here.", unrelated="The chair is here.")
    assert term_span(each, "stereotyped") == at(each.stereotyped, "old man")
    assert term_span(each, "against") == at(each.against, "young woman")
    assert term_span(each, "unrelated") == at("The chair is here.", "chair")
    with pytest.raises(QueryError, match="Mark the term"):
        term_span(Pair("He lost his way", "She lost her way"), "stereotyped")
    assert changed_span("a b", "a b c") is None
    assert changed_span("a b", "a b") is None


WORDS = st.sampled_from(
    ["nurse", "man", "woman", "is", "a", "the", "here", "she", "he", "東", "😀"]
)


@settings(max_examples=20)
@given(st.lists(WORDS, min_size=1, max_size=8), st.lists(WORDS, min_size=1, max_size=8))
def test_swapping_the_versions_turns_the_sign(first: list[str], second: list[str]) -> None:
    lm = _hypothesis_model()
    one = Pair(" ".join(first), " ".join(second))
    other = Pair(one.against, one.stereotyped)
    # Not the CrowS-Pairs score: what difflib takes as shared can depend on the order.
    for name in ("pll", "pll-word-l2r", "unmasked"):
        here, there = SCORERS[name].score(lm, [one, other])
        assert (here.log_odds is None) == (there.log_odds is None)
        if here.log_odds is not None and there.log_odds is not None:
            assert here.log_odds == pytest.approx(-there.log_odds, abs=1e-3)
        else:
            assert here.failure
    (shared,) = SCORERS["crows-pairs"].score(lm, [one])
    if not shared.failure:
        assert shared.stereotyped.tokens == shared.against.tokens


_opened: list[LanguageModel] = []


def _hypothesis_model() -> LanguageModel:
    if not _opened:
        _opened.append(_open(tiny.bert, "mlm", "tiny bert"))
    return _opened[0]


def test_each_scorer_says_what_it_is() -> None:
    assert set(SCORERS) == {
        "pll", "pll-word-l2r", "crows-pairs", "unmasked", "group-term", "group-term-logit",
        "log-likelihood", "log-likelihood-per-token", "mean-loss",
    }  # fmt: skip
    for name, scorer in SCORERS.items():
        assert scorer.name == name
        assert scorer.label
        assert "=" in scorer.formula
        assert scorer.about.endswith(".")
        assert scorer.source
