"""Sensitivity and criterion by group: whether a group is favoured, or only seen less well."""

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
