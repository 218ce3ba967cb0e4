"""Guess and lapse rates of a curve: its asymptotes, where a subject is never quite sure."""

from __future__ import annotations

from typing import Any, Final, Literal, get_args

Rates = Literal["free", "equal", "none"]
"""Both fitted, fitted as one, or 0, as in Liang and Acuna (2020).

A fitted rate lies in [0, 0.45], with a flat prior there.
"""

_FIT_OPTIONS: Final[dict[Rates, dict[str, Any]]] = {
    "free": {"guess": "free", "lapse": "free"},
    "equal": {"guess": "free", "lapse": "equal"},
    "none": {},
}
RATES: Final[tuple[str, ...]] = get_args(Rates)
FEWEST_LEVELS: Final = 6
"""Rates are fitted from so many stimuli on; fewer cannot tell an asymptote from a flat curve."""


def fit_options(rates: Rates, levels: int) -> dict[str, Any]:
    """Return options of `biaslab.stats.psychometric.fit` for a curve over so many stimuli."""
    return _FIT_OPTIONS[rates if levels >= FEWEST_LEVELS else "none"]
