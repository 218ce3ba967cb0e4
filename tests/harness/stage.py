"""Benches in recorded states on one page, without Python behind them.

`Stage` is the page: the built front end in a real Chromium, in the styles of the served app. A
bench on it (`StagedBench`) has the fake model of the front end's own tests as its host, so a test
says what Python sends and reads what the bench sent. Nothing else can be reached from the page.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping
from functools import cache
from typing import Any, Final, Literal, Self

from playwright.sync_api import Browser, Route

import front_end
from biaslab_widgets.benches import BENCHES
from harness import recording
from harness.bench_page import BenchPage
from harness.recording import Scenarios, State
from harness.server import wait_until
from harness.watched_page import WatchedPage

HostName = Literal["notebook", "app"]
Theme = Literal["light", "dark"]
HEIGHT: Final = 900
WIDE: Final = 1280
NARROW: Final = 400
ADDRESS: Final = "http://127.0.0.1/"
"""Of a page that no server gives."""
PAGE: Final = """<!doctype html>
<html lang="en" data-theme="light">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Benches in recorded states</title>
<link rel="icon" href="data:,">
<style>@font-face { font-family: Inter; font-weight: 400 700; font-display: block;
  src: url("/static/fonts/inter.woff2") format("woff2"); }</style>
<link rel="stylesheet" href="/static/app/shell.css">
</head>
<body><main id="content"></main><script type="module" src="/stage.js"></script></body>
</html>"""
_TYPES = {".js": "text/javascript", ".css": "text/css", ".woff2": "font/woff2"}


@cache
def scenarios(bench: str) -> Scenarios:
    """Recorded states of a bench, by its name in the registry."""
    names = [name for name in recording.NAMES if _bench_of(name) == bench]
    return {scenario: state for name in names for scenario, state in recording.read(name).items()}


@cache
def openings() -> Scenarios:
    """The state in which the app opens each bench, by the bench's name."""
    return recording.read("opening")


def _bench_of(recorded: str) -> str:
    """The bench of a recording: ``decision_groups`` is one of the decision bench."""
    return "decisions" if recorded == "decision_groups" else recorded


def state_of(bench: str, scenario: str = "", **fields: Any) -> State:
    """A copy of a recorded state, by default the bench's first, with some fields replaced."""
    known = scenarios(bench)
    state = known[scenario or next(iter(known))]
    return copy.deepcopy({"generation": 0, **_NO_MESSAGES, **state, **fields})


_NO_MESSAGES = {
    "command": {"id": 0, "name": "", "args": {}},
    "reply": {"id": 0, "ok": True, "message": ""},
}


@cache
def _script() -> str:
    return front_end.node("dev/stage/bundle.mjs")


class StagedBench(BenchPage):
    """A bench on the stage; what its tests say to it as Python would, and hear from it.

    The views of other tests' harness take its root: ``Rating(staged.root)``.

    Parameters
    ----------
    stage : Stage
    number : int
        Its place among those that the page shows.
    bench : str
    """

    def __init__(self, stage: Stage, number: int, bench: str) -> None:
        super().__init__(stage.page.locator(f"#mounted-{number}").get_by_test_id("bench"))
        self.bench = bench
        self.number = number

    def receive(self, **fields: Any) -> None:
        """Let Python change fields; an answer among them is one to the newest message."""
        self._call("receive", fields)

    def step_to(self, scenario: str, **fields: Any) -> None:
        """Let Python send another recorded state."""
        self.take(state_of(self.bench, scenario, **fields))

    def take(self, state: State) -> None:
        """Let Python send a whole state."""
        self.receive(**_told(state))

    def faults(self, states: Mapping[str, State]) -> list[str]:
        """What is wrong in each of these states, in both themes and with every card open."""
        given = [
            {"name": name, "state": _told(state), "text": _late(state)}
            for name, state in states.items()
        ]
        found: list[str] = self._call("looks", given)
        return found

    def answer(self, **changes: Any) -> None:
        """Answer the newest message: with the last answer, of which this is changed."""
        self._call("answer", changes)

    def reply(self, ok: bool = True, message: str = "", **more: Any) -> None:
        """Reply to the newest command."""
        self._call("reply", {"ok": ok, "message": message, **more})

    def sent(self) -> list[dict[str, Any]]:
        """The messages that the bench has sent so far, oldest first."""
        found: list[dict[str, Any]] = self._call("sent")
        return found

    def input(self, name: str) -> Any:
        """A field as the host's state holds it now."""
        return self._call("state")[name]

    def holds(self, name: str, value: Any) -> None:
        """Wait until the host's state holds a value."""
        wait_until(lambda: bool(self.input(name) == value), f"{name} == {value!r}")

    def commanded(self, name: str) -> dict[str, Any]:
        """Wait until the newest command has this name; its arguments."""
        wait_until(lambda: bool(self.input("command")["name"] == name), f"the command {name}")
        found: dict[str, Any] = self.input("command")["args"]
        return found

    def _call(self, name: str, given: object = None) -> Any:
        # Text, because Playwright takes long over large values of its own kind.
        return self.page.evaluate(
            """async ([name, number, given]) =>
                await stage[name](number, ...(given ? [JSON.parse(given)] : []))""",
            [name, self.number, None if given is None else json.dumps(given)],
        )


def _told(state: State) -> State:
    """What Python sends of a state."""
    return {name: value for name, value in state.items() if name not in recording.EXCHANGED}


def _late(state: State) -> str:
    """What the bench says last in a state: what is nearly done is not told at once."""
    answer = state["answer"]
    if answer["state"] != "loading":
        return ""
    return "first in line" if state["line"]["jobs"] else str(answer["message"]["title"])


class Stage:
    """One page that shows benches in recorded states.

    Parameters
    ----------
    browser : Browser
    **context
        Options of the browser's context, such as ``has_touch``.
    """

    def __init__(self, browser: Browser, **context: Any) -> None:
        self.watched = WatchedPage(browser, viewport={"width": WIDE, "height": HEIGHT}, **context)
        self.watched.context.grant_permissions(["clipboard-read", "clipboard-write"])
        self.page = self.watched.page
        self._mounted = 0
        self.page.route("**/*", _serve)
        self.reload()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.watched.close()

    def reload(self) -> None:
        """Load the page anew."""
        self.page.goto(ADDRESS)
        self.page.evaluate("document.fonts.load('600 14px Inter')")
        self._mounted = 0

    def begin(self) -> None:
        """Begin a test with an empty page of the usual looks."""
        self.watched.begin()

    def end(self) -> None:
        """Empty the page."""
        self.page.emulate_media(reduced_motion="no-preference")
        self.page.mouse.move(0, 0)
        self.width(WIDE)
        self.page.evaluate("stage.clear(); document.documentElement.dataset.theme = 'light'")
        self._mounted = 0
        self.watched.end()

    def mount(
        self,
        bench: str,
        scenario: str = "",
        *,
        host: HostName = "app",
        answers: bool = True,
        **fields: Any,
    ) -> StagedBench:
        """Show a bench in a recorded state, below those that are there.

        Parameters
        ----------
        bench : str
            Its name in the registry: ``word_lists``.
        scenario : str
            A recorded one; by default the bench's first.
        host : {"app", "notebook"}
            Which host its model behaves as.
        answers : bool
            Answer each message with the scenario's answer; else the test answers.
        **fields
            Fields of the state that are to be others.
        """
        slug = next(entry.slug for entry in BENCHES if entry.name == bench)
        state = json.dumps(state_of(bench, scenario, **fields))
        number = self.page.evaluate(
            "([slug, host, state, answers]) => stage.mount(slug, host, JSON.parse(state), answers)",
            [slug, host, state, answers],
        )
        return StagedBench(self, number, bench)

    def opened_heights(self, bench: str) -> list[int]:
        """How high a bench is as the app opens it, in px, on a wide page and on a phone."""
        heights = []
        for width in (WIDE, NARROW):
            self.width(width)
            root = self.mount(bench, **openings()[bench]).root
            heights.append(round(root.evaluate("root => root.getBoundingClientRect().height")))
            self.clear()
        return heights

    def clear(self) -> None:
        """Take all benches off the page."""
        self.page.evaluate("stage.clear()")

    def width(self, width: int, height: int = HEIGHT) -> None:
        """Give the page a width; benches are drawn for it when this returns."""
        if self.page.viewport_size != {"width": width, "height": height}:
            self.page.set_viewport_size({"width": width, "height": height})
            self.page.evaluate("stage.drawn()")

    def theme(self, theme: Theme) -> None:
        """Show all in a theme."""
        self.page.evaluate(
            "theme => { document.documentElement.dataset.theme = theme; return stage.drawn(); }",
            theme,
        )

    def still(self) -> None:
        """Ask for reduced motion, until the test's end."""
        self.page.emulate_media(reduced_motion="reduce")


def _serve(route: Route) -> None:
    """Answer a request from the built front end, and refuse any other."""
    name = route.request.url.removeprefix(ADDRESS)
    file = front_end.STATIC / name.removeprefix("static/")
    if name == "":
        route.fulfill(body=PAGE, content_type="text/html")
    elif name == "stage.js":
        route.fulfill(body=_script(), content_type="text/javascript")
    elif name.startswith("static/") and file.is_file():
        route.fulfill(body=file.read_bytes(), content_type=_TYPES[file.suffix])
    else:
        route.abort()
