"""Work on stored results, which somebody may have damaged or changed."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from biaslab.errors import BiaslabError, ResultFormatError

logger = logging.getLogger("biaslab")
R = TypeVar("R")


@contextmanager
def of_stored_results() -> Iterator[None]:
    """Say of a result that cannot be worked on that it is damaged: it is no failure of the app.

    A result is checked when it is read, and not each of the values in it: what draws a chart or
    writes a table finds those that cannot be.

    Raises
    ------
    ResultFormatError
    """
    try:
        yield
    except BiaslabError:
        raise
    except (
        ArithmeticError,
        AssertionError,
        AttributeError,
        LookupError,
        MemoryError,
        RecursionError,
        TypeError,
        ValueError,
    ) as error:
        logger.warning("A stored result cannot be shown.", exc_info=True)
        raise ResultFormatError(
            "This run cannot be shown: what is stored of it is damaged. Export it as JSON to look"
            " into it, or delete it."
        ) from error


async def from_stored(work: Callable[[], R]) -> R:
    """Work on stored results in another thread, so that other pages are served meanwhile."""

    def guarded() -> R:
        with of_stored_results():
            return work()

    return await asyncio.to_thread(guarded)
