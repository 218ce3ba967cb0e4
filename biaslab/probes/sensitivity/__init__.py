"""Sensitivity and criterion by group: whether a group is favoured, or only seen less well.

By signal detection theory, which Liang and Acuna (2020), sections 1 and 2.2, build on.
"""

from biaslab.probes.sensitivity.probe import sensitivity
from biaslab.probes.sensitivity.result import (
    CueRates,
    Cut,
    DetectionEstimate,
    FitCheck,
    GroupDifference,
    GroupSensitivity,
    SensitivityResult,
    SensitivityTrials,
)

__all__ = [
    "CueRates",
    "Cut",
    "DetectionEstimate",
    "FitCheck",
    "GroupDifference",
    "GroupSensitivity",
    "SensitivityResult",
    "SensitivityTrials",
    "sensitivity",
]
