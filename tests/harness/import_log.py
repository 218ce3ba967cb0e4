"""A pytest plugin that stops a run whose collection loads a library that takes long to import."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

import pytest

HEAVY = frozenset(
    {
        "IPython", "anywidget", "arviz", "bokeh", "distributed", "fastapi", "gensim", "ipywidgets",
        "jsonschema", "jupyter_server", "jupytext", "matplotlib", "minicons", "nbclient",
        "nbconvert", "nbformat", "openai", "pandas", "panel", "pyro", "scipy.integrate",
        "scipy.optimize", "scipy.stats", "tornado", "torch", "transformers",
    }
)  # fmt: skip
TESTS = Path(__file__).resolve().parents[1]


class ImportLog:
    """A finder that finds nothing and notes which line last asked for a heavy library.

    Attributes
    ----------
    lines : dict
        Library to file and line.
    """

    def __init__(self) -> None:
        self.lines: dict[str, str] = {}

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Note the outermost line of the tests that led here."""
        if name in HEAVY:
            lines = (
                f"{Path(frame.filename).relative_to(TESTS)}:{frame.lineno}"
                for frame in traceback.extract_stack()
                if Path(frame.filename).is_relative_to(TESTS)
            )
            self.lines[name] = next(lines, "no test")
        return None


_LOG = ImportLog()
sys.meta_path.insert(0, _LOG)


def pytest_collection_finish(session: pytest.Session) -> None:
    """End the run with status 1 and name the lines, if a heavy library was loaded."""
    loaded = [f"{name} by {line}" for name, line in _LOG.lines.items() if name in sys.modules]
    if loaded:
        pytest.exit("Collecting the tests loads " + ", ".join(sorted(loaded)), returncode=1)
