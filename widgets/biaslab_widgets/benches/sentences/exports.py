"""What a person takes along from the sentence bench: pairs as files, results as tables."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path

from biaslab.errors import QueryError, SentenceError
from biaslab.files.csv_text import frame_text, rows_text
from biaslab.probes.sentences.exchange import FORMATS, write_pairs
from biaslab.probes.sentences.pairs import PairSet
from biaslab.probes.sentences.stereotype_result import StereotypeScore
from biaslab_widgets.benches.sentences.detail import by_word

ENDINGS = {
    "json": ("json", "application/json"),
    "csv": ("csv", "text/csv"),
    "biastestgpt": ("csv", "text/csv"),
    "crows-pairs": ("csv", "text/csv"),
    "stereoset": ("json", "application/json"),
}
TABLES = ("sentences", "shares", "contributions")


def pairs_file(pairs: PairSet, kind: str) -> tuple[str, str, str]:
    """The pairs as a file: its name, its media type, its text.

    Raises `SentenceError` when there is no such format, or no pair.
    """
    if kind not in ENDINGS:
        known = ", ".join(name for name in FORMATS if name in ENDINGS)
        raise SentenceError(f"The format is “{kind}”: choose one of {known}.")
    if not len(pairs):
        raise SentenceError("There are no pairs to export yet.")
    ending, media_type = ENDINGS[kind]
    name = f"{stem(pairs.spec or 'sentences')}{'' if kind in ('json', 'csv') else f'-{kind}'}"
    with tempfile.TemporaryDirectory() as folder:
        path = write_pairs(pairs, Path(folder) / f"pairs.{ending}", kind)
        return f"{name}.{ending}", media_type, path.read_text(encoding="utf-8")


def table(results: Mapping[str, StereotypeScore], what: str) -> str:
    """CSV text of all models' results, with a column for the model.

    - `results`: by model.
    - `what`, {"sentences", "shares", "contributions"}: a row per pair; a row per share; a row per
      word of either version.
    - Raises `QueryError` when there is no such table.
    """
    what = what or TABLES[0]
    if what not in TABLES:
        raise QueryError(f"There is no table “{what}”: choose one of {', '.join(TABLES)}.")
    if what == "contributions":
        return _contributions(results)
    import pandas as pd

    frames = []
    for name, result in results.items():
        frame = result.raw_frame() if what == "sentences" else result.to_frame()
        frame.insert(0, "model", name)
        frame.insert(1, "scorer", result.scorer)
        frames.append(frame)
    return frame_text(pd.concat(frames, ignore_index=True))


def _contributions(results: Mapping[str, StereotypeScore]) -> str:
    columns = ["model", "scorer", "id", "attribute", "position", "stereotyped", "against",
               "stereotyped_adds", "against_adds", "difference"]  # fmt: skip
    rows = (
        [name, result.scorer, pair.id, pair.attribute, place, *row]
        for name, result in results.items()
        for pair, scores in zip(result.pairs, result.scores, strict=True)
        for place, row in enumerate(by_word(pair, scores), start=1)
    )
    return rows_text(columns, rows)


def stem(name: str) -> str:
    """Name of a file without its ending."""
    return "".join(c if c.isalnum() else "-" for c in name).strip("-") or "sentences"
