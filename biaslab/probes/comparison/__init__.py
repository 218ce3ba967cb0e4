"""Two runs of one kind, compared row by row, and one number over many runs in an order."""

from biaslab.probes.comparison.probe import compare, compare_loadings, measures_of, why_not
from biaslab.probes.comparison.result import Aspect, Comparison
from biaslab.probes.comparison.rows import MEASURES, Measure, Single, Total
from biaslab.probes.comparison.trajectory import Trajectory, numbers_of, trajectory

__all__ = [
    "MEASURES",
    "Aspect",
    "Comparison",
    "Measure",
    "Single",
    "Total",
    "Trajectory",
    "compare",
    "compare_loadings",
    "measures_of",
    "numbers_of",
    "trajectory",
    "why_not",
]
