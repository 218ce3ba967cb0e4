"""The result of the posterior probe: draws of p(s | label), and whether to trust them."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from biaslab.errors import PosteriorError
from biaslab.probes.posterior.diagnostics import Diagnostics, doubts
from biaslab.probes.posterior.prior import Prior
from biaslab.probes.posterior.reference import Reference
from biaslab.results import Result
from biaslab.wording import Span

if TYPE_CHECKING:
    import pandas as pd

Singles = NDArray[np.float32]
Engine = Literal["vectorised", "nuts", "exact", "choices"]
ENGINES: dict[str, str] = {
    "vectorised": "Hamiltonian Monte Carlo, all chains at once",
    "nuts": "Pyro's No-U-Turn sampler",
    "exact": "independent draws by rejection from the prior",
    "choices": "choices between two stimuli, by Barker's rule",
}
MOST_STORED = 1_000_000
"""Numbers of draws that the stored form holds; of more every k-th draw is kept."""


@dataclass(frozen=True, kw_only=True)
class PosteriorResult(Result):
    """Draws of p(s | label) ∝ p(label | s) p(s) (paper 000, eq. 7).

    Stored (JSON, store) are all values of logit and ``|s|²``, the diagnostics of all draws, and at
    most a million numbers of the draws themselves: of more, every k-th draw of each chain, and
    `thinned` then says k. `save_draws` writes them all.

    Attributes
    ----------
    label : str
        What the classifier says.
    labels : tuple of str
        All that it can say.
    prior : Prior
        p(s), its width in it.
    engine : str
        ``vectorised``, ``nuts``, ``exact`` or ``choices``.
    draws : ndarray
        float32, shape (chains, n, d).
    thinned : int
        Every how many-th draw ``draws`` holds: 1 unless the result was stored.
    logit, square : ndarray
        Logit of p(label | s) and ``|s|²`` of every draw, float32, shape (chains, N). The logit of a
        black box that only chooses is NaN.
    warmup_logit, warmup_square : ndarray
        The same of the warm-up, shape (chains, w), for the picture only.
    acceptance : float
        Mean probability of acceptance; ``exact``: share of the prior's draws kept; ``choices``:
        share of proposals chosen.
    divergences : int
        Trajectories that diverged after warm-up.
    step_size : float
        Of the sampler: radians (``vectorised``), width b of a proposal (``choices``), NaN
        (``exact``).
    seconds : float
        Sampling, without diagnostics.
    asked : int
        Draws per chain that were asked for.
    diagnostics : Diagnostics
        Of every draw.
    reference : Reference or None
        What warm-up learnt (``vectorised``), for a warm start.
    log_evidence, log_evidence_error : float
        Log p(label), the average of p(label | s) over the prior, and its standard error: from draws
        of the prior, which ``exact`` makes anyway. NaN for a black box.
    notes : tuple of str
        What a reader must know.
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
    seconds: float
    asked: int
    diagnostics: Diagnostics
    reference: Reference | None = None
    log_evidence: float = float("nan")
    log_evidence_error: float = float("nan")
    thinned: int = 1
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
        """Whether it was stopped before it had all draws that were asked for."""
        return self.n_draws < self.asked

    @property
    def points(self) -> Singles:
        """The draws of all chains under each other, shape (chains * n, d)."""
        return self.draws.reshape(-1, self.dim)

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why not to trust the draws yet; empty if they can be trusted."""
        independent = self.engine == "exact"
        return tuple(doubts(self.diagnostics, self.divergences, independent=independent))

    @property
    def trust(self) -> bool:
        """Whether chains are several and agree, enough draws independent, and none diverged."""
        return not self.reasons

    @property
    def verdict(self) -> tuple[Span, ...]:
        """The finding in plain words, as pieces of text with their roles."""
        found = self.diagnostics
        total = f"{self.chains * self.n_draws:,} draws"
        if not self.trust:
            return (
                ("Do not trust yet", "strong"),
                (f", because {'; '.join(self.reasons)}.", "plain"),
            )
        if self.engine == "exact":
            return (("Trust these draws", "strong"), (f": {total}, all independent.", "plain"))
        agree = f"Chains agree (worst R-hat {found.largest_rhat:.3f})"
        return (
            ("Trust these draws", "strong"),
            (f". {agree}, and the smallest effective sample is ", "plain"),
            (f"{min(found.smallest_bulk, found.smallest_tail):,.0f}", "strong"),
            (f" of {total}.", "plain"),
        )

    @property
    def caveat(self) -> str:
        """One line: prior, engine, what was cut short, what limits it."""
        parts = [f"Prior: {self.prior.described}.", f"Engine: {ENGINES[self.engine]}."]
        if self.partial:
            parts.append(
                f"Stopped after {self.n_draws:,} of {self.asked:,} draws per chain; these are kept."
            )
        if self.thinned > 1:
            parts.append(f"1 in {self.thinned} draws was stored; logit and |s|² in full.")
        return " ".join([*parts, *self.notes])

    @property
    def headline(self) -> str:
        """One line for a list of runs."""
        said = "".join(text for text, _ in self.verdict)
        return f"What {self.provenance.subject} imagines for {self.label!r}. {said}"

    def summary(self) -> str:
        """Plain words, then the method and its limits."""
        found = self.diagnostics
        rate = {
            "exact": f"{100 * self.acceptance:.3g} % of the prior's draws kept",
            "choices": f"{100 * self.acceptance:.3g} % of the proposals chosen",
        }.get(self.engine, f"acceptance {self.acceptance:.2f}, {self.divergences:,} divergences")
        lines = [
            self.headline,
            f"{self.chains} chains of {self.n_draws:,} draws in {self.seconds:.1f} s; {rate}.",
            self.caveat,
        ]
        if np.isfinite(self.log_evidence):
            lines.append(
                f"Over the prior the classifier says {self.label!r} with probability"
                f" {np.exp(self.log_evidence):.3g}."
            )
        if found.told.any():
            worst = found.names[found.worst]
            lines.append(
                f"Mixes worst: {worst}, bulk ESS {found.smallest_bulk:,.0f}, tail ESS"
                f" {found.smallest_tail:,.0f}. Intervals of the table are Monte Carlo ones, of the"
                " means over the posterior."
            )
        return "\n".join(lines)

    def to_frame(self) -> pd.DataFrame:
        """One row per quantity: ``logit``, ``|s|²``, ``s_0``, ``s_1``, ...

        Columns: quantity, mean (over the posterior), monte_carlo_low and monte_carlo_high (95 %
        interval of that mean), sd (of the posterior), mcse_mean, rhat, ess_bulk, ess_tail,
        autocorrelation_1.
        """
        import pandas as pd

        found = self.diagnostics
        lag_1 = found.autocorrelation[:, 1] if found.autocorrelation.shape[1] > 1 else np.nan
        return pd.DataFrame(
            {
                "quantity": found.names,
                "mean": found.mean,
                "monte_carlo_low": found.mean - 1.96 * found.mcse_mean,
                "monte_carlo_high": found.mean + 1.96 * found.mcse_mean,
                "sd": found.sd,
                "mcse_mean": found.mcse_mean,
                "rhat": found.rhat,
                "ess_bulk": found.ess_bulk,
                "ess_tail": found.ess_tail,
                "autocorrelation_1": lag_1,
            }
        )

    def to_dict(self) -> dict[str, Any]:
        """As of `Result.to_dict`, with at most a million numbers of the draws."""
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
                f"This result was stored with every {self.thinned}th draw: sample again with the"
                " seed in its provenance to have them all."
            )
        with Path(path).open("wb") as file:
            np.savez(file, draws=self.draws, logit=self.logit, square=self.square)
