"""Arrays as text, for pictures with more numbers than JSON carries quickly."""

from __future__ import annotations

import base64

import numpy as np
from numpy.typing import NDArray

from biaslab_widgets.benches.posterior.fields import Packed

STEPS = 65_534
MISSING = 65_535


def packed(
    values: NDArray[np.floating], low: float | None = None, high: float | None = None
) -> Packed:
    """An array in 65,535 steps from `low` to `high`, by default its own range.

    What lies outside is put at the nearer end; what is not finite is marked as missing.
    """
    array = np.asarray(values, dtype=np.float64)
    finite = np.isfinite(array)
    if low is None or high is None:
        inside = array[finite]
        own = (inside.min(), inside.max()) if inside.size else (0.0, 1.0)
        low, high = own[0] if low is None else low, own[1] if high is None else high
    low, high = float(low), float(high)
    width = high - low if high > low else 1.0
    steps = np.clip(np.round((np.where(finite, array, low) - low) / width * STEPS), 0, STEPS)
    numbers = np.where(finite, steps, MISSING).astype("<u2")
    return {
        "shape": list(array.shape),
        "low": low,
        "high": low + width,
        "data": base64.b64encode(numbers.tobytes()).decode("ascii"),
    }
