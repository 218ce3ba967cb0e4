"""Controller of the rating bench: runs of services, re-rated by what is on the screen."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

from biaslab.errors import BiaslabError, QueryError
from biaslab.jobs.job import Job
from biaslab.probes.rating import (
    MiddleGender,
    RatingDesign,
    RatingResult,
    Rules,
    middle_gender,
    predicted_against_measured,
)
from biaslab.probes.rating.compose import CompositionRule
from biaslab.probes.rating.ratings import Rating
from biaslab.records.result import Result
from biaslab.records.wording import prose
from biaslab.services import language_name
from biaslab_widgets.benches.rating.design import inputs_of_design, inputs_of_rules, rules_of
from biaslab_widgets.benches.rating.detail import Details, finding_of, language_of
from biaslab_widgets.benches.rating.exports import card, stem, table
from biaslab_widgets.benches.rating.fields import (
    COMPONENT,
    Composed,
    DistributionState,
    LanguageDetail,
    LanguageFinding,
    RatingAnswer,
    RatingBenchState,
    RatingPicture,
)
from biaslab_widgets.benches.rating.how import how_of
from biaslab_widgets.benches.rating.run import ReRated, Run, Shown, run_rating
from biaslab_widgets.benches.rating.services import OfferedServices, ServiceSource
from biaslab_widgets.benches.rating.setup import RatingSetup
from biaslab_widgets.benches.rating.view import picture_of, rating_name, stamp_name
from biaslab_widgets.core.answers.background import Background
from biaslab_widgets.core.answers.cache import Latest
from biaslab_widgets.core.bench.controller import Controller, Emit
from biaslab_widgets.core.bench.model_tests import Tests
from biaslab_widgets.core.bench.recorded import not_of_this_bench
from biaslab_widgets.core.state.commands import Arguments, Content, code_of, file
from biaslab_widgets.core.state.fields import empty
from biaslab_widgets.core.state.records import How, Message, error_message, message
from biaslab_widgets.core.subjects.opening import Opening, State

logger = logging.getLogger("biaslab")
_RUN = {"label": "Run", "command": "run"}
_AGAIN = {"label": "Try again", "command": "retry"}
_WAITS = "The middle texts are analysed when the run has ended."


class RatingController(Controller[RatingBenchState]):
    """Runs `biaslab.rate`, and rates what was answered anew with every change.

    - `sources`: services that can be chosen, by name.
    - `emit`: receives changed outputs.
    - `design`: what to begin with; by default that of the paper.
    - `environment`: whether a description of a service may name environment variables of this
      machine; see `OfferedServices`.
    - `setup`: the design.
    """

    component = COMPONENT
    obeys_first: ClassVar[bool] = True
    runs_long: ClassVar[bool] = True
    private: ClassVar[tuple[str, ...]] = ("key", "toml")

    def __init__(
        self,
        sources: Mapping[str, ServiceSource],
        emit: Emit,
        design: RatingDesign | None = None,
        *,
        environment: bool = True,
    ) -> None:
        super().__init__(emit)
        self.opening: Opening[Any] = Opening(
            sources,
            self.jobs,
            self.answer_again,
            chosen_by="service",
            words=("Starting", "Started"),
        )
        self.services = OfferedServices(self, self.opening, environment=environment)
        self.setup = RatingSetup(self, self.services, design)
        self._tests: Tests[Run] = Tests(self.answer_again, self.jobs.start_waiting)
        self._ran: dict[tuple[str, str], Run] = {}
        self._put_away: dict[tuple[str, str], Run] = {}
        self._rerated = ReRated()
        self._details = Details()
        self._middles: dict[tuple[int, int, str], Background[MiddleGender | str]] = {}
        self._picture: RatingPicture | None = None
        self._composed: Latest[list[Composed]] = Latest()
        self.state |= {
            "service": self.opening.first,
            "subjects": self.opening.options,
            **self.setup.first_state(self.state["composition"]),
        }
        self.commands |= {
            **self.opening.commands,
            **self.services.commands,
            **self.setup.commands,
            "run": self._run,
            "stop": self._stop,
            "retry": self._retry,
            "card": self._card,
            "csv": self._csv,
            "json": self._json,
            "code": lambda _args: code_of([self.result]),
            "save": self._save,
            "start-again": lambda _args: self.start_again(),
            "bring-back": lambda _args: self._bring_back(),
        }

    # The answer.

    def answer(self, snapshot: RatingBenchState) -> dict[str, Any]:
        """Everything that has changed."""
        with self.computing:
            outputs = self.opening.outputs([snapshot.service], snapshot)
            outputs |= self.setup.fit(replace(snapshot, **outputs))
            snapshot = replace(snapshot, **outputs)
            try:
                return {**outputs, **self.setup.outputs(snapshot), **self._answered(snapshot)}
            except BiaslabError as error:
                notice = error_message(error)
            except Exception as error:
                logger.exception("The rating bench could not compute its view.")
                notice = error_message(error, "This could not be computed")
            return {**outputs, "answer": self._with_picture(snapshot, "error", notice)}

    def _answered(self, snapshot: RatingBenchState) -> dict[str, Any]:
        run = self._run_on_screen(snapshot)
        detail, finding = empty(LanguageDetail), empty(LanguageFinding)
        if run is None:
            self._picture = None
        else:
            shown = self._shown(run, snapshot)
            if shown.result is not None and shown.result.routes:
                chosen = language_of(shown.result, snapshot.language)
                middle = self._middle(shown, shown.result, chosen)
                detail = self._details.of(shown, chosen, snapshot.block, middle)
                finding = finding_of(shown, chosen)
            self._picture = picture_of(
                shown,
                self._languages(shown.run, shown.running, snapshot),
                self._shares_on_screen(shown, snapshot),
                finding,
                stale=not shown.running and self._stale(run, snapshot),
                seconds_left=self._tests.seconds_left if shown.running else None,
            )
        made = {"detail": detail, "composed": self._composites(snapshot)}
        outputs = {name: value for name, value in made.items() if value != getattr(snapshot, name)}
        state, notice = self._state(snapshot, run)
        return {**outputs, "answer": self._with_picture(snapshot, state, notice)}

    def _with_picture(
        self, snapshot: RatingBenchState, state: State, notice: Message | None
    ) -> RatingAnswer:
        """An answer with the newest valid picture, which stays through errors."""
        return {
            **empty(RatingAnswer),
            "generation": snapshot.generation,
            "state": state,
            "message": notice,
            "picture": self._picture,
        }

    def _state(self, snapshot: RatingBenchState, run: Run | None) -> tuple[State, Message | None]:
        if run is not None and (run.running or run.result is not None):
            return "ready", None
        if run is not None and run.failure and not run.stopped:
            name = run.source.name
            return "error", message(f"{name} could not be rated", run.failure, _AGAIN)
        source = self.services.chosen(snapshot)
        if source is not None and not source.is_open:
            return self.opening.not_open(source)
        if source is None and (
            notice := self.why_not(snapshot.service, "service", self.opening.first)
        ):
            return "empty", notice
        if source is None and snapshot.service:
            problem = self.setup.problem(snapshot)
            return "error", message("Unknown service", problem)
        text = "Press Run: the cells fill as answers come."
        return "empty", message("Nothing has been run yet", text, _RUN)

    def how(self, snapshot: RatingBenchState) -> How:
        """From the counts of the block that is looked at to the rating of its language."""
        with self.computing:
            run = self._run_on_screen(snapshot)
            whole = None if run is None else self._shown(run, snapshot).whole
            if run is None or whole is None:
                return how_of(None, "", "", 0)
            language = language_of(whole, snapshot.language)
            return how_of(whole, run.source.name, language, snapshot.block)

    # What is on the screen.

    def _run_on_screen(self, snapshot: RatingBenchState) -> Run | None:
        """The run that goes on; else the last one of this service and attribute."""
        if self._tests.run is not None and self._tests.running:
            return self._tests.run
        return self._ran.get((snapshot.service, snapshot.attribute))

    def _languages(self, run: Run, running: bool, snapshot: RatingBenchState) -> tuple[str, ...]:
        """Languages that have a row: those that are chosen, of those that the run has."""
        if running:
            return run.languages
        chosen = tuple(one for one in run.languages if not one or one in snapshot.middles)
        return chosen or run.languages

    def _same_blocks(self, run: Run, snapshot: RatingBenchState) -> bool:
        """Whether the blocks on the screen are those of the run, but for their shares."""
        here: list[DistributionState] = snapshot.distributions
        there = run.design.distributions
        return len(here) == len(there) and all(
            one["kind"] == other.kind and len(one["shares"]) == len(other.shares)
            for one, other in zip(here, there, strict=True)
        )

    def _shown(self, run: Run, snapshot: RatingBenchState) -> Shown:
        """The run by the rules and the shares on the screen; the last valid ones through errors."""
        running = run.running  # before what is answered, so that what has ended is whole
        languages = self._languages(run, running, snapshot)
        if running:
            return self._rerated.of(run, True, run.rules, None, languages)
        shares = None
        if self._same_blocks(run, snapshot):
            given = [tuple(float(s) for s in one["shares"]) for one in snapshot.distributions]
            shares = given if all(abs(sum(one) - 1) <= 1e-6 for one in given) else None
        rules = rules_of(snapshot)
        rules.check(run.attribute)
        return self._rerated.of(run, False, rules, shares, languages)

    def _shares_on_screen(
        self, shown: Shown, snapshot: RatingBenchState
    ) -> list[DistributionState] | None:
        """The blocks that the picture is rated by, called as on the screen."""
        if shown.result is None:
            return None
        rated = shown.result.distributions
        here: list[DistributionState] = snapshot.distributions
        same = len(here) == len(rated) and all(
            tuple(one["shares"]) == other.shares and one["kind"] == other.kind
            for one, other in zip(here, rated, strict=True)
        )
        if same:
            return [{**one, "shares": list(one["shares"])} for one in here]
        return [{"name": d.name, "kind": d.kind, "shares": list(d.shares)} for d in rated]  # type: ignore[typeddict-item]  # one of two

    def _stale(self, run: Run, snapshot: RatingBenchState) -> bool:
        """Whether running again would ask something else."""
        if run.source.name != snapshot.service:
            return True
        try:
            design = self.setup.design(snapshot)
        except BiaslabError:
            return True
        there = run.design
        if set(design.middles) - set(there.middles):
            return True
        blocks = [(one.kind, one.shares) for one in design.distributions]
        if blocks != [(one.kind, one.shares) for one in there.distributions]:
            return True
        # Texts take a while to write, and follow from the rest.
        alike = replace(design, distributions=there.distributions, middles=there.middles) == there
        return not alike and design.all_texts != there.all_texts

    # Gender in the middle text is read by Apertium's programs, which takes a while.

    def _middle(
        self, shown: Shown, result: RatingResult, language: str
    ) -> MiddleGender | str | None:
        if not language or result.design.attribute.name != "gender":
            return ""
        route = result.routes[result.languages.index(language)]
        if route.responses.middle is None:
            return ""
        if shown.running:
            return _WAITS
        key = (shown.run.number, shown.version, language)
        if key not in self._middles:
            self._middles[key] = Background(self.answer_again)
            self._middles[key].begin(key, self.jobs.start(_read_middle, result, language))
        reading = self._middles[key]
        return reading.problem("The analysis was stopped.") or reading.result

    # Two services in a row.

    def _composites(self, snapshot: RatingBenchState) -> list[Composed]:
        """Composites that were run, each beside what follows from its parts."""
        rule = snapshot.composition
        rules = rules_of(snapshot)
        key = (rule, rules, tuple((k, run.version) for k, run in self._ran.items()))
        return self._composed.of(
            key,
            lambda: [
                composed
                for run in self._ran.values()
                for composed in self._composite(run, rule, rules)
            ],
        )

    def _composite(self, run: Run, rule: CompositionRule, rules: Rules) -> list[Composed]:
        if not run.source.composite or run.result is None or run.running:
            return []
        names = run.source.composite
        parts = [self._ran.get((name, run.attribute.name)) for name in names]
        composed: list[Composed] = []
        whole = run.result.re_rate(rules=rules)
        for language in run.complete:
            ratings = []
            for part in parts:
                if part is None or part.result is None:
                    return []
                # A part without languages is the same through all of them.
                own = language if language in part.complete else ""
                if own in part.complete:
                    ratings.append(part.result.re_rate(rules=rules).rating(own))
            if len(ratings) < len(parts):
                continue
            measured = whole.rating(language)
            first, second = ratings
            # From an open rating nothing follows.
            one, two, both = (
                str(each.corrected if each.shown else Rating.NOT_RATEABLE)
                for each in (first, second, measured)
            )
            comparison = predicted_against_measured(one, two, both, rule)
            predicted = comparison.predicted.rating
            composed.append(
                {
                    "first": f"{names[0]} ({first.stamp})",
                    "second": f"{names[1]} ({second.stamp})",
                    "language": language_name(language) if language else "",
                    "predicted": None if predicted is None else rating_name(predicted),
                    "measured": stamp_name(measured.possible),
                    "agrees": comparison.agrees if measured.shown else None,
                }
            )
        return composed

    # Runs.

    def run(self) -> Job[RatingResult | None]:
        """Ask the chosen service everything on the screen; what the store has is not asked again.

        Raises `BiaslabError` when the design cannot be run, or a run goes on already; the message
        says what to do.
        """
        snapshot = self.snapshot()
        source = self.services.chosen(snapshot)
        if source is None:
            name = snapshot.service
            problem = f"There is no service “{name}”" if name else "No service is chosen"
            raise QueryError(f"{problem}: choose one.")
        source.open()  # of a service that starts, once
        with self.computing:
            number = self._tests.next_number()
            fitted = self.setup.fit(snapshot)
            self.emit(fitted)
            snapshot = replace(snapshot, **fitted)
            attribute = self.setup.attribute(snapshot)
            source.asked(attribute)
            rules = rules_of(snapshot)
            rules.check(attribute)
            run = Run(number, source, attribute, self.setup.design(snapshot), rules)
            self._ran[source.name, attribute.name] = run
            job = self._tests.begin(run, run_rating)
            job.on_done(lambda _finished: self._over())
        self.answer_again()
        return job

    def _over(self) -> None:
        with self.computing:
            self.setup.forget_plan()
        self.answer_again()

    # What a person takes along.

    @property
    def has_run(self) -> bool:
        """See the base: a test."""
        return super().has_run or self._tests.job is not None

    @property
    def result(self) -> RatingResult:
        """The result of what is on the screen, rated by its rules and shares.

        Raises `QueryError` while a run goes on, or when there was none of this service.
        """
        if self._tests.run is not None:
            self._last()
        snapshot = self.snapshot()
        with self.computing:
            run = self._run_on_screen(snapshot)
            if run is None:
                raise QueryError("Nothing has been run yet: press Run, or call run().")
            shown = self._shown(run, snapshot)
        if shown.result is None:
            raise QueryError(run.failure or "There are no answers. Run it again.")
        return shown.result

    def _last(self) -> None:
        try:
            self._tests.last()
        except QueryError:
            problem = "A run is in progress. Wait for it, or stop it: its answers are kept."
            raise QueryError(problem) from None

    @property
    def results(self) -> dict[str, RatingResult]:
        """Each service's last result about what is on the screen, by name.

        Raises `QueryError` while a run goes on.
        """
        if self._tests.run is not None:
            self._last()
        about = self.snapshot().attribute
        with self.computing:
            return {
                name: run.result
                for (name, attribute), run in self._ran.items()
                if attribute == about and run.result is not None
            }

    # Commands.

    def _run(self, _args: Arguments) -> str:
        self._refuse_what_is_not_open()
        self.run()
        return ""

    def _stop(self, args: Arguments) -> str:
        if self._tests.stop():
            return "Finished answers are kept."
        return self.opening.stop(args)

    def _retry(self, args: Arguments) -> str:
        text = self.opening.retry(args)
        source = self.services.chosen(self.snapshot())
        if source is not None and source.is_open:
            self.run()
        return text

    def _card(self, args: Arguments) -> Content:
        ending, media_type, text = card(self.result, str(args.get("format") or "html"))
        return file(f"{self._stem()}-card.{ending}", media_type, text)

    def _csv(self, args: Arguments) -> Content:
        what = str(args.get("what") or "texts")
        return file(f"{self._stem()}-{what}.csv", "text/csv", table(self.result, what))

    def _json(self, _args: Arguments) -> Content:
        return file(f"{self._stem()}.json", "application/json", self.result.to_json())

    def _save(self, args: Arguments) -> str:
        return f"Saved as run {self.save_run(self.result, str(args.get('label', '')))}."

    def inputs_for(self, result: Result) -> dict[str, Any]:
        """See the base."""
        if not isinstance(result, RatingResult):
            raise not_of_this_bench(self.component, result)
        return {
            "service": result.service,
            **inputs_of_design(result.design),
            **inputs_of_rules(result.rules),
        }

    def is_incomplete(self, result: Result) -> bool:  # noqa: ARG002
        """See the base."""
        run = self._run_on_screen(self.snapshot())
        return run is not None and run.stopped

    def take_stored(self, result: Result) -> bool:
        """Show the stored answers as the last run of their service."""
        source = self.services.chosen(self.snapshot())
        if not isinstance(result, RatingResult) or source is None:
            return False
        with self.computing:
            attribute = result.design.attribute
            run = Run(
                self._tests.next_number(), source, attribute, result.design, result.rules, result
            )
            run.end()
            run.seconds = result.provenance.seconds
            self._ran[source.name, attribute.name] = run
        self.answer_again()
        return True

    def _refuse_what_is_not_open(self) -> None:
        """Opening takes long, and a command is obeyed by the thread that answers all benches."""
        source = self.services.chosen(self.snapshot())
        if source is not None and not source.is_open:
            error = self.opening.failure(source.name)
            raise QueryError(str(error or f"{source.name} is still starting. Run it afterwards."))

    def start_again(self) -> str:
        """Put the results away; the design stays, and the store has the answers."""
        with self.computing:
            self._tests.forget()
            if self._ran:
                self._put_away = dict(self._ran)
            self._ran.clear()
            self._middles.clear()
            self._rerated, self._details = ReRated(), Details()
            self._picture = None
        chosen = {"language": "", "block": 0}
        self.change(chosen)
        self.emit(chosen)
        return "The design is unchanged, and every answer is kept."

    def _bring_back(self) -> str:
        """Undo `start_again`: the last results of every service are shown."""
        with self.computing:
            self._tests.bring_back()
            self._ran |= self._put_away
        self.answer_again()
        return "The results are back."

    def _stem(self) -> str:
        return stem(self.snapshot().service)


def _read_middle(result: RatingResult, language: str, context: Any = None) -> MiddleGender | str:  # noqa: ARG001
    try:
        return middle_gender(result, language)
    except BiaslabError as error:
        return prose(error)
