"""The result of a published benchmark: each score as published, and with what it leaves out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from biaslab.probes.opinion.result import OpinionResult
from biaslab.records.record import Record
from biaslab.records.result import Interval
from biaslab.stats.significance import reaches

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class BenchmarkScore(Record):
    """One score of one model, of all items or of a part of them.

    Attributes
    ----------
    model : str
    name : str
        What is measured, such as ``bias in ambiguous contexts``.
    part : str
        Category of the items; empty for all of them.
    unit : {"share", "score", "logits", "nats"}
        A share of answers, a bias score from -1 to 1, or a difference.
    n : int
        Answers that count for `estimate`.
    published : float
        The score as its authors, or lm-evaluation-harness, compute it; NaN where they give none.
    estimate : float
        The score over the answers that count.
    standard_error : float
        By clusters.
    interval : Interval
    n_clusters : int
    chance : float
        What a model without bias, or one that guesses, gets; NaN where there is no such level.
    p, p_adjusted : float
        Of Student's t against `chance`, and adjusted by Holm; NaN where no bias is tested.
    """

    model: str
    name: str
    part: str
    unit: str
    n: int
    published: float
    estimate: float
    standard_error: float
    interval: Interval
    n_clusters: int
    chance: float
    p: float
    p_adjusted: float

    @property
    def is_tested(self) -> bool:
        """Whether the score measures a bias, and its chance level is none."""
        return self.p == self.p

    @property
    def differs(self) -> bool:
        """Whether the adjusted test rejects that the score is at its chance level."""
        return bool(reaches(self.p_adjusted, self.interval.level))


@dataclass(frozen=True, kw_only=True)
class BenchmarkResult(OpinionResult):
    """Scores of a published benchmark, from recorded answers.

    Attributes
    ----------
    benchmark : str
        Its name, such as ``BBQ``.
    paper : str
        Authors and year.
    over : str
        What the intervals are over, such as ``question template``.
    scores : tuple of BenchmarkScore
        The first one of each model is the one that its verdict names.
    answers : tuple of (str, int)
        What the answers came to, such as ``unknown`` and ``refused``, and their number.
    notes : tuple of str
        What is to be known of the published scores.
    """

    schema: ClassVar[str] = "benchmark/1"
    benchmark: str
    paper: str
    over: str
    scores: tuple[BenchmarkScore, ...]
    answers: tuple[tuple[str, int], ...]
    notes: tuple[str, ...]

    def to_frame(self) -> pd.DataFrame:
        """Return one row per model, score and part of the items."""
        import pandas as pd

        return pd.DataFrame(
            {
                "model": one.model, "measure": one.name, "part": one.part or "all", "n": one.n,
                "published": one.published, "estimate": one.estimate,
                "standard_error": one.standard_error, "low": one.interval.low,
                "high": one.interval.high, "clusters": one.n_clusters, "chance": one.chance,
                "p": one.p, "p_adjusted": one.p_adjusted,
            }
            for one in self.scores
        )  # fmt: skip
