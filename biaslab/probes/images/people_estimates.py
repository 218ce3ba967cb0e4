"""Estimates of `drawn_people`: errors of the rater, corrected shares, contrasts and placebo."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from biaslab.errors import QueryError
from biaslab.probes.images.people_result import (
    CANNOT_SAY,
    GroupShare,
    Placebo,
    RaterErrors,
    ShareContrast,
)
from biaslab.records.result import Interval
from biaslab.stats.curves.sigmoids import Floats
from biaslab.stats.misclassification import (
    Ratings,
    corrected_shares,
    equal_errors,
    inflation,
    likelihood_p,
    separation,
    share_differences,
    share_limits,
)
from biaslab.stats.significance import holm, wilson

Whole = NDArray[np.int64]
FEWEST: Final = 20
"""Calibration pictures of each group with which a word has errors of its own."""
OVER: Final = "pictures and calibration pictures"


class RatedTable(NamedTuple):
    """Rated pictures, as columns."""

    word: Whole
    label: Whole
    answer: Whole
    is_drawn: NDArray[np.bool_]
    cluster: list[str]


def estimates(
    table: RatedTable, words: tuple[str, ...], groups: tuple[str, ...],
    outside: tuple[str, Floats], *, by_word: bool | None, baseline: str | None,
    is_by_hand: bool, level: float, rng: np.random.Generator,
) -> dict[str, Any]:  # fmt: skip
    """Return fields of the result."""
    k, n_words = len(groups), len(words)
    n_answers = k + int((table.answer == k).any())
    first = words[0] if baseline is None else baseline
    if first not in words:
        raise QueryError(f"The baseline {first!r} is none of the words: {', '.join(words)}.")

    def counted(where: NDArray[np.bool_]) -> Floats:
        """Pictures by group and answer, shape (k, J)."""
        at = where & (table.label >= 0)
        pairs = table.label[at] * n_answers + table.answer[at]
        return np.bincount(pairs, minlength=k * n_answers).reshape(k, n_answers).astype(float)

    of_word = [table.word == w for w in range(n_words)]
    rated = np.stack([
        np.bincount(table.answer[of & table.is_drawn & (table.label < 0)], minlength=n_answers)
        for of in of_word
    ]).astype(float)  # fmt: skip
    labelled = np.stack([counted(of & table.is_drawn) for of in of_word])
    of_others = np.stack([counted(of & ~table.is_drawn) for of in of_word])
    all_answers = rated + labelled.sum(axis=1)
    notes = []
    is_known = bool((table.label >= 0).any())
    known = labelled + of_others
    alike = equal_errors(known)
    if by_word is None:
        by_word = n_words > 1 and bool((known.sum(axis=2) >= FEWEST).all())
    if by_word:
        matrices, calibrating = known, of_others
    else:
        matrices = counted(np.ones(len(table.word), bool))[None]
        calibrating = matrices - labelled
        if is_known and n_words > 1 and alike < 1 - level:
            notes.append(
                "The rater errs differently from word to word (p ="
                f" {alike:.2g}), and all are corrected alike: label {FEWEST} pictures of each group"
                " for each word."
            )
    has_labels = labelled.sum(axis=(1, 2)) >= FEWEST  # which tell its shares without the others
    lacking = np.argwhere(matrices.sum(axis=2) == 0)
    if is_known and lacking.size and not has_labels.all():
        which, group = lacking[0]
        raise QueryError(
            f"No calibration picture{f' of {words[which]!r}' if by_word else ''} shows a"
            f" {groups[group]}. Add some, of every group."
        )
    if not is_known and is_by_hand:  # labels count as true, and undecided ones say nothing
        rated, labelled = all_answers[:, :k], labelled[:, :, :k]
        calibrating = np.broadcast_to(1e9 * np.eye(k), (n_words, k, k))
    errors = []
    for m, counts in enumerate(matrices if is_known else ()):
        value, low, high = separation(counts, level, rng)
        errors.append(
            RaterErrors(words[m] if by_word else "", counts.astype(np.int64), value,
                        Interval(low, high, level, "calibration pictures"))
        )  # fmt: skip
    usable = np.array([
        is_by_hand if not is_known else errors[w if by_word else 0].tells_apart
        for w in range(n_words)
    ])  # fmt: skip
    usable = (usable | has_labels) & (rated.sum(axis=1) + labelled.sum(axis=(1, 2)) > 0)
    clusters = [[table.cluster[i] for i in np.flatnonzero(of & table.is_drawn)] for of in of_word]
    widened, critical, df = inflation(
        [_by_cluster(table.answer[of & table.is_drawn], own, n_answers)
         for of, own in zip(of_word, clusters, strict=True)],
        level,
    )  # fmt: skip
    at = np.s_[usable, None]
    ratings = Ratings((rated / widened)[at], (labelled / widened)[at], np.asarray(calibrating)[at])
    shown = range(1 if k == 2 else k)
    shares = _shares(
        ratings, usable, words, groups, shown, outside[1], all_answers, level, critical
    )
    contrasts = _contrasts(
        ratings, usable, words, groups, shown, first, level, critical, widened, df,
        together=is_known and not by_word,
    )  # fmt: skip
    return {
        "answers": (*groups, CANNOT_SAY)[:n_answers], "shares": shares, "contrasts": contrasts,
        "errors": tuple(errors), "alike": alike, "outside_name": outside[0], "inflation": widened,
        "clusters": df, "notes": tuple(notes),
        "placebo": _placebo(matrices, errors, groups, level, rng),
    }  # fmt: skip


def _by_cluster(answer: Whole, clusters: list[str], n_answers: int) -> Floats:
    names, at = np.unique(clusters, return_inverse=True)
    counts = np.zeros((len(names), n_answers))
    np.add.at(counts, (at, answer), 1)
    return counts


def _shares(
    ratings: Ratings, usable: NDArray[np.bool_], words: tuple[str, ...], groups: tuple[str, ...],
    shown: range, outside: Floats, answers: Floats, level: float, critical: float,
) -> tuple[GroupShare, ...]:  # fmt: skip
    k = len(groups)
    estimate, low, high = (np.full((len(words), k), np.nan) for _ in range(3))
    if usable.any():
        estimate[usable] = corrected_shares(ratings)[:, 0]
        for g in shown:
            low[usable, g], high[usable, g] = share_limits(ratings, g, critical)
    decided = answers[:, :k].sum(axis=1)
    out = []
    for w, word in enumerate(words):
        for g in shown:
            ends = wilson(answers[w, g], decided[w], level)
            raw = answers[w, g] / decided[w] if decided[w] else np.nan
            out.append(
                GroupShare(
                    word, groups[g], int(answers[w].sum()), float(raw),
                    Interval(float(ends[0]), float(ends[1]), level, "pictures"),
                    float(estimate[w, g]),
                    Interval(float(low[w, g]), float(high[w, g]), level, OVER),
                    float(outside[w, g]),
                )
            )  # fmt: skip
    return tuple(out)


def _contrasts(
    ratings: Ratings, usable: NDArray[np.bool_], words: tuple[str, ...], groups: tuple[str, ...],
    shown: range, first: str, level: float, critical: float, widened: float, df: int, *,
    together: bool,
) -> tuple[ShareContrast, ...]:  # fmt: skip
    there = [word for word, is_usable in zip(words, usable, strict=True) if is_usable]
    if first not in there or len(there) < 2:
        return ()
    base = there.index(first)
    others = np.array([i for i in range(len(there)) if i != base])
    one, two = ratings[others], ratings[np.full(len(others), base)]
    if together:  # one calibration set, of which the labels of the baseline's pictures are a part
        known = np.maximum(one.calibration - widened * two.labelled, 0)
        one, two = replace(one, calibration=known), replace(two, calibration=0 * known)
    found = []
    for g in shown:
        pairs = one.beside(two, together=together)
        difference, low, high, deviance = share_differences(pairs, g, critical)
        p = likelihood_p(deviance, df if widened > 1 else None)
        found += [
            (there[w], groups[g], float(difference[i]),
             Interval(float(low[i]), float(high[i]), level, OVER), float(p[i]))
            for i, w in enumerate(others)
        ]  # fmt: skip
    adjusted = holm([one[-1] for one in found])
    return tuple(
        ShareContrast(word, first, group, difference, interval, p, float(a))
        for (word, group, difference, interval, p), a in zip(found, adjusted, strict=True)
    )


def _placebo(
    matrices: Floats, errors: Sequence[RaterErrors], groups: tuple[str, ...], level: float,
    rng: np.random.Generator,
) -> tuple[Placebo, ...]:  # fmt: skip
    """Correct a random half of the calibration pictures by the other half."""
    enough = [m for m, one in enumerate(errors) if one.tells_apart
              and (one.counts.sum(axis=1) >= FEWEST).all()]  # fmt: skip
    if not enough:
        return ()
    halves = np.array([
        [rng.multivariate_hypergeometric(row, int(row.sum()) // 2) for row in errors[m].counts]
        for m in enough
    ])  # fmt: skip
    rest = matrices[enough] - halves
    counts = (halves.sum(axis=1).astype(float), np.zeros_like(rest), rest)
    ratings = Ratings(*(one[:, None] for one in counts))
    known = halves.sum(axis=2)[:, 0] / halves.sum(axis=(1, 2))
    share = corrected_shares(ratings)[:, 0, 0]
    low, high = share_limits(ratings, 0, inflation([], level)[1])
    return tuple(
        Placebo(errors[m].word, groups[0], float(known[i]), float(share[i]),
                Interval(float(low[i]), float(high[i]), level, OVER))
        for i, m in enumerate(enough)
    )  # fmt: skip
