"""Association of protected words with attributes: WEAT, MAC, distance models.

Available as ``bl.association``. `overview` answers the most common questions about the same lists.

References
----------
"A Bayesian method of cosine-based word2vec bias estimation", a manuscript that names no authors;
*the manuscript* in this package.
"""

from biaslab.probes.association.ceat import CeatResult, ceat
from biaslab.probes.association.distance_model import compare_models, distance_model
from biaslab.probes.association.distance_model_result import (
    DistanceModelResult,
    ModelScore,
    model_scores,
)
from biaslab.probes.association.distance_parameters import Priors
from biaslab.probes.association.distances import DistanceTable, distances
from biaslab.probes.association.effect_size import (
    PAPER_ROWS,
    WeatSimulation,
    ceiling,
    weat_simulation,
)
from biaslab.probes.association.list_length import ListLength, list_length
from biaslab.probes.association.lists import CONNECTIONS, AssociationLists, cosines
from biaslab.probes.association.mac import MacResult, mac
from biaslab.probes.association.other_measures import ect, ripa, rnd, rnsb
from biaslab.probes.association.overview_probe import AssociationResult, overview
from biaslab.probes.association.pairing_prompt import ask_for_pairings
from biaslab.probes.association.residual import ResidualBias, residual
from biaslab.probes.association.seat import SeatResult, seat
from biaslab.probes.association.subspace_measures import direct_bias, projection
from biaslab.probes.association.weat import WeatResult, weat
from biaslab.probes.association.word_measures import MeasureResult
from biaslab.probes.association.word_suggestions import (
    ListGrowth,
    WordSuggestions,
    list_growth,
    suggest_words,
)
from biaslab.probes.modules import say_when_called

__all__ = [
    "CONNECTIONS",
    "PAPER_ROWS",
    "AssociationLists",
    "AssociationResult",
    "CeatResult",
    "DistanceModelResult",
    "DistanceTable",
    "ListGrowth",
    "ListLength",
    "MacResult",
    "MeasureResult",
    "ModelScore",
    "Priors",
    "ResidualBias",
    "SeatResult",
    "WeatResult",
    "WeatSimulation",
    "WordSuggestions",
    "ask_for_pairings",
    "ceat",
    "ceiling",
    "compare_models",
    "cosines",
    "direct_bias",
    "distance_model",
    "distances",
    "ect",
    "list_growth",
    "list_length",
    "mac",
    "model_scores",
    "overview",
    "projection",
    "residual",
    "ripa",
    "rnd",
    "rnsb",
    "seat",
    "suggest_words",
    "weat",
    "weat_simulation",
]

say_when_called(
    __name__, "bl.weat(subject, spec), bl.mac, bl.distance_model, or bl.association.overview"
)
