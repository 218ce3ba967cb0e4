"""The page of subjects, and its JSON."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from http import HTTPStatus
from typing import Any, Final

from tornado.web import HTTPError

from biaslab.asking.opening import service_from
from biaslab.errors import BiaslabError, SubjectError
from biaslab.people.access import current_access
from biaslab.records.wording import prose
from biaslab.services import Limits, Service
from biaslab.store.sharing import may_share, share_subject, withdraw
from biaslab.subjects import library
from biaslab.subjects.embedding.spacy_vectors import PREFIX
from biaslab.subjects.opening.inspection import HUB, SubjectInfo, inspect
from biaslab.subjects.opening.names import is_address, open_address
from biaslab_widgets.app.pages.handlers import ApiHandler, PageHandler, SiteHandler
from biaslab_widgets.benches import BENCHES

CASE = "The nurse said that she would be late."
"""Text that "Try it" sends."""
PATIENCE = Limits(timeout=20.0, attempts=1)


class SubjectsPage(PageHandler):
    """The library of subjects."""

    def get(self) -> None:
        """Show the page, which asks for the list itself."""
        self.show("subjects.html", title="Subjects · biaslab", current="subjects")


class SubjectsApi(ApiHandler):
    """The list, and what may be done here."""

    async def get(self) -> None:
        """Answer with all subjects by kind."""
        rows = await _aside(self.site.subjects.rows)
        self.answer(
            {
                "subjects": rows,
                "local": self.site.local,
                "may_share": may_share(),
                "hub": self.site.hub,
                "largest_mb": self.site.subjects.uploads.largest_mb,
            }
        )


class CardApi(ApiHandler):
    """The card of a subject."""

    async def get(self) -> None:
        """Answer with facts, questions and code."""
        name = self.get_query_argument("name", "")
        card = await _aside(lambda: self.site.subjects.card(name))
        titles = {entry.name: (entry.title, entry.slug) for entry in BENCHES}
        for question in card["questions"]:
            question["title"], question["address"] = titles[question["name"]]
        runs = self.site.store.runs(subject=name)
        last = runs["time"].iloc[0].isoformat() if len(runs) else ""
        self.answer({**card, "runs": len(runs), "last_run": last})


class SubjectActApi(ApiHandler):
    """Opens, unloads, removes, restores and shares a subject."""

    def post(self, act: str) -> None:
        """Do it; answers at once."""
        subjects, name = self.site.subjects, str(self.body().get("name", ""))
        match act:
            case "open":
                subjects.open(name, current_access().user)
            case "unload":
                subjects.unload(name)
            case "remove":
                subjects.remove(name)
            case "restore":
                subjects.restore(name)
            case "share":
                share_subject(name)
            case "withdraw":
                withdraw("subject", name)
                subjects.refresh()
        self.answer({})


class UploadApi(ApiHandler):
    """Takes a piece of a file; the page sends 4 MB at a time."""

    largest_body = 5 * 2**20

    def post(self) -> None:
        """Append the piece; answers with the bytes so far."""
        arrived = self.site.subjects.uploads.take(
            self.get_query_argument("upload"),
            self.get_query_argument("name"),
            self.whole_number("offset", "0"),
            self.request.body,
        )
        self.answer({"arrived": arrived})


class InspectApi(ApiHandler):
    """Names a file, a folder or an upload before it is loaded."""

    async def post(self) -> None:
        """Answer with what it is."""
        body = self.body()
        info = await _aside(lambda: inspect(self.source(body), hub=self.site.hub))
        self.answer(_shown(info))

    def source(self, body: dict[str, Any]) -> str:
        """Return the source that a request names.

        Raises `SubjectError` when this host does not allow it.
        """
        if upload := str(body.get("upload", "")):
            return str(self.site.subjects.uploads.path(upload))
        path = str(body.get("path", "")).strip()
        if path.startswith(HUB):
            if not self.site.hub:
                raise SubjectError(
                    "Names of the hub are off on this host. Start it with biaslab serve"
                    " --allow-hub, or give the folder of a model."
                )
        elif not self.site.local:
            raise SubjectError("Paths are off on this host, which others reach. Upload the file.")
        elif is_address(path) or path.startswith(PREFIX):
            return path
        elif not path.startswith(("/", "~")) and path[1:2] != ":":
            raise SubjectError("Give the whole path, such as ~/models/my-bert.")
        return path


class AddApi(InspectApi):
    """Adds a file, a folder, a hub name or an upload to the library."""

    async def post(self) -> None:
        """Answer with what was added."""
        body = self.body()
        source = self.source(body)
        name = str(body["name"]) if "name" in body else None
        kind = "embedding" if body.get("kind") == "embedding" else None
        given = body.get("options")
        given = given if isinstance(given, dict) else {}
        options = {str(name): str(value) for name, value in given.items() if value}
        subject = await _aside(
            lambda: library.add(
                source,
                name,
                kind=kind,
                hub=self.site.hub,
                uploaded="upload" in body,
                options=options,
            )
        )
        self.site.subjects.add(subject)
        self.answer({"name": subject.name})


class ServiceApi(ApiHandler):
    """Tries a service with one case, or adds it."""

    async def post(self, act: str) -> None:
        """Answer with the reply, or with the name."""
        if not self.site.local:
            raise HTTPError(
                HTTPStatus.FORBIDDEN, reason="Services are added on the machine that runs the app"
            )
        body = {str(key): str(value) for key, value in self.body().items()}
        kind, name = body.pop("kind", "chat"), body.pop("name", "")
        if act == "try":
            self.answer(await _aside(lambda: _try(kind, body)))
            return
        service_from(kind, body)  # says what is missing before it is remembered
        subject = library.add_service(name or body.get("model", ""), kind, body)
        self.site.subjects.add(subject)
        self.answer({"name": subject.name})


def _try(kind: str, described: dict[str, str]) -> dict[str, Any]:
    """Send one case; a service that does not reply is an answer, too."""
    if kind == "server":
        return _try_server(described.get("source", ""))
    service = service_from(kind, described, PATIENCE)
    begin = time.perf_counter()
    try:
        if isinstance(service, Service):
            reply = service.answer([CASE])[0]
        else:
            reply = service.translate([CASE], "en", "es")[0]
    except BiaslabError as error:
        return {"case": CASE, "reply": "", "problem": prose(error), "seconds": 0}
    return {"case": CASE, "reply": reply, "problem": "", "seconds": time.perf_counter() - begin}


def _try_server(source: str) -> dict[str, Any]:
    """Open a language model on a server, which sends it one short text."""
    begin = time.perf_counter()
    try:
        inspect(source)  # says what is wrong in the address before anything is sent
        model = open_address(source, kind="clm")
        tokens = len(model.tokenize(CASE).tokens)
    except BiaslabError as error:
        return {"case": CASE, "reply": "", "problem": prose(error), "seconds": 0}
    reply = f"log-probabilities of {tokens} tokens"
    return {"case": CASE, "reply": reply, "problem": "", "seconds": time.perf_counter() - begin}


def _shown(info: SubjectInfo) -> dict[str, Any]:
    titles = {entry.name: entry.title for entry in BENCHES}
    return {
        "name": info.name,
        "kind": info.kind,
        "summary": info.summary(),
        "fits": [titles[fit.name] for fit in info.questions if fit.fits],
    }


async def _aside(work: Callable[[], Any]) -> Any:
    """Run work of up to a second in a thread, so that other pages are served meanwhile."""
    return await asyncio.to_thread(work)


SUBJECT_ROUTES: Final[tuple[tuple[str, type[SiteHandler]], ...]] = (
    (r"/subjects", SubjectsPage),
    (r"/api/subjects", SubjectsApi),
    (r"/api/subjects/card", CardApi),
    (r"/api/subjects/upload", UploadApi),
    (r"/api/subjects/inspect", InspectApi),
    (r"/api/subjects/add", AddApi),
    (r"/api/subjects/service/(try|add)", ServiceApi),
    (r"/api/subjects/(open|unload|remove|restore|share|withdraw)", SubjectActApi),
)
