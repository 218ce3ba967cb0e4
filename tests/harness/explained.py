"""Asks a bench how it comes to what it shows."""

from __future__ import annotations

from typing import Any

from harness.driven import Driven


def explained(bench: Driven, **inputs: Any) -> dict[str, Any]:
    """The steps for what is on the screen after these inputs."""
    if inputs:
        bench.answer(**inputs)
    reply = bench.reply("how")
    assert reply["ok"], reply["message"]
    found: dict[str, Any] = reply["how"]
    return found
