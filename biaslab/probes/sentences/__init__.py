"""Sentences for language models: where they come from, and how two versions make a pair."""

from biaslab.probes.sentences.probe import stereotype_score
from biaslab.probes.sentences.stereotype_result import StereotypeScore

__all__ = ["StereotypeScore", "stereotype_score"]
