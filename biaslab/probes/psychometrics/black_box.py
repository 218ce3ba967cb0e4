"""Switch points of a black box, from P(cue 2) at a grid of stimuli.

Each observer answers every stimulus. If its answers are all 0 or 1 and step once, its switch
point is the middle between the two stimuli around the step, known to half a step of the grid.
Otherwise a curve is fitted to its answers, and its switch point is that curve's PSE. Where an
observer never switches, no mean of switch points says what it does: PSE and JND are then those of
the mean answers, as of a language model.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from biaslab.errors import SubjectError
from biaslab.probes.psychometrics.adaptive_trials import ask_adaptively
from biaslab.probes.psychometrics.answers import Graded, OwnCurves
from biaslab.probes.psychometrics.asking import Responses, Task
from biaslab.probes.psychometrics.black_box_trials import ask_trials, observers_of
from biaslab.probes.psychometrics.options import family_of, fit_options
from biaslab.stats.curves.curve_fit import Status
from biaslab.stats.psychometric import fit

Floats = NDArray[np.float64]


def ask_black_box(subject: Callable[..., ArrayLike], task: Task) -> Responses:
    """Ask a function at every stimulus: see `answers_of`, or trial by trial.

    Raises
    ------
    SubjectError
        When it fails, or its answers are no probabilities (trial by trial: no choices).
    ValueError
        When an option does not apply.
    """
    if task.placing is not None:
        return ask_adaptively(subject, task)
    if task.trials is not None:
        return ask_trials(subject, task)
    task.refuse_student("A function that answers with probabilities")
    raw, notes = answers_of(subject, task)
    return Responses(
        task.items, task.pairs, task.all_usable, raw, "observers", "the subject's own", notes=notes
    )


def ask(
    respond: Callable[..., ArrayLike],
    items: Sequence[str],
    pairs: Sequence[tuple[str, str]],
    alphas: Floats,
    observers: Sequence[Any],
    *,
    vectorised: bool,
) -> Floats:
    """Return P(cue 2) of every observer, item, pair and stimulus: shape (B, n, K, L).

    Raises
    ------
    SubjectError
        When the subject cannot be called, or answers with another shape, or with no probability.
    """
    if not callable(respond):
        raise SubjectError(
            f"{respond!r} is neither a word embedding nor a function that answers. Pass an"
            " embedding or an ensemble; for a sentiment classifier pass its words, subject.words."
        )
    shape = (len(observers), len(items), len(pairs), len(alphas))
    observer = _column(observers, 3)
    item = np.asarray(items)[:, None, None]
    cue_1 = np.asarray([p[0] for p in pairs])[:, None]
    cue_2 = np.asarray([p[1] for p in pairs])[:, None]
    call = respond if vectorised else np.vectorize(respond, otypes=[float])
    answers = np.asarray(call(item, cue_1, cue_2, alphas, observer), dtype=float)
    try:
        answers = np.broadcast_to(answers, shape)
    except ValueError:
        raise SubjectError(
            f"The subject answered with shape {answers.shape} instead of {shape} (observer, "
            "item, cue pair, stimulus). Make it broadcast its arguments, or pass vectorised=False."
        ) from None
    wrong = ~((answers >= 0) & (answers <= 1))
    if wrong.any():
        b, i, k, a = (int(w[0]) for w in np.nonzero(wrong))
        raise SubjectError(
            f"The subject answered {answers[b, i, k, a]} for {items[i]!r}, {pairs[k]}, alpha "
            f"{alphas[a]:.3g}, observer {observers[b]!r}. Return P(cue 2), from 0 to 1."
        )
    return answers


def answers_of(
    respond: Callable[..., ArrayLike], task: Task
) -> tuple[OwnCurves | Graded, tuple[str, ...]]:
    """Return the curve of each observer, item and cue pair, or the answers themselves; with notes.

    The answers themselves where an observer has no switch point: PSE and JND are then of the mean
    answers.
    """
    who, alphas, levels = observers_of(task), task.stimuli, task.levels
    answers = ask(respond, task.items, task.pairs, alphas, who, vectorised=task.vectorised)
    flat = answers.reshape(-1, levels)
    rising = np.diff(flat, axis=1) >= 0
    binary = ((flat == 0) | (flat == 1)).all(axis=1)
    constant = flat.min(axis=1) == flat.max(axis=1)
    step = binary & rising.all(axis=1) & ~constant
    switch = np.full(len(flat), np.nan)
    own = np.zeros((3, len(flat)))  # noise, guess and lapse rate
    first = flat[step].argmax(axis=1)
    switch[step] = (alphas[first] + alphas[first - 1]) / 2
    graded = ~step & ~constant
    if graded.any():
        family = "normal" if task.curve == "weibull" else family_of(task.curve)
        trials = np.ones((int(graded.sum()), levels))
        curves = fit(alphas, flat[graded], trials, family=family, **fit_options(task.rates, levels))
        good = np.asarray(curves.converged) | (curves.status == Status.STEP)
        switch[graded] = np.where(good, curves.pse("psi"), np.nan)
        own[:, graded] = np.where(good, [curves.jnd("sd"), curves.guess, curves.lapse], np.nan)
    shape = answers.shape[:3]
    notes: list[str] = []
    if step.any():
        half = 0.5 / (levels - 1)
        notes.append(
            f"Steps are located to within {half:.3g} of alpha; use more levels to refine this."
        )
    if lost := int(np.isnan(switch).sum()):
        notes.append(
            f"{lost} of {len(flat)} observer curves have no switch point; PSE and JND are"
            " estimated from the mean answers, which include all of them."
        )
        return Graded.of(answers), tuple(notes)
    noise, *of_rates = own.reshape(3, *shape)
    means = np.mean(of_rates, axis=1)
    raw = OwnCurves(
        switch=switch.reshape(shape),
        perception=task.perception,
        levels=levels,
        own_noise=np.sqrt(np.mean(noise**2, axis=0)),
        own_rates=means if means.any() else None,
        own_answers=answers if graded.any() else None,
    )
    return raw, tuple(notes)


def _column(values: Sequence[Any], trailing: int) -> NDArray[Any]:
    array = np.empty(len(values), dtype=object)
    array[:] = list(values)
    if all(isinstance(v, int | np.integer) for v in values):
        array = array.astype(int)
    return array.reshape(-1, *([1] * trailing))
