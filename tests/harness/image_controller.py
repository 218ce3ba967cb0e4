"""An image bench's controller, driven as a front end does, without a host."""

from __future__ import annotations

import base64
import io
from typing import Any

import numpy as np
from PIL import Image as Pillow

from biaslab.images import Image, ImageRecord, ImageSet
from biaslab.probes.images.simulated_vision import SimulatedVision, vision
from biaslab.subjects.vision_language.pictures import pixel_hash
from biaslab_widgets.benches.images.bench import ImageController
from biaslab_widgets.benches.images.subjects import vision_sources
from harness.driven import Driven

LISTS = [
    {"name": "portraits of women", "kind": "groups", "terms": ["female nurse", "female chef"]},
    {"name": "portraits of men", "kind": "groups", "terms": ["male nurse", "male chef"]},
    {
        "name": "helpers",
        "kind": "attributes",
        "terms": ["helper", "carer"],
        "of": ["portraits of women"],
    },
    {
        "name": "experts",
        "kind": "attributes",
        "terms": ["expert", "leader"],
        "of": ["portraits of men"],
    },
]
TERMS = ["female nurse", "female chef", "male nurse", "male chef"]
CONCEPTS = (("helper", "carer"), ("expert", "leader"))
RATES = {"female nurse": 0.7, "female chef": 0.6, "male nurse": 0.5, "male chef": 0.3}


class Named(SimulatedVision):
    """A simulated model with a name of its own, so that several stand side by side."""

    def __init__(self, name: str = "known", rates: Any = None, **options: Any) -> None:
        given = RATES if rates is None else rates
        lists = ((*CONCEPTS[0], "woman"), (*CONCEPTS[1], "man"))
        self.__dict__.update(vision(given, **{"lists": lists, "seed": 1, **options}).__dict__)
        self.name = name


def noise(term: str, seed: int, side: int = 16) -> Image:
    """A picture of no meaning, of which nothing is drawn."""
    pixels = np.random.default_rng(seed).integers(0, 256, (side, side, 3), dtype=np.uint8)
    picture = Pillow.fromarray(pixels)
    record = ImageRecord(pixel_hash(picture), term, side, side, "noise", f"noise {seed}")
    return Image(record, lambda: picture)


def noises(per_term: int = 8, terms: Any = tuple(TERMS)) -> ImageSet:
    """So many pictures of each term."""
    return ImageSet(
        tuple(noise(t, 1000 * k + i) for k, t in enumerate(terms) for i in range(per_term))
    )


def file(name: str, content: bytes, **more: Any) -> dict[str, Any]:
    """A file as the front end sends it."""
    return {"name": name, "content": base64.b64encode(content).decode(), **more}


def picture_file(name: str = "a.png", seed: int = 0, kind: str = "PNG", mode: str = "RGB") -> Any:
    """A picture as the front end sends it."""
    out = io.BytesIO()
    noise("", seed, 32).picture().convert(mode).save(out, kind)
    return file(name, out.getvalue())


class Bench(Driven):
    """A controller, and what it has emitted.

    Parameters
    ----------
    models
        As of the bench; by default one simulated model.
    spec
        As of the bench; by default two groups of two terms, and four concepts.
    images
        As of the bench; by default eight pictures of noise of each term.
    **options
        As of the controller.
    """

    def __init__(
        self, models: Any = None, spec: Any = LISTS, images: Any = "noise", **options: Any
    ) -> None:
        super().__init__(
            lambda emit: ImageController(
                vision_sources(Named() if models is None else models),
                emit,
                spec,
                noises() if isinstance(images, str) else images,
                **options,
            )
        )

    @property
    def ids(self) -> list[str]:
        """The pictures on the screen."""
        return [row["id"] for row in self.state["images"]["images"]]

    @property
    def rejected(self) -> list[dict[str, Any]]:
        """What is not used."""
        found: list[dict[str, Any]] = self.state["images"]["rejected"]
        return found

    def counts(self) -> dict[str, int]:
        """Pictures of each term on the screen."""
        return {row["name"]: row["count"] for row in self.state["images"]["terms"]}

    def made(self) -> dict[str, Any]:
        """How making pictures ended; waits for it."""
        job = self.controller.materials.maker.job
        assert job is not None
        job.wait()
        state = self.emitted.until(
            lambda s: s.get("making", {}).get("total") == 0 and s["making"]["message"] != ""
        )
        found: dict[str, Any] = state["making"]
        return found

    def tested(self, **values: Any) -> dict[str, Any]:
        """The picture once everything was tested."""
        self.answer(**{"step": 3, **values})
        self.controller.test().wait()
        number = self.controller._tests.count
        return self.until(lambda p: p["run"]["number"] == number and not p["run"]["running"])

    def thumbnails(self, ids: list[str]) -> dict[str, str]:
        """The thumbnails of these pictures, once they have come."""
        self.controller.change({"wanted": ids})

        def there(_state: dict[str, Any]) -> bool:
            return set(ids) <= self._sent().keys()

        self.emitted.until(there)
        return self._sent()

    def _sent(self) -> dict[str, str]:
        sent: dict[str, str] = {}
        for outputs in self.emitted.log:
            sent |= outputs.get("thumbnails", {}).get("pictures", {})
            sent |= outputs.get("thumbnails", {}).get("missing", {})
        return sent
