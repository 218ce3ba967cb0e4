"""What a person takes along from the image bench: tables with thumbnails, and all results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from biaslab.errors import ImageError, QueryError
from biaslab.files.csv_text import frame_text
from biaslab.images.image import Image
from biaslab.probes.images.result import ImageAssociation, ImageScoreDifference
from biaslab_widgets.benches.images.thumbnails import ThumbnailCache

TABLES = ("images", "terms", "models")


def table(
    results: Mapping[str, ImageAssociation],
    what: str,
    images: Sequence[Image],
    thumbnails: ThumbnailCache,
    differences: Sequence[ImageScoreDifference],
) -> str:
    """CSV text of all models' results, with a column for the model.

    - `results`: by model.
    - `what`, {"images", "terms", "models"}: a row per picture, with its thumbnail as a data
      address; a row per score; a row per model, with its difference from the first.
    - `images`: the pictures on the screen.
    - `differences`: the first model against the others.
    - Raises `QueryError` when there is no such table.
    """
    if what not in TABLES:
        raise QueryError(f"There is no table “{what}”: choose one of {', '.join(TABLES)}.")
    import pandas as pd

    if what == "models":
        made = pd.DataFrame(_models(results, differences))
        return frame_text(made)
    small = _thumbnails(images, thumbnails) if what == "images" else {}
    frames = []
    for name, result in results.items():
        frame = result.raw_frame() if what == "images" else result.to_frame()
        frame.insert(0, "model", name)
        if what == "images":
            frame["thumbnail"] = [small.get(one, "") for one in frame["hash"]]
        frames.append(frame)
    return frame_text(pd.concat(frames, ignore_index=True))


def _thumbnails(images: Sequence[Image], cache: ThumbnailCache) -> dict[str, str]:
    addresses = {}
    for image in images:
        try:
            addresses[image.hash] = cache.of(image)
        except ImageError:  # the picture has gone; what the model said of it is there
            addresses[image.hash] = ""
    return addresses


def _models(
    results: Mapping[str, ImageAssociation], differences: Sequence[ImageScoreDifference]
) -> list[dict[str, Any]]:
    by_other = {one.names[1]: one for one in differences}
    rows = []
    for name, result in results.items():
        ends, effect = result.interval, result.effect_interval
        row: dict[str, Any] = {
            "model": name,
            "kind": result.model_kind,
            "images": result.overall.n_images,
            "score": result.score,
            "low": ends.low,
            "high": ends.high,
            "interval": ends.kind,
            "effect": result.effect,
            "effect_low": effect.low,
            "effect_high": effect.high,
            "p": result.p,
            "aggregate": result.aggregate,
            "templates": " | ".join(result.templates),
            "concepts_not_asked": " | ".join(one.term for one in result.dropped),
        }
        one = by_other.get(result.provenance.subject)
        row |= {
            "first_less_this": None if one is None else one.difference,
            "difference_low": None if one is None else one.interval.low,
            "difference_high": None if one is None else one.interval.high,
        }
        rows.append(row)
    return rows
