"""Outputs of a cell as values: shown now, kept back, or put in the place of another one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any, Final

import ipywidgets
from IPython import get_ipython
from IPython.display import publish_display_data

TEXT_STYLE: Final = "font-size:14px;line-height:1.5;max-width:52em;margin:2px 0 6px"
_HTML: Final = "text/html"
KEEPS_PLACE: Final = "biaslab_keeps_place"
"""Metadata of an output that may change in its place, also where it was held back."""


@dataclass(frozen=True)
class Output:
    """A display of a cell.

    - `data`: what it is, by media type.
    - `display_id`: of the place that it takes; empty for a place of its own.
    """

    data: Mapping[str, Any]
    metadata: Mapping[str, Any] = field(default_factory=dict)
    display_id: str = ""

    def show(self, *, update: bool = False) -> None:
        """Show it in the cell that runs, or in its place of a cell that has run."""
        publish_display_data(  # type: ignore[no-untyped-call]  # IPython has no types here
            dict(self.data),
            dict(self.metadata),
            transient={"display_id": self.display_id} if self.display_id else None,
            update=update,
        )

    def as_record(self) -> dict[str, Any]:
        """Return it as an ``ipywidgets.Output`` holds it."""
        return {
            "output_type": "display_data",
            "data": dict(self.data),
            "metadata": dict(self.metadata),
        }


def in_kernel() -> bool:
    """Whether this runs in a kernel, whose outputs a notebook shows."""
    shell = get_ipython()
    return shell is not None and hasattr(shell, "kernel")


def outputs_of(things: Sequence[Any]) -> list[Output]:
    """Turn things into outputs; neighbours that are HTML become one."""
    outputs: list[Output] = []
    for data, metadata in map(_bundle, things):
        if set(data) == {_HTML} and outputs and set(outputs[-1].data) == {_HTML}:
            outputs[-1] = html_output(outputs[-1].data[_HTML] + data[_HTML])
        else:
            outputs.append(Output(data, metadata))
    return outputs


def html_output(html: str) -> Output:
    """Return an output of HTML alone."""
    return Output({_HTML: html})


def paragraphs(text: str) -> str:
    """Return plain text as HTML."""
    lines = escape(text).replace("\n", "<br>")
    return f'<div style="{TEXT_STYLE}">{lines}</div>'


def captured(stdout: str, outputs: Sequence[Any]) -> Iterator[Output]:
    """Yield what a cell printed and displayed, as IPython captured it."""
    if stdout:
        yield Output({"text/plain": stdout.rstrip("\n")})
    latest: dict[str, Output] = {}
    for number, one in enumerate(outputs):
        if not one.data:  # the value of a cell that displays itself
            continue
        display_id = (one.transient or {}).get("display_id", "")
        metadata = one.metadata or {}
        # Not under its own id, by which a bench could update the hidden answer.
        place = display_id if KEEPS_PLACE in metadata else ""
        latest[display_id or f"output {number}"] = Output(one.data, metadata, place)
    yield from latest.values()


def _bundle(thing: Any) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    if isinstance(thing, ipywidgets.DOMWidget):
        bundle = thing._repr_mimebundle_()
        return bundle if isinstance(bundle, tuple) else (bundle, {})
    if isinstance(thing, str) or (as_html := getattr(thing, "_repr_html_", None)) is None:
        return {_HTML: paragraphs(str(thing))}, {}
    return {_HTML: f'<div style="overflow-x:auto">{as_html()}</div>'}, {}
