"""Subjects that are opened in the background when they are chosen: what stands there meanwhile."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, Generic, Literal

from biaslab.errors import SubjectError
from biaslab.jobs import Job, JobContext, JobStatus
from biaslab.progress import JobProgress
from biaslab_widgets.core.controller import B, Controller, Emit
from biaslab_widgets.core.messages import done, message
from biaslab_widgets.core.records import Command, Message, Progress, Reply
from biaslab_widgets.core.sources import S, Source

State = Literal["empty", "loading", "ready", "cannot-say", "error"]


class OpeningController(Controller[B], Generic[B, S]):
    """Offers subjects and opens the chosen one in the background.

    Its component has the fields of `bench_fields`.

    Parameters
    ----------
    sources : mapping of str to Source
        Subjects that can be chosen, by name; one that is not open yet is opened in the background.
    emit : callable
        Receives changed outputs.
    """

    def __init__(self, sources: Mapping[str, Source[S]], emit: Emit) -> None:
        super().__init__(emit)
        self._sources = dict(sources)
        self._jobs: dict[str, Job[S]] = {}
        self._failed: dict[str, BaseException] = {}
        self._progress: Progress = self.component.by_name["progress"].initial()
        self.state |= {
            **self.first_choice(),
            "subjects": [s.option for s in self._sources.values()],
        }

    @abstractmethod
    def first_choice(self) -> dict[str, Any]:
        """The inputs that say what is chosen at first."""

    @abstractmethod
    def wanted(self, snapshot: B) -> list[str]:
        """Names of the chosen subjects; those that are none of the bench's do not count."""

    def _wanted_sources(self, snapshot: B) -> list[Source[S]]:
        return [self._sources[name] for name in self.wanted(snapshot) if name in self._sources]

    def opened(
        self,
        subject: S,  # noqa: ARG002
        snapshot: B,  # noqa: ARG002
    ) -> dict[str, Any]:
        """Inputs to set when a chosen subject is open, such as the words that it knows."""
        return {}

    def subject_opens_within(self, seconds: float) -> bool:
        """Whether what is chosen is open; waits so long while another thread opens it."""
        chosen = self._wanted_sources(self.snapshot())
        return bool(chosen) and all(source.opens_within(seconds) for source in chosen)

    def _opened_meanwhile(self, snapshot: B) -> dict[str, Any]:
        """Begin to open what is chosen; once it is open, tell about it."""
        chosen = self._wanted_sources(snapshot)
        for source in chosen:
            if not source.is_open:
                self._open_in_background(source)
        ready = [source for source in chosen if source.is_open]
        changed: dict[str, Any] = {}
        if ready:
            options = [s.option for s in self._sources.values()]
            if options != snapshot.subjects:
                changed["subjects"] = options
        for source in ready:
            inputs = self.opened(source.open(), snapshot)
            with self._lock:
                # What a person has chosen meanwhile stays.
                changed |= {
                    n: v for n, v in inputs.items() if self.state[n] == getattr(snapshot, n)
                }
        return changed

    def not_open(self, source: Source[S]) -> tuple[State, Message]:
        """What stands there while a subject is not open: that it loads, or why it did not."""
        name = source.name
        if (error := self._failed.get(name)) is not None:
            others = [
                {"label": f"Use {other.name}", "set": {"subject": other.name}}
                for other in self._sources.values()
                if other.is_open
            ]
            again = {"label": "Try again", "command": "retry"}
            told = message(f"{name} could not be opened", str(error), *others[:1], again)
            return "error", told
        stop = {"label": "Stop", "command": "stop"}
        return "loading", message(f"Loading {name}", "Loaded once, then shared.", stop)

    def _open_in_background(self, source: Source[S]) -> None:
        name = source.name
        if name in self._jobs or name in self._failed:
            return
        job = self._jobs[name] = self.jobs.start(_open, source)
        job.on_progress(self._show_progress)
        job.on_done(lambda finished: self._opened(finished, name))

    # The job's thread holds the subject's lock, for which a host's thread may be waiting: outputs
    # come from the live worker only.
    def _show_progress(self, progress: JobProgress) -> None:
        self._progress = {
            "done": progress.done,
            "total": progress.total or 0,
            "message": progress.message,
            "seconds_left": progress.seconds_left,
        }
        self.change({})

    def _opened(self, job: Job[S], name: str) -> None:
        if job.status in (JobStatus.CANCELLED, JobStatus.ABORTED):
            self._failed[name] = SubjectError("Opening was stopped. Nothing else has changed.")
        elif (error := job.exception) is not None:
            self._failed[name] = error
        self._jobs.pop(name, None)
        self._progress = self.component.by_name["progress"].initial()
        self.change({})

    def obey(self, command: Command) -> Reply:
        """Carry out ``stop`` or ``retry``."""
        number, name = command["id"], command["name"]
        if name == "stop":
            for job in list(self._jobs.values()):
                job.cancel()
            return done(number, "Stopping.")
        if name == "retry":
            self._failed.clear()
            self.change({})
            return done(number, "Trying again.")
        raise ValueError(f"Unknown command {name!r}.")


def _open(source: Source[S], context: JobContext | None = None) -> S:
    context = context or JobContext()

    def on_progress(read: int, total: int | None) -> None:
        context.checkpoint()
        context.report(read, total, "words read")

    return source.open(on_progress)
