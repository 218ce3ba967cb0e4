"""Cases: decisions about people, in which one quality and a group's cue vary."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Final, Literal, Self

from biaslab.cases.quality import Quality, number
from biaslab.errors import CaseError, SpecFieldError
from biaslab.records.record import Record
from biaslab.records.wording import either
from biaslab.specs.checks import checked_notes, checked_slug
from biaslab.specs.parts import checked_table, checked_terms, checked_text, nearest, shown


@dataclass(frozen=True)
class Question(Record):
    """One question.

    Attributes
    ----------
    prompt : str
        The whole text, with the instruction how to answer.
    options : tuple of str
        The answers in the order in which the prompt lists them.
    cannot_say : str
        The answer of who cannot decide; empty if the prompt does not offer one.
    context : str
        The prompt without the instruction: what a classifier of texts reads.
    """

    prompt: str
    options: tuple[str, ...]
    cannot_say: str = ""
    context: str = ""

    @property
    def key(self) -> tuple[str | tuple[str, ...], ...]:
        """What a reply depends on, as plain values: the key of stored replies."""
        return self.prompt, self.options, self.cannot_say, self.context

    @property
    def answers(self) -> tuple[str, ...]:
        """All answers that may be chosen."""
        return (*self.options, self.cannot_say) if self.cannot_say else self.options


Form = Literal["yes or no", "which of two"]
"""One candidate who is accepted or not, or two candidates of whom one is chosen."""
FORMS: Final[tuple[Form, ...]] = ("yes or no", "which of two")
_ANSWER: Final = "Answer with one word: {answers}."
_PLACEHOLDERS: Final = re.compile(r"\{[^{}\s]{0,40}\}")


@dataclass(frozen=True)
class Cue(Record):
    """What tells the group of a person: a name, an origin, an age.

    Attributes
    ----------
    text : str
        Stands for ``{cue}`` in a wording, and is its name on the screen.
    they, them, their : str
        Pronouns that go with it, for ``{they}``, ``{them}``, ``{their}``.
    """

    text: str
    they: str = "they"
    them: str = "them"
    their: str = "their"


@dataclass(frozen=True)
class Group(Record):
    """A group of people, and the cues that stand for it.

    Attributes
    ----------
    name : str
    cues : tuple of Cue
    traits : mapping of str to str
        What a group of crossed lists combines: ``{"origin": "Black", "gender": "female"}``.
    """

    name: str
    cues: tuple[Cue, ...]
    traits: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class YesOrNo(Record):
    """One candidate: accepted or not.

    Attributes
    ----------
    wordings : tuple of str
        Whole texts with ``{cue}``, ``{x}`` and, where the case has details, ``{detail}``.
    yes, no : str
        The two answers.
    """

    wordings: tuple[str, ...]
    yes: str
    no: str


@dataclass(frozen=True, kw_only=True)
class WhichOfTwo(Record):
    """Two candidates, of whom one is chosen.

    Attributes
    ----------
    wordings : tuple of str
        Whole texts with ``{first}`` and ``{second}`` for the candidates.
    candidate : str
        A candidate, with ``{cue}``, ``{x}`` and, where the case has details, ``{detail}``.
    first, second : str
        The two answers: how the wordings call the candidates.
    """

    wordings: tuple[str, ...]
    candidate: str
    first: str = "A"
    second: str = "B"


@dataclass(frozen=True, kw_only=True)
class Case(Record):
    """A decision about a person, ready to be asked.

    Attributes
    ----------
    name, title : str
        Its short name, and what people call it.
    need : str
        What a gap means, with ``{gap}``, ``{1}`` and ``{2}`` for groups: ``An applicant called {2}
        needs {gap} more years to be invited as often as one called {1}``.
    outcome : str
        What happens to who is accepted, as a participle: ``invited``.
    quality : Quality
    groups : tuple of Group
        Two or more.
    yes_or_no : YesOrNo or None
    which_of_two : WhichOfTwo or None
        The forms that the case has; at least one.
    details : tuple of str
        Neutral details for ``{detail}``, of which each question has one.
    cannot_say : str
        The answer of who cannot decide, where it is offered.
    instruction : str
        How to answer, with ``{answers}``.
    source, notes : str
    """

    name: str
    title: str
    need: str
    outcome: str
    quality: Quality
    groups: tuple[Group, ...]
    yes_or_no: YesOrNo | None = None
    which_of_two: WhichOfTwo | None = None
    details: tuple[str, ...] = ()
    cannot_say: str = "UNSURE"
    instruction: str = _ANSWER
    source: str = ""
    notes: str = ""

    @classmethod
    def from_dict(cls, table: Mapping[str, Any], where: str = "") -> Self:
        """Return the case that a table, as of a TOML file, describes.

        Raises
        ------
        CaseError
            Names the file, the field and the remedy.
        """
        try:
            return cls(**_fields(table))
        except SpecFieldError as error:
            prefix = f"{where}: " if where else ""
            raise CaseError(f"{prefix}field {error.field!r} {error.problem}") from error

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.groups) < 2:
            raise SpecFieldError("groups", "has one group. A gap needs two: add another.")
        names = [group.name for group in self.groups]
        if len(set(names)) < len(names):
            raise SpecFieldError("groups", "has a name twice. Give each group its own.")
        of = [cue.text for group in self.groups for cue in group.cues]
        if len(set(of)) < len(of):
            twice = next(cue for cue in of if of.count(cue) > 1)
            raise SpecFieldError("groups", f"has the cue {twice!r} twice. It tells one group only.")
        if self.yes_or_no is None and self.which_of_two is None:
            raise SpecFieldError("yes_or_no", "is missing. Describe yes_or_no or which_of_two.")
        if "{answers}" not in self.instruction:
            raise SpecFieldError("instruction", "needs {answers} for the list of answers.")
        if self.yes_or_no is not None:
            for wording in self.yes_or_no.wordings:
                self._check_candidate(wording, "yes_or_no.wordings")
            self._check_answers(self.yes_or_no.yes, self.yes_or_no.no, "yes_or_no.no")
        if self.which_of_two is not None:
            self._check_candidate(self.which_of_two.candidate, "which_of_two.candidate")
            for wording in self.which_of_two.wordings:
                _check_placeholders(wording, "which_of_two.wordings", ("first", "second"), ())
            first, second = self.which_of_two.first, self.which_of_two.second
            self._check_answers(first, second, "which_of_two.second")

    def _check_candidate(self, text: str, field: str) -> None:
        needed = ("cue", "x", "detail") if self.details else ("cue", "x")
        _check_placeholders(text, field, needed, ("they", "them", "their"))

    def _check_answers(self, one: str, two: str, field: str) -> None:
        words = [one.casefold(), two.casefold(), self.cannot_say.casefold()]
        if len(set(words)) < 3:
            raise SpecFieldError(field, "is an answer twice. All answers must differ.")

    @property
    def forms(self) -> tuple[Form, ...]:
        """The forms that the case has."""
        there = (self.yes_or_no, self.which_of_two)
        return tuple(form for form, part in zip(FORMS, there, strict=True) if part is not None)

    def wordings(self, form: Form) -> tuple[str, ...]:
        """Return the wordings of a form.

        Raises
        ------
        CaseError
            If the case does not have it.
        """
        part = self.yes_or_no if form == "yes or no" else self.which_of_two
        if part is None:
            raise CaseError(
                f"{self.name} has no {form!r} form: choose {' or '.join(map(repr, self.forms))}."
            )
        return part.wordings

    def group(self, name: str) -> Group:
        """Return a group by name.

        Raises
        ------
        CaseError
            If there is none of that name.
        """
        for group in self.groups:
            if group.name == name:
                return group
        names = [group.name for group in self.groups]
        raise CaseError(
            f"{self.name} has no group {name!r}.{nearest(name, names)} It has {', '.join(names)}."
        )

    def ask(
        self,
        cue: Cue,
        level: float,
        *,
        wording: int = 0,
        detail: int = 0,
        yes_first: bool = True,
        cannot_say: bool = False,
    ) -> Question:
        """Return the question whether one candidate is accepted.

        Parameters
        ----------
        cue : Cue
        level : float
            Of the quality.
        wording, detail : int
            Numbers from 0.
        yes_first : bool
            Whether the yes is listed first.
        cannot_say : bool
            Whether the answer of who cannot decide is offered.

        Raises
        ------
        CaseError
            If the level is out of range, or the case has no such form or wording.
        """
        text = self._wording("yes or no", wording)
        assert self.yes_or_no is not None  # noqa: S101  # else there was no wording
        options = (self.yes_or_no.yes, self.yes_or_no.no)
        filled = self._candidate(text, cue, level, detail)
        return self._question(filled, options if yes_first else options[::-1], cannot_say)

    def ask_which(
        self,
        first: tuple[Cue, float],
        second: tuple[Cue, float],
        *,
        wording: int = 0,
        detail: int = 0,
        cannot_say: bool = False,
    ) -> Question:
        """Return the question which of two candidates is chosen, the first being listed first.

        Parameters
        ----------
        first, second : (Cue, float)
            Cue and level of each.
        wording, detail : int
            Numbers from 0; the second candidate has the detail after that of the first.
        cannot_say : bool

        Raises
        ------
        CaseError
            As of `ask`.
        """
        text = self._wording("which of two", wording)
        form = self.which_of_two
        assert form is not None  # noqa: S101  # else there was no wording
        one = self._candidate(form.candidate, *first, detail)
        two = self._candidate(form.candidate, *second, detail + 1)
        filled = _filled(text, {"first": one, "second": two})
        return self._question(filled, (form.first, form.second), cannot_say)

    def _wording(self, form: Form, number: int) -> str:
        wordings = self.wordings(form)
        if not 0 <= number < len(wordings):
            raise CaseError(f"{self.name} has the wordings 0 to {len(wordings) - 1}, not {number}.")
        return wordings[number]

    def _candidate(self, text: str, cue: Cue, level: float, detail: int) -> str:
        quality = self.quality
        if level not in quality:
            raise CaseError(
                f"{self.name} goes from {number(quality.low)} to {number(quality.high)}"
                f" {quality.unit}: {number(level)} is outside."
            )
        own = self.details[detail % len(self.details)] if self.details else ""
        return _filled(
            text,
            {"cue": cue.text, "they": cue.they, "them": cue.them, "their": cue.their,
             "x": quality.say(level), "detail": own},
        )  # fmt: skip

    def _question(self, text: str, options: tuple[str, str], cannot_say: bool) -> Question:
        all_answers = (*options, self.cannot_say) if cannot_say else options
        prompt = f"{text} {self.instruction.replace('{answers}', either(all_answers))}"
        return Question(prompt, options, self.cannot_say if cannot_say else "", text)


def _filled(text: str, values: Mapping[str, str]) -> str:
    """Fill placeholders in one pass: what a value says is never filled again."""
    return _PLACEHOLDERS.sub(lambda match: values.get(match[0][1:-1], match[0]), text)


def _check_placeholders(
    text: str, field: str, needed: tuple[str, ...], allowed: tuple[str, ...]
) -> None:
    there = [match[0][1:-1] for match in _PLACEHOLDERS.finditer(text)]
    for name in needed:
        if name not in there:
            raise SpecFieldError(field, f"holds {shown(text)}, which lacks {{{name}}}. Add it.")
    for name in there:
        if name not in (*needed, *allowed):
            raise SpecFieldError(
                field,
                f"has the placeholder {{{name}}}, which means nothing there."
                f"{nearest(name, (*needed, *allowed))}",
            )


def _fields(table: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a case, checked."""
    given = _known(table, Case, "")
    checked: dict[str, Any] = {
        name: checked_text(given[name], name)
        for name in ("title", "need", "outcome", "cannot_say", "instruction", "source")
        if name in given
    }
    checked["name"] = checked_slug(given.get("name"), "name")
    for name in ("title", "need", "outcome", "quality", "groups"):
        if name not in given:
            raise SpecFieldError(name, "is missing. Add it.")
    checked["notes"] = checked_notes(given.get("notes", ""))
    if "details" in given:
        checked["details"] = checked_terms(given["details"], "details")
    checked["quality"] = _part(Quality, given["quality"], "quality")
    checked["groups"] = _groups(given["groups"])
    for name, kind in (("yes_or_no", YesOrNo), ("which_of_two", WhichOfTwo)):
        if name in given:
            own = dict(checked_table(given[name], name))
            own["wordings"] = checked_terms(own.get("wordings", ()), f"{name}.wordings")
            checked[name] = _part(kind, own, name)
    return checked


def _known(table: Any, kind: type, field: str) -> dict[str, Any]:
    """Return a table whose names are all fields of a record."""
    names = [one.name for one in fields(kind)]
    given = checked_table(table, field or "case")
    for name in given:
        if name not in names:
            path = f"{field}.{name}" if field else name
            raise SpecFieldError(path, f"is not known.{nearest(name, names)}")
    return given


def _part(kind: type, table: Any, field: str) -> Any:
    given = _known(table, kind, field)
    for name, value in given.items():
        if isinstance(value, str):
            given[name] = checked_text(value, f"{field}.{name}")
    try:
        return kind(**given)
    except TypeError as error:
        missing = [one.name for one in fields(kind) if one.name not in given]
        raise SpecFieldError(field, f"lacks a field: {', '.join(missing)}. Add it.") from error


def _groups(given: Any) -> tuple[Group, ...]:
    if not isinstance(given, list | tuple):
        raise SpecFieldError("groups", f"is {shown(given)}. Use a list of tables, [[groups]].")
    groups = []
    for i, table in enumerate(given):
        field = f"groups[{i}]"
        group = _known(table, Group, field)
        name = checked_text(group.get("name"), f"{field}.name", "a name")
        cues = group.get("cues")
        if not isinstance(cues, list | tuple) or not cues:
            raise SpecFieldError(f"{field}.cues", "is empty. Give at least one cue.")
        traits = checked_table(group.get("traits", {}), f"{field}.traits")
        groups.append(Group(name, tuple(_cue(cue, f"{field}.cues") for cue in cues), traits))
    return tuple(groups)


def _cue(given: Any, field: str) -> Cue:
    if isinstance(given, Mapping):
        cue: Cue = _part(Cue, given, field)
        return cue
    return Cue(checked_text(given, field, "a cue"))
