"""Posterior of each single curve of trials: one item, one cue pair, one observer.

These are the intervals by which adaptive placement stops. They integrate over the guess and lapse
rates, and hold with few trials, where a maximum of the likelihood can be far too sure. They
say nothing about other observers, over which the estimates of a result range.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from biaslab.errors import QueryError
from biaslab.probes.psychometrics.adaptive_trials import AT_ONCE
from biaslab.probes.psychometrics.result import TwoAFCResult
from biaslab.probes.psychometrics.shapes import family_of
from biaslab.stats.curves.grid import CurvePrior
from biaslab.stats.curves.grid_posterior import GridPosterior, estimates

if TYPE_CHECKING:
    import pandas as pd

_CURVE = ["item", "cue_1", "cue_2", "observer"]


def curve_posteriors(result: TwoAFCResult) -> pd.DataFrame:
    """Return PSE and JND of every item, cue pair and observer of a result with trials.

    Parameters
    ----------
    result : TwoAFCResult
        Of a subject that answered trial by trial, or of collected trials.

    Returns
    -------
    DataFrame
        A row per curve: item, cue_1, cue_2, observer, n_trials, n_cannot_say; posterior medians and
        equal-tailed intervals (the result's level) of the PSE (``pse``, ``pse_low``, ``pse_high``,
        where the whole curve is 1/2) and of the JND (the result's convention); posterior means of
        the rates (``guess``, ``lapse``). Priors: see `biaslab.stats.curves.grid.CurvePrior.over`.

    Raises
    ------
    QueryError
        If the result has no trials.
    """
    import pandas as pd

    if result.trials is None:
        raise QueryError(
            "This result has no trials: its subject did not answer trial by trial. Read its"
            " estimates with to_frame()."
        )
    trials = result.trials
    frame = trials.to_frame()
    keys = frame.groupby(_CURVE, sort=False)
    levels, place = np.unique(trials.alpha, return_inverse=True)
    curve = keys.ngroup().to_numpy()
    answers, cue_2 = np.zeros((2, keys.ngroups, len(levels)))
    np.add.at(answers, (curve, place), trials.decided)
    np.add.at(cue_2, (curve, place), trials.n_cue_2)
    prior = CurvePrior.over(levels, family_of(result.curve), result.rates)
    parts = []
    for start in range(0, keys.ngroups, AT_ONCE):
        rows = slice(start, start + AT_ONCE)
        posterior = GridPosterior(prior, levels, len(answers[rows]))
        posterior.compute(answers[rows], cue_2[rows])
        found = estimates(
            posterior, np.arange(len(answers[rows])), convention=result.jnd_convention,
            level=result.level,
        )  # fmt: skip
        parts.append(
            pd.DataFrame(
                {
                    "pse": found.pse,
                    "pse_low": found.pse_interval[:, 0],
                    "pse_high": found.pse_interval[:, 1],
                    "jnd": found.jnd,
                    "jnd_low": found.jnd_interval[:, 0],
                    "jnd_high": found.jnd_interval[:, 1],
                    "guess": found.guess,
                    "lapse": found.lapse,
                }
            )
        )
    counts = keys[["n", "n_cannot_say"]].sum().reset_index()
    counts = counts.rename(columns={"n": "n_trials"})
    return pd.concat([counts, pd.concat(parts, ignore_index=True)], axis=1)
