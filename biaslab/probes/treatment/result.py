"""The result of measuring a treatment: what changes, what it costs, and what a placebo does."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from biaslab.probes.leaning import lean
from biaslab.records.record import Record
from biaslab.records.result import Interval, Result
from biaslab.stats.quantiles import t_quantile

if TYPE_CHECKING:
    import pandas as pd

Part = Literal["bias", "perplexity", "accuracy", "similarity"]


@dataclass(frozen=True)
class Change(Record):
    """A number before and after a treatment or a placebo.

    Attributes
    ----------
    part : {"bias", "perplexity", "accuracy", "similarity"}
        The bias that is treated, or a cost.
    what : str
        The number in words, such as ``"gap in years of experience"``.
    placebo : int
        0 of the treatment; k of the k-th placebo.
    before, after : float
    change : float
        After less before; of a perplexity relative to before.
    interval : Interval
        Of the change, paired; NaN where nothing varies.
    """

    part: Part
    what: str
    placebo: int
    before: float
    after: float
    change: float
    interval: Interval

    @property
    def excludes_null(self) -> bool:
        """Whether the interval of the change excludes 0."""
        return lean(self.interval, 0.0) != 0


@dataclass(frozen=True, kw_only=True)
class TreatmentResult(Result):
    """What a treatment changes, beside its costs and beside placebos.

    Attributes
    ----------
    method : str
    about : str
        The treatment in a few words.
    names : (str, str)
        Of the subject before and after.
    changes : tuple of Change
        The treatment's bias first, then those of the placebos, then costs.
    before, after : Result
        Of the probe: `biaslab.compare` has their rows.
    """

    schema: ClassVar[str] = "treatment/1"

    method: str
    about: str
    names: tuple[str, str]
    changes: tuple[Change, ...]
    before: Result
    after: Result

    def of(self, part: Part, placebo: int | None = None) -> tuple[Change, ...]:
        """Return the changes of a part: all, of the treatment (0), or of one placebo."""
        return tuple(
            one
            for one in self.changes
            if one.part == part and (placebo is None or one.placebo == placebo)
        )

    @property
    def bias(self) -> Change:
        """What the treatment changes of the bias."""
        return self.of("bias", 0)[0]

    @property
    def placebos(self) -> tuple[Change, ...]:
        """What the placebos change of it."""
        return tuple(one for one in self.of("bias") if one.placebo)

    @property
    def placebo_mean(self) -> Interval:
        """Mean change by placebos, for other random treatments like these; NaN for fewer than two.

        Each random treatment changes something: over many, they should change nothing.
        """
        return self._of_placebos(0.0)

    @property
    def exceeds_placebos(self) -> bool:
        """Whether the change lies beyond those that random treatments bring at this level.

        With one placebo, whether it is larger.
        """
        if len(self.placebos) < 2:
            return all(abs(one.change) < abs(self.bias.change) for one in self.placebos)
        return self.bias.change not in self._of_placebos(1.0)

    def _of_placebos(self, more: float) -> Interval:
        """Return Student's interval of the mean of placebos, and of `more` single ones."""
        level, count = self.bias.interval.level, len(self.placebos)
        if count < 2:
            return Interval(math.nan, math.nan, level, "random treatments")
        changes = np.array([one.change for one in self.placebos])
        spread = float(changes.std(ddof=1)) * math.sqrt(more + 1 / count)
        half = float(t_quantile(count - 1, (1 + level) / 2)) * spread
        mean = float(changes.mean())
        return Interval(mean - half, mean + half, level, "random treatments")

    def raw_frame(self) -> pd.DataFrame:
        """Return the raw observations of both runs, with a column ``subject``: before or after."""
        import pandas as pd

        runs = {"before": self.before.raw_frame(), "after": self.after.raw_frame()}
        frame = pd.concat(runs, names=["subject", None])
        return frame.reset_index(level=0).reset_index(drop=True)

    def to_frame(self) -> pd.DataFrame:
        """Return one row per change.

        Columns: part, what, placebo (0 of the treatment), before, after, change, low, high.
        """
        import pandas as pd

        rows = [asdict(one) for one in self.changes]
        for row, one in zip(rows, self.changes, strict=True):
            del row["interval"]
            row |= {"low": one.interval.low, "high": one.interval.high}
        return pd.DataFrame(rows)
