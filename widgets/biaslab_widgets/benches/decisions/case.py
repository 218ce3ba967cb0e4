"""The case that is chosen or edited: as text, as a question, and as the page shows it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Literal

from biaslab import cases
from biaslab.cases import Case, Cue, Form, delete, parse, save, toml_of
from biaslab.cases.quality import number
from biaslab.errors import BiaslabError
from biaslab.records.wording import prose
from biaslab.specs.checks import slug_of
from biaslab.specs.parts import checked_text
from biaslab_widgets.benches.decisions.fields import (
    FIRST_CASE,
    CaseCard,
    CaseOption,
    CueGroup,
    DecisionBenchState,
    Piece,
)
from biaslab_widgets.benches.decisions.subjects import why_not
from biaslab_widgets.core.answers.cache import Latest
from biaslab_widgets.core.state.commands import Act, Arguments, Content
from biaslab_widgets.core.state.records import Span

WHERE = "this case"


def case_of(text: str) -> Case:
    """Return the case that a text describes.

    Raises
    ------
    CaseError
        Names the field, or line and column, and the remedy.
    """
    return parse(text, WHERE)


_VERBS = (" needs ", " must ")


def question_of(case: Case) -> list[Span]:
    """Return the question; spans of the groups are empty, for the page to fill.

    Examples
    --------
    >>> from biaslab.cases import get
    >>> "".join(span["text"] or "_" for span in question_of(get("hire-by-name")))
    'How many more years does an applicant called _ need to be invited as often as one called _?'
    """
    more = "more" if case.quality.favoured_by == "more" else "fewer"
    who, goal = _parts(case)
    text = f"How many {more} {case.quality.unit} does {who} need to {goal}?"
    return _spans(text)


def _parts(case: Case) -> tuple[str, str]:
    """Return who needs something, and for what."""
    for verb in _VERBS:
        who, found, rest = case.need.partition(verb)
        _, to, goal = rest.partition(" to ")
        if found and to and "{2}" in who and "{1}" in goal:
            return who[:1].lower() + who[1:], goal.rstrip(".")
    return "{2}", f"be {case.outcome} as often as {{1}}"


def _spans(text: str) -> list[Span]:
    before, _, rest = text.partition("{2}")
    between, _, after = rest.partition("{1}")
    return [
        {"text": before, "role": "plain"},
        {"text": "", "role": "group2"},
        {"text": between, "role": "plain"},
        {"text": "", "role": "group1"},
        {"text": after, "role": "plain"},
    ]


_EDGE = "\x01"
"""Stands around what the page fills; no text that a person types has it."""


def card_of(case: Case, form: Form, groups: tuple[str, str], *, cannot_say: bool) -> CaseCard:
    """Return what the page shows of a case.

    Parameters
    ----------
    case : Case
    form : Form
    groups : (str, str)
        Names of the two groups.
    cannot_say : bool
        Whether the answer of who cannot decide is offered.
    """
    quality = case.quality
    levels = quality.levels.tolist()
    middle = levels[(len(levels) - 1) // 2]
    reach = (len(levels) - 1) // 2 * quality.step
    alone = form == "yes or no"
    part = case.yes_or_no if alone else case.which_of_two
    answers = [] if part is None else [getattr(part, name) for name in _ANSWERS[form]]
    return {
        "name": case.name,
        "title": case.title,
        "question": question_of(case),
        "quality": quality.name,
        "unit": quality.unit,
        "outcome": case.outcome,
        "low": levels[0] if alone else -reach,
        "high": levels[-1] if alone else reach,
        "step": float(quality.step),
        "says": [quality.say(level) for level in levels],
        "lowest": levels[0],
        "middle": middle,
        "level_step": float(quality.step),
        "falls": quality.sign < 0,
        "groups": [_group(case, name) for name in groups],
        "group_names": [group.name for group in case.groups],
        "wordings": [_pieces(case, form, at, cannot_say) for at in range(len(case.wordings(form)))],
        "forms": list(case.forms),
        "answers": answers,
        "toml": toml_of(case),
    }


_ANSWERS: dict[Form, tuple[str, str]] = {
    "yes or no": ("yes", "no"),
    "which of two": ("first", "second"),
}


def _group(case: Case, name: str) -> CueGroup:
    group = case.group(name)
    return {
        "name": group.name,
        "cues": [
            {"text": cue.text, "they": cue.they, "them": cue.them, "their": cue.their}
            for cue in group.cues
        ],
    }


def _pieces(case: Case, form: Form, wording: int, cannot_say: bool) -> list[Piece]:
    """Return a wording as it is sent, in pieces; of two candidates the second group's is first."""
    marked = replace(case.quality, text=f"{_EDGE}{{x}}{_EDGE}", one="", words=())
    empty = replace(case, quality=marked)
    low, high = case.quality.low, case.quality.high
    two, one = _marked_cue(1), _marked_cue(0)
    if form == "yes or no":
        question = empty.ask(two, low, wording=wording, cannot_say=cannot_say)
    else:
        question = empty.ask_which((two, low), (one, high), wording=wording, cannot_say=cannot_say)
    alone = form == "yes or no"
    levels = {number(low): 1, number(high): 0}
    pieces: list[Piece] = []
    for place, text in enumerate(question.prompt.split(_EDGE)):
        if place % 2 == 0:
            pieces.append({"kind": "text", "text": text, "of": -1})
        elif text in levels:
            pieces.append({"kind": "x", "text": "", "of": -1 if alone else levels[text]})
        else:
            kind, _, of = text.partition(":")
            pieces.append({"kind": _KINDS[kind], "text": "", "of": -1 if alone else int(of)})
    return [piece for piece in pieces if piece["kind"] != "text" or piece["text"]]


_KINDS: dict[str, Literal["cue", "they", "them", "their"]] = {
    "cue": "cue",
    "they": "they",
    "them": "them",
    "their": "their",
}


def _marked_cue(of: int) -> Cue:
    return Cue(*(f"{_EDGE}{kind}:{of}{_EDGE}" for kind in _KINDS))


@dataclass(frozen=True)
class Asked:
    """The question: answers to the same one go on the same picture.

    Attributes
    ----------
    case : Case
    form : Form
    groups : tuple of str
        The groups that a run asks about.
    pair : (str, str)
        The two whose gap is on the screen; another pair of the same groups is the same question.
    """

    case: Case
    form: Form
    groups: tuple[str, ...]
    pair: tuple[str, str] = field(compare=False)

    @property
    def order(self) -> tuple[str, ...]:
        """The groups, the two that are compared first: a result's gap is that of its first two."""
        return (*self.pair, *(name for name in self.groups if name not in self.pair))


class CaseChoice:
    """The case on the screen; one that cannot be read leaves the last one there."""

    def __init__(self) -> None:
        self._read: Latest[tuple[Case | None, str]] = Latest()
        self._card: Latest[CaseCard] = Latest()
        self._offered: Latest[list[CaseOption]] = Latest()
        self._last: Case | None = None
        self._scaled: tuple[object, ...] | None = None

    @property
    def commands(self) -> dict[str, Act]:
        """Save an edited case as one of the person's own, and delete such a case."""
        return {"save-case": self._save, "delete-case": self._delete}

    def _delete(self, args: Arguments) -> str:
        name = str(args.get("name", ""))
        delete(name)
        self._offered = Latest()
        return f"Deleted. {name} is no longer among the cases."

    def _save(self, args: Arguments) -> Content:
        """Save a text under a title; the title of the own case that was edited replaces it."""
        title = checked_text(args.get("title"), "title", "a title")
        names = {one["title"]: one["name"] for one in offered_cases(None)}
        name = names.get(title, slug_of(title) or "my-case")
        case = replace(case_of(str(args.get("text", ""))), name=name, title=title)
        save(case, overwrite=title in names and name == args.get("edited"))
        self._offered = Latest()
        message = f"Saved. “{title}” is among the cases."
        return {"message": message, "content": name, "media_type": "text/plain"}

    def problem(self, snapshot: DecisionBenchState) -> str:
        """Return why the chosen or edited case cannot be used; empty where it can."""
        return self._chosen(snapshot)[1]

    def asked(self, snapshot: DecisionBenchState) -> Asked | None:
        """Return the question; None before there is a case that can be read."""
        found, _ = self._chosen(snapshot)
        case = self._last = found or self._last
        if case is None:
            return None
        form: Form = snapshot.form if snapshot.form in case.forms else case.forms[0]
        names = [group.name for group in case.groups]
        chosen = tuple(dict.fromkeys(name for name in snapshot.groups if name in names))
        one, two = chosen[:2] if len(chosen) >= 2 else names[:2]
        everyone = snapshot.all_groups and form == "yes or no" and len(names) > 2
        return Asked(case, form, tuple(names) if everyone else (one, two), (one, two))

    def offered(self, subject: Any) -> list[CaseOption]:
        """Return the cases, and which of them a subject cannot answer."""
        return self._offered.of((id(subject), cases.names()), lambda: offered_cases(subject))

    def fitting(self, subject: Any, snapshot: DecisionBenchState) -> DecisionBenchState:
        """Return the state with a case that the subject can answer, where there is one."""
        options = {one["name"]: one["problem"] for one in self.offered(subject)}
        if snapshot.case_text.strip() or not options.get(snapshot.case):
            return snapshot
        able = [name for name, problem in options.items() if not problem]
        case = FIRST_CASE if FIRST_CASE in able else next(iter(able), snapshot.case)
        return replace(snapshot, case=case, groups=[])

    def inputs(self, snapshot: DecisionBenchState) -> dict[str, Any]:
        """Return inputs to set so that they belong to the case: its form, groups and axis."""
        asked = self.asked(snapshot)
        if asked is None:
            return {}
        case, quality = asked.case, asked.case.quality
        wanted: dict[str, Any] = {"form": asked.form}
        if snapshot.groups and list(asked.pair) != snapshot.groups:
            wanted["groups"] = list(asked.pair)
        levels = quality.levels
        # Cases are made so that most PSEs lie in the middle: a handle there would hide them.
        beginning = float(levels[(len(levels) - 1) // 4])
        reach = float(levels[(len(levels) - 1) // 2] - levels[0])
        ends = (levels[0], levels[-1]) if asked.form == "yes or no" else (-reach, reach)
        scale = (quality.unit, quality.low, quality.high, quality.step, asked.form)
        if scale != self._scaled:
            is_first, other_unit = self._scaled is None, (self._scaled or ())[:4] != scale[:4]
            self._scaled = scale
            if (not is_first and other_unit) or snapshot.alike == 0:
                wanted["alike"] = float(quality.step)
            if not is_first and other_unit:
                wanted["stop_width"] = 0.0
            at_default = is_first and snapshot.x == 0.0
            if at_default or not is_first or not ends[0] <= snapshot.x <= ends[1]:
                wanted["x"] = beginning if asked.form == "yes or no" else 0.0
            if snapshot.qualified == 0 or (not is_first and other_unit):
                wanted["qualified"] = float(levels[(len(levels) - 1) // 2])
        if wanted.get("alike", snapshot.alike) > quality.high - quality.low:
            wanted["alike"] = float(quality.high - quality.low)
        known = {cue.text for group in case.groups for cue in group.cues}
        count = len(case.wordings(asked.form))
        wanted["without_cues"] = [cue for cue in snapshot.without_cues if cue in known]
        wanted["without_wordings"] = [n for n in snapshot.without_wordings if 1 <= n <= count]
        return {name: v for name, v in wanted.items() if getattr(snapshot, name) != v}

    def outputs(self, snapshot: DecisionBenchState) -> dict[str, Any]:
        """Return the cases, and the card of the chosen one."""
        wanted: dict[str, Any] = {"case_problem": self.problem(snapshot)}
        asked = self.asked(snapshot)
        if asked is not None:
            offered = snapshot.cannot_say
            wanted["card"] = self._card.of(
                (asked, asked.pair, offered),
                lambda: card_of(asked.case, asked.form, asked.pair, cannot_say=offered),
            )
        return {name: v for name, v in wanted.items() if getattr(snapshot, name) != v}

    def _chosen(self, snapshot: DecisionBenchState) -> tuple[Case | None, str]:
        def read() -> tuple[Case | None, str]:
            try:
                text = snapshot.case_text
                return (case_of(text) if text.strip() else cases.get(snapshot.case)), ""
            except BiaslabError as error:
                return None, prose(error)

        return self._read.of((snapshot.case, snapshot.case_text), read)


def offered_cases(subject: Any) -> list[CaseOption]:
    """Return the cases of the catalogue and the person's own; one that cannot be read by name.

    Parameters
    ----------
    subject : object
        Which of them it cannot answer is said; None while it is not open.
    """
    own = cases.names(own=True)
    return [_offered(name, subject, own=name in own) for name in cases.names()]


def _offered(name: str, subject: Any, *, own: bool) -> CaseOption:
    try:
        case = cases.get(name)
        return {"name": name, "title": case.title, "problem": why_not(subject, case), "own": own}
    except BiaslabError:
        return {"name": name, "title": name, "problem": "", "own": own}
