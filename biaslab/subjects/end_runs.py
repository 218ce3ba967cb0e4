"""States that the blocks of a language model pass on while it reads either end of a blend."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from biaslab.subjects.language_model_reading import Entered
from biaslab.subjects.patching_blocks import Blocks

if TYPE_CHECKING:
    import torch


class EndRuns:
    """States of texts at alpha 0 and 1, in one tensor for each layer.

    Texts are named by the number of their look and alpha. Places that several texts share lie
    there once.

    Parameters
    ----------
    blocks : Blocks
        Of the model.
    """

    def __init__(self, blocks: Blocks) -> None:
        self._blocks = blocks
        self._parts: list[list[torch.Tensor]] = [[] for _ in blocks.modules]
        self._states: list[torch.Tensor] = []
        self._size = 0
        self._places: dict[tuple[int, float], NDArray[np.int64]] = {}

    @contextmanager
    def entered(self, batch: Entered, embedded: torch.Tensor) -> Iterator[torch.Tensor]:
        """Keep the states of a batch's ends while the model reads it."""
        ends = [text for text in batch.texts if text[1][1] in (0, 1)]
        if not ends:
            yield embedded
            return
        with self._blocks.captured() as captured:
            yield embedded
        flat = np.concatenate([row * batch.shape[1] + columns for row, _, columns in ends])
        kept, which = np.unique(flat, return_inverse=True)
        begin = 0
        for _, name, columns in ends:
            self._places[name] = self._size + which[begin : begin + len(columns)]
            begin += len(columns)
        self._size += len(kept)
        for part, states in zip(self._parts, captured, strict=True):
            part.append(_whole(states, batch).flatten(0, 1)[_index(kept, states)])

    def close(self) -> None:
        """Put the states of all batches together: there are no more."""
        import torch

        self._states = [torch.cat(part) for part in self._parts]
        self._parts = []

    def mixed(self, layer: int, batch: Entered, shares: NDArray[np.float32]) -> torch.Tensor:
        """Return mixed states (rows, length, width) of a batch.

        Parameters
        ----------
        layer : int
            From 1: what this block passes on.
        batch : Entered
            Its texts are named by look and alpha.
        shares : ndarray of float32, shape (n,)
            Share of the second end at each place of the texts, one text after the other.
        """
        import torch

        states = self._states[layer - 1]
        first, second = (
            np.concatenate([self._places[name[0], end] for _, name, _ in batch.texts])
            for end in (0.0, 1.0)
        )
        share = torch.from_numpy(shares).to(states.device)[:, None]
        one, other = states[_index(first, states)], states[_index(second, states)]
        fine = torch.promote_types(states.dtype, torch.float32)
        values = ((1 - share) * one.to(fine) + share * other.to(fine)).to(states.dtype)
        full = states.new_zeros((batch.shape[0] * batch.shape[1], states.shape[-1]))
        flat = [row * batch.shape[1] + columns for row, _, columns in batch.texts]
        full[_index(np.concatenate(flat), states)] = values
        return full.reshape(*batch.shape, -1)


def _whole(states: torch.Tensor, batch: Entered) -> torch.Tensor:
    """Return states (rows, length, width) of a block that may pass on the read places only."""
    if states.shape[:2] == batch.shape:
        return states
    full = states.new_zeros((*batch.shape, states.shape[-1]))
    rows, columns = (each.to(states.device) for each in batch.where)
    full[rows, columns] = states[0]
    return full


def _index(places: NDArray[np.int64], states: Any) -> Any:
    import torch

    return torch.from_numpy(places).to(states.device)


__all__ = ["EndRuns"]
