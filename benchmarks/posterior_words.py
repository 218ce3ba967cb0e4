"""Distances of a lexicon's words to a posterior: 6,789 words, 64,000 draws, 100 dimensions.

Words and draws are normal and in memory, float32; the draws stand 64 chains by 1,000. The clock
runs from arrays to every word's mean distance with its Monte Carlo standard error. As many words as
this take the linear part of the distance over all draws, and what is left over every eighth draw;
`every_draw` takes all of them. How far both are from the mean in double precision is measured on
200 of the words, beside the Monte Carlo error that the draws leave anyhow.

The reference is the mean as it is written down, in numpy: products in single precision in blocks,
`arccos` of each, the mean. The other readings of the same draws, of words that an embedding of
20,000 knows, are timed as a person calls them. Times are medians of rounds taken in turns.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

import biaslab as bl
from benchmarks.findings import Figure, Findings
from benchmarks.timing import in_turns, median_seconds, milliseconds
from biaslab.probes.posterior.reading import mean_distances
from harness.posteriors import of_draws

WORDS, CHAINS, DRAWS, DIM = 6_789, 64, 1_000, 100
CHECKED, VOCABULARY = 200, 20_000
GOAL_S = 1.0
ROUNDS = 5


def measure() -> Findings:
    """Time the distances, then check them, then the other readings."""
    rng = np.random.default_rng(0)
    vectors = rng.standard_normal((VOCABULARY, DIM), dtype=np.float32)
    draws = rng.standard_normal((CHAINS, DRAWS, DIM), dtype=np.float32)
    lexicon = vectors[:WORDS]
    times = in_turns({"angular": lambda: mean_distances(lexicon, draws)}, ROUNDS)
    others = in_turns(
        {
            "half-cosine": lambda: mean_distances(lexicon, draws, "half-cosine"),
            "euclidean": lambda: mean_distances(lexicon, draws, "euclidean"),
        },
        3,
    )
    every = median_seconds(lambda: mean_distances(lexicon, draws, every_draw=True), 3)
    written = median_seconds(lambda: as_written(lexicon, draws), 3)
    some, whole = (mean_distances(lexicon, draws, every_draw=how) for how in (False, True))
    true = in_double_precision(lexicon[:CHECKED], draws)
    noise = float(np.median(some.mcse))
    off, off_every = (float(np.abs(m.mean[:CHECKED] - true).max()) for m in (some, whole))
    quick = times["angular"]
    return Findings(
        (
            Figure(
                f"angular distance of {WORDS:,} words to {CHAINS * DRAWS:,} draws",
                milliseconds(quick),
                f"under {GOAL_S:.0f} s",
                quick < GOAL_S,
                f"as written down {milliseconds(written)}",
                f"{written / quick:.1f}x faster",
            ),
            Figure(
                "farthest from the mean in double precision",
                f"{off:.1e}",
                "under a tenth of the Monte Carlo error",
                off < noise / 10,
                f"Monte Carlo error {noise:.1e}",
                f"{noise / off:.0f}x smaller",
            ),
            Figure("the same with every_draw", milliseconds(every)),
            Figure(
                "farthest from the mean in double precision with every_draw", f"{off_every:.1e}"
            ),
            Figure("half-cosine distance", milliseconds(others["half-cosine"])),
            Figure("Euclidean distance", milliseconds(others["euclidean"])),
            *readings(vectors, draws),
        )
    )


def readings(vectors: NDArray[np.float32], draws: NDArray[np.float32]) -> list[Figure]:
    """What the bench asks of two posteriors."""
    words = bl.WordEmbedding([f"w{i}" for i in range(len(vectors))], vectors)
    both = {
        "positive": of_draws(draws, logit=draws[..., 0]),
        "negative": of_draws(-draws, "negative", -draws[..., 0]),
    }
    lexicon = bl.posterior.Lexicon(
        "made up", tuple(words.words[:WORDS]), np.where(np.arange(WORDS) % 2, 1.0, -1.0)
    )
    names = {"a": words.words[:31], "b": words.words[31:62]}
    one = both["positive"]
    questions: dict[str, Callable[[], Any]] = {
        f"correlation with a lexicon of {WORDS:,} words": lambda: bl.posterior.lexicon(
            one, words, lexicon
        ),
        f"plane of two posteriors with {VOCABULARY:,} words": lambda: bl.posterior.plane(
            both, words
        ),
        "groups of 31 and 31 names": lambda: bl.posterior.groups(one, names, words=words),
        "one more word": lambda: bl.posterior.distances(one, words, ["w7"]),
    }
    return [Figure(name, milliseconds(took)) for name, took in in_turns(questions, 3).items()]


def as_written(vectors: NDArray[np.float32], draws: NDArray[np.float32]) -> NDArray[np.float32]:
    """Mean angle of each vector to all draws, a block of vectors at a time."""
    units = [
        v / np.linalg.norm(v, axis=1, keepdims=True) for v in (vectors, draws.reshape(-1, DIM))
    ]
    return np.concatenate(
        [
            np.arccos(np.clip(units[0][i : i + 64] @ units[1].T, -1, 1)).mean(axis=1) / np.pi
            for i in range(0, len(vectors), 64)
        ]
    )


def in_double_precision(
    vectors: NDArray[np.float32], draws: NDArray[np.float32]
) -> NDArray[np.float64]:
    """The same in double precision."""
    units = [
        v / np.linalg.norm(v, axis=1, keepdims=True)
        for v in (vectors.astype(np.float64), draws.reshape(-1, DIM).astype(np.float64))
    ]
    return np.asarray(np.arccos(np.clip(units[0] @ units[1].T, -1, 1)).mean(axis=1) / np.pi)
