"""The case that is chosen or edited, and what the page knows of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from biaslab import cases
from biaslab.cases import Case, Form
from biaslab.errors import BiaslabError
from biaslab_widgets.benches.decisions.card import card_of
from biaslab_widgets.benches.decisions.case_fields import CaseCard, CaseOption
from biaslab_widgets.benches.decisions.case_text import case_of
from biaslab_widgets.benches.decisions.fields import DecisionBenchState
from biaslab_widgets.core.commands import Act
from biaslab_widgets.core.latest import Latest


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
        self._last: Case | None = None
        self._scaled: tuple[object, ...] | None = None

    @property
    def commands(self) -> dict[str, Act]:
        """None of its own."""
        return {}

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
        middle = float(levels[(len(levels) - 1) // 2])
        reach = middle - float(levels[0])
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
                wanted["x"] = middle if asked.form == "yes or no" else 0.0
        known = {cue.text for group in case.groups for cue in group.cues}
        count = len(case.wordings(asked.form))
        wanted["without_cues"] = [cue for cue in snapshot.without_cues if cue in known]
        wanted["without_wordings"] = [n for n in snapshot.without_wordings if 1 <= n <= count]
        return {name: v for name, v in wanted.items() if getattr(snapshot, name) != v}

    def outputs(self, snapshot: DecisionBenchState) -> dict[str, Any]:
        """Return the cases, and the card of the chosen one."""
        wanted: dict[str, Any] = {"case_problem": self.problem(snapshot)}
        if not snapshot.cases:
            wanted["cases"] = offered_cases()
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
                return None, str(error)

        return self._read.of((snapshot.case, snapshot.case_text), read)


def offered_cases() -> list[CaseOption]:
    """Return the cases of the catalogue and the person's own; one that cannot be read by name."""
    found: list[CaseOption] = []
    for name in cases.names():
        try:
            found.append({"name": name, "title": cases.get(name).title})
        except BiaslabError:
            found.append({"name": name, "title": name})
    return found
