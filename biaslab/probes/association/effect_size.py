"""WEAT's effect size: its ceiling by the lists' lengths, and its draws where the truth is known."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from biaslab.probes.association.lists import Floats
from biaslab.records.calls import recorded
from biaslab.records.provenance import measured
from biaslab.records.result import Interval, Result
from biaslab.stats.significance import check_level

if TYPE_CHECKING:
    import pandas as pd


_FLAT = 1e-9
"""A spread of associations below this share of their size counts as none."""


def difference_of_means(values: Floats, n_1: int) -> Floats:
    """Subtract the mean of the other values from that of the first `n_1`."""
    return np.asarray(values[..., :n_1].mean(axis=-1) - values[..., n_1:].mean(axis=-1))


def effect_size(values: Floats, n_1: int, ddof: int = 1) -> Floats:
    """Divide a difference of means by the SD of all values (Caliskan et al. 2017).

    - `values`, ndarray, shape (..., N): associations: first those of list 1, then those of list 2.
    - `n_1`: length of list 1.
    - `ddof`: 1 (a sample's SD) or 0. The sources say "std-dev" only; 1 is common in code.
    - Returns ndarray, shape (...): in SDs, within plus or minus `ceiling`; NaN if all values are
      equal.
    """
    check_ddof(ddof)
    return _in_sds(difference_of_means(values, n_1), values, ddof)


def _in_sds(difference: Floats, values: Floats, ddof: int) -> Floats:
    spread = values.std(axis=-1, ddof=ddof)
    size = np.abs(values).max(axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(spread > _FLAT * size, difference / spread, np.nan))


def ceiling(n_x: int, n_y: int, ddof: int = 1) -> float:
    r"""Return the largest possible effect size of lists of `n_x` and `n_y` words.

    It is reached if all words within a list are equal and the lists differ:
    :math:`\sqrt{N (N - ddof) / (n_x n_y)}` with :math:`N = n_x + n_y`.

    Parameters
    ----------
    n_x, n_y : int
        Words in each target list, 1 or more.
    ddof : int
        As of `effect_size`.

    Examples
    --------
    >>> round(ceiling(2, 2), 3), ceiling(2, 2, ddof=0)
    (1.732, 2.0)

    With two words in each list the manuscript's 1.82 and -1.93 come from ddof 0, or from its
    authors' program: see `weat_simulation`.
    """
    check_ddof(ddof)
    if min(n_x, n_y) < 1:
        raise ValueError(f"Lists of {n_x} and {n_y} words: each list needs at least one.")
    n = n_x + n_y
    return math.sqrt(n * (n - ddof) / (n_x * n_y))


def check_ddof(ddof: int) -> None:
    """Raise an error unless it is 0 or 1.

    Raises `ValueError` if it is something else.
    """
    if ddof not in (0, 1):
        raise ValueError(f"ddof is {ddof!r}: choose 1 (the default) or 0.")


Means = tuple[float, float, float, float]
Sizes = tuple[int, int, int, int]

_BARS = 60


class PaperRow(NamedTuple):
    """A row of the manuscript's table: one draw of 2 x 2 targets and 2 x 5 attributes."""

    means: Means
    sd: float
    effect_size: float


PAPER_ROWS: tuple[PaperRow, ...] = (
    PaperRow((0.0, 0.0, 0.0, 0.0), 0.05, 1.82),
    PaperRow((0.0, 0.0, 0.0, 0.0), 0.001, -1.93),
    PaperRow((0.1, 0.0, 0.0, 0.1), 0.05, 1.49),
    PaperRow((0.1, 0.0, 0.0, 0.1), 0.1, 1.22),
)
"""The rows as printed. 1.82 and -1.93 exceed the 1.732 that ddof 1 allows with 2 + 2 words; with
``first_words`` of `weat_simulation` all four are ordinary."""
PAPER_SIZES: Sizes = (2, 2, 5, 5)


@dataclass(frozen=True, kw_only=True)
class WeatSimulation(Result):
    """Effect sizes of many draws from one truth.

    Attributes
    ----------
    means : tuple of float
        True mean cosine of X to A, X to B, Y to A and Y to B.
    sd : float
        Standard deviation of every cosine around its mean.
    sizes : tuple of int
        Words in X, Y, A and B.
    ddof : int
        Of the effect size's SD.
    first_words : bool
        Whether the difference is that of the first words of X and Y, in place of their means.
    level : float
        Of `interval`.
    effect_size : ndarray, shape (draws,)
        NaN if all associations were equal (sd 0).
    example : ndarray, shape (n_x + n_y, n_a + n_b)
        The cosines of one draw (the first), X before Y and A before B.
    edges, counts : ndarray, shapes (K + 1,) and (K,)
        Histogram of the effect sizes from minus to plus the ceiling.
    """

    schema: ClassVar[str] = "weat-simulation/2"

    means: Means
    sd: float
    sizes: Sizes
    ddof: int
    first_words: bool
    level: float
    effect_size: Floats
    example: Floats
    edges: Floats
    counts: NDArray[np.int64]

    @classmethod
    def upgrade(cls, content: dict[str, Any], version: int) -> dict[str, Any]:
        """Read a result of before `first_words`."""
        return {**content, "first_words": False} if version < 2 else content

    @property
    def ceiling(self) -> float:
        """Largest effect size that these lengths can have with this ddof."""
        return _top(self.sizes, self.ddof, self.first_words)

    @property
    def association(self) -> Floats:
        """s(t, A, B) of each word of the `example`, shape (n_x + n_y,)."""
        n_a = self.sizes[2]
        return np.asarray(self.example[:, :n_a].mean(axis=1) - self.example[:, n_a:].mean(axis=1))

    @property
    def no_difference(self) -> bool:
        """Whether the true association is 0: X - Y is 0."""
        xa, xb, ya, yb = self.means
        return math.isclose(xa - xb, ya - yb, abs_tol=1e-12)

    @property
    def mean(self) -> float:
        """Mean effect size of the draws."""
        return float(self.effect_size.mean())

    @property
    def interval(self) -> Interval:
        """Central interval with a share `level` of the draws; of kind ``draws``."""
        if np.isnan(self.effect_size).any():
            return Interval(math.nan, math.nan, self.level, "draws")
        ends = [(1 - self.level) / 2, (1 + self.level) / 2]
        low, high = np.quantile(self.effect_size, ends)
        return Interval(float(low), float(high), self.level, "draws")

    def share_reaching(self, effect_size: float) -> float:
        """Return the share of draws whose effect size is at least as far from 0."""
        return float((np.abs(self.effect_size) >= abs(effect_size) - 1e-12).mean())

    def to_frame(self) -> pd.DataFrame:
        """Return one row per draw: draw, effect_size."""
        import pandas as pd

        draws = np.arange(len(self.effect_size))
        return pd.DataFrame({"draw": draws, "effect_size": self.effect_size})

    def raw_frame(self) -> pd.DataFrame:
        """The same as `to_frame`: every draw is an observation."""
        return self.to_frame()


def _top(sizes: Sizes, ddof: int, first_words: bool) -> float:
    n_x, n_y = sizes[:2]
    return math.sqrt(2 * (n_x + n_y - ddof)) if first_words else ceiling(n_x, n_y, ddof)


@recorded
def weat_simulation(
    means: Sequence[float] = (0.0, 0.0, 0.0, 0.0),
    sd: float = 0.05,
    sizes: Sequence[int] = PAPER_SIZES,
    *,
    draws: int = 10_000,
    ddof: int = 1,
    first_words: bool = False,
    level: float = 0.95,
    rng: int | np.random.Generator = 0,
) -> WeatSimulation:
    """Simulate WEAT effect sizes with known true means, as the manuscript does.

    Every cosine is drawn from a normal distribution around the mean of its lists, independently of
    all others, and WEAT is computed from them. A target's association is a difference of two means
    of such cosines and therefore normal itself; it is drawn directly, except in the first draw,
    which is shown.

    Parameters
    ----------
    means : tuple of float
        True mean cosine of X to A, X to B, Y to A and Y to B, each in [-1, 1].
    sd : float
        Standard deviation of every cosine, 0 or more.
    sizes : tuple of int
        Words in X, Y, A and B: 2 or more in X and Y, 1 or more in A and B. The manuscript has
        2, 2, 5 and 5 (`PAPER_ROWS` has its means, SDs and results).
    draws : int
        Draws.
    ddof : int
        1 or 0. With 1 the ceiling of 2 + 2 words is 1.732, below the manuscript's 1.82.
    first_words : bool
        Take the difference of the first word of X and the first of Y. So does the authors'
        published program: its ``mean(a, b)`` is R's mean of `a` alone. All four numbers of the
        manuscript are ordinary then, with ddof 1.
    level : float
        Of the range of draws, in (0, 1).
    rng : int or numpy.random.Generator

    Returns
    -------
    WeatSimulation

    Raises
    ------
    ValueError
        When an option is out of range.

    References
    ----------
    The manuscript is "A Bayesian method of cosine-based word2vec bias estimation", which names no
    authors; its program is in abstractESSLLI1.Rmd of github.com/rfl-urbaniak/BayesBias.
    """
    check_ddof(ddof)
    if len(means) != 4 or not all(-1 <= m <= 1 for m in means):
        raise ValueError(
            f"means is {means!r}: give four mean cosines from -1 to 1 (X to A, X to B, Y to A, "
            "Y to B)."
        )
    if not (math.isfinite(sd) and sd >= 0):
        raise ValueError(f"sd is {sd}: use 0 or more, such as 0.05.")
    if len(sizes) != 4 or min(sizes) < 1 or min(sizes[:2]) < 2:
        raise ValueError(
            f"sizes is {sizes!r}: give the words in X, Y, A and B, at least 2, 2, 1 and 1."
        )
    if draws < 1:
        raise ValueError(f"draws is {draws}: use at least 1, such as 10,000.")
    check_level(level)
    xa, xb, ya, yb = (float(m) for m in means)
    n_x, n_y, n_a, n_b = (int(n) for n in sizes)
    parameters = {"means": means, "sd": sd, "sizes": sizes, "draws": draws, "ddof": ddof}
    parameters["first_words"] = first_words
    with measured(
        probe="weat_simulation", subject="drawn cosines", seed=rng, parameters=parameters
    ) as run:
        rng = np.random.default_rng(rng)
        example = rng.standard_normal((n_x + n_y, n_a + n_b)) * sd
        example += np.repeat([[xa, xb], [ya, yb]], (n_x, n_y), axis=0).repeat((n_a, n_b), axis=1)
        values = rng.standard_normal((draws, n_x + n_y))
        values *= sd * math.sqrt(1 / n_a + 1 / n_b)
        values += np.repeat([xa - xb, ya - yb], (n_x, n_y))
        values[0] = example[:, :n_a].mean(axis=1) - example[:, n_a:].mean(axis=1)
        first = values[:, 0] - values[:, n_x]
        difference = first if first_words else difference_of_means(values, n_x)
        estimates = _in_sds(difference, values, ddof)
        top = _top((n_x, n_y, n_a, n_b), ddof, first_words)
        edges = np.linspace(-top, top, _BARS + 1)
        inside = np.clip(estimates[np.isfinite(estimates)], -top, top)
        counts = np.asarray(np.histogram(inside, edges)[0], dtype=np.int64)
    return WeatSimulation(
        means=(xa, xb, ya, yb),
        sd=float(sd),
        sizes=(n_x, n_y, n_a, n_b),
        ddof=ddof,
        first_words=first_words,
        level=level,
        effect_size=estimates,
        example=example,
        edges=edges,
        counts=counts,
        provenance=run.provenance,
    )
