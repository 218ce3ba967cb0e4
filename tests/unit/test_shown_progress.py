"""Progress of calls: shown where a person waits, and nowhere else."""

from __future__ import annotations

import asyncio
import inspect
import io
from collections.abc import Callable
from typing import Any

import pytest

import biaslab as bl
from biaslab.jobs import showing
from biaslab.jobs.context import current_context
from biaslab.jobs.job import start


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@showing.shows_progress
def count(upto: int, *, progress: bool | None = None) -> int:
    del progress
    for done in range(1, upto + 1):
        current_context().report(done, upto, "steps")
    return upto


@pytest.fixture
def stderr(monkeypatch: pytest.MonkeyPatch) -> Callable[[io.StringIO], io.StringIO]:
    monkeypatch.setattr(showing, "AFTER_S", 0.0)

    def put(stream: io.StringIO) -> io.StringIO:
        monkeypatch.setattr("sys.stderr", stream)
        return stream

    return put


Put = Callable[[io.StringIO], io.StringIO]


@pytest.mark.parametrize(
    ("stream", "progress", "is_shown"),
    [
        (Terminal, None, True),
        (Terminal, False, False),
        (io.StringIO, None, False),
        (io.StringIO, True, True),
    ],
    ids=["terminal", "refused", "pipe", "wanted in a log"],
)
def test_progress_is_shown_on_a_terminal_or_on_demand(
    stderr: Put, stream: type[io.StringIO], progress: bool | None, is_shown: bool
) -> None:
    written = stderr(stream())
    assert count(3, progress=progress) == 3
    assert ("steps: 1 of 3" in written.getvalue()) is is_shown


def test_a_short_call_shows_nothing(stderr: Put, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(showing, "AFTER_S", 60.0)
    written = stderr(Terminal())
    count(3)
    assert not written.getvalue()


def test_a_job_and_a_probe_within_a_probe_show_nothing_of_their_own(stderr: Put) -> None:
    written = stderr(Terminal())
    start(count, 3, progress=True).result(10)
    with showing.reporting_to(None):
        count(3, progress=True)
    assert not written.getvalue()


def test_a_cell_shows_a_bar_and_takes_it_away(stderr: Put, monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[dict[str, str]] = []

    class Handle:
        def update(self, content: dict[str, str], raw: bool) -> None:
            assert raw
            shown.append(content)

    def display(content: dict[str, str], **_: Any) -> Handle:
        shown.append(content)
        return Handle()

    stderr(io.StringIO())
    monkeypatch.setattr(showing, "_in_notebook", lambda: True)
    monkeypatch.setattr("IPython.display.display", display)
    count(3)
    assert shown[0]["text/html"] == '<progress max="3" value="1"></progress> steps: 1 of 3'
    assert shown[-1] == {"text/plain": "", "text/html": ""}


def test_time_left_is_rounded_to_its_unit() -> None:
    seen = showing.JobProgress(64, 576, "questions asked", 130.0)
    assert showing.in_words(seen) == "questions asked: 64 of 576, about 2 minutes left"


def test_what_is_shown_is_no_part_of_how_a_result_was_made() -> None:
    subject = bl.observers.embedding(0.6, seed=1)
    shown = bl.two_afc(subject, ["item"], progress=False)
    assert "progress" not in shown.code()
    assert shown == bl.two_afc(subject, ["item"])


def test_a_job_can_be_awaited() -> None:
    async def both() -> list[int]:
        return await asyncio.gather(start(pow, 2, 10), start(pow, 3, 2))

    assert asyncio.run(both()) == [1024, 9]

    async def failing() -> None:
        await start(pow, 0, -1)

    with pytest.raises(ZeroDivisionError):
        asyncio.run(failing())


def test_a_cancelled_wait_aborts_the_job() -> None:
    def until_stopped() -> None:
        while not current_context().should_stop:
            pass

    job = start(until_stopped)

    async def impatient() -> None:
        await asyncio.wait_for(job, 0.05)

    with pytest.raises(TimeoutError):
        asyncio.run(impatient())
    assert job.wait(10)
    assert job.was_stopped


def test_probes_that_report_have_the_argument() -> None:
    probes = [
        bl.decisions, bl.distance_model, bl.image_association, bl.occupations, bl.rate,
        bl.sample_posterior, bl.stereotype_score, bl.trace, bl.two_afc, bl.two_afc_layers,
        bl.association.overview, bl.posterior.overview,
    ]  # fmt: skip
    for probe in probes:
        assert "progress" in inspect.signature(probe).parameters, probe
