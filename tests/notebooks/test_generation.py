"""What a lesson's tags do to the notebooks that are made from it."""

from __future__ import annotations

from pathlib import Path

import pytest

import notebooks
from harness.heavy import nbformat

LESSON = """\
# %% [markdown]
# # A lesson

# %%
answer = 42

# %% tags=["check"]
assert answer == 42

# %% tags=["hidden"]
print(answer)

# %% tags=["solution"]
# Your code here. Start from:
# answer / 2
half = answer / 2

# %% tags=["solution"]
third = answer / 3

# %% tags=["check"]
assert half == 21

# %% [markdown] tags=["solution"]
# It is a half.
"""


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "lesson.py"
    path.write_text(LESSON, encoding="utf-8")
    return path


def cells(source: Path, *, solutions: bool) -> list[str]:
    notebook = nbformat.reads(notebooks.generated(source, solutions=solutions), as_version=4)
    return [cell.source for cell in notebook.cells]


def test_a_student_gets_the_comments_that_begin_a_solution_and_no_more(source: Path) -> None:
    assert cells(source, solutions=False) == [
        "# A lesson",
        "answer = 42",
        "print(answer)",
        "# Your code here. Start from:\n# answer / 2",
        notebooks.EMPTY_EXERCISE,
    ]


def test_the_solutions_hold_all_but_the_checks(source: Path) -> None:
    assert cells(source, solutions=True) == [
        "# A lesson",
        "answer = 42",
        "print(answer)",
        "# Your code here. Start from:\n# answer / 2\nhalf = answer / 2",
        "third = answer / 3",
        "It is a half.",
    ]


def test_the_source_keeps_everything_for_the_tests(source: Path) -> None:
    assert len(notebooks.read(source).cells) == LESSON.count("# %%")


def test_a_hidden_cell_is_folded_and_no_tag_is_left(source: Path) -> None:
    notebook = nbformat.reads(notebooks.generated(source), as_version=4)
    folded = [
        c.source for c in notebook.cells if c.metadata.get("jupyter", {}).get("source_hidden")
    ]
    assert folded == ["print(answer)"]
    assert not any("tags" in cell.metadata for cell in notebook.cells)


def test_a_lesson_without_solutions_has_one_notebook(source: Path) -> None:
    made = notebooks.notebooks(source.parent)
    assert [path.name for path in made] == ["lesson.ipynb", "lesson-solutions.ipynb"]
    source.write_text(LESSON.partition('# %% tags=["solution"]')[0], encoding="utf-8")
    assert [path.name for path in notebooks.notebooks(source.parent)] == ["lesson.ipynb"]


@pytest.mark.parametrize(
    ("cell", "told"),
    [
        ('# %% tags=["solutoin"]\n1', r"lesson\.py, cell '1': unknown tag solutoin; use check"),
        ('# %% [markdown] tags=["check"]\n# text', "only code can be a check or hidden"),
    ],
)
def test_a_wrong_tag_is_told(source: Path, cell: str, told: str) -> None:
    source.write_text(cell, encoding="utf-8")
    with pytest.raises(ValueError, match=told):
        notebooks.read(source)


def test_the_check_finds_a_stale_a_missing_and_a_stray_notebook(source: Path) -> None:
    folder = source.parent
    for path, text in notebooks.notebooks(folder).items():
        path.write_text(text, encoding="utf-8")
    assert list(notebooks.outdated(folder)) == []
    (folder / "lesson-solutions.ipynb").unlink()
    (folder / "stray.ipynb").write_text("{}", encoding="utf-8")
    source.write_text(LESSON.replace("A lesson", "Another lesson"), encoding="utf-8")
    found = {path.name for path in notebooks.outdated(folder)}
    assert found == {"lesson.ipynb", "lesson-solutions.ipynb", "stray.ipynb"}
