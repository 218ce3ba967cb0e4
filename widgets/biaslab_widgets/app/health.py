"""What a monitor asks: whether the server answers, and how busy it is."""

from __future__ import annotations

import ipaddress
import os
import sys
from http import HTTPStatus
from pathlib import Path
from typing import Any

from tornado.web import HTTPError

from biaslab.access import current_access
from biaslab.jobs import JobStatus, abandoned, is_stuck, unfinished
from biaslab_widgets.app.counts import COUNTS
from biaslab_widgets.app.handlers import SiteHandler


class HealthHandler(SiteHandler):
    """Says that the server answers; asks nobody to sign in."""

    def get(self) -> None:
        """Answer at once; with 503 where jobs that cannot be ended hold up all others."""
        self.set_header("Cache-Control", "no-store")
        stuck = is_stuck()
        self.set_status(HTTPStatus.SERVICE_UNAVAILABLE if stuck else HTTPStatus.OK)
        self.finish({"status": "stuck" if stuck else "ok"})


class MetricsHandler(SiteHandler):
    """Counts of this process as OpenMetrics text, for the owner and monitors on this machine."""

    def get(self) -> None:
        """Answer with the counts as they are now."""
        if not (current_access().is_owner or self._is_from_this_machine()):
            raise HTTPError(HTTPStatus.FORBIDDEN, reason="Metrics are for the owner")
        self.set_header("Content-Type", "application/openmetrics-text; version=1.0.0")
        self.set_header("Cache-Control", "no-store")
        self.finish(open_metrics(self.application))

    def _is_from_this_machine(self) -> bool:
        if "X-Forwarded-For" in self.request.headers:  # a proxy here speaks for anybody
            return False
        try:
            return ipaddress.ip_address(self.request.remote_ip or "").is_loopback
        except ValueError:
            return False


def open_metrics(application: Any) -> str:
    """Return the counts of this process.

    Parameters
    ----------
    application : bokeh.server.tornado.BokehTornado
        Whose sessions are counted.
    """
    jobs = [job.status for job in unfinished()]
    sessions = sum(len(list(context.sessions)) for context in application._applications.values())
    gauges = {
        "biaslab_sessions": ("Open pages of benches", sessions),
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
