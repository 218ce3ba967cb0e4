"""Patch a blended stimulus into a language model at any layer, and read its answers.

Two end runs show the model either word of a `Blend`; the states that each block passes on are
kept. For a layer, states are the mixture of the two runs' states there, and the forward pass goes
on from that layer: one batch for all mixtures, without the blocks below. Where a causal model can,
all mixtures of a text share the places before the blend.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from biaslab.subjects.end_runs import EndRuns
from biaslab.subjects.language_model_reading import (
    MEGABYTE,
    Entered,
    Entry,
    Look,
    numbers_by_group,
    read_rows,
    reads_at_once,
    rows_for,
)
from biaslab.subjects.memory_limits import batch_memory_mb
from biaslab.subjects.packed_weights import PackedWeights
from biaslab.subjects.patching_blocks import Blocks, blocks_of
from biaslab.subjects.text_config import width_of

if TYPE_CHECKING:
    import torch

    from biaslab.subjects.language_model import LanguageModel

Patch = Literal["text", "cue"]
"""Places at which states are mixed: the whole text, or the cue's own place only."""
PATCHES: tuple[Patch, ...] = ("text", "cue")
_FOR_STATES = 0.5
"""Share of the memory that the states of the end runs may take."""


def read_layers(
    lm: LanguageModel,
    looks: Sequence[Look],
    alphas: NDArray[np.float64],
    layers: Sequence[int],
    *,
    patch: Patch = "text",
    memory_mb: float | None = None,
    groups: Sequence[int] | None = None,
    between: Callable[[], None] | None = None,
    advance: Callable[[int], None] | None = None,
) -> list[NDArray[np.float64]]:
    r"""Log probabilities of targets, with the mixture patched in at each of some layers.

    With :math:`h_1` and :math:`h_2` the states of the two end runs at a layer, the states there
    are :math:`(1-\alpha) h_1 + \alpha h_2`. With ``patch="cue"`` only those at the cue's own place
    are; at all others, alpha is held at 1/2. Layer 0 is the input embeddings, where both are the
    same; layer l is what block l passes on.

    Parameters
    ----------
    lm : LanguageModel
        The model.
    looks : sequence of Look
        Each with a blend; its own ``alpha`` is ignored.
    alphas : ndarray, shape (A,)
        Shares of the second word.
    layers : sequence of int
        From 0 to the number of blocks.
    patch : {"text", "cue"}
        Where states are mixed.
    memory_mb : float, optional
        Limit on the extra memory of a batch, in megabytes.
    groups : sequence of int, optional
        Numbers of looks that share no batch, as of
        `biaslab.subjects.language_model_reading.read`.
    between : callable, optional
        Called between batches; an exception from it ends the reading.
    advance : callable, optional
        Called after each layer of a batch with how many readings of a look at an alpha are done.

    Returns
    -------
    list of ndarray, shape (layers, A, n)
        One per look, with its n positions.

    Raises
    ------
    SubjectError
        When the model has no blocks that can be entered.
    DeviceMemoryError
        When memory does not suffice for one text alone.
    """
    if memory_mb is None:
        memory_mb = batch_memory_mb(lm.device)
    cap = memory_mb * MEGABYTE
    blocks = blocks_of(lm)
    tokens = None
    if groups is None:
        tokens = sum(len(look.ids) for look in looks) * len(alphas) * len(layers)
    with lm.lock:
        packed = PackedWeights(lm.model, tokens, (1 - _FOR_STATES) * cap)
    out = [np.empty((len(layers), len(alphas), len(look.positions))) for look in looks]
    for numbers in numbers_by_group(lm, len(looks), groups):
        for some in _fitting(lm, looks, numbers, len(blocks), _FOR_STATES * cap):
            reading = _Reading(
                lm, blocks, looks, some, alphas, layers, patch, cap, packed, between,
                advance or _nobody,
            )  # fmt: skip
            reading.fill(out)
    return out


@dataclass(frozen=True, eq=False)
class _Reading:
    """Some of the looks, read at all layers."""

    lm: LanguageModel
    blocks: Blocks
    looks: Sequence[Look]
    numbers: Sequence[int]
    alphas: NDArray[np.float64]
    layers: Sequence[int]
    patch: Patch
    cap: float
    packed: PackedWeights
    between: Callable[[], None] | None
    advance: Callable[[int], None]

    def fill(self, out: list[NDArray[np.float64]]) -> None:
        """Write the values of all layers and stimuli into an array for each look."""
        levels = self.alphas.tolist()
        ends = EndRuns(self.blocks)
        pure: dict[tuple[int, float], NDArray[np.float64]] = {}
        # Alone, so that they are the same whatever layers are read.
        for answers in self._answers([0.0, 1.0], ends.entered):
            pure.update(answers)
        ends.close()
        for at, layer in enumerate(self.layers):
            # Pure cues are the end runs themselves at every layer above the input.
            is_known = [layer > 0 and self.patch == "text" and a in (0, 1) for a in levels]
            self.advance(len(self.numbers) * sum(is_known))
            mixed = [a for a, old in zip(levels, is_known, strict=True) if not old]
            entry = partial(self._mixed, ends, layer) if layer > 0 else None
            found = dict(pure)
            for answers in self._answers(mixed, entry):
                found.update(answers)
                self.advance(len(answers))
            for i in self.numbers:
                for place, a in enumerate(levels):
                    out[i][at, place] = found[i, a]

    def _answers(
        self, levels: Sequence[float], entry: Entry | None = None
    ) -> Iterator[list[tuple[tuple[int, float], NDArray[np.float64]]]]:
        """Yield the readings of each batch by number of the look and alpha."""
        texts = [((i, a), replace(self.looks[i], alpha=a)) for i in self.numbers for a in levels]
        rows = rows_for(self.lm, texts, reads_at_once(self.lm, self.cap))
        yield from read_rows(
            self.lm, rows, (1 - _FOR_STATES) * self.cap - self.packed.bytes, raw=False,
            packed=self.packed, entry=entry, between=self.between,
        )  # fmt: skip

    @contextmanager
    def _mixed(
        self, ends: EndRuns, layer: int, entered: Entered, embedded: torch.Tensor
    ) -> Iterator[torch.Tensor]:
        """Enter the model at a layer with the mixtures of a batch's texts."""
        shares = np.concatenate([self._shares(*name) for _, name, _ in entered.texts])
        states = ends.mixed(layer, entered, shares)
        entered.early = layer < len(self.blocks)
        with self.blocks.entered(layer, states):
            yield embedded

    def _shares(self, number: int, alpha: float) -> NDArray[np.float32]:
        """Return the share of the second run at every place of a look."""
        look = self.looks[number]
        if self.patch == "text":
            return np.full(len(look.ids), alpha, dtype=np.float32)
        assert look.blend is not None  # noqa: S101  # every question has one
        share = np.full(len(look.ids), 0.5, dtype=np.float32)
        places = max(len(look.blend.first), len(look.blend.second))
        share[look.blend.start : look.blend.start + places] = alpha
        return share


def _fitting(
    lm: LanguageModel, looks: Sequence[Look], numbers: Sequence[int], blocks: int, cap: float
) -> Iterator[list[int]]:
    """Yield numbers of looks whose end runs fit into memory together."""
    width = width_of(lm.model) * int(lm.model.dtype.itemsize)
    group: list[int] = []
    states = 0
    for number in numbers:
        look = looks[number]
        own = 2 * len(look.ids) * width * blocks
        if group and states + own > cap:
            yield group
            group, states = [], 0
        group.append(number)
        states += own
    if group:
        yield group


def _nobody(_: int) -> None:
    """Report to nobody."""


__all__ = ["PATCHES", "Patch", "read_layers"]
