"""Sentences for language models: their sources, and pairs of two versions."""

from biaslab.probes.sentences.probe import TemplateComparison, compare_templates, stereotype_score
from biaslab.probes.sentences.stereotype_result import StereotypeScore

__all__ = ["StereotypeScore", "TemplateComparison", "compare_templates", "stereotype_score"]
