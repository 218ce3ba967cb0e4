"""Recognise that a device has no memory left, and go on with smaller batches."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final, TypeVar

from biaslab.errors import DeviceMemoryError

T = TypeVar("T")
R = TypeVar("R")
#: What torch says of main memory, for which it has no error of its own, on Windows and on Linux.
_WORDS: Final = ("not enough memory", "can't allocate memory", "cannot allocate memory")


def is_out_of_memory(error: BaseException) -> bool:
    """Return whether an error says that memory does not suffice, on a GPU or in main memory."""
    if isinstance(error, MemoryError | DeviceMemoryError):
        return True
    if not isinstance(error, RuntimeError):
        return False
    import torch

    text = str(error).casefold()
    return isinstance(error, torch.OutOfMemoryError) or any(words in text for words in _WORDS)


def too_little_memory(device: str, name: str, one: str) -> DeviceMemoryError:
    """Return the error for a device that cannot hold a batch of one.

    Parameters
    ----------
    device, name : str
        Of the model.
    one : str
        What is read, with its article, such as "one text".
    """
    remedy = (
        "Close other programs, or open a smaller model."
        if device.startswith("cpu")
        else "Use device='cpu', a smaller model, or free memory on that device."
    )
    return DeviceMemoryError(
        f"{device} does not have enough memory for {name}, even with {one} at a time. {remedy}"
    )


@contextmanager
def refuses_without_memory(device: str, name: str, one: str) -> Iterator[None]:
    """Turn what torch says of memory that does not suffice into a `DeviceMemoryError`.

    Parameters
    ----------
    device, name, one : str
        As of `too_little_memory`.
    """
    try:
        yield
    except (RuntimeError, MemoryError) as error:
        if not is_out_of_memory(error):
            raise
        raise too_little_memory(device, name, one) from error


def in_halves(
    items: Sequence[T], answer: Callable[[Sequence[T]], list[R]], device: str, name: str, one: str
) -> list[R]:
    """Answer a batch; halve it while a device has not enough memory for it.

    Parameters
    ----------
    items : sequence
        The batch.
    answer : callable
        Returns the answers of some of the items, in their order.
    device, name, one : str
        As of `too_little_memory`.

    Raises
    ------
    DeviceMemoryError
        When memory does not suffice for one item alone.
    """
    try:
        return answer(items)
    except (RuntimeError, MemoryError) as error:
        if not is_out_of_memory(error):
            raise
        if len(items) == 1:
            raise too_little_memory(device, name, one) from error
    # Outside the except clause, which would keep the failed tensors in memory.
    half = len(items) // 2
    return [
        each
        for part in (items[:half], items[half:])
        for each in in_halves(part, answer, device, name, one)
    ]


__all__ = ["in_halves", "is_out_of_memory", "refuses_without_memory", "too_little_memory"]
