"""Try out whether a causal model gives the same answers where texts share their beginning."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from biaslab.subjects.looks import Look
from biaslab.subjects.out_of_memory import is_out_of_memory, too_little_memory
from biaslab.subjects.reading_rows import Row, separate_rows, shared_rows

Forward = Callable[[Any, Sequence[Row], bool], list[tuple[Any, NDArray[np.float64]]]]
_TEXTS: Final = ((5, 6, 7, 8, 9), (5, 6, 7, 8, 10, 11), (5, 6, 7, 12), (4, 13))
_ALL_READS: Final = 100
_SAME: Final = {4: 1e-5, 8: 1e-9}
"""Largest difference of a logit, relative to the largest, by bytes per number."""
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
    alone = dict(forward(lm, separate_rows(texts), True))
    same = _SAME.get(int(lm.model.dtype.itemsize), 1e-2)
    largest = max(1.0, *(float(np.abs(values).max()) for values in alone.values()))
    return all(
        bool(np.abs(shared[name] - values).max() <= same * largest)
        for name, values in alone.items()
    )


def _window_of(config: Any) -> int | None:
    """Return the fewest tokens that a layer sees; None if each sees all."""
    text = config.get_text_config() if hasattr(config, "get_text_config") else config
    sizes = [getattr(text, name, None) for name in _WINDOWS]
    limits = [size for size in sizes if isinstance(size, int) and size > 0]
    return min(limits, default=None)
