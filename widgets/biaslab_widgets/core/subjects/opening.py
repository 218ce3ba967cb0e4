"""Subjects that a person chooses: opened in the background, or why the bench cannot ask them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Generic, Literal
from urllib.parse import quote

from biaslab.errors import BiaslabError, SubjectError
from biaslab.jobs.job import Job, JobContext, JobGroup, JobStatus
from biaslab.jobs.progress import JobProgress
from biaslab.records.wording import prose
from biaslab.subjects.opening.inspection import SubjectInfo, inspect
from biaslab.subjects.opening.load import bundled_names
from biaslab.subjects.opening.names import own_subject
from biaslab.subjects.opening.needs import Fit, group_of
from biaslab_widgets.core.state.bench_state import NO_PROGRESS, BenchState, job_progress
from biaslab_widgets.core.state.commands import Act, Arguments
from biaslab_widgets.core.state.records import Message, Misfit, SubjectOption, message
from biaslab_widgets.core.subjects.sources import S, Source

State = Literal["empty", "loading", "ready", "cannot-say", "error"]


class OpeningStopped(SubjectError):
    """A person has stopped the opening of a subject: nothing went wrong."""


class Opening(Generic[S]):
    """The subjects that a bench offers, each of which is opened when it is chosen.

    - `sources`: subjects that can be chosen, by name.
    - `jobs`: those of the bench.
    - `changed`: lets the bench answer again; called from any thread.
    - `chosen_by`: the input that names the chosen one.
    - `words`: how the screen calls opening: "Loading", and "Loaded" once it is over.
    - `sources`: replaced, never changed, so that another thread may go through it.
    - `progress`: of the work that a bench shows on its line of progress.
    """

    def __init__(
        self,
        sources: Mapping[str, Source[S]],
        jobs: JobGroup,
        changed: Callable[[], object],
        *,
        chosen_by: str = "subject",
        words: tuple[str, str] = ("Loading", "Loaded"),
    ) -> None:
        self.sources = dict(sources)
        self.progress = NO_PROGRESS
        self._group, self._changed = jobs, changed
        self._chosen_by, self._words = chosen_by, words
        self._jobs: dict[str, Job[S]] = {}

    @property
    def first(self) -> str:
        """Name of the first subject; empty where there is none."""
        return next(iter(self.sources), "")

    @property
    def options(self) -> list[SubjectOption]:
        """What the selector shows."""
        return [source.option for source in self.sources.values()]

    def add(self, source: Source[S]) -> None:
        """Offer another subject."""
        self.forget_failure(source.name)
        self.sources = {**self.sources, source.name: source}

    def remove(self, name: str) -> None:
        """Offer a subject no longer."""
        self.sources = {n: source for n, source in self.sources.items() if n != name}

    def subject(self, name: str) -> S | None:
        """A subject that is open; None while it is not, or where there is none of that name."""
        source = self.sources.get(name)
        return source.subject if source is not None and source.is_open else None

    def subjects(self, names: Iterable[str]) -> list[S]:
        """Those of these subjects that are open."""
        subjects = (self.subject(name) for name in names)
        return [subject for subject in subjects if subject is not None]

    def open_within(self, names: Iterable[str], seconds: float) -> bool:
        """Whether these are open; waits so long for each that another thread is opening."""
        chosen = self._known(names)
        return bool(chosen) and all(source.opens_within(seconds) for source in chosen)

    def outputs(self, names: Iterable[str], snapshot: BenchState) -> dict[str, Any]:
        """Begin to open these; what has changed of ``subjects`` and ``progress``."""
        changed: dict[str, Any] = {}
        chosen = self._known(names)
        for source in self.sources.values():
            source.use(self, chosen=source in chosen)
        for source in chosen:
            if not source.is_open:
                self._begin(source)
        options = self.options
        if options != snapshot.subjects and any(source.is_open for source in chosen):
            changed["subjects"] = options
        if (progress := self.progress) != snapshot.progress:
            changed["progress"] = progress
        return changed

    def failure(self, name: str) -> BaseException | None:
        """Why a subject could not be opened; None where it was not tried, or is being opened."""
        job = self._jobs.get(name)
        if job is None or not job.finished:
            return None
        if job.status in (JobStatus.CANCELLED, JobStatus.ABORTED):
            return OpeningStopped("Opening was stopped. Nothing else has changed.")
        return job.exception

    def forget_failure(self, name: str) -> None:
        """Let a subject that could not be opened be tried again."""
        if self.failure(name) is not None:
            self._jobs.pop(name, None)

    def not_open(self, source: Source[S]) -> tuple[State, Message]:
        """What stands there while a subject is not open: that it loads, or why it did not."""
        name, (now, past) = source.name, self._words
        if (error := self.failure(name)) is not None:
            stopped = isinstance(error, OpeningStopped)
            others = [
                {"label": f"Use {other.name}", "set": {self._chosen_by: other.name}}
                for other in self.sources.values()
                if other.is_open
            ]
            again = {"label": "Try again", "command": "retry"}
            what = f"Opening {name} was stopped" if stopped else f"{name} could not be opened"
            notice = message(what, prose(error), *others[:1], again)
            return "empty" if stopped else "error", notice
        stop = {"label": "Stop", "command": "stop"}
        return "loading", message(f"{now} {name}", f"{past} once, then shared.", stop)

    @property
    def commands(self) -> dict[str, Act]:
        """``stop`` and ``retry``."""
        return {"stop": self.stop, "retry": self.retry}

    def stop(self, _args: Arguments) -> str:
        """Stop opening."""
        for job in list(self._jobs.values()):
            job.cancel()
        return "Stopping."

    def retry(self, _args: Arguments) -> str:
        """Try again to open what could not be opened."""
        for name in list(self._jobs):
            self.forget_failure(name)
        self._changed()
        return "Trying again."

    # A job's thread holds the subject's lock, for which a host's thread may be waiting: outputs
    # come from the live worker only.
    def show_progress(self, progress: JobProgress | None) -> None:
        """Show how far work is on the bench's line of progress; None when it is over."""
        self.progress = job_progress(progress)
        self._changed()

    def _known(self, names: Iterable[str]) -> list[Source[S]]:
        sources = self.sources
        return [sources[name] for name in names if name in sources]

    def _begin(self, source: Source[S]) -> None:
        if source.name in self._jobs:
            return
        start = self._group.start_waiting if source.is_remote else self._group.start_light
        job = self._jobs[source.name] = start(_open, source)
        job.on_progress(self.show_progress)
        job.on_done(lambda ended: self._ended(ended, source.name))

    def _ended(self, job: Job[S], name: str) -> None:
        if job.status is JobStatus.DONE:
            self._jobs.pop(name, None)
        self.show_progress(None)


def _open(source: Source[S], context: JobContext | None = None) -> S:
    context = context or JobContext()

    def on_progress(read: int, total: int | None) -> None:
        context.checkpoint()
        context.report(read, total, "words read")

    return source.open(on_progress)


def misfits_of(bench: str, infos: Iterable[SubjectInfo]) -> list[Misfit]:
    """Return those subjects that a bench cannot ask.

    - `bench`: name of its front-end module, such as "word-lists".
    - Returns: empty for a bench that asks nothing.
    """
    misfits = (_misfit(bench, info) for info in infos)
    return [one for one in misfits if one is not None]


def why_not(
    name: str, bench: str, known: Sequence[Misfit], back: Mapping[str, Any] | None
) -> Message | None:
    """Return the message on a subject that was named and does not fit; None where it fits.

    - `name`: what was named.
    - `bench`: name of the bench's front-end module.
    - `known`: of the app; in a notebook empty, and the subject is looked up in the library.
    - `back`: the action that leads back to a subject that fits; None where there is none.
    """
    misfit = next((one for one in known if one["name"] == name), None) or _looked_up(name, bench)
    if misfit is None:
        return None
    text = f"This bench {misfit['reason']}; {name} is {_with_article(misfit['what'])}."
    actions: list[Mapping[str, Any]] = []
    if misfit["bench"]:
        text += f" Ask it in {misfit['bench']}."
        actions.append(
            {"label": f"Open {misfit['bench']}", "page": f"{misfit['page']}?subject={quote(name)}"}
        )
    if back is not None:
        actions.append(back)
    return message(f"{name} does not fit this bench", text, *actions)


def _looked_up(name: str, bench: str) -> Misfit | None:
    if name in bundled_names() or own_subject(name) is not None:
        with suppress(BiaslabError, OSError):
            return _misfit(bench, inspect(name))
    return None


def _misfit(bench: str, info: SubjectInfo) -> Misfit | None:
    here = next((fit for fit in info.questions if _slug(fit) == bench), None)
    if here is None or here.fits:
        return None
    other = next((fit for fit in info.questions if fit.fits), None)
    return {
        "name": info.name,
        "group": group_of(info.kind),
        "what": info.kind_title,
        "reason": here.reason,
        "bench": "" if other is None else other.name.replace("_", " ").capitalize(),
        "page": "" if other is None else _slug(other),
    }


def _slug(fit: Fit) -> str:
    return fit.name.replace("_", "-")


def _with_article(what: str) -> str:
    return f"{'an' if what[:1].lower() in 'aeiou' else 'a'} {what}"
