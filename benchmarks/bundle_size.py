"""Sizes of what is shipped and saved.

The built front-end module of each component, which is saved into every notebook that shows it; the
bundled subjects. `make dist` prints the sizes of the distributions.
"""

from __future__ import annotations

import gzip
from pathlib import Path

import biaslab
import biaslab_widgets
from benchmarks.findings import Figure, Findings

BUNDLE_GOAL = 205e3
SUBJECT_GOALS = {"wiki-bootstraps": 16e6, "imdb-sentiment": 5e6}
ALL_SUBJECTS_GOAL = 50e6


def measure() -> Findings:
    """Weigh all of them."""
    bundles = sorted((Path(biaslab_widgets.__file__).parent / "static").glob("*.js"))
    folder = Path(biaslab.__file__).parent / "bundled"
    subjects = sorted(path for path in folder.iterdir() if path.is_dir())
    sizes = {path.name: _size(path) for path in subjects}
    notes = [] if sizes else ["No subject is bundled yet."]
    return Findings(
        (
            *map(_bundle, bundles),
            *(_subject(name, size) for name, size in sizes.items()),
            _figure("all bundled subjects", sum(sizes.values()), ALL_SUBJECTS_GOAL),
        ),
        tuple(notes),
    )


def _bundle(path: Path) -> Figure:
    content = path.read_bytes()
    squeezed = len(gzip.compress(content, mtime=0))
    return _figure(f"`{path.name}`, minified", len(content), BUNDLE_GOAL, f"gzip {_text(squeezed)}")


def _subject(name: str, size: int) -> Figure:
    return _figure(f"subject `{name}`", size, SUBJECT_GOALS.get(name))


def _figure(what: str, size: int, goal: float | None = None, reference: str = "") -> Figure:
    if goal is None:
        return Figure(what, _text(size), reference=reference)
    return Figure(what, _text(size), f"under {_text(goal)}", size < goal, reference)


def _text(size: float) -> str:
    return f"{size / 1e3:.1f} kB" if size < 1e5 else f"{size / 1e3:.0f} kB" if size < 1e6 else (
        f"{size / 1e6:.1f} MB"
    )  # fmt: skip


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
