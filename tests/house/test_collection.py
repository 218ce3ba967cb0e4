"""Every process that runs tests collects all of them, so that has to be quick."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec

import pytest

from harness.deferred import Deferred
from harness.import_log import HEAVY, TESTS

READS = ("benchmarks", "biaslab", "tests", "tools", "train", "widgets")


def test_collecting_the_tests_loads_nothing_heavy() -> None:
    paths = [str(TESTS), *filter(None, [os.environ.get("PYTHONPATH")])]
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "--collect-only", "-qq", "-n0", "-m", ""),
            *("-p", "harness.import_log", "-p", "no:cacheprovider"),
        ],
        cwd=TESTS.parent,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(paths)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr


def test_the_heavy_libraries_are_known_by_their_right_names() -> None:
    """A slip in a name would make the test above pass whatever is loaded."""
    assert [name for name in sorted(HEAVY) if find_spec(name) is None] == []


def test_a_deferred_module_is_imported_when_it_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "colorsys", raising=False)
    colorsys = Deferred("colorsys")
    assert not hasattr(colorsys, "__wrapped__")
    assert "colorsys" not in sys.modules
    assert colorsys.rgb_to_hsv(0, 0, 0) == (0, 0, 0)
    monkeypatch.setattr("colorsys.rgb_to_hsv", "replaced")
    assert colorsys.rgb_to_hsv == "replaced"


def test_a_name_cannot_be_set_beside_a_deferred_module() -> None:
    with pytest.raises(AttributeError, match="rgb_to_hsv"):
        Deferred("colorsys").rgb_to_hsv = None
