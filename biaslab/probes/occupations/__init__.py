"""Words between groups (paper 000, section 5.1): occupations, pairs and combinations of cues."""

from biaslab.probes.occupations.agreement import Agreement, Line
from biaslab.probes.occupations.outside import Axis, OutsideTable, outside_tables
from biaslab.probes.occupations.probe import occupations
from biaslab.probes.occupations.result import OccupationsResult
from biaslab.probes.occupations.verdicts import LeanCounts

__all__ = [
    "Agreement",
    "Axis",
    "LeanCounts",
    "Line",
    "OccupationsResult",
    "OutsideTable",
    "occupations",
    "outside_tables",
]
