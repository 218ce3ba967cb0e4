"""Serve the app on this machine."""

from __future__ import annotations

import asyncio
import gc
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import panel as pn
from tornado.ioloop import PeriodicCallback

from biaslab.files.private import make_private, private_files
from biaslab.jobs.memory import MEMORY
from biaslab.jobs.workers import OWN_MACHINE, SERVED, JobLimits, set_job_limits
from biaslab.network import guard_connections
from biaslab.people.access import (
    NOBODY,
    OWNER,
    acting_as,
    current_access,
    owner_folder,
    set_access_otherwise,
)
from biaslab.people.disk import (
    KINDS,
    OF_ONE,
    DiskLimits,
    disk_limits,
    expire_visitors,
    mark_used,
    set_disk_limits,
    size_of,
)
from biaslab_widgets.app.assets import FOLDERS, frame_heights
from biaslab_widgets.app.library.shared import Given, Shared
from biaslab_widgets.app.pages.compare import (
    ComparableApi,
    CompareApi,
    CompareExportApi,
    ComparePage,
)
from biaslab_widgets.app.pages.handlers import NotFoundHandler, SiteHandler
from biaslab_widgets.app.pages.home import HelpHandler, HomeHandler, TourHandler
from biaslab_widgets.app.pages.reopening import reopen, settings_of, show_first_run
from biaslab_widgets.app.pages.runs import (
    ChangeRunsApi,
    ExportApi,
    FoundRunsApi,
    PicturesApi,
    ReportPage,
    RunPage,
    RunsApi,
    RunsPage,
)
from biaslab_widgets.app.pages.status import (
    HealthHandler,
    LeaveHandler,
    MetricsHandler,
    StatusHandler,
    StopHandler,
)
from biaslab_widgets.app.pages.subjects import SUBJECT_ROUTES
from biaslab_widgets.app.pages.trajectory import TrajectoryExportApi, TrajectoryPage
from biaslab_widgets.app.people import COOKIE, DAYS, KNOWN_COOKIE, OAUTH_COOKIE, folder_of
from biaslab_widgets.app.security.foreign_pages import CookiesInFrames, Origins, send_safe_headers
from biaslab_widgets.app.security.gate import Gate
from biaslab_widgets.app.security.limits import PAGE_BYTES, PER_ADDRESS, Connections, Requests
from biaslab_widgets.app.security.logs import FILE as AUDIT_FILE
from biaslab_widgets.app.security.logs import AuditLog, keep_log_clean, keep_log_short, log_to_file
from biaslab_widgets.app.security.server_paths import hide_paths
from biaslab_widgets.app.server_options import ServeError, SignIn, open_in_browser, refusals
from biaslab_widgets.app.several_processes import OwnPlace
from biaslab_widgets.app.shell import shell, template
from biaslab_widgets.app.site import Site
from biaslab_widgets.app.visits import LINGER_S, LOOK_S, OpenBench
from biaslab_widgets.benches import BENCHES, BenchEntry
from biaslab_widgets.core.list_uses import ADDRESS, inputs_with
from biaslab_widgets.core.state.inputs import inputs_of_address
from biaslab_widgets.hosts.bokeh_socket import BenchSocket, use_bench_sockets
from biaslab_widgets.hosts.nodelay import send_bokeh_at_once

ROUTES: Final[tuple[tuple[str, type[SiteHandler]], ...]] = (
    (r"/?", HomeHandler),
    (r"/tour", TourHandler),
    (r"/help", HelpHandler),
    (r"/runs", RunsPage),
    (r"/run", RunPage),
    (r"/compare", ComparePage),
    (r"/trajectory", TrajectoryPage),
    (r"/report", ReportPage),
    (r"/api/runs", RunsApi),
    (r"/api/runs/found", FoundRunsApi),
    (r"/api/runs/pictures", PicturesApi),
    (r"/api/runs/export", ExportApi),
    (r"/api/runs/(delete|restore|tag|untag|rename|share|withdraw)", ChangeRunsApi),
    (r"/api/compare", CompareApi),
    (r"/api/compare/possible", ComparableApi),
    (r"/api/compare/export", CompareExportApi),
    (r"/api/trajectory/export", TrajectoryExportApi),
    *SUBJECT_ROUTES,
    (r"/healthz", HealthHandler),
    (r"/metrics", MetricsHandler),
    (r"/api/status", StatusHandler),
    (r"/api/left", LeaveHandler),
    (r"/api/jobs/([0-9]+)/stop", StopHandler),
)


def routes(site: Site) -> list[tuple[str, type[SiteHandler], dict[str, Any]]]:
    """Return the routes as Tornado takes them."""
    return [(pattern, handler, {"site": site}) for pattern, handler in ROUTES]


_PORTS = range(65536)


@private_files()
def serve(
    subjects: Given | Iterable[Given] | None = None,
    *,
    port: int = 5006,
    address: str = "127.0.0.1",
    open_browser: bool = False,
    allow_hub: bool = False,
    people: SignIn | None = None,
    limits: JobLimits | None = None,
    disk: DiskLimits | None = None,
    log_file: Path | None = None,
    **options: Any,
) -> None:
    """Serve the lab; blocks until interrupted.

    - `subjects`: what can be probed; default all bundled ones. Each is loaded once and shared by
      all sessions.
    - `port`: port; 0 takes a free one.
    - `address`: address to listen on. Anything but 127.0.0.1 lets others in.
    - `open_browser`: whether to open a browser window.
    - `allow_hub`: whether the page of subjects may fetch models from the hub.
    - `people`: who may use the app, and over what connection. By default whoever has the token of
      the address that is printed, as the owner.
    - `limits`: how much one person's jobs may take. By default `biaslab.jobs.workers.SERVED` where
      others reach the app, and on the own machine no limit of time.
    - `disk`: how much people's folders may take, and how long those of visitors are kept. By
      default `disk_of_server` where others reach the app.
    - `log_file`: file of the log, which is rotated.
    - `**options`: passed on to ``panel.serve``.
    - Raises `ServeError` if others could reach the app without signing in and nobody said that they
      may, or if the address or the port cannot be used.
    """
    sign_in = people or SignIn()
    sign_in.check(address)
    if port not in _PORTS:
        raise ServeError(f"{port} is no port. Choose one from 1 to 65535, or 0 for a free one.")
    origins = Origins(sign_in.allow_origin)
    keep_log_clean()
    if log_file is not None:
        log_to_file(log_file)
    send_bokeh_at_once()
    use_bench_sockets()
    pn.config.reconnect = True
    lingering = {
        # The browser tries again after 0, 2 and 6 seconds.
        "unused_session_lifetime_milliseconds": int(1000 * LINGER_S),
        "check_unused_sessions_milliseconds": int(1000 * LOOK_S),
        "verbose": False,
    }
    make_private(owner_folder())
    site = Site(Shared.of(subjects), people=sign_in.people(address), hub=allow_hub)
    set_job_limits(limits or (OWN_MACHINE if site.people.is_owners_alone else SERVED))
    if not site.people.is_owners_alone:
        limit_others(disk or disk_of_server())
        # Before the server starts a thread: work that lost its person may do nothing.
        set_access_otherwise(NOBODY)
        AuditLog(owner_folder() / AUDIT_FILE)
        guard_connections()
    folders = {name: str(folder) for name, folder in FOLDERS.items()}
    place = OwnPlace.of_environment()
    listening = place.server_options() if place else sign_in.listening(address, port)
    with refusals(address, port):
        server = pn.serve(
            {entry.slug: page_maker(entry, site) for entry in BENCHES},
            allow_websocket_origin=sign_in.origins(address, port),
            show=False,
            static_dirs={**folders, **options.pop("static_dirs", {})},
            title={e.slug: f"{e.title} · biaslab" for e in BENCHES},
            extra_patterns=[*routes(site), *sign_in.routes(site.people)],
            start=False,
            # Who a person is stays between their browser and the gate.
            exclude_cookies=[COOKIE, KNOWN_COOKIE, OAUTH_COOKIE],
            exclude_headers=["Cookie", "Authorization"],
            # Nobody makes up a session, or the request that it began with.
            sign_sessions=True,
            secret_key=site.people.secret.encode(),
            **lingering | sign_in.server_options() | listening | options,
        )
    application = server._tornado
    application.settings["default_handler_class"] = NotFoundHandler
    Gate(application, site.people, proxies=sign_in.proxies, origins=origins, sessions=site.sessions)
    Requests(application, [f"/{entry.slug}" for entry in BENCHES])
    # A proxy, from whose address all come, limits what one of them may do.
    Connections(server._http, per_address=None if sign_in.proxies else PER_ADDRESS)
    hide_paths(application)
    if site.people.sign_in:
        BenchSocket.admits = staticmethod(site.people.holds)
        server.io_loop.asyncio_loop.call_soon(BenchSocket.watch, LOOK_S)
    send_safe_headers(application, sign_in.framed_by, behind_proxy=sign_in.proxies > 0)
    if place:
        place.join(server)
    if sign_in.framed_by:
        application.add_transform(CookiesInFrames)  # last: others set the cookies
    if not site.people.is_owners_alone:
        with acting_as(OWNER):
            site.shared.open_bundled()
    keep_log_short()
    if disk_limits().keep_days is not None:
        keep_expiring(site)
    # Libraries stay: no later collection has to go through their objects, which takes 0.4 s.
    gc.collect()
    gc.freeze()
    server.start()
    if place is None and sign_in.unix_socket is None:
        shown = sign_in.address_to_open(address, server.port)
        print(f"Serving at {shown}", flush=True)  # noqa: T201  # how else would one know it
        if open_browser:
            open_in_browser(shown)
    server.io_loop.start()


def limit_others(disk: DiskLimits) -> None:
    """Limit the memory and the disk of people who reach the app from elsewhere."""
    MEMORY.set_limits()
    set_disk_limits(disk)


def disk_of_server() -> DiskLimits:
    """Return the usual limits: half of the disk that is free, in addition to what people hold."""
    folder = owner_folder()
    folder.mkdir(parents=True, exist_ok=True)
    held = sum(size_of(folder / kind) for kind in KINDS)
    return DiskLimits(OF_ONE, held + shutil.disk_usage(folder).free // 2, DAYS)


def keep_expiring(site: Site) -> None:
    """Delete the folders of visitors who stay away, now and once an hour."""

    def expire() -> None:
        here = {folder_of(access.user) for access in list(site.sessions.values())}
        expire_visitors(owner_folder(), here, disk_limits().keep_days or 0.0)

    expire()
    PeriodicCallback(lambda: asyncio.to_thread(expire), 3600 * 1000).start()


def page_maker(entry: BenchEntry, site: Site) -> Callable[[], pn.Template]:
    """A function that makes one session's page of a bench; Panel takes plain functions only."""

    def page() -> pn.Template:
        page = pn.Template(template("bench.html"))
        page.add_variable("shell", shell(entry.slug, site.counts()))
        address = pn.state.session_args
        bench = entry.panel_class.on_page(site.shared)
        bench.controller.know(site.subjects.infos())
        first = settings_of(bench)
        lists = inputs_with(entry.slug, address.get(ADDRESS, []))
        is_taken = not lists and go_on_with_run(bench, entry, site, address)
        reopened = None if is_taken else reopen(bench, entry, site.store, address)
        if not is_taken and not is_named(entry, address):
            first_run = show_first_run(bench)
            reopened = None if bench.waits else first_run
        page.add_variable("reopened", reopened)
        if lists:
            bench.reopen(lists, None)
        page.add_variable("inputs", {"first": first, "now": settings_of(bench)})
        bench.controller.jobs.title = entry.title
        bench.controller.jobs.owner = current_access().user
        remember_session(site)
        if not is_taken:
            choose_subject(bench, address.get("subject", []))
        frame = entry.frame
        page.add_variable("frame", frame)
        page.add_variable("heights", frame_heights(entry.name))
        page.add_variable("question", frame.question(bench.controller.snapshot()))
        page.add_panel("bench", bench)
        return page

    return page


def is_named(entry: BenchEntry, address: Mapping[str, Sequence[bytes]]) -> bool:
    """Whether an address names a run, a subject or any setting of the bench."""
    names = {"run", "subject", *(field.name for field in entry.component.inputs)}
    return not names.isdisjoint(address)


def go_on_with_run(
    bench: Any, entry: BenchEntry, site: Site, address: Mapping[str, Sequence[bytes]]
) -> bool:
    """Let a page show the run of a page that its person has left; whether it does so at once.

    A page that is loaded again comes before the old one has closed its connection: then it does
    so when the browser has drawn it, and until then says that the run is coming. A run stays away
    from an address that names other settings.
    """
    visits, person = site.visits, current_access().user
    context = pn.state.curdoc and pn.state.curdoc.session_context
    one = OpenBench(person, entry.slug, bench, context)
    bench.when_left = lambda: visits.close(one)
    named = inputs_of_address(entry.component, address)
    named |= subject_in(bench, address.get("subject", []))

    def take() -> bool:
        if address.get("run"):
            return False
        controller = visits.take(person, entry.slug, named)
        if controller is not None:
            bench.adopt(controller)
        return controller is not None

    is_taken = take()
    if not is_taken:
        if not address.get("run") and visits.may_come(person, entry.slug, named):
            bench.wait_for_run()
        pn.state.onload(lambda: take() or bench.show_own())
    visits.open(one)
    return is_taken


def remember_session(site: Site) -> None:
    """Note whose page the session is that is being made; see `gate.Gate`."""
    document = pn.state.curdoc
    if document is None or document.session_context is None:
        return
    session = str(document.session_context.id)
    if (home := current_access().home) is not None:
        mark_used(home)
    site.sessions[session] = current_access()
    held = MEMORY.hold(PAGE_BYTES)

    def left(_context: Any) -> None:
        site.sessions.pop(session, None)
        held.close()

    document.on_session_destroyed(left)


def choose_subject(bench: Any, subjects: Sequence[bytes]) -> None:
    """Choose the subject that the page's address names, where the app knows it.

    Of one that does not fit, the bench says why.
    """
    for choice, value in subject_in(bench, subjects).items():
        setattr(bench, choice, value)


def subject_in(bench: Any, subjects: Sequence[bytes]) -> dict[str, Any]:
    """Return the input that chooses the subject of an address, with its value; empty without."""
    name = subjects[-1].decode("utf-8", "replace") if subjects else ""
    if name not in bench.controller.known:
        return {}
    inputs = {field.name for field in bench.component.inputs}
    values = (("subject", name), ("models", [name]), ("service", name))
    return dict([one for one in values if one[0] in inputs][:1])
