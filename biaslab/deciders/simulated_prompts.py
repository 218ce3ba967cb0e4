"""Read the questions of a case back: who the candidates are, and how much each brings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Final

from biaslab.cases import Case, Cue, Form
from biaslab.record import Record

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
