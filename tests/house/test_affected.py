"""The tests of a change: what git says is compared with what each test executed."""

from __future__ import annotations

from pathlib import Path

import pytest

import affected
from harness.executed import slot

BEFORE = """
LIMIT = 3

def double(x):
    return 2 * x

class Sum:
    def of(self):
        return self.total
"""
DOUBLE, OF = 1 << slot(".double"), 1 << slot(".Sum.of")
ANY, OTHER = "tests/unit/test_auc.py", "tests/unit/test_mac.py"


@pytest.mark.parametrize(
    ("after", "changed"),
    [
        (BEFORE.replace("2 * x", "x + x"), DOUBLE),
        (BEFORE.replace("self.total", "0"), OF),
        (BEFORE.replace("= 3", "= 4"), 1),
        (BEFORE.replace("    return 2", "    # why\n    return 2"), 0),
        (f'"""Sums."""\n{BEFORE}', 0),
        ("def (", affected.ALL),
        ("", 1 | DOUBLE | OF),
    ],
)
def test_changes_are_found_by_function(after: str, changed: int) -> None:
    assert affected.changed_slots(BEFORE, after) == changed


def test_only_tests_that_called_what_changed_are_affected() -> None:
    known = {
        ANY: {"biaslab/adding.py": DOUBLE},
        OTHER: {"biaslab/adding.py": OF, "biaslab/b.py": 6},
    }
    assert affected.affected({"biaslab/adding.py": DOUBLE}, known) == {ANY: 0.99}
    assert affected.affected({"biaslab/adding.py": OF}, known) == {OTHER: 1 / 3}
    assert set(affected.affected({"biaslab/adding.py": 1}, known)) == {ANY, OTHER}
    assert affected.affected({"docs/index.md": affected.ALL}, known) == {}
    assert affected.affected({OTHER: affected.ALL}, known) == {OTHER: 1.0}
    assert affected.affected({"tests/unit/conftest.py": 1}, known) == {ANY: 0.0, OTHER: 0.0}
    assert affected.affected({"tests/unit/test_gone.py": affected.ALL}, known) == {}


def test_a_file_that_nothing_executed_affects_the_tests_that_import_it() -> None:
    found = affected.affected({"biaslab/stats/clustered_mean.py": 1}, {})
    assert "tests/unit/test_clustered_mean.py" in found
    assert len(found) < 10


def test_the_map_comes_back_as_it_was_written(tmp_path: Path) -> None:
    known = {ANY: {"biaslab/a.py": 5, "biaslab/b.py": affected.ALL}, OTHER: {"biaslab/b.py": 2}}
    affected.write_map(known, tmp_path / "map.csv")
    assert affected.read_map(tmp_path / "map.csv") == known
    assert affected.read_map(tmp_path / "none.csv") == {}


def test_what_was_only_loaded_is_not_in_the_map(tmp_path: Path) -> None:
    lines = (
        '{"began": "tests/a.py::one"}',
        '{"item": "tests/a.py::one", "executed": {"biaslab/a.py": 1, "biaslab/b.py": 5}}',
        '{"item": "tests/a.py::two", "executed": {"biaslab/b.py": 3, "biaslab/data.csv": 1}}',
    )
    (tmp_path / "of.main").write_text("\n".join(lines))
    found = affected.executed_by_file([tmp_path / "of.main"])
    assert found == {"tests/a.py": {"biaslab/b.py": 7, "biaslab/data.csv": 1}}


def test_tests_of_the_front_end_are_found_by_imports() -> None:
    graph = affected.js_graph()
    store = affected.front_end_tests(["js/src/benches/rating/store.ts"], graph)
    recorded = affected.front_end_tests(["js/dev/recorded/rating.json"], graph)
    assert "tests/rating.test.ts" in set(store) & set(recorded)
    assert "tests/decisions.test.ts" not in {*store, *recorded}
    assert affected.front_end_tests(["js/tests/rating.test.ts"], graph) == ["tests/rating.test.ts"]
    assert affected.front_end_tests(["biaslab/auc.py"], graph) == []


def test_the_most_specific_tests_that_fit_are_chosen() -> None:
    found = {"changed": 1.0, "near": 0.5, "dear": 0.4, "far": 0.1}
    seconds = {"changed": 50.0, "near": 30.0, "dear": 70.0, "far": 20.0}
    assert affected.within(found, 110, seconds) == (["changed", "near", "far"], ["dear"])
    assert affected.within(found, 10, seconds) == (["changed"], ["near", "dear", "far"])
