"""Scores of the group's term in its sentence, by masked language models."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from biaslab.errors import QueryError
from biaslab.probes.sentences.scorers.base import Plan, Scorable, Scorer, term_span, versions_of
from biaslab.probes.sentences.scorers.masked import hidden_with_the_rest
from biaslab.subjects.language_model.model import LanguageModel
from biaslab.subjects.language_model.reading import Look
from biaslab.subjects.language_model.tokens import TokenizedText


class GroupTerm(Scorer):
    """The term's tokens, masked and guessed from left to right."""

    name = "group-term"
    label = "Group term in its sentence"
    formula = "S(w) = Σₖ log p(tₖ | w without tₖ, tₖ₊₁, …), over the tokens t of the group's term"
    about = (
        "Only the group's term is predicted, from the rest of the sentence: the question that"
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
    label = "Group term, raw logit (BiasTestGPT's tool)"
    formula = "S(w) = 1/K Σₖ logit(tₖ | w with one mask for the term t₁ … tK)"
    about = (
        "For comparison with BiasTestGPT's tool: one mask stands for the whole term, and the raw"
        " outputs for its tokens are averaged. It is not a log probability, but both versions are"
        " compared at the same mask if nothing else differs."
    )
    source = "BiasTestGPT's tool (Kocielnik et al. 2023)"
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
