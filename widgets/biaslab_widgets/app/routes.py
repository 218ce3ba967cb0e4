"""Addresses of the app's own pages and of its JSON answers."""

from __future__ import annotations

from typing import Any, Final

from biaslab_widgets.app.compare import ComparableApi, CompareApi, CompareExportApi, ComparePage
from biaslab_widgets.app.handlers import SiteHandler
from biaslab_widgets.app.health import HealthHandler, MetricsHandler
from biaslab_widgets.app.help import HelpHandler
from biaslab_widgets.app.home import HomeHandler, TourHandler
from biaslab_widgets.app.report import ReportPage
from biaslab_widgets.app.run_page import RunPage
from biaslab_widgets.app.runs import (
    ChangeRunsApi,
    ExportApi,
    FoundRunsApi,
    PicturesApi,
    RunsApi,
    RunsPage,
)
from biaslab_widgets.app.site import Site
from biaslab_widgets.app.status import StatusHandler, StopHandler
from biaslab_widgets.app.subjects import SUBJECT_ROUTES

ROUTES: Final[tuple[tuple[str, type[SiteHandler]], ...]] = (
    (r"/?", HomeHandler),
    (r"/tour", TourHandler),
    (r"/help", HelpHandler),
    (r"/runs", RunsPage),
    (r"/run", RunPage),
    (r"/compare", ComparePage),
    (r"/report", ReportPage),
    (r"/api/runs", RunsApi),
    (r"/api/runs/found", FoundRunsApi),
    (r"/api/runs/pictures", PicturesApi),
    (r"/api/runs/export", ExportApi),
    (r"/api/runs/(delete|restore|tag|untag|rename|share|withdraw)", ChangeRunsApi),
    (r"/api/compare", CompareApi),
    (r"/api/compare/possible", ComparableApi),
    (r"/api/compare/export", CompareExportApi),
    *SUBJECT_ROUTES,
    (r"/healthz", HealthHandler),
    (r"/metrics", MetricsHandler),
    (r"/api/status", StatusHandler),
    (r"/api/jobs/([0-9]+)/stop", StopHandler),
)


def routes(site: Site) -> list[tuple[str, type[SiteHandler], dict[str, Any]]]:
    """Return the routes as Tornado takes them."""
    return [(pattern, handler, {"site": site}) for pattern, handler in ROUTES]
