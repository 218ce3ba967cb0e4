"""``bl.decisions``: how much more one group must bring to be treated alike."""

from __future__ import annotations

import math
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np

from biaslab.answers import RecordedAnswers
from biaslab.arguments import check_choice, check_names
from biaslab.cases import FORMS, Case, Form, get
from biaslab.deciders import Decider, StoredReplies, decider_of, request_of
from biaslab.errors import CaseError, QueryError
from biaslab.jobs.context import current_context
from biaslab.jobs.showing import shows_progress
from biaslab.probes.decisions.asking import MOST_TRIALS, Aim, Asking, ask_adaptively, ask_fixed
from biaslab.probes.decisions.assurance import Assurance, GapSpread, assurance_of
from biaslab.probes.decisions.recorded import recorded_decisions
from biaslab.probes.decisions.result import DecisionsResult, leaves_no_gap
from biaslab.probes.decisions.trials import NOWHERE, DecisionTrials, Design, Floats
from biaslab.records.calls import recorded
from biaslab.records.provenance import Provenance, measured
from biaslab.records.record import Record
from biaslab.records.wording import counted, duration, listed
from biaslab.stats.decisions.model import Lapses, Slopes
from biaslab.stats.reproducibility import seed_number
from biaslab.stats.significance import check_level
from biaslab.store import Store

Method = Literal["fixed", "adaptive"]
Orders = Literal["both", "given"]
BATCH = 16
"""Questions that are chosen and put together."""


def method_of(
    method: Method | None,
    decider: Decider,
    levels: int | Sequence[float] | None,
    width: float | None,
    *,
    sends_probabilities: bool = False,
) -> Method:
    """Return where levels are placed; a stored reply may show that a server sends probabilities.

    Raises
    ------
    QueryError
        If an option does not apply to it, or it does not to the decider.
    """
    if method is None:
        fixed = sends_probabilities or decider.gives_probabilities or levels is not None
        return "fixed" if fixed else "adaptive"
    check_choice(method, get_args(Method), "method")
    if method == "fixed" and width is not None:
        raise QueryError("width belongs to adaptive placement: add method='adaptive'.")
    if method == "adaptive" and levels is not None:
        raise QueryError("levels belong to fixed placement: leave them out, or method='fixed'.")
    if method == "adaptive" and decider.gives_probabilities:
        raise QueryError(
            f"{decider.name} says how probable each answer is, so one reply tells all about a"
            " level and nothing is saved by choosing levels. Use method='fixed'."
        )
    return method


def design_of(
    case: Case,
    form: Form | None,
    groups: Sequence[str] | None,
    cues: Mapping[str, Sequence[str]] | None,
    wordings: Sequence[int] | None,
    orders: Orders,
) -> Design:
    """Return what may be asked.

    Raises
    ------
    CaseError
        If the case lacks the form, a group, a cue or a wording.
    ValueError
        If an option is unknown.
    """
    if form is not None:
        check_choice(form, FORMS, "form")
    how: Form = form or case.forms[0]
    check_choice(orders, get_args(Orders), "orders")
    names = [group.name for group in case.groups]
    wanted = list(groups) if groups is not None else names
    if groups is None and how == "which of two":
        wanted = names[:2]
    places = tuple(names.index(case.group(name).name) for name in wanted)
    if len(set(places)) < 2 or len(set(places)) < len(places):
        raise CaseError(f"A gap needs two different groups of {case.name}: {', '.join(names)}.")
    if how == "which of two" and len(places) > 2:
        raise CaseError("Which of two compares two groups: pass groups=(one, two).")
    all_wordings = len(case.wordings(how))
    numbers = range(1, all_wordings + 1) if wordings is None else wordings
    for number in numbers:
        if not 1 <= number <= all_wordings:
            raise CaseError(f"{case.name} has the wordings 1 to {all_wordings}, not {number}.")
    if not numbers:
        raise CaseError("wordings is empty: keep at least one.")
    return Design(
        case, how, places, tuple(_cues(case, place, cues) for place in places),
        tuple(number - 1 for number in numbers), tuple(range(max(1, len(case.details)))),
        both_orders=orders == "both",
    )  # fmt: skip


def _cues(case: Case, place: int, cues: Mapping[str, Sequence[str]] | None) -> tuple[int, ...]:
    group = case.groups[place]
    texts = [cue.text for cue in group.cues]
    if cues is None or group.name not in cues:
        return tuple(range(len(texts)))
    for name in cues:
        case.group(name)
    for text in cues[group.name]:
        if text not in texts:
            raise CaseError(f"{group.name} has no cue {text!r}: it has {', '.join(texts)}.")
    if not cues[group.name]:
        raise CaseError(f"{group.name} has no cue left. Keep at least one.")
    return tuple(texts.index(text) for text in dict.fromkeys(cues[group.name]))


_CHARACTERS_A_TOKEN = 4
"""Of English, as OpenAI's documentation gives it."""
_TOKENS_A_REPLY = 3
_SAMPLE = 200
_TIMED = 16
_SHORT = 10
"""Seconds below which a run needs no estimate of its time."""


@dataclass(frozen=True)
class Plan(Record):
    """What a run takes at most, and what it can show.

    Attributes
    ----------
    subject : str
    questions : int
    stored : int
        How many of them have a reply in the store already; adaptive runs choose as they go, and
        their stored replies are not known before.
    tokens : int
        About how many tokens the other questions have.
    cost : str
        About what they and their replies cost, of a word or two each; empty without a price.
    method : str
        ``fixed`` or ``adaptive``.
    assurance : Assurance
        How large a gap it can show, and what a verdict within the margin would take.
    seconds : float
        About how long a language model on this machine takes; NaN for others.
    time : str
        About how long a language model on this machine takes, such as ``about 4 minutes``; empty
        for others, and below ten seconds.
    """

    subject: str
    questions: int
    stored: int
    tokens: int
    cost: str
    method: Method
    assurance: Assurance
    seconds: float = math.nan
    time: str = ""

    @property
    def calls(self) -> int:
        """Questions that the subject is asked."""
        return self.questions - self.stored

    def summary(self) -> str:
        """The plan in a few sentences."""
        most = "At most " if self.method == "adaptive" else ""
        known = f", {self.stored:,} of them answered in the store" if self.stored else ""
        lead = f"{most}{counted(self.questions, 'question')} to {self.subject}{known}"
        cost = f", {self.cost}" if self.cost else ""
        takes = f"about {self.tokens:,} tokens to read{cost}, and a word or two for each reply."
        if self.time:
            takes = f"{self.time} on this machine."
        return f"{lead}: {takes} {self.assurance.summary()} {self.assurance.assumed()}"


def plan(
    subject: Any,
    case: str | os.PathLike[str] | Case = "hire-by-name",
    *,
    form: Form | None = None,
    groups: Sequence[str] | None = None,
    cues: Mapping[str, Sequence[str]] | None = None,
    wordings: Sequence[int] | None = None,
    cannot_say: bool = False,
    orders: Orders = "both",
    method: Method | None = None,
    levels: int | Sequence[float] | None = None,
    trials: int | None = None,
    width: float | None = None,
    margin: float | None = None,
    level: float = 0.95,
    rng: int | np.random.Generator = 0,
    store: Store | None = None,
    pilot: DecisionsResult | None = None,
    **others: Any,
) -> Plan:
    """Return what `biaslab.decisions` would take with the same arguments, and what it can show.

    Nothing is asked; a language model on this machine reads a few questions, to see how long they
    take.

    Parameters
    ----------
    pilot : DecisionsResult, optional
        A run whose cues, wordings and answers differ as those of the planned one will; by default
        what is usual, see `biaslab.probes.decisions.GapSpread.usual`.
    """
    check_names(others, decisions, "bl.probes.decisions.plan")
    chosen = get(case)
    design = design_of(chosen, form, groups, cues, wordings, orders)
    decider = decider_of(subject)
    how = method_of(method, decider, levels, width)
    rng = np.random.default_rng(seed_number(rng))
    wanted = (trials or MOST_TRIALS) if how == "adaptive" else trials
    rows = design.questions(design.chosen_levels(levels), wanted, rng)
    # Only stored replies are looked up by every text, and those of adaptive runs are not known.
    shown = rows if how == "fixed" else rows.take(slice(_SAMPLE))
    questions = shown.of(chosen, cannot_say=cannot_say)
    stored = 0
    if how == "fixed":
        times: Counter[str] = Counter()
        repetitions = []
        for question in questions:
            repetitions.append(times[question.prompt])
            times[question.prompt] += 1
        stored = StoredReplies(decider, store or Store()).known(questions, repetitions)
    lengths = [len(question.prompt) for question in questions[:_SAMPLE]]
    each = float(np.mean(lengths)) / _CHARACTERS_A_TOKEN
    left = len(rows) - stored
    price = getattr(decider, "price", None)
    cost = price.say(each * left, _TOKENS_A_REPLY * left) if price else ""
    sure = decider.gives_probabilities
    assurance = assurance_of(
        design, len(rows), "placed" if how == "adaptive" else "probabilities" if sure else "fixed",
        margin=margin, level=level, stops_at_verdict=how == "adaptive" and width is None,
        spread=None if pilot is None else GapSpread.of(pilot),
    )  # fmt: skip
    seconds_each = getattr(decider, "seconds_each", None)
    seconds = left * seconds_each(questions[:_TIMED]) if seconds_each else math.nan
    return Plan(
        decider.name, len(rows), stored, round(each * left), cost, how, assurance, seconds,
        time_text(seconds),
    )  # fmt: skip


def time_text(seconds: float) -> str:
    """Return an estimate in words; empty where nobody waits long."""
    if not seconds >= _SHORT:
        return ""
    unit = 60 if seconds >= 90 else 10
    return f"about {duration(unit * round(seconds / unit))}"


def with_request(provenance: Provenance, decider: Decider) -> Provenance:
    """Return a provenance with what was sent for each question, as far as the decider says it.

    Read with each result: a server may refuse a setting after the run has begun.
    """
    if not (request := request_of(decider)):
        return provenance
    return replace(provenance, parameters={**provenance.parameters, "request": request})


@recorded
@shows_progress
def decisions(
    subject: Any,
    case: str | os.PathLike[str] | Case = "hire-by-name",
    *,
    form: Form | None = None,
    groups: tuple[str, str] | Sequence[str] | None = None,
    cues: Mapping[str, Sequence[str]] | None = None,
    wordings: Sequence[int] | None = None,
    cannot_say: bool = False,
    orders: Orders = "both",
    method: Method | None = None,
    levels: int | Sequence[float] | None = None,
    trials: int | None = None,
    width: float | None = None,
    give_up: bool = False,
    margin: float | None = None,
    batch: int = BATCH,
    family: str = "logistic",
    lapses: Lapses = "free",
    slopes: Slopes = "free",
    level: float = 0.95,
    rng: int | np.random.Generator = 0,
    store: Store | None = None,
    keep: bool = True,
    progress: bool | None = None,  # noqa: ARG001  # of shows_progress
) -> DecisionsResult:
    """Measure how much more of a quality one group must bring to be accepted as often.

    The quality of a case varies in its own unit; for each group a psychometric function says how
    often the subject decides for it. The gap is the difference between the points at which it
    says yes as often as no (Liang and Acuna 2020, section 2.2, where stimuli cannot be blended).
    Aborted as a job, it returns the trials so far.

    Parameters
    ----------
    subject : object
        Anything that decides in words: a causal language model, a chat model, a service, a text
        classifier, a function, or a simulated `biaslab.observers.decider`; or a name for
        `biaslab.load`. See `biaslab.deciders.decider_of`. Or recorded answers of `biaslab.replay`,
        which bring their own case.
    case : str, path or Case
        See `biaslab.cases`.
    form : {"yes or no", "which of two"}, optional
        One candidate at a time, or one of each group; by default the case's first form.
    groups : sequence of str, optional
        Two or more groups of the case, by default all; the gap is the second's less the first's.
        Which of two takes two, by default the first two.
    cues : mapping of str to sequence of str, optional
        By group: the cues to use; by default all.
    wordings : sequence of int, optional
        The wordings to use, from 1; by default all.
    cannot_say : bool
        Whether the subject is offered the answer that it cannot decide.
    orders : {"both", "given"}
        Whether the answers, or the two candidates, come in both orders.
    method : {"fixed", "adaptive"}, optional
        Levels at equal steps, or those where a reply says most. By default adaptive where a reply
        is one answer, and fixed where it says how probable each answer is.
    levels : int or sequence of float, optional
        How many fixed levels, by default 9, or the levels themselves. Of two candidates, of the
        difference between them.
    trials : int, optional
        How many questions at most. By default every combination once (fixed), up to 1,152, or 400.
    width : float, optional
        Adaptive: stop when the interval of the gap is as narrow, in the case's unit.
    give_up : bool
        Whether to end early where no gap is to be expected: after 64 questions, and at each
        doubling of them, if nothing about a group was answered, a group is answered alike at every
        level, or the answers, nine in ten of one kind or 256 of them, do not follow the quality.
    margin : float, optional
        Gaps within plus and minus this count as treated alike; by default one step of the case.
        Adaptive without a `width`: stop when the interval lies within or beyond it, or the rest of
        the questions would hardly bring that about; the interval is then wide enough to hold the
        gap at all looks together.
    batch : int
        Questions that are chosen and put together.
    family : str
        Of the curves, a symmetrical one: ``logistic``, ``normal``, ``t5``.
    lapses : {"free", "shared", "equal", "none"}
        Answers yes or no that do not depend on the level: each group has shares of its own
        (``free``), all have the same (``shared``), also of yes and no (``equal``), or none.
    slopes : {"free", "shared"}
        Whether each group's curve has a slope of its own.
    level : float
        Of the intervals, in (0, 1).
    rng : int or numpy.random.Generator
        Of the order of questions and of neutral details.
    store : Store, optional
        Replies are kept there and found again, so that a run that was stopped goes on and a second
        look costs no call; by default the person's own store.
    keep : bool
        Whether replies are stored.
    progress : bool, optional
        Whether to show the progress; by default on a terminal and in a notebook cell.

    Returns
    -------
    DecisionsResult

    Raises
    ------
    CaseError
        If the case cannot be read, or lacks the form, a group, a cue or a wording.
    DeciderError
        If the subject cannot be asked; replies that came before are in the store.
    SubjectError
        If it is nothing that decides.
    QueryError, ValueError
        If an option is out of range, or does not apply.
    """
    check_level(level)
    if isinstance(subject, RecordedAnswers):
        asked = {"form": form, "cues": cues, "wordings": wordings, "method": method,
                 "levels": levels, "trials": trials, "width": width}  # fmt: skip
        if chosen_now := [name for name, value in asked.items() if value is not None]:
            raise QueryError(
                f"{subject.name} holds recorded answers, so the questions cannot be chosen: leave"
                f" out {listed(chosen_now)}."
            )
        return _of_record(
            subject, groups, margin, level, seed=rng, family=family, lapses=lapses, slopes=slopes
        )
    chosen = get(case)
    design = design_of(chosen, form, groups, cues, wordings, orders)
    decider = decider_of(subject, yes=chosen.yes_or_no.yes if chosen.yes_or_no else "")
    if batch < 1:
        raise ValueError(f"batch is {batch}; choose at least 1 question at a time.")
    if trials is not None and trials < 1:
        raise ValueError(f"trials is {trials}; allow at least 1 question.")
    reach = chosen.quality.high - chosen.quality.low
    if margin is not None and not 0 <= margin <= reach:
        raise ValueError(
            f"margin is {margin}; give a number from 0 to {reach:g} {chosen.quality.unit}, the"
            " range of the case."
        )
    check_choice(lapses, get_args(Lapses), "lapses")
    check_choice(slopes, get_args(Slopes), "slopes")
    alike = chosen.quality.step if margin is None else float(margin)
    context = current_context()
    replies = StoredReplies(decider, (store or Store()) if keep else None)
    sends = False
    if method is None and levels is None and getattr(decider, "logprobs", None) == "auto":
        # Only a reply says whether the server sends probabilities.
        first = replies.ask(design.first_question(cannot_say=cannot_say), [0], context)
        sends = any(reply.probabilities for reply in first)
        replies.found = 0  # it comes again among the questions
    how = method_of(method, decider, levels, width, sends_probabilities=sends)
    aim = Aim(width, alike, MOST_TRIALS if trials is None else trials, level)
    by_verdict = how == "adaptive" and aim.stops_at_verdict
    seed = seed_number(rng)
    names = tuple(chosen.groups[place].name for place in design.groups)
    with measured(
        probe="decisions",
        # A name says neither weights nor quantisation.
        subject=getattr(decider, "lm", subject),
        parameters={
            "case": chosen.name, "form": design.form, "groups": names, "method": how,
            "trials": trials, "width": width, "margin": alike, "batch": batch,
            "cannot_say": cannot_say, "orders": orders, "family": family, "lapses": lapses,
            "slopes": slopes, "level": level,
            **({} if cues is None else {"cues": cues}),
            **({} if wordings is None else {"wordings": wordings}),
        },
        seed=rng,
    ) as run:  # fmt: skip
        notes: tuple[str, ...] = ()

        def result(answered: DecisionTrials, next_levels: Floats = NOWHERE) -> DecisionsResult:
            return DecisionsResult(
                subject=decider.name, case=chosen, form=design.form, groups=names, trials=answered,
                margin=alike, level=level, lapses=lapses, slopes=slopes, family=family,
                method=how, budget_share=len(answered) / aim.budget if by_verdict else None,
                cannot_say=cannot_say, stored=replies.found,
                price=getattr(decider, "price", None),
                notes=(*notes, *getattr(decider, "notes", ()), *replies.notes),
                next_levels=next_levels, provenance=with_request(run.provenance, decider),
            )  # fmt: skip

        asking = Asking(
            replies, design, cannot_say=cannot_say, context=context,
            keep=lambda *answered: context.keep(result(*answered)),
            is_over=(lambda answered: leaves_no_gap(result(answered))) if give_up else None,
        )  # fmt: skip
        if how == "fixed":
            notes = ask_fixed(asking, design, levels, trials, max(batch, decider.at_once), seed)
        else:
            notes = ask_adaptively(
                asking, design, aim, batch, seed, lambda answered: result(answered).fit
            )
    answered = asking.trials
    if answered is None:
        raise QueryError("No question was answered before the stop. Start again.")
    return result(answered)


def _of_record(
    record: RecordedAnswers,
    groups: Sequence[str] | None,
    margin: float | None,
    level: float,
    *,
    seed: int | np.random.Generator,
    **fit: Any,
) -> DecisionsResult:
    """Return the result of answers that somebody recorded."""
    case, answered, step, notes = recorded_decisions(record, groups)
    names = tuple(group.name for group in case.groups)
    alike = step if margin is None else float(margin)
    parameters = {"case": case.name, "groups": names, "margin": alike, "level": level, **fit}
    with measured(probe="decisions", subject=record, parameters=parameters, seed=seed) as run:
        return DecisionsResult(
            subject=record.name, case=case, form="yes or no", groups=names, trials=answered,
            margin=alike, level=level, notes=notes, provenance=run.provenance, **fit,
        )  # fmt: skip
