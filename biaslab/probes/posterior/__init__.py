"""Posterior of a classifier's label: draws of p(s | label).

Reached as ``bl.posterior``. `sample_posterior` draws; `distances`, `groups`, `lexicon`, `plane` and
`nearest_reviews` read the draws; `overview` does both. Each function's module has a name of its
own, such as ``group_distances`` for `groups`, because the function would hide it.

References
----------
Liang and Acuna (2020), "Artificial mental phenomena: Psychophysics as a framework to detect
perception biases in AI models", FAT* '20, doi:10.1145/3351095.3375623, eq. 7 and section 5.2.
"""

from biaslab.probes.modules import say_when_called
from biaslab.probes.posterior.diagnostics import Agreement, Diagnostics, diagnose
from biaslab.probes.posterior.group_distances import GroupDistances, GroupMean, groups
from biaslab.probes.posterior.lexicon_agreement import Lexicon, LexiconAgreement, lexicon
from biaslab.probes.posterior.overview_probe import overview, reread
from biaslab.probes.posterior.overview_result import PosteriorOverview, Reading
from biaslab.probes.posterior.plane_of_draws import Cloud, PosteriorPlane, plane
from biaslab.probes.posterior.portraits.options import Portraits
from biaslab.probes.posterior.portraits.result import PortraitPosterior, Share, Shift
from biaslab.probes.posterior.prior import Prior
from biaslab.probes.posterior.result import LiveDraws, PosteriorResult, agreement
from biaslab.probes.posterior.reviews import NearestReviews, ReviewSpace, nearest_reviews
from biaslab.probes.posterior.sample import prepare, sample_posterior
from biaslab.probes.posterior.subject import Chooser
from biaslab.probes.posterior.word_distances import WordDistance, WordDistances, distances

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
    "PortraitPosterior",
    "Portraits",
    "PosteriorOverview",
    "PosteriorPlane",
    "PosteriorResult",
    "Prior",
    "Reading",
    "ReviewSpace",
    "Share",
    "Shift",
    "WordDistance",
    "WordDistances",
    "agreement",
    "diagnose",
    "distances",
    "groups",
    "lexicon",
    "nearest_reviews",
    "overview",
    "plane",
    "prepare",
    "reread",
    "sample_posterior",
]

say_when_called(__name__, "bl.sample_posterior(subject), or bl.posterior.overview(subject)")
