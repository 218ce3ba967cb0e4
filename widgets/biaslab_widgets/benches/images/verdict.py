"""The verdict over several models, and the grey line under it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from biaslab.probes.images.result import ImageAssociation
from biaslab.wording import percent, range_text
from biaslab_widgets.core import models_verdict
from biaslab_widgets.core.records import Span

DRAWN = (
    "The portraits are drawn stereotypes, made to check the test. They say nothing about people."
)


def verdict_of(found: Sequence[ImageAssociation]) -> list[Span]:
    """What is found, in plain words: of the first model in full, of others in short."""
    return models_verdict.verdict_of(found, _short)


def caveat_of(found: Sequence[ImageAssociation], *, running: bool) -> str:
    """What the intervals are over, what was asked, and what drawn portraits are."""
    if not found:
        return ""
    # What is not reached yet while a test goes on is no loss.
    first = replace(found[0], unscored=0) if running else found[0]
    drawn = all(image.source == "drawn" for image in first.images)
    return " ".join([first.caveat(), *([DRAWN] if drawn else [])])


def _short(one: ImageAssociation) -> list[Span]:
    def between(low: float, high: float) -> str:
        return range_text(low, high).replace(" and ", " to ")

    return models_verdict.in_short(one, percent(one.score), between, joint=", ")
