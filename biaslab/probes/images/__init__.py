"""Pictures and vision-language models: associations of word lists with pictures."""

from biaslab.probes.images.people import drawn_people
from biaslab.probes.images.people_result import (
    DrawnPeople,
    GroupShare,
    Placebo,
    RaterErrors,
    ShareContrast,
)
from biaslab.probes.images.probe import image_association
from biaslab.probes.images.result import (
    ImageAssociation,
    ImageScoreDifference,
    image_score_difference,
)
from biaslab.probes.images.scores import ImageScore
from biaslab.probes.images.statistics import image_statistics

__all__ = [
    "DrawnPeople",
    "GroupShare",
    "ImageAssociation",
    "ImageScore",
    "ImageScoreDifference",
    "Placebo",
    "RaterErrors",
    "ShareContrast",
    "drawn_people",
    "image_association",
    "image_score_difference",
    "image_statistics",
]
