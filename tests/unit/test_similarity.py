"""Word similarity: ranks by cosine, intervals that cover, and files of judged pairs."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

import biaslab as bl
from biaslab.cli import main
from biaslab.errors import QueryError
from biaslab.probes.similarity import Judgements, read_judgements
from harness.corpora import train, write_corpus
from harness.heavy import stats

WORDS = [f"{a}{b}" for a in "abcdefghij" for b in "klmnopqrst"]


def _ensemble(seed: int = 0, replicates: int = 5) -> bl.EmbeddingEnsemble:
    rng = np.random.default_rng(seed)
    return bl.EmbeddingEnsemble(WORDS, rng.standard_normal((replicates, len(WORDS), 6)))


def _judged(n: int = 200, seed: int = 1) -> Judgements:
    rng = np.random.default_rng(seed)
    # Distinct pairs: of one that stood there twice, rounding would decide which comes first.
    pairs = rng.permutation(list(combinations(WORDS, 2)))[:n]
    one, two = pairs.T
    return Judgements("set", tuple(one), tuple(two), rng.integers(0, 11, n) / 2)


def test_it_is_scipys_spearman_of_the_cosines() -> None:
    subject, judged = _ensemble(), _judged()
    found = bl.probes.similarity.word_similarity(subject, judged).sets[0]
    one, two = subject.vectors(judged.one), subject.vectors(judged.two)
    one, two = one.astype(float), two.astype(float)
    cosines = (one * two).sum(2) / np.linalg.norm(one, axis=2) / np.linalg.norm(two, axis=2)
    expected = [stats.spearmanr(row, judged.scores).statistic for row in cosines]
    np.testing.assert_allclose(found.spearman, expected, atol=1e-6)
    assert found.mean == pytest.approx(np.mean(expected))
    assert found.sd == pytest.approx(np.std(expected, ddof=1))
    assert (found.pairs, found.known) == (200, 200)


def test_only_the_order_of_judgements_counts() -> None:
    judged = _judged()
    other = Judgements("set", judged.two, judged.one, np.exp(judged.scores) - 100)
    turned = Judgements("set", judged.one, judged.two, -judged.scores)
    base = bl.probes.similarity.word_similarity(_ensemble(), judged).sets[0].spearman
    np.testing.assert_allclose(
        bl.probes.similarity.word_similarity(_ensemble(), other).sets[0].spearman, base
    )
    np.testing.assert_allclose(
        bl.probes.similarity.word_similarity(_ensemble(), turned).sets[0].spearman, -base
    )


def test_the_interval_over_pairs_covers_and_so_does_the_one_over_corpora() -> None:
    """Pairs and replicates drawn from a model with a known correlation."""
    rng = np.random.default_rng(7)
    noise = 1.2
    big = rng.standard_normal((2, 200_000))
    true = stats.spearmanr(big[0], big[0] + noise * big[1]).statistic
    covered = []
    for _ in range(400):
        angles = rng.standard_normal(120)
        # Two words per pair whose cosine rises with the pair's latent similarity.
        turn = np.pi * (1 - 1 / (1 + np.exp(-angles)))
        rows = np.concatenate(
            [np.stack([np.ones(120), np.zeros(120)], 1), np.stack([np.cos(turn), np.sin(turn)], 1)]
        )
        words = [f"w{i}" for i in range(240)]
        subject = bl.WordEmbedding(words, rows.astype(np.float32))
        judged = Judgements(
            "set", tuple(words[:120]), tuple(words[120:]), angles + noise * rng.standard_normal(120)
        )
        covered.append(
            true in bl.probes.similarity.word_similarity(subject, judged).sets[0].over_pairs
        )
    assert 0.92 <= np.mean(covered) <= 0.98
    found = bl.probes.similarity.word_similarity(_ensemble(replicates=30), _judged()).sets[0]
    later = (
        bl.probes.similarity.word_similarity(_ensemble(seed=9, replicates=300), _judged())
        .sets[0]
        .spearman
    )
    inside = [value in found.over_corpora for value in later]
    assert 0.85 <= np.mean(inside) <= 1.0


def test_unknown_words_are_reported_and_their_pairs_left_out() -> None:
    judged = _judged(20)
    more = Judgements(
        "set", (*judged.one, "zebra"), (*judged.two, WORDS[0]), np.append(judged.scores, 3.0)
    )
    result = bl.probes.similarity.word_similarity(_ensemble(), more)
    assert (result.sets[0].pairs, result.sets[0].known) == (21, 20)
    assert [(d.term, d.role) for d in result.dropped] == [("zebra", "set")]
    assert "20 of 21 pairs known" in result.summary()


def test_too_few_known_pairs_are_an_error() -> None:
    judged = Judgements("Dutch", ("fiets",) * 9, ("kaas",) * 9, np.arange(9.0))
    with pytest.raises(QueryError, match="0 of 9 pairs of Dutch"):
        bl.probes.similarity.word_similarity(_ensemble(), judged)
    with pytest.raises(QueryError, match="No set"):
        bl.probes.similarity.word_similarity(_ensemble(), [])


def test_a_result_is_stored_reopened_and_tabulated(tmp_path: Path) -> None:
    result = bl.probes.similarity.word_similarity(_ensemble(), [_judged(), _judged(50, seed=2)])
    assert bl.Result.from_json(result.to_json()) == result
    store = bl.Store(f"sqlite:///{tmp_path / 'runs.db'}")
    assert store.open(result.save(store)) == result
    frame = result.to_frame()
    assert frame["spearman"].tolist() == [one.mean for one in result.sets]
    assert (frame["pairs_low"] < frame["spearman"]).all()
    single = bl.WordEmbedding(WORDS, np.random.default_rng(0).standard_normal((100, 6)))
    one = bl.probes.similarity.word_similarity(single, _judged()).sets[0]
    assert np.isnan(one.sd)
    assert np.isnan(one.over_corpora.low)


@pytest.mark.parametrize(
    "text",
    [
        "# w1\tw2\tscore\ntiger\tcat\t7.35\nbook\tpaper\t7.46\n",
        "word 1,word 2,score\ntiger,cat,7.35\nbook,paper,7.46\n",
        "\ufefftiger;cat;7.35\n\nbook;paper;7.46",
        "tiger\t\tcat\t\t7.35\r\nbook\t\tpaper\t\t7.46\r\n",
        "tiger cat 7.35\nbook paper 7.46\n",
    ],
)
def test_the_usual_forms_of_files_are_read(text: str, tmp_path: Path) -> None:
    path = tmp_path / "pets.tsv"
    path.write_text(text, encoding="utf-8")
    judged = read_judgements(path)
    assert (judged.name, judged.one, judged.two) == ("pets", ("tiger", "book"), ("cat", "paper"))
    assert judged.scores.tolist() == [7.35, 7.46]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "no rated pairs"),
        (b"# only comments\n", "no rated pairs"),
        (b"tiger\tcat\t7\nbook\tpaper\n", "line 2"),
        (b"tiger\tcat\t7\nbook\tpaper\tmuch\n", "line 2"),
        (b"tiger\tcat\tnan\n", "line 1"),
        (b"\xff\xfe\x00", "UTF-8"),
    ],
)
def test_other_files_name_the_line(content: bytes, says: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.tsv"
    path.write_bytes(content)
    with pytest.raises(QueryError, match=says):
        read_judgements(path)


def test_a_trained_ensemble_carries_its_quality_and_the_command_prints_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("gensim")
    corpus = write_corpus(tmp_path / "corpus.txt")
    pairs = tmp_path / "jobs.tsv"
    pairs.write_text("nurse\tbaker\t3\nnurse\ther\t6\nbaker\thim\t5\nengineer\tteacher\t4\n")
    folder = train(corpus, tmp_path / "out", judgements=[read_judgements(pairs)])
    (quality,) = json.loads((folder / "ensemble.json").read_text())["quality"]
    subject = bl.load(folder)
    result = bl.probes.similarity.word_similarity(subject, pairs)
    assert quality["spearman"] == pytest.approx(result.sets[0].mean)
    assert (quality["set"], quality["known"], quality["pairs"]) == ("jobs", 4, 4)
    assert f"jobs {quality['spearman']:.2f}" in subject.about
    out = tmp_path / "table.csv"
    assert main(["evaluate", str(folder), "--similarity", str(pairs), "--csv", str(out)]) == 0
    assert "4 of 4 pairs known" in capsys.readouterr().out
    assert out.read_text().startswith("set,pairs,known")
    assert main(["evaluate", str(folder), "--similarity", str(tmp_path / "none.tsv")]) == 1
    assert "none.tsv" in capsys.readouterr().err
