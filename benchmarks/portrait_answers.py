"""What portrait-clip says of fresh portraits, kept in a scratch folder: a rerun is quick."""

from __future__ import annotations

import hashlib
import os
import tempfile
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from multiprocessing import get_context
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from biaslab import specs
from biaslab.images import image_terms
from biaslab.images.drawn import drawable
from biaslab.portraits import GROUPS, Portrait, draw_many, sample_portrait
from biaslab.subjects import VisionLanguageModel, load

SPECS = ("images-experts-helpers", "images-neighbours-visitors")
SIZE = 64
"""What portrait-clip sees: drawing larger portraits would only take longer."""


def log_scores(batches: list[tuple[int, int]]) -> list[NDArray[np.float32]]:
    """Log scores of fresh portraits, one array (terms, per_term, templates, concepts) per batch.

    Parameters
    ----------
    batches : list of (seed, per_term)
        Other seeds are other portraits, of the terms of the first spec.

    Notes
    -----
    Concepts are those of both specs, in their order. Kept under ``BIASLAB_BENCH_CACHE``, by default
    in the system's folder for temporary files.
    """
    workers = min(len(batches), os.cpu_count() or 1)
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        return list(pool.map(_answered, batches, chunksize=4))


def concepts() -> tuple[str, ...]:
    """Concepts of both specs."""
    return tuple(
        c for name in SPECS for words in specs.get(name).attributes.values() for c in words
    )


def _answered(batch: tuple[int, int]) -> NDArray[np.float32]:
    seed, per_term = batch
    vlm, terms = _model(), image_terms(specs.get(SPECS[0]))
    key = f"{vlm.content_hash}|{terms}|{seed}|{per_term}|{SIZE}|{concepts()}|{vlm.templates}"
    file = scratch() / f"{hashlib.sha256(key.encode()).hexdigest()[:32]}.npy"
    if file.exists():
        kept: NDArray[np.float32] = np.load(file)
        return kept
    shown = [_portrait(term, number, seed) for term in terms for number in range(per_term)]
    pictures = draw_many(shown, SIZE)
    scores = vlm.answers(list(pictures), concepts()).log_scores
    vlm.forget_pictures()
    out = np.asarray(scores, np.float32).reshape(len(terms), per_term, *scores.shape[1:])
    part = file.with_suffix(f".{os.getpid()}")
    with part.open("wb") as stream:
        np.save(stream, out)
    part.replace(file)
    return out


def _portrait(term: str, number: int, seed: int) -> Portrait:
    what = drawable(term)
    if what is None:
        raise ValueError(f"{term!r} cannot be drawn.")
    own = hashlib.sha256(f"benchmark|{term}|{seed}|{number}".encode()).digest()[:6]
    group = what.group or GROUPS[number % 2]
    return sample_portrait(what.occupation, group, int.from_bytes(own, "big"))


@cache
def _model() -> VisionLanguageModel:
    import torch

    torch.set_num_threads(1)
    return load("portrait-clip", kind="vlm", device="cpu")


def scratch() -> Path:
    """Where what takes long to make is kept."""
    chosen = os.environ.get("BIASLAB_BENCH_CACHE")
    folder = Path(chosen) if chosen else Path(tempfile.gettempdir()) / "biaslab-benchmarks"
    folder.mkdir(parents=True, exist_ok=True)
    return folder
