"""GloVe (Pennington, Socher and Manning 2014) in torch.

The loss is the paper's: the sum over cells with X > 0 of f(X) (w·w~ + b + b~ - log X)², with
f(X) = min(1, (X / x_max)^alpha), and AdaGrad descends it. A step takes a tile of the matrix
rather than a single cell, so that it is two or three matrix products on a CPU or a GPU: see
docs/decisions/training.md.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from biaslab.errors import MissingExtraError, TrainingError
from biaslab.probes.trace.counted import WIDEST_WINDOW
from biaslab_train.embeddings.cooccurrence import Cooccurrences
from biaslab_train.settings import Settings, setting

if TYPE_CHECKING:
    import torch


@dataclass(frozen=True)
class GloVeSettings(Settings):
    """Settings of one GloVe replicate, with 100 dimensions as Liang and Acuna (2020, section 3.1).

    The weight of a count X is f(X) = min(1, (X / x_max)^alpha): an x_max of 100 suits billions of
    words, 10 to 50 some millions. A pair of words at distance d counts 1/d.
    """

    vector_size: int = setting(100, "dimensions of the vectors")
    window: int = setting(20, "words of context on either side", least=1, most=WIDEST_WINDOW)
    epochs: int = setting(60, "passes over the co-occurrence matrix")
    x_max: float = setting(50.0, "co-occurrence count above which the weight is 1", above=0)
    alpha: float = setting(0.75, "power of the weight", above=0)
    learning_rate: float = setting(0.2, "learning rate of AdaGrad, a step per tile", above=0)


DENSE_FROM = 0.02
"""Share of a tile's cells from which a dense product is quicker than gathered rows."""
_FIRST_SQUARES = 0.1


def usable_device(name: str) -> torch.device:
    """Return the torch device of a name such as ``"cpu"``, ``"cuda"`` or ``"cuda:1"``.

    Raises `MissingExtraError` without torch; `TrainingError` when this machine has no such device.
    """
    try:
        import torch
    except ModuleNotFoundError as error:
        raise MissingExtraError("GloVe needs PyTorch: pip install 'biaslab[train]'.") from error
    try:
        torch.empty(0, device=name)
    except (RuntimeError, AssertionError) as error:
        reason = str(error).partition("\n")[0]
        raise TrainingError(
            f"The device {name!r} cannot be used here ({reason}). Use --device cpu, or install a "
            "PyTorch build for this machine's GPU."
        ) from error
    return torch.device(name)


def fit(
    cooccurrences: Cooccurrences,
    settings: GloVeSettings,
    seed: tuple[int, int],
    device: str = "cpu",
    on_epoch: Callable[[int], None] = lambda _: None,
) -> NDArray[np.float32]:
    """Fit word vectors to co-occurrence counts.

    - `cooccurrences`: of V words.
    - `settings`: counts to fit.
    - `seed`: fixes the starting vectors and the order of the tiles.
    - `device`: device of torch. On a CPU one thread is used, and one seed gives the same numbers.
    - `on_epoch`: called with the number of epochs done.
    - Returns ndarray, shape (V, vector_size): w + w~ by frequency rank; zeros for a word without
      neighbours.
    - Raises `TrainingError` when it diverges, or the device cannot be used.
    """
    import torch

    where = usable_device(device)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # replicates run side by side; and sums keep their order
    try:
        rng = np.random.default_rng([*seed, 1])
        model = _Model(cooccurrences, settings, rng, where)
        tiles = _TileReader(cooccurrences, where)
        for epoch in range(settings.epochs):
            loss = sum(model.step(*tiles.read(k)) for k in rng.permutation(tiles.filled))
            if not np.isfinite(float(loss)):
                raise TrainingError(
                    f"GloVe diverged in epoch {epoch + 1}: choose a smaller --learning-rate than "
                    f"{settings.learning_rate}."
                )
            on_epoch(epoch + 1)
        vectors = model.vectors()
    finally:
        torch.set_num_threads(threads)
    vectors[cooccurrences.margins == 0] = 0
    return vectors


class _TileReader:
    """Reader of tiles from disk: blocks, cells and counts."""

    def __init__(self, cooccurrences: Cooccurrences, device: torch.device) -> None:
        self.device = device
        self.tiles = cooccurrences.tiles
        empty = not cooccurrences.cells.stat().st_size
        self.cells = (
            np.empty(0, np.int64)
            if empty
            else np.memmap(cooccurrences.cells, dtype=np.int64, mode="r")
        )
        self.counts = (
            np.empty(0, np.float32)
            if empty
            else np.memmap(cooccurrences.counts, np.float32, mode="r")
        )
        self.pairs = self.tiles.pairs()
        self.starts = self.tiles.starts(self.cells)
        self.filled = np.flatnonzero(np.diff(self.starts))

    def read(self, k: int) -> tuple[slice, slice, torch.Tensor, torch.Tensor, torch.Tensor]:
        """Read tile k: ranks of its rows and of its columns, then its cells."""
        import torch

        part = slice(self.starts[k], self.starts[k + 1])
        row, column = self.tiles.local(self.cells[part])
        counts = np.asarray(self.counts[part])
        i, j = self.pairs[k]
        if i == j:  # half of a symmetric tile is stored
            off = row != column
            row, column = np.append(row, column[off]), np.append(column, row[off])
            counts = np.append(counts, counts[off])
        bounds = self.tiles.bounds
        return (
            slice(bounds[i], bounds[i + 1]),
            slice(bounds[j], bounds[j + 1]),
            torch.from_numpy(row).to(self.device),
            torch.from_numpy(column).to(self.device),
            torch.from_numpy(counts.copy()).to(self.device),
        )


class _Model:
    """Two tables of V rows (w, b, 1), (w~, 1, b~), with dot products as predictions."""

    def __init__(
        self,
        cooccurrences: Cooccurrences,
        settings: GloVeSettings,
        rng: np.random.Generator,
        device: torch.device,
    ) -> None:
        import torch

        self.settings = settings
        words, size = cooccurrences.tiles.words, settings.vector_size
        start = (rng.random((2, words, size + 2), dtype=np.float32) - 0.5) / size
        # b + b~ start at predictions of each word's row sum under independence. Started at zero,
        # they are most of the error at first, and AdaGrad's steps for w stay small ever after.
        total = max(cooccurrences.margins.sum(), 1.0)
        bias = np.log(np.maximum(cooccurrences.margins, 1.0)) - np.log(total) / 2
        self.bias, self.one = (size, size + 1), (size + 1, size)
        self.tables, self.squares = [], []
        for table, b, one in zip(start, self.bias, self.one, strict=True):
            table[:, b], table[:, one] = bias, 1
            self.tables.append(torch.from_numpy(table).to(device))
            self.squares.append(torch.full_like(self.tables[-1], _FIRST_SQUARES))

    def step(
        self,
        rows: slice,
        columns: slice,
        row: torch.Tensor,
        column: torch.Tensor,
        counts: torch.Tensor,
    ) -> float:
        """Step on the loss of a tile and its opposite; return their loss before."""
        weights = (counts / self.settings.x_max).clamp_(max=1).pow_(self.settings.alpha)
        logs = counts.log()
        shape = (rows.stop - rows.start, columns.stop - columns.start)
        cells = (row, column, logs, weights)
        dense = len(counts) >= DENSE_FROM * shape[0] * shape[1]
        tile = _DenseTile(shape, *cells) if dense else _SparseTile(shape, *cells)
        loss = self._descend(rows, columns, tile)
        if rows != columns:
            loss += self._descend(columns, rows, tile.opposite())
        return loss

    def _descend(self, rows: slice, columns: slice, tile: _DenseTile | _SparseTile) -> float:
        w, c = self.tables[0][rows], self.tables[1][columns]
        loss, *gradients = tile.gradients(w, c)
        for side, (part, gradient) in enumerate(zip((rows, columns), gradients, strict=True)):
            gradient[:, self.one[side]] = 0
            squares = self.squares[side][part]
            squares.addcmul_(gradient, gradient)
            self.tables[side][part].addcdiv_(
                gradient, squares.sqrt(), value=-self.settings.learning_rate
            )
        return loss

    def vectors(self) -> NDArray[np.float32]:
        """Return the sum w + w~, shape (V, vector_size)."""
        size = self.settings.vector_size
        summed: NDArray[np.float32] = sum(t[:, :size] for t in self.tables).cpu().numpy()  # type: ignore[union-attr]
        return summed


class _DenseTile:
    """A tile as full matrices of logarithms and weights, zero for empty cells."""

    def __init__(
        self,
        shape: tuple[int, int],
        row: torch.Tensor,
        column: torch.Tensor,
        logs: torch.Tensor,
        weights: torch.Tensor,
    ) -> None:
        place = row * shape[1] + column
        self.logs, self.weights = (
            values.new_zeros(shape[0] * shape[1]).scatter_(0, place, values).view(shape)
            for values in (logs, weights)
        )

    def opposite(self) -> _DenseTile:
        """Return the tile on the other side of the diagonal."""
        other = object.__new__(_DenseTile)
        other.logs, other.weights = self.logs.T, self.weights.T
        return other

    def gradients(
        self, w: torch.Tensor, c: torch.Tensor
    ) -> tuple[float, torch.Tensor, torch.Tensor]:
        """Return the loss, and its gradients by both tables (halved)."""
        import torch

        off = torch.addmm(self.logs, w, c.T, beta=-1)
        pull = self.weights * off
        return float(torch.dot(pull.flatten(), off.flatten())), pull @ c, pull.T @ w


class _SparseTile:
    """A tile as a list of cells."""

    def __init__(
        self,
        shape: tuple[int, int],
        row: torch.Tensor,
        column: torch.Tensor,
        logs: torch.Tensor,
        weights: torch.Tensor,
    ) -> None:
        self.shape, self.row, self.column = shape, row, column
        self.logs, self.weights = logs, weights

    def opposite(self) -> _SparseTile:
        """Return the tile on the other side of the diagonal."""
        return _SparseTile(self.shape[::-1], self.column, self.row, self.logs, self.weights)

    def gradients(
        self, w: torch.Tensor, c: torch.Tensor
    ) -> tuple[float, torch.Tensor, torch.Tensor]:
        """Return the loss, and its gradients by both tables (halved)."""
        import torch

        near, far = w[self.row], c[self.column]
        off = (near * far).sum(1).sub_(self.logs)
        pull = self.weights * off
        loss = float(torch.dot(pull, off))
        by_w = torch.zeros_like(w).index_add_(0, self.row, far.mul_(pull[:, None]))
        by_c = torch.zeros_like(c).index_add_(0, self.column, near.mul_(pull[:, None]))
        return loss, by_w, by_c
