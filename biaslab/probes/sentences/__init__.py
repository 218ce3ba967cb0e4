"""Sentences for language models and sentiment systems: their sources, and pairs of two versions."""

from biaslab.probes.sentences.probe import TemplateComparison, compare_templates, stereotype_score
from biaslab.probes.sentences.sentiment import sentiment_gap
from biaslab.probes.sentences.sentiment_result import SentimentGap
from biaslab.probes.sentences.stereotype_result import StereotypeScore

__all__ = [
    "SentimentGap",
    "StereotypeScore",
    "TemplateComparison",
    "compare_templates",
    "sentiment_gap",
    "stereotype_score",
]
