"""Wrong passwords: after some of them, each further try has to wait longer than the last.

A try counts from its beginning, before the password is compared, so that many at once are no way
round. Nobody is locked out: a stranger's wrong passwords hold up other strangers, and no browser
in which that person has signed in before.
"""

from __future__ import annotations

import ipaddress
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

FORGOTTEN_S: Final = 900.0
"""After so long without a try, the wrong ones before are forgotten."""
_REMEMBERED: Final = 10_000


@dataclass(frozen=True)
class Limit:
    """How often something may be tried without a wait, and how long the wait becomes, s."""

    free: int
    longest_s: float

    def pause_after(self, tries: int) -> float:
        """Return the seconds between the last of some tries and the next."""
        beyond = tries - self.free
        return 0.0 if beyond < 0 else min(2.0 ** min(beyond, 20), self.longest_s)


PAIR: Final = Limit(8, 300)
"""A name from one address, or from a browser in which that person has signed in before."""
NAME: Final = Limit(20, 30)
"""A name from any addresses."""
ADDRESS: Final = Limit(100, 30)
"""Any names from one address, which a whole class may share that signs in at once."""


class Tries:
    """Counts the tries of names and addresses.

    - `now`: seconds.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._tries: OrderedDict[str, tuple[int, float]] = OrderedDict()

    def begin(self, keys: dict[str, Limit]) -> float:
        """Count a try, and return 0; or count nothing, and return the seconds to wait."""
        now = self._now()
        counts = {key: self._count(key, now) for key in keys}
        wait = max(
            self._tries[key][1] + limit.pause_after(counts[key]) - now if counts[key] else 0.0
            for key, limit in keys.items()
        )
        if wait > 0:
            return wait
        for key, count in counts.items():
            self._tries[key] = count + 1, now
            self._tries.move_to_end(key)
        while len(self._tries) > _REMEMBERED:
            self._tries.popitem(last=False)
        return 0.0

    def give_back(self, keys: dict[str, Limit]) -> None:
        """Count a try no longer, since its password was right."""
        for key, limit in keys.items():
            count, last = self._tries.get(key, (0, 0.0))
            if limit is PAIR or count <= 1:
                self._tries.pop(key, None)
            else:
                self._tries[key] = count - 1, last

    def _count(self, key: str, now: float) -> int:
        count, last = self._tries.get(key, (0, now))
        return count if now - last < FORGOTTEN_S else 0


def keys_of(name: str, address: str, *, is_known: bool) -> dict[str, Limit]:
    """Return what a try counts for.

    - `is_known`: whether the person has signed in before in this browser.
    """
    if is_known:
        return {f"known {name}": PAIR}
    place = _place_of(address)
    return {f"pair {name} {place}": PAIR, f"name {name}": NAME, f"address {place}": ADDRESS}


def _place_of(address: str) -> str:
    """Return an address; of IPv6 the network, of which one machine has all addresses."""
    try:
        known = ipaddress.ip_address(address)
    except ValueError:
        return address
    return str(ipaddress.ip_network(f"{known}/64", strict=False)) if known.version == 6 else address
