"""Subjects of a probe: one module per kind, one reader per file format."""

from __future__ import annotations

from biaslab.subjects import library
from biaslab.subjects.base import EmbeddingSubject, Resolution, Unknown
from biaslab.subjects.classifier import Classifier, StimulusMoments
from biaslab.subjects.embedding import WordEmbedding
from biaslab.subjects.encoder import Encoder
from biaslab.subjects.ensemble import EmbeddingEnsemble
from biaslab.subjects.huggingface_classifier import HuggingFaceClassifier
from biaslab.subjects.inspecting import inspect
from biaslab.subjects.language_model import LanguageModel
from biaslab.subjects.library import add
from biaslab.subjects.load import bundled_names, forget_shared, load, load_shared
from biaslab.subjects.memory import memory_of
from biaslab.subjects.model_facts import ModelFacts
from biaslab.subjects.own import OwnSubject
from biaslab.subjects.questions import Fit
from biaslab.subjects.sentence_encoder import SentenceEncoder
from biaslab.subjects.sentiment import SentimentClassifier
from biaslab.subjects.subject_info import SubjectInfo
from biaslab.subjects.torch_classifier import TorchClassifier
from biaslab.subjects.vision_language import ConceptAnswers, VisionLanguageModel

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
