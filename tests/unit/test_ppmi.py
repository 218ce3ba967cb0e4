"""PPMI: association by its definition, vectors as those of a plain SVD, replicates that repeat."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import biaslab as bl
from biaslab.errors import TrainingError
from biaslab.probes.trace import ppmi
from biaslab.probes.trace.block_counts import (
    BlockCounts,
    block_repeats,
    block_starts,
    count_blocks,
    generator,
)
from biaslab.probes.trace.corpus import encode
from biaslab.probes.trace.counted import PPMISettings
from biaslab_train.embeddings.corpus import prepare
from biaslab_train.embeddings.glove import GloVeSettings
from harness.block_texts import counted_by_hand, encoded_lines, random_lines, resampled
from harness.corpora import train, write_corpus
from harness.needs import needs

SETTINGS = PPMISettings(vector_size=4, window=4, contexts=100, blocks=20)


def _counts(tmp_path: Path, lines: list[list[int]], words: int, contexts: int) -> BlockCounts:
    return count_blocks(encoded_lines(tmp_path / "text", lines, words), contexts, 4, 10)


def test_association_is_the_definition(tmp_path: Path) -> None:
    lines = random_lines(np.random.default_rng(3), contexts=60)
    counted = _counts(tmp_path, lines, 25, 60)
    matrix = counted.weighted(np.ones(counted.blocks, int), tmp_path / "matrix")
    joint = np.array(matrix, dtype=np.float64)
    joint /= joint.sum()
    with np.errstate(divide="ignore", invalid="ignore"):
        expected = np.log(joint / joint.sum(axis=1, keepdims=True) / joint.sum(axis=0))
    absent = ppmi.associate(matrix, memory=2e3)
    np.testing.assert_allclose(matrix, np.maximum(np.nan_to_num(expected), 0), atol=1e-5)
    np.testing.assert_array_equal(absent, joint.sum(axis=1) == 0)


def test_decomposition_is_that_of_a_full_svd() -> None:
    rng = np.random.default_rng(4)
    spread = 0.9 ** np.arange(200)
    matrix = (
        np.linalg.qr(rng.standard_normal((300, 200)))[0]
        * spread
        @ np.linalg.qr(rng.standard_normal((500, 200)))[0].T
    ).astype(np.float32)
    left, values = ppmi.decompose(matrix, 10, rng)
    exact, singular, _ = np.linalg.svd(matrix, full_matrices=False)
    np.testing.assert_allclose(values, singular[:10], rtol=1e-4)
    # Vectors have either sign.
    np.testing.assert_allclose(np.abs((exact[:, :10] * left).sum(axis=0)), 1, atol=1e-4)


@needs("gensim", "torch")
@pytest.mark.parametrize(
    "settings",
    [
        PPMISettings(vector_size=2, window=4, blocks=50),
        GloVeSettings(vector_size=4, window=4, epochs=40),
    ],
    ids=["ppmi", "glove"],
)
def test_words_used_alike_end_up_close(
    settings: PPMISettings | GloVeSettings, tmp_path: Path
) -> None:
    rng = np.random.default_rng(6)
    topics = np.array([[f"{topic}{letter}" for letter in "abcdefgh"] for topic in ("x", "y")])
    lines = []
    for _ in range(1_500):
        topic = rng.integers(2)
        own = np.where(rng.random(8) < 0.85, topic, 1 - topic)
        lines.append(" ".join(topics[own, rng.integers(8, size=8)]))
    (tmp_path / "text.txt").write_text("\n".join(lines))
    folder = train(tmp_path / "text.txt", tmp_path / "out", settings=settings)
    vectors = bl.load(folder).vectors(topics.ravel().tolist())
    units = vectors / np.linalg.norm(vectors, axis=2, keepdims=True)
    cosines = units @ units.transpose(0, 2, 1)
    for one in cosines:
        assert min(one[:8, :8].min(), one[8:, 8:].min()) > one[:8, 8:].max()


@needs("gensim")
def test_a_replicate_is_that_of_its_resampled_text(tmp_path: Path) -> None:
    source = write_corpus(tmp_path / "corpus.txt")
    folder = train(source, tmp_path / "out", settings=SETTINGS, frequent=12)
    corpus = prepare(source, folder / "work")
    subject = bl.load(folder)
    kept = set(subject.words)
    others = [word for word, _ in corpus.counts.most_common() if word not in kept]
    encoded = encode(corpus, sorted(kept), folder / "work", others[: 100 - len(kept)])
    lengths = encoded.read_lengths()
    ids = np.split(np.fromfile(encoded.ids, np.int32), np.cumsum(lengths)[:-1])
    first = block_starts(lengths, SETTINGS.blocks)
    times = block_repeats(len(first) - 1, generator(1, 1))
    lines = resampled([line.tolist() for line in ids], times, first)
    contexts = len(kept) + len(others[: 100 - len(kept)])
    matrix = counted_by_hand(lines, len(kept), contexts, SETTINGS.window).astype(np.float32)
    ppmi.associate(matrix)
    left, singular, _ = np.linalg.svd(matrix, full_matrices=False)
    size = SETTINGS.vector_size
    expected = left[:, :size] * singular[:size] ** SETTINGS.power
    by_rank = [sorted(kept)[place] for place in encoded.read_order()]
    found = subject.vectors(by_rank)[1]
    for rows in (found, expected):
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    np.testing.assert_allclose(found @ found.T, expected @ expected.T, atol=0.02)


@needs("gensim", "torch")
@pytest.mark.parametrize(
    ("settings", "memory", "name"),
    [
        pytest.param(SETTINGS, 1e5, "ppmi-svd", id="ppmi"),
        pytest.param(
            GloVeSettings(vector_size=8, window=4, epochs=3),
            1e4,
            "glove",
            id="glove",
            marks=pytest.mark.validate,
        ),
    ],
)
def test_replicates_are_reproducible_and_marked_in_the_manifest(
    settings: PPMISettings | GloVeSettings, memory: float, name: str, tmp_path: Path
) -> None:
    corpus = write_corpus(tmp_path / "corpus.txt")
    a = train(corpus, tmp_path / "a", settings=settings)
    b = train(corpus, tmp_path / "b", settings=settings, memory=memory)
    names = sorted(path.name for path in a.glob("replicate-*"))
    assert names == ["replicate-00.safetensors", "replicate-01.safetensors"]
    for one in names:
        assert (a / one).read_bytes() == (b / one).read_bytes()
    assert (a / names[0]).read_bytes() != (a / names[1]).read_bytes()
    assert name in bl.load(a).about
    assert not list((a / "work").glob("replicate-*"))


@needs("gensim", "torch")
@pytest.mark.parametrize(
    "settings",
    [PPMISettings(vector_size=2, blocks=21), GloVeSettings(vector_size=8, window=4, epochs=3)],
    ids=["ppmi", "glove"],
)
def test_a_word_that_a_resample_lacks_is_missing_from_it(
    settings: PPMISettings | GloVeSettings, tmp_path: Path
) -> None:
    (tmp_path / "text.txt").write_text("a b c\n" * 41 + "once upon\n")
    folder = train(tmp_path / "text.txt", tmp_path / "out", replicates=8, settings=settings)
    subject = bl.load(folder)
    assert isinstance(settings, PPMISettings) or "a" in subject
    (unknown,) = subject.resolve(["once"]).unknown
    assert "replicates" in unknown.reason


@needs("gensim")
def test_more_dimensions_than_words_are_refused(tmp_path: Path) -> None:
    corpus = write_corpus(tmp_path / "corpus.txt")
    with pytest.raises(TrainingError, match="fewer --dimensions"):
        train(corpus, tmp_path / "out", settings=PPMISettings())


@pytest.mark.parametrize(
    "wrong", [{"window": 0}, {"window": 21}, {"vector_size": 0}, {"power": -1.0}, {"blocks": 1}]
)
def test_settings_out_of_range_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(TrainingError, match=next(iter(wrong))):
        PPMISettings(**wrong)  # type: ignore[arg-type]
