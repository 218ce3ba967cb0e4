"""Sentences for language models: their sources, and pairs of two versions."""

from biaslab.probes.sentences.probe import stereotype_score
from biaslab.probes.sentences.stereotype_result import StereotypeScore
from biaslab.probes.sentences.template_comparison import TemplateComparison, compare_templates

__all__ = ["StereotypeScore", "TemplateComparison", "compare_templates", "stereotype_score"]
