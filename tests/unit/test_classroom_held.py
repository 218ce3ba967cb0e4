"""Cells that wait for a prediction, in a kernel: what a notebook holds before and after it."""

from __future__ import annotations

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


def run(folder: Path, *last: str, allow_errors: bool = False) -> list[Any]:
    """Run the cells, and say what each shows as media types and text."""
    code = nbformat.v4.new_code_cell
    notebook = nbformat.v4.new_notebook(cells=[code(source) for source in (*CELLS, *last)])
    client = nbclient.NotebookClient(
        notebook,
        timeout=120,
        kernel_name="python3",
        resources={"metadata": {"path": str(folder)}},
        allow_errors=allow_errors,
    )
    client.execute()
    return list(notebook.cells)


def text(cell: Any) -> str:
    return "\n".join(
        str(one.get("text", "")) + str(dict(one.get("data", {}))) for one in cell.outputs
    )


@pytest.fixture(scope="module")
def before(tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    """Before any answer; the last two cells are wrong."""
    wrong = ("%%after guess\n1 / 0", "%%after nothing\n1")
    return run(tmp_path_factory.mktemp("before"), *wrong, allow_errors=True)


@pytest.fixture(scope="module")
def committed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Any]]:
    """The first prediction was made: the folder that keeps it, and the cells."""
    folder = tmp_path_factory.mktemp("committed")
    return folder, run(folder, 'guess.answer("one")')


def test_after_run_all_nothing_below_a_prediction_is_in_the_notebook(before: list[Any]) -> None:
    assert "Which?" in text(before[0])
    assert "predicted" not in text(before[0])
    assert "once you have committed" in text(before[1])
    for cell in before[1:6]:
        assert "secret" not in text(cell)
        assert "Then?" not in text(cell)


def test_a_waiting_cell_gives_its_names_to_later_cells(before: list[Any]) -> None:
    assert before[6].outputs[0].data["text/plain"] == "3"


def test_a_committed_prediction_fills_the_cells_below_it_and_the_next_one_waits(
    committed: tuple[Path, list[Any]],
) -> None:
    _, cells = committed
    assert "You predicted: one." in text(cells[0])
    assert "Result: two (you predicted: one)." in text(cells[1])
    assert "secret reason" in text(cells[1])
    assert "secret 3" in text(cells[2])
    assert "{'secret': 3}" in text(cells[2])
    assert cells[3].outputs[0].data["text/markdown"].strip() == "A **secret** text."
    assert "Then?" in text(cells[4])
    assert "later" not in text(cells[5])


def test_kept_predictions_open_everything_when_the_notebook_runs_again(tmp_path: Path) -> None:
    run(tmp_path, 'guess.answer("two"); then.answer("x")')
    cells = run(tmp_path)
    assert "Result: two (as you predicted)." in text(cells[1])
    assert "You predicted: x." in text(cells[4])
    assert "later secret" in text(cells[5])


def test_an_executed_lesson_as_a_page_shows_question_and_answer_without_a_network(
    committed: tuple[Path, list[Any]],
) -> None:
    nbconvert = pytest.importorskip("nbconvert")
    folder, _ = committed
    notebook = nbformat.v4.new_notebook(cells=run(folder))
    page, _ = nbconvert.HTMLExporter().from_notebook_node(notebook)
    shown = page.partition("<body")[2]
    assert "Which?" in shown
    assert "You predicted: one." in shown
    assert "Result: two (you predicted: one)." in shown


def test_an_error_below_a_prediction_is_an_error_of_its_cell(before: list[Any]) -> None:
    *right, broken, nameless = before
    assert "error" not in {one.output_type for cell in right for one in cell.outputs}
    assert [one.output_type for one in broken.outputs] == ["error"]
    assert broken.outputs[0].ename == "ZeroDivisionError"
    assert "There is no prediction 'nothing'" in text(nameless) + str(nameless.outputs)
