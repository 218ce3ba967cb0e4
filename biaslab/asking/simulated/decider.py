"""Simulated deciders whose gap, position bias, lapses and refusals are known."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from biaslab.asking.calling import Streaming
from biaslab.asking.protocols import Reply, of_shares
from biaslab.asking.simulated.server import Answering
from biaslab.asking.simulated.truth import (
    SCALE_OF_JND,
    Candidate,
    DeciderTruth,
    Family,
    PromptReader,
    shares_of,
)
from biaslab.cases import Case, Question, get
from biaslab.errors import DeciderError, ObserverError
from biaslab.jobs.job import JobContext
from biaslab.records.calls import recorded


class SimulatedDecider(Answering, Streaming):
    """A decider of known truth; made by `biaslab.observers.decider`.

    Attributes
    ----------
    truth : DeciderTruth
    realised : tuple of float
        PSE of each group, averaged over the cues and wordings of its case.
    """

    about = "a simulated decider with a known gap"
    at_once = 256
    declining = "I'm sorry, but I can't make decisions about people."

    def __init__(
        self, case: Case, truth: DeciderTruth, *, reasoning: bool, probabilities: bool, seed: int
    ) -> None:
        self.case, self.truth, self.reasoning = case, truth, reasoning
        self.gives_probabilities = probabilities
        self.name = f"simulated decider, gap {truth.gap():g} {case.quality.unit}"
        self._reader = PromptReader(case)
        self._of_cue = [truth.cues[cue.text] for group in case.groups for cue in group.cues]
        form = f"{case!r} {truth!r} {reasoning} {probabilities}"
        digest = hashlib.blake2b(form.encode(), digest_size=8).hexdigest()
        self.key = self.identity = f"observer/1 decider {digest} seed={seed}"

    def __repr__(self) -> str:
        return f"<SimulatedDecider of {self.case.name}: gap {self.truth.gap():g}>"

    @property
    def realised(self) -> tuple[float, ...]:
        """PSE of each group, averaged over its cues and the wordings."""
        truth = self.truth
        means = []
        for number, group in enumerate(self.case.groups):
            cues = float(np.mean([truth.cues[cue.text] for cue in group.cues]))
            wordings = float(np.mean(truth.wordings))
            own = float(np.mean([row[number] for row in truth.wordings_by_group]))
            means.append(truth.pse[number] + cues + wordings + own)
        return tuple(means)

    def stream(
        self, questions: Sequence[Question], repetitions: Sequence[int], context: JobContext
    ) -> Iterator[tuple[int, Reply]]:
        """See `StreamingDecider.stream`; a repetition always brings the same reply."""
        for number, (question, repetition) in enumerate(zip(questions, repetitions, strict=True)):
            if context.should_stop:
                return
            yield number, self._reply(question, repetition)

    def shares(self, prompt: str) -> dict[str, float]:
        """See `Answering.shares`."""
        read = self._reader.read(prompt)
        if read is None:
            raise DeciderError(
                f"{self.name} knows only the questions of {self.case.name!r}. Ask it that case."
            )
        first, *other = read.candidates
        form = None if other else self.case.yes_or_no
        yes = read.question.options[0] if form is None else form.yes
        distance = self._distance(first, read.wording)
        distance -= sum(self._distance(one, read.wording) for one in other)
        return shares_of(self.truth, read, yes, distance)

    def _reply(self, question: Question, repetition: int) -> Reply:
        shares = self.shares(question.prompt)
        mass = 1 - shares[""]
        if self.gives_probabilities and mass > 0:
            scaled = [shares[answer] / mass for answer in question.answers]
            return of_shares(question, scaled, mass=mass)
        answer = self.drawn(shares, question.prompt, repetition)
        text = answer or self.declining
        thoughts = f"I weigh what {text} would mean here." if self.reasoning else ""
        own: dict[str, Any] = {"reasoning": thoughts, "model": self.name, "text": text}
        if not answer:
            return Reply(outcome="refused", reason="It declines to decide.", **own)
        if answer == question.cannot_say:
            return Reply(outcome="cannot say", **own)
        return Reply(outcome="answered", answer=answer, **own)

    def _distance(self, candidate: Candidate, wording: int) -> float:
        """Return how far a candidate lies above its PSE, in units of the scale."""
        truth, group = self.truth, candidate.group
        pse = truth.pse[group] + self._of_cue[candidate.cue] + truth.wordings[wording]
        pse += truth.wordings_by_group[wording][group]
        return self.case.quality.sign * (candidate.level - pse) / truth.scale


@recorded
def decider(
    case: str | Case = "hire-by-name",
    *,
    pse: float | None = None,
    gap: float | Sequence[float] = 0.0,
    jnd: float | None = None,
    position_bias: float = 0.0,
    position_shift: float = 0.0,
    lapse: float | Sequence[float] = 0.0,
    lapse_yes: float = 0.5,
    indecision: float = 0.0,
    cannot_say: float | Sequence[float] = 0.0,
    refusal: float | Sequence[float] = 0.0,
    cue_sd: float = 0.0,
    wording_sd: float = 0.0,
    wording_by_group_sd: float = 0.0,
    cue_effects: Mapping[str, float] | None = None,
    family: Family = "logistic",
    reasoning: bool = False,
    probabilities: bool = False,
    seed: int = 1,
) -> SimulatedDecider:
    """Simulate a decider with a known gap between groups.

    It reads group, cue, level, wording and order from the prompt. With z the distance of the level
    from the PSE in units of the scale, positive where more speaks for a yes, F the curve, l the
    lapses, b the position bias and o = +1/2 where the yes is listed first, else -1/2,
    ``P(yes) = (1 - l - |b|) F(z + position_shift o) + l lapse_yes``, plus ``|b|`` where the
    position that the bias favours is that of the yes. In "which of two", z is that of the first
    candidate less that of the second, o is +1/2, and the first stands for the yes.
    Refusals, and then "cannot say" where it is offered, come before all this, at rates of their
    own. With an interval of indecision of half-width d, the decider is undecided between
    ``F(z - d/scale)`` and ``1 - F(-z - d/scale)`` (García-Pérez and Alcalá-Quintana 2013): it
    cannot say where that is offered, and guesses elsewhere. Rates of two candidates are averaged.

    Parameters
    ----------
    case : str or Case
        Asked in either of its forms.
    pse : float, optional
        PSE of the first group, in the unit of the quality; by default the middle of its range.
    gap : float or sequence of float
        PSE of the second group, and of each further one, less that of the first. Groups beyond a
        sequence have a gap of 0.
    jnd : float, optional
        From the PSE to 75 % yes, above 0, in that unit; by default a tenth of the range.
    position_bias : float
        Share of answers that the position alone gives, in [-1, 1]: above 0 to the first answer.
    position_shift : float
        Difference between the orders in units of the scale.
    lapse, cannot_say, refusal : float or sequence of float
        Rates in [0, 1), of all groups or of each.
    lapse_yes : float
        Share of lapses that say yes, in [0, 1].
    indecision : float
        Half-width, at least 0, in the unit of the quality.
    cue_sd, wording_sd, wording_by_group_sd : float
        Standard deviations of what a cue, a wording, and a wording for one group add to the PSE,
        normally distributed.
    cue_effects : mapping of str to float, optional
        What cues add to the PSE, in place of draws.
    family : {"logistic", "normal"}
        Of the curve F.
    reasoning : bool
        Whether it thinks between ``<think>`` and ``</think>`` before it replies.
    probabilities : bool
        Whether it gives the probabilities of the answers instead of one of them.
    seed : int
        Of all draws: equal seeds, prompts and repetitions bring equal replies.

    Returns
    -------
    SimulatedDecider

    Raises
    ------
    ObserverError
        If a parameter is out of its range.
    CaseError
        If there is no such case.

    Examples
    --------
    >>> import biaslab as bl
    >>> observer = bl.observers.decider("hire-by-name", pse=6, gap=2, jnd=1.5, lapse=0.05)
    >>> observer.truth.pse
    (6.0, 8.0)
    """
    of = get(case) if isinstance(case, str) else case
    quality, count = of.quality, len(of.groups)
    span = quality.high - quality.low
    middle = float(quality.low + span / 2 if pse is None else pse)
    width = float(span / 10 if jnd is None else jnd)
    gaps = _gaps(gap, count)
    lapses = _rates("lapse", lapse, count)
    texts = [cue.text for group in of.groups for cue in group.cues]
    if unknown := [text for text in cue_effects or () if text not in texts]:
        raise ObserverError(f"cue_effects has {unknown[0]!r}, which is no cue of {of.name}.")
    numbers = [middle, position_shift, *gaps, *(cue_effects or {}).values()]
    if not all(math.isfinite(number) for number in numbers) or not 0 < width < math.inf:
        raise ObserverError("pse, gap, position_shift and cue_effects: finite; jnd: above 0.")
    spreads = (cue_sd, wording_sd, wording_by_group_sd, indecision)
    if not all(0 <= one < math.inf for one in spreads):
        raise ObserverError("cue_sd, wording_sd, wording_by_group_sd, indecision: at least 0.")
    if not 0 <= lapse_yes <= 1 or not abs(position_bias) + max(lapses) <= 1:
        raise ObserverError(
            f"position_bias={position_bias}, lapse={lapse}, lapse_yes={lapse_yes}: the size of the"
            " bias and the lapses sum to at most 1, and lapse_yes is a share."
        )
    if family not in SCALE_OF_JND:
        raise ObserverError(f"family={family!r}: choose 'logistic' or 'normal'.")
    rng = np.random.default_rng(seed)
    drawn = dict(zip(texts, rng.normal(0, cue_sd, len(texts)).tolist(), strict=True))
    rows = max(len(of.wordings(form)) for form in of.forms)
    truth = DeciderTruth(
        case=of.name, groups=tuple(group.name for group in of.groups),
        pse=tuple(middle + one for one in (0.0, *gaps)), jnd=width,
        scale=width * SCALE_OF_JND[family], family=family, position_bias=float(position_bias),
        position_shift=float(position_shift), lapse=lapses, lapse_yes=float(lapse_yes),
        cannot_say=_rates("cannot_say", cannot_say, count),
        refusal=_rates("refusal", refusal, count), indecision=float(indecision),
        cues=drawn | {text: float(value) for text, value in (cue_effects or {}).items()},
        wordings=tuple(rng.normal(0, wording_sd, rows).tolist()),
        wordings_by_group=rng.normal(0, wording_by_group_sd, (rows, count)).tolist(),
    )  # fmt: skip
    return SimulatedDecider(
        of, truth, reasoning=reasoning, probabilities=probabilities, seed=int(seed)
    )


def _gaps(gap: float | Sequence[float], count: int) -> list[float]:
    given = [gap] if isinstance(gap, int | float) else list(gap)
    if len(given) > count - 1:
        raise ObserverError(f"gap has {len(given)} numbers, for {count - 1} groups but the first.")
    return [float(one) for one in given] + [0.0] * (count - 1 - len(given))


def _rates(name: str, rate: float | Sequence[float], count: int) -> tuple[float, ...]:
    rates = [rate] * count if isinstance(rate, int | float) else list(rate)
    if len(rates) != count or not all(0 <= one < 1 for one in rates):
        raise ObserverError(
            f"{name}={rate}: give one rate, or one for each of {count} groups, at least 0, below 1."
        )
    return tuple(map(float, rates))
