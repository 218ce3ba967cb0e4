"""What strangers send to a running app: it is answered or refused, and everybody else goes on.

``make validate`` goes on for ten minutes from the seed in ``BIASLAB_FUZZ_SEED``, as `test_fuzzing`.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterator
from http import HTTPStatus
from pathlib import Path

import pytest

from harness.fuzz_served import TARGETS, FuzzedApp
from harness.fuzzing import finds, found_cases, tried
from harness.needs import needs
from harness.served_people import Browser

pytestmark = needs("panel")
SMOKE_SEEDS = 4
MINUTES = 10


@pytest.fixture(scope="module")
def fuzzed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FuzzedApp]:
    with FuzzedApp(tmp_path_factory.mktemp("fuzzed")) as app:
        yield app


@pytest.mark.parametrize("name", TARGETS)
def test_valid_inputs_are_taken(name: str, fuzzed: FuzzedApp, tmp_path: Path) -> None:
    target = fuzzed.targets[name]
    for content in target.valid:
        found = tried(name, target, content, tmp_path)
        assert found is None, f"{content[:500]!r}\n{found.error}"


@pytest.mark.parametrize(
    ("name", "file"), found_cases(TARGETS), ids=lambda one: getattr(one, "name", one)
)
def test_what_was_found_once_is_mended(
    name: str, file: Path, fuzzed: FuzzedApp, tmp_path: Path
) -> None:
    found = tried(name, fuzzed.targets[name], file.read_bytes(), tmp_path)
    assert found is None, found.error


def test_damaged_inputs_are_answered_or_refused(fuzzed: FuzzedApp, tmp_path: Path) -> None:
    seeds = iter(range(SMOKE_SEEDS))
    for found in finds(fuzzed.targets, seeds, tmp_path, seconds=60):
        pytest.fail(f"{found.target}, seed {found.seed}: {found.content[:200]!r}\n{found.error}")


def test_without_sign_in_each_browser_has_a_folder_of_its_own(fuzzed: FuzzedApp) -> None:
    one, other = Browser(fuzzed.app), Browser(fuzzed.app)
    for browser in (one, other):
        assert browser.ask("/")[0] == HTTPStatus.OK
    assert one.cookies != other.cookies
    one.ask(f"/api/subjects/upload?upload={'a' * 12}&name=mine.txt", b"she 0 1\nhe 1 1\n")
    assert one.post("/api/subjects/add", upload="a" * 12, name="mine")[0] == HTTPStatus.OK
    for browser, there in ((one, True), (other, False)):
        rows = browser.json("/api/subjects")["subjects"]
        assert ("mine" in [row["name"] for row in rows]) is there


@pytest.mark.validate
def test_damaged_inputs_are_answered_or_refused_for_ten_minutes(
    fuzzed: FuzzedApp,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    record_property: Callable[[str, object], None],
) -> None:
    start = int(os.environ.get("BIASLAB_FUZZ_SEED", "0"))
    seeds = itertools.count(start)
    found = list(itertools.islice(finds(fuzzed.targets, seeds, tmp_path, 60.0 * MINUTES), 20))
    following = next(seeds)
    record_property("next_seed", following)
    with capsys.disabled():
        print(f"Resume with BIASLAB_FUZZ_SEED={following}.")  # noqa: T201
    texts = [f"{one.target}, seed {one.seed}: {one.error.splitlines()[-1]}" for one in found]
    assert texts == []
