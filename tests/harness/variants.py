"""States that no scenario records: what Python says in trouble, and names that nobody expects.

Each is made of a recorded state of the bench, in which only this is another.
"""

from __future__ import annotations

import re
from typing import Any

from harness.recording import State
from harness.stage import scenarios, state_of

ENDLESS = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft"
HOSTILE = "<img src=x onerror=alert(1)>"
_LONG_TEXT = (
    "The server at the other end said no, and gave a reason that is longer than a line: it takes "
    "at most 20 questions a minute. Wait a minute, or ask fewer questions."
)
_ACTIONS = [{"label": "Try again", "command": "retry"}, {"label": "Ask fewer questions"}]
_JOBS = [
    {"title": "Rating", "own": False, "place": 0, "done": 3, "total": 9, "seconds_left": 140.0},
    {"title": "Posterior", "own": True, "place": 1, "done": 0, "total": 0, "seconds_left": None},
]


def states(bench: str) -> dict[str, State]:
    """All states of a bench that are looked at, by name: the recorded ones, and the others."""
    found = {scenario: state_of(bench, scenario) for scenario in scenarios(bench)}
    usual = next(iter(found.values()))
    if bench != "word_lists":  # the editor has no verdict
        found["cannot say"] = _answered(usual, "cannot-say", "It cannot say", _LONG_TEXT)
    return {
        **found,
        "an error": _answered(usual, "error", "The model could not be asked", _LONG_TEXT),
        "loading": {
            **_answered(usual, "loading", "Loading a large subject", "Loaded once, then shared."),
            "progress": {"done": 12, "total": 32, "message": "replicate 12", "seconds_left": 40.0},
        },
        "waiting for its turn": {
            **_answered(usual, "loading", "Waiting for its turn", "2 others are before it."),
            "line": {"jobs": _JOBS, "smaller": True, "note": "The last run reached a limit."},
        },
        "endless names": renamed(usual, ENDLESS),
        "names that are HTML": renamed(usual, HOSTILE),
    }


def _answered(state: State, kind: str, title: str, text: str) -> State:
    message = {"title": title, "text": text, "actions": _ACTIONS}
    return {**state, "answer": {**state["answer"], "state": kind, "message": message}}


def renamed(state: State, after: str) -> State:
    """The state with this after the name of each subject and each list, wherever one stands."""
    lists = [*state.get("lists", []), *state.get("groups", [])]
    names = {one["name"] for one in (*state["subjects"], *lists) if one["name"]}
    pattern = re.compile(r"\b(" + "|".join(map(re.escape, sorted(names, key=len)[::-1])) + r")\b")

    def read(value: Any) -> Any:
        if isinstance(value, str):
            return pattern.sub(lambda found: f"{found[0]} {after}", value) if names else value
        if isinstance(value, list):
            return [read(one) for one in value]
        return {read(k): read(v) for k, v in value.items()} if isinstance(value, dict) else value

    kept = {name: state[name] for name in ("generation", "command", "reply")}
    return {**read(state), **kept}
