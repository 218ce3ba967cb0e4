"""Results of `bl.stereotype_score` (Jiang et al. 2023, section 2), and their differences."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from biaslab.errors import QueryError
from biaslab.probes.crossed_groups import CrossedGroups, Factors
from biaslab.probes.leaning import lean
from biaslab.probes.sentences.language_model_score import LanguageModelScore
from biaslab.probes.sentences.pairs import SentencePair
from biaslab.probes.sentences.scorers.base import PairScores
from biaslab.probes.sentences.stereotype_shares import (
    Placebo,
    Pull,
    ScoredPairs,
    StereotypeShare,
    Weighting,
    crossed_terms,
    one_sided,
    signs,
)
from biaslab.records.record import Record
from biaslab.records.result import Interval, Result, Worded
from biaslab.stats.curves.sigmoids import Floats
from biaslab.stats.reproducibility import seed_number

if TYPE_CHECKING:
    import pandas as pd


_DECIDED = ("stereotyped", "against")


@dataclass(frozen=True)
class ShareDifference(Record, Worded):
    """Difference of two models' shares over the pairs that both decide.

    Attributes
    ----------
    names : (str, str)
        The models.
    shares : (float, float)
        Of either, over these pairs, weighted as the first result's headline.
    n_pairs : int
        Decided by both.
    left_out : int
        Pairs that only one has, or that are a tie or a failure with one.
    difference : float
        First less second, in [-1, 1]; above 0 the first prefers the stereotype more often.
    interval : Interval
        Of the difference, over attributes, terms and sentences. It is narrower than two intervals
        side by side suggest, as both models answer the same sentences.
    """

    names: tuple[str, str]
    shares: tuple[float, float]
    n_pairs: int
    left_out: int
    difference: float
    interval: Interval

    @property
    def lean(self) -> int:
        """1 if the first prefers the stereotype more often, -1 if the second, 0 if untold."""
        return lean(self.interval, 0.0)


def compared(
    result_1: StereotypeScore,
    result_2: StereotypeScore,
    *,
    resamples: int = 2000,
    rng: int | np.random.Generator = 0,
) -> ShareDifference:
    """Compare two results pair by pair.

    - `result_1`, `result_2`: of the same sentences; pairs are matched by their id.
    - `rng`: of the bootstrap.
    - Raises `QueryError` if there is no pair that both decide.
    """
    pairs, won = decided_by_both(result_1, result_2)
    if not pairs:
        raise QueryError(
            "There is no pair that both models decide. Score both on the same sentences."
        )
    scored = ScoredPairs(
        pairs,
        won[:, 0].astype(float) - won[:, 1],
        tie_within=0.0,
        level=result_1.level,
        resamples=resamples,
        seed=seed_number(rng),
    )
    every = {p.id for p in result_1.pairs} | {p.id for p in result_2.pairs}
    first_share, second_share, limits = _shares(scored, won[scored.order], result_1.weighting)
    # With few pairs the limits exceed the range of a difference of shares.
    low, high = (min(max(end, -1.0), 1.0) for end in limits)
    return ShareDifference(
        names=(result_1.provenance.subject, result_2.provenance.subject),
        shares=(first_share, second_share),
        n_pairs=len(pairs),
        left_out=len(every) - len(pairs),
        difference=first_share - second_share,
        interval=Interval(
            low, high, result_1.level, scored.over(attributes=scored.several_attributes)
        ),
    )


def decided_pairs(result: StereotypeScore) -> tuple[list[SentencePair], NDArray[np.bool_]]:
    """Return the decided pairs that name an attribute, and where the stereotype wins."""
    own = [
        (pair, outcome == _DECIDED[0])
        for pair, outcome in zip(result.pairs, result.outcomes, strict=True)
        if outcome in _DECIDED and pair.attribute
    ]
    return [pair for pair, _ in own], np.array([won for _, won in own], dtype=bool)


def decided_by_both(
    result_1: StereotypeScore, result_2: StereotypeScore
) -> tuple[list[SentencePair], NDArray[np.bool_]]:
    """Return the n pairs that both models decide, and where the stereotype wins, shape (n, 2)."""
    outcomes_2 = {p.id: o for p, o in zip(result_2.pairs, result_2.outcomes, strict=True)}
    both = [
        (pair, outcome == _DECIDED[0], outcomes_2[pair.id] == _DECIDED[0])
        for pair, outcome in zip(result_1.pairs, result_1.outcomes, strict=True)
        if outcome in _DECIDED and outcomes_2.get(pair.id) in _DECIDED
    ]
    return [pair for pair, *_ in both], np.array([won for _, *won in both], dtype=bool)


def _shares(
    scored: ScoredPairs, won: NDArray[np.bool_], weighting: Weighting
) -> tuple[float, float, tuple[float, float]]:
    """Return either model's share, and limits of their difference."""
    every = np.ones(len(won), dtype=bool)
    if not scored.several_attributes:
        drawn = scored.drawn(scored.log_odds, every, scored.clusters, "difference")
        first, second = won.mean(axis=0).tolist()
        return first, second, drawn.limits(scored.level)
    counted = every if weighting == "pairs" else scored.named
    first, second = (
        scored.over_attributes(won[:, i].astype(float), counted, weighting).estimate for i in (0, 1)
    )
    difference = scored.over_attributes(scored.log_odds, counted, weighting)
    return first, second, difference.limits(scored.level)


OUTCOMES = {1.0: "stereotyped", -1.0: "against", 0.0: "tie"}


@dataclass(frozen=True, kw_only=True)
class StereotypeScore(Result):
    """Which version of each pair a language model finds more probable.

    Attributes
    ----------
    scorer, scorer_label, formula : str
        The scorer's name, how it is called on the screen, and its definition.
    pairing : str
        Kind of term swapped: ``"group"`` or ``"attribute"``.
    pairs : tuple of SentencePair
        The n scored pairs.
    scores : tuple of PairScores
        Of both versions of each, with every token's contribution; or the reason for a failure.
    tie_within : float
        Log-odds this close to 0, in nats, are a tie.
    weighting : str
        What has equal weight in the headline: ``"groups"``, ``"attributes"`` or ``"pairs"``.
        ``"attributes"`` also if not one group has more of these than the other.
    macro : StereotypeShare or None
        All pairs with equal weight for attributes (the macro average): the mean of the attributes'
        shares, with intervals over other attributes, terms and sentences. By `weighting`
        ``"groups"`` the mean of both groups' means. None if the pairs name fewer than two
        attributes.
    micro : StereotypeShare
        All pairs with equal weight for decided pairs (the micro average).
    wilson : Interval
        Of the micro average, as if pairs were independent.
    p : float
        Two-sided p-value of the exact sign test over decided pairs, as if these were independent;
        NaN without decided pairs.
    attributes, attribute_lists, bias_types : tuple of StereotypeShare
        The same for parts of the pairs, in the order of the spec or of their first appearance;
        empty if the pairs name none.
    language_model : LanguageModelScore or None
        StereoSet's score and ICAT; None if no pair has an unrelated version.
    placebo : Placebo or None
        The headline of groups among which terms are changed at random; None with fewer than six
        terms.
    pull : Pull or None
        How often one group's version wins, whatever the stereotype; None unless both groups have
        stereotypes.
    unscored : int
        Pairs left when the run was stopped.
    level : float
        Of all intervals.
    unit : str
        Of log-odds: ``"nats"``, or ``"logits"`` of a scorer that reads raw outputs.
    notes : tuple of str
        Remarks for the user.
    """

    schema: ClassVar[str] = "stereotype-score/2"

    scorer: str
    scorer_label: str
    formula: str
    pairing: str
    pairs: tuple[SentencePair, ...]
    scores: tuple[PairScores, ...]
    tie_within: float
    weighting: Weighting
    macro: StereotypeShare | None
    micro: StereotypeShare
    wilson: Interval
    p: float
    attributes: tuple[StereotypeShare, ...]
    attribute_lists: tuple[StereotypeShare, ...] = ()
    bias_types: tuple[StereotypeShare, ...] = ()
    language_model: LanguageModelScore | None = None
    placebo: Placebo | None = None
    pull: Pull | None = None
    unscored: int = 0
    level: float = 0.95
    unit: str = "nats"
    notes: tuple[str, ...] = ()

    @property
    def overall(self) -> StereotypeShare:
        """The headline: `macro` or `micro`, by `weighting`."""
        return self.micro if self.macro is None or self.weighting == "pairs" else self.macro

    @property
    def beside(self) -> StereotypeShare | None:
        """The other one of `macro` and `micro`; None where there is no other."""
        return self.micro if self.overall is self.macro else self.macro

    @property
    def share(self) -> float:
        """Share of decided pairs in which the stereotyped version wins; 0.5 is neutral."""
        return self.overall.share

    @property
    def macro_share(self) -> float:
        """Mean of the attributes' shares; NaN where pairs name fewer than two attributes."""
        return float("nan") if self.macro is None else self.macro.share

    @property
    def micro_share(self) -> float:
        """Share of all decided pairs."""
        return self.micro.share

    @property
    def interval(self) -> Interval:
        """Interval of the share over other attributes, terms and sentences."""
        return self.overall.interval

    @property
    def lean(self) -> int:
        """1 for a bias with the stereotype, -1 for one against it, 0 for no clear bias.

        0 as well if `one_sided`.
        """
        return 0 if self.one_sided else lean(self.interval)

    @property
    def one_sided(self) -> tuple[str, str] | None:
        """Groups with and against the stereotype, if the same in all pairs: then no verdict.

        A preference for the first group's terms, whatever the sentence, would look like a bias.
        """
        return one_sided(self.pairs)

    @property
    def mean_log_odds(self) -> float:
        """Mean of log p(stereotyped) - log p(against), in nats, weighted as the share."""
        return self.overall.mean_log_odds

    @property
    def mean_log_odds_interval(self) -> Interval:
        """Interval of that mean over other attributes, terms and sentences."""
        return self.overall.mean_log_odds_interval

    @property
    def ties(self) -> int:
        """Number of pairs whose versions are equally probable."""
        return self.overall.ties

    @property
    def failures(self) -> int:
        """Pairs that could not be scored; `failed` says why."""
        return self.overall.failures

    @property
    def failed(self) -> tuple[tuple[SentencePair, str], ...]:
        """Pairs that could not be scored, with the reason."""
        both = zip(self.pairs, self.scores, strict=True)
        return tuple((pair, score.failure) for pair, score in both if score.log_odds is None)

    @property
    def log_odds(self) -> Floats:
        """Log-odds of each pair in nats, (n,); above 0 with the stereotype, NaN if failed."""
        values = [score.log_odds for score in self.scores]
        return np.array([np.nan if score is None else score for score in values], dtype=float)

    @property
    def outcomes(self) -> tuple[str, ...]:
        """Outcome of each pair: ``stereotyped``, ``against``, ``tie`` or ``failed``."""
        signs_ = signs(self.log_odds, self.tie_within)
        return tuple(OUTCOMES.get(float(sign), "failed") for sign in signs_)

    def attribute(self, name: str) -> StereotypeShare:
        """Return one attribute's share.

        Raises
        ------
        QueryError
            If no pair is about it.
        """
        for share in self.attributes:
            if share.name == name:
                return share
        known = ", ".join(share.name for share in self.attributes) or "none"
        raise QueryError(f"No pair is about {name!r}. Attributes are: {known}.")

    def crossed_groups(
        self, factors: Factors, *, signs: Mapping[str, float] | None = None
    ) -> CrossedGroups:
        """Estimate main effects and interactions of terms of crossed groups.

        A pair's log-odds are taken as the difference of two groups. The terms are taken as the
        complete set.

        Parameters
        ----------
        factors : mapping of str to mapping of str to sequence of str
            For each factor its levels with their terms, as `biaslab.frames.FrameSet.factors`.
        signs : mapping of str to float, optional
            Factor of each attribute's effects, such as `biaslab.frames.FrameSet.signs`; attributes
            that are not named are left out.

        Returns
        -------
        CrossedGroups
            Effects with intervals over other attributes and frames, and each attribute's effect
            drawn toward that of all (partial pooling).

        Raises
        ------
        QueryError
            When a term has no level or several, or the pairs do not connect all groups.
        ValueError
            With fewer than three attributes, or two frames.
        """
        return crossed_terms(
            self.pairs, self.log_odds, factors, signs, unit=self.unit, level=self.level
        )

    def compared_with(
        self, other: StereotypeScore, *, resamples: int = 2000, rng: int | np.random.Generator = 0
    ) -> ShareDifference:
        """Subtract another model's share on the same sentences from this one.

        Parameters
        ----------
        other : StereotypeScore
        resamples : int
        rng : int or numpy.random.Generator
            Of the bootstrap.

        Raises
        ------
        QueryError
            If there is no pair that both models decide.
        """
        return compared(self, other, resamples=resamples, rng=rng)

    def to_frame(self) -> pd.DataFrame:
        """Return the shares of all pairs, lists, attributes and kinds of bias.

        Columns: of (``groups alike`` or ``attributes alike``, ``pairs alike``, the headline first;
        ``list``, ``attribute``, ``bias type``), name, list, pairs, wins, losses, ties, failures,
        share, low, high, interval, wilson_low, wilson_high, p, mean_log_odds, log_odds_low,
        log_odds_high.
        """
        import pandas as pd

        micro = _row("pairs alike", self.micro)
        micro |= {"wilson_low": self.wilson.low, "wilson_high": self.wilson.high, "p": self.p}
        rows = [micro]
        if self.macro is not None:
            alike = "groups" if self.weighting == "groups" else "attributes"
            rows.insert(0 if self.overall is self.macro else 1, _row(f"{alike} alike", self.macro))
        rows += [_row("list", share) for share in self.attribute_lists]
        rows += [_row("attribute", share) for share in self.attributes]
        rows += [_row("bias type", share) for share in self.bias_types]
        return pd.DataFrame(rows)

    def raw_frame(self) -> pd.DataFrame:
        """Return one row per pair of sentences.

        Columns: id, attribute, list, bias_type, stereotyped, against, group, other_group,
        log_score, log_score_against, log_odds, outcome, failure, source.
        """
        import pandas as pd

        rows = [
            {
                "id": pair.id,
                "attribute": pair.attribute,
                "list": pair.attribute_list,
                "bias_type": pair.bias_type,
                "stereotyped": pair.stereotyped,
                "against": pair.against,
                "group": pair.groups[0],
                "other_group": pair.groups[1],
                "log_score": score.stereotyped.log_score,
                "log_score_against": score.against.log_score,
                "log_odds": score.log_odds,
                "outcome": outcome,
                "failure": score.failure,
                "source": pair.source,
            }
            for pair, score, outcome in zip(self.pairs, self.scores, self.outcomes, strict=True)
        ]
        return pd.DataFrame(rows)


def _row(of: str, share: StereotypeShare) -> dict[str, Any]:
    odds = share.mean_log_odds_interval
    return {
        "of": of,
        "name": share.name,
        "list": share.part_of,
        "pairs": share.n_pairs,
        "wins": share.wins,
        "losses": share.losses,
        "ties": share.ties,
        "failures": share.failures,
        "share": share.share,
        "low": share.interval.low,
        "high": share.interval.high,
        "interval": share.interval.kind,
        "mean_log_odds": share.mean_log_odds,
        "log_odds_low": odds.low,
        "log_odds_high": odds.high,
    }
