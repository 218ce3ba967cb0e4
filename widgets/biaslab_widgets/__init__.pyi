# Written by `make contract` from the registry of benches. Do not edit.
from biaslab_widgets.benches.association.notebook import AssociationBench as AssociationBench
from biaslab_widgets.benches.images.notebook import ImageBench as ImageBench
from biaslab_widgets.benches.occupations.notebook import OccupationsBench as OccupationsBench
from biaslab_widgets.benches.posterior.notebook import PosteriorBench as PosteriorBench
from biaslab_widgets.benches.psychometric.notebook import PsychometricBench as PsychometricBench
from biaslab_widgets.benches.rating.notebook import RatingBench as RatingBench
from biaslab_widgets.benches.sentences.notebook import SentenceBench as SentenceBench
from biaslab_widgets.benches.word_lists.notebook import WordListEditor as WordListEditor

__all__ = [
    "AssociationBench",
    "ImageBench",
    "OccupationsBench",
    "PosteriorBench",
    "PsychometricBench",
    "RatingBench",
    "SentenceBench",
    "WordListEditor",
]
