"""Pictures and vision-language models: associations of word lists with pictures."""

from biaslab.probes.images.probe import image_association
from biaslab.probes.images.result import (
    ImageAssociation,
    ImageScoreDifference,
    image_score_difference,
)
from biaslab.probes.images.scores import ImageScore
from biaslab.probes.images.statistics import image_statistics

__all__ = [
    "ImageAssociation",
    "ImageScore",
    "ImageScoreDifference",
    "image_association",
    "image_score_difference",
    "image_statistics",
]
