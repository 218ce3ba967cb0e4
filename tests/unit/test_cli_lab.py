"""`biaslab lab`: what JupyterLab is started with, and which lessons it opens."""

from __future__ import annotations

from pathlib import Path

import pytest

from biaslab.cli import lab, main

NOTEBOOKS = Path(__file__).resolve().parents[2] / "notebooks"


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    arguments: list[str] = []
    monkeypatch.setattr(lab, "_run_jupyter_lab", arguments.extend)
    return arguments


def test_in_a_checkout_the_notebooks_themselves_open(started: list[str]) -> None:
    assert main(["lab", str(NOTEBOOKS.parent)]) == 0
    assert "--LabApp.default_url=/lab/tree/notebooks/index.ipynb" in started
    assert f"--ServerApp.root_dir={NOTEBOOKS.parent}" in started
    assert "--ServerApp.ip=127.0.0.1" in started
    assert "--no-browser" not in started


def test_elsewhere_lessons_are_copied_once(started: list[str], tmp_path: Path) -> None:
    lesson = tmp_path / lab.COPIES / "lesson-1.ipynb"
    lesson.parent.mkdir()
    lesson.write_text("mine")
    assert main(["lab", str(tmp_path), "--no-open", "--port", "9001"]) == 0
    assert lesson.read_text() == "mine"
    copied = {path.name for path in lesson.parent.iterdir()}
    assert copied == {path.name for path in NOTEBOOKS.glob("*.ipynb")}
    assert f"--LabApp.default_url=/lab/tree/{lab.COPIES}/index.ipynb" in started
    assert {"--no-browser", "--ServerApp.port=9001"} <= set(started)


def test_without_jupyterlab_the_message_names_the_pip_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr(lab, "find_spec", lambda name: None)
    assert main(["lab", str(tmp_path)]) == 1
    assert "pip install 'biaslab[lab]'" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_not_there_is_refused(
    started: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["lab", str(tmp_path / "none")]) == 1
    assert "There is no folder" in capsys.readouterr().err
    assert started == []


def test_the_settings_are_those_of_jupyterlab() -> None:
    from jupyter_server.serverapp import ServerApp
    from jupyterlab.labapp import LabApp

    classes = {"ServerApp": ServerApp, "LabApp": LabApp}
    for name in lab.SETTINGS:
        owner, _, trait = name.partition(".")
        assert classes[owner].class_traits()[trait]
