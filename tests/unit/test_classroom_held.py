"""Cells that wait for a prediction, in a kernel: what a notebook holds before and after it."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from harness.heavy import nbclient, nbformat

ASK = """from biaslab_widgets.classroom import Prediction
guess = Prediction("Which?", ["one", "two"])
guess"""
CELLS = [
    ASK,
    'guess.reveal("two", "secret reason")',
    '%%after guess\nsecret = 3\nprint("secret", secret)\n{"secret": secret}',
    "%%text_after guess\nA **secret** text.",
    '%%after guess\nthen = Prediction("Then?", ["x", "y"])\nthen',
    '%%after then\nprint("later secret")',
    "secret",
]


WRONG = ("%%after guess\n1 / 0", "%%after nothing\n1")


def run(folder: Path, *stages: Sequence[str]) -> list[list[Any]]:
    """Run cells in one kernel: all cells as they are after each stage."""
    notebook = nbformat.v4.new_notebook()
    where = {"metadata": {"path": str(folder)}}
    client = nbclient.NotebookClient(
        notebook, timeout=120, kernel_name="python3", resources=where, allow_errors=True
    )
    seen = []
    with client.setup_kernel():
        for stage in stages:
            for source in stage:
                notebook.cells.append(nbformat.v4.new_code_cell(source))
                client.execute_cell(notebook.cells[-1], len(notebook.cells) - 1)
            seen.append(deepcopy(notebook.cells))
    return seen


def text(cell: Any) -> str:
    return "\n".join(
        str(one.get("text", "")) + str(dict(one.get("data", {}))) for one in cell.outputs
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("predictions")


@pytest.fixture(scope="module")
def stages(folder: Path) -> list[list[Any]]:
    """Before any answer, where two cells are wrong; after one answer; after two."""
    return run(folder, (*CELLS, *WRONG), ('guess.answer("one")',), ('then.answer("x")',))


@pytest.fixture(scope="module")
def again(stages: list[list[Any]], folder: Path) -> list[Any]:
    """The notebook in a new kernel, after both answers."""
    return run(folder, CELLS)[0]


def test_after_run_all_nothing_below_a_prediction_is_in_the_notebook(
    stages: list[list[Any]],
) -> None:
    before = stages[0]
    assert "Which?" in text(before[0])
    assert "predicted" not in text(before[0])
    assert "once you have committed" in text(before[1])
    for cell in before[1:6]:
        assert "secret" not in text(cell)
        assert "Then?" not in text(cell)


def test_a_waiting_cell_gives_its_names_to_later_cells(stages: list[list[Any]]) -> None:
    assert stages[0][6].outputs[0].data["text/plain"] == "3"


def test_a_committed_prediction_fills_the_cells_below_it_and_the_next_one_waits(
    stages: list[list[Any]],
) -> None:
    cells = stages[1]
    assert "You predicted: one." in text(cells[0])
    assert "Result: two (you predicted: one)." in text(cells[1])
    assert "secret reason" in text(cells[1])
    assert "secret 3" in text(cells[2])
    assert "{'secret': 3}" in text(cells[2])
    assert cells[3].outputs[0].data["text/markdown"].strip() == "A **secret** text."
    assert "Then?" in text(cells[4])
    assert "later" not in text(cells[5])


def test_a_prediction_that_waited_says_what_was_predicted(stages: list[list[Any]]) -> None:
    assert "You predicted: x." in text(stages[2][4])


def test_kept_predictions_open_everything_when_the_notebook_runs_again(again: list[Any]) -> None:
    assert "Result: two (you predicted: one)." in text(again[1])
    assert "You predicted: x." in text(again[4])
    assert "later secret" in text(again[5])
    assert "error" not in {one.output_type for cell in again for one in cell.outputs}


def test_an_executed_lesson_as_a_page_shows_question_and_answer_without_a_network(
    again: list[Any],
) -> None:
    nbconvert = pytest.importorskip("nbconvert")
    notebook = nbformat.v4.new_notebook(cells=again)
    page, _ = nbconvert.HTMLExporter().from_notebook_node(notebook)
    shown = page.partition("<body")[2]
    assert "Which?" in shown
    assert "Answers: one; two" in shown
    assert "You predicted: one." in shown
    assert "Result: two (you predicted: one)." in shown


def test_an_error_below_a_prediction_is_an_error_of_its_cell(stages: list[list[Any]]) -> None:
    *right, broken, nameless = stages[0]
    assert "error" not in {one.output_type for cell in right for one in cell.outputs}
    assert [one.output_type for one in broken.outputs] == ["error"]
    assert broken.outputs[0].ename == "ZeroDivisionError"
    assert "There is no prediction 'nothing'" in text(nameless) + str(nameless.outputs)
