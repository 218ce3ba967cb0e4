"""Coverage of the image association's 95 % intervals on fresh portraits.

portrait-clip is asked about 500 studies of 240 portraits (8 terms, 30 of each, three captions),
all of them fresh, and about 20,000 more, on which the score that each interval should hold is
measured. Portraits are drawn at 64 pixels, which is what the model sees. Planted is a spec whose
lists are planted in the model, control one whose lists are planted on nobody; "any" counts the
list of the most probable concept. A row about terms tells the coverage over all eight terms of all
studies, and the lowest and the highest among the terms. Student's interval of the same means is
beside it. What the model says is kept in a scratch folder (BIASLAB_BENCH_CACHE names another one):
drawing takes about half an hour the first time.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from benchmarks.findings import HOLDS, Figure, Findings, judged
from benchmarks.portrait_answers import SPECS, concepts, log_scores
from biaslab import specs
from biaslab.images import ImageRecord, image_terms
from biaslab.probes.images.scores import first_list
from biaslab.probes.images.statistics import image_statistics
from biaslab.stats.curves.sigmoids import Floats

STUDIES, PER_TERM = 500, 30
TRUTH_STUDIES, TRUTH_PER_TERM = 100, 25
_TRUTH_SEED = 100_000


@dataclass(frozen=True)
class Case:
    """A spec and a rule."""

    spec: str
    aggregate: str

    @property
    def name(self) -> str:
        """Words for the report."""
        what = "planted" if self.spec == SPECS[0] else "control"
        return f"{what}, {self.aggregate}"


CASES = tuple(Case(spec, rule) for spec in SPECS for rule in ("sum", "any"))


def measure() -> Findings:
    """All cases, on the same portraits."""
    truth = np.concatenate(
        log_scores([(_TRUTH_SEED + k, TRUTH_PER_TERM) for k in range(TRUTH_STUDIES)]), axis=1
    )
    studies = log_scores([(seed, PER_TERM) for seed in range(STUDIES)])
    figures = [figure for case in CASES for figure in covered(case, truth, studies)]
    error = 100 * math.sqrt(0.95 * 0.05 / STUDIES)
    note = (
        f"With {STUDIES} studies a coverage of 95 % is found with a standard error of {error:.1f}"
        " points. The truth itself is a mean over 20,000 portraits, which widens nothing: its"
        " standard error is a ninth of a study's. A term's score of portrait-clip is skewed (to"
        " −3.6, as few portraits are taken for the other group), which Student's interval misses."
        " Counts of 30 (“any”) near 100 % cannot be covered more evenly than by steps: two terms"
        " of the planted spec are above 99 %."
    )
    return Findings(tuple(figures), (note,))


def covered(
    case: Case, truth: NDArray[np.float32], studies: list[NDArray[np.float32]]
) -> list[Figure]:
    """How often the score, its terms and the effect are held."""
    spec = specs.get(case.spec)
    one, two = spec.groups
    lists = list(spec.attributes.values())
    columns = [concepts().index(concept) for words in lists for concept in words]
    list_of = np.repeat([0, 1], [len(words) for words in lists])
    side = np.repeat([0, 1], [len(terms) for terms in spec.groups.values()])

    def probabilities(log_scores: NDArray[np.float32]) -> Floats:
        """Of this question's concepts, shape (terms, per_term, templates, concepts)."""
        return np.asarray(special.softmax(log_scores[..., columns].astype(float), axis=-1))

    def first(log_scores: NDArray[np.float32]) -> Floats:
        """P(the first list), shape (terms, per_term)."""
        p = first_list(probabilities(log_scores), list_of, case.aggregate)
        return np.asarray(p.mean(axis=2))

    def own(of_first: Floats) -> Floats:
        """P(the list of a portrait's group)."""
        return np.where(side[:, None] == 0, of_first, 1 - of_first)

    def statistics(study: NDArray[np.float32]) -> dict[str, Any]:
        """What the probe says of a study."""
        _, per_term, templates, _ = study.shape
        return image_statistics(
            [
                ImageRecord(f"{i:03d}", term, 64, 64)
                for term in image_terms(spec)
                for i in range(per_term)
            ],
            np.repeat(side, per_term),
            probabilities(study).reshape(-1, templates, len(columns)),
            list_of=list_of,
            groups=(one, two),
            templates=[str(k) for k in range(templates)],
            aggregate=case.aggregate,
            permutations=100,
        )

    of_first = first(truth)
    true_terms, true_score = own(of_first).mean(axis=1), float(own(of_first).mean())
    true_effect = _effect(of_first[side == 0].ravel(), of_first[side == 1].ravel())
    rows = []
    for study in studies:
        result = statistics(study)
        overall = result["overall"].interval
        by_term = [true_terms[i] in term.interval for i, term in enumerate(result["terms"])]
        rows.append(
            (
                true_score in overall,
                overall.high - overall.low,
                by_term,
                true_effect in result["effect_interval"],
                *_students(own(first(study)), true_score, true_terms),
            )
        )
    score, width, held, effect, student, student_held = (
        np.mean(column, axis=0) for column in zip(*rows, strict=True)
    )
    return [
        _figure(f"{case.name}: score {100 * true_score:.1f}", score, f", width {100 * width:.2g}",
                student),
        _figure(f"{case.name}: terms", held.mean(),
                f" ({100 * held.min():.1f} to {100 * held.max():.1f})", student_held.mean()),
        _figure(f"{case.name}: Cohen's d {true_effect:.2f}", effect, "", None),
    ]  # fmt: skip


def _students(scores: Floats, true_score: float, true_terms: Floats) -> tuple[bool, list[bool]]:
    """Whether Student's intervals of means within terms hold the truth: of all, and of terms."""
    n = scores.shape[1]
    errors = scores.var(axis=1, ddof=1) / n
    missed = np.abs(scores.mean(axis=1) - true_terms)
    by_term = missed <= special.stdtrit(n - 1, 0.975) * np.sqrt(errors)
    total = float(errors.sum()) / len(scores) ** 2
    df = errors.sum() ** 2 / (errors**2 / (n - 1)).sum() if total > 0 else 1.0
    reach = float(special.stdtrit(df, 0.975)) * math.sqrt(total)
    return bool(abs(scores.mean() - true_score) <= reach), by_term.tolist()


def _effect(one: Floats, two: Floats) -> float:
    within = ((one - one.mean()) ** 2).sum() + ((two - two.mean()) ** 2).sum()
    return float((one.mean() - two.mean()) / math.sqrt(within / (len(one) + len(two) - 2)))


def _figure(what: str, share: Any, more: str, students: Any) -> Figure:
    return Figure(
        what,
        f"{100 * share:.1f} %{more}",
        *judged(HOLDS, round(float(share), 3)),
        "" if students is None else f"Student {100 * students:.1f} %",
    )
