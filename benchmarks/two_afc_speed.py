"""two_afc on 10,000 words against its bare matrix products.

`bl.two_afc` on 10,000 words, 8 cue pairs, 32 replicates of 100 dimensions, in memory as float32
and as int8 with a scale per row. The reference multiplies ready-made unit vectors, float32
`(32, 10000, 100) @ (32, 100, 16)`: one column per cue. All are timed in turns in one process, each
twice in a row of which the second counts, and of 11 rounds the median. "Per pair" is PSE, JND and
both intervals of all 80,000 normal curves (`.by_pair`), "pooled" those of 10,000 words (`.pooled`).
The first call on a subject also measures the lengths of its rows and, for the provenance, its
content hash; both are kept.
"""

from __future__ import annotations

import os
import tracemalloc
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

import biaslab as bl
from benchmarks.findings import Figure, Findings
from benchmarks.timing import in_turns, milliseconds, seconds_of
from biaslab.stats.threads import one_blas_thread
from biaslab.subjects.embedding.ensemble import quantise

REPLICATES, WORDS, DIM, PAIRS = 32, 10_000, 100, 8
ROUNDS = 11
LIMIT = 2.0
CUES = [(f"cue {2 * k}", f"cue {2 * k + 1}") for k in range(PAIRS)]
ITEMS = [f"word{i}" for i in range(WORDS)]
NAMES = ITEMS + [cue for pair in CUES for cue in pair]


def vectors() -> NDArray[np.float32]:
    """Replicates that scatter around common vectors of different lengths."""
    rng = np.random.default_rng(1)
    shape = (REPLICATES, len(NAMES), DIM)
    made = 0.5 * rng.standard_normal(shape, dtype=np.float32)
    made += rng.standard_normal(shape[1:], dtype=np.float32)
    made *= rng.uniform(0.5, 2, size=(len(NAMES), 1)).astype(np.float32)
    return made


def as_int8(made: NDArray[np.float32]) -> bl.EmbeddingEnsemble:
    """The same as the bundled subjects are stored."""
    rows, scales = zip(*map(quantise, made), strict=True)
    return bl.EmbeddingEnsemble(NAMES, rows, scale=list(scales), name="int8")


def measure() -> Findings:
    """Time everything in turns; state the memory that a call needs beside the subject."""
    made = vectors()
    float32 = bl.EmbeddingEnsemble(NAMES, made, name="float32")
    first = _first(float32)
    quantised = as_int8(made)
    units = made / np.linalg.norm(made, axis=2, keepdims=True)
    words, cues = units[:, :WORDS].copy(), units[:, WORDS:].transpose(0, 2, 1).copy()
    del units
    shuffled = [ITEMS[i] for i in np.random.default_rng(2).permutation(WORDS)]
    result = bl.two_afc(float32, ITEMS, CUES, family="normal")

    def answered(
        subject: bl.EmbeddingEnsemble, items: list[str]
    ) -> bl.probes.psychometrics.TwoAFCResult:
        answer = bl.two_afc(subject, items, CUES, family="normal")
        assert answer.by_pair.pse.shape == (WORDS, PAIRS)
        return answer

    took = in_turns(
        {
            "bare": lambda: words @ cues,
            "switch": lambda: bl.two_afc(float32, ITEMS, CUES, family="normal"),
            "whole": lambda: answered(float32, ITEMS),
            "all": lambda: answered(float32, ITEMS).pooled,
            "chosen": lambda: bl.two_afc(float32, ITEMS, CUES).by_pair,
            "shuffled": lambda: answered(float32, shuffled),
            "int8": lambda: answered(quantised, ITEMS),
            "by_pair": lambda: replace(result).by_pair,
            "pooled": lambda: replace(result).pooled,
        },
        ROUNDS,
    )
    with one_blas_thread():
        alone = in_turns(
            {"bare": lambda: words @ cues, "whole": lambda: answered(float32, ITEMS)}, ROUNDS
        )
    lines = [
        _line("switch points only", "switch", took),
        _line("switch points and estimates per pair", "whole", took, goal=True),
        _line("the same and pooled estimates", "all", took, goal=True),
        _line("per pair, each curve normal or empirical (the default)", "chosen", took),
        _line("per pair, words in random order", "shuffled", took),
        _line("per pair, subject stored as int8", "int8", took, goal=True),
        _line("of these, estimates per pair", "by_pair", took),
        _line("of these, pooled estimates", "pooled", took),
        Figure("first call on a subject, per pair", milliseconds(first)),
    ]
    return Findings(
        (
            *lines,
            *_memory(float32, made.nbytes),
            _line("per pair, bare products with one thread as well", "whole", alone),
        ),
        (
            (
                f"Both sides may use {os.cpu_count()} threads: the bare products by the linear "
                "algebra library, `two_afc` by its own, one for each half of the replicates, in "
                "products so thin that the library starts none. On a busy machine the library's "
                "threads wait for each other, which is why the ratio falls there."
            ),
        ),
    )


def _first(subject: bl.EmbeddingEnsemble) -> float:
    """Seconds of the first call on a subject, with everything imported."""
    assert bl.two_afc(bl.observers.embedding(0.5, seed=1), "item", ("female", "male")).pse.size
    return seconds_of(lambda: bl.two_afc(subject, ITEMS, CUES, family="normal").by_pair)


def _line(what: str, name: str, took: dict[str, float], *, goal: bool = False) -> Figure:
    ratio = took[name] / took["bare"]
    return Figure(
        what,
        milliseconds(took[name]),
        f"at most {LIMIT:g}x" if goal else "",
        ratio <= LIMIT if goal else None,
        f"bare products {milliseconds(took['bare'])}",
        f"{ratio:.2f}x",
    )


def _memory(subject: bl.EmbeddingEnsemble, size: int) -> list[Figure]:
    """Largest memory that one call holds at a time, as numpy and Python report it."""
    tracemalloc.start()
    answer = bl.two_afc(subject, ITEMS, CUES, family="normal")
    switch = tracemalloc.get_traced_memory()[1]
    assert answer.by_pair.pse.size
    whole = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    subject_size = f"subject {size / 1e6:.0f} MB"
    kept = f"{answer.switch.nbytes / 1e6:.0f} MB of it are the switch points"
    return [
        Figure(f"peak memory of a call ({kept})", f"{switch / 1e6:.0f} MB", "", None, subject_size),
        Figure("peak memory with estimates per pair", f"{whole / 1e6:.0f} MB", "", None,
               subject_size),
    ]  # fmt: skip
