"""Subjects of a probe: a folder per kind, and how they are opened."""

from __future__ import annotations

from biaslab.subjects import library
from biaslab.subjects.classifier.base import Classifier, StimulusMoments
from biaslab.subjects.classifier.neural import HuggingFaceClassifier, TorchClassifier
from biaslab.subjects.classifier.sentiment import SentimentClassifier
from biaslab.subjects.embedding.base import EmbeddingSubject
from biaslab.subjects.embedding.ensemble import EmbeddingEnsemble
from biaslab.subjects.embedding.terms import Resolution, Unknown
from biaslab.subjects.embedding.word_embedding import WordEmbedding
from biaslab.subjects.encoder.model import Encoder
from biaslab.subjects.encoder.sentence import SentenceEncoder
from biaslab.subjects.language_model.model import LanguageModel
from biaslab.subjects.library import add
from biaslab.subjects.opening.inspection import SubjectInfo, inspect
from biaslab.subjects.opening.load import bundled_names, load
from biaslab.subjects.opening.names import OwnSubject
from biaslab.subjects.opening.needs import Fit
from biaslab.subjects.opening.shared import forget_shared, load_shared
from biaslab.subjects.pretrained.facts import ModelFacts
from biaslab.subjects.pretrained.memory import memory_of
from biaslab.subjects.vision_language.model import VisionLanguageModel
from biaslab.subjects.vision_language.questions import ConceptAnswers

__all__ = [
    "Classifier",
    "ConceptAnswers",
    "EmbeddingEnsemble",
    "EmbeddingSubject",
    "Encoder",
    "Fit",
    "HuggingFaceClassifier",
    "LanguageModel",
    "ModelFacts",
    "OwnSubject",
    "Resolution",
    "SentenceEncoder",
    "SentimentClassifier",
    "StimulusMoments",
    "SubjectInfo",
    "TorchClassifier",
    "Unknown",
    "VisionLanguageModel",
    "WordEmbedding",
    "add",
    "bundled_names",
    "forget_shared",
    "inspect",
    "library",
    "load",
    "load_shared",
    "memory_of",
]
