"""Pictures through a vision-language model, in batches under a memory cap."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from typing import Any, Protocol, TypeVar

from biaslab.subjects.out_of_memory import is_out_of_memory
from biaslab.subjects.pictures import Picture

MEGABYTE = 1_000_000
#: Pictures that go through the model at once, by kind of device: more are not faster.
PICTURES_AT_ONCE = {"cpu": 16, "cuda": 128}
#: Threads that make pictures ready for a GPU while it is at work.
_HANDS = 8
Out = TypeVar("Out")


class Seeing(Protocol):
    """Interface of a `VisionLanguageModel` for reading."""

    @property
    def model(self) -> Any:
        """The model."""

    @property
    def image_processor(self) -> Any:
        """Processor of pictures."""

    @property
    def device(self) -> str:
        """Device of the model."""

    @property
    def lock(self) -> AbstractContextManager[Any]:
        """Held while it answers."""

    @property
    def fills_up(self) -> bool:
        """Whether a batch with pictures of different sizes is padded."""


def pictures_at_once(vlm: Seeing, each: float, memory_mb: float) -> int:
    """Return how many pictures of this size go into a batch; at least one."""
    most = PICTURES_AT_ONCE["cpu" if vlm.device == "cpu" else "cuda"]
    return max(1, min(most, int(memory_mb * MEGABYTE / each)))


def read_batches(
    vlm: Seeing,
    pictures: Sequence[Picture],
    at_once: int,
    answer: Callable[[dict[str, Any]], Out],
    *,
    between: Callable[[], None] | None = None,
    advance: Callable[[int], None] | None = None,
) -> Iterator[tuple[Sequence[Picture], Out]]:
    """Yield batches of pictures with the model's output.

    Parameters
    ----------
    vlm : VisionLanguageModel
        The model.
    pictures : sequence of Picture
        In any order; opened when their batch is next.
    at_once : int
        Pictures in a batch. A device that has not enough memory for them gets half as many.
    answer : callable
        Of the model's inputs, under its lock.
    between : callable, optional
        Called before each batch; an exception from it ends the reading.
    advance : callable, optional
        Called after each batch with how many pictures it had.
    """
    for some, ready in _ready(vlm, pictures, at_once):
        if between is not None:
            between()
        yield from _answered(vlm, some, ready, answer)
        if advance is not None:
            advance(len(some))


def _ready(
    vlm: Seeing, pictures: Sequence[Picture], at_once: int
) -> Iterator[tuple[Sequence[Picture], dict[str, Any]]]:
    """Yield batches ready for the model; for a GPU in advance."""
    batches = [pictures[at : at + at_once] for at in range(0, len(pictures), at_once)]
    if vlm.device == "cpu" or len(pictures) == 1:
        for batch in batches:
            yield batch, as_seen(vlm, batch)
        return
    hands = max(1, min(_HANDS, (os.cpu_count() or 2) - 1))
    # A model that takes pictures of different sizes pads them within a batch.
    share = at_once if vlm.fills_up else -(-at_once // hands)
    with ThreadPoolExecutor(hands) as pool:

        def begun(batch: Sequence[Picture]) -> list[Any]:
            parts = [batch[at : at + share] for at in range(0, len(batch), share)]
            return [pool.submit(as_seen, vlm, part) for part in parts]

        waiting = [begun(batch) for batch in batches[:2]]
        try:
            for i, batch in enumerate(batches):
                parts = [part.result() for part in waiting.pop(0)]
                if i + 2 < len(batches):
                    waiting.append(begun(batches[i + 2]))
                yield batch, _joined(parts)
        finally:
            for part in (part for parts in waiting for part in parts):
                part.cancel()


def as_seen(vlm: Seeing, pictures: Sequence[Picture]) -> dict[str, Any]:
    """Process pictures with the model's own processor: tensors on the CPU."""
    images = [picture.picture() for picture in pictures]
    inputs = vlm.image_processor(images=images, return_tensors="pt")
    return dict(inputs)


def _joined(parts: list[dict[str, Any]]) -> dict[str, Any]:
    import torch

    if len(parts) == 1:
        return parts[0]
    return {name: torch.cat([part[name] for part in parts]) for name in parts[0]}


def _answered(
    vlm: Seeing,
    pictures: Sequence[Picture],
    ready: dict[str, Any],
    answer: Callable[[dict[str, Any]], Out],
) -> Iterator[tuple[Sequence[Picture], Out]]:
    """Score a batch; halve it while a device has not enough memory for it."""
    import torch

    try:
        with vlm.lock, torch.inference_mode():
            inputs = {name: _moved(vlm, value) for name, value in ready.items()}
            result = answer(inputs)
    except (RuntimeError, MemoryError) as error:
        if len(pictures) == 1 or not is_out_of_memory(error):
            raise
    else:
        yield pictures, result
        return
    # Outside the except clause, which would keep the failed tensors in memory.
    half = len(pictures) // 2
    for part in (slice(None, half), slice(half, None)):
        some = {name: value[part] for name, value in ready.items()}
        yield from _answered(vlm, pictures[part], some, answer)


def _moved(vlm: Seeing, value: Any) -> Any:
    on = value.to(vlm.device)
    return on.to(vlm.model.dtype) if on.is_floating_point() else on
