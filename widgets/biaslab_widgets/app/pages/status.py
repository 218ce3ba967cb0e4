"""What the status line and monitors ask: jobs, health and metrics of this process."""

from __future__ import annotations

import os
import sys
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final, TypedDict

from tornado.web import HTTPError

from biaslab.jobs.job import Job, JobStatus, abandoned, is_stuck, unfinished
from biaslab.people.access import current_access
from biaslab_widgets.app.pages.handlers import ApiHandler, SiteHandler
from biaslab_widgets.app.security.gate import COUNTS, token_of
from biaslab_widgets.benches import BENCHES

_TITLES: Final = {entry.slug: entry.title for entry in BENCHES}
_SLUGS: Final = {title: slug for slug, title in _TITLES.items()}


class ShownJob(TypedDict):
    """A job on the status line.

    ``title`` is that of its bench, ``address`` where its person finds it again, empty for others;
    ``place`` its place in the line from 1 (0 while it runs);
    ``message`` is empty for the job of another visitor. ``seconds_left`` of one that waits is how
    long the last ones of its kind took. ``is_run`` tells what a person waits for from what a bench
    computes beside it.
    """

    id: int
    title: str
    address: str
    mine: bool
    place: int
    is_run: bool
    stopping: bool
    message: str
    done: float
    total: float
    seconds_left: float | None


LONGEST_PAGE: Final = 64
"""Characters of the name that a page gives itself."""


class StatusHandler(ApiHandler):
    """Jobs of this process."""

    def get(self) -> None:
        """Answer with the jobs that run, then those that wait, and the navigation's numbers.

        ``kept`` are benches whose run goes on or has ended, and that no page of the person shows.
        """
        visitor, visits = current_access().user, self.site.visits
        if page := self.get_query_argument("page", "")[:LONGEST_PAGE]:
            visits.seen(visitor, page)
        shown = [_shown(job, visitor) for job in unfinished()]
        kept = [{"title": _TITLES[slug], "address": slug} for slug in visits.kept(visitor)]
        self.answer({"jobs": shown, "kept": kept, "counts": self.site.counts()})


class LeaveHandler(ApiHandler):
    """Takes the last word of a page."""

    def post(self) -> None:
        """Note that it was closed: runs end where it was the person's last."""
        self.site.visits.left(current_access().user, str(self.body().get("page", "")))
        self.answer({})


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
    title = job.group.title if job.group else ""
    return {
        "id": job.id,
        "title": title or "A notebook or script",
        "address": _SLUGS.get(title, "") if mine else "",
        "mine": mine,
        "place": job.place,
        "is_run": job.group is None or job in job.group.awaited,
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


class HealthHandler(SiteHandler):
    """Says that the server answers; asks nobody to sign in."""

    def get(self) -> None:
        """Answer at once; with 503 where jobs that cannot be ended hold up all others."""
        self.set_header("Cache-Control", "no-store")
        stuck = is_stuck()
        self.set_status(HTTPStatus.SERVICE_UNAVAILABLE if stuck else HTTPStatus.OK)
        self.finish({"status": "stuck" if stuck else "ok"})


class MetricsHandler(SiteHandler):
    """Counts of this process as OpenMetrics text, for the owner and monitors with the token."""

    def get(self) -> None:
        """Answer with the counts as they are now."""
        is_monitor = self.site.people.knows_token(token_of(self.request))
        if not (current_access().is_owner or is_monitor):
            raise HTTPError(HTTPStatus.FORBIDDEN, reason="Metrics are for the owner")
        self.set_header("Content-Type", "application/openmetrics-text; version=1.0.0")
        self.set_header("Cache-Control", "no-store")
        self.finish(open_metrics(self.application, self.site.visits.count()))


def open_metrics(application: Any, kept: int = 0) -> str:
    """Return the counts of this process.

    - `application`: whose sessions are counted.
    - `kept`: benches whose run no page shows.
    """
    jobs = [job.status for job in unfinished()]
    sessions = sum(len(list(context.sessions)) for context in application._applications.values())
    gauges = {
        "biaslab_sessions": ("Open pages of benches", sessions),
        "biaslab_benches_kept": ("Benches with a run that no page shows", kept),
        "biaslab_jobs_running": ("Jobs that run", jobs.count(JobStatus.RUNNING)),
        "biaslab_jobs_queued": ("Jobs that wait in line", jobs.count(JobStatus.QUEUED)),
        "biaslab_jobs_abandoned": ("Threads of stopped jobs that go on", abandoned()),
    }
    if resident := resident_memory():
        gauges["biaslab_resident_memory_bytes"] = ("Resident memory", resident)
    if peak := peak_memory():
        gauges["biaslab_peak_memory_bytes"] = ("Largest resident memory so far", peak)
    counters = {
        "biaslab_answers": ("Messages to pages", COUNTS.answers),
        "biaslab_refusals": ("Requests that were refused", COUNTS.refusals),
    }
    lines = []
    for name, (about, value) in counters.items():
        lines += [f"# TYPE {name} counter", f"# HELP {name} {about}", f"{name}_total {value}"]
    for name, (about, value) in gauges.items():
        lines += [f"# TYPE {name} gauge", f"# HELP {name} {about}", f"{name} {value}"]
    return "\n".join([*lines, "# EOF", ""])


def resident_memory() -> int:
    """Return the resident memory of this process, in bytes; 0 where it is not known."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, AttributeError):
        return 0


def peak_memory() -> int:
    """Return the largest resident memory of this process, in bytes; 0 where it is not known."""
    try:
        import resource
    except ImportError:  # on Windows
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else 1024 * peak
