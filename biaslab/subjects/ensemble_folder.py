"""The folder format of an embedding ensemble: what training writes and ``bl.load`` opens.

``ensemble.json`` (manifest), ``vocabulary.txt`` (one word a line) and one
``replicate-NN.safetensors`` per replicate: ``vectors`` int8 of shape (V, d) and ``scale`` float16
of shape (V,), so that a row's vector is ``vectors * scale``. A scale of 0 marks a word that the
replicate never saw. Cosines of such rows differ from the trained ones by less than 0.01.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

FORMAT_VERSION = 1


def replicate_path(folder: Path, index: int) -> Path:
    """Path of replicate ``index``."""
    return folder / f"replicate-{index:02d}.safetensors"


def is_complete(folder: Path, index: int) -> bool:
    """Whether replicate ``index`` was written; files appear only when they are whole."""
    return replicate_path(folder, index).exists()


def quantise(vectors: NDArray[np.float32]) -> tuple[NDArray[np.int8], NDArray[np.float16]]:
    """Quantise rows to int8 with one scale per row: shapes (V, d) -> (V, d) and (V,)."""
    scale = (np.abs(vectors).max(axis=1) / 127).astype(np.float16)
    safe = np.where(scale > 0, scale, 1).astype(np.float32)[:, None]
    return np.clip(np.rint(vectors / safe), -127, 127).astype(np.int8), scale


def write_replicate(folder: Path, index: int, vectors: NDArray[np.float32]) -> None:
    """Write one replicate, shape (V, d), atomically."""
    from safetensors.numpy import save_file

    rows, scale = quantise(vectors)
    path = replicate_path(folder, index)
    partial = path.with_suffix(".partial")
    save_file({"vectors": rows, "scale": scale}, partial)
    os.replace(partial, path)


def write_vocabulary(folder: Path, vocabulary: Sequence[str]) -> None:
    """Write the shared vocabulary, one word a line."""
    _replace(folder / "vocabulary.txt", "\n".join(vocabulary) + "\n")


def write_manifest(folder: Path, recipe: dict[str, Any]) -> None:
    """Write the manifest that marks the ensemble as finished."""
    manifest = {"format": "biaslab-ensemble", "version": FORMAT_VERSION, **recipe}
    _replace(folder / "ensemble.json", json.dumps(manifest, indent=1) + "\n")


def _replace(path: Path, text: str) -> None:
    partial = path.with_suffix(".partial")
    partial.write_text(text, encoding="utf-8")
    os.replace(partial, path)
