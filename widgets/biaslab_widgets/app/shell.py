"""What every page of the app shows around its content."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template

from biaslab_widgets.app.assets import FONTS, MODULES, asset
from biaslab_widgets.benches import BENCHES

HOME = "."


@dataclass(frozen=True)
class Link:
    """An entry of the navigation.

    Attributes
    ----------
    title : str
    address : str
        Relative to the server's root, where all pages of the app lie.
    count : int or None
        Number of things on the page; None where none is shown.
    """

    title: str
    address: str
    count: int | None = None


LIBRARY = (
    Link("Subjects", "subjects"),
    *(Link(entry.title, entry.slug) for entry in BENCHES if not entry.question),
    Link("Runs", "runs"),
)
"""Pages that ask a model nothing, in the order of the navigation."""


@dataclass(frozen=True)
class Shell:
    """Variables of ``templates/shell.html``.

    Attributes
    ----------
    current : str
        Address of the page; empty where the navigation does not list it.
    benches, library : tuple of Link
    font, style, module : str
        Addresses of the built files.
    machine : str
        What computes.
    """

    current: str
    benches: tuple[Link, ...]
    library: tuple[Link, ...]
    font: str
    style: str
    module: str
    machine: str
    home: Link = Link("Home", HOME)


def shell(current: str, counts: Mapping[str, int] | None = None) -> Shell:
    """Return what surrounds the content of a page.

    Parameters
    ----------
    current : str
        Address of the entry of the navigation that is marked; empty for none.
    counts : mapping of str to int, optional
        Numbers that stand beside entries, by address.
    """
    counts = counts or {}
    return Shell(
        current=current,
        benches=tuple(Link(entry.title, entry.slug) for entry in BENCHES if entry.question),
        library=tuple(replace(one, count=counts.get(one.address)) for one in LIBRARY),
        font=asset(FONTS, "inter.woff2"),
        style=asset(MODULES, "shell.css"),
        module=asset(MODULES, "shell.js"),
        machine=f"CPU, {os.cpu_count()} cores",
    )


def template(name: str) -> Template:
    """Return a template of the app by its file name."""
    return _environment().get_template(name)


@cache
def _environment() -> Environment:
    folder = Path(__file__).parent / "templates"
    return Environment(
        loader=FileSystemLoader(folder),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
