"""What a lesson's tags do to the notebooks that are made from it."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.deferred import Deferred
from harness.heavy import nbformat

notebooks = Deferred("notebooks")
digest = Deferred("biaslab_widgets.classroom.digest")

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
    path = tmp_path / "lessons" / "lesson.py"
    path.parent.mkdir()
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


WAITING = """\
# %% [markdown]
# ## 1. A part

# %%
first = Prediction("Which?", ["one", "two"])

# %% tags=["hidden"]
truth = 0.60
first.reveal("two")

# %%
print(truth)

# %% [markdown]
# It is 0.60.
#
# ### Next
# Text.

# %%
table = 1

# %% tags=["after:first"]
print("two")

# %% [markdown] tags=["after:first"]
# ## 2. Later
# It was two.

# %%
SelfCheck("Where?", right=62.5, digits=1, hint="Think.")
SelfCheck("Which, “really”?", ["one", "two"], right="two")
"""


def test_all_below_a_prediction_waits_up_to_the_next_heading(source: Path) -> None:
    source.write_text(WAITING, encoding="utf-8")
    notebook = nbformat.reads(notebooks.generated(source), as_version=4)
    assert [(c.cell_type, c.source) for c in notebook.cells[:-1]] == [
        ("markdown", "## 1. A part"),
        ("code", 'first = Prediction("Which?", ["one", "two"])'),
        ("code", f'{notebooks.REVEAL}\ntruth = 0.60\nfirst.reveal("two")'),
        ("code", "%%after first\nprint(truth)"),
        ("code", "%%text_after first\nIt is 0.60."),
        ("markdown", "### Next\n\nText."),
        ("code", "table = 1"),
        ("code", '%%after first\nprint("two")'),
        ("markdown", "## 2. Later"),
        ("code", "%%text_after first\nIt was two."),
    ]
    folded = [bool(c.metadata.get("jupyter", {}).get("source_hidden")) for c in notebook.cells]
    assert [n for n, yes in enumerate(folded) if yes] == [2, 4, 9]


def test_what_is_folded_is_in_no_exported_page(source: Path) -> None:
    nbconvert = pytest.importorskip("nbconvert")
    source.write_text(WAITING, encoding="utf-8")
    notebook = nbformat.reads(notebooks.generated(source), as_version=4)
    page, _ = nbconvert.HTMLExporter().from_notebook_node(notebook)
    assert "0.60" not in page.partition("<body")[2]
    assert "It was two." not in page.partition("<body")[2]


def test_a_student_gets_the_digest_of_a_right_answer(source: Path) -> None:
    source.write_text(WAITING, encoding="utf-8")
    last = cells(source, solutions=False)[-1]
    assert "right" not in last
    assert "62.5" not in last
    number, choice = last.splitlines()
    assert f'digest="{digest.digest_of("Where?", "62.5", 1)}"' in number
    assert f'digest="{digest.digest_of("Which, “really”?", "two")}"' in choice
    assert number.endswith('digits=1, hint="Think.")')


def test_the_solutions_link_to_the_lessons_of_the_students(source: Path) -> None:
    source.write_text("# %% [markdown]\n# See [it](lesson-1.ipynb).\n", encoding="utf-8")
    assert cells(source, solutions=True) == ["See [it](../../notebooks/lesson-1.ipynb)."]
    assert cells(source, solutions=False) == ["See [it](lesson-1.ipynb)."]


def test_solutions_lie_outside_what_students_get(source: Path) -> None:
    root = source.parent.parent
    made = notebooks.notebooks(source.parent)
    assert [path.relative_to(root).as_posix() for path in made] == [
        "notebooks/lesson.ipynb",
        "lessons/solutions/lesson-solutions.ipynb",
    ]
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
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert list(notebooks.outdated(folder)) == []
    (folder / "solutions" / "lesson-solutions.ipynb").unlink()
    (folder.parent / "notebooks" / "stray.ipynb").write_text("{}", encoding="utf-8")
    source.write_text(LESSON.replace("A lesson", "Another lesson"), encoding="utf-8")
    found = {path.name for path in notebooks.outdated(folder)}
    assert found == {"lesson.ipynb", "lesson-solutions.ipynb", "stray.ipynb"}
