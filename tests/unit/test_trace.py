"""Traces: planted passages are found, and leaving them out moves the PSE as predicted."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import biaslab as bl
from biaslab.errors import CorpusError, QueryError
from harness.needs import needs
from harness.planted_passages import train, write_text

pytestmark = needs("gensim")


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, list[int]]]:
    folder = tmp_path_factory.mktemp("trace")
    lines = write_text(folder / "text.txt")
    return train(folder / "text.txt", folder / "out"), lines


def test_the_planted_passages_pull_most(planted: tuple[Path, dict[str, list[int]]]) -> None:
    folder, lines = planted
    found = bl.trace(str(folder), "nurse", ("she", "he"), passages=8)
    assert {one.line for one in found.toward_1} <= set(lines["she"])
    assert {one.line for one in found.toward_2} == set(lines["he"])
    for one in found.toward_1:
        print(one)
    print(found.together_1, found.together_2, found.whole, found.pse)
    found = bl.trace(str(folder), "nurse", ("she", "he"), passages=8, check=8)
    print(found.checks)
