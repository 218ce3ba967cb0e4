"""The opinion bench as a person sees it, and its two hosts behind one face."""

from __future__ import annotations

from typing import Any, ClassVar

from biaslab.probes.opinion import OpinionResult
from harness.bench_hosts import AppBench, BenchHost, NotebookBench
from harness.bench_page import BenchPage


class Opinion(BenchPage):
    """One opinion bench on a page."""

    answer_ms = 60_000


class Host(BenchHost[Opinion, OpinionResult]):
    """A page that shows the opinion bench."""

    viewport: ClassVar[Any] = {"width": 1280, "height": 1000}
    permissions: ClassVar[list[str]] = ["clipboard-read", "clipboard-write"]
    bench_page = Opinion
    result_type = OpinionResult


class NotebookHost(NotebookBench[Opinion, OpinionResult], Host):
    """JupyterLab with an opinion bench."""

    setup = "from biaslab_widgets import OpinionBench"
    made = "OpinionBench()"


class AppHost(AppBench[Opinion, OpinionResult], Host):
    """The app's page of second opinions."""

    path = "/opinion"
    own_input = "alike"
