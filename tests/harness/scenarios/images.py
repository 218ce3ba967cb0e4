"""Scenarios of the image bench: two simulated models on pictures of four terms."""

from __future__ import annotations

from typing import Any

import numpy as np
from PIL import Image as Pillow

from biaslab.errors import ImageError
from biaslab.images import Image, ImageRecord, ImageSet
from harness.image_controller import Bench, Named
from harness.recording import Scenarios, Versions

LISTS = [
    {"name": "women", "kind": "groups", "terms": ["female nurse", "female scientist"]},
    {"name": "men", "kind": "groups", "terms": ["male nurse", "male scientist"]},
    {"name": "helpers", "kind": "attributes", "terms": ["helper", "carer"], "of": ["women"]},
    {"name": "experts", "kind": "attributes", "terms": ["expert", "leader"], "of": ["men"]},
]
RATES = {"female nurse": 0.7, "female scientist": 0.6, "male nurse": 0.45, "male scientist": 0.3}
MODELS = ["portrait-clip", "another"]
EACH = 5
LOST = "female nurse 1"


class Model(Named):
    """Answers captions with what is planted, but for pictures that it cannot open."""

    kind = "clip"

    def __init__(self, name: str, lost: str = "", **options: Any) -> None:
        pse = {"nurse": 0.66, "scientist": 0.42}
        super().__init__(name, RATES, pse=pse, pse_sd=0.05, image_sd=1.0, **options)
        self.lost = lost

    def answers(self, images: Any, *args: Any, **options: Any) -> Any:
        """What it says of pictures."""
        if any(getattr(image, "alt", "") == self.lost for image in images):
            raise ImageError("It could not be opened.")
        return super().answers(images, *args, **options)


def picture(term: str, number: int) -> Image:
    """A picture whose hash and description are all that a simulated model looks at."""
    place = "".join(word[0] for word in term.split())
    record = ImageRecord(
        hash=f"{place}{number}",
        term=term,
        width=8,
        height=8,
        source="uploaded" if number == 1 else "drawn",
        description=f"{term} {number}",
        provenance={"remarks": "It was turned"} if f"{term} {number}" == LOST else {},
    )
    shade = np.full((8, 8, 3), 40 * number, dtype=np.uint8)
    return Image(record, lambda: Pillow.fromarray(shade))


def record() -> Scenarios:
    """Before and after tests, scientists looked at, pictures removed, and two morphs."""
    bench = Bench(
        [Model(MODELS[0]), Model(MODELS[1], LOST, seed=2)],
        LISTS,
        ImageSet(tuple(picture(term, i) for term in RATES for i in range(EACH))),
    )
    try:
        return _record(bench)
    finally:
        bench.controller.close()


def asked_about(bench: Bench, item: str) -> None:
    """Wait for the curve of an item."""

    def there(state: dict[str, Any]) -> bool:
        morph = state.get("morph", {})
        return bool(morph.get("state") == "ready" and morph["picture"]["item"] == item)

    bench.emitted.until(there)


def _record(bench: Bench) -> Scenarios:
    told: Scenarios = {}
    versions = Versions(bench.state["images"]["version"])

    def keep(scenario: str, **inputs: Any) -> None:
        bench.answer(**inputs)
        told[scenario] = versions.renumbered(bench.state, "images")

    bench.answer(step=2, models=MODELS[:1])
    keep("untested", step=3)
    bench.tested(models=MODELS)
    bench.reply("morph")
    asked_about(bench, "nurse")
    keep("two models")
    keep(f"looked at {LOST}, two models", image=bench.ids[1])
    keep("tested", image="", models=MODELS[:1])
    for row in bench.state["images"]["images"]:
        if "scientist" in row["alt"]:
            keep(f"looked at {row['alt']}", image=row["id"])
    for alpha in (0.41, 0.45):
        keep(f"alpha {alpha}", image="", alpha=alpha)
    bench.answer(alpha=0.5, morph_item="scientist")
    asked_about(bench, "scientist")
    keep("scientist")
    bench.answer(morph_item="nurse")
    bench.reply("remove", ids=[bench.ids[1]])
    keep("one removed", step=2)
    bench.reply("remove", ids=bench.ids[:2])
    keep("three removed")
    return {"tested": told.pop("tested"), **told}
