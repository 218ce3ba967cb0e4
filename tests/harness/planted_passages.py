"""A corpus in which known passages make a word biased, and its counts."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from biaslab.probes.trace.counted import PPMISettings
from harness import corpora

PLANTED = ("she", "he")
"""Cues that the planted passages pull toward."""
SETTINGS = PPMISettings(vector_size=8, window=4, contexts=100, blocks=40)


def write_text(path: Path, toward_she: int = 20, toward_he: int = 12) -> dict[str, list[int]]:
    """Write a text in which some passages speak of a nurse as others speak of she and he.

    Returns
    -------
    dict of str to list of int
        Numbers of the planted lines of each cue, from 1.
    """
    rng = np.random.default_rng(5)
    own = {cue: [f"{cue}like{letter}" for letter in "abcdefgh"] for cue in PLANTED}
    plain = [f"plain{letter}" for letter in "abcdefghijklmnop"]
    lines = [
        (cue, " ".join([*rng.choice(own[cue], 4), cue, *rng.choice(own[cue], 4)]))
        for cue in PLANTED
        for _ in range(60)
    ]
    lines += [("", " ".join(rng.choice(plain, 9))) for _ in range(300)]
    lines += [
        ("", " ".join([*rng.choice(plain, 4), job, *rng.choice(plain, 4)]))
        for job, times in (("nurse", 30), ("clerk", 60))
        for _ in range(times)
    ]
    planted = [
        cue for cue, n in zip(PLANTED, (toward_she, toward_he), strict=True) for _ in range(n)
    ]
    lines += [
        (f"nurse {cue}", " ".join([*rng.choice(own[cue], 4), "nurse", *rng.choice(own[cue], 4)]))
        for cue in planted
    ]
    shuffled = [lines[i] for i in rng.permutation(len(lines))]
    path.write_text("\n".join(text for _, text in shuffled))
    return {
        cue: [n for n, (kind, _) in enumerate(shuffled, 1) if kind == f"nurse {cue}"]
        for cue in PLANTED
    }


def train(source: Path, folder: Path, replicates: int = 4) -> Path:
    """Train an ensemble on a text and keep the counts."""
    return corpora.train(source, folder, replicates=replicates, settings=SETTINGS)
