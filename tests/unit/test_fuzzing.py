"""Readers of what others give: whatever it is, it is read, or refused with a sentence.

``make validate`` goes on for ten minutes from the seed in ``BIASLAB_FUZZ_SEED`` (0 by default); its
last line names the seed from which to resume.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from harness.fuzz_targets import targets
from harness.fuzzing import Target, damaged, finds, found_cases, tried

SMOKE_SEEDS = 12
MINUTES = 10


@pytest.mark.parametrize("name", sorted(targets()))
def test_valid_inputs_are_read(name: str, tmp_path: Path) -> None:
    target = targets()[name]
    for content in target.valid:
        target.read(content, tmp_path)


@pytest.mark.parametrize(
    ("name", "file"), found_cases(targets()), ids=lambda one: getattr(one, "name", one)
)
def test_what_was_found_once_is_mended(name: str, file: Path, tmp_path: Path) -> None:
    found = tried(name, targets()[name], file.read_bytes(), tmp_path)
    assert found is None, found.error if found else ""


def test_damaged_inputs_are_read_or_refused(tmp_path: Path) -> None:
    for found in finds(targets(), iter(range(SMOKE_SEEDS)), tmp_path, seconds=60):
        pytest.fail(f"{found.target}, seed {found.seed}: {found.content[:200]!r}\n{found.error}")


@pytest.mark.validate
def test_damaged_inputs_are_read_or_refused_for_ten_minutes(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    record_property: Callable[[str, object], None],
) -> None:
    start = int(os.environ.get("BIASLAB_FUZZ_SEED", "0"))
    seeds = itertools.count(start)
    found = list(itertools.islice(finds(targets(), seeds, tmp_path, 60.0 * MINUTES), 20))
    following = next(seeds)
    record_property("next_seed", following)
    with capsys.disabled():
        print(f"Resume with BIASLAB_FUZZ_SEED={following}.")  # noqa: T201
    texts = [f"{one.target}, seed {one.seed}: {one.error.splitlines()[-1]}" for one in found]
    assert texts == []


def test_damage_is_the_same_for_the_same_seed_and_differs_between_seeds() -> None:
    valid = [b'{"name": 12, "list": ["she", "he"]}']
    made = [damaged(valid, seed) for seed in range(60)]
    assert made == [damaged(valid, seed) for seed in range(60)]
    assert len(set(made)) > 40


def test_a_reader_that_breaks_is_found(tmp_path: Path) -> None:
    target = Target([b"1"], lambda content, _: 1 / int(content == b"1"))
    (first, *_) = finds({"bad": target}, iter(range(50)), tmp_path, seconds=60)
    assert "ZeroDivisionError" in first.error
    assert tried("bad", target, first.content, tmp_path) is not None
