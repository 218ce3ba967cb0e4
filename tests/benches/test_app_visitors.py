"""Several people drag at the same time: each one's last value is answered and shown."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor

import pytest

from harness.deferred import Deferred
from harness.served_app import ServedApp

visitors = Deferred("benchmarks.visitors")


@pytest.mark.parametrize("words", [[], ["nurse", "teacher", "electrician"]])
def test_the_last_value_of_every_visitor_is_answered(app: ServedApp, words: list[str]) -> None:
    visit = visitors.Visit(f"{app.url}/psychometric", visitors=9, seconds=0.5, rate=0, words=words)
    with ThreadPoolExecutor() as beside:  # the browser's loop runs in this thread
        seen = beside.submit(asyncio.run, visitors.visit(visit)).result()
    assert (seen.lost, seen.wrong) == (0, 0)
    assert len(seen.latencies) >= visit.visitors
