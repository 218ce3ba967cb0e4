"""Two runs of one kind, compared row by row."""

from biaslab.probes.comparison.aspects import Aspect
from biaslab.probes.comparison.compared import Single, Total
from biaslab.probes.comparison.probe import compare, why_not
from biaslab.probes.comparison.result import Comparison

__all__ = ["Aspect", "Comparison", "Single", "Total", "compare", "why_not"]
