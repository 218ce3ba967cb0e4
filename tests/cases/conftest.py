"""What the cases share: a home of their own, and a server that answers as a report says."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from harness.isolation import isolated
from harness.service_server import Asked, Says, ServiceServer


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder of a case; its person's files lie in `home` there."""
    for name, value in isolated(tmp_path / "home").items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def serve() -> Iterator[Callable[[Callable[[Asked], Says]], ServiceServer]]:
    """Start servers on 127.0.0.1; they end with the case."""
    with ExitStack() as servers:
        yield lambda answer: servers.enter_context(ServiceServer(answer))
