"""A script that ends right after its result ends by itself: no thread is killed inside torch."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from collections import Counter
from pathlib import Path

import pytest

import biaslab as bl
from harness import forked_runs
from harness.short_scripts import BENCHES, readme

TOGETHER = 2
SOME = ("posterior",)
"""With torch and a job's threads; ``make validate`` runs the scripts of all benches."""

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")


def ends(code: str, times: int, folder: Path) -> Counter[str]:
    """How runs of a script ended, and what they wrote to standard error."""
    script = folder / "script.py"
    script.write_text(textwrap.dedent(code), encoding="utf-8")
    command = [sys.executable, forked_runs.__file__, str(script), str(times), str(TOGETHER)]
    environment = {**os.environ, "BIASLAB_HOME": str(folder / "home")}
    done = subprocess.run(
        command, env=environment, cwd=folder, capture_output=True, text=True, timeout=1200
    )
    assert (done.returncode, done.stderr) == (0, "")
    return Counter(done.stdout.splitlines())


WELL = '0 ""'


@pytest.mark.parametrize("bench", SOME)
def test_a_script_that_ends_with_its_result_ends_well(bench: str, tmp_path: Path) -> None:
    assert ends(BENCHES[bench], 1, tmp_path) == {WELL: 1}


@pytest.mark.validate
@pytest.mark.parametrize("bench", BENCHES)
def test_no_end_of_fifty_is_bad(bench: str, tmp_path: Path) -> None:
    assert ends(BENCHES[bench], 50, tmp_path) == {WELL: 50}


@pytest.mark.validate
def test_the_code_of_the_readme_ends_well(tmp_path: Path) -> None:
    embedding = bl.load("wiki-bootstraps").replicate(0)
    (tmp_path / "vectors").mkdir()
    with (tmp_path / "vectors" / "glove.6B.100d.txt").open("w", encoding="utf-8") as lines:
        for word in embedding.words:
            numbers = embedding.vectors([word]).ravel()
            lines.write(f"{word} {' '.join(f'{number:.5f}' for number in numbers)}\n")
    assert ends(readme(), 3, tmp_path) == {WELL: 3}
