"""Draws of p(s | label): live while they are sampled, then the result with diagnostics.

A result keeps the normal reference that its sampler learnt in warm-up. In coordinates in which the
prior is N(0, I) the posterior differs from it in a few directions: those on which the label
depends. So only significant directions are learnt.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from biaslab.errors import PosteriorError
from biaslab.probes.posterior.diagnostics import Agreement, Diagnostics, doubts
from biaslab.probes.posterior.prior import Prior
from biaslab.records.record import Record
from biaslab.records.result import Result

if TYPE_CHECKING:
    import pandas as pd


Stage = Literal["warm-up", "sampling"]


@dataclass(frozen=True, eq=False)
class LiveDraws:
    """New draws since the last record.

    Attributes
    ----------
    stage : str
        ``warm-up`` or ``sampling``; one record never has draws of both.
    done, total : int
        Steps per chain so far and in all, warm-up included.
    seconds : float
        Since the sampler began.
    chains : int
        Number C of chains.
    logit : ndarray
        Logit of p(label | s), float32, shape (C, k); NaN for a black box that only chooses.
    square : ndarray
        ``|s|²``, float32, shape (C, k).
    points : ndarray
        The k new draws of each chain, float32, shape (C, k, d).
    acceptance : float
        Mean acceptance in this stage so far; of ``exact`` the share of prior draws accepted.
    divergences : int
        Trajectories that diverged in this stage so far.
    step_size : float
        Current value; NaN if there is none.
    """

    stage: Stage
    done: int
    total: int
    seconds: float
    chains: int
    logit: NDArray[np.float32]
    square: NDArray[np.float32]
    points: NDArray[np.float32]
    acceptance: float
    divergences: int
    step_size: float


Hook = Callable[[LiveDraws], object]


Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Reference(Record):
    """N(mean, L Lᵀ) with L = diag(sd) (I + Vᵀ diag(scales - 1) V).

    Attributes
    ----------
    mean, sd : ndarray
        Shape (d,).
    directions : ndarray
        V, shape (k, d): orthonormal.
    scales : ndarray
        Standard deviations along them, in units of ``sd``, shape (k,).
    """

    mean: Floats
    sd: Floats
    directions: Floats
    scales: Floats

    @classmethod
    def standard(cls, dim: int) -> Reference:
        """Return N(0, I)."""
        return cls(np.zeros(dim), np.ones(dim), np.zeros((0, dim)), np.zeros(0))

    @classmethod
    def learnt(cls, mean: Floats, covariance: Floats, draws: float, *, whitened: bool) -> Reference:
        """Learn from the mean and covariance of `draws` independent draws.

        Eigenvalues inside the range that independent standard normal draws would give by chance
        (Marchenko and Pastur 1967) are taken as 1.

        - `mean`, `covariance`: of the warm-up draws, shapes (d,) and (d, d).
        - `draws`: their effective number of independent draws.
        - `whitened`: whether the prior is N(0, I) here, so that dimensions start with one scale.
        """
        dim = len(mean)
        chance = math.sqrt(dim / max(draws, 1.0))
        sd = np.ones(dim) if whitened else np.sqrt(np.maximum(np.diag(covariance), 1e-300))
        values, vectors = np.linalg.eigh(covariance / np.outer(sd, sd))
        low, high = max(1 - 1.1 * chance, 0.0) ** 2, (1 + 1.1 * chance) ** 2
        is_outside = (values < low) | (values > high)
        scales = np.sqrt(np.maximum(values[is_outside], 1e-12))
        return cls(mean, sd, np.ascontiguousarray(vectors[:, is_outside].T), scales)

    @property
    def root(self) -> Floats:
        """L, shape (d, d)."""
        inner = np.eye(len(self.mean))
        inner += self.directions.T @ ((self.scales - 1)[:, None] * self.directions)
        return np.asarray(self.sd[:, None] * inner)

    @property
    def inverse_root(self) -> Floats:
        """L⁻¹, shape (d, d)."""
        inner = np.eye(len(self.mean))
        inner += self.directions.T @ ((1 / self.scales - 1)[:, None] * self.directions)
        return np.asarray(inner / self.sd)


Singles = NDArray[np.float32]
Engine = Literal["vectorised", "nuts", "exact", "choices"]
ENGINES: dict[str, str] = {
    "vectorised": "Hamiltonian Monte Carlo, all chains at once",
    "nuts": "Pyro's No-U-Turn sampler",
    "exact": "independent draws by rejection from the prior",
    "choices": "choices between two stimuli, by Barker's rule",
}
MOST_STORED = 1_000_000
"""Largest number of values in the stored form; beyond, every k-th draw is stored."""


@dataclass(frozen=True, kw_only=True)
class PosteriorResult(Result):
    """Draws of p(s | label) ∝ p(label | s) p(s) (Liang and Acuna 2020, eq. 7).

    Stored (JSON, store) are all values of logit and ``|s|²``, the diagnostics of all draws, and at
    most a million numbers of the draws themselves: of more, every k-th draw of each chain, and
    `thinned` then says k. `save_draws` writes them all.

    Attributes
    ----------
    label : str
        The label of the posterior.
    labels : tuple of str
        All that it can say.
    prior : Prior
        p(s), its width in it.
    engine : str
        ``vectorised``, ``nuts``, ``exact`` or ``choices``.
    draws : ndarray
        float32, shape (chains, n, d).
    thinned : int
        Thinning of ``draws``: 1 unless the result was stored.
    logit, square : ndarray
        Logit of p(label | s) and ``|s|²`` of every draw, float32, shape (chains, N). The logit of a
        black box that only chooses is NaN.
    warmup_logit, warmup_square : ndarray
        The same of the warm-up, shape (chains, w), for the picture only.
    acceptance : float
        Mean probability of acceptance; ``exact``: share of the prior's draws accepted; ``choices``:
        share of proposals chosen.
    divergences : int
        Trajectories that diverged after warm-up.
    step_size : float
        Of the sampler: radians (``vectorised``), width b of a proposal (``choices``), NaN
        (``exact``).
    seconds : float
        Sampling, without diagnostics.
    asked : int
        Requested draws per chain.
    diagnostics : Diagnostics
        Of every draw.
    reference : Reference or None
        Result of warm-up (``vectorised``), for a warm start.
    log_evidence, log_evidence_error : float
        Log p(label), the average of p(label | s) over the prior, and its standard error: from draws
        of the prior, which ``exact`` makes anyway. NaN for a black box.
    exact : Agreement or None
        With the exact sampler's draws, where it was compared.
    exact_reason : str
        Why it could not be; empty where it was, or was not to be.
    notes : tuple of str
        Remarks for the user.
    """

    schema: ClassVar[str] = "posterior/1"

    label: str
    labels: tuple[str, ...]
    prior: Prior
    engine: Engine
    draws: Singles
    logit: Singles
    square: Singles
    warmup_logit: Singles
    warmup_square: Singles
    acceptance: float
    divergences: int
    step_size: float
    seconds: float = field(compare=False)
    asked: int
    diagnostics: Diagnostics
    reference: Reference | None = None
    log_evidence: float = float("nan")
    log_evidence_error: float = float("nan")
    thinned: int = 1
    exact: Agreement | None = None
    exact_reason: str = ""
    notes: tuple[str, ...] = ()

    @property
    def chains(self) -> int:
        """Number of chains."""
        return int(self.logit.shape[0])

    @property
    def n_draws(self) -> int:
        """Draws N of each chain."""
        return int(self.logit.shape[1])

    @property
    def dim(self) -> int:
        """Number d of dimensions."""
        return int(self.draws.shape[2])

    @property
    def partial(self) -> bool:
        """Whether it was stopped before the requested number of draws."""
        return self.n_draws < self.asked

    @property
    def points(self) -> Singles:
        """The draws of all chains under each other, shape (chains * n, d)."""
        return self.draws.reshape(-1, self.dim)

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why not to trust the draws yet; empty if they can be trusted."""
        independent = self.engine == "exact"
        return tuple(
            doubts(self.diagnostics, self.divergences, independent=independent, exact=self.exact)
        )

    @property
    def trust(self) -> bool:
        """Whether four or more chains agree, also with exact draws, and mix well enough.

        Never of one chain: it cannot show that it missed a mode.
        """
        return not self.reasons

    def raw_frame(self) -> pd.DataFrame:
        """One row per draw: chain, draw, logit, square (``|s|²``); the points are in `draws`."""
        import pandas as pd

        return pd.DataFrame(
            {
                "chain": np.repeat(np.arange(self.chains), self.n_draws),
                "draw": np.tile(np.arange(self.n_draws), self.chains),
                "logit": self.logit.ravel(),
                "square": self.square.ravel(),
            }
        )

    def to_frame(self) -> pd.DataFrame:
        """Return one row per quantity: ``logit``, ``|s|²``, ``s_0``, ``s_1``, ...

        Columns: quantity, mean (over the posterior), monte_carlo_low and monte_carlo_high (95 %
        interval of that mean), sd (of the posterior), mcse_mean, rhat, ess_bulk, ess_tail,
        autocorrelation_1.
        """
        import pandas as pd

        diagnostics = self.diagnostics
        lag_1 = (
            diagnostics.autocorrelation[:, 1]
            if diagnostics.autocorrelation.shape[1] > 1
            else np.nan
        )
        return pd.DataFrame(
            {
                "quantity": diagnostics.names,
                "mean": diagnostics.mean,
                "monte_carlo_low": diagnostics.mean - 1.96 * diagnostics.mcse_mean,
                "monte_carlo_high": diagnostics.mean + 1.96 * diagnostics.mcse_mean,
                "sd": diagnostics.sd,
                "mcse_mean": diagnostics.mcse_mean,
                "rhat": diagnostics.rhat,
                "ess_bulk": diagnostics.ess_bulk,
                "ess_tail": diagnostics.ess_tail,
                "autocorrelation_1": lag_1,
            }
        )

    def to_dict(self) -> dict[str, Any]:
        """Return a dict as `Result.to_dict`, with at most a million numbers of the draws."""
        step = -(-self.draws.size // MOST_STORED)
        if step <= 1:
            return super().to_dict()
        thinned = replace(self, draws=self.draws[:, ::step], thinned=self.thinned * step)
        return thinned.to_dict()

    def save_draws(self, path: str | os.PathLike[str]) -> None:
        """Write all draws as npz: ``draws``, ``logit``, ``square``.

        Raises
        ------
        PosteriorError
            When the result was stored thinned, so that they are no longer all here.
        """
        if self.thinned > 1:
            raise PosteriorError(
                f"This result was stored with every {self.thinned}th draw. Sample again with the"
                " seed in its provenance to get all draws."
            )
        with Path(path).open("wb") as file:
            np.savez(file, draws=self.draws, logit=self.logit, square=self.square)


def agreement(result: PosteriorResult, oracle: PosteriorResult) -> Agreement:
    """Compare the means of all quantities.

    Parameters
    ----------
    result, oracle : PosteriorResult
        Of one classifier, label and prior; such as one of ``vectorised`` and one of ``exact``.

    Returns
    -------
    Agreement

    Raises
    ------
    PosteriorError
        When they are not of the same label, prior or number of dimensions.
    """
    ours, theirs = result.diagnostics, oracle.diagnostics
    alike = ours.names == theirs.names and result.label == oracle.label
    if not alike or result.prior != oracle.prior:
        raise PosteriorError(
            f"These are different posteriors ({result.label!r} under {result.prior.described!r},"
            f" {oracle.label!r} under {oracle.prior.described!r}): compare draws of the same"
            " posterior."
        )
    error = np.hypot(ours.mcse_mean, theirs.mcse_mean)
    return Agreement(ours.names, (ours.mean - theirs.mean) / error)
