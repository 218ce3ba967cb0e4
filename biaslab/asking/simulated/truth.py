"""What a simulated decider is asked, its true parameters, and the answers that follow."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Final, Literal, NamedTuple

import numpy as np

from biaslab.cases import Case, Cue, Form, Question
from biaslab.records.record import Record

_NUMBER: Final = r"-?\d[\d,]*(?:\.\d+)?(?:e[-+]\d+)?"
_PLACE: Final = re.compile(r"(\{[a-z]+\})")


class Candidate(NamedTuple):
    """A candidate in a prompt; cues are numbered over all groups."""

    group: int
    cue: int
    level: float


class Asked(NamedTuple):
    """What a prompt asks about one candidate, or the first and the second.

    The question is one with the same answers.
    """

    form: Form
    candidates: tuple[Candidate, ...]
    wording: int
    question: Question


class PromptReader:
    """Reads the prompts that a case makes, by a regular expression for each wording and cue."""

    def __init__(self, case: Case) -> None:
        self.case = case
        quality = case.quality
        self._levels = {quality.say(level): float(level) for level in quality.levels}
        before, _, after = quality.text.partition("{x}")
        number = f"{re.escape(before)}{_NUMBER}{re.escape(after)}"
        words = map(re.escape, sorted(self._levels, key=len, reverse=True))
        numbers = filter(None, (re.escape(quality.one), number))
        self._parts = {
            "{x}": "|".join(words if quality.words else numbers),
            "{detail}": "|".join(map(re.escape, case.details)),
        }
        self._cues = [
            (group, {name: re.escape(text) for name, text in _places_of(cue).items()})
            for group, one in enumerate(case.groups)
            for cue in one.cues
        ]
        self._compiled: dict[str, list[re.Pattern[str]]] = {}
        self._tails = list(self._endings())

    def read(self, prompt: str) -> Asked | None:
        """Return the question of a prompt; None where the case has no such prompt."""
        for tail, form, question in self._tails:
            if not prompt.endswith(tail):
                continue
            text = prompt.removesuffix(tail)
            for wording, template in enumerate(self.case.wordings(form)):
                candidates = self._candidates(form, template, text)
                if candidates and None not in candidates:
                    known = tuple(one for one in candidates if one)
                    return Asked(form, known, wording, question)
        return None

    def _endings(self) -> Iterator[tuple[str, Form, Question]]:
        case, cue = self.case, self.case.groups[0].cues[0]
        low = case.quality.low
        for form, yes_first, offered in product(case.forms, (True, False), (True, False)):
            if form == "yes or no":
                question = case.ask(cue, low, yes_first=yes_first, cannot_say=offered)
            elif yes_first:
                question = case.ask_which((cue, low), (cue, low), cannot_say=offered)
            else:
                continue
            yield question.prompt.removeprefix(question.context), form, question

    def _candidates(self, form: Form, template: str, text: str) -> list[Candidate | None]:
        which = self.case.which_of_two
        if form == "yes or no" or which is None:
            return [self._candidate(template, text)]
        if template not in self._compiled:
            anyone = "|".join(_pattern(which.candidate, self._parts | cue) for _, cue in self._cues)
            both = dict.fromkeys(("{first}", "{second}"), anyone)
            self._compiled[template] = [re.compile(_pattern(template, both, ("first", "second")))]
        match = self._compiled[template][0].fullmatch(text)
        if match is None:
            return []
        return [self._candidate(which.candidate, match[name]) for name in ("first", "second")]

    def _candidate(self, template: str, text: str) -> Candidate | None:
        if template not in self._compiled:
            self._compiled[template] = [
                re.compile(_pattern(template, self._parts | cue, ("x",))) for _, cue in self._cues
            ]
        for number, pattern in enumerate(self._compiled[template]):
            match = pattern.fullmatch(text)
            if match and (level := self._level(match["x"])) is not None:
                return Candidate(self._cues[number][0], number, level)
        return None

    def _level(self, text: str) -> float | None:
        if text in self._levels:
            return self._levels[text]
        before, _, after = self.case.quality.text.partition("{x}")
        level = float(text.removeprefix(before).removesuffix(after).replace(",", ""))
        return level if self.case.quality.say(level) == text else None


def _places_of(cue: Cue) -> dict[str, str]:
    return {"{cue}": cue.text, "{they}": cue.they, "{them}": cue.them, "{their}": cue.their}


def _pattern(template: str, parts: Mapping[str, str], names: Sequence[str] = ()) -> str:
    """Return the regular expression of a template, in which a named part is always the same."""
    pattern = ""
    for piece in _PLACE.split(template):
        name = piece[1:-1]
        if piece not in parts:
            pattern += re.escape(piece)
        elif name not in names:
            pattern += f"(?:{parts[piece]})"
        else:
            pattern += (
                f"(?P={name})" if f"(?P<{name}>" in pattern else f"(?P<{name}>{parts[piece]})"
            )
    return pattern


Family = Literal["logistic", "normal"]
SCALE_OF_JND: Final[dict[str, float]] = {
    "logistic": 1 / math.log(3),
    "normal": 1 / 0.6744897501960817,
}
"""Scale of a curve whose JND, from 50 % to 75 %, is 1."""


@dataclass(frozen=True, kw_only=True)
class DeciderTruth(Record):
    """True parameters of a simulated decider; those not listed are as of `observers.decider`.

    Attributes
    ----------
    pse : tuple of float
        Point of each of the G groups at which it says yes as often as no, over all cues and
        wordings, in the unit of the quality.
    scale : float
        Of the curve, in that unit.
    lapse, cannot_say, refusal : tuple of float
        Rates of each group.
    cues : mapping of str to float
        What each cue adds to the PSE of its group.
    wordings : tuple of float
        What each wording adds to all PSEs.
    wordings_by_group : tuple of tuple of float
        What each wording adds to the PSE of each group, shape (wordings, groups).
    """

    case: str
    groups: tuple[str, ...]
    pse: tuple[float, ...]
    jnd: float
    scale: float
    family: str
    position_bias: float
    position_shift: float
    lapse: tuple[float, ...]
    lapse_yes: float
    cannot_say: tuple[float, ...]
    refusal: tuple[float, ...]
    indecision: float
    cues: Mapping[str, float]
    wordings: tuple[float, ...]
    wordings_by_group: tuple[tuple[float, ...], ...]

    def gap(self, first: int = 0, second: int = 1) -> float:
        """Return the PSE of the second group less that of the first, over all cues and wordings."""
        return self.pse[second] - self.pse[first]


def shares_of(truth: DeciderTruth, read: Asked, yes: str, distance: float) -> dict[str, float]:
    """Return probabilities of the answers, and of a refusal under ``""``.

    A greater distance from the PSE, in units of the scale and without an effect of the order,
    favours the option `yes`.
    """
    groups = [candidate.group for candidate in read.candidates]
    refusal, lapse, unsure = (
        float(np.mean([rates[group] for group in groups]))
        for rates in (truth.refusal, truth.lapse, truth.cannot_say)
    )
    first, second = read.question.options
    no = second if yes == first else first
    z = distance + (0.5 if yes == first else -0.5) * truth.position_shift
    half = truth.indecision / truth.scale
    rises, falls = (_curve(truth.family, side) for side in (z - half, -z - half))
    undecided = max(0.0, 1 - rises - falls)
    if not read.question.cannot_say:  # who is undecided guesses
        rises, falls, undecided = rises + undecided / 2, falls + undecided / 2, 0.0
    steady = 1 - lapse - abs(truth.position_bias)
    shares = {
        yes: steady * rises + lapse * truth.lapse_yes,
        no: steady * falls + lapse * (1 - truth.lapse_yes),
    }
    shares[first if truth.position_bias > 0 else second] += abs(truth.position_bias)
    if read.question.cannot_say:
        shares[read.question.cannot_say] = steady * undecided
        shares = {answer: (1 - unsure) * share for answer, share in shares.items()}
        shares[read.question.cannot_say] += unsure
    return {answer: (1 - refusal) * share for answer, share in shares.items()} | {"": refusal}


def _curve(family: str, z: float) -> float:
    if family == "normal":
        return 0.5 * math.erfc(-z / math.sqrt(2))
    return 1 / (1 + math.exp(-z)) if z >= 0 else math.exp(z) / (1 + math.exp(z))
