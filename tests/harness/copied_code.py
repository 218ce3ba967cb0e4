"""Code that a person copies from a bench or a result, run as they would run it."""

from __future__ import annotations

import contextlib
import io
from typing import Any

from biaslab.records.result import Result
from biaslab_widgets.core.bench.controller import Controller


def run_code(code: str) -> dict[str, Any]:
    """Run code; return its variables. What it prints is the summary of its result."""
    made: dict[str, Any] = {}
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile(code, "<copied code>", "exec"), made)
    assert made["result"].summary() in printed.getvalue()
    return made


def result_of(code: str) -> Result:
    """Run code; return the result that it makes."""
    result: Result = run_code(code)["result"]
    return result


def copied(controller: Controller[Any], **args: Any) -> str:
    """The code that a bench gives to be copied."""
    reply: Any = controller.commands["code"](args)
    assert "filename" not in reply  # it is for the clipboard, not a file
    assert reply["media_type"] == "text/x-python"
    code: str = reply["content"]
    return code
