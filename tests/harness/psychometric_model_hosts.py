"""The psychometric bench over a language model with a planted truth, in either host."""

from __future__ import annotations

from abc import abstractmethod
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser

import biaslab as bl
from biaslab_widgets.benches.psychometric.fields import GENDER_PAIRS
from harness.bench_hosts import AppBench, BenchHost, NotebookBench
from harness.jupyter_lab import JupyterLab
from harness.planted_language_models import planted_folder
from harness.psychometric import PsychometricPage
from harness.served_app import ServedApp

#: What words add: items less their PSE, and two words of frames that lean.
ADDS = {"nurse": -0.62, "engineer": -0.4, "teacher": -0.5, "Last": 0.35, "report": -0.55}
NOISE = 0.15
LIBRARY_MS = 120_000
WOMAN_MAN = GENDER_PAIRS.index(["woman", "man"])


def planted(folder: Path) -> Path:
    """The folder of the model that both hosts show."""
    return planted_folder(folder / "planted", ADDS, NOISE)


class Host(BenchHost):
    """A page with a psychometric bench that shows the planted model."""

    model: Path

    @abstractmethod
    def show(self) -> PsychometricPage:
        """A fresh bench of the model, asked about nurse between woman and man."""

    def result(
        self, bench: PsychometricPage, word: str = "nurse", **options: Any
    ) -> bl.probes.psychometrics.TwoAFCResult:
        """What Python finds for a word."""
        lm = bl.load(self.model, kind="clm", device="cpu")
        found: bl.probes.psychometrics.TwoAFCResult = bl.two_afc(
            lm, [word], ("woman", "man"), **options
        )
        return found

    def layers(self, bench: PsychometricPage) -> bl.probes.psychometrics.LayersResult:
        """What Python finds at every layer."""
        lm = bl.load(self.model, kind="clm", device="cpu")
        found: bl.probes.psychometrics.LayersResult = bl.two_afc(
            lm, ["nurse"], ("woman", "man"), layers="all"
        )
        return found


class NotebookHost(NotebookBench, Host):
    """JupyterLab with a psychometric bench."""

    notebook_name = "psychometric-model.ipynb"

    def __init__(self, browser: Browser, lab: JupyterLab, model: Path) -> None:
        super().__init__(browser, lab, "from biaslab_widgets import PsychometricBench")
        self.model = model

    def show(self) -> PsychometricPage:
        self.show_cell(
            f'lm = bl.load({str(self.model)!r}, kind="clm", device="cpu")\n'
            f'bench = PsychometricBench(lm, word="nurse", selected_pairs=[{WOMAN_MAN}]); bench'
        )
        return PsychometricPage.on(self.page).settle()


class AppHost(AppBench, Host):
    """The app's page of the psychometric bench, on which the model is chosen."""

    path = "/psychometric?subject=planted"
    own_input = "selected_pairs"

    def __init__(self, browser: Browser, served: ServedApp, model: Path) -> None:
        super().__init__(browser, served)
        self.model = model

    def show(self) -> PsychometricPage:
        self.load()
        # The first model that a server opens brings its library with it.
        return PsychometricPage.on(self.page).settle(timeout=LIBRARY_MS)
