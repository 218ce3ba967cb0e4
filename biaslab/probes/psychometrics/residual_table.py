"""Table of residuals: where the curves of a two-alternative task miss the answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from biaslab.probes.psychometrics.fit_check import FitCheck

if TYPE_CHECKING:
    import pandas as pd


def residual_frame(
    items: Sequence[str],
    pairs: Sequence[tuple[str, ...]],
    checks: Sequence[FitCheck],
    pooled: tuple[tuple[str, ...], FitCheck] | None,
) -> pd.DataFrame:
    """Return one row per item, pair and stimulus, and pooled over pairs.

    Parameters
    ----------
    items : sequence of str
    pairs : sequence of (str, str)
    checks : sequence of FitCheck
        Of each pair, arrays of shape (n, L).
    pooled : ((str, str), FitCheck), optional
        Names of all cues, and the check of the curves pooled over pairs.
    """
    import pandas as pd

    each = [
        _rows(items, pair, check, pooled=False) for pair, check in zip(pairs, checks, strict=True)
    ]
    frame = pd.concat(each, ignore_index=True)
    # Items in their order, and within each of them the pairs.
    order = np.argsort(np.tile(np.repeat(np.arange(len(items)), len(checks[0].alphas)), len(pairs)),
                       kind="stable")  # fmt: skip
    frame = frame.iloc[order]
    if pooled is not None:
        frame = pd.concat([frame, _rows(items, *pooled, pooled=True)])
    return frame.reset_index(drop=True)


def _rows(
    items: Sequence[str], pair: tuple[str, ...], check: FitCheck, *, pooled: bool
) -> pd.DataFrame:
    import pandas as pd

    count = len(check.alphas)
    curve, expected = check.curve, check.expected
    return pd.DataFrame(
        {
            "item": np.repeat(items, count),
            "cue_1": pair[0],
            "cue_2": pair[1],
            "pooled": pooled,
            "alpha": np.tile(check.alphas, len(items)),
            "mean": check.mean.ravel(),
            "curve": curve.ravel(),
            "residual": check.residual.ravel(),
            "expected_low": -expected.ravel(),
            "expected_high": expected.ravel(),
            "predicted_low": np.clip(curve - check.predicted, 0, 1).ravel(),
            "predicted_high": np.clip(curve + check.predicted, 0, 1).ravel(),
        }
    )
