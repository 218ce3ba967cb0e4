"""The posterior p(s | label): what a classifier imagines when it says a label (paper 000, 2.3)."""

from biaslab.probes.posterior.groups import GroupDistances, GroupMean, posterior_groups
from biaslab.probes.posterior.lexicon import Lexicon, LexiconAgreement, posterior_lexicon
from biaslab.probes.posterior.plane import Cloud, PosteriorPlane, posterior_plane
from biaslab.probes.posterior.word_distances import (
    WordDistance,
    WordDistances,
    posterior_distances,
)

__all__ = [
    "Cloud",
    "GroupDistances",
    "GroupMean",
    "Lexicon",
    "LexiconAgreement",
    "PosteriorPlane",
    "WordDistance",
    "WordDistances",
    "posterior_distances",
    "posterior_groups",
    "posterior_lexicon",
    "posterior_plane",
]
