"""Two runs of one kind, compared row by row."""

from biaslab.probes.comparison.probe import compare, compare_loadings, measures_of, why_not
from biaslab.probes.comparison.result import Aspect, Comparison
from biaslab.probes.comparison.rows import MEASURES, Measure, Single, Total

__all__ = [
    "MEASURES",
    "Aspect",
    "Comparison",
    "Measure",
    "Single",
    "Total",
    "compare",
    "compare_loadings",
    "measures_of",
    "why_not",
]
