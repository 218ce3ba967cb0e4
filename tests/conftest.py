"""Fixtures of every suite."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import settings

# A shared machine may be slow; what an example takes is for the benchmarks to say.
settings.register_profile("biaslab", deadline=None)
settings.load_profile("biaslab")

ROOT = Path(__file__).resolve().parent.parent
SHARED_DATA = ROOT.parent / "shared" / "data"


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of outside data beside the repository; a test that needs it skips without it."""
    if not SHARED_DATA.is_dir():
        pytest.skip("outside data is not here: expected ../shared/data beside the repository")
    return SHARED_DATA
