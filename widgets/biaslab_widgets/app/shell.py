"""What every page of the app shows around its content."""

from __future__ import annotations

import os
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache, partial
from pathlib import Path
from typing import Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template
from markupsafe import Markup

from biaslab.people.access import current_access
from biaslab_widgets.app.assets import FONTS, MODULES, asset
from biaslab_widgets.app.people import signed_in
from biaslab_widgets.benches import BENCHES

MARK: Final = f'data-of="{secrets.token_urlsafe(12)}"'
"""On each inline script of the app and of Bokeh until its page leaves.

Only these are allowed by their hash: whoever brought a script into a page could not know the mark.
"""


HOME = "."
_BEGIN, _END = "<script", "</script>"


@dataclass(frozen=True)
class Link:
    """An entry of the navigation.

    - `address`: relative to the server's root, where all pages of the app lie.
    - `count`: number of things on the page; None where none is shown.
    """

    title: str
    address: str
    count: int | None = None


AUDIT = tuple(
    Link(entry.title, entry.slug) for entry in BENCHES if entry.question and not entry.need
)
"""Benches that judge what somebody has recorded, and ask no model."""
LIBRARY = (
    Link("Subjects", "subjects"),
    *(Link(entry.title, entry.slug) for entry in BENCHES if not entry.question),
    Link("Runs", "runs"),
)
"""Pages that ask a model nothing, in the order of the navigation."""


@dataclass(frozen=True)
class Shell:
    """Variables of ``templates/shell.html``.

    - `current`: address of the page; empty where the navigation does not list it.
    - `font`, `style`, `module`: addresses of the built files.
    - `machine`: what computes.
    - `person`: who is signed in; empty where nobody signs in.
    """

    current: str
    benches: tuple[Link, ...]
    audit: tuple[Link, ...]
    library: tuple[Link, ...]
    font: str
    style: str
    module: str
    machine: str
    person: str
    home: Link = Link("Home", HOME)


def shell(current: str, counts: Mapping[str, int] | None = None) -> Shell:
    """Return what surrounds the content of a page.

    - `current`: address of the entry of the navigation that is marked; empty for none.
    - `counts`: numbers that stand beside entries, by address.
    """
    counts = counts or {}
    return Shell(
        current=current,
        benches=tuple(Link(entry.title, entry.slug) for entry in BENCHES if entry.need),
        audit=AUDIT,
        library=tuple(replace(one, count=counts.get(one.address)) for one in LIBRARY),
        font=asset(FONTS, "inter.woff2"),
        style=asset(MODULES, "shell.css"),
        module=asset(MODULES, "shell.js"),
        machine=f"CPU, {os.cpu_count()} cores",
        person=signed_in(current_access()),
    )


def template(name: str) -> Template:
    """Return a template of the app by its file name."""
    return _environment().get_template(name)


@cache
def _environment() -> Environment:
    folder = Path(__file__).parent / "templates"
    made = Environment(
        loader=FileSystemLoader(folder),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["marked"] = marked
    made.filters["day"] = day
    made.globals["asset"] = partial(asset, MODULES)
    made.globals["mark"] = Markup(MARK)  # noqa: S704  # it is made here
    return made


def day(time: str) -> str:
    """Return the day of an ISO 8601 time, such as 28 Nov 2026."""
    when = datetime.fromisoformat(time)
    return f"{when.day} {when:%b %Y}"


def marked(scripts: str) -> Markup:
    """Return script elements of Bokeh with the mark of the page's own; see `MARK`.

    What stands inside one is left as it is, and so is whatever stands between two.
    """
    before, *elements = str(scripts).partition(_BEGIN)
    parts = [before]
    rest = "".join(elements)
    while rest.startswith(_BEGIN):
        element, end, after = rest.partition(_END)
        between, begin, rest = after.partition(_BEGIN)
        parts += [_BEGIN, f" {MARK}", element.removeprefix(_BEGIN), end, between]
        rest = begin + rest
    return Markup("".join(parts))  # noqa: S704  # Bokeh has escaped what it holds
