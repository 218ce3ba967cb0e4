"""Sentences for language models: where they come from, and how two versions make a pair."""

from biaslab.probes.sentences.stereotype_result import StereotypeScore
from biaslab.probes.sentences.stereotype_score import stereotype_score

__all__ = ["StereotypeScore", "stereotype_score"]
