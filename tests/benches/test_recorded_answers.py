"""What the front end's tests run on is what the controllers say today."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness import recording

LONG = ("rating", "opening")
"""Power curves and all bundled subjects take seconds: ``make validate`` runs them."""


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.validate] if name in LONG else [])
        for name in recording.NAMES
    ],
)
def test_the_recorded_answers_are_those_of_the_controllers(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BIASLAB_HOME", str(tmp_path / "home"))
    found = recording.changes(name)
    assert not found, "\n".join([*found[:20], "If that is meant, run `make recorded`."])


@pytest.mark.parametrize("name", recording.NAMES)
def test_a_scenario_is_small_enough_for_a_repository(name: str) -> None:
    assert recording.path_of(name).stat().st_size < 20_000 * len(recording.read(name))
