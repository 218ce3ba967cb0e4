"""Recognise published benchmarks by their columns, and give their scores intervals."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from biaslab.answers.layouts import benchmark_name
from biaslab.answers.recorded import Outcome, RecordedAnswers
from biaslab.errors import AnswersError
from biaslab.probes.opinion.benchmark_result import BenchmarkScore
from biaslab.probes.opinion.benchmark_sets import (
    Measure,
    Rows,
    Scored,
    bbq,
    crows_pairs,
    discrim_eval,
    models_of,
    winobias,
    winogender,
)
from biaslab.probes.opinion.result import NeverAsked
from biaslab.records.result import Interval
from biaslab.stats.choices.differences import difference_of_means, two_sided_p
from biaslab.stats.clustered_mean import ClusteredMean, clustered_mean
from biaslab.stats.significance import holm

_NEVER_ASKED: Final = (
    NeverAsked("A second wording", "each item has the wording of its template, and no other"),
    NeverAsked("A decision about a person", "the items are tests, and no use of the model"),
)


@dataclass(frozen=True)
class Benchmark:
    """A published benchmark, and how it is scored."""

    name: str
    paper: str
    score: Callable[[RecordedAnswers], Scored]


def benchmark_of(answers: RecordedAnswers) -> Benchmark | None:
    """Return the benchmark whose columns the answers have."""
    name = benchmark_name(answers.values)
    return BENCHMARKS[name] if name else None


def as_benchmark(answers: RecordedAnswers) -> RecordedAnswers:
    """Return the answers with all but copies used: a benchmark reads them by its own options."""
    outcomes: list[Outcome] = [
        one if one in ("copy", "left out") else "answered" for one in answers.outcomes
    ]
    return replace(answers, outcomes=tuple(outcomes))


def benchmark_fields(
    answers: RecordedAnswers, benchmark: Benchmark, *, level: float
) -> dict[str, Any]:
    """Return the fields of a `BenchmarkResult`."""
    try:
        scored = benchmark.score(answers)
    except (ValueError, TypeError, IndexError) as error:  # a cell that is empty or no number
        raise AnswersError(
            f"{answers.source} has the columns of {benchmark.name}, but a row whose cells do not"
            f" fit them ({error}). Compare it with the published file."
        ) from error
    models = models_of(answers)
    is_used = np.array([one == "answered" for one in answers.outcomes])
    clusters = np.unique([str(one) for one in scored.clusters], return_inverse=True)[1]
    scores = []
    for model in dict.fromkeys(models):
        own = (models == model) & is_used
        for measure in scored.measures:
            parts = np.array([str(one) for one in measure.parts])
            for part in ("", *sorted(set(parts[own]) if len(parts) else ())):
                rows = np.flatnonzero(own & (parts == part) if part else own)
                score = _score(measure, rows, clusters, level)
                if score is not None:
                    scores.append(replace(score, model=str(model), part=str(part)))
    if not scores:
        raise AnswersError(
            f"{answers.source} has the columns of {benchmark.name}, but none of its answers can be"
            " read as one of the item's options. Name the column of the answers with answer=."
        )
    adjusted = iter(holm([one.p for one in scores if one.is_tested]))
    return {
        "case_name": "",
        "benchmark": benchmark.name,
        "paper": benchmark.paper,
        "over": scored.over,
        "scores": tuple(
            replace(one, p_adjusted=float(next(adjusted))) if one.is_tested else one
            for one in scores
        ),
        "answers": tuple(scored.answers.items()),
        "notes": scored.notes,
        "never_asked": _NEVER_ASKED,
    }


def _score(measure: Measure, rows: Rows, clusters: Rows, level: float) -> BenchmarkScore | None:
    published = math.nan if measure.published is None else measure.published(rows)
    use = rows[np.isfinite(measure.values[rows])]
    if not len(use):
        return None
    values, own = measure.values[use], clusters[use]
    is_share = measure.unit == "share" and measure.is_second is None
    if measure.is_second is not None:
        mean = difference_of_means(values, measure.is_second[use], own)
    else:
        mean = clustered_mean(values, own, weighting="items", share=is_share)
    if math.isnan(mean.estimate):
        return None
    low, high = (mean.share_limits if is_share else mean.limits)(level)
    if measure.unit in ("share", "score"):
        low, high = max(low, -1.0), min(high, 1.0)
    p = _p(mean, measure.chance) if measure.is_bias else math.nan
    return BenchmarkScore(
        model="", name=measure.name, part="", unit=measure.unit, n=len(use), published=published,
        estimate=mean.estimate, standard_error=math.sqrt(mean.variance),
        interval=Interval(low, high, level, "clusters"), n_clusters=len(set(own.tolist())),
        chance=measure.chance, p=p, p_adjusted=math.nan,
    )  # fmt: skip


def _p(mean: ClusteredMean, chance: float) -> float:
    return two_sided_p(replace(mean, estimate=mean.estimate - chance))


BENCHMARKS: Final[Mapping[str, Benchmark]] = {
    "BBQ": Benchmark("BBQ", "Parrish et al. 2022", bbq),
    "CrowS-Pairs": Benchmark("CrowS-Pairs", "Nangia et al. 2020", crows_pairs),
    "Winogender": Benchmark("Winogender", "Rudinger et al. 2018", winogender),
    "WinoBias": Benchmark("WinoBias", "Zhao et al. 2018", winobias),
    "discrim-eval": Benchmark("discrim-eval", "Tamkin et al. 2023", discrim_eval),
}
"""Benchmarks that are recognised by their columns, by name."""
