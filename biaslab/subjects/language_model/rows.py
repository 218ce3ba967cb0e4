"""Rows of tokens that a model reads at once; texts with an equal beginning share it.

A row is a tree: each token looks at those on the way to the root, and its position is its depth. A
causal model computes the beginning once, and each text gets what it would get alone.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from biaslab.subjects.pretrained.memory import is_out_of_memory, too_little_memory


@dataclass(frozen=True, eq=False)
class Blend:
    """Places at which a model is shown a mixture of two words instead of a token.

    Attributes
    ----------
    start : int
        The first of these m places.
    first, second : ndarray of int64, shape (m, any)
        Tokens of either word at each place; the mean of a row's input embeddings is mixed.
    """

    start: int
    first: NDArray[np.int64]
    second: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Look:
    """Input of a model, and the positions that are read.

    Attributes
    ----------
    ids : ndarray of int64, shape (length,)
        Tokens as shown, with the tokens to predict masked.
    positions : ndarray of int64, shape (n,)
        Positions that are read.
    targets : ndarray of int64, shape (n,)
        Target token at each of these.
    blend : Blend, optional
        A mixture in place of some of the tokens.
    alpha : float
        Share of the mixture's second word, in [0, 1].
    """

    ids: NDArray[np.int64]
    positions: NDArray[np.int64]
    targets: NDArray[np.int64]
    blend: Blend | None = None
    alpha: float = 0.0


Integers = NDArray[np.int64]
#: Longest row of several texts, in tokens: attention costs its square.
_LONGEST = 256
#: Equal tokens at the beginning from which a text joins a row.
_WORTH_SHARING = 3
#: Share of all tokens that has to be saved, since a mask of its own costs time too.
_LEAST_SAVED = 0.05


@dataclass(eq=False)
class Row:
    """Tokens that go through a model together.

    Attributes
    ----------
    ids : list of int
        Of n tokens.
    parents : list of int
        Index of the token before each; -1 of the first.
    texts : list of (any, Look, ndarray of int64)
        What is read: a name for it, the look, and the index of each of its tokens in the row.
    reads : int
        Places that are read, equal ones of several texts once.
    """

    ids: list[int] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)
    texts: list[tuple[Any, Look, Integers]] = field(default_factory=list)
    reads: int = 0

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def is_tree(self) -> bool:
        """Whether its texts part somewhere."""
        return any(parent != i - 1 for i, parent in enumerate(self.parents))

    def depths(self) -> Integers:
        """Return the position of each token in its text, from 0."""
        depths = np.zeros(len(self), dtype=np.int64)
        for i, parent in enumerate(self.parents):
            depths[i] = depths[parent] + 1 if parent >= 0 else 0
        return depths

    def seen(self) -> NDArray[np.bool_]:
        """Return which tokens each token looks at, shape (n, n)."""
        seen = np.eye(len(self), dtype=bool)
        for i, parent in enumerate(self.parents):
            if parent >= 0:
                seen[i] |= seen[parent]
        return seen


def separate_rows(texts: Sequence[tuple[Any, Look]]) -> list[Row]:
    """Return a row for each text."""
    return [_row_of(name, look) for name, look in texts]


def merged_rows(texts: Sequence[tuple[Any, Look]], most_reads: int) -> list[Row]:
    """Return a row for each different text, of which several places may be read."""
    rows: list[Row] = []
    open_rows: dict[bytes, Row] = {}
    for name, look in texts:
        key = look.ids.tobytes()
        row = open_rows.get(key) if look.blend is None else None
        if row is None or row.reads + len(look.positions) > most_reads:
            row = _row_of(name, look)
            rows.append(row)
            if look.blend is None:
                open_rows[key] = row
        else:
            row.texts.append((name, look, np.arange(len(look.ids))))
            row.reads = _count_reads(row)
    return rows


def shared_rows(texts: Sequence[tuple[Any, Look]], most_reads: int) -> list[Row]:
    """Return rows in which texts share their equal beginnings, if that saves enough."""
    rows: list[Row] = []
    node: dict[Any, Any] = {}
    for name, look in sorted(texts, key=_order(texts)):
        keys = _keys(look)
        row = rows[-1] if rows else None
        known = _known(node, keys)
        if (
            row is None
            or known < min(_WORTH_SHARING, len(keys))
            or len(row) + len(keys) - known > max(_LONGEST, len(keys))
            or row.reads + len(look.positions) > most_reads
        ):
            row, node = Row(), {}
            rows.append(row)
        row.texts.append((name, look, _insert(row, node, keys, look.ids)))
        row.reads = _count_reads(row)
    before = sum(len(look.ids) for _, look in texts)
    if sum(map(len, rows)) > (1 - _LEAST_SAVED) * before:
        return merged_rows(texts, most_reads)
    return rows


def split_row(row: Row) -> Iterator[Row]:
    """Yield the texts of a row in rows of their own."""
    yield from separate_rows([(name, look) for name, look, _ in row.texts])


def _row_of(name: Any, look: Look) -> Row:
    size = len(look.ids)
    columns = np.arange(size)
    return Row(
        look.ids.tolist(), list(range(-1, size - 1)), [(name, look, columns)], len(look.positions)
    )


def _order(texts: Sequence[tuple[Any, Look]]) -> Callable[[tuple[Any, Look]], tuple[Any, ...]]:
    """Return a key that puts equal beginnings together, the same in every run."""
    first: dict[int, int] = {}
    for number, (_, look) in enumerate(texts):
        first.setdefault(id(look.blend), number)

    def key(text: tuple[Any, Look]) -> tuple[Any, ...]:
        look = text[1]
        return look.ids.tolist(), first[id(look.blend)], look.alpha

    return key


def _keys(look: Look) -> list[Any]:
    """Return what makes each token of a text equal to that of another."""
    keys: list[Any] = look.ids.tolist()
    if (blend := look.blend) is not None:
        for i in range(len(blend.first)):
            keys[blend.start + i] = (id(blend), look.alpha, i)
    return keys


def _known(node: dict[Any, Any], keys: Sequence[Any]) -> int:
    count = 0
    for key in keys:
        if key not in node:
            break
        _, node = node[key]
        count += 1
    return count


def _insert(row: Row, node: dict[Any, Any], keys: Sequence[Any], ids: Integers) -> Integers:
    """Add what a row does not have of a text; return the index of each token."""
    columns = np.empty(len(keys), dtype=np.int64)
    at = -1
    for place, key in enumerate(keys):
        if key not in node:
            node[key] = (len(row.ids), {})
            row.ids.append(int(ids[place]))
            row.parents.append(at)
        at, node = node[key]
        columns[place] = at
    return columns


def _count_reads(row: Row) -> int:
    places = [columns[look.positions] for _, look, columns in row.texts]
    return len(np.unique(np.concatenate(places)))


Forward = Callable[[Any, Sequence[Row], bool], list[tuple[Any, NDArray[np.float64]]]]
_TEXTS: Final = ((5, 6, 7, 8, 9), (5, 6, 7, 8, 10, 11), (5, 6, 7, 12), (4, 13))
_ALL_READS: Final = 100
_SAME: Final = {4: 1e-5, 8: 1e-9}
"""Largest difference of a logit, relative to the largest, by bytes per number,"""
_ROUNDINGS: Final = 4
"""or this many times the difference between batches of other sizes,"""
_ROUGHEST: Final = 1e-3
"""which counts up to this, relative to the largest logit."""
_WINDOWS: Final = ("sliding_window", "attention_chunk_size", "local_attention", "window_size")
_tried: weakref.WeakKeyDictionary[Any, bool] = weakref.WeakKeyDictionary()


def shares_beginnings(lm: Any, longest: int, forward: Forward) -> bool:
    """Return whether texts of a causal model can share their beginning with equal results.

    Models that keep a state (Mamba), count positions themselves (ALiBi) or take no mask of their
    own (FlashAttention) cannot; each model is tried once.

    Parameters
    ----------
    lm : LanguageModel
    longest : int
        Tokens of the longest text: layers that see only the latest tokens count them in a row.
    forward : callable
        Reads rows: takes model, rows, and whether logits are read.
    """
    window = _window_of(lm.model.config)
    if window is not None and longest > window:
        return False
    if lm.model not in _tried:
        _tried[lm.model] = _gives_the_same(lm, forward)
    return _tried[lm.model]


def _gives_the_same(lm: Any, forward: Forward) -> bool:
    size = min(int(lm.model.get_input_embeddings().weight.shape[0]), lm.vocabulary)
    if size <= max(max(text) for text in _TEXTS):
        return False
    texts = []
    for number, tokens in enumerate(_TEXTS):
        ids = np.array(tokens, dtype=np.int64)
        texts.append((number, Look(ids, np.arange(len(ids)), np.roll(ids, -1))))
    try:
        shared = dict(forward(lm, shared_rows(texts, _ALL_READS), True))
    except (RuntimeError, ValueError, TypeError, AttributeError, IndexError) as error:
        if is_out_of_memory(error):
            raise too_little_memory(lm.device, lm.name, "one text") from error
        return False
    rows = separate_rows(texts)
    together = dict(forward(lm, rows, True))
    alone = dict(answer for row in rows for answer in forward(lm, [row], True))
    same = _SAME.get(int(lm.model.dtype.itemsize), 1e-2)
    largest = max(1.0, *(float(np.abs(values).max()) for values in alone.values()))
    # Large activations of trained models magnify rounding, whether beginnings are shared or not.
    rounding = min(_ROUNDINGS * _difference(together, alone), _ROUGHEST * largest)
    return _difference(shared, alone) <= max(same * largest, rounding)


def _difference(some: dict[Any, Any], others: dict[Any, Any]) -> float:
    return max(float(np.abs(values - others[name]).max()) for name, values in some.items())


def _window_of(config: Any) -> int | None:
    """Return the fewest tokens that a layer sees; None if each sees all."""
    text = config.get_text_config() if hasattr(config, "get_text_config") else config
    sizes = [getattr(text, name, None) for name in _WINDOWS]
    limits = [size for size in sizes if isinstance(size, int) and size > 0]
    return min(limits, default=None)
