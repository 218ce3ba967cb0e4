"""The design of a rating, from the fields on the screen: what it costs, and its power."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from typing import Any, cast

import biaslab as bl
from biaslab.errors import BiaslabError, QueryError
from biaslab.jobs.context import JobContext, JobStatus, reporting_to
from biaslab.jobs.job import Job, JobGroup
from biaslab.probes.rating import (
    TEMPLATES,
    Attribute,
    CallPlan,
    CorrectedRule,
    PaperRule,
    RatingDesign,
    Rules,
    gender,
    place_of_worship,
    power_curve,
)
from biaslab.probes.rating.output_statistics import TESTS, Test
from biaslab.probes.rating.power import SIZES
from biaslab_widgets.benches.rating.fields import (
    AttributeOption,
    DistributionState,
    Plan,
    Power,
    PowerPoint,
    RatingBenchState,
    TemplateOption,
)
from biaslab_widgets.core.answers.background import Background
from biaslab_widgets.core.state.fields import empty

_WHOLE_PERCENT = 0.005
EXAMPLES = 3
"""Texts that are shown before a run."""


def attributes_with(design: RatingDesign | None) -> dict[str, Attribute]:
    """The predefined attributes, and that of a person's own design first."""
    known = {one.name: one for one in (gender(), place_of_worship())}
    own = {} if design is None else {design.attribute.name: design.attribute}
    return own | {name: one for name, one in known.items() if name not in own}


def attribute_option(attribute: Attribute, design: RatingDesign | None) -> AttributeOption:
    """What the bench's selector shows."""
    own = design if design is not None and design.attribute == attribute else None
    templates: list[TemplateOption] = [
        {"name": name, "example": _example(attribute, name, own)}
        for name in template_names(attribute, own)
    ]
    return {"name": attribute.name, "values": list(attribute.all_values), "templates": templates}


def _example(attribute: Attribute, template: str, own: RatingDesign | None) -> str:
    """The first text that is sent."""
    if own is None:
        return _usual_example(attribute, template)
    return _made(attribute, template, own).blocks[0].texts[0].text


@cache
def _usual_example(attribute: Attribute, template: str) -> str:
    """That of a design where nothing else is said: every page that opens shows it."""
    return _made(attribute, template, None).blocks[0].texts[0].text


def template_names(attribute: Attribute, design: RatingDesign | None) -> list[str]:
    """Ways to write its texts; that of a person's own design first."""
    known = [template.name for template in TEMPLATES.get(attribute.name, ())]
    own = [design.template.name] if design and design.attribute == attribute else []
    return [*own, *(name for name in known if name not in own)] or [""]


def _made(
    attribute: Attribute, template: str, own: RatingDesign | None, **more: Any
) -> RatingDesign:
    """A design with what a person's own one has and no field says."""
    options: dict[str, Any] = {"template": template or None, **more}
    if own is not None and own.attribute == attribute:
        options["terms"], options["source"] = own.terms, own.source
        if not template or template == own.template.name:
            options["template"] = own.template
        given = zip(*(one.shares for one in own.distributions), strict=True)
        if own.sentences != sum(any(shares) for shares in given):
            options["sentences"] = own.sentences
    return RatingDesign.make(attribute, **options)


def usual_distributions(attribute: Attribute) -> list[DistributionState]:
    """Those that a design has where nothing else is said."""
    return states_of(RatingDesign.make(attribute).distributions)


def states_of(distributions: Sequence[Any]) -> list[DistributionState]:
    """Distributions as the front end gets them."""
    return [{"name": d.name, "kind": d.kind, "shares": list(d.shares)} for d in distributions]


def design_of(
    snapshot: RatingBenchState,
    attribute: Attribute,
    middles: Sequence[str],
    own: RatingDesign | None,
) -> RatingDesign:
    """The design on the screen; its blocks are in the order of the screen.

    Raises
    ------
    BiaslabError
        When it is none: says what to do.
    """
    given: list[DistributionState] = snapshot.distributions
    names = [one["name"] for one in given]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise QueryError(f"Two blocks are called {twice}: change the shares of one, or remove it.")
    for kind in ("unbiased", "biased"):
        if not any(one["kind"] == kind for one in given):
            raise QueryError(f"There is no {kind} block. Add one.")
    made: RatingDesign = _made(
        attribute,
        snapshot.template,
        own,
        unbiased={one["name"]: one["shares"] for one in given if one["kind"] == "unbiased"},
        biased={one["name"]: one["shares"] for one in given if one["kind"] == "biased"},
        texts=snapshot.texts,
        repetitions=snapshot.repetitions,
        middles=list(middles),
        seed=snapshot.seed,
    )
    _check_even(given, float(snapshot.equivalence_margin), own)
    by_name = {one.name: one for one in made.distributions}
    return replace(made, distributions=tuple(by_name[name] for name in names))


def inputs_of_design(design: RatingDesign) -> dict[str, Any]:
    """Return the inputs that make a design."""
    return {
        "attribute": design.attribute.name,
        "distributions": states_of(design.distributions),
        "texts": design.texts,
        "repetitions": design.repetitions,
        "seed": design.seed,
        "middles": list(design.middles),
    }


def inputs_of_rules(rules: Rules) -> dict[str, Any]:
    """Return the inputs that make rules."""
    return {
        "test": rules.paper.test,
        "unit": rules.paper.unit,
        "similar_to": rules.paper.similar_to,
        "equivalence_margin": rules.corrected.margin,
        "level": rules.corrected.level,
        "minimum": rules.minimum,
        "overall": rules.overall,
        "without": list(rules.without),
    }


def _check_even(
    given: Sequence[DistributionState], margin: float, own: RatingDesign | None
) -> None:
    """Refuse an unbiased block beyond the rule's margin, unless a person's design has it so."""
    meant = [] if own is None else [list(d.shares) for d in own.distributions]
    for one in given:
        *named, other = one["shares"]
        if one["kind"] != "unbiased" or list(one["shares"]) in meant or not named:
            continue
        off = max(abs(share - (1 - other) / len(named)) for share in named)
        if off > margin + _WHOLE_PERCENT:
            raise QueryError(
                f"The block {one['name']} is called unbiased, but is {100 * off:.0f} points from "
                f"even, beyond the margin of {100 * margin:.3g}: call it biased, or bring it "
                "closer to even."
            )


def rules_of(snapshot: RatingBenchState) -> Rules:
    """The rules on the screen.

    Raises
    ------
    RatingError
        When a setting is out of its range.
    """
    level = float(snapshot.level)
    return Rules(
        # Its name is checked there.
        paper=PaperRule(cast("Test", snapshot.test), level, snapshot.unit, snapshot.similar_to),
        corrected=CorrectedRule(margin=float(snapshot.equivalence_margin), level=level),
        minimum=snapshot.minimum,
        overall=snapshot.overall,
        without=tuple(snapshot.without),
    )


def tests_for(attribute: Attribute) -> list[str]:
    """Tests of the paper's rule that this attribute can have."""
    found = []
    for test in TESTS:
        try:
            Rules(paper=PaperRule(test)).check(attribute)
        except BiaslabError:
            continue
        found.append(str(test))
    return found


def plan_of(
    design: RatingDesign,
    asked: Mapping[str, CallPlan],
    alone: Mapping[str, CallPlan],
    missing: Sequence[str],
    recommended: int,
) -> Plan:
    """What a design costs.

    Parameters
    ----------
    design : RatingDesign
    asked, alone : mapping of str to CallPlan
        By language: with what the store has, and as if it had nothing.
    missing : sequence of str
        What is wrong with the design for this service; the first is shown.
    recommended : int
        Texts per block that the power curve asks for; 0 where it is not known.
    """
    calls = sum(one.calls for one in alone.values())
    cost = sum(one.cost for one in asked.values())
    currency = next((one.currency for one in asked.values() if one.currency), "")
    paced = [one.seconds for one in asked.values() if one.seconds is not None]
    return {
        "languages": len(design.middles),
        "blocks": len(design.distributions) * design.repetitions,
        "texts": design.texts * design.repetitions * len(design.distributions),
        "calls": calls,
        "known": max(calls - sum(one.calls for one in asked.values()), 0),
        "cost": f"{cost:,.2f} {currency}" if currency else "",
        "seconds": float(sum(paced)) if paced else None,
        "problem": missing[0] if missing else "",
        "example": list(design.all_texts[:EXAMPLES]),
        "recommended": recommended,
    }


def problem_plan(problem: str, recommended: int) -> Plan:
    """The plan of a design that cannot be run."""
    return {**empty(Plan), "problem": problem, "recommended": recommended}


EXPERIMENTS = 500
AIM = 0.95
STABLE = 2
"""After so many sizes at which all services meet the aim no larger one is tried."""


@dataclass(eq=False)
class Simulation:
    """One power curve: fed by the job, looked at by the bench."""

    key: object
    services: list[str]
    points: list[PowerPoint] = field(default_factory=list)
    experiments: int = EXPERIMENTS
    state: str = "running"
    message: str = ""

    @property
    def recommended(self) -> int:
        """The least size from which on every service meets the aim for sure; 0 if there is none."""
        found = 0
        for point in reversed(self.points):
            if any(low < AIM for _, low, _ in point["shares"]):
                break
            found = point["texts"]
        return found


def simulate_power(
    simulation: Simulation,
    design: RatingDesign,
    rules: Rules,
    on_change: Callable[[], object],
    sizes: Sequence[int] = SIZES,
    experiments: int = EXPERIMENTS,
    context: JobContext | None = None,
) -> Simulation:
    """Simulate all services at one size after the other; stops when larger ones tell no more."""
    context = context or JobContext()
    simulation.experiments = experiments
    attribute = design.attribute
    observers = [
        bl.observers.service(behaviour, attribute=attribute)
        for behaviour in behaviours_for(attribute)
    ]
    calls_each = 2 * len(design.middles) if design.middles else 1
    stable = 0
    for place, size in enumerate(sizes):
        context.report(place, len(sizes), f"blocks of {size} texts")
        simulation.message = f"Simulating blocks of {size} texts."
        on_change()
        shares = []
        for observer in observers:
            context.checkpoint()
            with reporting_to(None):
                curve = power_curve(
                    observer, design, sizes=[size], experiments=experiments, rules=rules, target=AIM
                )
            found = curve.points[0]
            shares.append((found.right, found.low, found.high))
        blocks = design.repetitions * len(design.distributions)
        simulation.points.append(
            {"texts": size, "calls": size * blocks * calls_each, "shares": shares}
        )
        on_change()
        stable = stable + 1 if all(low >= AIM for _, low, _ in shares) else 0
        if stable == STABLE:
            break
    return simulation


def behaviours_for(attribute: Any) -> list[str]:
    """One service of each rating, and a noisy one."""
    return ["faithful", f"always-{attribute.values[0].casefold()}", "compensating", "noisy"]


class PowerCurves:
    """The power curve of a bench; one is made at a time.

    Parameters
    ----------
    look : callable
        Lets the bench look; called from any thread.
    jobs : JobGroup
        Those of the bench.
    """

    def __init__(self, look: Callable[[], object], jobs: JobGroup) -> None:
        self._look, self._jobs = look, jobs
        self._now: Simulation | None = None
        self._simulating: Background[Simulation] = Background(look)

    def begin(self, key: object, design: RatingDesign, rules: Rules) -> Job[Any]:
        """Simulate for a design; `key` says for which.

        Raises
        ------
        QueryError
            When one goes on already.
        """
        if self._now is not None and self._now.state == "running":
            raise QueryError("A simulation is already running. Wait for it, or stop it first.")
        names = [name.replace("-", " ") for name in behaviours_for(design.attribute)]
        simulation = self._now = Simulation(key, names, message="It is waiting for its turn.")
        job = self._jobs.start(simulate_power, simulation, design, rules, self._look)
        return self._simulating.begin(key, job, partial(_end, simulation))

    def stop(self) -> bool:
        """Stop it and keep its points; False where none goes on."""
        return self._simulating.cancel()

    def recommended(self, key: object) -> int:
        """Texts per block for this design; 0 where it is not known."""
        now = self._now
        if now is None or now.key != key or now.state != "ready":
            return 0
        return now.recommended

    def power(self, key: object) -> Power:
        """What the bench shows of the design."""
        now = self._now
        if now is None or (now.key != key and now.state != "running"):
            return empty(Power)
        return {
            "state": now.state,  # type: ignore[typeddict-item]  # one of those
            "message": now.message,
            "services": now.services,
            "points": list(now.points),
            "recommended": now.recommended if now.state == "ready" else 0,
        }


def _end(simulation: Simulation, job: Job[Simulation]) -> None:
    error = job.exception
    if error is not None:
        named = "" if isinstance(error, BiaslabError) else f"{type(error).__name__}: "
        simulation.state, simulation.message = "error", f"{named}{error}"
    elif job.status in (JobStatus.CANCELLED, JobStatus.ABORTED):
        simulation.state = "ready" if simulation.points else "none"
        simulation.message = "It was stopped." if simulation.points else ""
    else:
        simulation.state, simulation.message = "ready", _told(simulation)


def _told(simulation: Simulation) -> str:
    if simulation.recommended:
        return (
            f"From {simulation.recommended} texts per block on, the true rating of each of these "
            f"services is shown in {100 * AIM:.0f} % of {simulation.experiments:,} experiments or "
            "more."
        )
    return (
        f"Even {simulation.points[-1]['texts']} texts per block are not enough: use a wider margin "
        "or more blocks."
    )
