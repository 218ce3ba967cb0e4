"""Draws of portraits, beside portraits of the prior: what a model imagines for a word."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr, stdtrit

from biaslab.errors import PosteriorError
from biaslab.portraits import Portrait, woman_given_appearance
from biaslab.probes.posterior.diagnostics import Agreement, Diagnostics, doubts
from biaslab.probes.posterior.portraits.labels import LABELS
from biaslab.probes.posterior.portraits.options import By
from biaslab.probes.posterior.portraits.question import log_mean
from biaslab.probes.posterior.portraits.space import COLUMNS, TIED, Floats, composed
from biaslab.probes.posterior.portraits.weighting import LEVEL, Weighted, share_interval, weighted
from biaslab.probes.posterior.result import MOST_STORED
from biaslab.records.calls.code import source_of
from biaslab.records.record import Record
from biaslab.records.result import Interval, Result
from biaslab.stats.significance import holm, reaches

if TYPE_CHECKING:
    import pandas as pd

Singles = NDArray[np.float32]
OF_PRIOR: Final = 50_000
"""Portraits behind the prior's means, of which none is drawn."""
_PARTS: Final = 4
"""Parts of a chain that count as independent means in the degrees of freedom of a shift.

Errors of short runs are too small: with the normal quantile, of 400 runs of 8 chains with 900 draws
each 5.7 % of flat attributes were clear (standard error 0.3), and with this 4.7 %.
"""
WOMAN, ODDS = "drawn as a woman", "log-odds of the word"
"""Names of the first two quantities of the diagnostics."""


@dataclass(frozen=True)
class Share(Record):
    """Share of portraits that are drawn as women.

    The mean of P(woman | appearance), which varies less than the groups themselves.

    Attributes
    ----------
    value : float
        In [0, 1].
    interval : Interval
        95 % Monte Carlo: of the draws, not of the model.
    """

    value: float
    interval: Interval


@dataclass(frozen=True)
class Shift(Record):
    """Difference of an attribute's mean from that of all portraits.

    Attributes
    ----------
    name, label : str
        Of the attribute, and what more of it looks like.
    mean, prior_mean : float
        In the unit of the attribute: years for age, 0 to 1 for the others.
    shift : float
        Their difference in standard deviations of all portraits.
    interval : Interval
        95 % Monte Carlo interval of the shift, by Student's t.
    is_tied : bool
        Whether women and men differ in it in the drawings; all others are a control.
    error : float
        Standard error of the shift; NaN if it is unknown.
    """

    name: str
    label: str
    mean: float
    prior_mean: float
    shift: float
    interval: Interval
    is_tied: bool
    error: float

    @property
    def is_clear(self) -> bool:
        """Whether the interval excludes no shift."""
        return 0 not in self.interval


@dataclass(frozen=True, kw_only=True)
class PortraitPosterior(Result):
    """Portraits drawn from p(portrait | word) ∝ p(word | portrait)^k p(portrait).

    Attributes
    ----------
    word : str
        The word.
    against : tuple of str
        Words that it is compared with in p(word | portrait).
    times : float
        The exponent k: how often in a row the model must say the word.
    by : str
        ``probabilities`` or ``choices``.
    templates : tuple of str
        Wordings, over which p is averaged.
    clothes : str
        What everybody wears.
    vary : tuple of str
        Coordinates that moved while the others stayed at their median; all, if empty.
    levels : int
        Equally probable values of each such coordinate, so that all portraits there can be stand in
        ``prior_draws``; 0 where they are continuous.
    attributes : tuple of str
        The A = 43 attributes of a portrait: 40 of the person, colour of the clothes, background.
    draws : ndarray
        Attributes of every draw, float32, shape (chains, n, A).
    thinned : int
        Thinning of ``draws``, ``appearance``, ``is_woman`` and ``says``: 1 unless it was stored.
    appearance : ndarray
        0 a stereotypical woman, 1 a stereotypical man; float32, shape (chains, n).
    is_woman : ndarray
        The group that each was drawn as, bool, shape (chains, n).
    says : ndarray
        p(word | portrait), float32, shape (chains, n); NaN for a subject that only chooses.
    warmup, warmup_appearance, warmup_is_woman, warmup_says : ndarray
        The same of some steps of the warm-up, shape (chains, w, ...).
    warmup_steps : ndarray
        Which, from 0, shape (w,).
    prior_draws, prior_appearance, prior_is_woman : ndarray
        Independent portraits of the prior, or with ``levels`` all of them, shape (N, ...).
    prior_says : ndarray
        p(word | portrait) of them by wording, float32, shape (N, T); of a subject that only
        chooses (0, T).
    prior_mean, prior_sd : ndarray
        Of each attribute over all portraits, shape (A,).
    acceptance, acceptance_whole : float
        Share of proposals accepted: of all, and of whole new people.
    warmup_asked, asked : int
        Requested steps of warm-up, and draws of each chain.
    seconds : float
        Sampling, without the portraits of the prior.
    diagnostics : Diagnostics
        Of being drawn as a woman, the log-odds of the word, and every attribute, by its label.
    exact : Agreement or None
        With the weighted portraits of the prior.
    notes : tuple of str
        Remarks for the user.
    beside : PortraitPosterior or None
        Of the other word of a bench that shows two, saved with this one.
    """

    schema: ClassVar[str] = "portrait-posterior/1"

    word: str
    against: tuple[str, ...]
    times: float
    by: By
    templates: tuple[str, ...]
    clothes: str
    vary: tuple[str, ...] = ()
    levels: int = 0
    attributes: tuple[str, ...] = COLUMNS
    draws: Singles
    thinned: int = 1
    appearance: Singles
    is_woman: NDArray[np.bool_]
    says: Singles
    warmup: Singles
    warmup_appearance: Singles
    warmup_is_woman: NDArray[np.bool_]
    warmup_says: Singles
    warmup_steps: NDArray[np.int64]
    prior_draws: Singles
    prior_appearance: Singles
    prior_is_woman: NDArray[np.bool_]
    prior_says: Singles
    prior_mean: Floats
    prior_sd: Floats
    acceptance: float
    acceptance_whole: float
    warmup_asked: int
    asked: int
    seconds: float = field(compare=False)
    diagnostics: Diagnostics
    exact: Agreement | None = None
    notes: tuple[str, ...] = ()
    beside: PortraitPosterior | None = None

    @property
    def chains(self) -> int:
        """Number of chains."""
        return int(self.draws.shape[0])

    @property
    def n_draws(self) -> int:
        """Draws of each chain."""
        return self.diagnostics.draws

    @property
    def total(self) -> int:
        """Draws of all chains."""
        return self.chains * self.n_draws

    @property
    def partial(self) -> bool:
        """Whether it was stopped before the requested number of draws."""
        return self.n_draws < self.asked

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why not to trust the draws yet; empty if they can be trusted."""
        return tuple(doubts(self.diagnostics, 0, exact=self.exact))

    @property
    def trust(self) -> bool:
        """Whether four or more chains agree, mix well enough, and agree with exact weighting."""
        return not self.reasons

    @cached_property
    def share(self) -> Share:
        """Share of the draws that are drawn as women."""
        error = float(self.diagnostics.mcse_mean[0])
        value = float(self.diagnostics.mean[0])
        return Share(value, share_interval(value, error))

    @cached_property
    def exact_share(self) -> Share | None:
        """The same by exact weighting; None of a subject that only chooses."""
        return self.share_at(self.times)

    def share_at(self, times: float, wording: int | None = None) -> Share | None:
        """Return the share of women under another exponent, by exact weighting.

        Parameters
        ----------
        times : float
            The exponent k, at least 0; 0 for all portraits.
        wording : int, optional
            Number of the only wording to ask with; by default the mean over all.
        """
        if not len(self.prior_says):
            return None
        says = np.asarray(self.prior_says, dtype=np.float64)
        says = says if wording is None else says[:, [wording]]
        result = self._weighted(_womanly(self.prior_appearance), log_mean(says), times)
        value = float(result.mean[0])
        return Share(value, share_interval(value, float(result.error[0])))

    @cached_property
    def exact_size(self) -> float:
        """How many portraits the weighted ones are worth; NaN without any."""
        if not len(self.prior_says):
            return float("nan")
        log_p = log_mean(np.asarray(self.prior_says, dtype=np.float64))
        return self._weighted(self.prior_appearance, log_p, self.times).size

    def _weighted(self, values: NDArray[np.floating], log_p: Floats, times: float) -> Weighted:
        return weighted(values, log_p, times, is_all=bool(self.levels))

    @property
    def _df(self) -> int:
        return _PARTS * self.chains - 1

    @cached_property
    def shifts(self) -> tuple[Shift, ...]:
        """Shift of each attribute that varies, the largest first."""
        found = []
        mixing = self.diagnostics
        for i, name in enumerate(self.attributes):
            sd = float(self.prior_sd[i])
            if not sd > 0:
                continue
            mean, mcse = float(mixing.mean[i + 2]), float(mixing.mcse_mean[i + 2])
            shift = (mean - float(self.prior_mean[i])) / sd
            error = math.hypot(mcse / sd, 0 if self.levels else OF_PRIOR**-0.5)
            half = float(stdtrit(self._df, (1 + LEVEL) / 2)) * error
            interval = Interval(shift - half, shift + half, LEVEL, "Monte Carlo")
            found.append(
                Shift(
                    name, LABELS[name], mean, float(self.prior_mean[i]), shift, interval,
                    name in TIED, error,
                )
            )  # fmt: skip
        return tuple(sorted(found, key=lambda each: -abs(each.shift)))

    @cached_property
    def moved(self) -> tuple[Shift, ...]:
        """Shifts of attributes tied to no group that are clear together, the largest first.

        By Holm's correction over these attributes: where none moves, at most 5 % of runs say that
        one does.
        """
        control = [shift for shift in self.shifts if not shift.is_tied]
        p = [2 * float(stdtr(self._df, -abs(each.shift) / each.error)) for each in control]
        return tuple(each for each, at in zip(control, holm(p), strict=True) if reaches(at, LEVEL))

    def portrait(self, chain: int, draw: int) -> Portrait:
        """Return the portrait of a draw, from 0; raises `PosteriorError` if there is none."""
        chains, kept = self.says.shape
        if not (0 <= chain < chains and 0 <= draw < kept):
            raise PosteriorError(
                f"There is no draw {draw} of chain {chain}: there are chains 0 to {chains - 1} with"
                f" draws 0 to {kept - 1}."
            )
        return composed(self.draws[chain, draw], self.clothes)

    def warmup_portrait(self, chain: int, number: int) -> Portrait:
        """Return one of the portraits kept of the warm-up, from 0: see ``warmup_steps``."""
        return composed(self.warmup[chain, number], self.clothes)

    def prior_portrait(self, number: int) -> Portrait:
        """Return one of the portraits of the prior, from 0."""
        return composed(self.prior_draws[number], self.clothes)

    def average(self) -> Portrait:
        """Return the portrait whose attributes are the means of all draws."""
        return composed(self.diagnostics.mean[2:], self.clothes)

    def prior_average(self) -> Portrait:
        """Return the portrait whose attributes are the means of all portraits of the prior."""
        return composed(self.prior_mean, self.clothes)

    def ranked(self, count: int) -> NDArray[np.int64]:
        """Return draws evenly spread from the least to the most imagined one.

        Parameters
        ----------
        count : int
            Number of draws.

        Returns
        -------
        ndarray, shape (count, 2)
            Chain and draw, in rising order of p(word | portrait); of a subject that only chooses in
            their own order.
        """
        flat = np.asarray(self.says, dtype=np.float64).ravel()
        order = np.argsort(flat, kind="stable") if np.isfinite(flat).any() else np.arange(flat.size)
        places = np.round(np.linspace(0, flat.size - 1, min(count, flat.size))).astype(np.int64)
        chain, draw = np.unravel_index(order[places], self.says.shape)
        return np.stack([chain, draw], axis=1).astype(np.int64)

    def to_frame(self) -> pd.DataFrame:
        """Return one row per attribute, the largest shift first.

        Columns: attribute, label, tied_to_groups, mean, prior_mean, shift (in standard deviations
        of all portraits), shift_low and shift_high (95 % Monte Carlo interval), rhat, ess_bulk,
        ess_tail, mcse_mean.
        """
        import pandas as pd

        rows = []
        for each in self.shifts:
            mixing = self.diagnostics.of(each.label)
            rows.append(
                {
                    "attribute": each.name,
                    "label": each.label,
                    "tied_to_groups": each.is_tied,
                    "mean": each.mean,
                    "prior_mean": each.prior_mean,
                    "shift": each.shift,
                    "shift_low": each.interval.low,
                    "shift_high": each.interval.high,
                    **{key: mixing[key] for key in _MIXING},
                }
            )
        return pd.DataFrame(rows)

    def raw_frame(self) -> pd.DataFrame:
        """Return one row per draw: chain, draw, drawn_as, appearance, says, and all attributes."""
        import pandas as pd

        chains, kept = self.says.shape
        columns = {
            "chain": np.repeat(np.arange(chains), kept),
            "draw": np.tile(np.arange(kept) * self.thinned, chains),
            "drawn_as": np.where(self.is_woman.ravel(), "woman", "man"),
            "appearance": self.appearance.ravel(),
            "says": self.says.ravel(),
        }
        rows = self.draws.reshape(-1, len(self.attributes))
        return pd.DataFrame(columns | dict(zip(self.attributes, rows.T, strict=True)))

    def code(self) -> str:
        """Return Python source as `Result.code`, of both words where there are two."""
        calls = [one.provenance.call for one in (self, self.beside) if one is not None]
        known = [call for call in calls if call is not None]
        return source_of(*known) if len(known) > 1 else super().code()

    def to_dict(self) -> dict[str, Any]:
        """Return a dict as `Result.to_dict`, with at most a million numbers of draws a word."""
        thin = self._thinned()
        return super().to_dict() if thin is self else thin.to_dict()

    def _thinned(self) -> PortraitPosterior:
        step = -(-self.draws.size // MOST_STORED)
        beside = None if self.beside is None else self.beside._thinned()
        if step <= 1 and beside is self.beside:
            return self
        short = {name: getattr(self, name)[:, ::step] for name in _BY_DRAW}
        return replace(self, **short, thinned=self.thinned * step, beside=beside)


_BY_DRAW: Final = ("draws", "appearance", "is_woman", "says")
_MIXING: Final = ("rhat", "ess_bulk", "ess_tail", "mcse_mean")


def _womanly(appearance: NDArray[np.floating]) -> Floats:
    return np.array([woman_given_appearance(float(a)) for a in appearance.ravel()])
