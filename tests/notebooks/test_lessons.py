"""Every lesson runs from its first cell to its last, and what its text says is what comes out.

A lesson's source holds checks beside its claims (see ``tools/notebooks.py``): running it with all
its cells holds the text to the bundled subject. That one run stands for the notebooks made from
it, because no cell of theirs takes a name from a cell that they leave out; ``make validate`` runs
each notebook as it is delivered.
"""

from __future__ import annotations

import ast
import html
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import notebooks
from harness.deferred import Deferred
from harness.heavy import nbclient, nbformat
from harness.notebook_names import providers

classroom = Deferred("biaslab_widgets.classroom")

ROOT = Path(__file__).resolve().parents[2]
LESSONS = [source for source in notebooks.sources() if source.stem.startswith("lesson-")]
INDEX = notebooks.LESSONS / "index.py"
OWN = notebooks.LESSONS / "your-own.py"
STUDENTS = [notebooks.paths(lesson)[0] for lesson in LESSONS]
NOTEBOOKS = [path for lesson in [*LESSONS, INDEX, OWN] for path in notebooks.paths(lesson)]
by_lesson = pytest.mark.parametrize("source", LESSONS, ids=lambda path: path.stem)
LONG = ("lesson-2", "lesson-3", "lesson-4", "lesson-5", "lesson-6", "lesson-7", "lesson-8")
"""Lessons that compute for longer than ten seconds: ``make validate`` runs them."""
by_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)

WAITING = "The answer appears here once you have committed your prediction above."

GIVEN = {
    *("0 %", "50 %", "75 %", "95 %", "100 %"),  # neutral, ends, the JND's share, a level
    *("60 %", "0.6", "70 %"),  # truths that a lesson puts in
    *("0.30", "0.20", "0.60", "0.90", "0.10", "0.00", "0.003", "0.002", "0.001"),  # exercises
    *("89 %", "0.8", "1.81"),  # a level, a rule of thumb, and what a paper printed
    *("3.84",),  # chi-squared that is significant at 95 % with one degree of freedom
    *("1.01", "0.5", "0.4", "0.4888"),  # R-hat that is wanted, a right angle, what a paper printed
}
"""What a text may state: numbers that it sets, none that a subject answers."""


FRESH = """
%reset -f
import os
os.chdir({work!r})
os.environ.update({environment!r})
del os
"""


@contextmanager
def started(folder: Path) -> Iterator[Any]:
    """A kernel with empty settings."""
    client = nbclient.NotebookClient(nbformat.v4.new_notebook(), timeout=900, kernel_name="python3")
    with pytest.MonkeyPatch.context() as patch:
        for name in ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_RUNTIME_DIR"):
            patch.setenv(name, str(folder / name.lower()))
        with client.setup_kernel():
            yield client


@pytest.fixture(scope="module")
def kernel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A kernel that notebooks share one after the other."""
    with started(tmp_path_factory.mktemp("kernel")) as client:
        yield client


def run(notebook: Any, folder: Path, kernel: Any, **environment: str) -> Any:
    """Run a notebook in the folder's work and home, with no names of those before it."""
    work = folder / "work"
    work.mkdir(exist_ok=True)
    given = {"BIASLAB_HOME": str(folder / "home"), "PATH": os.environ["PATH"], **environment}
    fresh = nbformat.v4.new_code_cell(FRESH.format(work=str(work), environment=given))
    kernel.nb = notebook
    kernel.reset_execution_trackers()
    for number, cell in enumerate([fresh, *notebook.cells], start=-1):
        kernel.execute_cell(cell, number)
    return notebook


def code(notebook: Any) -> list[Any]:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def warnings_of(executed: list[Any]) -> list[str]:
    return [
        output.text
        for cell in executed
        for output in cell.outputs
        if output.output_type == "stream" and output.name == "stderr"
    ]


def text(notebook: Any) -> str:
    return "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")


def test_there_are_lessons() -> None:
    assert [source.stem for source in LESSONS] == [f"lesson-{n}" for n in range(9)]


@pytest.mark.parametrize(
    "source",
    [
        pytest.param(path, marks=[pytest.mark.validate] if path.stem in LONG else [], id=path.stem)
        for path in LESSONS
    ],
)
def test_lesson_runs_and_its_claims_hold(source: Path, tmp_path: Path, kernel: Any) -> None:
    lesson = notebooks.read(source)
    assert sum("check" in notebooks.tags(cell) for cell in lesson.cells) >= 5
    lesson.cells = list(with_all_shown(lesson.cells))
    executed = code(run(lesson, tmp_path, kernel))
    assert all(cell.execution_count for cell in executed)
    assert warnings_of(executed) == []
    assert given_away(executed, ANSWERS[source.stem]) == []


ANSWERS: dict[str, dict[str, str]] = {
    "lesson-0": {},
    "lesson-1": {
        "sloppy_differs": "is flatter",
        "electrician": r"needs \d+ % his .* for electrician",
        "more": "width of the Monte Carlo interval",
        "seven": r"girl / boy: \d",
        "labour": "r = −",
        "loved": "leans love",
    },
    "lesson-2": {
        "nothing": r"In \d+ of 100",
        "nearer": "only “he”",
        "neutral": "neutral controls",
        "how_many": r"\d of 14:",
        "independent": "times narrower",
        "moves": "replicates in which it is nearer",
    },
    "lesson-3": {
        "wider": "width of the prior",
        "nowhere": "surer than 99",
        "believe": "Do not trust",
        "halves": "agreement of two halves",
        "nearest": "laughable",
        "whose": "ale names lie closer",
    },
    "lesson-4": {
        "where": "algebra +algebra",
        "left_to_right": "town +town",
        "score": r"both lists: \d",
        "maths": r"about math|math: \d",
        "nobodys": r"wiki-clm: \d",
        "holds": "as if pairs were independent",
        "buy": "mean width of the interval",
        "ways": r"written by hand: \d",
    },
    "lesson-5": {
        "always": r"P\(helper\) +of its own group",
        "spread": r"set 8: \d",
        "captions": r"she is a \.\.\.: \d",
        "control": r"neighbours, visitors: \d",
        "counting": r"control, counted: \d",
        "where": "must look",
        "others": r"photographer: \d",
        "clearer": r"a nurse who is \.\.\.: \d",
    },
    "lesson-6": {
        "even": "4/36/0",
        "always": "not similar",
        "unit": "18/2/0",
        "more": "experiments of each size",
        "row": 'slip in this cell|"differs": true',
        "slips": "corrected rule is right",
        "erased": "Directly: not rateable",
        "real": r"her job\. +through",
    },
    "lesson-7": {
        "by_hand": r"was declined \d+ times more",
        "refusing": "refused +white-sounding",
        "one_order": r"always listed first +\S+\d",
        "unread": "gap, planted: 6 years",
        "other_pairs": r"Anne and Ebony +\d",
        "fewer": r"two names a group +\d",
        "saving": r"constant stimuli +\d",
        "open_end": "alike within one year",
        "four_fifths": "impact ratio +four-fifths rule",
    },
    "lesson-8": {
        "counts_right": "Both have counted well",
        "fair": r"\d+ of 100 fair rankers fail",
        "enough": "8,000 rankings +0",
        "corrected": "p by itself +p corrected",
        "sixteen": "marks the intervals that do not include",
        "place": r"place 1 +\d",
        "sorted_list": "had all stood everywhere",
        "crossed": "p, women and men",
        "printable": "A ranker that ignores names falls below",
        "gaps": "a whim and a rule look alike",
    },
}
"""By lesson and prediction, a pattern of what its reveal says and nothing before it may say."""


def with_all_shown(cells: list[Any]) -> Iterator[Any]:
    """Cells with others behind them that open each prediction and print what a bench shows."""
    for cell in cells:
        yield cell
        source = cell.source if cell.cell_type == "code" else ""
        for name in re.findall(r"^(\w+) = Prediction\(", source, re.MULTILINE):
            yield nbformat.v4.new_code_cell(f"{name}.pass_by()")
        if bench := re.search(r"^(\w+) = \w+Bench\([^\n]*\n\1\n?\Z", source, re.MULTILINE):
            state = f"vars({bench[1]}.controller.snapshot())"
            yield nbformat.v4.new_code_cell(f"import json; print(json.dumps({state}, default=str))")


def given_away(executed: list[Any], answers: dict[str, str]) -> list[str]:
    """The predictions whose answer stands above their reveal, or not in it."""
    texts = [re.sub(r"\s+", " ", words_of(cell)) for cell in executed]
    early = []
    for name, pattern in answers.items():
        own = next(n for n, cell in enumerate(executed) if f"{name}.reveal(" in cell.source)
        first = next((n for n, text in enumerate(texts) if re.search(pattern, text)), None)
        if first != own:
            early.append(f"{name} in {first}: {executed[first or 0].source[:60]}")
    return early


def words_of(cell: Any) -> str:
    """What the outputs of a cell say."""
    data = [one.get("text", "") or one.get("data", {}) for one in cell.outputs]
    parts = [
        str(value)
        for one in data
        for kind, value in (one.items() if isinstance(one, dict) else [("text", one)])
        if not kind.endswith("json")
    ]
    return html.unescape(re.sub(r"<style>.*?</style>|<[^>]+>", " ", "\n".join(parts), flags=re.S))


@by_lesson
@pytest.mark.parametrize("left_out", [{"solution", "check"}, {"check"}], ids=["student", "solved"])
def test_no_cell_needs_a_name_from_one_that_its_notebook_leaves_out(
    source: Path, left_out: set[str]
) -> None:
    cells = code(notebooks.read(source))
    given = providers([cell.source for cell in cells])
    for cell, names in zip(cells, given, strict=True):
        if notebooks.tags(cell) & left_out:
            continue
        for name, place in names.items():
            assert place is not None, f"{name} is bound by no cell before {cell.source!r}"
            assert not notebooks.tags(cells[place]) & left_out, f"{name} of {cells[place].source!r}"


def test_lesson_6_says_so_where_nobody_can_be_asked(tmp_path: Path, kernel: Any) -> None:
    """Without Apertium its part shows kept numbers, with their date."""
    lesson = notebooks.read(notebooks.LESSONS / "lesson-6.py")
    part = next(n for n, cell in enumerate(lesson.cells) if cell.source.startswith("## 8."))
    needed = ("import numpy", "real = ", "# Measured on", "assert his ==")
    kept = [
        cell for cell in lesson.cells[:part]
        if cell.cell_type == "code" and cell.source.startswith(needed)
    ]  # fmt: skip
    asks = nbformat.v4.new_code_cell("real.pass_by(); print(installed, trip_table, where_from)")
    lesson.cells = [*kept, asks]
    # A search path without Apertium, as where it is not installed.
    path = str(Path(sys.executable).parent)
    told = code(run(lesson, tmp_path, kernel, PATH=path))[-1].outputs[0].text
    assert len(kept) == 4
    assert told.startswith("False")
    assert "nobody was asked: these are kept numbers, measured on 22 November 2026" in told


SPOILERS = {
    "lesson-1": ("large box made heavier", r"jnd=0\.18", r"1 +electrician +0"),
    "lesson-2": ("It adds to the rows for women", "Own and other stereotypes met"),
    "lesson-3": ("Neither prizes nor brutality", "Four questions before you print it"),
    "lesson-4": ("pull of the men's words</th>", "Here is the answer to part 1"),
    "lesson-5": (r"P\(helper\) +P\(expert\)", "need only ask the clearer question"),
    "lesson-6": ("rule would call it DSBS", r"UCS \(the table: DSBS\)"),
    "lesson-7": ("Planted were 2 years", "the better formula is fooled", "<td>alike within"),
    "lesson-8": ("counted well", "of 100 fair rankers", "place 1</th>", "sixteen, although"),
}
"""What a person saw below an open prediction once, or in its part's next section."""


def shown_by(cell: Any) -> str:
    """Return what a reader sees of a cell: folded code has one line."""
    folded = cell.cell_type == "code" and cell.metadata.get("jupyter", {}).get("source_hidden")
    source = cell.source.partition("\n")[0] if folded else cell.source
    outputs = [
        str(one.get("text", "")) + "\n".join(map(str, one.get("data", {}).values()))
        for one in cell.get("outputs", [])
    ]
    return "\n".join([source, *outputs])


def waits_for(cell: Any) -> str:
    """Return the name of the prediction that a cell of a student's notebook waits for."""
    magic = re.match(r"%%(?:text_)?after (\w+)$", cell.source.partition("\n")[0])
    if magic:
        return magic[1]
    reveal = re.search(r"^(\w+)\.reveal\(", cell.source, re.MULTILINE)
    return reveal[1] if reveal and cell.source.startswith(notebooks.REVEAL) else ""


@pytest.mark.parametrize("path", STUDENTS[1:], ids=lambda path: path.stem)
def test_everything_below_a_prediction_waits_up_to_the_next_heading(path: Path) -> None:
    asked, waiting = "", 0
    for cell in nbformat.read(path, as_version=4).cells:
        if cell.cell_type == "markdown":
            assert not asked or cell.source.startswith("##"), cell.source
            asked = ""
            continue
        if asked:
            waiting += 1
            assert waits_for(cell) == asked, cell.source
        if found := re.findall(r"^(\w+) = Prediction\(", cell.source, re.MULTILINE):
            asked = found[-1]
    assert waiting >= 7


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, marks=[pytest.mark.validate] if path.stem in LONG else [], id=path.stem)
        for path in STUDENTS[1:]
    ],
)
def test_after_run_all_no_cell_shows_what_a_prediction_asks(
    path: Path, tmp_path: Path, kernel: Any
) -> None:
    notebook = run(nbformat.read(path, as_version=4), tmp_path, kernel)
    assert warnings_of(code(notebook)) == []
    for cell in filter(waits_for, code(notebook)):
        for one in cell.outputs:
            assert one.output_type == "display_data", cell.source
            shown = [text for kind, text in one.data.items() if not kind.endswith("json")]
            waiting = re.sub(r"<[^>]+>", "", "".join(shown))
            assert waiting in ("", WAITING), cell.source
    page = "\n".join(map(shown_by, notebook.cells))
    found = [spoiler for spoiler in SPOILERS[path.stem] if re.search(spoiler, page)]
    assert found == []


def test_no_question_is_asked_twice() -> None:
    """A prediction is kept under its question, for all lessons of a folder."""
    asked = [
        ast.literal_eval(call.args[0])
        for source in LESSONS
        for cell in code(notebooks.read(source))
        for call in ast.walk(ast.parse(cell.source))
        if isinstance(call, ast.Call) and getattr(call.func, "id", "") == "Prediction"
    ]
    assert len(asked) > 40
    assert len(set(asked)) == len(asked)


@by_lesson
def test_each_exercise_checks_itself_without_holding_its_answer(source: Path) -> None:
    if source.stem == "lesson-0":
        return
    student = nbformat.reads(notebooks.generated(source), as_version=4)
    exercises = text(student).count("### Exercise ")
    parts = re.split(r"### Exercise \d", "\n".join(cell.source for cell in student.cells))[1:]
    assert len(parts) == exercises >= 6
    for part in parts:
        assert 'digest="' in part.partition("## Sources")[0], part[:60]
        assert "right=" not in part


@by_lesson
def test_a_right_answer_is_taken_and_another_one_is_not(source: Path) -> None:
    for cell in code(notebooks.read(source)):
        if not cell.source.startswith("SelfCheck("):
            continue
        own = eval(cell.source, {"SelfCheck": classroom.SelfCheck})
        call = ast.parse(cell.source).body[0].value
        right = next(ast.literal_eval(w.value) for w in call.keywords if w.arg == "right")
        handed = notebooks.without_right_answers(cell.source)
        check = eval(handed, {"SelfCheck": classroom.SelfCheck})
        check.answer(str(right))
        assert check.is_right, cell.source
        for other in own.options or [str(float(right) + 5)]:
            if other != right:
                check.answer(other)
                assert not check.is_right, cell.source


@pytest.mark.validate
@by_notebook
def test_notebook_runs_as_a_student_gets_it(path: Path, tmp_path: Path) -> None:
    notebook = nbformat.reads(notebooks.text_of(path), as_version=4)
    with started(tmp_path) as alone:
        assert warnings_of(code(run(notebook, tmp_path, alone))) == []


def test_a_student_goes_from_the_index_to_a_model_of_ones_own(tmp_path: Path, kernel: Any) -> None:
    """In one folder, with one store: lesson 0 saves a run that the last notebook reopens."""
    for stem in ("index", "lesson-0", "lesson-1", "your-own"):
        notebook = nbformat.read(notebooks.NOTEBOOKS / f"{stem}.ipynb", as_version=4)
        assert warnings_of(code(run(notebook, tmp_path, kernel))) == []
    (reopened,) = [cell for cell in code(notebook) if ".of_run(" in cell.source]
    assert "nurse" in str(reopened.outputs[0].data["image/svg+xml"])
    assert "wiki-bootstraps" in (tmp_path / "work" / "report.html").read_text(encoding="utf-8")


def test_an_executed_notebook_as_a_page_shows_its_bench_without_a_network(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the option that docs/guide/notebooks.md names: `nbconvert` would ask a CDN otherwise."""
    nbconvert = pytest.importorskip("nbconvert")
    monkeypatch.setenv("BIASLAB_HOME", str(tmp_path))
    cell = 'from biaslab_widgets import PsychometricBench\nPsychometricBench(word="nurse")'
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell)])
    execute = nbconvert.preprocessors.ExecutePreprocessor(timeout=900, store_widget_state=False)
    executed, _ = execute.preprocess(notebook, {})
    page, _ = nbconvert.HTMLExporter().from_notebook_node(executed)
    shown = page.partition("<body")[2]
    assert "data:image/svg+xml" in shown
    assert "widget-view" not in shown


def test_students_are_handed_no_source_and_no_solution() -> None:
    handed = sorted(path.name for path in notebooks.NOTEBOOKS.iterdir() if path.suffix != ".csv")
    expected = ["index.ipynb", *(f"lesson-{n}.ipynb" for n in range(9)), "your-own.ipynb"]
    assert [name for name in handed if not re.match(r"predictions|\.", name)] == expected


def test_the_index_lists_every_lesson_with_its_title_and_minutes() -> None:
    rows = re.findall(
        r"^\| \[(\d: .*?)\]\((lesson-\d)\.ipynb\) \| .+ \| (\d+) \| .+ \|$",
        text(notebooks.read(INDEX)),
        re.MULTILINE,
    )
    titles = [text(notebooks.read(source)).partition("\n")[0] for source in LESSONS]
    assert [lesson for _, lesson, _ in rows] == [source.stem for source in LESSONS]
    assert [int(minutes) for *_, minutes in rows] == [minutes for _, minutes in LENGTHS]
    for (named, *_), title in zip(rows[1:], titles[1:], strict=True):
        assert f"# Lesson {named}" == title


@by_notebook
def test_notebook_is_up_to_date_with_its_source(path: Path) -> None:
    assert path.read_text(encoding="utf-8") == notebooks.text_of(path), "run `make notebooks`"


@by_notebook
def test_notebook_holds_no_outputs_and_no_widget_state(path: Path) -> None:
    notebook = nbformat.read(path, as_version=4)
    cells = code(notebook)
    assert cells
    assert [cell.outputs for cell in cells] == [[]] * len(cells)
    assert [cell.execution_count for cell in cells] == [None] * len(cells)
    assert "widgets" not in notebook.metadata


@by_lesson
def test_the_text_states_no_number_that_the_subject_answers(source: Path) -> None:
    prose = re.sub(r"section \d\.\d|arXiv:\S+", "", text(notebooks.read(source)))
    stated = set(re.findall(r"\d+(?:\.\d+)? %|\b\d+\.\d+\b", prose))
    assert stated <= GIVEN


@by_lesson
def test_each_prediction_comes_before_its_reveal(source: Path) -> None:
    cells = [cell.source for cell in code(notebooks.read(source))]
    asked = {
        name: place
        for place, cell in enumerate(cells)
        for name in re.findall(r"^(\w+) = Prediction\(", cell, re.MULTILINE)
    }
    for name, place in asked.items():
        used = rf"\b{name}\.reveal\(|LinesExperiment\({name}\)"
        reveals = [n for n, cell in enumerate(cells) if re.search(used, cell)]
        assert len(reveals) == 1, name
        assert reveals[0] > place, name
    if source.stem != "lesson-0":
        assert len(asked) >= 7


LENGTHS = [("lesson-0", 10), *((f"lesson-{n}", 45) for n in range(1, 9))]


@pytest.mark.parametrize(("lesson", "minutes"), LENGTHS)
def test_the_minutes_of_the_parts_make_up_the_lesson(lesson: str, minutes: int) -> None:
    prose = text(notebooks.read(notebooks.LESSONS / f"{lesson}.py"))
    parts = {
        int(number): int(length)
        for number, length in re.findall(r"^## (\d)\. .*\((\d+) minutes?\)$", prose, re.MULTILINE)
    }
    assert list(parts) == list(range(1, len(parts) + 1))
    assert sum(parts.values()) == minutes
    table = re.findall(r"^\| (\d) \| .* \| (\d+) \|$", prose, re.MULTILINE)
    assert {int(n): int(length) for n, length in table} in ({}, parts)


@pytest.mark.parametrize("lesson", range(1, 9))
def test_each_discussion_question_has_an_answer_for_the_teacher(lesson: int) -> None:
    prose = text(notebooks.read(notebooks.LESSONS / f"lesson-{lesson}.py"))
    questions = re.findall(r"^\d\. ", prose.partition("\nDiscuss:\n")[2], re.MULTILINE)
    notes = (ROOT / "docs" / "guide" / "teaching.md").read_text(encoding="utf-8")
    heading = f"## Lesson {lesson}: answers to the questions for discussion"
    section = notes.partition(heading)[2].partition("\n## ")[0]
    assert len(questions) >= 3
    assert len(re.findall(r"^\d\. ", section, re.MULTILINE)) == len(questions)
