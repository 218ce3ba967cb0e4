"""The page of stored runs, and what it asks for."""

from __future__ import annotations

import asyncio
from typing import Any

from biaslab.errors import ArgumentError
from biaslab.sharing import may_share, share_run, shared_store, sharers, withdraw
from biaslab.store import Store
from biaslab_widgets.app.asked_runs import opened, run_ids
from biaslab_widgets.app.assets import MODULES, asset
from biaslab_widgets.app.exports import Download, exported
from biaslab_widgets.app.handlers import ApiHandler, PageHandler
from biaslab_widgets.app.stored_results import from_stored
from biaslab_widgets.benches import BENCHES


class RunsPage(PageHandler):
    """The list of runs."""

    def get(self) -> None:
        """Show the page, which asks for the list itself."""
        self.show(
            "runs.html",
            title="Runs · biaslab",
            current="runs",
            style=asset(MODULES, "runs.css"),
            module=asset(MODULES, "runs.js"),
        )


class RunsApi(ApiHandler):
    """The runs as JSON."""

    async def get(self) -> None:
        """Answer with all runs, newest first, and with the benches by which they are filtered."""
        values = await asyncio.to_thread(_listed, self.site.store)
        self.answer(values)


class FoundRunsApi(ApiHandler):
    """Runs that are about some words."""

    async def get(self) -> None:
        """Answer with the ids of the runs in which each word of ``search`` occurs."""
        words = self.get_query_argument("search", "")
        ids = await asyncio.to_thread(_found, self.site.store, words)
        self.answer({"ids": ids})


class PicturesApi(ApiHandler):
    """Small pictures of runs."""

    async def get(self) -> None:
        """Answer with the pictures of ``runs``, by id."""
        ids, store = run_ids(self.get_query_argument("runs", "")), self.site.store
        pictures = await asyncio.to_thread(lambda: {one: store.run(one).picture for one in ids})
        self.answer({"pictures": pictures})


class ChangeRunsApi(ApiHandler):
    """Deletes, restores, tags, renames and shares runs."""

    async def post(self, change: str) -> None:
        """Make a change to the runs named in the request; all or none."""
        await asyncio.to_thread(_change, self.site.store, change, self.body())
        self.answer({})


class DownloadHandler(ApiHandler):
    """Base of answers that a browser saves as a file."""

    def download(self, file: Download) -> None:
        """Answer with a file."""
        self.set_header("Content-Type", file.media_type)
        self.set_header("Content-Disposition", file.disposition)
        self.finish(file.content)


class ExportApi(DownloadHandler):
    """Results as files."""

    async def get(self) -> None:
        """Answer with the results of ``runs`` in a ``format``."""
        ids = run_ids(self.get_query_argument("runs", ""))
        form, store = self.get_query_argument("format", "csv"), self.site.store
        self.download(await from_stored(lambda: exported(opened(store, ids), form)))


def _listed(store: Store) -> dict[str, Any]:
    by = sharers("run")
    shared = shared_store() if by else None
    own = store.runs().to_dict("records")
    others = [] if shared is None else shared.runs().to_dict("records")
    runs = [{**run, "sharedBy": ""} for run in own]
    runs += [{**run, "sharedBy": by[run["id"]]} for run in others if run["id"] in by]
    runs.sort(key=lambda run: run["id"], reverse=True)
    for run in runs:
        time, seconds = run["time"], run["seconds"]
        run["time"] = time.isoformat() if time == time else ""  # NaT differs from itself
        run["seconds"] = seconds if seconds == seconds else None
    benches = [{"name": one.slug, "title": one.title} for one in BENCHES]
    return {
        "runs": runs,
        "benches": benches,
        "mayShare": may_share(),
        "bytes": store.size() if own else 0,
    }


def _found(store: Store, words: str) -> list[str]:
    ids = list(store.runs(words)["id"])
    shared = shared_store() if sharers("run") else None
    return ids if shared is None else [*ids, *shared.runs(words)["id"]]


def _change(store: Store, change: str, values: dict[str, Any]) -> None:
    ids = values.get("ids")
    if not isinstance(ids, list) or not ids or not all(isinstance(one, str) for one in ids):
        raise ArgumentError("The request names no runs.")
    if change == "delete":
        store.delete(ids)
    elif change == "restore":
        store.restore(ids)
    elif change == "share":
        for one in ids:
            share_run(one)
    elif change == "withdraw":
        for one in ids:
            withdraw("run", one)
    elif change == "tag":
        store.tag(ids, *_texts(values, "tags"))
    elif change == "untag":
        store.untag(ids, *_texts(values, "tags"))
    else:
        store.rename(ids[0], str(values.get("label", "")))


def _texts(values: dict[str, Any], name: str) -> list[str]:
    texts = values.get(name)
    if not isinstance(texts, list) or not all(isinstance(one, str) for one in texts):
        raise ArgumentError(f"The request has no {name}.")
    return texts
