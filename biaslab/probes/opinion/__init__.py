"""A second opinion on answers that somebody recorded: choices, rates and word pairs by group."""

from biaslab.probes.opinion.benchmark_result import BenchmarkResult, BenchmarkScore
from biaslab.probes.opinion.probe import opinion
from biaslab.probes.opinion.result import (
    ChoiceCell,
    ChoicesResult,
    Difference,
    GroupMean,
    NeverAsked,
    OpinionResult,
    PairsCell,
    RateCell,
    RatesResult,
    Sentence,
    Share,
    Split,
    WordPairsResult,
)
from biaslab.probes.opinion.word_pairs import WordTest, association, read_word_tests

__all__ = [
    "BenchmarkResult",
    "BenchmarkScore",
    "ChoiceCell",
    "ChoicesResult",
    "Difference",
    "GroupMean",
    "NeverAsked",
    "OpinionResult",
    "PairsCell",
    "RateCell",
    "RatesResult",
    "Sentence",
    "Share",
    "Split",
    "WordPairsResult",
    "WordTest",
    "association",
    "opinion",
    "read_word_tests",
]
