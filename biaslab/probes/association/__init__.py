"""Association of protected words with attributes (paper 003): WEAT, MAC and what replaces them."""

from biaslab.probes.association.cosines import cosines
from biaslab.probes.association.distance_model import compare_models, distance_model
from biaslab.probes.association.distance_model_result import DistanceModelResult
from biaslab.probes.association.distances import DistanceTable, distances
from biaslab.probes.association.effect_size import ceiling
from biaslab.probes.association.lists import CONNECTIONS, AssociationLists
from biaslab.probes.association.mac import mac
from biaslab.probes.association.mac_result import MacResult
from biaslab.probes.association.priors import Priors
from biaslab.probes.association.weat import weat
from biaslab.probes.association.weat_result import WeatResult

__all__ = [
    "CONNECTIONS",
    "AssociationLists",
    "DistanceModelResult",
    "DistanceTable",
    "MacResult",
    "Priors",
    "WeatResult",
    "ceiling",
    "compare_models",
    "cosines",
    "distance_model",
    "distances",
    "mac",
    "weat",
]
