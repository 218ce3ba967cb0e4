"""Measurements behind docs/guide/benchmarks.md; ``make bench`` runs them and writes the page.

One file measures one figure: a module with a docstring that says what and how, a ``GOAL`` in words
and a function ``measure() -> Findings``. `benchmarks.__main__` lists them.
"""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tools")]  # neither is a package
