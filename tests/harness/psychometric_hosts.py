"""The psychometric bench in its two hosts, behind one face, so that one test runs in both."""

from __future__ import annotations

from abc import abstractmethod
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser

import biaslab as bl
from biaslab.subjects import ensemble_folder
from biaslab_widgets.benches.psychometric.fields import COMPONENT, GENDER_PAIRS
from harness import embedding_files
from harness.bench_hosts import AppBench, BenchHost, NotebookBench
from harness.jupyter_lab import JupyterLab
from harness.psychometric import PsychometricPage
from harness.served_app import ServedApp

PSE = {"nurse": 0.61, "electrician": 0.36, "teacher": 0.5, "librarian": 0.57, "zoologist": 1.04}
"""Known words and where their answers switch; the last lies outside the axis."""

OBSERVERS = f"""
import biaslab as bl
from biaslab_widgets import PsychometricBench
from biaslab_widgets.benches.psychometric.fields import GENDER_PAIRS
subject = bl.observers.embedding(
    pse={PSE!r}, jnd=0.05, replicates=32, cues=[tuple(p) for p in GENDER_PAIRS],
    cosine=0.95, seed=1,
)
"""


SEEN_ONLY = ("alpha", "fit_axis", "residuals")
"""Inputs that change what is seen and not what is asked."""


def observers() -> bl.EmbeddingEnsemble:
    """The simulated subject that both hosts show."""
    scope: dict[str, Any] = {}
    exec(OBSERVERS, scope)
    subject: bl.EmbeddingEnsemble = scope["subject"]
    return subject


class Subjects:
    """Files of the simulated subject for the served app.

    Attributes
    ----------
    ensemble, single, truncated : Path
        All replicates; the first one; the first one in a file whose last line is cut off.
    served : tuple of Path
        What the app offers.
    """

    def __init__(self, folder: Path) -> None:
        subject = observers()
        words = list(subject.words)
        vectors = subject.vectors(words)
        self.ensemble = folder / "observers"
        self.ensemble.mkdir()
        ensemble_folder.write_vocabulary(self.ensemble, words)
        for number, replicate in enumerate(vectors):
            ensemble_folder.write_replicate(self.ensemble, number, replicate)
        recipe = {"replicates": len(vectors), "method": "simulated"}
        ensemble_folder.write_manifest(self.ensemble, recipe)
        text = embedding_files.word2vec_text(words, vectors[0])
        self.single = embedding_files.write(folder / "single.txt", text)
        self.truncated = folder / "truncated.txt"
        self.truncated_line = len(words) + 1
        self.served = (self.ensemble, self.single, self.truncated)
        self.damage()

    def damage(self) -> None:
        """Cut the last line of the truncated file in the middle."""
        self.truncated.write_bytes(self.single.read_bytes()[:-60])

    def repair(self) -> None:
        """Make the truncated file whole."""
        self.truncated.write_bytes(self.single.read_bytes())


class Host(BenchHost):
    """A page with a psychometric bench that shows the simulated subject."""

    component = COMPONENT
    subjects: Subjects

    def show(self, subject: str = "ensemble") -> PsychometricPage:
        """A fresh bench of "ensemble", "single" or "truncated", asked about nurse.

        It is not waited for.
        """
        return self._show(subject)

    def bench(self) -> PsychometricPage:
        """A psychometric bench of the ensemble, asked about nurse, with nothing else changed."""
        return self.kept(lambda: self.show().settle())

    @abstractmethod
    def _show(self, subject: str) -> PsychometricPage:
        """See `show`."""

    @abstractmethod
    def result(
        self, bench: PsychometricPage, **inputs: Any
    ) -> bl.probes.psychometrics.TwoAFCResult:
        """Python's result of what was asked; ``inputs`` are those that the test has changed."""


class NotebookHost(NotebookBench, Host):
    """JupyterLab with a psychometric bench."""

    notebook_name = "psychometric.ipynb"

    def __init__(self, browser: Browser, lab: JupyterLab, subjects: Subjects) -> None:
        super().__init__(browser, lab, OBSERVERS)
        self.subjects = subjects

    def _show(self, subject: str) -> PsychometricPage:
        given = {
            "ensemble": "subject",
            "single": "subject.replicate(0)",
            "truncated": f"[{str(self.subjects.truncated)!r}, subject]",
        }
        self.show_cell(f'bench = PsychometricBench({given[subject]}, word="nurse"); bench')
        return PsychometricPage.on(self.page)

    def result(
        self, bench: PsychometricPage, **inputs: Any
    ) -> bl.probes.psychometrics.TwoAFCResult:
        for name, value in inputs.items():
            self.holds(name, value)
        return self.kernel_result(bl.probes.psychometrics.TwoAFCResult)


class AppHost(AppBench, Host):
    """The app's page of the psychometric bench."""

    path = "/psychometric?subject=observers"
    own_input = "selected_pairs"

    def __init__(self, browser: Browser, served: ServedApp, subjects: Subjects) -> None:
        super().__init__(browser, served)
        self.subjects = subjects
        self.loaded = bl.load(subjects.ensemble)

    def _show(self, subject: str) -> PsychometricPage:
        self.load()
        bench = PsychometricPage.on(self.page).settle()
        if subject != "ensemble":
            bench.part("subject-select").select_option(subject)
        return bench

    def result(
        self, bench: PsychometricPage, **inputs: Any
    ) -> bl.probes.psychometrics.TwoAFCResult:
        names = {"word": "items", "noise": "perception"}
        asked = {name: value for name, value in inputs.items() if name not in SEEN_ONLY}
        options = {names.get(name, name): value for name, value in asked.items()}
        selected = options.pop("selected_pairs", [GENDER_PAIRS.index(["woman", "man"])])
        options.setdefault("items", "nurse")
        pairs = [tuple(GENDER_PAIRS[i]) for i in selected]
        found: bl.probes.psychometrics.TwoAFCResult = bl.two_afc(self.loaded, cues=pairs, **options)
        return found
