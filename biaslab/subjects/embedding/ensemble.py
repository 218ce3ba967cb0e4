"""Ensembles of B bootstrapped embeddings over one vocabulary, and the folder of one.

The folder is written by training and read by ``bl.load``: ``ensemble.json`` (manifest),
``vocabulary.txt`` (one word a line) and one ``replicate-NN.safetensors`` per replicate: ``vectors``
int8 of shape (V, d) and ``scale`` float16 of shape (V,), so that a row's vector is
``vectors * scale``. A scale of 0 marks a word that the replicate never saw. Cosines of such rows
differ from the trained ones by less than 0.01.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from biaslab.arguments import renamed
from biaslab.errors import EmbeddingFileError, SubjectError
from biaslab.files.atomic import write_atomically
from biaslab.files.given import parse_json, read_given
from biaslab.records.calls import recorded_method
from biaslab.subjects.embedding.base import EmbeddingSubject
from biaslab.subjects.embedding.terms import CasePolicy
from biaslab.subjects.embedding.word_embedding import WordEmbedding, replicate_of
from biaslab.subjects.formats.reading import ReadOptions, listed
from biaslab.subjects.formats.safetensors_file import map_tensor, read_header, read_vocabulary


class EmbeddingEnsemble(EmbeddingSubject):
    """B word embeddings of V words in d dimensions over one vocabulary.

    Parameters
    ----------
    words : sequence of str
        V words, the same for all replicates.
    vectors : ndarray, or sequence of ndarray
        Shape (B, V, d), or B arrays of shape (V, d) (one memory-mapped file each). Float or int8.
    scale : ndarray or sequence of ndarray, optional
        Shape (B, V): row i of replicate b is ``vectors[b, i] * scale[b, i]``. A scale of 0 says
        that the replicate never saw the word.
    name, letter_case, about, notes
        As of `biaslab.subjects.embedding.word_embedding.WordEmbedding`.
    kind : {"ensemble", "observer"}
        "observer" for simulated subjects.

    Raises
    ------
    SubjectError
        When the shapes do not fit each other.

    Notes
    -----
    A word that any replicate lacks is unknown, with the reason "missing from k of B replicates":
    its spread over replicates would not be that of the others.
    """

    kind = "ensemble"

    @renamed(case="letter_case")
    def __init__(
        self,
        words: Sequence[str],
        vectors: NDArray[np.generic] | Sequence[NDArray[np.generic]],
        *,
        scale: NDArray[np.floating] | Sequence[NDArray[np.floating]] | None = None,
        name: str = "ensemble",
        letter_case: CasePolicy = "smart",
        about: str = "",
        notes: Iterable[str] = (),
        kind: str = "ensemble",
    ) -> None:
        super().__init__(
            words,
            [np.asanyarray(matrix) for matrix in vectors],
            None if scale is None else [np.asarray(row) for row in scale],
            name=name,
            letter_case=letter_case,
            about=about,
            notes=notes,
        )
        self.kind = kind

    @recorded_method
    def replicate(self, b: int) -> WordEmbedding:
        """Return replicate ``b`` (from 0) as an embedding; it shares memory with this one."""
        return replicate_of(self, b)

    def save(self, path: str | Path) -> Path:
        """Write all replicates into one npz file, memory-mapped by `biaslab.load`.

        Raises
        ------
        SubjectError
            When the name ends otherwise.
        WriteError
            When it cannot be written.
        """
        from biaslab.subjects.formats.npz import write_npz

        if Path(path).suffix != ".npz":
            raise SubjectError(
                f"An ensemble is saved as one npz file: name it {Path(path).stem}.npz."
            )
        return write_npz(Path(path), self._words_by_row, self._replicates, self._scales, self.about)


FORMAT_VERSION = 1
_AS_STORED = ReadOptions()


def replicate_path(folder: Path, index: int) -> Path:
    """Return the path of replicate ``index``."""
    return folder / f"replicate-{index:02d}.safetensors"


def is_complete(folder: Path, index: int) -> bool:
    """Return whether replicate ``index`` was written; incomplete files never appear."""
    return replicate_path(folder, index).exists()


def quantise(vectors: NDArray[np.float32]) -> tuple[NDArray[np.int8], NDArray[np.float16]]:
    """Quantise rows to int8 with one scale per row: shapes (V, d) -> (V, d) and (V,)."""
    scale = (np.abs(vectors).max(axis=1) / 127).astype(np.float16)
    safe = np.where(scale > 0, scale, 1).astype(np.float32)[:, None]
    return np.clip(np.rint(vectors / safe), -127, 127).astype(np.int8), scale


def replicate_bytes(vectors: NDArray[np.float32]) -> bytes:
    """Return the file content of one replicate, shape (V, d)."""
    from safetensors.numpy import save

    rows, scale = quantise(vectors)
    content: bytes = save({"vectors": rows, "scale": scale})
    return content


def write_replicate(folder: Path, index: int, vectors: NDArray[np.float32] | bytes) -> None:
    """Write one replicate, (V, d) or the file's content, completely or not at all.

    Raises `WriteError` when it cannot be written, for example because the disk is full.
    """
    content = vectors if isinstance(vectors, bytes) else replicate_bytes(vectors)
    write_atomically(replicate_path(folder, index), content)


def write_vocabulary(folder: Path, vocabulary: Sequence[str]) -> None:
    """Write the shared vocabulary, one word a line."""
    write_atomically(folder / "vocabulary.txt", "\n".join(vocabulary) + "\n")


def write_manifest(folder: Path, recipe: dict[str, Any]) -> None:
    """Write the manifest that marks the ensemble as finished."""
    manifest = {"format": "biaslab-ensemble", "version": FORMAT_VERSION, **recipe}
    write_atomically(folder / "ensemble.json", json.dumps(manifest, indent=1) + "\n")


def is_ensemble_folder(folder: Path) -> bool:
    """Return whether a folder holds an ensemble, finished or not."""
    return (folder / "ensemble.json").exists() or bool(_replicate_numbers(folder))


def read_ensemble(
    folder: Path,
    options: ReadOptions = _AS_STORED,
    *,
    name: str | None = None,
    letter_case: CasePolicy = "smart",
    about: str | None = None,
) -> EmbeddingEnsemble:
    """Open an ensemble; the vectors stay memory-mapped int8 rows.

    A folder with fewer replicates than its recipe promises (training still runs, or a file is
    lost) is opened with the remaining ones, and a note. With ``options.skip_bad`` a damaged
    replicate is left out, with a note.

    Raises `EmbeddingFileError` when the folder holds no ensemble, or one of its files is damaged.
    """
    manifest = _manifest(folder)
    indices = _replicate_numbers(folder)
    if not indices:
        raise _error(
            folder,
            f"{folder.name} holds no replicate-NN.safetensors, but"
            f" {listed(sorted(p.name for p in folder.iterdir()))}. Choose a folder that"
            " `biaslab train bootstraps` wrote, or open a file in it",
        )
    if not (folder / "vocabulary.txt").exists():
        raise _error(
            folder,
            f"{folder.name} has no vocabulary.txt. Copy the file from where the ensemble was made",
        )
    words = read_vocabulary(folder / "vocabulary.txt")
    notes: list[str] = []
    vectors: list[NDArray[np.generic]] = []
    scales: list[NDArray[np.floating]] = []
    for index in indices:
        path = replicate_path(folder, index)
        try:
            rows, scale = _read_replicate(path, len(words))
            if vectors and rows.shape[1] != vectors[0].shape[1]:
                raise _error(
                    path,
                    f"{path.name} has rows of {rows.shape[1]} numbers, the others have"
                    f" {vectors[0].shape[1]}. Train it again",
                )
        except EmbeddingFileError as error:
            if not options.skip_bad:
                raise
            notes.append(f"Left out: {error}")
            continue
        vectors.append(rows[: options.limit])
        scales.append(scale[: options.limit])
    if not vectors:
        raise _error(folder, f"{folder.name} contains no usable replicate. {notes[0]}")
    promised = manifest.get("replicates")
    if isinstance(promised, int) and len(vectors) < promised:
        notes.insert(
            0,
            f"{len(vectors)} of {promised} replicates are there; repeat the training command to"
            " train the others.",
        )
    options.report(len(vectors), len(vectors))
    return EmbeddingEnsemble(
        words[: options.limit],
        vectors,
        scale=scales,
        name=name or folder.name,
        letter_case=letter_case,
        about=about if about is not None else _about(manifest, len(vectors)),
        notes=notes,
    )


def _replicate_numbers(folder: Path) -> list[int]:
    matches = (re.fullmatch(r"replicate-(\d{2,})\.safetensors", p.name) for p in folder.iterdir())
    return sorted(int(match[1]) for match in matches if match)


def _manifest(folder: Path) -> dict[str, Any]:
    """Return the manifest, else the recipe of unfinished training, else nothing."""
    for path in (folder / "ensemble.json", folder / "recipe.json"):
        if not path.exists():
            continue
        try:
            manifest = parse_json(read_given(path))
        except (OSError, ValueError) as error:
            raise _error(path, f"{path.name} is damaged ({error}). Restore it") from error
        if not isinstance(manifest, dict):
            raise _error(path, f"{path.name} is not a manifest. Restore it")
        version = manifest.get("version", FORMAT_VERSION)
        if path.name == "ensemble.json" and manifest.get("format") != "biaslab-ensemble":
            raise _error(
                path, f"{path.name} is not the manifest of an ensemble. Choose another folder"
            )
        if not isinstance(version, int) or version > FORMAT_VERSION:
            raise _error(
                path,
                f"{folder.name} has format version {version}, but this biaslab reads up to"
                f" {FORMAT_VERSION}. Upgrade biaslab",
            )
        return manifest
    return {}


def _read_replicate(path: Path, n_words: int) -> tuple[NDArray[np.generic], NDArray[np.floating]]:
    tensors, _ = read_header(path)
    if missing := [key for key in ("vectors", "scale") if key not in tensors]:
        raise _error(path, f"{path.name} has no {' and no '.join(missing)}. Train it again")
    rows = map_tensor(path, tensors["vectors"])
    scale = np.asarray(map_tensor(path, tensors["scale"])).astype(np.float32)
    if rows.ndim != 2 or rows.shape[0] != n_words or scale.shape != (n_words,):
        raise _error(
            path,
            f"{path.name} has {rows.shape[0]:,} rows and {scale.shape[0]:,} scales, the vocabulary"
            f" {n_words:,} words. Remove the file and repeat the training command",
        )
    return rows, scale


def _about(manifest: dict[str, Any], replicates: int) -> str:
    tokens = manifest.get("corpus", {}).get("tokens")
    corpus = f" of a corpus of {tokens:,} words" if isinstance(tokens, int) else ""
    method = manifest.get("method", "word")
    text = f"{replicates} {method} embeddings trained on resamples{corpus}"
    sets = [
        f"{judgements['set']} {judgements['spearman']:.2f}"
        for judgements in manifest.get("quality", ())
    ]
    return f"{text}; word similarity (Spearman): {', '.join(sets)}" if sets else text


def _error(path: Path, problem: str) -> EmbeddingFileError:
    return EmbeddingFileError(f"{problem}.", path=str(path))
