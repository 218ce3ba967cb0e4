"""Calls and money that persons have spent, counted for all processes and after a restart."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from biaslab.errors import OutboundError
from biaslab.people.access import current_access, owner_folder
from biaslab.people.outbound import Quota
from biaslab.records.wording import counted

FILE: Final = "outbound.sqlite"
"""In the folder of the server's owner, which no visitor reaches."""
_CALLS: Final = "calls"
_ALL: Final = ""
"""Stands for all persons together; the owner, whose name is empty, is not counted."""
_KEPT_DAYS: Final = 40
_TABLE: Final = (
    "CREATE TABLE IF NOT EXISTS usage (person TEXT, what TEXT, period TEXT, amount REAL,"
    " PRIMARY KEY (person, what, period)) WITHOUT ROWID"
)
_ADD: Final = (
    "INSERT INTO usage VALUES (?, ?, ?, ?)"
    " ON CONFLICT (person, what, period) DO UPDATE SET amount = amount + excluded.amount"
)


@dataclass(frozen=True)
class Left:
    """What a person may still call.

    Attributes
    ----------
    calls_this_hour, calls_today : int
    money_today : dict of str to float
        By currency; a currency in which nothing was spent is not listed.
    """

    calls_this_hour: int
    calls_today: int
    money_today: dict[str, float]


def count_call(person: str, quota: Quota, total: Quota) -> None:
    """Count a request before it is sent.

    Raises `OutboundError` if the quota of the person, or of all together, is used up; says what is
    left and when the count starts again. Also if it cannot be counted.
    """
    now = _now()
    with _book() as book:
        for who, most in ((person, quota), (_ALL, total)):
            _check(book, who, most, now)
        for who in (person, _ALL):
            for period in (_hour(now), _day(now)):
                book.execute(_ADD, (who, _CALLS, period, 1))


def spend(amount: float, currency: str) -> None:
    """Count money that a call of the person has cost; the owner's is not counted."""
    access = current_access()
    if access.reach.everything or not currency or not 0 < amount < math.inf:
        return
    now = _now()
    with _book() as book:
        for who in (access.user, _ALL):
            book.execute(_ADD, (who, currency, _day(now), amount))


def usage_left() -> Left | None:
    """Return what the person may still call; None for the owner, who is not counted."""
    access = current_access()
    if access.reach.everything:
        return None
    now, quota = _now(), access.reach.quota
    with _book() as book:
        hour = _amount(book, access.user, _CALLS, _hour(now))
        day = _amount(book, access.user, _CALLS, _day(now))
        money = {what: quota.cost_per_day - spent for what, spent in _money(book, access.user, now)}
    return Left(max(0, quota.calls_per_hour - hour), max(0, quota.calls_per_day - day), money)


def _check(book: sqlite3.Connection, who: str, most: Quota, now: datetime) -> None:
    whose = "All visitors together have" if who == _ALL else "You have"
    hour = _amount(book, who, _CALLS, _hour(now))
    day = _amount(book, who, _CALLS, _day(now))
    left = counted(max(0, int(most.calls_per_day - day)), "call")
    if day >= most.calls_per_day:
        raise OutboundError(
            f"{whose} used today's {counted(most.calls_per_day, 'call')} of services. The count"
            f" starts again {_until(_midnight(now), now)}."
        )
    if hour >= most.calls_per_hour:
        raise OutboundError(
            f"{whose} used the {counted(most.calls_per_hour, 'call')} of services of this hour. The"
            f" count starts again {_until(_next_hour(now), now)}; today {left} more may be made."
        )
    for currency, spent in _money(book, who, now):
        if spent >= most.cost_per_day:
            raise OutboundError(
                f"{whose} spent {spent:.2f} of today's {most.cost_per_day:.2f} {currency} for"
                f" services. The count starts again {_until(_midnight(now), now)}."
            )


def _money(book: sqlite3.Connection, who: str, now: datetime) -> list[tuple[str, float]]:
    rows = book.execute(
        "SELECT what, amount FROM usage WHERE person = ? AND period = ? AND what != ?",
        (who, _day(now), _CALLS),
    )
    return [(str(what), float(amount)) for what, amount in rows]


def _amount(book: sqlite3.Connection, who: str, what: str, period: str) -> int:
    row = book.execute(
        "SELECT amount FROM usage WHERE person = ? AND what = ? AND period = ?", (who, what, period)
    ).fetchone()
    return int(row[0]) if row else 0


@contextmanager
def _book() -> Iterator[sqlite3.Connection]:
    """Open the counts and hold them against other processes for the block."""
    path = owner_folder() / FILE
    try:
        with closing(_connection(path)) as book:
            book.execute("BEGIN IMMEDIATE")
            yield book
            book.execute("COMMIT")
    except (sqlite3.Error, OSError) as error:
        # Not counted is not allowed: else a full disk would lift every quota.
        raise OutboundError(
            "Calls of services cannot be counted on this server now, so none is made. Tell its"
            " owner."
        ) from error


def _connection(path: Path) -> sqlite3.Connection:
    path.parent.mkdir(parents=True, exist_ok=True)
    is_new = not path.exists()
    book = sqlite3.connect(path, timeout=10.0, isolation_level=None)
    try:
        if is_new:
            path.chmod(0o600)
            book.execute("PRAGMA journal_mode = WAL")
        book.execute("PRAGMA synchronous = NORMAL")
        book.execute(_TABLE)
        oldest = _day(_now() - timedelta(days=_KEPT_DAYS))
        if is_new or book.execute("SELECT 1 FROM usage WHERE period < ?", (oldest,)).fetchone():
            book.execute("DELETE FROM usage WHERE period < ?", (oldest,))
    except sqlite3.Error:
        book.close()
        raise
    return book


def _now() -> datetime:
    return datetime.now(UTC)


def _hour(now: datetime) -> str:
    return now.strftime("%Y-%m-%dT%H")


def _day(now: datetime) -> str:
    return now.strftime("%Y-%m-%d")


def _next_hour(now: datetime) -> datetime:
    return now.replace(minute=0, second=0, microsecond=0) + timedelta(hours=1)


def _midnight(now: datetime) -> datetime:
    return now.replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=1)


def _until(moment: datetime, now: datetime) -> str:
    minutes = math.ceil((moment - now).total_seconds() / 60)
    if minutes < 60:
        return f"in {counted(minutes, 'minute')}"
    return f"in {minutes // 60} h {minutes % 60} min"
