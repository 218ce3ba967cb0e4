"""Numbers of parameters and of bytes, as a person says them."""

from __future__ import annotations


def in_words(number: int) -> str:
    """Return a large number as a person says it.

    Examples
    --------
    >>> in_words(110_000_000), in_words(854_977), in_words(7_240_000_000)
    ('110 million', '0.85 million', '7.2 billion')
    """
    if number < 10_000:
        return f"{number:,}"
    unit, word = (1e9, "billion") if number >= 1e9 else (1e6, "million")
    value = number / unit
    return f"{value:.{0 if value >= 10 else 1 if value >= 1 else 2}f} {word}"


def size_text(size: int) -> str:
    """Return bytes in a unit that fits.

    Examples
    --------
    >>> size_text(438_000_000), size_text(1_300), size_text(2_800_000)
    ('438 MB', '1.3 kB', '2.8 MB')
    """
    for unit, word in ((1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if size >= unit:
            value = size / unit
            return f"{value:.{0 if value >= 10 else 1}f} {word}"
    return f"{size} bytes"
