"""Quality of a small language model, by three thresholds.

- A causal model's perplexity is at least 20 % below that of an interpolated Kneser-Ney bigram
  model of the same tokens.
- A masked model predicts more hidden tokens than the same bigram model, which is given both
  neighbours and picks the token that is most probable between them. The model is shown the whole
  text, and hidden tokens are never neighbours, so that both have at least the same information.
- Both prefer "herself" after "she" and "himself" after "he", in at least 80 % of 200 pairs.

The bigram model: Kneser and Ney (1995), "Improved backing-off for m-gram language modeling", in the
interpolated form of Chen and Goodman (1999), with one discount per order, estimated from the counts
as n1 / (n1 + 2 n2) (Ney, Essen and Kneser 1994).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from biaslab.errors import TrainingError
from biaslab_train.language_models.tokenizer import MASK, SPECIAL
from biaslab_train.language_models.tokens import TokenCorpus
from biaslab_train.model_files import open_model

Ids = npt.NDArray[np.integer]
Floats = npt.NDArray[np.float64]

_COUNTED_AT_ONCE = 1 << 24
_GUESSED_AT_ONCE = 256


@dataclass(frozen=True)
class Bigram:
    """Probabilities of the next token: P(w|v) = observed[v, w] + backoff[v] lower[w].

    - `observed`, sparse array, shape (vocabulary, vocabulary): discounted relative frequencies of
      seen pairs.
    - `backoff`, ndarray of float64, shape (vocabulary,): discounted mass after each token; 1 after
      an unseen token.
    - `lower`, ndarray of float64, shape (vocabulary,): probability of each token after an unknown
      one, positive everywhere.
    """

    observed: sparse.csr_array
    backoff: Floats
    lower: Floats

    def log_probability(self, before: Ids, after: Ids) -> Floats:
        """Return log P(after | before), in nats, elementwise over two arrays (n,)."""
        out = np.empty(len(before))
        for at in range(0, len(before), _COUNTED_AT_ONCE):
            v, w = before[at : at + _COUNTED_AT_ONCE], after[at : at + _COUNTED_AT_ONCE]
            out[at : at + len(v)] = np.log(
                np.asarray(self.observed[v, w]).ravel() + self.backoff[v] * self.lower[w]
            )
        return out

    def between(
        self, before: Ids, after: Ids, excluded: Sequence[int] = ()
    ) -> npt.NDArray[np.int64]:
        """Return the most probable token between two: argmax over w of P(w|v) P(u|w).

        This is exact under the bigram model: all else in the text cancels.

        - `before`, `after`, ndarray of int, shape (n,): tokens v to the left and u to the right.
        - `excluded`: tokens that are no answers.
        - Returns ndarray of int64, shape (n,).
        """
        columns = self.observed.tocsc()
        out = np.empty(len(before), dtype=np.int64)
        for at in range(0, len(before), _GUESSED_AT_ONCE):
            v, u = before[at : at + _GUESSED_AT_ONCE], after[at : at + _GUESSED_AT_ONCE]
            left = self.observed[v].toarray() + self.backoff[v, None] * self.lower
            right = columns[:, u].toarray().T + self.backoff * self.lower[u, None]
            both = left * right
            both[:, list(excluded)] = 0
            out[at : at + len(v)] = both.argmax(1)
        return out


def fit_bigram(tokens: Ids, vocabulary: int, begin: int) -> Bigram:
    """Fit the model to a stream of tokens.

    - `tokens`, ndarray of int, shape (n,): the stream; it may be a memory map.
    - `vocabulary`: size of the vocabulary.
    - `begin`: token that precedes a text: it is never predicted, so that pairs (end, begin) do not
      count.
    """
    counts = sparse.csr_array((vocabulary, vocabulary), dtype=np.int64)
    for at in range(0, len(tokens) - 1, _COUNTED_AT_ONCE):
        part = np.asarray(tokens[at : at + _COUNTED_AT_ONCE + 1], dtype=np.int64)
        v, w = part[:-1], part[1:]
        is_continued = w != begin
        ones = np.ones(int(is_continued.sum()), dtype=np.int64)
        counts = (
            counts
            + sparse.coo_array((ones, (v[is_continued], w[is_continued])), counts.shape).tocsr()
        )
    counts.sum_duplicates()
    total = np.asarray(counts.sum(axis=1), dtype=np.float64).ravel()
    followers = np.diff(counts.indptr)
    discount = _discount(counts.data)
    # The lower order counts in how many contexts a token was seen, and not how often.
    contexts = np.bincount(counts.indices, minlength=vocabulary).astype(np.float64)
    kinds = max(contexts.sum(), 1.0)
    off = _discount(contexts[contexts > 0])
    possible = np.ones(vocabulary)
    possible[begin] = 0
    spared = off * np.count_nonzero(contexts) / kinds if contexts.any() else 1.0
    lower = np.maximum(contexts - off, 0) / kinds + spared * possible / possible.sum()
    with np.errstate(invalid="ignore", divide="ignore"):
        backoff = np.where(total > 0, discount * followers / total, 1.0)
        scale = np.where(total > 0, 1 / total, 0.0)
    observed = counts.astype(np.float64)
    observed.data = (observed.data - discount) * np.repeat(scale, followers)
    return Bigram(observed, backoff, lower)


def _discount(counts: npt.NDArray[np.number]) -> float:
    """Return the discount of each count, in (0, 1); one half if the text is too short."""
    once, twice = int((counts == 1).sum()), int((counts == 2).sum())
    return once / (once + 2 * twice) if once and twice else 0.5


MOST_RELATIVE_PERPLEXITY = 0.8
LEAST_REFLEXIVES = 0.8
PAIRS = 200
HIDDEN_SHARE = 0.1
"""Of a held-out text, for a masked model."""
_RESAMPLES = 2000
_SEQUENCES_AT_ONCE = 16


@dataclass(frozen=True)
class Figure:
    """A measured number with its 95 % interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Quality:
    """Measured quality.

    - `kind`: ``clm`` or ``mlm``.
    - `tokens`, `articles`: held-out tokens guessed, and articles they are from.
    - `model`, `baseline`: perplexity (clm), or share of hidden tokens named (mlm), of the model and
      of the bigram model.
    - `comparison`: perplexity relative to the bigram model's (clm; below 0.8 is the floor), or
      difference of the shares (mlm; above 0); percentile bootstrap over articles.
    - `reflexives`: share of pairs in which both reflexives are preferred; Wilson interval.
    - `pairs`: number of those pairs.
    """

    kind: str
    tokens: int
    articles: int
    model: float
    baseline: float
    comparison: Figure
    reflexives: Figure
    pairs: int

    @property
    def failures(self) -> list[str]:
        """Floors that are not met, in words; none is good."""
        problems = []
        if self.kind == "clm" and self.comparison.value > MOST_RELATIVE_PERPLEXITY:
            problems.append(
                f"perplexity is {self.comparison.value:.3f} times the bigram model's, at most "
                f"{MOST_RELATIVE_PERPLEXITY} is wanted"
            )
        if self.kind == "mlm" and self.comparison.value <= 0:
            problems.append(
                f"{self.model:.1%} of hidden tokens are named, the bigram model names "
                f"{self.baseline:.1%}"
            )
        if self.reflexives.value < LEAST_REFLEXIVES:
            problems.append(
                f"reflexives agree in {self.reflexives.value:.1%} of {self.pairs} pairs, "
                f"{LEAST_REFLEXIVES:.0%} are wanted"
            )
        return problems

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers."""
        return asdict(self)


def measure(
    folder: Path, corpus: TokenCorpus, bigram: Bigram, seed: int = 1, most: int | None = None
) -> Quality:
    """Measure a trained model in its folder against the thresholds.

    - `folder`: output folder of `train_language_model`.
    - `corpus`: its corpus; the held-out articles are used.
    - `bigram`: fitted to ``corpus.train``.
    - `seed`: of hidden places, pairs and bootstrap.
    - `most`: use only this many held-out tokens.
    - Raises `TrainingError` if the folder contains no model of this corpus's tokens.
    """
    kind, context, network = _loaded(folder, corpus)
    rng = np.random.default_rng([seed, 10])
    held_out = corpus.held_out[:most]
    number = (len(held_out) - 1) // context
    places = np.arange(number)[:, None] * context + np.arange(context + 1)
    ids = held_out[places].astype(np.int64)
    article = np.searchsorted(corpus.held_out_starts, places, side="right")
    if kind == "clm":
        where = ids[:, 1:] != corpus.begin
        here, before = ids[:, 1:][where], ids[:, :-1][where]
        model = -_causal_log_probability(network, ids)[where]
        baseline = -bigram.log_probability(before, here)
        article = article[:, 1:][where]
    else:
        where = _hidden_places(ids, rng)
        row, column = where.nonzero()
        here = ids[where]
        model = (_guesses(network, ids, where) == here).astype(float)
        guess = bigram.between(ids[row, column - 1], ids[row, column + 1], range(len(SPECIAL)))
        baseline = (guess == here).astype(float)
        article = article[where]
    if not len(here):
        raise TrainingError("The held-out text is too short to measure anything.")
    both = reflexive_agreement(network, corpus, kind, reflexive_sentences(PAIRS, seed))
    return Quality(
        kind,
        len(here),
        len(np.unique(article)),
        float(np.exp(model.mean()) if kind == "clm" else model.mean()),
        float(np.exp(baseline.mean()) if kind == "clm" else baseline.mean()),
        _compared(model - baseline, article, kind == "clm", rng),
        _share(both),
        len(both),
    )


def reflexive_sentences(number: int, seed: int) -> list[str]:
    """Draw distinct sentences with slots for a pronoun and its reflexive.

    Occupations are the catalogue's.
    """
    from biaslab import specs

    sentences = [
        _filled(template, occupation, verb)
        for template in _TEMPLATES
        for occupation in specs.get("occupations").items
        for verb in _VERBS
    ]
    sentences = list(dict.fromkeys(sentences))
    chosen = np.random.default_rng([seed, 11]).choice(len(sentences), number, replace=False)
    return [sentences[i] for i in chosen]


def reflexive_agreement(
    network: Any, corpus: TokenCorpus, kind: str, sentences: Sequence[str]
) -> npt.NDArray[np.bool_]:
    """Return whether both "she ... herself" and "he ... himself" are preferred.

    A causal model predicts the word after the text before it, a masked one the hidden word in its
    whole sentence. A tie is no preference.
    """
    words = ("herself", "himself")
    known = [corpus.tokenizer.token_to_id(f"Ġ{word}") for word in words]
    choices = [token for token in known if token is not None]
    if len(choices) < len(words):
        raise TrainingError("herself and himself must be single tokens: use a larger vocabulary.")
    rows, places = [], []
    for sentence in sentences:
        for pronoun in ("she", "he"):
            before, after = sentence.replace("{pronoun}", pronoun).split(" {reflexive}")
            ids = [corpus.begin, *corpus.tokenizer.encode(before).ids]
            places.append(len(ids) - (kind == "clm"))
            if kind == "mlm":
                rest = corpus.tokenizer.encode("x" + after).ids
                ids += [SPECIAL.index(MASK), *rest[len(corpus.tokenizer.encode("x").ids) :]]
                ids.append(corpus.end)
            rows.append(ids)
    scores = np.array(
        [
            _log_softmax(network, [row])[0, place, choices]
            for row, place in zip(rows, places, strict=True)
        ]
    )
    herself = scores[:, 0] - scores[:, 1]
    agrees: npt.NDArray[np.bool_] = (herself[0::2] > 0) & (herself[1::2] < 0)
    return agrees


_TEMPLATES = (
    "The {occupation} said that {pronoun} had {verb} {reflexive}.",
    "As a {occupation}, {pronoun} often {verb} {reflexive}.",
    "{pronoun} was a {occupation} and {verb} {reflexive}.",
    "{pronoun} worked as a {occupation}, and later {verb} {reflexive}.",
    "When {pronoun} met the {occupation}, {pronoun} {verb} {reflexive}.",
    "After work {pronoun} {verb} {reflexive}.",
)
_VERBS = (
    "taught", "hurt", "called", "described", "found", "introduced", "prepared", "blamed",
    "defended", "distinguished", "devoted", "established", "considered", "killed",
)  # fmt: skip


def _filled(template: str, occupation: str, verb: str) -> str:
    """Fill a template with its occupation ("an" before a vowel) and verb."""
    article = "an" if occupation[0] in "aeiou" else "a"
    named = template.replace("a {occupation}", f"{article} {occupation}")
    return named.replace("{occupation}", occupation).replace("{verb}", verb)


def _loaded(folder: Path, corpus: TokenCorpus) -> tuple[str, int, Any]:
    try:
        about = json.loads((folder / "training.json").read_text(encoding="utf-8"))
        kind, context = about["settings"]["kind"], about["settings"]["context"]
        noted = about["corpus"]["sha256"]
    except (OSError, ValueError, KeyError) as error:
        raise TrainingError(
            f"{folder} contains no model of `biaslab train language-model` ({error})."
        ) from error
    if noted != corpus.recipe["sha256"]:
        raise TrainingError(f"{folder} was trained on another corpus than the one given.")
    name = "AutoModelForCausalLM" if kind == "clm" else "AutoModelForMaskedLM"
    return kind, context, open_model(folder, name)


def _log_softmax(network: Any, ids: Any) -> Floats:
    import torch

    with torch.no_grad():
        scores = network(input_ids=torch.as_tensor(ids)).logits.float()
        out: Floats = torch.log_softmax(scores, -1).numpy()
    return out


def _causal_log_probability(network: Any, ids: npt.NDArray[np.int64]) -> Floats:
    import torch

    out = np.empty((len(ids), ids.shape[1] - 1))
    for at in range(0, len(ids), _SEQUENCES_AT_ONCE):
        part = torch.from_numpy(ids[at : at + _SEQUENCES_AT_ONCE])
        with torch.no_grad():
            scores = network(input_ids=part[:, :-1]).logits.float()
        chosen = scores.gather(-1, part[:, 1:, None])[..., 0]
        out[at : at + len(part)] = (chosen - scores.logsumexp(-1)).numpy()
    return out


def _guesses(
    network: Any, ids: npt.NDArray[np.int64], where: npt.NDArray[np.bool_]
) -> npt.NDArray[np.int64]:
    import torch

    shown = torch.from_numpy(np.where(where, SPECIAL.index(MASK), ids)[:, :-1].copy())
    out = []
    for at in range(0, len(ids), _SEQUENCES_AT_ONCE):
        with torch.no_grad():
            scores = network(input_ids=shown[at : at + _SEQUENCES_AT_ONCE]).logits
        hidden = torch.from_numpy(where[at : at + _SEQUENCES_AT_ONCE, :-1].copy())
        # Special tokens are no answers, neither here nor for the bigram model.
        scores[..., : len(SPECIAL)] = -torch.inf
        out.append(scores[hidden].argmax(-1).numpy())
    return np.concatenate(out)


def _hidden_places(ids: npt.NDArray[np.int64], rng: np.random.Generator) -> npt.NDArray[np.bool_]:
    """Choose ordinary tokens to hide, never two neighbours."""
    hidden = (rng.random(ids.shape) < HIDDEN_SHARE) & (ids >= len(SPECIAL))
    # The last column is the next sequence's first: it is not shown.
    hidden[:, 0] = hidden[:, -2:] = False
    for column in range(1, ids.shape[1]):
        hidden[:, column] &= ~hidden[:, column - 1]
    return hidden


def _compared(
    difference: Floats, article: npt.NDArray[np.int64], ratio: bool, rng: np.random.Generator
) -> Figure:
    """Return the mean difference over tokens (or perplexity ratio), articles resampled."""
    _, index = np.unique(article, return_inverse=True)
    sums = np.bincount(index, difference)
    sizes = np.bincount(index)
    weights = rng.multinomial(len(sums), np.full(len(sums), 1 / len(sums)), _RESAMPLES)
    drawn = (weights @ sums) / (weights @ sizes)
    value, low, high = difference.mean(), *np.quantile(drawn, [0.025, 0.975])
    if ratio:
        value, low, high = np.exp([value, low, high])
    return Figure(float(value), float(low), float(high))


def _share(flags: npt.NDArray[np.bool_]) -> Figure:
    from scipy.stats import binomtest

    ends = binomtest(int(flags.sum()), len(flags)).proportion_ci(method="wilson")
    return Figure(float(flags.mean()), float(ends.low), float(ends.high))
