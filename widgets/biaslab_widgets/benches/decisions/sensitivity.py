"""The answers of a run as signal detection reads them: sensitivity and criterion by group."""

from __future__ import annotations

import math

from biaslab.errors import BiaslabError, QueryError
from biaslab.probes.decisions import DecisionsResult
from biaslab.probes.sensitivity import DetectionEstimate, SensitivityResult, sensitivity
from biaslab.probes.sensitivity import GroupSensitivity as ReadGroup
from biaslab.records.wording import counted, prose
from biaslab_widgets.benches.decisions.fields import (
    DecisionBenchState,
    Estimate,
    Gap,
    GroupSensitivity,
    Sensitivity,
)
from biaslab_widgets.benches.decisions.view import estimate
from biaslab_widgets.core.answers.cache import Latest
from biaslab_widgets.core.how import how, number, step
from biaslab_widgets.core.state.fields import empty
from biaslab_widgets.core.state.records import How, Span, finite


class Reading:
    """The last reading of a run by signal detection: nothing is asked again for another."""

    def __init__(self) -> None:
        self._read: Latest[SensitivityResult | str] = Latest()

    def of(
        self, result: DecisionsResult, run: int, snapshot: DecisionBenchState
    ) -> SensitivityResult:
        """Return sensitivity and criterion of the two groups on the screen.

        Parameters
        ----------
        result : DecisionsResult
            Of which cues and wordings that are left out are gone.
        run : int
            Its number.
        snapshot : DecisionBenchState

        Raises
        ------
        QueryError
            When these answers have no hits and false alarms of both groups.
        """
        key = (
            run, len(result.trials), result.without_cues, result.without_wordings,
            result.groups[:2], result.level, snapshot.qualified, snapshot.alike_d, snapshot.alike_c,
        )  # fmt: skip
        read = self._read.of(key, lambda: _read(result, snapshot))
        if isinstance(read, str):
            raise QueryError(read)
        return read

    def shown(self, result: DecisionsResult, run: int, snapshot: DecisionBenchState) -> Sensitivity:
        """Return what the page draws of it, or why there is nothing to draw."""
        try:
            return shown(self.of(result, run, snapshot))
        except QueryError as error:
            return {**empty(Sensitivity), "verdict": [{"text": prose(error), "role": "plain"}]}


_IN_CODE = (
    " with qualified=",
    "; leave the group out with groups=",
    ": bl.decisions(..., form='yes or no')",
)
"""Ends of the probe's sentences that say what to write, and not what to press."""


def _read(result: DecisionsResult, snapshot: DecisionBenchState) -> SensitivityResult | str:
    try:
        return sensitivity(
            result,
            qualified=float(snapshot.qualified),
            groups=result.groups[:2],
            margins=(float(snapshot.alike_d), float(snapshot.alike_c)),
            level=result.level,
        )
    except BiaslabError as error:
        text = prose(error)
        for end in _IN_CODE:
            text = text.replace(end, "")
        return text


def shown(result: SensitivityResult) -> Sensitivity:
    """Return what the page draws of sensitivities and criteria of two groups."""
    (difference,) = result.differences
    return {
        "verdict": [Span(text=text, role=role) for text, role in result.verdict_spans()],
        "caveat": " ".join([result.caveat(), *result.notes]).strip(),
        "groups": [_group(one) for one in result.groups],
        "d": _gap(difference.d_prime, result.margin_d_prime),
        "c": _gap(difference.criterion, result.margin_criterion),
        "hits": _estimate(difference.hits),
        "false_alarms": _estimate(difference.false_alarms),
    }


def _group(group: ReadGroup) -> GroupSensitivity:
    return {
        "hits": _estimate(group.hits),
        "false_alarms": _estimate(group.false_alarms),
        "d": _estimate(group.d_prime),
        "c": _estimate(group.criterion),
        "cues": [
            {"name": one.name, "hits": one.hits, "false_alarms": one.false_alarms}
            for one in group.cues
            if math.isfinite(one.hits + one.false_alarms)
        ],
    }


def _estimate(one: DetectionEstimate) -> Estimate:
    return estimate(one.value, one.interval.low, one.interval.high)


def _gap(one: DetectionEstimate, margin: float) -> Gap:
    return {
        **_estimate(one),
        "these_low": finite(one.these.low),
        "these_high": finite(one.these.high),
        "margin": margin,
    }


def how_of(result: SensitivityResult) -> How:
    """Return the steps from hits and false alarms to d' and c."""
    (difference,) = result.differences
    lines = [
        f"{name}: {number(one.value)} ({number(one.interval.low)} to {number(one.interval.high)})"
        for name, one in (("d′", difference.d_prime), ("c", difference.criterion))
    ]
    steps = [
        step(
            "Count hits and false alarms",
            "",
            *[
                f"{one.name}: hits {one.n_hits:g} of {one.n_signal}, false alarms"
                f" {one.n_false_alarms:g} of {one.n_noise}"
                for one in result.groups
            ],
            text=f"Qualified: {result.truth}. A weak prior of each rate, Beta(3/4, 3/4), keeps"
            " rates of 0 and 100 % from an infinite sensitivity.",
        ),
        step(
            "Tell sensitivity from criterion",
            "d′ = z(hits) − z(false alarms), c = −(z(hits) + z(false alarms)) / 2",
            *[
                f"{one.name}: d′ = {number(one.d_prime.value)}, c = {number(one.criterion.value)}"
                for one in result.groups
            ],
            text="z turns a share into standard deviations. Of a normal psychometric curve, levels"
            " x_{1} < x_{2} have d′ = 0.674 (x_{2} − x_{1}) / JND and"
            " c = 0.674 (PSE − (x_{1} + x_{2}) / 2) / JND.",
        ),
        step(
            "Take the second group less the first",
            "",
            *lines,
            text="Equal opportunity means equal hits; equalised odds mean equal false alarms too.",
        ),
    ]
    about = f"{result.subject}, {counted(len(result.trials), 'answer')}"
    return how(about, steps, read=("macmillan", "liang-acuna"), guide="docs/benches/decisions.md")
