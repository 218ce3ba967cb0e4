"""A bench in both hosts: a cell of a notebook in JupyterLab, and a page of the served app."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page

from benchmarks.browser import open_page

from harness.jupyter_lab import JupyterLab  # isort: skip  (found through benchmarks.browser)
from harness.served_app import ServedApp  # isort: skip


@contextmanager
def in_lab(browser: Browser, cell: str) -> Iterator[Page]:
    """A page of a fresh JupyterLab in which the cell was run."""
    with (
        tempfile.TemporaryDirectory() as folder,
        JupyterLab(Path(folder)) as lab,
        open_page(browser) as page,
    ):
        lab.open(page, lab.write_notebook("bench.ipynb", [cell]))
        lab.run_all(page)
        yield page


@contextmanager
def served(browser: Browser, page_name: str, before: str) -> Iterator[Page]:
    """A page of a fresh app; what is said `before` is run in its process first."""
    with tempfile.TemporaryDirectory() as folder:
        app = ServedApp(Path(folder))
        code = app.command.index("-c") + 1
        app.command[code] = f"{before}\n{app.command[code]}"
        with app, open_page(browser) as page:
            page.goto(f"{app.url}/{page_name}")
            yield page
