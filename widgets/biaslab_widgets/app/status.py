"""What the status line shows: running and waiting jobs."""

from __future__ import annotations

from http import HTTPStatus
from typing import TypedDict

from tornado.web import HTTPError

from biaslab.access import current_access
from biaslab.jobs import Job, unfinished
from biaslab_widgets.app.handlers import ApiHandler


class ShownJob(TypedDict):
    """A job on the status line.

    ``title`` is that of its bench, ``place`` its place in the line from 1 (0 while it runs);
    ``message`` is empty for the job of another visitor. ``seconds_left`` of one that waits is how
    long the last ones of its kind took.
    """

    id: int
    title: str
    mine: bool
    place: int
    stopping: bool
    message: str
    done: float
    total: float
    seconds_left: float | None


class StatusHandler(ApiHandler):
    """Jobs of this process."""

    def get(self) -> None:
        """Answer with the jobs that run, then those that wait, and the navigation's numbers."""
        visitor = current_access().user
        shown = [_shown(job, visitor) for job in unfinished()]
        self.answer({"jobs": shown, "counts": self.site.counts()})


class StopHandler(ApiHandler):
    """Stops a job of this visitor."""

    def post(self, number: str) -> None:
        """Stop a job; it keeps what it has."""
        for job in unfinished():
            if job.id == int(number):
                if not _is_of(job, current_access().user):
                    raise HTTPError(HTTPStatus.FORBIDDEN, reason="This job is somebody else's")
                job.abort()
        self.answer({})


def _shown(job: Job[object], visitor: str) -> ShownJob:
    mine, progress = _is_of(job, visitor), job.progress
    return {
        "id": job.id,
        "title": (job.group and job.group.title) or "A notebook or script",
        "mine": mine,
        "place": job.place,
        "stopping": job.stopping,
        "message": progress.message if mine else "",
        "done": progress.done,
        "total": progress.total or 0,
        "seconds_left": job.seconds_left,
    }


def _is_of(job: Job[object], visitor: str) -> bool:
    """Whether a visitor may stop a job: it is theirs, or nobody's."""
    owner = job.group.owner if job.group else ""
    return owner in ("", visitor)
