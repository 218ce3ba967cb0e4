"""``biaslab train bootstraps``: its options, and wrong ones told before anything is trained."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from biaslab.cli import main
from harness.corpora import in_this_process, write_corpus
from harness.needs import needs

pytestmark = needs("gensim")


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--method", "glove", "--sample", "0.1"], "no --sample"),
        (["--method", "skip-gram", "--x-max", "10"], "no --x-max"),
        (["--method", "glove", "--window", "99"], "is 99. Use 1 or more and at most 20"),
        (["--words", "no-such-file"], "no-such-file"),
        (["--evaluate", "no-such-set.tsv"], "no-such-set.tsv"),
        (["--device", "cuda"], "leave out --device"),
        (["--scheduler", "nonsense"], "No Dask scheduler answers at nonsense"),
        (["--keep-count", "5000"], "smaller --keep-count"),
        (["--replicates", "0"], "1 or more"),
    ],
)
def test_wrong_options_are_told_in_one_line(
    options: list[str], says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if "--scheduler" in options:
        pytest.importorskip("distributed")
    corpus = write_corpus(tmp_path / "corpus.txt")
    out = tmp_path / "out"
    command = ["train", "bootstraps", "--corpus", str(corpus), "--output", str(out)]
    assert main([*command, "--keep-count", "1", "--processes", "1", *options]) == 1
    error = capsys.readouterr().err
    assert error.startswith("biaslab: ")
    assert says in error
    assert not list(tmp_path.rglob("replicate-*"))


def test_the_recipe_notes_the_method_and_what_was_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("torch")
    corpus = write_corpus(tmp_path / "corpus.txt")
    out = tmp_path / "out"
    command = ["train", "bootstraps", "--corpus", str(corpus), "--output", str(out)]
    command += ["--method", "glove", "--dimensions", "6", "--epochs", "2", "--x-max", "7"]
    with in_this_process():
        assert main([*command, "--replicates", "1", "--processes", "1", "--keep-count", "1"]) == 0
    assert "Finished" in capsys.readouterr().out
    recipe = json.loads((out / "ensemble.json").read_text())
    settings = recipe["settings"]
    assert recipe["method"] == "glove"
    assert (settings["vector_size"], settings["epochs"], settings["x_max"]) == (6, 2, 7.0)
    assert settings["window"] == 20
    assert set(recipe["versions"]) == {"gensim", "numpy", "torch"}
