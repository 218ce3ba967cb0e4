"""Probe AI models for social bias the way experimental psychology probes a mind.

>>> import biaslab as bl
>>> emb = bl.load("wiki-bootstraps")
>>> result = bl.two_afc(emb, ["nurse"], [("female", "male")])
>>> print(result.summary())  # doctest: +SKIP
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from biaslab import images, observers, portraits, services, specs
    from biaslab.jobs import Job, start
    from biaslab.probes.association import (
        AssociationLists,
        AssociationResult,
        DistanceModelResult,
        DistanceTable,
        MacResult,
        MeasureResult,
        ModelScore,
        Priors,
        WeatResult,
        WeatSimulation,
        association,
        ceat,
        ceiling,
        compare_models,
        direct_bias,
        distance_model,
        distances,
        ect,
        mac,
        model_scores,
        projection,
        ripa,
        rnd,
        rnsb,
        seat,
        weat,
        weat_simulation,
    )
    from biaslab.probes.debias import debias
    from biaslab.probes.images import ImageAssociation, image_association, image_score_difference
    from biaslab.probes.occupations import (
        OccupationsResult,
        OutsideTable,
        occupations,
        outside_tables,
    )
    from biaslab.probes.posterior import (
        Chooser,
        GroupDistances,
        Lexicon,
        LexiconAgreement,
        NearestReviews,
        PosteriorOverview,
        PosteriorPlane,
        PosteriorResult,
        Prior,
        ReviewSpace,
        WordDistances,
        nearest_reviews,
        posterior,
        posterior_distances,
        posterior_groups,
        posterior_lexicon,
        posterior_plane,
        sample_posterior,
    )
    from biaslab.probes.psychometrics import Perception, TwoAFCResult, two_afc
    from biaslab.probes.psychometrics.morphed_model import MorphedModel
    from biaslab.probes.rating import RatingDesign, RatingResult, rate
    from biaslab.probes.rating.compose import compose
    from biaslab.probes.sentences import StereotypeScore, stereotype_score
    from biaslab.probes.similarity import Judgements, WordSimilarityResult, word_similarity
    from biaslab.results import Result
    from biaslab.store import Store
    from biaslab.subjects import (
        Classifier,
        EmbeddingEnsemble,
        Encoder,
        HuggingFaceClassifier,
        LanguageModel,
        SentimentClassifier,
        StimulusMoments,
        TorchClassifier,
        VisionLanguageModel,
        WordEmbedding,
        load,
    )

__version__: str
"""Version of the installed package."""

__all__ = [
    "AssociationLists",
    "AssociationResult",
    "Chooser",
    "Classifier",
    "DistanceModelResult",
    "DistanceTable",
    "EmbeddingEnsemble",
    "Encoder",
    "GroupDistances",
    "HuggingFaceClassifier",
    "ImageAssociation",
    "Job",
    "Judgements",
    "LanguageModel",
    "Lexicon",
    "LexiconAgreement",
    "MacResult",
    "MeasureResult",
    "ModelScore",
    "MorphedModel",
    "NearestReviews",
    "OccupationsResult",
    "OutsideTable",
    "Perception",
    "PosteriorOverview",
    "PosteriorPlane",
    "PosteriorResult",
    "Prior",
    "Priors",
    "RatingDesign",
    "RatingResult",
    "Result",
    "ReviewSpace",
    "SentimentClassifier",
    "StereotypeScore",
    "StimulusMoments",
    "Store",
    "TorchClassifier",
    "TwoAFCResult",
    "VisionLanguageModel",
    "WeatResult",
    "WeatSimulation",
    "WordDistances",
    "WordEmbedding",
    "WordSimilarityResult",
    "association",
    "ceat",
    "ceiling",
    "compare_models",
    "compose",
    "debias",
    "direct_bias",
    "distance_model",
    "distances",
    "ect",
    "image_association",
    "image_score_difference",
    "images",
    "load",
    "mac",
    "model_scores",
    "nearest_reviews",
    "observers",
    "occupations",
    "outside_tables",
    "portraits",
    "posterior",
    "posterior_distances",
    "posterior_groups",
    "posterior_lexicon",
    "posterior_plane",
    "projection",
    "rate",
    "ripa",
    "rnd",
    "rnsb",
    "sample_posterior",
    "seat",
    "services",
    "specs",
    "start",
    "stereotype_score",
    "two_afc",
    "weat",
    "weat_simulation",
    "word_similarity",
]

_HOMES = {
    "AssociationLists": "biaslab.probes.association",
    "AssociationResult": "biaslab.probes.association",
    "Chooser": "biaslab.probes.posterior",
    "Classifier": "biaslab.subjects",
    "DistanceModelResult": "biaslab.probes.association",
    "DistanceTable": "biaslab.probes.association",
    "EmbeddingEnsemble": "biaslab.subjects",
    "Encoder": "biaslab.subjects",
    "GroupDistances": "biaslab.probes.posterior",
    "HuggingFaceClassifier": "biaslab.subjects",
    "ImageAssociation": "biaslab.probes.images",
    "Job": "biaslab.jobs",
    "Judgements": "biaslab.probes.similarity",
    "LanguageModel": "biaslab.subjects",
    "Lexicon": "biaslab.probes.posterior",
    "LexiconAgreement": "biaslab.probes.posterior",
    "MacResult": "biaslab.probes.association",
    "MeasureResult": "biaslab.probes.association",
    "ModelScore": "biaslab.probes.association",
    "MorphedModel": "biaslab.probes.psychometrics.morphed_model",
    "NearestReviews": "biaslab.probes.posterior",
    "OccupationsResult": "biaslab.probes.occupations",
    "OutsideTable": "biaslab.probes.occupations",
    "Perception": "biaslab.probes.psychometrics",
    "PosteriorOverview": "biaslab.probes.posterior",
    "PosteriorPlane": "biaslab.probes.posterior",
    "PosteriorResult": "biaslab.probes.posterior",
    "Prior": "biaslab.probes.posterior",
    "Priors": "biaslab.probes.association",
    "RatingDesign": "biaslab.probes.rating",
    "RatingResult": "biaslab.probes.rating",
    "Result": "biaslab.results",
    "ReviewSpace": "biaslab.probes.posterior",
    "SentimentClassifier": "biaslab.subjects",
    "StereotypeScore": "biaslab.probes.sentences",
    "StimulusMoments": "biaslab.subjects",
    "Store": "biaslab.store",
    "TorchClassifier": "biaslab.subjects",
    "TwoAFCResult": "biaslab.probes.psychometrics",
    "VisionLanguageModel": "biaslab.subjects",
    "WeatResult": "biaslab.probes.association",
    "WeatSimulation": "biaslab.probes.association",
    "WordDistances": "biaslab.probes.posterior",
    "WordEmbedding": "biaslab.subjects",
    "WordSimilarityResult": "biaslab.probes.similarity",
    "association": "biaslab.probes.association",
    "ceat": "biaslab.probes.association",
    "ceiling": "biaslab.probes.association",
    "compare_models": "biaslab.probes.association",
    "compose": "biaslab.probes.rating",
    "debias": "biaslab.probes.debias",
    "direct_bias": "biaslab.probes.association",
    "distance_model": "biaslab.probes.association",
    "distances": "biaslab.probes.association",
    "ect": "biaslab.probes.association",
    "image_association": "biaslab.probes.images",
    "image_score_difference": "biaslab.probes.images",
    "images": "biaslab.images",
    "load": "biaslab.subjects",
    "mac": "biaslab.probes.association",
    "model_scores": "biaslab.probes.association",
    "nearest_reviews": "biaslab.probes.posterior",
    "observers": "biaslab.observers",
    "occupations": "biaslab.probes.occupations",
    "outside_tables": "biaslab.probes.occupations",
    "portraits": "biaslab.portraits",
    "posterior": "biaslab.probes.posterior",
    "posterior_distances": "biaslab.probes.posterior",
    "posterior_groups": "biaslab.probes.posterior",
    "posterior_lexicon": "biaslab.probes.posterior",
    "posterior_plane": "biaslab.probes.posterior",
    "projection": "biaslab.probes.association",
    "rate": "biaslab.probes.rating",
    "ripa": "biaslab.probes.association",
    "rnd": "biaslab.probes.association",
    "rnsb": "biaslab.probes.association",
    "sample_posterior": "biaslab.probes.posterior",
    "seat": "biaslab.probes.association",
    "services": "biaslab.services",
    "specs": "biaslab.specs",
    "start": "biaslab.jobs",
    "stereotype_score": "biaslab.probes.sentences",
    "two_afc": "biaslab.probes.psychometrics",
    "weat": "biaslab.probes.association",
    "weat_simulation": "biaslab.probes.association",
    "word_similarity": "biaslab.probes.similarity",
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used, so that ``import biaslab`` stays light."""
    if name == "__version__":
        from importlib.metadata import version

        return version("biaslab")
    if name not in _HOMES:
        raise AttributeError(f"module 'biaslab' has no attribute {name!r}")
    home = importlib.import_module(_HOMES[name])
    value = home if _HOMES[name] == f"biaslab.{name}" else getattr(home, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
