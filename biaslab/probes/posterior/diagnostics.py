"""Diagnostics of draws: convergence of chains, and agreement of two samplers.

Every dimension, the logit and |s|²: single dimensions can make a sampler look better than it is.
The logit of the label and the length of the draws are the quantities that mix last.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from biaslab.records.record import Record
from biaslab.stats.chains import CHAINS, FEWEST, LAGS, ChainSummary, rhat_limit, summarise
from biaslab.threads.cores import spread

Floats = NDArray[np.float64]
LIMIT = 4.0
"""Limit in MCSE for equal means: 1 in 150 runs of 102 independent ones exceeds it."""


@dataclass(frozen=True)
class Agreement(Record):
    """Differences of means between two results.

    Attributes
    ----------
    names : tuple of str
        The quantities.
    differences : ndarray
        Difference of the means over its Monte Carlo standard error, shape (Q,); NaN if either
        is undefined.
    """

    names: tuple[str, ...]
    differences: Floats

    @property
    def largest(self) -> float:
        """Largest absolute difference, in MCSE; NaN if none is defined."""
        sizes = np.abs(self.differences)
        return float(np.nanmax(sizes)) if np.isfinite(sizes).any() else float("nan")

    @property
    def worst(self) -> str:
        """The quantity that differs most."""
        sizes = np.abs(self.differences)
        return self.names[int(np.nanargmax(sizes))] if np.isfinite(sizes).any() else ""

    @property
    def agrees(self) -> bool:
        """Whether all differ by at most 4 MCSE."""
        return self.largest <= LIMIT

    def __repr__(self) -> str:
        return f"<Agreement: {self.sentence()}>"

    def sentence(self) -> str:
        """Return the finding in plain words."""
        if np.isnan(self.largest):
            return "There are too few draws to compare."
        if self.agrees:
            return f"The two agree within {max(self.largest, 0.1):.1f} MCSE in all quantities."
        return f"The two disagree: the means of {self.worst} differ by {self.largest:.1f} MCSE."


ESS = 400
"""Smallest ESS for which R-hat and MCSE are reliable (Vehtari et al. 2021)."""
STUCK = 100.0
"""R-hat from which its size says no more than that chains hardly move."""
_WORK = 50  # how much longer a draw is worked on than a thread's measure of work assumes


@dataclass(frozen=True)
class Diagnostics(Record):
    """Diagnostics of Q quantities: ``logit``, ``|s|²``, ``s_0``, ``s_1``, ...

    Attributes
    ----------
    names : tuple of str
        The quantities.
    mean, sd : ndarray
        Shape (Q,).
    rhat, ess_bulk, ess_tail, mcse_mean : ndarray
        Shape (Q,); NaN if a quantity does not vary, is unknown (the logit of a black box) or
        has fewer than 4 draws per chain. One chain has no R-hat.
    autocorrelation : ndarray
        Within chains at lags 0, 1, ..., averaged over chains, shape (Q, lags + 1). With `quick`,
        dimensions but the worst have lags 0 and 1 only, and NaN beyond.
    chains, draws : int
        Number of chains, and of draws in each.
    quick : bool
        Whether dimensions were given the classic split R-hat and the ESS of the mean; logit and
        ``|s|²`` always have the ranked ones.
    """

    names: tuple[str, ...]
    mean: Floats
    sd: Floats
    rhat: Floats
    ess_bulk: Floats
    ess_tail: Floats
    mcse_mean: Floats
    autocorrelation: Floats
    chains: int
    draws: int
    quick: bool = False

    @property
    def is_defined(self) -> NDArray[np.bool_]:
        """Which quantities have diagnostics, shape (Q,)."""
        return np.isfinite(self.ess_bulk)

    @property
    def worst(self) -> int:
        """Index of the quantity with the smallest bulk ESS; 0 if none is defined."""
        return int(np.nanargmin(self.ess_bulk)) if self.is_defined.any() else 0

    @property
    def worst_dimension(self) -> int:
        """Number of the dimension with the smallest bulk ESS; 0 if none is defined."""
        of_dimensions = self.ess_bulk[2:]
        return int(np.nanargmin(of_dimensions)) if np.isfinite(of_dimensions).any() else 0

    @property
    def largest_rhat(self) -> float:
        """Largest R-hat of all quantities; NaN if none is defined, and of one chain."""
        return float("nan") if np.isnan(self.rhat).all() else float(np.nanmax(self.rhat))

    @property
    def rhat_limit(self) -> float:
        """Limit of R-hat for disagreeing chains, given the number of quantities."""
        return rhat_limit(max(int((~np.isnan(self.rhat)).sum()), 1), self.chains)

    @property
    def smallest_bulk(self) -> float:
        """Smallest bulk ESS of all quantities; NaN if none is defined."""
        return float(np.nanmin(self.ess_bulk)) if self.is_defined.any() else float("nan")

    @property
    def smallest_tail(self) -> float:
        """Smallest tail ESS of all quantities; NaN if none is defined."""
        return float(np.nanmin(self.ess_tail)) if self.is_defined.any() else float("nan")

    def of(self, name: str) -> dict[str, float]:
        """Return the numbers of one quantity by name.

        Raises
        ------
        KeyError
            When there is no such quantity.
        """
        if name not in self.names:
            raise KeyError(f"no quantity {name!r}; there are logit, |s|² and s_0, s_1, ...")
        i = self.names.index(name)
        fields = ("mean", "sd", "rhat", "ess_bulk", "ess_tail", "mcse_mean")
        return {field: float(getattr(self, field)[i]) for field in fields}


def diagnose(
    draws: NDArray[np.floating],
    logit: NDArray[np.floating],
    square: NDArray[np.floating],
    *,
    names: Sequence[str] = (),
    quick: bool = False,
) -> Diagnostics:
    """Diagnose draws, by the definitions of arviz.

    Parameters
    ----------
    draws : ndarray
        Shape (chains, n, d).
    logit, square : ndarray
        Logit of p(label | s), and ``|s|²``, shape (chains, n); or two other quantities.
    names : sequence of str
        Of all quantities; by default ``logit``, ``|s|²``, ``s_0``, ``s_1``, ...
    quick : bool
        Cheaper numbers for the dimensions, for a chart that is redrawn during sampling.

    Returns
    -------
    Diagnostics
    """
    chains, n, dim = draws.shape
    summaries: list[ChainSummary | None] = [None] * (dim + 2)
    # A dimension's draws are strided; copied side by side they are read several times as fast.
    by_dimension = np.ascontiguousarray(np.moveaxis(draws, 2, 0)) if n else draws

    def work(i: int) -> None:
        if i < 2:
            summaries[i] = summarise(square if i else logit)
        else:
            summaries[i] = summarise(by_dimension[i - 2], 1 if quick else LAGS, quick=quick)

    if n >= FEWEST:
        spread(work, dim + 2, _WORK * draws.size)
        if quick:
            sizes = [np.inf if f is None or np.isnan(f.ess_bulk) else f.ess_bulk for f in summaries]
            worst = int(np.argmin(sizes[2:]))
            summaries[2 + worst] = summarise(by_dimension[worst], quick=True)
    lags = min(LAGS, max(n - 1, 0))

    def correlated(f: ChainSummary | None) -> Floats:
        known = np.zeros(0) if f is None else f.autocorrelation
        return np.pad(known, (0, lags + 1 - len(known)), constant_values=np.nan)

    def every(name: str) -> Floats:
        return np.array([np.nan if f is None else getattr(f, name) for f in summaries])

    return Diagnostics(
        names=tuple(names) or ("logit", "|s|²", *(f"s_{i}" for i in range(dim))),
        mean=every("mean"),
        sd=every("sd"),
        rhat=every("rhat"),
        ess_bulk=every("ess_bulk"),
        ess_tail=every("ess_tail"),
        mcse_mean=every("mcse"),
        autocorrelation=np.stack([correlated(f) for f in summaries]),
        chains=chains,
        draws=n,
        quick=quick,
    )


def doubts(
    diagnostics: Diagnostics,
    divergences: int,
    *,
    independent: bool = False,
    exact: Agreement | None = None,
) -> Sequence[str]:
    """Return reasons not to trust the draws yet, each a clause; nothing if none.

    - `divergences`: trajectories that diverged.
    - `independent`: draws are independent of each other, so that no chain can have missed a mode.
    - `exact`: with the exact sampler's draws of the same posterior.
    """
    if diagnostics.draws < FEWEST or not diagnostics.is_defined.any():
        return [f"{diagnostics.draws} draws per chain are too few to judge convergence"]
    reasons = []
    if diagnostics.chains < CHAINS and not independent:
        missed = f"{diagnostics.chains} chains may all have missed a mode"
        if diagnostics.chains == 1:
            missed = "one chain cannot show that it missed a mode, so it has no R-hat"
        reasons.append(f"{missed}: run {CHAINS} or more")
    if exact is not None and exact.largest > LIMIT:
        reasons.append(
            f"exact draws disagree about {exact.worst}, by {exact.largest:,.1f} Monte Carlo"
            f" standard errors (at most {LIMIT:g} are chance)"
        )
    limit = diagnostics.rhat_limit
    if diagnostics.largest_rhat >= limit:
        disagree = np.flatnonzero(diagnostics.rhat >= limit)
        worst = diagnostics.names[int(np.nanargmax(diagnostics.rhat))]
        others = f" and {len(disagree) - 1} more" if len(disagree) > 1 else ""
        reasons.append(
            f"chains still disagree about {worst}{others}"
            f" (R-hat {_rhat(diagnostics.largest_rhat)}; should be below {limit:.3f})"
        )
    for kind, sizes in (("bulk", diagnostics.ess_bulk), ("tail", diagnostics.ess_tail)):
        smallest = float(np.nanmin(sizes))
        if smallest < ESS:
            worst = diagnostics.names[int(np.nanargmin(sizes))]
            reasons.append(
                f"the draws of {worst} are worth only {smallest:,.0f} independent ones in the"
                f" {kind} ({ESS} are needed)"
            )
            break
    if divergences:
        what = "trajectory" if divergences == 1 else "trajectories"
        reasons.append(f"{divergences:,} {what} diverged, so regions may be missing")
    return reasons


def _rhat(value: float) -> str:
    """Round up, so that a value above the limit also reads so."""
    return f"{math.ceil(value * 1000) / 1000:.3f}" if value < STUCK else "beyond telling"
