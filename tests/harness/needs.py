"""A mark for tests of optional packages."""

from __future__ import annotations

from importlib.util import find_spec

import pytest


def needs(*packages: str) -> pytest.MarkDecorator:
    """Mark tests to be skipped where one of the packages is not installed.

    Unlike `pytest.importorskip` at the top of a test module, it imports none of them.
    """
    missing = [package for package in packages if find_spec(package) is None]
    return pytest.mark.skipif(bool(missing), reason=f"not installed: {', '.join(missing)}")
