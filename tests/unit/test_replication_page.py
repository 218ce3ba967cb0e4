"""docs/guide/replication.md: its numbers on the bundled subject are what the code computes."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from biaslab.services import ApertiumServer

NUMBER = re.compile(r"[−-]?\d+(?:\.\d+)?")
WHOLE = pytest.mark.parametrize("whole", [False, pytest.param(True, marks=pytest.mark.validate)])
"""All sections of a part of the page, or in `make test` those that take a few seconds."""


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    return importlib.import_module("replication")


def _numbers(text: str) -> list[tuple[float, float]]:
    """Each number with one unit of its last digit: what rounding may do on another machine."""
    found = [match.replace("−", "-") for match in NUMBER.findall(text)]
    return [(float(n), 10.0 ** -len(n.partition(".")[2])) for n in found]


def _check(tool: ModuleType, made: dict[str, Callable[[], str]]) -> None:
    page = tool.PAGE.read_text(encoding="utf-8")
    for name, make in made.items():
        shown, fresh = tool.section(page, name), make()
        assert NUMBER.sub("#", shown) == NUMBER.sub("#", fresh), name
        for (there, digit), (here, _) in zip(_numbers(shown), _numbers(fresh), strict=True):
            assert there == pytest.approx(here, abs=1.01 * digit), name


def test_numbers_of_the_bundled_subject_are_as_computed_now(tool: ModuleType) -> None:
    made = tool.bundled()
    assert len(made) == 7
    _check(tool, made)


def test_simulations_of_the_jnd_are_as_computed_now(tool: ModuleType) -> None:
    made = tool.jnd.bundled()
    assert len(made) == 2
    _check(tool, made)


@WHOLE
def test_association_tables_of_the_bundled_subject_are_as_computed_now(
    tool: ModuleType, whole: bool
) -> None:
    made = tool.association.bundled()
    assert len(made) == 5
    if not whole:
        made.pop("debiasing of the bundled ensemble")
    _check(tool, made)


def test_association_tables_of_the_authors_distances_are_as_computed_now(
    tool: ModuleType, shared_data: Path
) -> None:
    made = tool.association.authors()
    assert len(made) == 4
    _check(tool, made)


@pytest.mark.validate
def test_numbers_of_the_bundled_language_models_are_as_computed_now(tool: ModuleType) -> None:
    pytest.importorskip("transformers")
    made = tool.sentences.bundled()
    assert len(made) == 1
    _check(tool, made)


@pytest.mark.validate
def test_numbers_of_the_bundled_vision_language_model_are_as_computed_now(
    tool: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("transformers")
    monkeypatch.setenv("BIASLAB_HOME", str(tmp_path))
    made = tool.images.bundled()
    assert len(made) == 4
    _check(tool, made)


def _rows(tool: ModuleType, name: str) -> dict[str, list[list[float]]]:
    """Numbers of each cell of a section's table, by what stands in the first column."""
    page = tool.PAGE.read_text(encoding="utf-8")
    rows = [line.strip("| ").split(" | ") for line in tool.section(page, name).splitlines()]
    cells = [row for row in rows if len(row) > 3][1:]
    return {row[0]: [[n for n, _ in _numbers(cell)] for cell in row[1:]] for row in cells}


def test_what_the_page_says_of_morphs_is_what_its_table_shows(tool: ModuleType) -> None:
    rows = _rows(tool, "morphs of portrait-clip")
    assert len(rows) == 8
    for occupation, (_, pse, planted, _, named) in rows.items():
        assert pse[1] <= planted[0] <= pse[2], occupation
        assert named[1] <= 50 <= named[2], occupation


def test_what_the_page_says_of_terms_is_what_its_table_shows(tool: ModuleType) -> None:
    rows = _rows(tool, "image scores by term")
    off = {term: abs(score[0] - planted[0]) for term, (_, score, planted, *_) in rows.items()}
    assert len(off) == 8
    assert [term for term, by in off.items() if by > 2] == ["female electrician"]
    for _, _, _, *captions in rows.values():
        assert max(captions)[0] - min(captions)[0] < 1


@WHOLE
def test_numbers_of_simulated_services_are_as_computed_now(tool: ModuleType, whole: bool) -> None:
    made = tool.rating.bundled()
    assert len(made) == 4
    if not whole:
        made.pop("two services in a row")
    _check(tool, made)


@pytest.mark.validate
def test_round_trips_of_apertium_are_as_measured_now(
    tool: ModuleType, apertium_server: ApertiumServer
) -> None:
    page = tool.section(tool.PAGE.read_text(encoding="utf-8"), "round trips of Apertium")
    fresh = tool.rating.round_trips(apertium_server.translator, ("es", "eo"))
    assert len(fresh) == 4
    for row in fresh:
        assert f"| {' | '.join(row)} |" in page.splitlines()


def test_what_the_page_says_of_two_services_is_what_its_table_shows(tool: ModuleType) -> None:
    page = tool.PAGE.read_text(encoding="utf-8")
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in tool.section(page, "two services in a row").splitlines()[2:]
    ]
    off = [row[0] for row in rows if row[1] != row[5] and row[1] in {"UCS", "DSBS", "BS"}]
    assert off == ["UCS * DSBS"]
    assert {row[5] for row in rows if row[0] == "BS * BS"} == {"UCS", "DSBS", "BS"}
    assert len({row[0] for row in rows}) == 9


@pytest.mark.validate
def test_numbers_on_biastestgpts_pairs_are_as_computed_now(
    tool: ModuleType, shared_data: Path
) -> None:
    pytest.importorskip("transformers")
    _check(tool, tool.sentences.authors())


@WHOLE
def test_numbers_of_the_bundled_classifier_are_as_computed_now(
    tool: ModuleType, whole: bool
) -> None:
    pytest.importorskip("pyro")
    made = tool.posterior.bundled()
    assert len(made) == 6
    if not whole:
        made = {"AUC of the sentiment classifier": made["AUC of the sentiment classifier"]}
    _check(tool, made)


@pytest.mark.validate
def test_numbers_on_the_papers_lexicon_are_as_computed_now(
    tool: ModuleType, shared_data: Path
) -> None:
    pytest.importorskip("pyro")
    made = tool.posterior.with_lexicon()
    # A word's place may change with the last digit: the words themselves are not held to it.
    made.pop("closest and most distant words")
    _check(tool, made)


def test_what_markov_chains_gave_is_on_the_page(tool: ModuleType) -> None:
    page = tool.PAGE.read_text(encoding="utf-8")
    for name in tool.posterior.sampled():
        assert len(_numbers(tool.section(page, name))) > 30


def test_numbers_of_googlenews_are_as_computed_now(tool: ModuleType, shared_data: Path) -> None:
    _check(tool, tool.googlenews())


def test_every_picture_of_the_page_is_there(tool: ModuleType) -> None:
    page = tool.PAGE.read_text(encoding="utf-8")
    named = re.findall(r"\]\((\.\./images/[^)]+)\)", page)
    assert len(named) == 5
    for name in named:
        assert (tool.PAGE.parent / name).read_text(encoding="utf-8").startswith("<svg")


def test_a_page_without_a_place_for_a_table_says_so(tool: ModuleType) -> None:
    with pytest.raises(ValueError, match="no place for 'electrician'"):
        tool.put("nothing here", "electrician", "text")
