"""Words between groups: occupations by pairs and combinations of cues.

After Liang and Acuna (2020), section 5.1.
"""

from biaslab.probes.occupations.agreement import Agreement, Line, MeasureAgreement
from biaslab.probes.occupations.leans import LeanCounts, Ranking, Scale
from biaslab.probes.occupations.outside import Axis, OutsideTable, outside_tables
from biaslab.probes.occupations.probe import occupations
from biaslab.probes.occupations.result import OccupationsResult

__all__ = [
    "Agreement",
    "Axis",
    "LeanCounts",
    "Line",
    "MeasureAgreement",
    "OccupationsResult",
    "OutsideTable",
    "Ranking",
    "Scale",
    "occupations",
    "outside_tables",
]
