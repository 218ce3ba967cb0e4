"""Pictures made in the background: drawn here, or by a painter; shown as they come."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from biaslab.errors import ImageError
from biaslab.images import EndpointPainter, LocalPainter, Painter
from biaslab.images.drawn import STEREOTYPES, drawn_image
from biaslab.images.generate import PROMPTS, GeneratedImages, generate_images
from biaslab.images.image import Image, ImageSet
from biaslab.jobs.context import JobContext, reporting_to
from biaslab.people.secret import Secret
from biaslab_widgets.benches.images.thumbnails import ThumbnailCache
from biaslab_widgets.core.answers.background import Tee
from biaslab_widgets.core.bench.chosen_maker import ENDPOINT, ChosenMaker, endpoint_option
from biaslab_widgets.core.state.bench_state import MakerOption, PromptOption
from biaslab_widgets.core.subjects.sources import HUB, is_hub_name

LOCAL = "local"
"""Pictures of a term that a painter is asked for at most."""
_BETWEEN_S = 0.15
"""Drawn portraits are handed on so often."""


@dataclass(frozen=True)
class ToDraw:
    """Portraits to draw of a term: from one number up to another."""

    term: str
    begin: int
    end: int


def draw_portraits(
    parts: Sequence[ToDraw],
    seed: int,
    cache: ThumbnailCache,
    take: Callable[[ImageSet], object],
    context: JobContext | None = None,
) -> int:
    """Draw portraits and hand them on as they come; what was handed on stays when it is stopped.

    - `cache`: where thumbnails go: a portrait is at hand here.
    - `take`: given the newest portraits, from this thread.
    - Returns: how many were drawn.
    """
    context = context or JobContext()
    total = sum(part.end - part.begin for part in parts)
    fresh: list[Image] = []
    done, handed = 0, time.perf_counter()

    def hand_on() -> None:
        nonlocal handed
        if fresh:
            take(ImageSet(tuple(fresh), notes=(STEREOTYPES,)))
            fresh.clear()
        handed = time.perf_counter()

    try:
        for part in parts:
            for number in range(part.begin, part.end):
                context.checkpoint()
                image, picture = drawn_image(part.term, number, seed=seed)
                cache.put(image.hash, picture)
                fresh.append(image)
                done += 1
                context.report(done, total, f"drawing {part.term}")
                # Of many pictures the list itself takes time to hand on.
                if time.perf_counter() - handed > _BETWEEN_S + done / 20_000:
                    hand_on()
    finally:
        hand_on()
    return done


def painters(local: bool) -> list[MakerOption]:
    """Who can make pictures.

    - `local`: whether a folder of this machine may be named.
    """
    where = (
        "a name on the Hugging Face hub (hf:NAME), or a folder"
        if local
        else "a name on the Hugging Face hub (hf:NAME)"
    )
    return [
        endpoint_option(),
        {
            "key": LOCAL,
            "name": "Diffusers pipeline",
            "about": f"Runs on the machine that runs biaslab: {where}. Needs "
            'pip install "biaslab[images]".',
            "endpoint": False,
        },
    ]


def prompts() -> list[PromptOption]:
    """The ways to ask for pictures."""
    return [{"key": k, "label": k.capitalize(), "text": text} for k, text in PROMPTS.items()]


class ChosenPainter(ChosenMaker):
    """Who is to paint, as the front end has chosen; opened in the background.

    - `args`: ``painter`` (``"endpoint"`` or ``"local"``), ``model``, ``base_url``.
    - `key`: for an endpoint.
    - `local`: whether a folder of this machine may be named.
    - Raises `ImageError` when there is no such painter, or it is not said which model it is.
    """

    def __init__(self, args: Mapping[str, Any], key: Secret, *, local: bool) -> None:
        super().__init__(args.get("painter"), args, key)
        if self.who not in (ENDPOINT, LOCAL):
            raise ImageError(
                f"There is no image model “{self.who}”: choose “{ENDPOINT}” or “{LOCAL}”."
            )
        if not self.model:
            raise ImageError("Name the model that makes the pictures.")
        if self.who == LOCAL and not local and not is_hub_name(self.model):
            raise ImageError(
                f"“{self.model}” is not read, because this page is served to others. Name a"
                f" pipeline on the Hugging Face hub as {HUB}NAME."
            )

    def open(self) -> Painter:
        """The painter; may take long.

        Raises `BiaslabError` when it cannot be had: says why.
        """
        if self.who == LOCAL:
            return LocalPainter.load(self.model)
        return self.of_endpoint(EndpointPainter)


def paint(
    painter: ChosenPainter,
    terms: Sequence[str],
    per_term: int,
    style: str,
    on_made: Callable[[GeneratedImages], object],
    context: JobContext | None = None,
) -> GeneratedImages:
    """Ask for pictures; each is kept in the store as soon as it is there.

    - `style`: a key of `prompts`, or a prompt of one's own with ``{term}``.
    - `on_made`: given everything there is so far, after each picture.
    """
    context = context or JobContext()
    context.report(0, len(terms) * per_term, "opening the image model")
    with reporting_to(Tee(context, on_made)):
        return generate_images(terms, painter.open(), per_term=per_term, style=style)
