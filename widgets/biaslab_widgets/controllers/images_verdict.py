"""The verdict over several models, and the grey line under it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from biaslab.probes.images.result import ImageAssociation
from biaslab.probes.wording import percent, range_text
from biaslab_widgets.controllers.records import Span

SPOKEN = 3
"""Models that the verdict names; the rows under it have all."""
DRAWN = "Portraits are drawn stereotypes, made to test the test: they say nothing about people."


def verdict_of(found: Sequence[ImageAssociation]) -> list[Span]:
    """What is found, in plain words: of the first model in full, of others in short."""
    if not found:
        return []
    spoken: list[Span] = [{"text": text, "role": role} for text, role in found[0].verdict()]
    for one in found[1:SPOKEN]:
        spoken += _short(one)
    if (more := len(found) - SPOKEN) > 0:
        spoken.append(_plain(f" {more} more model{'s' if more > 1 else ''} below."))
    return spoken


def caveat_of(found: Sequence[ImageAssociation], *, running: bool) -> str:
    """What the intervals are over, what was asked, and what drawn portraits are."""
    if not found:
        return ""
    # What is not reached yet while a test goes on is no loss.
    first = replace(found[0], unscored=0) if running else found[0]
    drawn = all(image.source == "drawn" for image in first.images)
    return " ".join([first.caveat(), *([DRAWN] if drawn else [])])


def _short(one: ImageAssociation) -> list[Span]:
    name: Span = {"text": one.provenance.subject, "role": "strong"}
    score: Span = {"text": percent(one.score), "role": "strong"}
    ends = one.interval
    if not np.isfinite([ends.low, ends.high]).all():
        return [_plain(" For "), name, _plain(", it is "), score,
                _plain("; how sure that is cannot be told.")]  # fmt: skip
    between = f" ({range_text(ends.low, ends.high).replace(' and ', ' to ')})"
    if one.lean == 0:
        return [_plain(" For "), name, _plain(", "), score,
                _plain(f"{between} cannot be told from 50.")]  # fmt: skip
    bias: Span = (
        {"text": "with the stereotype", "role": "with"}
        if one.lean > 0
        else {"text": "against the stereotype", "role": "against"}
    )
    return [_plain(" For "), name, _plain(", it is "), score, _plain(f"{between}, "), bias,
            _plain(".")]  # fmt: skip


def _plain(text: str) -> Span:
    return {"text": text, "role": "plain"}
