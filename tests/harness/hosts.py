"""In which host the tests of a bench run: all in one, and in both what differs between them.

The front end and the Python behind a bench are the same in both hosts. What differs is how state
and files travel, who takes the keys, and whose theme and font hold: tests of these are marked
``both_hosts``. ``make validate`` runs the rest in the other host as well.
"""

from __future__ import annotations

from typing import Final

import pytest

HOME: Final = "app"
"""The host in which `make test` runs all tests of a bench."""


def is_for_validate(item: pytest.Function) -> bool:
    """Whether a test runs here only to show that the second host makes no difference."""
    callspec = getattr(item, "callspec", None)
    if callspec is None or "host_name" not in callspec.params:
        return False
    if item.get_closest_marker("both_hosts") or _chooses_its_host(item):
        return False
    return bool(callspec.params["host_name"] != HOME)


def _chooses_its_host(item: pytest.Function) -> bool:
    return any(mark.args[0] == "host_name" for mark in item.iter_markers("parametrize"))
