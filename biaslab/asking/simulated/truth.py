"""What a simulated decider is asked, its true parameters, and the answers that follow."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Final, Literal

import numpy as np

from biaslab.cases import Case, Cue, Form
from biaslab.records.record import Record

_DIGITS: Final = "0123456789"
_NUMERIC: Final = f"{_DIGITS},.-"


@dataclass(frozen=True)
class Candidate(Record):
    """A candidate in a prompt.

    Attributes
    ----------
    group : int
        Number of the group.
    cue : int
        Number of the cue over all groups.
    level : float
        Of the quality.
    """

    group: int
    cue: int
    level: float


@dataclass(frozen=True)
class Asked(Record):
    """A question of a case.

    Attributes
    ----------
    form : Form
    candidates : tuple of Candidate
        One, or the first and the second.
    wording : int
    options : tuple of str
        In the order in which they are listed.
    cannot_say : str
        Empty if it is not offered.
    """

    form: Form
    candidates: tuple[Candidate, ...]
    wording: int
    options: tuple[str, ...]
    cannot_say: str

    @property
    def answers(self) -> tuple[str, ...]:
        """All answers that may be chosen."""
        return (*self.options, self.cannot_say) if self.cannot_say else self.options


class PromptReader:
    """Reads the prompts that a case makes.

    Parameters
    ----------
    case : Case
    """

    def __init__(self, case: Case) -> None:
        self.case = case
        self._cues = [
            (number, group, cue)
            for number, (group, cue) in enumerate(
                (number, cue) for number, one in enumerate(case.groups) for cue in one.cues
            )
        ]
        self._words = _longest_first(
            (case.quality.say(level), float(level)) for level in case.quality.levels
        )
        self._cut: dict[tuple[str, str], tuple[str, ...]] = {}
        self._tails = list(self._endings())

    def read(self, prompt: str) -> Asked | None:
        """Return the question of a prompt; None where the case has no such prompt."""
        for tail, form, options, cannot_say in self._tails:
            if not prompt.endswith(tail):
                continue
            text = prompt.removesuffix(tail)
            for wording, template in enumerate(self.case.wordings(form)):
                candidates = self._candidates(form, template, text)
                if candidates is not None:
                    return Asked(form, candidates, wording, options, cannot_say)
        return None

    def _endings(self) -> Iterator[tuple[str, Form, tuple[str, ...], str]]:
        case, cue = self.case, self.case.groups[0].cues[0]
        low = case.quality.low
        for form, yes_first, offered in product(case.forms, (True, False), (True, False)):
            if form == "yes or no":
                question = case.ask(cue, low, yes_first=yes_first, cannot_say=offered)
            elif yes_first:
                question = case.ask_which((cue, low), (cue, low), cannot_say=offered)
            else:
                continue
            tail = question.prompt.removeprefix(question.context)
            yield tail, form, question.options, question.cannot_say

    def _candidates(self, form: Form, template: str, text: str) -> tuple[Candidate, ...] | None:
        if form == "yes or no":
            ends = self._one(template, text, 0)
            return next(((found,) for found, end in ends if end == len(text)), None)
        return next(self._two(_pieces(template, "first", "second"), text, 0, {}), None)

    def _two(
        self, pieces: Sequence[str], text: str, at: int, bound: Mapping[str, tuple[Candidate, str]]
    ) -> Iterator[tuple[Candidate, ...]]:
        """Yield the first and the second candidate that a text can mean from a place on."""
        if not pieces:
            if at == len(text) and len(bound) == 2:
                yield bound["{first}"][0], bound["{second}"][0]
            return
        piece, rest = pieces[0], pieces[1:]
        if piece not in ("{first}", "{second}") or piece in bound:
            literal = bound[piece][1] if piece in bound else piece
            if text.startswith(literal, at):
                yield from self._two(rest, text, at + len(literal), bound)
            return
        which = self.case.which_of_two
        template = which.candidate if which is not None else ""
        for found, end in self._one(template, text, at):
            yield from self._two(rest, text, end, {**bound, piece: (found, text[at:end])})

    def _one(self, template: str, text: str, at: int) -> Iterator[tuple[Candidate, int]]:
        """Yield the candidates that a template can mean from a place on, and where each ends."""
        for number, group, cue in self._cues:
            for level, end in self._match(self._pieces_of(template, cue), text, at):
                yield Candidate(group, number, level), end

    def _pieces_of(self, template: str, cue: Cue) -> tuple[str, ...]:
        key = template, cue.text
        if key not in self._cut:
            self._cut[key] = _pieces(_with_cue(template, cue), "x", "detail")
        return self._cut[key]

    def _match(
        self, pieces: Sequence[str], text: str, at: int, level: float | None = None
    ) -> Iterator[tuple[float, int]]:
        if not pieces:
            if level is not None:
                yield level, at
            return
        piece, rest = pieces[0], pieces[1:]
        if piece == "{x}":
            for found, end in self._levels(text, at):
                if level is None or found == level:
                    yield from self._match(rest, text, end, found)
        elif piece == "{detail}":
            for detail in self.case.details or ("",):
                if text.startswith(detail, at):
                    yield from self._match(rest, text, at + len(detail), level)
        elif text.startswith(piece, at):
            yield from self._match(rest, text, at + len(piece), level)

    def _levels(self, text: str, at: int) -> Iterator[tuple[float, int]]:
        quality = self.case.quality
        for words, level in self._words:
            if text.startswith(words, at):
                yield level, at + len(words)
        if quality.words:
            return
        before, _, after = quality.text.partition("{x}")
        begin = at + len(before)
        end = begin
        while end < len(text) and text[end] in _NUMERIC:
            end += 1
        written = text[begin:end].rstrip(",.-")
        end = begin + len(written)
        try:
            level = float(written.replace(",", ""))
        except ValueError:
            return
        if quality.say(level) == text[at : end + len(after)]:
            yield level, end + len(after)


def _with_cue(template: str, cue: Cue) -> str:
    values = {"cue": cue.text, "they": cue.they, "them": cue.them, "their": cue.their}
    for name, value in values.items():
        template = template.replace(f"{{{name}}}", value)
    return template


def _pieces(template: str, *names: str) -> tuple[str, ...]:
    """Cut a template at its placeholders of these names."""
    pieces = [template]
    for name in names:
        mark = f"{{{name}}}"
        cut: list[str] = []
        for piece in pieces:
            cut += [one for part in piece.split(mark) for one in (part, mark)][:-1]
        pieces = cut
    return tuple(piece for piece in pieces if piece)


def _longest_first(pairs: Iterator[tuple[str, float]]) -> list[tuple[str, float]]:
    return sorted(pairs, key=lambda pair: -len(pair[0]))


Family = Literal["logistic", "normal"]
SCALE_OF_JND: Final[dict[str, float]] = {
    "logistic": 1 / math.log(3),
    "normal": 1 / 0.6744897501960817,
}
"""Scale of a curve whose JND, from 50 % to 75 %, is 1."""


@dataclass(frozen=True, kw_only=True)
class DeciderTruth(Record):
    """True parameters of a simulated decider.

    Attributes
    ----------
    case : str
    groups : tuple of str
        The G groups.
    pse : tuple of float
        Point of each group at which it says yes as often as no, over all cues and wordings, in the
        unit of the quality.
    jnd : float
        From the PSE to 75 % yes, in that unit, without lapses and position bias.
    scale : float
        Of the curve, in that unit.
    family : str
    position_bias : float
        Share of answers that the position alone gives: to the first answer above 0, to the second
        below.
    position_shift : float
        Difference between the two orders in units of the scale: half of it is added where the yes,
        or a candidate, is listed first, and subtracted where second.
    lapse, cannot_say, refusal : tuple of float
        Rates of each group.
    lapse_yes : float
        Share of lapses that say yes, or choose the first candidate.
    indecision : float
        Half-width of the interval of indecision around the PSE, in the unit of the quality.
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


def shares_of(truth: DeciderTruth, asked: Asked, yes: str, distance: float) -> dict[str, float]:
    """Return probabilities of the answers, and of a refusal under ``""``.

    Parameters
    ----------
    truth : DeciderTruth
    asked : Asked
    yes : str
        The option that a greater distance favours.
    distance : float
        From the PSE, in units of the scale, without an effect of the order.
    """
    groups = [candidate.group for candidate in asked.candidates]
    refusal, lapse, unsure = (
        float(np.mean([rates[group] for group in groups]))
        for rates in (truth.refusal, truth.lapse, truth.cannot_say)
    )
    first, second = asked.options
    no = second if yes == first else first
    z = distance + (0.5 if yes == first else -0.5) * truth.position_shift
    half = truth.indecision / truth.scale
    rises, falls = (_curve(truth.family, side) for side in (z - half, -z - half))
    undecided = max(0.0, 1 - rises - falls)
    if not asked.cannot_say:  # who is undecided guesses
        rises, falls, undecided = rises + undecided / 2, falls + undecided / 2, 0.0
    steady = 1 - lapse - abs(truth.position_bias)
    shares = {
        yes: steady * rises + lapse * truth.lapse_yes,
        no: steady * falls + lapse * (1 - truth.lapse_yes),
    }
    shares[first if truth.position_bias > 0 else second] += abs(truth.position_bias)
    if asked.cannot_say:
        shares[asked.cannot_say] = steady * undecided
        shares = {answer: (1 - unsure) * share for answer, share in shares.items()}
        shares[asked.cannot_say] += unsure
    return {answer: (1 - refusal) * share for answer, share in shares.items()} | {"": refusal}


def _curve(family: str, z: float) -> float:
    if family == "normal":
        return 0.5 * math.erfc(-z / math.sqrt(2))
    return 1 / (1 + math.exp(-z)) if z >= 0 else math.exp(z) / (1 + math.exp(z))
