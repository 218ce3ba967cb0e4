"""A small study of pictures that nobody opens, for tests of what is made of a model's answers."""

from __future__ import annotations

from typing import Any

from PIL import Image as pillow

import biaslab as bl
from biaslab.images import Image, ImageRecord, ImageSet
from biaslab.probes.images.simulated_vision import SimulatedVision
from biaslab.specs import Spec

SPEC = Spec(
    name="small",
    title="Small",
    source="test",
    groups={"women": ("nurse", "clerk"), "men": ("pilot", "smith")},
    attributes={"helpers": ("helper", "carer"), "experts": ("expert", "leader")},
    attribute_groups={"helpers": ("women",), "experts": ("men",)},
)
LISTS = (("helper", "carer"), ("expert", "leader"))
RATES = {"nurse": 0.8, "clerk": 0.6, "pilot": 0.3, "smith": 0.4}
"""P(helpers) of each term, planted."""


def picture(term: str, number: int) -> Image:
    """A picture whose hash is all that a simulated model looks at."""
    record = ImageRecord(f"{term}-{number}", term, 8, 8, "test", f"{term} number {number}")
    return Image(record, lambda: pillow.new("RGB", (8, 8)))


def pictures(each: int = 12) -> ImageSet:
    """So many of each term."""
    return ImageSet.of(picture(term, i) for term in RATES for i in range(each))


def model(rate: Any = None, **options: Any) -> SimulatedVision:
    """A model with the planted rates, or others."""
    return bl.observers.vision(RATES if rate is None else rate, lists=LISTS, **options)


def asked(
    images: Any = None, subject: Any = None, spec: Any = SPEC, **options: Any
) -> bl.probes.images.ImageAssociation:
    """The probe on these pictures, with few resamples."""
    options = {"keep": False, "resamples": 200, "permutations": 200} | options
    shown = pictures() if images is None else images
    return bl.image_association(model() if subject is None else subject, spec, shown, **options)
