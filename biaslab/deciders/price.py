"""The price of a chat model's tokens."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from biaslab.errors import DeciderError
from biaslab.record import Record


@dataclass(frozen=True)
class Price(Record):
    """A price list, as providers print it.

    Attributes
    ----------
    read, written : float
        Of a million tokens of questions, and of a million tokens of replies, thoughts included; at
        least 0.
    currency : str
        Such as ``"EUR"``.

    Raises
    ------
    DeciderError
        If a price is no number of at least 0.
    """

    read: float
    written: float
    currency: str = "USD"

    def __post_init__(self) -> None:
        super().__post_init__()
        prices: tuple[Any, ...] = (self.read, self.written)
        for price in prices:
            if not isinstance(price, int | float) or not 0 <= price < math.inf:
                raise DeciderError(f"The price {price!r} is no number of at least 0.")

    def of(self, tokens_read: float, tokens_written: float) -> float:
        """Return the cost of tokens, in `currency`."""
        return (tokens_read * self.read + tokens_written * self.written) / 1e6

    def say(self, tokens_read: float, tokens_written: float) -> str:
        """Return the cost of tokens in words, such as ``0.43 EUR``."""
        return f"{self.of(tokens_read, tokens_written):.2f} {self.currency}"
