"""Ids of runs: short, and sortable by time as text."""

from __future__ import annotations

import secrets
import threading
import time

# Without i, l, o and u, which are easily misread; in the order of their codes.
_DIGITS = "0123456789abcdefghjkmnpqrstvwxyz"
_EPOCH = 1735689600_000  # 2025-01-01 in milliseconds since 1970; 8 digits last until 2059
_lock = threading.Lock()
_last = 0


def new_run_id() -> str:
    """Return a new id such as ``"1qk2c07v4x"``: milliseconds and 2 random digits.

    Ids of one process grow strictly. Two processes may, once in 1024 cases of the very same
    millisecond, make the same id: the store then takes another.
    """
    global _last
    with _lock:
        _last = moment = max(time.time_ns() // 1_000_000 - _EPOCH, _last + 1)
    return _written(moment, 8) + _written(secrets.randbelow(1024), 2)


def _written(number: int, width: int) -> str:
    digits = ""
    while number or len(digits) < width:
        number, digit = divmod(number, 32)
        digits = _DIGITS[digit] + digits
    return digits
