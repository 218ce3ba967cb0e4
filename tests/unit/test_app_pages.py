"""The app's pages beside benches and runs: home, help, the way to nowhere, the status line."""

from __future__ import annotations

import json
import re
import tempfile
import threading
from html import escape
from http import HTTPStatus
from unittest.mock import patch

import biaslab as bl
from biaslab.jobs.job import JobGroup
from biaslab.store import Store
from biaslab_widgets.app.assets import first_run
from biaslab_widgets.app.library.shared import Shared
from biaslab_widgets.app.site import Site
from biaslab_widgets.benches import BENCHES
from biaslab_widgets.core.glossary import GLOSSARY
from harness.emitted import PATIENCE_S, observers
from harness.site_test import SiteTest


class PagesTest(SiteTest):
    """The app's own pages over an empty store."""

    def site(self) -> Site:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.store = Store(folder.name)
        return Site(Shared.of(observers()), self.store)

    def page(self, address: str, status: int = HTTPStatus.OK) -> str:
        answer = self.fetch(address)
        assert answer.code == status, answer.body
        return answer.body.decode()

    def test_home_asks_the_question_of_each_bench(self) -> None:
        text = self.page("/")
        for entry in BENCHES:
            assert entry.question in text
            settings = "" if entry.opens_with_run else entry.first_settings
            query = f"?{escape(settings)}" if settings else ""
            assert f'href="{entry.slug}{query}"' in text
        assert "A bench keeps a run when you press Save run" in text
        assert text.count("<h1") == 1

    def test_home_names_a_bench_without_a_first_run(self) -> None:
        assert first_run("of-no-bench") is None
        with patch("biaslab_widgets.app.pages.home.first_run", lambda _name: None):
            text = self.page("/")
        assert all(entry.question in text for entry in BENCHES)

    def test_home_shows_the_last_runs(self) -> None:
        for word in ("nurse", "teacher", "electrician", "librarian"):
            self.store.save(bl.two_afc(observers(), [word], [("woman", "man")]))
        text = self.page("/")
        link = r'href="run\?id=[^"]+".*?<strong class="finding">(\w+):'
        shown = re.findall(link, text, re.DOTALL)
        assert shown == ["librarian", "electrician", "teacher"]
        assert "All 4" in text
        assert re.search(r">\d+ \w{3} 20\d\d</time>", text)
        assert '<span class="count">4</span>' in text

    def test_the_tour_begins_in_a_bench(self) -> None:
        answer = self.fetch("/tour", follow_redirects=False)
        assert answer.code == HTTPStatus.FOUND
        assert answer.headers["Location"].startswith("psychometric?")

    def test_help_explains_every_term_once(self) -> None:
        names = [term.name for term in GLOSSARY]
        assert len(set(names)) == len(names)
        text = self.page("/help")
        for term in GLOSSARY:
            assert f"<dt>{term.name}" in text

    def test_an_address_that_leads_nowhere_leads_home_from_any_depth(self) -> None:
        for address, root in (("/nothing", "."), ("/a/b/c", "../../")):
            text = self.page(address, HTTPStatus.NOT_FOUND)
            assert f'<base href="{root}">' in text
            assert text.index("<base") < text.index("stylesheet")
            assert address in text

    def test_what_an_address_says_is_no_markup(self) -> None:
        assert "<script>alert" not in self.page("/%3Cscript%3Ealert(1)", HTTPStatus.NOT_FOUND)


class StatusTest(SiteTest):
    """Jobs on the status line."""

    def site(self) -> Site:
        site = Site(Shared({}, {}))
        self.visits = site.visits
        return site

    def setUp(self) -> None:
        super().setUp()
        self.release = threading.Event()
        self.addCleanup(self.release.set)
        mine, theirs = JobGroup("Posterior", "me"), JobGroup("Images", "somebody")
        begun = threading.Event()
        self.running = mine.start(lambda: (begun.set(), self.release.wait(PATIENCE_S)))
        assert begun.wait(PATIENCE_S)
        self.queued = theirs.start(int)

    def jobs(self, visitor: str) -> list[dict[str, object]]:
        answer = self.fetch("/api/status", headers={"Cookie": self.cookie_of(visitor)})
        ids = (self.running.id, self.queued.id)
        return [job for job in json.loads(answer.body)["jobs"] if job["id"] in ids]

    def stop(self, number: int, visitor: str, origin: str) -> int:
        headers = {"Cookie": self.cookie_of(visitor), "Origin": origin}
        address = f"/api/jobs/{number}/stop"
        return self.fetch(address, method="POST", body="{}", headers=headers).code

    def test_a_run_is_told_from_what_is_computed_beside_it(self) -> None:
        group = JobGroup("Decisions", "me")
        self.addCleanup(group.close)
        kinds = [group.start_waiting, group.start_beside]
        numbers = [kind(self.release.wait, PATIENCE_S).id for kind in kinds]
        answer = self.fetch("/api/status", headers={"Cookie": self.cookie_of("me")})
        shown = {job["id"]: job["is_run"] for job in json.loads(answer.body)["jobs"]}
        assert [shown[number] for number in numbers] == [True, False]

    def test_pages_say_that_they_are_open_and_that_they_are_closed(self) -> None:
        headers = {"Cookie": self.cookie_of("me"), "Origin": self.get_url("")}
        self.fetch("/api/status", headers=headers)
        assert not self.visits.is_here("me")
        self.fetch("/api/status?page=one", headers=headers)
        assert self.visits.is_here("me")
        assert not self.visits.is_here("somebody")
        until = self.visits._pages["me"]["one"]
        body = json.dumps({"page": "one"})
        assert self.fetch("/api/left", method="POST", body=body, headers=headers).code == 200
        assert self.visits._pages["me"]["one"] < until
        headers["Origin"] = "http://elsewhere"
        refused = self.fetch("/api/left", method="POST", body=body, headers=headers)
        assert refused.code == HTTPStatus.FORBIDDEN

    def test_a_visitor_sees_all_jobs_and_stops_their_own(self) -> None:
        running, queued = self.jobs("me")
        assert (running["title"], running["mine"], running["place"]) == ("Posterior", True, 0)
        assert (queued["title"], queued["mine"], queued["place"]) == ("Images", False, 1)
        here = self.get_url("")
        assert self.stop(self.queued.id, "me", here) == HTTPStatus.FORBIDDEN
        assert self.stop(self.queued.id, "somebody", "http://elsewhere") == HTTPStatus.FORBIDDEN
        assert self.queued.status == "queued"
        assert self.stop(self.queued.id, "somebody", here) == HTTPStatus.OK
        assert self.queued.status == "cancelled"
        assert len(self.jobs("me")) == 1
