"""The picture that is looked at, and what every model says of it."""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Sequence
from typing import Any

from biaslab.errors import ImageError
from biaslab.images.image import Image
from biaslab.records.wording import prose
from biaslab_widgets.benches.images.fields import ImageDetail, ModelAnswer
from biaslab_widgets.benches.images.run import asked_of
from biaslab_widgets.benches.images.set import PictureSet
from biaslab_widgets.benches.images.thumbnails import DETAIL_SIDE, data_address
from biaslab_widgets.benches.images.view import ImageModelShown

_REMEMBERED = 200


class DetailCache:
    """Details as they are looked at; the newest pictures are remembered."""

    def __init__(self) -> None:
        self._pictures: OrderedDict[str, str] = OrderedDict()

    def of(self, held: PictureSet, place: int, models: Sequence[ImageModelShown]) -> ImageDetail:
        """A picture that is used.

        - `place`: which of the pictures that are used, from 0.
        - `models`: with what they say.
        """
        image = held.images[place]
        about = _about(image)
        try:
            picture = self._picture(image)
        except ImageError as error:
            picture, about = "", [prose(error), *about]
        what = "portrait" if image.record.source == "drawn" else "picture"
        return {
            "id": held.ids[place],
            "place": f"{image.term}, {what} {place + 1:,} of {len(held.images):,}",
            "term": image.term,
            "alt": image.alt,
            "picture": picture,
            "about": about,
            "models": [_answer(model, image, place) for model in models],
        }

    def _picture(self, image: Image) -> str:
        if (address := self._pictures.get(image.hash)) is None:
            address = self._pictures[image.hash] = data_address(image.picture(), DETAIL_SIDE)
            while len(self._pictures) > _REMEMBERED:
                self._pictures.popitem(last=False)
        return address


def _about(image: Image) -> list[str]:
    record = image.record
    known: dict[str, Any] = dict(record.provenance)
    about = [f"{record.source}, {record.width:,} x {record.height:,} pixels"]
    about += [str(known[name]) for name in ("file", "prompt", "model") if known.get(name)]
    if remarks := known.get("remarks"):
        about.append(f"Changed when it was opened: {remarks}.")
    return about


def _answer(model: ImageModelShown, image: Image, place: int) -> ModelAnswer:
    answers = model.answers
    empty: ModelAnswer = {
        "name": model.name,
        "both": None,
        "by_template": [],
        "by_concept": [],
        "failure": model.failures.get(asked_of(image), ""),
    }
    if answers is None or not math.isfinite(float(answers.scores[place])):
        return empty
    rows = [float(value) for value in answers.by_template[place]]
    first = sum(rows) / len(rows)
    concepts = answers.by_concept[place].tolist()
    return {
        **empty,
        "both": (round(first, 5), round(1 - first, 5)),
        "by_template": [
            (text, round(value, 5), round(1 - value, 5))
            for text, value in zip(model.templates, rows, strict=True)
        ],
        "by_concept": [
            (concept, side, round(value, 5))
            for (concept, side), value in zip(model.concepts, concepts, strict=True)
        ],
    }
