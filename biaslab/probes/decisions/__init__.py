"""Decisions: how much more one group must bring to be treated alike.

After the two-alternative task of Liang and Acuna (2020), section 2.2, where stimuli cannot be
blended, and the audit study of Bertrand and Mullainathan (2004).
"""

from biaslab.probes.decisions.assurance import Assurance, GapSpread, assurance_after
from biaslab.probes.decisions.placebo import Placebo, placebo
from biaslab.probes.decisions.probe import Plan, decisions, plan
from biaslab.probes.decisions.result import DecisionsResult, Estimate
from biaslab.probes.decisions.secondary import (
    Gauge,
    TraitEffect,
    first_option,
    gap_if_refused_is,
    gauges,
    level_effect,
    ratio_is_known,
    refusal_difference,
    trait_effects,
)
from biaslab.probes.decisions.trials import DecisionTrials, Design, Questions

__all__ = [
    "Assurance",
    "DecisionTrials",
    "DecisionsResult",
    "Design",
    "Estimate",
    "GapSpread",
    "Gauge",
    "Placebo",
    "Plan",
    "Questions",
    "TraitEffect",
    "assurance_after",
    "decisions",
    "first_option",
    "gap_if_refused_is",
    "gauges",
    "level_effect",
    "placebo",
    "plan",
    "ratio_is_known",
    "refusal_difference",
    "trait_effects",
]
