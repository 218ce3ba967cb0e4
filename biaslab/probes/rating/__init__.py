"""Rating of services that can only be called (the paper's Fig. 3).

References
----------
Srivastava and Rossi (2018), "Towards Composable Bias Rating of AI Services", AIES '18,
doi:10.1145/3278721.3278744; *the paper* in this package.
"""

from __future__ import annotations

from biaslab.probes.rating.attributes import (
    Attribute,
    ReadingRules,
    attribute,
    gender,
    place_of_worship,
)
from biaslab.probes.rating.balance import Balance, balance
from biaslab.probes.rating.compose import (
    Composition,
    Prediction,
    compose,
    compose_chain,
    composition_table,
    predicted_against_measured,
)
from biaslab.probes.rating.data_generator import TEMPLATES, Block, Distribution, Template, Text
from biaslab.probes.rating.decision_path import BlockFinding, Comparison, DecisionPath
from biaslab.probes.rating.distribution_analysis import CallPlan, Response, Responses
from biaslab.probes.rating.experiment_design import PAPER_LANGUAGES, RatingDesign
from biaslab.probes.rating.experiment_executor import calls_needed, execute
from biaslab.probes.rating.middle import MiddleGender, middle_gender
from biaslab.probes.rating.named_services import KNOWN_SERVICES, KnownService, open_service
from biaslab.probes.rating.power import PowerCurve, Simulated, power_curve, simulate
from biaslab.probes.rating.probe import plan, rate
from biaslab.probes.rating.ratings import (
    CorrectedRule,
    OverallRating,
    PaperRule,
    Rating,
    Rules,
    aggregate,
)
from biaslab.probes.rating.reading import Found, Reader
from biaslab.probes.rating.result import LanguageRating, RatingResult, Route, ShownText

__all__ = [
    "KNOWN_SERVICES",
    "PAPER_LANGUAGES",
    "TEMPLATES",
    "Attribute",
    "Balance",
    "Block",
    "BlockFinding",
    "CallPlan",
    "Comparison",
    "Composition",
    "CorrectedRule",
    "DecisionPath",
    "Distribution",
    "Found",
    "KnownService",
    "LanguageRating",
    "MiddleGender",
    "OverallRating",
    "PaperRule",
    "PowerCurve",
    "Prediction",
    "Rating",
    "RatingDesign",
    "RatingResult",
    "Reader",
    "ReadingRules",
    "Response",
    "Responses",
    "Route",
    "Rules",
    "ShownText",
    "Simulated",
    "Template",
    "Text",
    "aggregate",
    "attribute",
    "balance",
    "calls_needed",
    "compose",
    "compose_chain",
    "composition_table",
    "execute",
    "gender",
    "middle_gender",
    "open_service",
    "place_of_worship",
    "plan",
    "power_curve",
    "predicted_against_measured",
    "rate",
    "simulate",
]
