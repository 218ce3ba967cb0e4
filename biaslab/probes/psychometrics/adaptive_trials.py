"""Ask trial by trial where an answer is expected to say most, by the posterior of each curve.

Each observer, item and cue pair has a curve of its own, with a posterior of its own; the next
level of each is the one whose answer is expected to say most about its PSE and scale, with the
guess and lapse rates integrated out (psi-marginal, see `biaslab.stats.information`). Which cue is
offered first is drawn: of each two trials of a curve, one has each order, so that the order
cannot follow the level.

Placement stops by the intervals of these posteriors. They integrate over the guess and lapse rates,
and hold with few trials, where a maximum of the likelihood can be far too sure. They say nothing
about other observers, over which the estimates of a result range.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from biaslab.probes.psychometrics.asking import Responses, Task
from biaslab.probes.psychometrics.black_box_trials import (
    KeptTrials,
    Questions,
    check_distinct,
    identity_of,
    names_of,
    observers_of,
    responses_of,
)
from biaslab.probes.psychometrics.options import Adaptive, family_of
from biaslab.probes.psychometrics.result import TwoAFCResult
from biaslab.probes.psychometrics.trials import Trials
from biaslab.records.result import Dropped
from biaslab.stats.curves.adaptive import Placement
from biaslab.stats.curves.grid import CurvePrior, Rows
from biaslab.stats.curves.grid_posterior import GridPosterior, estimates
from biaslab.store import Store

if TYPE_CHECKING:
    import pandas as pd


AT_ONCE: Final = 256
"""Curves that are asked side by side; their posteriors take about 290 kB each."""
_STOPPED: Final = "was not reached: the run was stopped"


def ask_adaptively(subject: Callable[..., ArrayLike], task: Task) -> Responses:
    """Place trials until the intervals wanted or the budget are reached.

    A trial that was answered "cannot say" counts toward the budget and not in the posterior. Curves
    of an item are asked together, and up to 256 curves in turns. A stop keeps the trials so far.

    Raises `SubjectError` when an answer is no choice; `ValueError` when an option is out of range,
    or does not apply.
    """
    placing = cast("Adaptive", task.trials)
    check_distinct(task.pairs)
    observers = observers_of(task)
    names = names_of(observers)
    kept = KeptTrials(
        subject, observers, names,
        store=None if placing.keep is False else placing.store or Store(),
        identity=placing.keep if isinstance(placing.keep, str) else identity_of(subject),
    )  # fmt: skip
    run = _Run(task, placing, kept, names)
    for start in range(0, run.curves, AT_ONCE):
        if not run.go_on:
            break
        run.ask(np.arange(start, min(start + AT_ONCE, run.curves)))
    return run.responses()


class _Run:
    """Trials of all curves, and what became of them."""

    def __init__(
        self, task: Task, placing: Adaptive, kept: KeptTrials, names: NDArray[np.str_]
    ) -> None:
        self._task, self._placing, self._kept, self._names = task, placing, kept, names
        self._shape = (len(task.items), len(task.pairs), len(names))
        self._done: list[Trials] = []
        self._used: list[int] = []
        self._reached: list[bool] = []

    @property
    def curves(self) -> int:
        """How many there are: one for each item, cue pair and observer."""
        return int(np.prod(self._shape))

    @property
    def go_on(self) -> bool:
        """Whether there was no stop; leaves the probe at one before there is any answer."""
        if not self._done:
            self._task.context.checkpoint()
        return not self._task.context.should_stop

    def ask(self, curves: Rows) -> None:
        """Ask some of the curves until each is known well enough."""
        task, placing = self._task, self._placing
        placement = Placement(
            len(curves), task.stimuli, family=family_of(task.fit.family), rates=task.fit.lapses,
            width=placing.widths[0], jnd_width=placing.widths[1], budget=placing.budget,
            jnd=task.fit.jnd, level=task.level,
        )  # fmt: skip
        orders = _Orders((task.seed, int(curves[0])), both=placing.orders == "both")
        done = 0
        while (rows := placement.active).size and self.go_on:
            count = min(placing.batch, placing.budget - done)
            levels = placement.next_levels(count, rows)
            first = orders.draw(done, count, len(curves))[rows]
            places = np.array(np.unravel_index(curves[rows], self._shape))
            questions = _questions(task, places, levels, first)
            answers, put = self._kept.put(questions, task.context)
            done += count
            self._keep(questions, answers, put)
            _tell(placement, rows, levels, answers, put)
            task.context.report(
                sum(self._used) + int(placement.trials.sum()),
                self.curves * placing.budget,
                "trials of the budget asked",
            )
        self._used += placement.trials.sum(axis=1).tolist()
        self._reached += placement.reached.tolist()

    def responses(self) -> Responses:
        """Return the trials so far."""
        task, joined = self._task, Trials.joined(self._done)
        items = tuple(item for item in task.items if item in joined.items)
        there = {frozenset(pair) for pair in joined.pairs}
        usable = np.array([frozenset(pair) in there for pair in task.pairs])
        pairs = tuple(pair for pair, ok in zip(task.pairs, usable, strict=True) if ok)
        left = [Dropped(item, "item", _STOPPED) for item in task.items if item not in items]
        left += [
            Dropped(" / ".join(pair), "cue pair", _STOPPED)
            for pair, ok in zip(task.pairs, usable, strict=True)
            if not ok
        ]
        chosen = joined.about(items, pairs) or joined
        return responses_of(
            chosen, items, pairs, tuple(left), usable,
            notes=(*self._notes(), *self._kept.notes),
        )  # fmt: skip

    def _keep(self, questions: Questions, answers: NDArray[np.float64], put: int) -> None:
        if put:
            some = questions.take(np.arange(put))
            trials = Trials.of_answers(
                some.item, some.cue_1, some.cue_2, some.alpha, self._names[some.observer],
                some.cue_1_first, answers[:put],
            )  # fmt: skip
            self._done.append(trials)

    def _notes(self) -> list[str]:
        """What the placement did: trials, widths reached, and answers from the store."""
        placing, used = self._placing, self._used
        span = f"{used[0]}" if min(used) == max(used) else f"{min(used)} to {max(used)}"
        each = "a curve" if len(used) > 1 else "in all"
        notes = [f"Stimuli were placed where answers say most: {span} trials {each}."]
        wanted = [
            f"{width:.3g} for the {name}"
            for name, width in zip(("PSE", "JND"), placing.widths, strict=True)
            if width is not None
        ]
        if wanted:
            notes.append(
                f"{sum(self._reached)} of {self.curves} curves reached the wanted width of their"
                f" interval, {' and '.join(wanted)}."
            )
        if self._kept.found:
            notes.append(f"{self._kept.found} of {sum(used)} answers were in the store.")
        return notes


class _Orders:
    """Which cue is offered first: in random order, and in each order once in two trials.

    - `both`: otherwise always cue 1.
    """

    def __init__(self, seed: tuple[int, ...], *, both: bool) -> None:
        self._rng = np.random.default_rng(seed)
        self._both = both
        self._last = np.empty(0, dtype=bool)

    def draw(self, done: int, count: int, curves: int) -> NDArray[np.bool_]:
        """Return the next orders of all curves, (curves, count), after `done` trials."""
        first = np.ones((curves, count), dtype=bool)
        if self._both:
            for k in range(count):
                if (done + k) % 2 == 0:
                    self._last = self._rng.random(curves) < 0.5
                else:
                    self._last = ~self._last
                first[:, k] = self._last
        return first


def _questions(
    task: Task, places: NDArray[np.intp], levels: NDArray[np.float64], first: NDArray[np.bool_]
) -> Questions:
    """Questions of A curves at K levels each; all first ones, then all second ones."""
    item, pair, who = (np.tile(place, levels.shape[1]) for place in places)
    cue_1, cue_2 = (np.array(cues)[pair] for cues in zip(*task.pairs, strict=True))
    return Questions(
        np.array(task.items)[item], cue_1, cue_2, levels.T.ravel(), who, first.T.ravel()
    )


def _tell(
    placement: Placement,
    rows: NDArray[np.intp],
    levels: NDArray[np.float64],
    answers: NDArray[np.float64],
    put: int,
) -> None:
    """Pass the answers to the first questions of a step on to the placement."""
    by_curve = answers.reshape(levels.shape[::-1]).T
    there = (np.arange(answers.size) < put).reshape(levels.shape[::-1]).T
    cannot_say = there & np.isnan(by_curve)
    placement.update(rows, levels, there & (by_curve == 1), there & ~cannot_say, cannot_say)


_CURVE = ["item", "cue_1", "cue_2", "observer"]


def curve_posteriors(result: TwoAFCResult) -> pd.DataFrame:
    """Return PSE and JND of every item, cue pair and observer of a result with trials.

    Parameters
    ----------
    result : TwoAFCResult
        Of a subject that answered trial by trial, or of collected trials.

    Returns
    -------
    DataFrame
        A row per curve: item, cue_1, cue_2, observer, n_trials, n_cannot_say; posterior medians and
        equal-tailed intervals (the result's level) of the PSE (``pse``, ``pse_low``, ``pse_high``,
        where the whole curve is 1/2) and of the JND (the result's convention); posterior means of
        the rates (``guess``, ``lapse``). Priors: see `biaslab.stats.curves.grid.CurvePrior.over`.

    Raises
    ------
    QueryError
        If the result has no trials.
    """
    import pandas as pd

    trials = result.trials
    frame = trials.to_frame()
    keys = frame.groupby(_CURVE, sort=False)
    levels, inverse = np.unique(trials.alpha, return_inverse=True)
    curve = keys.ngroup().to_numpy()
    answers, cue_2 = np.zeros((2, keys.ngroups, len(levels)))
    np.add.at(answers, (curve, inverse), trials.decided)
    np.add.at(cue_2, (curve, inverse), trials.n_cue_2)
    prior = CurvePrior.over(levels, family_of(result.fit.family), result.fit.lapses)
    parts = []
    for start in range(0, keys.ngroups, AT_ONCE):
        rows = slice(start, start + AT_ONCE)
        posterior = GridPosterior(prior, levels, len(answers[rows]))
        posterior.compute(answers[rows], cue_2[rows])
        estimated = estimates(
            posterior, np.arange(len(answers[rows])), convention=result.fit.jnd,
            level=result.level,
        )  # fmt: skip
        parts.append(
            pd.DataFrame(
                {
                    "pse": estimated.pse,
                    "pse_low": estimated.pse_interval[:, 0],
                    "pse_high": estimated.pse_interval[:, 1],
                    "jnd": estimated.jnd,
                    "jnd_low": estimated.jnd_interval[:, 0],
                    "jnd_high": estimated.jnd_interval[:, 1],
                    "guess": estimated.guess,
                    "lapse": estimated.lapse,
                }
            )
        )
    counts = keys[["n", "n_cannot_say"]].sum().reset_index()
    counts = counts.rename(columns={"n": "n_trials"})
    return pd.concat([counts, pd.concat(parts, ignore_index=True)], axis=1)
