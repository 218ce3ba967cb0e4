"""What strangers send to a running app: messages of pages, requests, uploads, stored runs.

Whatever comes, the server answers the next question, no answer says that the server failed, and
its log holds no error of its own. `harness.fuzzing` damages the valid inputs.
"""

from __future__ import annotations

import asyncio
import json
import re
import sqlite3
import threading
from collections.abc import Coroutine, Iterable
from contextlib import closing
from dataclasses import replace
from functools import cached_property
from http import HTTPStatus
from pathlib import Path
from typing import Any, Self
from urllib.parse import urlencode

from harness.deferred import Deferred
from harness.fuzz_json import damaged_json
from harness.fuzzing import Target
from harness.served_people import Browser, Served

pages = Deferred("benchmarks.pages")
benches = Deferred("biaslab_widgets.benches")
fuzz_targets = Deferred("harness.fuzz_targets")
shared = Deferred("biaslab_widgets.app.library.shared")

_TALK = ("generation", "command", "wanted")
ANSWER_S = 60
RENEWED = 25
"""A page is opened anew after so many messages."""
_ERROR = re.compile(
    r"^[\d-]{10} [\d:,]{12} (?:ERROR|CRITICAL) (?!bokeh\b|tornado\.access\b)(\S+) ", re.MULTILINE
)
_SAVED = ("psychometric", "occupations")
"""Benches that show a result at once, which can be saved."""
TARGETS = ("address", "page", "request", "stored-run", "upload")
ARGUMENTS: dict[str, Any] = {
    "name": "mine", "what": "", "text": "The nurse is kind.", "term": "nurse", "model": "m",
    "ids": [1, 2], "content": "she\nhe", "base_url": "http://127.0.0.1:9/v1", "version": "1",
    "terms": ["nurse", "captain"], "style": "photo", "per_term": 2, "more": 1, "format": "csv",
    "files": [{"name": "a.png", "content": "iVBORw0KGgo="}], "lists": [], "data": "c2hlCg==",
    "writer": "templates", "word": "nurse", "where": "first", "value": "she", "title": "Mine",
    "toml": 'name = "a"\n[request]\nurl = "http://127.0.0.1:9/"\n[answer]\npath = "x"\n',
    "subject": "wiki-bootstraps", "repair": True, "path": "a", "part": 0, "parcel": "1-1",
    "pair": 0, "painter": "portraits", "overwrite": True, "of": "woman", "label": "mine",
    "kind": "chat", "key": "k", "id": 1, "filename": "a.csv", "count": 3, "check": True,
    "attributes": ["a"], "first": "x", "second": "y",
}  # fmt: skip
"""Arguments of all commands together: each takes those that it knows."""


class FuzzedApp:
    """A running app that is sent damaged things; a context manager.

    Parameters
    ----------
    app : Served
        It lets anyone in.
    log : Path
        Its log.
    """

    def __init__(self, app: Served, log: Path) -> None:
        self.app, self._log = app, log
        self._loop = asyncio.new_event_loop()
        # Apart from this thread, in which a browser's loop may run.
        self._thread = threading.Thread(target=self._loop.run_forever)
        self._pages: dict[str, Any] = {}
        self._sent: dict[str, int] = {}
        self._read = 0

    def __enter__(self) -> Self:
        self._thread.start()
        self._browser = Browser(self.app)
        self._browser.ask("/")
        self._runs = {slug: self._saved(slug) for slug in _SAVED}
        (self._store,) = (self.app.home / "biaslab").glob("*/*/biaslab.sqlite")
        self._rows = {slug: self._row(run) for slug, run in self._runs.items()}
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    @cached_property
    def targets(self) -> dict[str, Target]:
        """What can be sent, by name."""
        texts = fuzz_targets.targets()
        files = [
            content
            for name in ("embedding-text", "embedding-npz", "embedding-safetensors")
            for content in texts[name].valid
        ]
        found = {
            "page": Target(
                _as_json(one for entry in benches.BENCHES for one in _messages_of(entry)),
                self._send,
            ),
            "address": Target(_as_json(map(_settings_of, benches.BENCHES)), self._open),
            "request": Target(_as_json(_REQUESTS), self._ask),
            "stored-run": Target(
                _as_json({"bench": slug, **rows} for slug, rows in self._rows.items()),
                self._open_stored,
            ),
        }
        found = {name: replace(target, damage=damaged_json) for name, target in found.items()}
        return {**found, "upload": Target(files, self._upload)}

    # Each of these reads one input; what goes wrong raises AssertionError.

    def _send(self, content: bytes, _folder: Path) -> None:
        """A message of a page."""
        case = _read(content)
        slug = _one_of(_slugs(), case, "bench")
        events = case.get("events") if isinstance(case, dict) else case
        self._run(self._sends(slug, {"events": events} if events is not None else {}))
        self._look()

    async def _sends(self, slug: str, content: dict[str, Any]) -> None:
        page = self._pages.get(slug)
        self._sent[slug] = self._sent.get(slug, 0) + 1
        if page is None or page.lost.is_set() or self._sent[slug] % RENEWED == 0:
            if page is not None:
                page.leave()
            page = self._pages[slug] = pages.Page(f"http://{self._browser.here}/{slug}")
            page.cookie = "; ".join(f"{n}={value}" for n, value in self._browser.cookies.items())
            await page.open()
        text = json.dumps(content).replace('"MODEL"', json.dumps(page.model))
        try:
            page.send_text("PATCH-DOC", text)
            page.set({})
        except pages.WebSocketClosedError:  # as it may be
            return
        asked = page.generation
        answered = asyncio.ensure_future(
            page.until(lambda shown: shown["answer"]["generation"] == asked, ANSWER_S)
        )
        lost = asyncio.ensure_future(page.lost.wait())
        await asyncio.wait({answered, lost}, return_when=asyncio.FIRST_COMPLETED)
        lost.cancel()
        if not page.lost.is_set():
            await answered  # raises TimeoutError where no answer came
        answered.cancel()

    def _open(self, content: bytes, _folder: Path) -> None:
        """The address of a page, with settings."""
        case = _read(content)
        slug = _one_of(_slugs(), case, "bench")
        settings = case.get("settings") if isinstance(case, dict) else case
        if not isinstance(settings, dict):
            settings = {"run": json.dumps(settings)}
        texts = [
            (name, one if isinstance(one, str) else json.dumps(one))
            for name, value in settings.items()
            for one in (value if isinstance(value, list) and value else [value])
        ]
        self._get(f"/{slug}?{_query(texts)}")

    def _ask(self, content: bytes, _folder: Path) -> None:
        """A request of a page of the app."""
        case = _read(content)
        paths = {one["path"]: one for one in _REQUESTS}
        path = _one_of(paths, case, "path", "/api/runs/tag")
        if not isinstance(case, dict) or case.get("path") != path:
            case = {"body": case}
        query = case.get("query")
        texts = query.items() if isinstance(query, dict) else [("a", query)] if query else []
        path = f"{path}?{_query((n, _text(value)) for n, value in texts)}"
        if "body" in case:
            body = case["body"]
            raw = body.encode("utf-8", "replace") if isinstance(body, str) else _dumped(body)
            self._get(path, raw)
        else:
            self._get(path)

    def _open_stored(self, content: bytes, _folder: Path) -> None:
        """Rows of a stored run, which is then shown, exported, compared and reopened."""
        case = _read(content)
        case = case if isinstance(case, dict) else {"contents": {"document": case}}
        slug = _one_of(_SAVED, case, "bench")
        run, whole = self._runs[slug], self._rows[slug]
        with closing(sqlite3.connect(self._store)) as database:
            for table, columns in whole.items():
                given = case.get(table)
                given = given if isinstance(given, dict) else {}
                for name in columns:
                    value = _stored(given.get(name, columns[name]))
                    change = f"UPDATE biaslab_{table} SET {name} = ? WHERE id = ?"
                    try:
                        database.execute(change, (value, run))
                    except (sqlite3.Error, OverflowError, UnicodeEncodeError):
                        continue  # a database that holds it cannot be made
            database.commit()
        for path in (
            "/",
            "/api/runs",
            "/api/runs/found?search=nurse",
            f"/run?id={run}",
            f"/{slug}?run={run}",
            f"/report?runs={run}",
            f"/api/runs/pictures?runs={run}",
            f"/compare?a={run}&b={run}",
            f"/api/compare?a={run}&b={run}",
            *(f"/api/runs/export?runs={run}&format={one}" for one in ("csv", "json", "svg")),
        ):
            self._get(path)

    def _upload(self, content: bytes, _folder: Path) -> None:
        """A file, which is then added to the subjects."""
        number = "f" * 12
        self._get(f"/api/subjects/upload?upload={number}&name=mine.txt&offset=0", content)
        for path, body in (
            ("/api/subjects/inspect", {"upload": number}),
            ("/api/subjects/add", {"upload": number, "name": "fuzzed"}),
            ("/api/subjects/card?name=fuzzed", None),
            ("/psychometric?subject=fuzzed", None),
            ("/api/subjects/remove", {"name": "fuzzed"}),
        ):
            self._get(path, None if body is None else _dumped(body))

    # What all of them need.

    def _get(self, path: str, body: bytes | None = None) -> None:
        status, _, text = self._browser.ask(path, body)
        self._look(f"{path} {body!r:.300}")
        assert status < HTTPStatus.INTERNAL_SERVER_ERROR, f"{status} {path}: {text[:300]}"

    def _look(self, what: str = "") -> None:
        """Raise where the log has an error of ours that was not there before."""
        with self._log.open(encoding="utf-8", errors="replace") as log:
            log.seek(self._read)
            new = log.read()
            self._read = log.tell()
        found = _ERROR.search(new)
        assert found is None, f"{what}\n{new[found.start() : found.start() + 4000]}"

    def _run(self, work: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    def _saved(self, slug: str) -> str:
        """Save the result that a bench shows at first; the run's id."""
        reply = self._run(self._saves(slug))
        assert reply["ok"], reply
        return str(reply["message"]).removeprefix("Saved as run ").rstrip(".")

    async def _saves(self, slug: str) -> Any:
        page = pages.Page(f"http://{self._browser.here}/{slug}")
        page.cookie = "; ".join(f"{n}={value}" for n, value in self._browser.cookies.items())
        await page.open()
        await page.until(lambda shown: shown["answer"]["state"] == "ready")
        reply = await page.command("save")
        page.leave()
        return reply

    def _row(self, run: str) -> dict[str, Any]:
        """The rows of a run, with what is JSON in them as values."""
        found = {}
        with closing(sqlite3.connect(self._store)) as database:
            database.row_factory = sqlite3.Row
            for table in ("runs", "contents"):
                rows = database.execute(f"SELECT * FROM biaslab_{table} WHERE id = ?", (run,))
                columns = dict(rows.fetchone())
                del columns["id"]
                found[table] = {
                    name: json.loads(value) if name in ("document", "inputs") else value
                    for name, value in columns.items()
                }
        return found


_REQUESTS: list[dict[str, Any]] = [
    {"path": "/run", "query": {"id": "abc"}},
    {"path": "/compare", "query": {"a": "abc", "b": "abd", "measure": "pse"}},
    {"path": "/trajectory", "query": {"run": "abc", "label": "1990", "later": "0"}},
    {"path": "/report", "query": {"runs": "abc,abd", "download": "1"}},
    {"path": "/runs"},
    {"path": "/tour"},
    {"path": "/help"},
    {"path": "/api/runs"},
    {"path": "/api/runs/found", "query": {"search": "nurse"}},
    {"path": "/api/runs/pictures", "query": {"runs": "abc,abd"}},
    {"path": "/api/runs/export", "query": {"runs": "abc", "format": "csv"}},
    *(
        {"path": f"/api/runs/{act}", "body": {"ids": ["abc"], "tags": ["x"], "label": "mine"}}
        for act in ("delete", "restore", "tag", "untag", "rename", "share", "withdraw")
    ),
    {"path": "/api/compare", "query": {"a": "abc", "b": "abd", "measure": "pse"}},
    {"path": "/api/compare/possible", "query": {"a": "abc", "b": "abd"}},
    {"path": "/api/compare/export", "query": {"a": "abc", "b": "abd", "format": "json"}},
    {"path": "/api/subjects/card", "query": {"name": "wiki-bootstraps"}},
    {
        "path": "/api/subjects/upload",
        "query": {"upload": "a" * 12, "name": "a.txt", "offset": "0"},
        "body": "she 1 2",
    },
    {"path": "/api/subjects/inspect", "body": {"upload": "a" * 12, "path": "hf:bert"}},
    {
        "path": "/api/subjects/add",
        "body": {"upload": "a" * 12, "name": "b", "options": {"kind": "mlm"}},
    },
    *(
        {"path": f"/api/subjects/{act}", "body": {"name": "wiki-bootstraps"}}
        for act in ("open", "unload", "remove", "restore", "share", "withdraw")
    ),
    {"path": "/api/subjects/service/try", "body": {"kind": "chat", "model": "m", "name": "n"}},
    {"path": "/api/jobs/1/stop", "body": {}},
    {"path": "/api/status"},
    {"path": "/api/left", "body": {"page": "a"}},
    {"path": "/logout", "body": {}},
]


def _one_of(names: Iterable[str], case: Any, key: str, otherwise: str = "psychometric") -> str:
    """The name in a case; another one where it is none of these."""
    found = case.get(key) if isinstance(case, dict) else None
    return next((name for name in names if name == found), otherwise)


def _slugs() -> set[str]:
    return {entry.slug for entry in benches.BENCHES}


def _settings_of(entry: Any) -> dict[str, Any]:
    """The address of a bench with all settings as they are at first."""
    fields = [field for field in entry.component.inputs if field.name not in _TALK]
    settings = {field.name: field.initial() for field in fields}
    return {"bench": entry.slug, "settings": {**settings, "subject": "wiki-bootstraps"}}


def _messages_of(entry: Any) -> list[dict[str, Any]]:
    """Messages of a page: its inputs, all at once, and each of its commands with all arguments."""
    inputs = {field.name: field.initial() for field in entry.component.inputs}
    inputs.pop("command")
    cases = [inputs]
    panel = entry.panel_class.on_page(shared.Shared.of(None))
    panel.controller.close()
    for number, name in enumerate(sorted(panel.controller.commands)):
        arguments = {"type": "map", "entries": [[n, _encoded(v)] for n, v in ARGUMENTS.items()]}
        entries = [["id", 10 + number], ["name", name], ["args", arguments]]
        cases.append({"command": {"type": "map", "entries": entries}})
    return [
        {
            "bench": entry.slug,
            "events": [
                {"kind": "ModelChanged", "model": {"id": "MODEL"}, "attr": name, "new": value}
                for name, value in {**case, "generation": 5}.items()
            ],
        }
        for case in cases
    ]


def _encoded(value: Any) -> Any:
    """A value as Bokeh writes it."""
    if isinstance(value, dict):
        return {"type": "map", "entries": [[n, _encoded(v)] for n, v in value.items()]}
    return [_encoded(one) for one in value] if isinstance(value, list) else value


def _as_json(cases: Iterable[Any]) -> list[bytes]:
    return [_dumped(case) for case in cases]


def _dumped(value: Any) -> bytes:
    return json.dumps(value).encode("utf-8", "surrogatepass")


def _read(content: bytes) -> Any:
    """A case; one that is no JSON is a text."""
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        return content.decode("utf-8", "replace")


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _query(texts: Iterable[tuple[str, str]]) -> str:
    pairs = [(name[:100], text[:4000]) for name, text in texts]
    return urlencode(pairs, errors="replace")


def _stored(value: Any) -> Any:
    """A value as a column holds it."""
    if isinstance(value, str | int | float) or value is None:
        return value
    return json.dumps(value)
