"""`Bench.of_run`: a saved run comes back into its bench, in Python."""

from __future__ import annotations

import warnings
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import biaslab as bl
import biaslab_widgets
from biaslab.errors import ArgumentError, QueryError, RunNotFoundError
from biaslab_widgets.app.pages.reopening import bench_of
from harness import embedding_files
from harness.sentence_pairs import pairs as sentence_pairs
from harness.server import wait_until

pytestmark = pytest.mark.usefixtures("own_home", "closed_widgets")

WORDS = ("nurse", "engineer", "female", "male", "woman", "man", "girl", "boy", "she", "he")


def own_file(folder: Path) -> Path:
    vectors = bl.load("wiki-bootstraps").replicate(0).vectors(WORDS)[0]
    path = folder / "mine.txt"
    path.write_bytes(embedding_files.word2vec_text(WORDS, vectors))
    return path


def saved(subject: bl.WordEmbedding, **options: object) -> tuple[str, bl.Result]:
    """Save a run in a bench."""
    bench = biaslab_widgets.PsychometricBench(subject, **options)
    result = bench.result
    run = bench.save("mine", tags=["pilot"])
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
    assert bl.Store().run(run).label == "mine"
    assert bl.Store().run(run).tags == ("pilot",)


def test_a_subject_that_cannot_be_loaded_again_is_asked_for(tmp_path: Path) -> None:
    file = own_file(tmp_path)
    subject = bl.load(file)
    run, result = saved(subject, word="nurse")
    file.unlink()
    with pytest.raises(ArgumentError, match=r"asked mine.*bl\.load\(path, name='mine'\)"):
        biaslab_widgets.PsychometricBench.of_run(run)
    assert biaslab_widgets.PsychometricBench.of_run(run, subject).result == result


def test_a_run_of_another_bench_is_refused(tmp_path: Path) -> None:
    run, _ = saved(bl.load(own_file(tmp_path)), word="nurse")
    with pytest.raises(ArgumentError, match="belongs to the bench psychometric"):
        biaslab_widgets.OccupationsBench.of_run(run)
    with pytest.raises(RunNotFoundError):
        biaslab_widgets.PsychometricBench.of_run("0000000000")


def numbers(result: bl.Result) -> object:
    """What a result says, without when and by which call it was made."""
    return result.to_frame().to_csv(float_format="%.9g"), result.verdict()


def test_a_result_of_python_opens_in_the_bench_that_asks_the_same(tmp_path: Path) -> None:
    subject = bl.load(own_file(tmp_path))
    pairs = [("woman", "man"), ("she", "he")]
    observer = bl.Perception(0.05, decision="sample")
    two = bl.two_afc(
        subject, ["nurse", "engineer"], pairs, family="logistic", levels=11, perception=observer
    )
    bench = biaslab_widgets.PsychometricBench.of_run(two.save())
    assert bench.words == ["nurse", "engineer"]
    one = bl.two_afc(subject, ["nurse"], pairs, family="logistic", levels=11, perception=observer)
    assert numbers(bench.result) == numbers(one)


@pytest.mark.parametrize(
    ("bench", "ask"),
    [
        (
            "OccupationsBench",
            lambda: bl.occupations(
                "wiki-bootstraps",
                ["nurse", "lawyer"],
                {"women": ["woman", "she"], "men": ["man", "he"]},
                pairing="all",
                jnd="sd",
            ),
        ),
        (
            "AssociationBench",
            lambda: bl.association.overview("wiki-bootstraps", "weat-6", model="pooled", ddof=0),
        ),
        (
            "SentenceBench",
            lambda: bl.stereotype_score("wiki-clm", sentences=sentence_pairs(), weighting="pairs"),
        ),
        (
            "DecisionBench",
            lambda: bl.decisions("clerk-lm", "hire-by-name", wordings=[1], margin=1, lapses="none"),
        ),
        ("PosteriorBench", lambda: bl.posterior.overview("imdb-sentiment", chains=4, draws=50)),
        (
            "PosteriorBench",
            lambda: bl.sample_posterior(
                "portrait-clip", "nurse", space="portraits", chains=4, draws=60, check=False
            ),
        ),
        (
            "ImageBench",
            lambda: bl.image_association("portrait-clip", "images-experts-helpers", per_term=2),
        ),
        ("RatingBench", lambda: bl.rate("noisy", bl.RatingDesign.make("gender", texts=5))),
    ],
)
def test_results_of_other_probes_open_in_theirs(bench: str, ask: Any) -> None:
    result = ask()
    run = result.save()
    infos = [bl.subjects.inspect(name) for name in bl.subjects.bundled_names()]
    entry = bench_of(bl.Store().run(run), result, infos)
    assert entry is not None, "the app offers to open it"
    assert entry.notebook_name == bench
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        again = getattr(biaslab_widgets, bench).of_run(run)
    wait_until(lambda: not hasattr(result, "images") or _is_drawn(again, result), "portraits")
    assert numbers(again.result) == numbers(result)


def _is_drawn(bench: Any, result: Any) -> bool:
    with suppress(QueryError):
        return len(bench.result.images) == len(result.images)
    return False


def test_a_result_that_no_bench_shows_is_refused() -> None:
    result = bl.weat("wiki-bootstraps", "weat-6")
    run = result.save()
    with pytest.raises(QueryError, match="AssociationBench does not show a WeatResult"):
        biaslab_widgets.AssociationBench.of_run(run)
    assert bench_of(bl.Store().run(run), result) is None
