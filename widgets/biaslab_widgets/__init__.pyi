# Written by `make contract` from the registry of benches. Do not edit.
from biaslab_widgets.benches.association.widget import AssociationBench as AssociationBench
from biaslab_widgets.benches.decisions.widget import DecisionBench as DecisionBench
from biaslab_widgets.benches.images.widget import ImageBench as ImageBench
from biaslab_widgets.benches.occupations.widget import OccupationsBench as OccupationsBench
from biaslab_widgets.benches.opinion.widget import OpinionBench as OpinionBench
from biaslab_widgets.benches.posterior.widget import PosteriorBench as PosteriorBench
from biaslab_widgets.benches.psychometric.widget import PsychometricBench as PsychometricBench
from biaslab_widgets.benches.rating.widget import RatingBench as RatingBench
from biaslab_widgets.benches.sentences.widget import SentenceBench as SentenceBench
from biaslab_widgets.benches.word_lists.widget import WordListEditor as WordListEditor

__all__ = [
    "AssociationBench",
    "DecisionBench",
    "ImageBench",
    "OccupationsBench",
    "OpinionBench",
    "PosteriorBench",
    "PsychometricBench",
    "RatingBench",
    "SentenceBench",
    "WordListEditor",
]
