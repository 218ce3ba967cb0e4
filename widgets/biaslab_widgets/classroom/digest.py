"""What stands for a right answer in a notebook that must not hold the answer."""

from __future__ import annotations

import hashlib


def digest_of(question: str, answer: str, digits: int | None = None) -> str:
    """Return what stands for a right answer: from it the answer cannot be read.

    - `question`: it salts the digest, so that equal answers look different.
    - `answer`: the right answer.
    - `digits`: decimals, if it is a number.
    """
    if digits is not None:
        answer = f"{number_of(answer):.{digits}f}"
    return hashlib.sha256(f"{question}|{answer}".encode()).hexdigest()[:16]


def number_of(text: str) -> float:
    """Read a number as people type it: with a minus sign, a decimal comma, a percent sign."""
    plain = text.strip().removesuffix("%").strip().replace("\N{MINUS SIGN}", "-").replace(",", ".")
    return float(plain) + 0.0
