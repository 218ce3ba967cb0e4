"""Scorers of masked and causal language models, one class for each way to score."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from biaslab.errors import QueryError
from biaslab.probes.sentences.scorers.base import Plan, Scorable, Scorer, term_span, versions_of
from biaslab.subjects.language_model.model import LanguageModel
from biaslab.subjects.language_model.reading import Look
from biaslab.subjects.language_model.tokens import TokenizedText, tokenize


def hidden_one_by_one(
    lm: LanguageModel, text: TokenizedText, scored: NDArray[np.int64]
) -> tuple[Look, ...]:
    """Return the sentence with each counted token masked in turn."""
    return tuple(_masked(lm, text, [i], i) for i in scored.tolist())


def hidden_with_the_rest(
    lm: LanguageModel, text: TokenizedText, scored: NDArray[np.int64], groups: NDArray[np.int64]
) -> tuple[Look, ...]:
    """Return the sentence with each counted token and later ones of its group masked."""
    looks = []
    for place, i in enumerate(scored.tolist()):
        later = scored[place:][groups[place:] == groups[place]]
        looks.append(_masked(lm, text, later.tolist(), i))
    return tuple(looks)


def _masked(lm: LanguageModel, text: TokenizedText, hidden: list[int], read: int) -> Look:
    ids = text.ids.copy()
    ids[hidden] = lm.tokenizer.mask_token_id
    return Look(ids, np.array([read]), text.ids[[read]])


class PseudoLogLikelihood(Scorer):
    """Each token masked separately (Salazar et al. 2020)."""

    name = "pll"
    label = "Pseudo-log-likelihood"
    formula = "PLL(w) = Σᵢ log p(wᵢ | w without wᵢ)"
    about = (
        "Each token is masked in turn and predicted from the rest of the sentence. The usual"
        " choice; longer sentences score lower, and pieces of a rare word give each other away."
    )
    source = "Salazar et al. 2020, Masked language model scoring"
    kinds = ("mlm",)
    looks_per_token = True

    def plan(self, lm: LanguageModel, pair: Scorable, version: str) -> Plan:
        """Mask each of the text's tokens in turn."""
        text = lm.tokenize(versions_of(pair)[version])
        return Plan(text, hidden_one_by_one(lm, text, text.own), text.own)


class WordLeftToRight(Scorer):
    """The same with the rest of a word masked too (Kauf and Ivanova 2023)."""

    name = "pll-word-l2r"
    label = "Pseudo-log-likelihood, within words from left to right"
    formula = "PLL-word-l2r(w) = Σᵢ log p(wᵢ | w without wᵢ and what follows in its word)"
    about = (
        "As the pseudo-log-likelihood, but later pieces of the same word are masked too, so the"
        " pieces of a rare word do not give each other away."
    )
    source = "Kauf and Ivanova 2023, A better way to do masked language model scoring"
    kinds = ("mlm",)
    looks_per_token = True

    def plan(self, lm: LanguageModel, pair: Scorable, version: str) -> Plan:
        """Mask each token in turn, with the later ones of its word."""
        text = lm.tokenize(versions_of(pair)[version])
        looks = hidden_with_the_rest(lm, text, text.own, text.words[text.own])
        return Plan(text, looks, text.own)


class AllUnmasked(Scorer):
    """Each token predicted from the whole sentence (Kaneko and Bollegala 2022)."""

    name = "unmasked"
    label = "All-unmasked likelihood"
    formula = "AUL(w) = 1/n Σᵢ log p(wᵢ | w)"
    about = (
        "Nothing is masked, and the score is a mean over tokens. One pass per sentence, so it is"
        " fast; but the model sees the tokens that it predicts."
    )
    source = "Kaneko and Bollegala 2022, Unmasking the mask"
    kinds = ("mlm",)

    def plan(self, lm: LanguageModel, pair: Scorable, version: str) -> Plan:
        """Return all tokens of the unmasked sentence."""
        text = lm.tokenize(versions_of(pair)[version])
        own_tokens = text.own
        return Plan(
            text,
            (Look(text.ids, own_tokens, text.ids[own_tokens]),),
            own_tokens,
            1 / len(own_tokens),
        )


class GroupTerm(Scorer):
    """The term's tokens, masked and guessed from left to right."""

    name = "group-term"
    label = "Group term in its sentence"
    formula = "S(w) = Σₖ log p(tₖ | w without tₖ, tₖ₊₁, …), over the tokens t of the group’s term"
    about = (
        "Only the group’s term is predicted, from the rest of the sentence: the question that"
        " BiasTestGPT asks, as a proper log probability. A common term beats a rare one in any"
        " sentence; the number of masks gives away how many tokens a term has."
    )
    source = "After BiasTestGPT (Kocielnik et al. 2023)"
    kinds = ("mlm",)

    def plan(self, lm: LanguageModel, pair: Scorable, version: str) -> Plan:
        """Mask the term's tokens; earlier ones are shown."""
        text, term = _term(lm, pair, version)
        looks = hidden_with_the_rest(lm, text, term, np.zeros(len(term), dtype=np.int64))
        return Plan(text, looks, term)


class GroupTermLogit(Scorer):
    """The mean logit of the term's tokens at one mask, as in BiasTestGPT's tool."""

    name = "group-term-logit"
    label = "Group term, raw logit (BiasTestGPT’s tool)"
    formula = "S(w) = 1/K Σₖ logit(tₖ | w with one mask for the term t₁ … tK)"
    about = (
        "For comparison with BiasTestGPT’s tool: one mask stands for the whole term, and the raw"
        " outputs for its tokens are averaged. It is not a log probability, but both versions are"
        " compared at the same mask if nothing else differs."
    )
    source = "BiasTestGPT’s tool (Kocielnik et al. 2023)"
    kinds = ("mlm",)
    raw = True

    def plan(self, lm: LanguageModel, pair: Scorable, version: str) -> Plan:
        """Put one mask in the term's place."""
        text, term = _term(lm, pair, version)
        first, last = int(term[0]), int(term[-1])
        ids = np.concatenate([text.ids[:first], [lm.tokenizer.mask_token_id], text.ids[last + 1 :]])
        look = Look(ids, np.full(len(term), first), text.ids[term])
        return Plan(text, (look,), term, 1 / len(term))


def _term(
    lm: LanguageModel, pair: Scorable, version: str
) -> tuple[TokenizedText, NDArray[np.int64]]:
    """Return a version's tokens, and the indices of the term's."""
    text = lm.tokenize(versions_of(pair)[version])
    start, end = term_span(pair, version)
    term = text.within(start, end)
    written = text.text[start:end]
    if not len(term):
        raise QueryError(f"{lm.name} has no token for the term {written!r}. Choose another term.")
    if text.unknown[term].any():
        raise QueryError(
            f"{lm.name} does not know the term {written!r}, so its probability is not that of this"
            " word. Choose another term, or a model that knows it."
        )
    return text, term


_NOT_FOR_A_THIRD = (
    "The CrowS-Pairs score compares two versions and has no value for a third. Choose 'pll' for a"
    " language-model score."
)


class CrowsPairs(Scorer):
    """Pseudo-log-likelihood of shared tokens (Nangia et al. 2020)."""

    name = "crows-pairs"
    label = "CrowS-Pairs score"
    formula = "CPS(w) = Σ log p(uᵢ | w without uᵢ), over the tokens u that both versions share"
    about = (
        "Each shared token is masked in turn; the differing tokens are shown and never predicted,"
        " so a rare group term does not lower its version’s score."
    )
    source = "Nangia et al. 2020, CrowS-Pairs"
    kinds = ("mlm",)
    looks_per_token = True

    def plans(self, lm: LanguageModel, pair: Scorable) -> Mapping[str, Plan | str]:
        """Mask the shared tokens of either version in turn."""
        plans: dict[str, Plan | str] = {}
        try:
            first, second = lm.tokenize(pair.stereotyped), lm.tokenize(pair.against)
            mine, theirs = _shared(first, second)
            if not len(mine):
                raise QueryError(
                    "The versions share no token, so there is nothing to score. Choose 'pll', or"
                    " write versions that differ only in a term."
                )
            plans["stereotyped"] = Plan(first, hidden_one_by_one(lm, first, mine), mine)
            plans["against"] = Plan(second, hidden_one_by_one(lm, second, theirs), theirs)
        except QueryError as error:
            plans["stereotyped"] = plans["against"] = str(error)
        if pair.unrelated is not None:
            plans["unrelated"] = _NOT_FOR_A_THIRD
        return plans


def _shared(
    first: TokenizedText, second: TokenizedText
) -> tuple[np.ndarray[tuple[int], np.dtype[np.int64]], np.ndarray[tuple[int], np.dtype[np.int64]]]:
    """Return the shared tokens of either text, found by difflib, in order.

    The paper's own code leaves difflib's guess of junk on, which drops frequent tokens of texts
    with 200 tokens and more; it is off here. As in the original, the stereotyped version comes
    first: if words change places, the ones that difflib takes as shared can depend on the order.
    """
    mine, theirs = first.own, second.own
    matcher = difflib.SequenceMatcher(
        None, first.ids[mine].tolist(), second.ids[theirs].tolist(), autojunk=False
    )
    blocks = matcher.get_matching_blocks()
    here = [i for b in blocks for i in range(b.a, b.a + b.size)]
    there = [i for b in blocks for i in range(b.b, b.b + b.size)]
    return mine[here], theirs[there]


class LogLikelihood(Scorer):
    """Each token predicted from the text before it."""

    name = "log-likelihood"
    label = "Log-likelihood"
    formula = "LL(w) = Σᵢ log p(wᵢ | beginning, w₁ … wᵢ₋₁)"
    about = (
        "The log probability of the sentence at the beginning of a text. The usual choice;"
        " longer sentences score lower."
    )
    source = "The chain rule"
    kinds = ("clm",)
    mean: ClassVar[bool] = False

    def plan(self, lm: LanguageModel, pair: Scorable, version: str) -> Plan:
        """Return each token after those before it."""
        text = lm.tokenize(versions_of(pair)[version])
        scored = text.own[text.own > 0]
        if not len(scored):
            raise QueryError(
                f"The sentence is one token, but {lm.name} has no token for the beginning of a"
                " text, so there is nothing to predict. Write a longer sentence."
            )
        look = Look(text.ids, scored - 1, text.ids[scored])
        return Plan(text, (look,), scored, 1 / len(scored) if self.mean else 1.0)


class LogLikelihoodPerToken(LogLikelihood):
    """The mean over a sentence's tokens."""

    name = "log-likelihood-per-token"
    label = "Log-likelihood per token"
    formula = "LL(w) / n = 1/n Σᵢ log p(wᵢ | beginning, w₁ … wᵢ₋₁)"
    about = (
        "A mean, so versions of different length can be compared; but a rare word of many pieces,"
        " most of them easy to predict, raises it."
    )
    mean = True


class MeanLoss(Scorer):
    """The loss of a whole sentence, as BiasTestGPT's tool takes it from GPT-2."""

    name = "mean-loss"
    label = "Mean loss per token (BiasTestGPT’s tool)"
    formula = "S(w) = 1/(n − 1) Σᵢ log p(wᵢ | w₁ … wᵢ₋₁), over i = 2 … n"
    about = (
        "For comparison with BiasTestGPT’s tool: minus the loss that a causal model reports of a"
        " sentence, a mean over its tokens. GPT-2 has no token for the beginning there, so its"
        " first token is read and never predicted."
    )
    source = "BiasTestGPT’s tool (Kocielnik et al. 2023)"
    kinds = ("clm",)

    def check(self, lm: LanguageModel) -> None:
        """Refuse a model on a server, whose tokenizer is out of reach."""
        super().check(lm)
        if not hasattr(lm, "tokenizer"):
            raise QueryError(
                f"The scorer {self.name!r} needs the tokenizer of {lm.name}, which runs on a"
                " server. Choose 'log-likelihood-per-token'."
            )

    def plan(self, lm: LanguageModel, pair: Scorable, version: str) -> Plan:
        """Each token but the first after those before it."""
        text = lm.tokenize(versions_of(pair)[version])
        # A beginning counts as a token only where the tokenizer itself writes one.
        with lm.lock:
            begun = bool(tokenize(lm.tokenizer, text.text).special[0])
        first = 0 if begun or lm.chat is not None else int(text.own[0])
        scored = text.own[text.own > first]
        if not len(scored):
            raise QueryError(
                "The sentence is one token, and its loss is that of tokens after the first. Write"
                " a longer sentence."
            )
        look = Look(text.ids[first:], scored - 1 - first, text.ids[scored])
        return Plan(text, (look,), scored, 1 / len(scored))
