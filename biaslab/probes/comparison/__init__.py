"""Two runs of one kind, compared row by row."""

from biaslab.probes.comparison.aspects import Aspect
from biaslab.probes.comparison.compared import Single, Total
from biaslab.probes.comparison.loadings import compare_loadings
from biaslab.probes.comparison.of_choices import MEASURES, Measure
from biaslab.probes.comparison.probe import compare, measures_of, why_not
from biaslab.probes.comparison.result import Comparison

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
