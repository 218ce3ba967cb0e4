"""The rating bench before a run: the design, its cost and power, and the composition table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from biaslab.errors import BiaslabError, QueryError
from biaslab.jobs.context import JobContext, JobStopped, reporting_to
from biaslab.probes.rating import Attribute, RatingDesign, composition_table, plan
from biaslab.probes.rating.compose import CompositionRule
from biaslab.records.wording import prose
from biaslab_widgets.benches.rating.design import (
    PowerCurves,
    attribute_option,
    attributes_with,
    design_of,
    inputs_of_design,
    plan_of,
    problem_plan,
    rules_of,
    states_of,
    template_names,
    tests_for,
    usual_distributions,
)
from biaslab_widgets.benches.rating.fields import (
    CompositionCell,
    DistributionState,
    Plan,
    RatingBenchState,
)
from biaslab_widgets.benches.rating.services import MOST, OfferedServices, ServiceSource
from biaslab_widgets.benches.rating.view import rating_name
from biaslab_widgets.core.answers.background import Debounce
from biaslab_widgets.core.answers.cache import Latest
from biaslab_widgets.core.bench.controller import Controller
from biaslab_widgets.core.state.commands import Act, Arguments
from biaslab_widgets.core.state.fields import empty

REST_S = 0.3
"""The store is looked at for what a design costs when the design has not changed for so long."""
_NO_LANGUAGE = "Choose at least one language."


class RatingSetup:
    """Holds the design, and tells what a run of it costs and how sure its ratings would be.

    - `bench`: whose it is.
    - `services`: the services that it is planned for.
    - `design`: what to begin with; by default that of the paper.
    """

    def __init__(
        self,
        bench: Controller[RatingBenchState],
        services: OfferedServices,
        design: RatingDesign | None,
    ) -> None:
        self._bench, self._services, self._own = bench, services, design
        self._attributes = attributes_with(design)
        self._power = PowerCurves(bench.answer_again, bench.jobs)
        self._fitted = ""
        self._distributions: dict[str, list[DistributionState]] = {}
        self._planned: tuple[object, Plan] = (None, empty(Plan))
        self._plan_wanted: object = None
        self._plan_looks = Debounce(REST_S, self._look_at_plan)
        self._designed: Latest[RatingDesign] = Latest()
        self.commands: dict[str, Act] = {
            "preset": self._preset,
            "power": self._simulate,
            "power-stop": self._stop_simulating,
        }

    def first_state(self, composition: CompositionRule) -> dict[str, Any]:
        """The fields of the design that a bench begins with."""
        attribute = next(iter(self._attributes.values()))
        first = self._own or RatingDesign.make(attribute)
        return {
            **inputs_of_design(first),
            "template": template_names(attribute, self._own)[0],
            "attribute_options": [
                attribute_option(one, self._own) for one in self._attributes.values()
            ],
            "tests": tests_for(attribute),
            "services": self._services.options(attribute),
            "table": _table(composition),
        }

    # What is chosen.

    def attribute(self, snapshot: RatingBenchState) -> Attribute:
        """What the rating is about.

        Raises `QueryError` when it is not known here.
        """
        name = snapshot.attribute
        if name not in self._attributes:
            known = ", ".join(self._attributes)
            raise QueryError(f"There is no attribute “{name}”: choose one of {known}.")
        return self._attributes[name]

    def middles(self, snapshot: RatingBenchState) -> tuple[str, ...]:
        """Chosen middle languages that the service has."""
        source = self._services.chosen(snapshot)
        have = () if source is None else source.languages
        return tuple(language for language in snapshot.middles if language in have)

    def design(self, snapshot: RatingBenchState) -> RatingDesign:
        """The design on the screen.

        Raises `BiaslabError` when it is none: says what to do.
        """
        source = self._services.chosen(snapshot)
        attribute = self.attribute(snapshot)
        middles = self.middles(snapshot)
        if source is not None and source.languages and not middles:
            raise QueryError(_NO_LANGUAGE)
        key = (_design_key(snapshot), snapshot.equivalence_margin, middles)
        return self._designed.of(key, lambda: design_of(snapshot, attribute, middles, self._own))

    def fit(self, snapshot: RatingBenchState) -> dict[str, Any]:
        """Inputs that follow another service or attribute: languages, blocks, the template."""
        changed: dict[str, Any] = {}
        source = self._services.chosen(snapshot)
        if source is not None and source.is_open and self._fitted != source.name:
            self._fitted = source.name
            if source.languages and not self.middles(snapshot):
                changed["middles"] = list(source.languages[:MOST])
        attribute = self._attributes.get(snapshot.attribute)
        if attribute is not None:
            width = len(attribute.all_values)
            here: list[DistributionState] = snapshot.distributions
            fits = all(len(one["shares"]) == width for one in here)
            if here and fits:
                self._distributions[attribute.name] = here
            elif attribute.name in self._distributions:
                if here:
                    changed["distributions"] = self._distributions[attribute.name]
            else:
                changed["distributions"] = usual_distributions(attribute)
            names = template_names(attribute, self._own)
            if snapshot.template not in names:
                changed["template"] = names[0]
        return self._bench.unless_changed(changed, snapshot)

    # What goes to the front end.

    def outputs(self, snapshot: RatingBenchState) -> dict[str, Any]:
        """What has changed of services, attributes, cost and tables."""
        attribute = self._attributes.get(snapshot.attribute)
        made: dict[str, Any] = {
            "services": self._services.options(attribute),
            "table": _table(snapshot.composition),
            "plan": self._plan(snapshot),
            "power": self._power.power(self._power_key(snapshot)),
        }
        if attribute is not None:
            made["tests"] = tests_for(attribute)
        return {name: value for name, value in made.items() if value != getattr(snapshot, name)}

    def problem(self, snapshot: RatingBenchState) -> str:
        """Why the design on the screen cannot be run; empty if it can."""
        source = self._services.chosen(snapshot)
        if source is None:
            name = snapshot.service
            return f"There is no service “{name}”: choose another." if name else ""
        if failure := self._services.failure(source):
            return failure
        try:
            attribute = self.attribute(snapshot)
            if source.is_open:
                source.asked(attribute)
                self.design(snapshot)
            rules_of(snapshot).check(attribute)
        except BiaslabError as error:
            return prose(error)
        return ""

    def _plan_key(self, snapshot: RatingBenchState) -> object:
        source = self._services.chosen(snapshot)
        return (snapshot.service, source is not None and source.is_open, *_design_key(snapshot))

    def _plan(self, snapshot: RatingBenchState) -> Plan:
        """What the design costs; the store is asked in a moment, when nobody drags any more."""
        source = self._services.chosen(snapshot)
        recommended = self._power.recommended(self._power_key(snapshot))
        if problem := self.problem(snapshot):
            return problem_plan(problem, recommended)
        if source is None or not source.is_open:
            return problem_plan("", recommended)
        key = self._plan_key(snapshot)
        is_new = key not in (self._planned[0], self._plan_wanted)
        self._plan_wanted = key  # before the look, which stops where nobody wants it
        if is_new:
            self._plan_looks.later()
        last = self._planned[1]
        problem = last["problem"] if self._planned[0] == key else ""
        return {**last, "problem": problem, "recommended": recommended}

    def forget_plan(self) -> None:
        """What the store has is another thing now."""
        self._planned = (None, self._planned[1])
        self._plan_wanted = None

    def _made_plan(
        self, snapshot: RatingBenchState, source: ServiceSource, context: JobContext
    ) -> Plan:
        design = self.design(snapshot)
        service = source.asked(self.attribute(snapshot))
        with reporting_to(context):
            alone = plan(service, design, keep=False, by_block=True)
            planned = plan(service, design, by_block=True)
        missing = [] if alone else [f"{source.name} has none of these languages. Choose others."]
        return plan_of(design, planned, alone, missing, 0)

    def _look_at_plan(self) -> None:
        """In a thread of its own: of thousands of texts it takes a second, unless one drags on."""
        snapshot = self._bench.snapshot()
        key, source = self._plan_key(snapshot), self._services.chosen(snapshot)
        if source is None or not source.is_open or self.problem(snapshot):
            self._plan_wanted = None  # another design by now: the answer says what is wrong
            return
        if key == self._planned[0]:
            return
        wanted = _While(lambda: self._plan_wanted == key)
        try:
            made = self._made_plan(snapshot, source, wanted)
            wanted.checkpoint()
        except JobStopped:
            return  # another design by now, which is looked at in its turn
        except BiaslabError as error:
            made = problem_plan(prose(error), 0)
        self._planned = (key, made)
        self._bench.answer_again()

    def _power_key(self, snapshot: RatingBenchState) -> object:
        """What a power curve depends on: not on the size of blocks, which it varies."""
        names = ("attribute", "template", "repetitions", "equivalence_margin", "level", "minimum")
        shares = tuple((one["kind"], *one["shares"]) for one in snapshot.distributions)
        return (*(getattr(snapshot, name) for name in names), shares, bool(self.middles(snapshot)))

    # Commands.

    def _simulate(self, _args: Arguments) -> str:
        snapshot = self._bench.snapshot()
        with self._bench.computing:
            design, rules = self.design(snapshot), rules_of(snapshot)
            if len(design.middles) > 1:
                rules = replace(rules, without=())
            self._power.begin(self._power_key(snapshot), design, rules)
        return "The simulation has started."

    def _stop_simulating(self, _args: Arguments) -> str:
        return "Stopping." if self._power.stop() else "No simulation is running."

    def _preset(self, _args: Arguments) -> str:
        """The paper's design, with the service's own languages of those that the paper has."""
        design = RatingDesign.paper()
        snapshot = self._bench.snapshot()
        source = self._services.chosen(snapshot)
        have = () if source is None else source.languages
        middles = [language for language in design.middles if language in have]
        changed: dict[str, Any] = {
            "attribute": "gender",
            "template": design.template.name,
            "distributions": states_of(design.distributions),
            "texts": design.texts,
            "repetitions": design.repetitions,
        }
        if middles:
            changed["middles"] = middles
        self._bench.change(changed)
        self._bench.emit(changed)
        missing = [language for language in design.middles if language not in have]
        design_of = "The design of Srivastava and Rossi (2018)"
        if have and missing:
            return f"{design_of}, without {', '.join(missing)}, which the service does not have."
        return f"{design_of}."


class _While(JobContext):
    """Goes on for as long as somebody wants it."""

    def __init__(self, wanted: Callable[[], bool]) -> None:
        self._wanted = wanted

    def checkpoint(self) -> None:
        """Stop where nobody wants it any more."""
        if not self._wanted():
            raise JobStopped


def _design_key(snapshot: RatingBenchState) -> tuple[Any, ...]:
    names = ("attribute", "template", "texts", "repetitions", "seed")
    blocks = tuple((d["name"], d["kind"], *d["shares"]) for d in snapshot.distributions)
    return (*(getattr(snapshot, name) for name in names), tuple(snapshot.middles), blocks)


def _table(rule: CompositionRule) -> list[CompositionCell]:
    """All nine compositions by both rules; the reason is that of the chosen one."""
    both = {which: composition_table(which) for which in ("paper", "definition")}
    cells: list[CompositionCell] = []
    for paper, definition in zip(both["paper"], both["definition"], strict=True):
        chosen = paper if rule == "paper" else definition
        cells.append(
            {
                "first": rating_name(chosen.first),
                "second": rating_name(chosen.second),
                "paper": None if paper.rating is None else rating_name(paper.rating),
                "definition": None if definition.rating is None else rating_name(definition.rating),
                "differs": paper.differs,
                "reason": chosen.reason,
            }
        )
    return cells
