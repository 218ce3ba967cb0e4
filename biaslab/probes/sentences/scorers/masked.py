"""Scores of whole sentences by masked language models."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from biaslab.probes.sentences.scorers.base import Plan, Scorable, Scorer, versions_of
from biaslab.subjects.language_model.model import LanguageModel
from biaslab.subjects.language_model.reading import Look
from biaslab.subjects.language_model.tokens import TokenizedText


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
