"""The themes of either host."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Literal

from playwright.sync_api import expect

from harness.bench_hosts import BenchHost, NotebookBench

Theme = Literal["dark", "light"]
THEMES: tuple[Theme, ...] = ("dark", "light")


@contextmanager
def light_again(host: BenchHost[Any, Any]) -> Iterator[None]:
    """Leave the host in its light theme."""
    try:
        yield
    finally:
        set_theme(host, "light")


def set_theme(host: BenchHost[Any, Any], theme: Theme) -> None:
    """Switch the host to a theme."""
    if isinstance(host, NotebookBench):
        host.page.evaluate(
            "t => window.jupyterapp.commands.execute('apputils:change-theme', { theme: t })",
            f"JupyterLab {theme.capitalize()}",
        )
        # It covers the page while a theme loads, and trips over the next theme before it is gone.
        expect(host.page.locator("#jupyterlab-splash")).to_have_count(0)
    else:
        host.page.emulate_media(color_scheme=theme)
