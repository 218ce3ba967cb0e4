"""Every lesson runs from its first cell to its last, and its notebook is what its source gives."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import jupytext
import nbclient
import nbformat
import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import notebooks  # noqa: E402  (tools/ is no package)

LESSONS = notebooks.sources()
by_name = pytest.mark.parametrize("source", LESSONS, ids=lambda path: path.stem)


def test_there_are_lessons() -> None:
    assert LESSONS


@by_name
def test_lesson_runs(source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In an empty folder, with empty settings: a lesson needs only what is installed."""
    for name in ("BIASLAB_HOME", "IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_RUNTIME_DIR"):
        monkeypatch.setenv(name, str(tmp_path / name.lower()))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    work = tmp_path / "work"
    work.mkdir()
    notebook = jupytext.read(source, fmt="py:percent")
    client = nbclient.NotebookClient(
        notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(work)}}
    )
    client.execute()
    executed = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert executed
    assert all(cell.execution_count for cell in executed)


@by_name
def test_notebook_is_up_to_date_with_its_source(source: Path) -> None:
    notebook = source.with_suffix(".ipynb")
    assert notebook.read_text(encoding="utf-8") == notebooks.generated(source), (
        "run `make notebooks`"
    )


@by_name
def test_notebook_holds_no_outputs_and_no_widget_state(source: Path) -> None:
    notebook = nbformat.read(source.with_suffix(".ipynb"), as_version=4)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert code
    assert [cell.outputs for cell in code] == [[]] * len(code)
    assert [cell.execution_count for cell in code] == [None] * len(code)
    assert "widgets" not in notebook.metadata


def test_the_check_finds_a_stale_a_missing_and_a_stray_notebook(tmp_path: Path) -> None:
    for name in ("fresh", "stale", "missing"):
        shutil.copy(LESSONS[0], tmp_path / f"{name}.py")
    for name in ("fresh", "stale", "stray"):
        (tmp_path / f"{name}.ipynb").write_text(notebooks.generated(LESSONS[0]), encoding="utf-8")
    (tmp_path / "stale.py").write_text("# %%\nprint('changed')\n")
    found = {path.name for path in notebooks.outdated(tmp_path)}
    assert found == {"stale.ipynb", "missing.ipynb", "stray.ipynb"}
