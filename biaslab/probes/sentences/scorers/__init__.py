"""Scorers by name: probabilities of a sentence's versions."""

from __future__ import annotations

from biaslab.errors import QueryError
from biaslab.probes.sentences.scorers.base import (
    MEMORY_MB,
    SCORERS,
    VERSIONS,
    PairScores,
    Plan,
    Scorable,
    Scorer,
    SentenceScore,
    changed_span,
    scorers_for,
    term_span,
)
from biaslab.probes.sentences.scorers.methods import (
    AllUnmasked,
    CrowsPairs,
    GroupTerm,
    GroupTermLogit,
    LogLikelihood,
    LogLikelihoodPerToken,
    MeanLoss,
    PseudoLogLikelihood,
    WordLeftToRight,
)

SCORERS.update(
    {
        scorer.name: scorer
        for scorer in (
            PseudoLogLikelihood(),
            WordLeftToRight(),
            CrowsPairs(),
            AllUnmasked(),
            GroupTerm(),
            GroupTermLogit(),
            LogLikelihood(),
            LogLikelihoodPerToken(),
            MeanLoss(),
        )
    }
)


def get_scorer(name: str | None, kind: str) -> Scorer:
    """Return the scorer of this name, or the default one of a kind of language model.

    Parameters
    ----------
    name : str, optional
        One of `SCORERS`; by default ``"pll"`` of a masked and ``"log-likelihood"`` of a causal
        model.
    kind : {"mlm", "clm"}
        The model's kind.

    Raises
    ------
    QueryError
        When there is none of this name for this kind: lists the available ones.
    """
    fitting = scorers_for(kind)
    if name is None:
        return fitting[0]
    if name not in SCORERS or SCORERS[name] not in fitting:
        listed = ", ".join(repr(each.name) for each in fitting)
        what = "masked" if kind == "mlm" else "causal"
        raise QueryError(f"There is no scorer {name!r} for a {what} model. Choose one of {listed}.")
    return SCORERS[name]


__all__ = [
    "MEMORY_MB",
    "SCORERS",
    "VERSIONS",
    "AllUnmasked",
    "CrowsPairs",
    "GroupTerm",
    "GroupTermLogit",
    "LogLikelihood",
    "LogLikelihoodPerToken",
    "MeanLoss",
    "PairScores",
    "Plan",
    "PseudoLogLikelihood",
    "Scorable",
    "Scorer",
    "SentenceScore",
    "WordLeftToRight",
    "changed_span",
    "get_scorer",
    "scorers_for",
    "term_span",
]
