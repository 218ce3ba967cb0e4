"""What a classifier imagines when it says a label: draws of p(s | label).

`sample` and its engines draw; `plane`, `word_distances`, `groups`, `lexicon` and `reviews` read.

References
----------
Liang and Acuna (2020), "Artificial mental phenomena: Psychophysics as a framework to detect
perception biases in AI models", FAT* '20, doi:10.1145/3351095.3375623, eq. 7 and section 5.2.
"""

from biaslab.probes.posterior.agreement import Agreement, agreement
from biaslab.probes.posterior.chooser import Chooser
from biaslab.probes.posterior.diagnostics import Diagnostics, diagnose
from biaslab.probes.posterior.groups import GroupDistances, GroupMean, posterior_groups
from biaslab.probes.posterior.lexicon import Lexicon, LexiconAgreement, posterior_lexicon
from biaslab.probes.posterior.live import LiveDraws
from biaslab.probes.posterior.overview import posterior, reread
from biaslab.probes.posterior.overview_result import PosteriorOverview, Reading
from biaslab.probes.posterior.plane import Cloud, PosteriorPlane, posterior_plane
from biaslab.probes.posterior.prior import Prior
from biaslab.probes.posterior.result import PosteriorResult
from biaslab.probes.posterior.reviews import NearestReviews, ReviewSpace, nearest_reviews
from biaslab.probes.posterior.sample import prepare, sample_posterior
from biaslab.probes.posterior.word_distances import (
    WordDistance,
    WordDistances,
    posterior_distances,
)

__all__ = [
    "Agreement",
    "Chooser",
    "Cloud",
    "Diagnostics",
    "GroupDistances",
    "GroupMean",
    "Lexicon",
    "LexiconAgreement",
    "LiveDraws",
    "NearestReviews",
    "PosteriorOverview",
    "PosteriorPlane",
    "PosteriorResult",
    "Prior",
    "Reading",
    "ReviewSpace",
    "WordDistance",
    "WordDistances",
    "agreement",
    "diagnose",
    "nearest_reviews",
    "posterior",
    "posterior_distances",
    "posterior_groups",
    "posterior_lexicon",
    "posterior_plane",
    "prepare",
    "reread",
    "sample_posterior",
]
