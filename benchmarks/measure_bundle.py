"""Sizes of the built front-end bundles: each is saved into every notebook that shows its bench."""

from __future__ import annotations

import gzip
from pathlib import Path

import biaslab_widgets
from benchmarks.figure import Figure

LIMIT_BYTES = 150_000


def figures() -> list[Figure]:
    """Weigh the bundles."""
    bundles = sorted((Path(biaslab_widgets.__file__).parent / "static").glob("*.js"))
    return [_figure(bundle) for bundle in bundles]


def _figure(bundle: Path) -> Figure:
    content = bundle.read_bytes()
    return Figure(
        f"bundle `{bundle.name}`",
        f"{len(content) / 1000:.1f} kB",
        f"under {LIMIT_BYTES / 1000:.0f} kB",
        len(content) < LIMIT_BYTES,
        f"minified; {len(gzip.compress(content)) / 1000:.1f} kB compressed",
    )
