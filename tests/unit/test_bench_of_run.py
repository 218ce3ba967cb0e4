"""`Bench.of_run`: a saved run comes back into its bench, in Python."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

import biaslab as bl
import biaslab_widgets
from biaslab.errors import ArgumentError, RunNotFoundError
from harness import embedding_files

pytestmark = pytest.mark.usefixtures("own_home", "closed_widgets")

WORDS = ("nurse", "engineer", "female", "male", "woman", "man", "girl", "boy", "she", "he")


def own_file(folder: Path) -> Path:
    vectors = bl.load("wiki-bootstraps").replicate(0).vectors(WORDS)[0]
    path = folder / "mine.txt"
    path.write_bytes(embedding_files.word2vec_text(WORDS, vectors))
    return path


def saved(subject: bl.WordEmbedding, **options: object) -> tuple[str, bl.Result]:
    """Save a run as the button of a bench does."""
    bench = biaslab_widgets.PsychometricBench(subject, **options)
    result = bench.result
    run = bench.controller.save_run(result)
    bench.close()
    return run, result


def test_a_run_of_an_own_file_comes_back_with_its_settings_and_numbers(tmp_path: Path) -> None:
    subject = bl.load(own_file(tmp_path))
    run, result = saved(subject, word="engineer", selected_pairs=[0, 1], curve="logistic")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        again = biaslab_widgets.PsychometricBench.of_run(run)
    assert (again.word, again.curve, again.subject) == ("engineer", "logistic", subject.name)
    assert again.result == result


def test_a_subject_that_cannot_be_loaded_again_is_asked_for(tmp_path: Path) -> None:
    file = own_file(tmp_path)
    subject = bl.load(file)
    run, result = saved(subject, word="nurse")
    file.unlink()
    with pytest.raises(ArgumentError, match=r"asked mine.*bl\.load\(path, name='mine'\)"):
        biaslab_widgets.PsychometricBench.of_run(run)
    assert biaslab_widgets.PsychometricBench.of_run(run, subject).result == result


def test_a_run_of_another_bench_or_of_none_is_refused(tmp_path: Path) -> None:
    subject = bl.load(own_file(tmp_path))
    run, result = saved(subject, word="nurse")
    with pytest.raises(ArgumentError, match="in the bench psychometric"):
        biaslab_widgets.OccupationsBench.of_run(run)
    with pytest.raises(ArgumentError, match="outside a bench"):
        biaslab_widgets.PsychometricBench.of_run(result.save())
    with pytest.raises(RunNotFoundError):
        biaslab_widgets.PsychometricBench.of_run("0000000000")
