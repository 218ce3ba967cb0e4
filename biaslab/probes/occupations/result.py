"""Result of the occupations probe: words between k groups, and outside numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from biaslab.errors import QueryError
from biaslab.probes.occupations.agreement import (
    Agreement,
    MeasureAgreement,
    Over,
    Points,
    agreement,
    comparison,
    points,
)
from biaslab.probes.occupations.contrasts import Cosines, Settings, contrast
from biaslab.probes.occupations.leans import (
    LeanCounts,
    Ranking,
    Scale,
    difference_of_means,
    effect_size,
    lean_counts,
    rank,
    scale,
)
from biaslab.probes.occupations.outside import Axis, OutsideTable
from biaslab.probes.occupations.questions import Pairing, Reference, relative
from biaslab.probes.psychometrics.curves import PairsAs
from biaslab.probes.psychometrics.options import Scoring, Shape
from biaslab.probes.psychometrics.perception import Perception
from biaslab.probes.psychometrics.result import TwoAFCResult
from biaslab.records.calls import recorded_method
from biaslab.records.kinds import words_of
from biaslab.records.result import Dropped, Result
from biaslab.records.wording import Span, sentences
from biaslab.stats.correlation import Method
from biaslab.stats.curves.jnd import Convention
from biaslab.stats.significance import Adjust

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class OccupationsResult(Result):
    """PSE and JND of words between k groups, and how they agree with an outside table.

    Stored are the cosines of words and cues (or a black box's own answers); all estimates
    are computed from them on demand.

    Attributes
    ----------
    words : tuple of str
        The n words.
    words_are : str
        Name of the words, in the plural: "occupations", "words".
    groups : mapping of str to tuple of str
        The k alternatives and their cues as listed, in order.
    pairing : str
        ``matched``, ``all`` or ``sets``.
    cosines : Cosines or None
        None for a black box.
    answers : tuple of TwoAFCResult
        A black box's contrasts; empty for embeddings.
    outside : OutsideTable or None
    scoring, perception, curve, jnd_convention, pairs_as, level
        The options of `biaslab.two_afc`.
    reference : str
        What leans are measured against: ``even``, ``words`` or ``controls``. With the latter two,
        all PSEs are differences from the reference's, around 1/2.
    controls : tuple of str
        The control words; empty but for ``controls``.
    control_cosines : Cosines or None
        Theirs.
    """

    schema: ClassVar[str] = "occupations/1"

    words: tuple[str, ...]
    words_are: str
    groups: Mapping[str, tuple[str, ...]]
    pairing: Pairing
    cosines: Cosines | None
    answers: tuple[TwoAFCResult, ...]
    outside: OutsideTable | None
    scoring: Scoring
    perception: Perception
    curve: Shape
    jnd_convention: Convention
    pairs_as: PairsAs
    level: float
    reference: Reference = "even"
    controls: tuple[str, ...] = ()
    control_cosines: Cosines | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the k groups."""
        return tuple(self.groups)

    @property
    def combinations(self) -> tuple[tuple[int, int], ...]:
        """The groups of each contrast: (0, 1), (0, 2), ..., (1, 2), ..."""
        k = len(self.groups)
        return tuple((a, b) for a in range(k) for b in range(a + 1, k))

    @cached_property
    def contrasts(self) -> tuple[TwoAFCResult, ...]:
        """Two-alternative tasks between each two groups, in order of `combinations`."""
        return tuple(self.contrast(i) for i in range(len(self.combinations)))

    @recorded_method
    def contrast(self, which: int = 0, pairing: Pairing | None = None) -> TwoAFCResult:
        """Return a contrast, optionally under another pairing than the probe's.

        Raises
        ------
        QueryError
            When a black box has no answers under that pairing.
        """
        if self.cosines is None:
            if pairing not in (None, self.pairing):
                raise QueryError(
                    f"This subject was only asked with pairing={self.pairing!r}. Run the probe"
                    " again."
                )
            return self._relative(self.answers[which])
        controls = self.control_cosines
        return self._relative(
            self._contrast(self.cosines, self.words, which, pairing),
            None if controls is None else self._contrast(controls, self.controls, which, pairing),
        )

    def _contrast(
        self, cosines: Cosines, words: tuple[str, ...], which: int, pairing: Pairing | None
    ) -> TwoAFCResult:
        return contrast(
            cosines,
            words,
            self.names,
            tuple(self.groups.values()),
            self.combinations[which],
            pairing or self.pairing,
            self.settings,
            self.dropped,
            self.provenance,
        )

    def _relative(self, curves: TwoAFCResult, controls: TwoAFCResult | None = None) -> TwoAFCResult:
        """A contrast with its switch points as differences from the reference's."""
        if self.reference == "even":
            return curves
        against = None if controls is None else controls.switch
        return replace(curves, raw=curves.raw.moved(lambda switch: relative(switch, against)))

    @property
    def settings(self) -> Settings:
        """The options that the contrasts share."""
        return Settings(
            self.scoring,
            self.perception,
            self.curve,
            self.jnd_convention,
            self.pairs_as,
            self.level,
        )

    def of_contrast(self, which: int) -> tuple[str, str]:
        """Return the names of the two groups of a contrast."""
        a, b = self.combinations[which]
        return self.names[a], self.names[b]

    @property
    def n_replicates(self) -> int:
        """Number B of replicates, or observers."""
        return self.contrasts[0].n_observers

    def association(self, contrast: int = 0, measure: str = "effect size", ddof: int = 0) -> Floats:
        """Return WEAT's association of each word in each replicate, (B, n).

        Above 0: nearer to group 1, as a PSE above 1/2 is a bias for it.

        Parameters
        ----------
        measure : str
            ``effect size`` (WEFAT, in SDs) or ``difference`` (of mean cosines).

        Raises
        ------
        QueryError
            For a black box, which has no cosines.
        """
        if self.cosines is None:
            raise QueryError("WEAT needs word vectors, but this subject only answers questions.")
        cosines_1, cosines_2 = (
            self.cosines.words[..., self.cosines.of_group(g)] for g in self.combinations[contrast]
        )
        if measure == "difference":
            return difference_of_means(cosines_1, cosines_2)
        if measure == "effect size":
            return effect_size(cosines_1, cosines_2, ddof)
        raise ValueError(f"measure is {measure!r}; choose 'effect size' or 'difference'.")

    @property
    def axis(self) -> Axis | None:
        """The axis of the outside table, or None."""
        return self.outside.axis(self.groups) if self.outside is not None else None

    def outside_values(self) -> tuple[float | None, ...]:
        """Return each word's outside number on the axis shown; None if there is none."""
        if self.outside is None:
            return (None,) * len(self.words)
        axis = self.outside.axis(self.groups)
        numbers = (self.outside.get(word) for word in self.words)
        return tuple(None if v is None else axis.of(v) for v in numbers)

    def agreement(
        self,
        measure: str = "pse",
        contrast: int = 0,
        *,
        over: Over = "words",
        method: Method = "jackknife",
    ) -> Agreement:
        """Correlate the PSE, or the JND with √(p(1 − p)), with the outside table.

        Parameters
        ----------
        measure : str
            ``pse`` or ``jnd``, pooled over the contrast's cue pairs.
        contrast : int
            Which contrast.
        over : str
            Source of variation of the intervals: ``words`` (others like these, same subject) or
            ``words and corpora`` (also one fresh corpus; ensembles and PSE only).
        method : str
            See `biaslab.stats.correlation`.

        Raises
        ------
        QueryError
            When there is no table, or one without shares for the JND.
        """
        key = (measure, contrast, over, method)
        if key not in self._agreements:
            self._agreements[key] = self._agreement(measure, contrast, over, method)
        return self._agreements[key]

    @cached_property
    def _agreements(self) -> dict[object, Agreement]:
        """Cache of agreements."""
        return {}

    def _agreement(self, measure: str, contrast: int, over: Over, method: Method) -> Agreement:
        if measure not in ("pse", "jnd"):
            raise ValueError(f"measure is {measure!r}; choose 'pse' or 'jnd'.")
        result = self.contrasts[contrast].of_means
        estimates = result.pooled.pse if measure == "pse" else result.pooled.jnd
        why = [str(reason) for reason in result.pooled.reasons]
        points = self.points(estimates, measure, why)
        if over != "words" and measure == "jnd":
            raise QueryError("A JND is itself a spread over corpora: choose over='words'.")
        replicates = None
        if over != "words":
            by_corpus = np.einsum("bnk,k->bn", result.balance.astype(float), result.weights)
            replicates = by_corpus[:, points.index]
        label = f"{measure.upper()}, % {self.of_contrast(contrast)[1]}"
        return agreement(
            self.words,
            points,
            measure=measure,
            groups=self.of_contrast(contrast),
            y_label=label if measure == "pse" else "JND, points of the blend",
            level=self.level,
            method=method,
            over=over,
            replicates=replicates,
        )

    def pse_with_jnd(self, contrast: int = 0, *, method: Method = "jackknife") -> Agreement:
        """Correlate the words' JND with their PSE, both pooled over the contrast's cue pairs.

        "It is typically assumed that there is no correlation" (Liang and Acuna 2020, section 3.1).
        The interval ranges over other words like these.
        """
        result = self.contrasts[contrast].of_means
        pse, jnd = result.pooled.pse, result.pooled.jnd
        index = np.flatnonzero(np.isfinite(pse) & np.isfinite(jnd))
        excluded = tuple(
            Dropped(word, "jnd", str(why) or "no estimate")
            for i, (word, why) in enumerate(zip(self.words, result.pooled.reasons, strict=True))
            if i not in index
        )
        axis = Axis(f"PSE, % {self.of_contrast(contrast)[1]}")
        return agreement(
            self.words,
            Points(index, pse[index], jnd[index], axis, excluded),
            measure="jnd",
            groups=self.of_contrast(contrast),
            y_label="JND, points of the blend",
            level=self.level,
            method=method,
        )

    def comparison(self, contrast: int = 0) -> tuple[MeasureAgreement, ...]:
        """Compare PSEs of one pair, pooled, of all combinations and of cue sets with WEAT.

        All are held against the same outside numbers for the same words; every row has the paired
        difference to WEAT's effect size (Liang and Acuna 2020, section 6).

        Raises
        ------
        QueryError
            When there is no table, or the subject has no vectors.
        """
        return comparison(self, contrast)

    def comparison_verdict(self, contrast: int = 0) -> str:
        """Return the finding of `comparison` in plain words."""
        return str(words_of(self).comparison_verdict(self, contrast))

    def points(
        self, estimates: Floats, measure: str = "pse", why: Sequence[str] | None = None
    ) -> Points:
        """Return words with an estimate and an outside number, paired.

        Raises
        ------
        QueryError
            When there is no table.
        """
        if self.outside is None:
            raise QueryError(
                "There is no outside table to compare with. Pass outside=OutsideTable.read_csv(...)"
                " or one of outside_tables()."
            )
        groups = {name: self.groups[name] for name in self.names}
        return points(
            self.words, estimates, self.outside, groups, measure, why or [""] * len(self.words)
        )

    def leans(self, contrast: int = 0, adjust: Adjust = "none") -> NDArray[np.int8]:
        """Return each word's lean, (n,): 1 to group 1, -1 to group 2, 0 no clear lean.

        Parameters
        ----------
        adjust : str
            ``none``: each word by itself; ``holm``: adjusted for the number of words.
        """
        return self.contrasts[contrast].leans(adjust)

    def lean_counts(self, contrast: int = 0, adjust: Adjust = "none") -> LeanCounts:
        """Count the words that lean to either group, and those without a clear lean."""
        return lean_counts(self.contrasts[contrast], adjust)

    def ranking(self) -> Ranking:
        """Rank the alternatives for each word, with the share of replicates for each."""
        return rank(
            self.names,
            self.words,
            self.combinations,
            self.contrasts,
            matched=self.pairing == "matched",
        )

    def scale(self) -> Scale:
        """Put the k alternatives of each word on one scale (Luce 1959; Bradley and Terry 1952).

        A contrast's choices are those at the even blend. One scale in place of k (k - 1) / 2
        contrasts: `Scale.misfit` says how well it describes them.
        """
        return scale(
            self.names,
            self.words,
            self.combinations,
            self.contrasts,
            self.level,
            matched=self.pairing == "matched",
        )

    def verdict(self, contrast: int = 0) -> tuple[str, ...]:
        """The finding on a contrast in plain words: one text per sentence."""
        return sentences(self.verdict_spans(contrast))

    def verdict_spans(self, contrast: int = 0) -> tuple[Span, ...]:
        """The same words as pieces of text with the roles that a screen shows them in."""
        return tuple(words_of(self).verdict(self, contrast))

    def caveat(self, contrast: int = 0) -> str:
        """Return one line on the limits of the finding: the interval, dropped words."""
        return str(words_of(self).caveat(self, contrast))

    def to_frame(self) -> pd.DataFrame:
        """Return tidy estimates: one row per word and contrast, pooled over cue pairs.

        Columns: word, group_1, group_2, pse, pse_low, pse_high, interval (what these two
        range over), monte_carlo_low, monte_carlo_high, jnd, jnd_low, jnd_high, lean (1 toward
        group 1, -1 toward group 2, 0 no clear lean), lean_holm (the same, adjusted for the number
        of words), lean_class (see `biaslab.probes.psychometrics.TwoAFCResult.lean_classes`),
        weat_effect_size and weat_difference (means over replicates; above 0 toward group 1),
        outside (on the axis shown), family (of the curve, where the option is ``auto``), n_pairs,
        n_observers, reason (why a number is missing). Per pair: ``.contrasts[i].to_frame()``.
        """
        import pandas as pd

        frames = []
        for i, result in enumerate(self.contrasts):
            estimates = result.pooled
            rows: dict[str, Any] = {
                "word": self.words,
                "group_1": self.of_contrast(i)[0],
                "group_2": self.of_contrast(i)[1],
                "pse": estimates.pse,
                "pse_low": estimates.corpus[:, 0],
                "pse_high": estimates.corpus[:, 1],
                "interval": result.corpus_kind,
                "monte_carlo_low": estimates.monte_carlo[:, 0],
                "monte_carlo_high": estimates.monte_carlo[:, 1],
                "jnd": estimates.jnd,
                "jnd_low": estimates.jnd_interval[:, 0],
                "jnd_high": estimates.jnd_interval[:, 1],
                "lean": estimates.lean,
                "lean_holm": self.leans(i, "holm"),
                "lean_class": result.lean_classes().classes,
            }
            if self.cosines is not None:
                rows["weat_effect_size"] = self.association(i).mean(axis=0)
                rows["weat_difference"] = self.association(i, "difference").mean(axis=0)
            rows["outside"] = [np.nan if v is None else v for v in self.outside_values()]
            if self.curve == "auto":
                rows["family"] = [result.family(word) for word in self.words]
            rows |= {
                "n_pairs": len(result.pairs),
                "n_observers": result.n_observers,
                "reason": estimates.reasons,
            }
            frames.append(pd.DataFrame(rows))
        return pd.concat(frames, ignore_index=True)

    def raw_frame(self) -> pd.DataFrame:
        """The switch points of all contrasts: those of `biaslab.two_afc`, with group_1, group_2."""
        import pandas as pd

        frames = []
        for i, curves in enumerate(self.contrasts):
            one, two = self.of_contrast(i)
            frames.append(curves.raw_frame().assign(group_1=one, group_2=two))
        return pd.concat(frames, ignore_index=True)
