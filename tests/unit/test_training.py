"""Training of bootstraps: streaming, reproducible, continued after a kill, clear in its errors."""

from __future__ import annotations

import gzip
import json
import shutil
from pathlib import Path

import numpy as np
import pytest

import biaslab as bl
from biaslab.errors import CorpusError
from biaslab_train.embeddings.bootstraps import Progress
from biaslab_train.embeddings.corpus import prepare
from biaslab_train.embeddings.methods import poisson_resample
from harness.corpora import train, write_corpus
from harness.needs import needs

pytestmark = needs("gensim")


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_corpus(tmp_path_factory.mktemp("corpus") / "corpus.txt")


@pytest.fixture(scope="module")
def trained(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two replicates of seed 1 from another process, which no test changes."""
    return train(corpus, tmp_path_factory.mktemp("trained") / "out", apart=True)


def test_the_corpus_is_tokenised_once_and_read_back(corpus: Path, tmp_path: Path) -> None:
    first = prepare(corpus, tmp_path / "work")
    again = prepare(tmp_path / "gone.txt", tmp_path / "work")
    assert first == again
    assert first.lines == 300
    assert first.counts["the"] == 600
    assert "The" not in first.counts


def test_a_compressed_corpus_and_a_folder_give_the_same_tokens(
    corpus: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "a.txt.gz").write_bytes(gzip.compress(corpus.read_bytes()))
    assert prepare(folder, tmp_path / "w1").sha256 == prepare(corpus, tmp_path / "w2").sha256


def test_lines_are_repeated_a_poisson_number_of_times(corpus: Path, tmp_path: Path) -> None:
    prepared = prepare(corpus, tmp_path / "work")
    numbered = tmp_path / "numbered.txt"
    numbered.write_text("".join(f"line{i}\n" for i in range(20_000)))
    source = type(prepared)(numbered, prepared.counts, 20_000, 20_000, "")
    out = tmp_path / "out.txt"
    written = poisson_resample(source, np.random.default_rng([1, 0]), out)
    lines = out.read_text().split()
    assert len(lines) == written
    counts = np.zeros(20_000, dtype=int)
    np.add.at(counts, [int(line[4:]) for line in lines], 1)
    shares = np.bincount(counts, minlength=4)[:4] / 20_000
    np.testing.assert_allclose(shares, [0.3679, 0.3679, 0.1839, 0.0613], atol=0.015)


def test_one_seed_gives_the_same_bytes_and_another_gives_others(
    corpus: Path, trained: Path, tmp_path: Path
) -> None:
    same = train(corpus, tmp_path / "same", seed=1)
    other = train(corpus, tmp_path / "other", seed=2, replicates=1)
    names = [p.name for p in sorted(trained.glob("replicate-*"))]
    assert names == ["replicate-00.safetensors", "replicate-01.safetensors"]
    first, second = ((trained / name).read_bytes() for name in names)
    assert [(same / name).read_bytes() for name in names] == [first, second]
    assert len({first, second, (other / names[0]).read_bytes()}) == 3


def test_a_run_that_was_cut_short_continues(corpus: Path, trained: Path, tmp_path: Path) -> None:
    cut = shutil.copytree(trained, tmp_path / "cut")
    kept = (cut / "replicate-00.safetensors").stat()
    (cut / "replicate-01.safetensors").unlink()
    (cut / "ensemble.json").unlink()
    (cut / "replicate-01.partial").write_bytes(b"half a file")
    seen: list[Progress] = []
    train(corpus, cut, on_progress=seen.append)
    assert (cut / "replicate-00.safetensors").stat().st_mtime_ns == kept.st_mtime_ns
    for path in trained.glob("replicate-*"):
        assert path.read_bytes() == (cut / path.name).read_bytes()
    assert (seen[-1].done, seen[-1].total) == (2, 2)
    assert bl.load(cut).n_replicates == 2


def test_a_folder_never_mixes_two_recipes(corpus: Path, trained: Path) -> None:
    with pytest.raises(CorpusError, match="seed differ"):
        train(corpus, trained, seed=2)


def test_what_was_trained_can_be_probed(corpus: Path, tmp_path: Path) -> None:
    subject = bl.load(train(corpus, tmp_path / "out", words=["nurse"], frequent=20))
    assert "nurse" in subject
    result = bl.two_afc(subject, ["nurse"], ("her", "him"))
    assert result.switch.shape == (2, 1, 1)
    recipe = json.loads((tmp_path / "out" / "ensemble.json").read_text())
    assert recipe["corpus"]["lines"] == 300
    assert recipe["settings"]["vector_size"] == 8


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"only one line of words", "1 line"),
        (b"", "0 line"),
        (b"caf\xe9 au lait\nand more\n", "UTF-8"),
    ],
)
def test_a_corpus_that_cannot_be_used_says_what_to_do(
    content: bytes, says: str, tmp_path: Path
) -> None:
    path = tmp_path / "bad.txt"
    path.write_bytes(content)
    with pytest.raises(CorpusError, match=says):
        train(path, tmp_path / "out")


def test_missing_and_cut_off_corpora_are_told(corpus: Path, tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="No corpus"):
        train(tmp_path / "none.txt", tmp_path / "out")
    cut = tmp_path / "cut.txt.gz"
    cut.write_bytes(gzip.compress(corpus.read_bytes())[:-40])
    with pytest.raises(CorpusError, match="truncated"):
        train(cut, tmp_path / "out")
