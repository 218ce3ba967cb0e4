"""Whose folder is used: an access goes wherever the work of a person goes."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from biaslab.errors import BiaslabError
from biaslab.jobs.job import JobContext, JobGroup, start, start_waiting
from biaslab.people.access import (
    NOBODY,
    OWNER,
    Access,
    Role,
    acting_as,
    current_access,
    home_folder,
    owner_folder,
    set_access_otherwise,
)
from biaslab.store import Store
from biaslab.threads.background import start_thread, start_timer


@pytest.fixture
def served() -> Iterator[None]:
    """A process in which work that belongs to nobody may do nothing."""
    set_access_otherwise(NOBODY)
    yield
    set_access_otherwise(OWNER)


def person(name: str, folder: Path) -> Access:
    return Access(name, Role.VISITOR, folder / name)


def test_without_an_access_the_owner_works_in_the_own_folder() -> None:
    assert current_access() is OWNER
    assert home_folder() == owner_folder()


def test_a_person_has_a_folder_and_a_store_of_their_own(tmp_path: Path) -> None:
    anna, ben = person("anna", tmp_path), person("ben", tmp_path)
    with acting_as(anna):
        first = home_folder()
        assert str(tmp_path / "anna") in repr(Store())
        with acting_as(ben):
            assert home_folder() == tmp_path / "ben"
        assert home_folder() == first == tmp_path / "anna"


@pytest.mark.parametrize("begin", [start, start_waiting, JobGroup().start])
def test_a_job_works_under_the_access_of_who_started_it(begin: object, tmp_path: Path) -> None:
    seen: list[Access] = []
    callback_ran = threading.Event()
    gate = threading.Event()

    def work(context: JobContext) -> Access:
        gate.wait(10)
        context.report(1, 1)
        return current_access()

    def note(_: object) -> None:
        seen.append(current_access())

    anna = person("anna", tmp_path)
    with acting_as(anna):
        job = begin(work)  # type: ignore[operator]
        job.on_progress(note)
        job.on_done(note)
        job.on_done(lambda _: callback_ran.set())
    gate.set()
    assert job.result() == anna
    assert callback_ran.wait(10)
    assert seen
    assert set(seen) == {anna}


def test_threads_and_timers_carry_the_access_and_shared_ones_do_not(tmp_path: Path) -> None:
    seen: dict[str, Access] = {}

    def note(name: str) -> None:
        seen[name] = current_access()

    anna = person("anna", tmp_path)
    with acting_as(anna):
        threads = [
            start_thread("own", lambda: note("thread")),
            start_thread("shared", lambda: note("shared"), shared=True),
            start_timer(0, lambda: note("timer")),
        ]
    for thread in threads:
        thread.join(10)
    assert seen == {"thread": anna, "timer": anna, "shared": OWNER}


@pytest.mark.usefixtures("served")
def test_work_that_lost_its_person_reaches_no_folder() -> None:
    with pytest.raises(BiaslabError, match="belongs to no signed-in person"):
        home_folder()
    with pytest.raises(BiaslabError, match="belongs to no signed-in person"):
        Store()


@pytest.mark.usefixtures("served")
def test_a_worker_that_served_a_person_keeps_nothing_of_them(tmp_path: Path) -> None:
    with acting_as(person("anna", tmp_path)):
        start(current_access).result()
    assert start(current_access).result() is NOBODY
