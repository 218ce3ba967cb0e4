"""Deciders that the bench offers: language models, classifiers, services, and a simulated one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from biaslab.cases import Case
from biaslab.deciders import SimulatedDecider, decider_of
from biaslab.observers import decider
from biaslab.probes.decisions.probe import design_of
from biaslab.subjects.opening.load import bundled_names
from biaslab.subjects.opening.needs import DECIDER, group_of
from biaslab_widgets.core.state.records import SubjectOption
from biaslab_widgets.core.subjects.sources import (
    OnProgress,
    Source,
    checked_sources,
    entries_of,
    holds_sources,
    named_sources,
)

NAME = "simulated decider"
_SHARE_OF_RANGE = 8
"""The planted gap is the range of the case divided by this: 2 years of 16."""


@dataclass(frozen=True)
class AnyCase:
    """A decider with a planted gap in every case.

    Attributes
    ----------
    name, about, kind : str
    """

    name: str = NAME
    about: str = "simulated, a gap planted on purpose"
    kind: str = "observer"

    def of(self, case: Case) -> SimulatedDecider:
        """Return the decider of a case; its second group needs more, by whole steps."""
        return decider(
            case, gap=planted_gap(case), position_bias=0.1, lapse=0.04, cannot_say=0.03,
            refusal=0.03, cue_sd=case.quality.step / 2, wording_sd=case.quality.step / 2,
        )  # fmt: skip


def planted_gap(case: Case) -> float:
    """Return the gap between the first and each other group, in the case's unit."""
    quality = case.quality
    steps = round((quality.high - quality.low) / _SHARE_OF_RANGE / quality.step)
    return max(1, steps) * quality.step


def why_not(subject: Any, case: Case) -> str:
    """Return why a subject can answer a case in none of its forms; empty if it can.

    Parameters
    ----------
    subject : object
        None while it is not open.
    case : Case
    """
    is_open = subject is not None and not isinstance(subject, AnyCase)
    problem_of = getattr(decider_of(subject), "problem", None) if is_open else None
    if problem_of is None:
        return ""
    designs = (design_of(case, form, None, None, None, "both") for form in case.forms)
    problems = [str(problem_of(one.first_question(cannot_say=False)[0])) for one in designs]
    return problems[0] if all(problems) else ""


FIRST = "clerk-lm"


class DeciderSource(Source[Any]):
    """A decider by name, opened when it is chosen.

    Parameters
    ----------
    name, opener, subject, given
        As of `Source`.
    kind : str
        Of subject, where it is known before it is open.
    about : str
        What it is, before it is open.
    """

    def __init__(
        self,
        name: str,
        opener: Callable[[OnProgress], Any],
        subject: Any = None,
        *,
        given: str | Path = "",
        kind: str = "",
        about: str = "",
    ) -> None:
        super().__init__(name, opener, subject, given=given)
        self._kind, self._about = kind, about

    @property
    def option(self) -> SubjectOption:
        """As of `Source`."""
        info, subject = self.info, self._subject
        about = str(getattr(subject, "about", "")) or self._about
        kind = str(getattr(subject, "kind", "")) or self._kind or (info.kind if info else "")
        return {
            "name": self.name,
            "about": about or "not opened yet",
            "kind": kind,
            "replicates": 1 if subject is not None else 0,
            "group": "Simulated" if kind == "observer" else group_of(kind),
            "what": info.short if info else self._about,
        }


def decider_sources(given: Any = None) -> dict[str, Source[Any]]:
    """Sources by name of deciders, and of names that `biaslab.load` takes; default those here.

    Raises
    ------
    WrongSubjectError
        When one is nothing that decides; says what is.
    """
    if holds_sources(given):
        return checked_sources(given)
    if given is None:
        names = (*bundled_names("clm"), *bundled_names("classifier"))
        return with_a_simulated_one([_named(name) for name in names])
    if isinstance(given, AnyCase):
        return with_a_simulated_one([])
    return named_sources([_source(entry) for entry in entries_of(given, DECIDER)])


def with_a_simulated_one(sources: Iterable[Source[Any]]) -> dict[str, Source[Any]]:
    """Return deciders by name: the bundled clerk where it is, the simulated one, the others."""
    others = list(sources)
    clerk = [one for one in others if one.name == FIRST]
    return named_sources([*clerk, _simulated(), *(one for one in others if one.name != FIRST)])


def shared_deciders(*kinds: Mapping[str, Source[Any]]) -> dict[str, Source[Any]]:
    """Return those shared subjects that decide, each of which is opened once for all benches."""
    fitting = [
        DeciderSource(
            source.name, partial(_open, source), kind=_kind(source), about=source.option["what"]
        )
        for sources in kinds
        for source in sources.values()
        if _kind(source) in DECIDER.kinds
    ]
    return with_a_simulated_one(fitting)


def _kind(source: Source[Any]) -> str:
    return source.info.kind if source.info is not None else source.option["kind"]


def _open(source: Source[Any], on_progress: OnProgress) -> Any:
    if _kind(source) == "chat":
        # The rating bench's service has an instruction, which belongs to no case.
        return decider_of(source.given)
    subject = source.open(on_progress)
    decider_of(subject)
    return subject


def _simulated() -> Source[Any]:
    planted = AnyCase()
    return DeciderSource(
        NAME, lambda _report: planted, planted, kind=planted.kind, about=planted.about
    )


def _source(entry: Any) -> Source[Any]:
    if isinstance(entry, AnyCase) or entry == NAME:
        return _simulated()
    if isinstance(entry, str | Path):
        return _named(entry)
    decider = decider_of(entry)
    return DeciderSource(decider.name, lambda _report: entry, entry, about=decider.about)


def _named(entry: str | Path) -> Source[Any]:
    name = Path(entry).name if Path(entry).exists() else str(entry)
    return DeciderSource(name, lambda _report: decider_of(entry), given=entry)
