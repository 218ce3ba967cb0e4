"""Controller of the posterior bench: what a classifier imagines when it says a label."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from os import PathLike
from typing import Any, ClassVar

import biaslab as bl
from biaslab.errors import BiaslabError, JobCancelledError, JobError, MemoryBudgetError, QueryError
from biaslab.jobs.job import Job, JobStatus
from biaslab.jobs.memory import MEMORY, Held
from biaslab.jobs.processes import SubjectReference, heavy
from biaslab.probes.posterior import (
    Lexicon,
    LiveDraws,
    NearestReviews,
    PosteriorOverview,
    PosteriorResult,
    ReviewSpace,
    nearest_reviews,
    prepare,
    reread,
)
from biaslab.probes.posterior.group_distances import PERSONS
from biaslab.probes.posterior.overview_probe import beside
from biaslab.probes.posterior.overview_result import Located, locate
from biaslab.probes.posterior.size import bytes_of_draws, too_many_draws
from biaslab.records.result import Result
from biaslab.records.wording import prose
from biaslab.subjects.classifier.base import Classifier
from biaslab.subjects.embedding.base import EmbeddingSubject
from biaslab_widgets.benches.posterior.drawings import Drawings, SentDrawings, drawings
from biaslab_widgets.benches.posterior.exports import table_of
from biaslab_widgets.benches.posterior.fields import (
    COMPONENT,
    Picture,
    PosteriorBenchState,
    PriorOption,
)
from biaslab_widgets.benches.posterior.how import how_of
from biaslab_widgets.benches.posterior.run import Drawn, LiveRun, Settings, Shown
from biaslab_widgets.benches.posterior.view import OWN, picture_of, priors_of
from biaslab_widgets.core.answers.background import Background
from biaslab_widgets.core.answers.cache import Latest
from biaslab_widgets.core.bench.controller import Emit
from biaslab_widgets.core.bench.recorded import (
    not_of_this_bench,
    recorded_arguments,
    recorded_inputs,
)
from biaslab_widgets.core.bench.subject_bench import SubjectController
from biaslab_widgets.core.state.commands import Arguments
from biaslab_widgets.core.state.records import How, Message, dropped_term, error_message, message
from biaslab_widgets.core.subjects.opening import State
from biaslab_widgets.core.subjects.sources import Source
from biaslab_widgets.core.word_lists import Given, checked_lists, word_lists
from biaslab_widgets.core.word_marks import MarkedLists

PATIENCE_S = 10.0
AGAIN = {"label": "Run again", "command": "run"}
STOPPED = message("Stopped before the first draw", "Nothing else has changed.", AGAIN)
"""Nothing went wrong: this is no error."""
_COPIES = 2
"""A result arrives from the work process as one message, and is copied out of it."""
_READ = ("axes", "distance", "centre")
_SETTINGS = ("subject", "prior", "engine", "chains", "draws", "seed")


class PosteriorController(
    SubjectController[PosteriorBenchState, PosteriorOverview, Picture, Classifier]
):
    """Runs `biaslab.posterior.overview` when a person says so, and shows it while it runs.

    - `sources`: classifiers that can be chosen, by name.
    - `emit`: receives changed outputs.
    - `lists`: the two groups that are compared; default the persons of the Equity Evaluation
      Corpus.
    - `prior`: one of the person's own, offered beside the others.
    - `lexicon`: words with their polarity; default those of vaderSentiment.
    - `reviews`: where the person has reviews: those nearest to the posterior are shown.
    """

    component = COMPONENT
    runs_long: ClassVar[bool] = True

    def __init__(
        self,
        sources: Mapping[str, Source[Classifier]],
        emit: Emit,
        lists: Given = PERSONS,
        prior: Any = None,
        lexicon: Lexicon | str | PathLike[str] | None = None,
        reviews: str | PathLike[str] | None = None,
    ) -> None:
        super().__init__(sources, emit)
        self._own = prior
        self._lexicon = lexicon
        self._reviews = reviews
        self._prepared: Classifier | None = None
        self._runs = 0
        self._run: LiveRun | None = None
        self._drawing: Background[PosteriorOverview] = Background(self.answer_again)
        self._rereading: Background[PosteriorOverview] = Background(self.answer_again)
        self._nearest: Background[dict[str, NearestReviews]] = Background(self.answer_again)
        self._settings: Settings | None = None
        self._read_as: object = None
        self._version = 0
        self._drawn: dict[str, Drawn] = {}
        self._memory: Held | None = None  # of the result
        self._wanted_reading: object = None
        self._failure: tuple[str, Message] | None = None
        self._located: Latest[tuple[Located | None, str]] = Latest()
        self._drawings: Drawings | None = None
        self._sent = SentDrawings()
        self.lists = self.add(
            MarkedLists(lambda state: checked_lists(state.lists), self._words, self.snapshot)
        )
        self.commands |= {"run": self._start, "stop": self._stop}
        self.state["lists"] = word_lists(lists)
        self.at_close(self._give_memory_back)

    # What the subject offers.

    def opened(self, subject: Classifier, snapshot: PosteriorBenchState) -> dict[str, Any]:
        """Its labels and the priors that can be had of it."""
        if self._prepared is not subject:
            self._prepared = subject
            # So that pressing Run need not wait for imports.
            self.jobs.start(heavy(prepare), self._reference(snapshot))
        changed: dict[str, Any] = {}
        if snapshot.label not in subject.labels:
            changed["label"] = "positive" if "positive" in subject.labels else subject.labels[-1]
        if list(subject.labels) != snapshot.labels:
            changed["labels"] = list(subject.labels)
        priors = priors_of(subject, self._own)
        if priors != snapshot.priors:
            changed["priors"] = priors
        keys = [p["key"] for p in priors]
        if snapshot.prior not in keys:
            changed["prior"] = keys[0]
        return changed

    def _words(self, snapshot: PosteriorBenchState) -> EmbeddingSubject | None:
        """The classifier's own words."""
        subject = self.subject(snapshot)
        return None if subject is None else subject.words

    # The run.

    def key(self, snapshot: PosteriorBenchState) -> object:
        """What a run depends on, and how it is read."""
        return (_settings(snapshot), self._reading_of(snapshot))

    def _reading_of(self, snapshot: PosteriorBenchState) -> object:
        lists = tuple((w["name"], *w["terms"]) for w in checked_lists(snapshot.lists))
        return (*(getattr(snapshot, name) for name in _READ), lists)

    def missing(self, subject: Classifier, snapshot: PosteriorBenchState) -> Message | None:  # noqa: ARG002
        """Nothing is drawn of a classifier before a person says so."""
        if self._run is None and not self._has_run(snapshot) and not self._why_none(snapshot):
            text = "Press Run: draws appear within a second."
            return message("Nothing has been drawn yet", text, {"label": "Run", "command": "run"})
        return None

    def ask(self, subject: Classifier, snapshot: PosteriorBenchState) -> PosteriorOverview:  # noqa: ARG002
        """The overview of the last run.

        Raises `QueryError` while the first run goes on.
        """
        if self._result is None:
            raise QueryError("The first run is still going. Wait for it, or stop it.")
        return self._result

    def show(self, subject: Classifier, snapshot: PosteriorBenchState) -> dict[str, Any]:
        """The picture of the run that goes on, or of the last one."""
        if (nothing := self.missing(subject, snapshot)) is not None:
            self._picture = None  # that of another classifier
            return self.without_picture(snapshot, "empty", nothing)
        if not self._going and self._has_run(snapshot):
            self._follow(subject, snapshot)
        if not self._going and not self._has_run(snapshot):
            self._picture = None  # of the run that failed: it would say that it goes on
            notice = self._why_none(snapshot)
            return self.without_picture(snapshot, state_of(notice), notice)
        if self._run is not None:  # perhaps of a classifier that was chosen before
            subject = self.opening.sources[self._run.settings.subject].open()
        shown = self._shown(subject, snapshot)
        self._picture = picture_of(shown, snapshot)
        self._drawings = drawings(shown, self._picture, snapshot)
        notice = None if self._going else self._why_none(snapshot)
        answer = self.without_picture(snapshot, state_of(notice) if notice else "ready", notice)
        if notice is None and shown.overview is not None and shown.overview.failure:
            text = shown.overview.failure
            answer["message"] = message("The run failed half way", text, AGAIN)
        groups = None if shown.overview is None else shown.overview.reading.groups.get(shown.label)
        if groups is not None:
            answer["dropped"] = [dropped_term(d) for d in groups.dropped]
        return answer

    @property
    def _going(self) -> bool:
        return self._run is not None

    def _has_run(self, snapshot: PosteriorBenchState) -> bool:
        """Whether the last run was of the classifier on the screen."""
        of = None if self._settings is None else self._settings.subject
        return self._result is not None and of == snapshot.subject

    def _why_none(self, snapshot: PosteriorBenchState) -> Message | None:
        """Why the last run of the classifier on the screen gave nothing."""
        of, notice = self._failure or ("", None)
        return notice if of == snapshot.subject else None

    def answer(self, snapshot: PosteriorBenchState) -> dict[str, Any]:
        """The picture, and with it traces and clouds where they have changed."""
        outputs = super().answer(snapshot)
        made, self._drawings = self._drawings, None
        return outputs if made is None else outputs | self._sent.changed(made)

    def start(self) -> Job[Any]:
        """Begin a run with what is on the screen; the last one's draws are a warm start.

        Raises `QueryError` when there is no subject, or a run goes on already.
        """
        snapshot = self.snapshot()
        source = self.opening.sources.get(snapshot.subject)
        if source is None:
            raise QueryError("Choose a classifier first.")
        if self._run is not None:
            raise QueryError("A run is already in progress. Wait for it, or stop it first.")
        subject = source.open()
        return self._begin(subject, snapshot)

    def _reference(self, snapshot: PosteriorBenchState) -> SubjectReference[Classifier]:
        return self.opening.sources[snapshot.subject].reference()

    def _begin(self, subject: Classifier, snapshot: PosteriorBenchState) -> Job[Any]:
        settings = _settings(snapshot)
        label = self._label(subject, snapshot)
        labels = (label, beside(subject, label))
        # What can be wrong on the screen is found before the run is there.
        options, reading = self._reading_options(snapshot), self._reading_of(snapshot)
        memory = self._memory_for(settings, len(labels), subject.dim)
        run = LiveRun(self._runs + 1, settings, labels, subject.dim, memory)
        run.start = self._warm(settings)
        self._runs, self._run, self._failure = run.number, run, None
        job = self.jobs.start_awaited(
            heavy(bl.posterior.overview, ("hook", "on_oracles")),
            self._reference(snapshot),
            label,
            prior=self._own if settings.prior == OWN else settings.prior,
            prior_width=settings.width,
            engine=settings.engine,
            chains=settings.chains,
            draws=settings.draws,
            rng=settings.seed,
            start=run.start,
            hook=lambda one, live: self._take_draws(run, one, live),
            on_oracles=lambda oracles: self._take_oracles(run, oracles),
            **options,
        )
        self._rereading.forget()
        self._wanted_reading = reading
        self._drawing.begin(run.number, job, partial(self._ended, run, reading, subject))
        self.answer_again()
        return job

    def _memory_for(self, settings: Settings, labels: int, dim: int) -> Held:
        """The memory of a run, held before it begins.

        Raises `QueryError` when there is too little; names the largest run that fits.
        """
        size = bytes_of_draws(settings.chains, settings.draws, dim)
        times = labels * _COPIES
        try:
            return MEMORY.hold(times * size, self.jobs.owner)
        except MemoryBudgetError as error:
            why = too_many_draws(settings.chains, settings.draws, dim, error.free, times)
            raise QueryError(why) from error

    def _give_memory_back(self) -> None:
        self._memory = None

    def _warm(self, settings: Settings) -> PosteriorOverview | None:
        """The last run, where only the prior or the number of draws differs."""
        if self._result is None or self._settings is None:
            return None
        alike = replace(
            self._settings,
            prior=settings.prior,
            width=settings.width,
            draws=settings.draws,
            seed=settings.seed,
        )
        moves = settings.engine in ("vectorised", "choices") and settings != self._settings
        return self._result if moves and alike == settings else None

    def _reading_options(self, snapshot: PosteriorBenchState) -> dict[str, Any]:
        groups = {w["name"]: w["terms"] for w in checked_lists(snapshot.lists)}
        return {
            "axes": snapshot.axes,
            "distance": snapshot.distance,
            "centre": snapshot.centre,
            "groups": groups,
            "lexicon": self._lexicon,
        }

    def _take_draws(self, run: LiveRun, label: str, live: LiveDraws) -> None:
        run.add(label, live)
        self.answer_again()

    def _take_oracles(self, run: LiveRun, oracles: Mapping[str, PosteriorResult]) -> None:
        run.oracles = oracles
        self.answer_again()

    def _ended(
        self, run: LiveRun, reading: object, subject: Classifier, job: Job[PosteriorOverview]
    ) -> None:
        name = run.settings.subject
        with self.computing:
            try:
                result = job.result()
                self._take(result, reading)
                run.memory.resize(_bytes_of(result))
                self._memory = run.memory
                self._settings = run.settings
                self._drawn = {n: Drawn.of(one) for n, one in result.posteriors.items()}
                if self._reviews is not None:
                    posteriors = dict(result.posteriors)
                    reading_job = self.jobs.start(_nearest, subject, posteriors, self._reviews)
                    self._nearest.begin(run.number, reading_job)
            except JobCancelledError:
                self._failure = (name, STOPPED)
            except BiaslabError as error:
                # A run that a person stops early says that it has no draws: nothing went wrong.
                notice = error_message(error, "The run has no draws")
                self._failure = (name, STOPPED if job.was_stopped else notice)
            except Exception as error:  # noqa: BLE001  # the person is told, whatever it was
                text = f"{type(error).__name__}: {error}"
                self._failure = (name, message("The run failed", text, AGAIN))
            if self._run is run:
                self._run = None
            if self._memory is not run.memory:
                run.memory.close()
            run.forget()
        run.ended.set()

    def _why_no_reviews(self) -> str:
        if self._result is None:
            return ""
        if self._reviews is None:
            return "Load a file of reviews to see the ones nearest to these draws."
        if self._nearest.running:
            return "Reading the reviews…"
        return self._nearest.problem("Reading the reviews was stopped. Run again to read them.")

    def _follow(self, subject: Classifier, snapshot: PosteriorBenchState) -> None:
        """Draw anew when only the prior's width has moved; read anew when that is enough."""
        if self._result is None or self._settings is None:
            return
        settings = _settings(snapshot)
        wide = replace(self._settings, width=settings.width)
        moved = settings != self._settings and settings == wide
        if moved and not self._result.partial and self._why_none(snapshot) is None:
            self._begin(subject, snapshot)
            return
        wanted = self._reading_of(snapshot)
        if wanted in (self._read_as, self._wanted_reading):
            return
        self._wanted_reading, self._failure = wanted, None
        options = self._reading_options(snapshot)
        job = self.jobs.start(reread, self._result, subject, **options)
        self._rereading.begin(wanted, job, partial(self._reread, wanted, settings.subject))

    def _reread(self, reading: object, name: str, job: Job[PosteriorOverview]) -> None:
        with self.computing:
            if job.exception is not None:
                notice = error_message(JobError(str(job.exception)), "This could not be read")
                self._failure = (name, notice)
            elif job.status is not JobStatus.DONE:
                text = "It was stopped; the draws are unchanged. Run again, or choose another."
                self._failure = (name, message("This was not computed", text, AGAIN))
            else:
                self._take(job.result(), reading)

    def _take(self, result: PosteriorOverview, reading: object) -> None:
        """Show this result from now on."""
        self._result, self._read_as = result, reading
        self._version += 1

    # The picture.

    def _label(self, subject: Classifier, snapshot: PosteriorBenchState) -> str:
        label: str = snapshot.label
        return label if label in subject.labels else subject.labels[-1]

    def paint(self, result: PosteriorOverview, snapshot: PosteriorBenchState) -> dict[str, Any]:
        """Not used: `show` paints runs that go on, too."""
        raise NotImplementedError

    @property
    def has_run(self) -> bool:
        """See the base: draws."""
        return super().has_run or self._drawing.job is not None

    @property
    def result(self) -> PosteriorOverview:
        """The result of what is on the screen.

        Raises `QueryError` while a run goes on, or when there was none.
        """
        run = self._run
        job = self._drawing.job
        if run is not None and job is not None and (job.finished or job.stopping):
            # Whoever has waited for the job, or has stopped it, finds its result here.
            run.ended.wait(PATIENCE_S)
        if self._going:
            raise QueryError("A run is in progress. Wait for it, or stop it: its draws are kept.")
        return super().result

    def _shown(self, subject: Classifier, snapshot: PosteriorBenchState) -> Shown:
        """What the picture is made of."""
        label = self._label(subject, snapshot)
        run = self._run
        overview = self._result if run is None else None
        settings = self._settings if run is None else run.settings
        assert settings is not None  # noqa: S101  # there is a run, or there was one
        located, reason = self._locate(overview, subject, label, snapshot.word)
        unknown: PriorOption = {"key": settings.prior, "name": settings.prior, "text": ""}
        known = {option["key"]: option for option in priors_of(subject, self._own)}
        return Shown(
            subject=subject,
            label=label,
            number=self._runs,
            version=self._version,
            run=run,
            overview=overview,
            draws=self._drawn if run is None else run.drawn(label),
            settings=settings,
            stale=run is None and settings != _settings(snapshot),
            prior=known.get(settings.prior, unknown),
            located=located,
            word_reason=reason,
            near=(self._nearest.result or {}).get(label),
            near_reason=self._why_no_reviews(),
        )

    def _locate(
        self, overview: PosteriorOverview | None, subject: Classifier, label: str, word: str
    ) -> tuple[Located | None, str]:
        """The picked word, or why it is not there."""
        if overview is None or label not in overview.posteriors or not word.strip():
            return None, ""

        def located() -> tuple[Located | None, str]:
            try:
                return locate(overview, subject, label, word.strip()), ""
            except BiaslabError as error:
                return None, prose(error)

        return self._located.of((self._version, label, word), located)

    # What a person takes along, and commands.

    def how(self, snapshot: PosteriorBenchState) -> How:
        """From the posterior to distances, of the run that the picture shows."""
        with self.computing:
            overview = None if self._going else self._result
            return how_of(overview, self.state["answer"]["picture"], snapshot.subject)

    def file_stem(self, result: PosteriorOverview) -> str:
        """The probe and its label."""
        label = next(iter(result.posteriors))
        return f"posterior-{''.join(c if c.isalnum() else '-' for c in label)}"

    def table(self, result: PosteriorOverview, what: str) -> str:
        """``diagnostics`` (default), ``words``, ``groups`` or ``draws`` of the label shown.

        Raises `QueryError` when there is no such table; says why.
        """
        return table_of(result, self.snapshot().label, what)

    def inputs_of_run(self) -> dict[str, Any]:
        """Return the inputs, with the settings of the run where the screen has others now."""
        inputs = super().inputs_of_run()
        if (made := self._settings) is None:
            return inputs
        settings = {name: getattr(made, name) for name in _SETTINGS}
        return inputs | settings | {"prior_width": made.width}

    def inputs_for(self, result: Result) -> dict[str, Any]:
        """See the base."""
        if not isinstance(result, PosteriorOverview):
            raise not_of_this_bench(self.component, result)
        inputs = recorded_inputs(self.component, recorded_arguments(result))
        one = result.posteriors[result.label]
        drawn = {"chains": one.chains, "draws": one.n_draws, "subject": result.provenance.subject}
        return {**inputs, **drawn, "label": result.label}

    def is_incomplete(self, result: Result) -> bool:  # noqa: ARG002
        """See the base."""
        return self._picture is not None and self._picture["run"]["partial"]

    def take_stored(self, result: Result) -> bool:
        """Show the stored draws."""
        if not isinstance(result, PosteriorOverview):
            return False
        with self.computing:
            snapshot = self.snapshot()
            self._runs += 1
            self._settings = _settings(snapshot)
            self._wanted_reading = self._reading_of(snapshot)
            self._drawn = {name: Drawn.of(one) for name, one in result.posteriors.items()}
            self._memory = MEMORY.hold(_bytes_of(result), self.jobs.owner)
            self._take(result, self._wanted_reading)
        self.answer_again()
        return True

    def _start(self, _args: Arguments) -> str:
        self.start()
        return ""

    def _stop(self, args: Arguments) -> str:
        if not self._drawing.abort():
            return self.opening.stop(args)
        return "The draws so far are kept."


def state_of(notice: Message | None) -> State:
    """Whether a message is on an error, or on what a person did."""
    return "empty" if notice is STOPPED else "error"


def _settings(snapshot: PosteriorBenchState) -> Settings:
    return Settings(
        snapshot.subject,
        snapshot.prior,
        float(snapshot.prior_width),
        snapshot.engine,
        int(snapshot.chains),
        int(snapshot.draws),
        int(snapshot.seed),
    )


def _bytes_of(result: PosteriorOverview) -> int:
    return sum(bytes_of_draws(*one.draws.shape) for one in result.posteriors.values())


def _nearest(
    subject: Classifier, posteriors: Mapping[str, PosteriorResult], path: Any
) -> dict[str, NearestReviews]:
    """The reviews nearest to each posterior's mean; the file is read once."""
    space = ReviewSpace.read(subject, path)
    return {label: nearest_reviews(subject, one, space) for label, one in posteriors.items()}
