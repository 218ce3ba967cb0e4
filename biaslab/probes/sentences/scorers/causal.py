"""Scores of whole sentences by causal language models."""

from __future__ import annotations

from typing import ClassVar

from biaslab.errors import QueryError
from biaslab.probes.sentences.scorers.base import Plan, Scorable, Scorer, versions_of
from biaslab.subjects.language_model.model import LanguageModel
from biaslab.subjects.language_model.reading import Look
from biaslab.subjects.language_model.tokens import tokenize


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
    label = "Mean loss per token (BiasTestGPT's tool)"
    formula = "S(w) = 1/(n − 1) Σᵢ log p(wᵢ | w₁ … wᵢ₋₁), over i = 2 … n"
    about = (
        "For comparison with BiasTestGPT's tool: minus the loss that a causal model reports of a"
        " sentence, a mean over its tokens. GPT-2 has no token for the beginning there, so its"
        " first token is read and never predicted."
    )
    source = "BiasTestGPT's tool (Kocielnik et al. 2023)"
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
