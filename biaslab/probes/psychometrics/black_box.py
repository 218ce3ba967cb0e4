"""Switch points of a black box, from P(cue 2) at a grid of stimuli.

Each observer answers every stimulus. If its answers are all 0 or 1 and step once, its switch
point is the middle between the two stimuli around the step, known to half a step of the grid.
Otherwise a curve is fitted to its answers, and its switch point is that curve's PSE. Where an
observer never switches, no mean of switch points says what it does: PSE and JND are then those of
the mean answers, as of a language model.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from biaslab.errors import SubjectError
from biaslab.probes.psychometrics.adaptive_trials import ask_adaptively
from biaslab.probes.psychometrics.asking import Responses, Task
from biaslab.probes.psychometrics.black_box_trials import ask_trials
from biaslab.probes.psychometrics.graded import switch_points_of_answers
from biaslab.probes.psychometrics.options import Rates, Shape, family_of, fit_options
from biaslab.stats.curves.curve_fit import Status
from biaslab.stats.psychometric import fit

Floats = NDArray[np.float64]


def ask_black_box(subject: Callable[..., ArrayLike], task: Task) -> Responses:
    """Ask a function at every stimulus: see `switch_points_of`, or trial by trial.

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
    observers = 1 if task.observers is None else task.observers
    found = switch_points_of(
        subject, task.items, task.pairs, task.levels, observers, task.curve, task.rates,
        task.vectorised,
    )  # fmt: skip
    return Responses(
        task.items, task.pairs, task.all_usable, found.switch, "observers", "the subject's own",
        own_noise=found.noise, own_rates=found.rates, own_answers=found.own_answers,
        answers=found.answers, notes=found.notes,
    )  # fmt: skip


class SwitchPoints(NamedTuple):
    """Switch points of observers, and what their own curves say.

    Attributes
    ----------
    switch : ndarray, shape (B, n, K)
    noise : ndarray, shape (n, K), or empty
        Of the observers' own curves.
    rates : ndarray, shape (2, n, K), or empty
        Mean guess and lapse rates of these; empty where all are 0.
    own_answers : ndarray, shape (B, n, K, L), or empty
        The answers that these curves were fitted to; empty if all of them are steps, which the
        switch points tell.
    answers : ndarray, shape (B, n, K, L), or empty
        The answers, if an observer has no switch point: PSE and JND are then of the mean answers,
        and `noise`, `rates` and `own_answers` are empty.
    notes : tuple of str
    """

    switch: Floats
    noise: Floats
    rates: Floats
    own_answers: Floats
    answers: Floats
    notes: tuple[str, ...]


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


def switch_points_of(
    respond: Callable[..., ArrayLike],
    items: Sequence[str],
    pairs: Sequence[tuple[str, str]],
    levels: int,
    observers: Sequence[Any] | int,
    curve: Shape,
    rates: Rates,
    vectorised: bool,
) -> SwitchPoints:
    """Return the switch point of each observer, item and cue pair."""
    who: Sequence[Any] = range(observers) if isinstance(observers, int) else observers
    if not len(who):
        raise SubjectError("There is no observer. Pass observers=1 or a list of observers.")
    alphas = np.linspace(0, 1, levels)
    answers = ask(respond, items, pairs, alphas, who, vectorised=vectorised)
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
        family = "normal" if curve == "weibull" else family_of(curve)
        trials = np.ones((int(graded.sum()), levels))
        curves = fit(alphas, flat[graded], trials, family=family, **fit_options(rates, levels))
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
        none = np.empty(0)
        points = switch_points_of_answers(answers, alphas)
        return SwitchPoints(points, none, none, none, answers.copy(), tuple(notes))
    noise, *of_rates = own.reshape(3, *shape)
    means = np.mean(of_rates, axis=1)
    return SwitchPoints(
        switch.reshape(shape),
        np.sqrt(np.mean(noise**2, axis=0)),
        means if means.any() else np.empty(0),
        answers.copy() if graded.any() else np.empty(0),
        np.empty(0),
        tuple(notes),
    )


def _column(values: Sequence[Any], trailing: int) -> NDArray[Any]:
    array = np.empty(len(values), dtype=object)
    array[:] = list(values)
    if all(isinstance(v, int | np.integer) for v in values):
        array = array.astype(int)
    return array.reshape(-1, *([1] * trailing))
