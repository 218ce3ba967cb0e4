"""A bench in both hosts: a cell of a notebook in JupyterLab, and a page of the served app."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from playwright.sync_api import Browser, Page

from benchmarks.browser import open_page
from harness.jupyter_lab import JupyterLab
from harness.served_app import ServedApp


@dataclass(frozen=True)
class Shown:
    """A bench that is shown.

    Attributes
    ----------
    bench : str
        Its folder, which is its address in the served app, too.
    name : str
        Of its class.
    arguments : str
        With which it is made, as Python text.
    before : str
        Python text that is run first.
    """

    bench: str
    name: str
    arguments: str
    before: str = ""

    def with_options(self, **options: object) -> Shown:
        """The same bench with more arguments."""
        return replace(self, arguments=f"{self.arguments}, **{options!r}")


HOSTS = ("JupyterLab", "served app")


@contextmanager
def opened(
    browser: Browser, host: str, shown: Shown, arguments: Sequence[str] = ()
) -> Iterator[Page]:
    """A page of a fresh host that shows the bench.

    Parameters
    ----------
    browser : Browser
    host : str
        One of `HOSTS`.
    shown : Shown
    arguments : sequence of str
        Of JupyterLab's command.
    """
    with tempfile.TemporaryDirectory() as folder:
        if host == "JupyterLab":
            cell = f"""{shown.before}
from biaslab_widgets import {shown.name}
bench = {shown.name}({shown.arguments})
bench"""
            with JupyterLab(Path(folder), arguments) as lab, open_page(browser) as page:
                lab.open(page, lab.write_notebook("bench.ipynb", [cell]))
                lab.run_all(page)
                yield page
        else:
            app = ServedApp(Path(folder))
            code = app.command.index("-c") + 1
            app.command[code] = f"""{shown.before}
from biaslab_widgets.benches.{shown.bench}.widget import {shown.name}
{shown.name}.on_page = classmethod(lambda made, shared: made({shown.arguments}))
{app.command[code]}"""
            with app, open_page(browser) as page:
                page.goto(f"{app.url}/{shown.bench}")
                yield page
