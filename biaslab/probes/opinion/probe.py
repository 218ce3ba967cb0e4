"""``bl.opinion``: a verdict on answers that somebody recorded."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from biaslab.answers import RecordedAnswers, replay
from biaslab.arguments import instance
from biaslab.errors import AnswersError
from biaslab.jobs.showing import shows_progress
from biaslab.probes.opinion.benchmark_result import BenchmarkResult
from biaslab.probes.opinion.benchmarks import as_benchmark, benchmark_fields, benchmark_of
from biaslab.probes.opinion.cells import dropped_of, never_asked
from biaslab.probes.opinion.choices import changed_by_misspelt, choice_fields
from biaslab.probes.opinion.rates import rate_fields
from biaslab.probes.opinion.result import ChoicesResult, OpinionResult, RatesResult, WordPairsResult
from biaslab.probes.opinion.word_pairs import SMOOTHING, WordTest, pair_fields, read_word_tests
from biaslab.records.calls import recorded
from biaslab.records.provenance import measured
from biaslab.stats.reproducibility import seed_number
from biaslab.stats.significance import check_level
from biaslab.threads.collecting import collection_paused

PERMUTATIONS: Final = 20_000
_NO_WORDS: Final = (
    "Answers of word pairs need the groups and words of each test: name a CSV file of them with"
    " word_tests=, or give a WordTest."
)


@recorded
@shows_progress
@collection_paused()
def opinion(
    subject: RecordedAnswers | str | os.PathLike[str],
    *,
    labels: Mapping[str, str] | None = None,
    reference: str | None = None,
    margin: float | None = None,
    word_tests: Mapping[str, WordTest] | WordTest | str | os.PathLike[str] | None = None,
    smoothing: float = SMOOTHING,
    permutations: int = PERMUTATIONS,
    level: float = 0.95,
    rng: int | np.random.Generator = 0,
    progress: bool | None = None,  # noqa: ARG001  # of shows_progress
) -> OpinionResult:
    """Judge answers that somebody recorded: a second opinion, without asking any model.

    What is computed follows from what the answers are. Rankings and selections: the share of
    first places of each group, apart from places in the prompt. Yes or no, and numbers: the
    difference of groups, by clusters. Lines ``word - group``: an association score per answer.
    Published benchmarks, recognised by their columns: their scores.

    Parameters
    ----------
    subject : RecordedAnswers or path
        Answers of `biaslab.replay`, or their file.
    labels : mapping of str to str, optional
        What groups are called, by their names in the file, such as ``{"A_W": "Asian women"}``.
        Names that cross, such as race and gender, are also compared along each.
    reference : str, optional
        Group that others are compared with, of yes or no and numbers; by default the first.
    margin : float, optional
        Differences up to this count as treated alike; by default 0.05 of a rate, and a twentieth
        of the range of numbers.
    word_tests : mapping of str to WordTest, WordTest or path, optional
        Groups and words of each association test: see `read_word_tests`.
    smoothing : float
        Added to the denominators of an association score, at least 0.
    permutations : int
        Orders of the prompts that are drawn for the test of rankings, at least 99.
    level : float
        Of the intervals, in (0, 1); tests are of level 1 - `level`.
    rng : int or numpy.random.Generator
        Of the permutations.

    Returns
    -------
    ChoicesResult, RatesResult, WordPairsResult or BenchmarkResult

    Raises
    ------
    AnswersError
        If the answers are of no such kind, there is one group only, or nothing varies.
    """
    answers = replay(subject) if isinstance(subject, str | os.PathLike) else subject
    instance(answers, RecordedAnswers, "subject", "Pass bl.replay('answers.csv').")
    check_level(level)
    if permutations < 99:
        raise AnswersError(f"permutations is {permutations}: a test needs at least 99.")
    names = dict(labels or {})
    if names and (unknown := sorted(set(names) - set(answers.groups()))):
        raise AnswersError(
            f"labels names {', '.join(unknown)}; the groups in {answers.source} are"
            f" {', '.join(answers.groups())}."
        )
    if names and len({names.get(one, one) for one in answers.groups()}) < len(answers.groups()):
        raise AnswersError(
            "Two groups would have one name: give each of them another, such as"
            f" {', '.join(answers.groups())}."
        )
    parameters = {"kind": answers.kind, "labels": names, "reference": reference, "margin": margin,
                  "smoothing": smoothing, "permutations": permutations, "level": level}  # fmt: skip
    seed = seed_number(rng)
    if (benchmark := benchmark_of(answers)) is not None:
        answers = as_benchmark(answers)
    dropped = dropped_of(answers)
    common: dict[str, Any] = {
        "source": answers.source,
        "level": level,
        "file": answers.summary,
        "set_aside": tuple((one.reason, one.count) for one in answers.set_aside),
    }
    result: type[OpinionResult]
    with measured(probe="opinion", subject=answers, parameters=parameters, seed=seed) as run:
        if benchmark is not None:
            result = BenchmarkResult
            fields = benchmark_fields(answers, benchmark, level=level)
        elif answers.kind == "ranking":
            result = ChoicesResult
            options: dict[str, Any] = {"labels": names, "level": level, "runs": permutations}
            fields = choice_fields(answers, rng=np.random.default_rng(seed), **options)
            fields["changed_by_misspelt"] = changed_by_misspelt(
                answers, fields["cells"], rng=np.random.default_rng(seed), **options
            )
        elif answers.kind in ("yes or no", "number"):
            result = RatesResult
            fields = rate_fields(
                answers, labels=names, level=level, margin=margin, reference=reference
            )
        elif answers.kind == "word pairs":
            result = WordPairsResult
            fields, unread = pair_fields(
                answers, _tests(word_tests), smoothing=smoothing, level=level
            )
            dropped += unread
            if unread:
                common["set_aside"] += (("unreadable", len(unread)),)
        elif word_tests is not None:
            raise AnswersError(
                f"No answer in {answers.source} pairs words with names: the model did not do"
                " what it was told. Read some of its answers, and ask another model."
            )
        else:
            raise AnswersError(
                f"The answers in {answers.source} are free text, which no statistic here can"
                " compare. Name a column of rankings, of yes or no, of numbers or of word pairs"
                " with answer=."
            )
        if benchmark is None:
            common["never_asked"] = never_asked(answers)
    return result(provenance=run.provenance, dropped=dropped, **common, **fields)


def _tests(words: Any) -> Mapping[str, WordTest]:
    if words is None:
        raise AnswersError(_NO_WORDS)
    if isinstance(words, WordTest):
        return {"": words}
    return words if isinstance(words, Mapping) else read_word_tests(words)
