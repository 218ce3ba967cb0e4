"""Association of protected words with attributes (paper 003): WEAT, MAC and what replaces them."""

from biaslab.probes.association.cosines import cosines
from biaslab.probes.association.lists import CONNECTIONS, AssociationLists

__all__ = ["CONNECTIONS", "AssociationLists", "cosines"]
