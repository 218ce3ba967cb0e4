"""Small corpora with a known regularity, for tests of training."""

from __future__ import annotations

from pathlib import Path

import numpy as np

NOUNS = ("nurse", "engineer", "teacher", "baker")


def write_corpus(path: Path, lines: int = 300) -> Path:
    """Write sentences about people at work, one a line with empty lines between."""
    rng = np.random.default_rng(1)
    sentences = [
        f"The {rng.choice(NOUNS)} and the {rng.choice(NOUNS)} saw {rng.choice(['her', 'him'])}!"
        for _ in range(lines)
    ]
    path.write_text("\n\n".join(sentences), encoding="utf-8")
    return path
