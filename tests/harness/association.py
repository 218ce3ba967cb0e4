"""The association bench as a person sees it, and its two hosts behind one face."""

from __future__ import annotations

from typing import Any, ClassVar

from biaslab.probes.association import AssociationResult
from harness.bench_hosts import AppBench, BenchHost, NotebookBench
from harness.bench_page import BenchPage

SUBJECT = "wiki-bootstraps"


class Association(BenchPage):
    """One association bench on a page."""

    answer_ms = 60_000


class Host(BenchHost[Association, AssociationResult]):
    """A page that shows the association bench over one replicate of the bundled ensemble."""

    viewport: ClassVar[Any] = {"width": 1280, "height": 1000}
    bench_page = Association
    result_type = AssociationResult


class NotebookHost(NotebookBench[Association, AssociationResult], Host):
    """JupyterLab with an association bench."""

    setup = f"from biaslab_widgets import AssociationBench\nsubject = bl.load({SUBJECT!r})"
    made = "AssociationBench(subject, replicate=0)"


class AppHost(AppBench[Association, AssociationResult], Host):
    """The app's page of associations."""

    path = "/association?replicate=0"
    own_input = "debiasing"
