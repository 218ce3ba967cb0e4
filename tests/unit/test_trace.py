"""Traces: planted passages are found, and leaving them out moves the PSE as predicted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import biaslab as bl
from biaslab.cli import main
from biaslab.errors import CorpusError, QueryError, TrainingError
from biaslab.jobs.context import reporting_to
from biaslab.jobs.job import JobContext, JobStopped
from biaslab.probes.trace import TraceResult
from biaslab_train.embeddings.corpus import count_for
from harness.needs import needs
from harness.planted_passages import SETTINGS, train, write_text

pytestmark = needs("gensim")

CUES = ("she", "he")


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, list[int]]]:
    folder = tmp_path_factory.mktemp("trace")
    lines = write_text(folder / "text.txt")
    return train(folder / "text.txt", folder / "out"), lines


@pytest.fixture(scope="module")
def traced(planted: tuple[Path, dict[str, list[int]]]) -> TraceResult:
    return bl.trace(str(planted[0]), "nurse", CUES, leave_out=6)


def test_the_planted_passages_pull_most(
    planted: tuple[Path, dict[str, list[int]]], traced: TraceResult
) -> None:
    lines = planted[1]
    assert len(traced.toward_1) == len(traced.toward_2) == 10
    assert {one.line for one in traced.toward_1} <= set(lines["she"])
    assert {one.line for one in traced.toward_2} <= set(lines["he"])
    pulls = dict(zip(traced.lines.tolist(), traced.pulls[:, 0].tolist(), strict=True))
    assert min(pulls[line] for line in lines["she"]) > max(pulls[line] for line in lines["he"])
    with_word = 30 + len(lines["she"]) + len(lines["he"])
    assert np.count_nonzero(traced.occurrences) == with_word
    for one in traced.toward_1:
        assert "shelike" in one.text
        assert one.pull in one.over_corpora
        assert one.occurrences == 1


def test_passages_with_only_a_rare_cue_pull_too(traced: TraceResult) -> None:
    cues_only = traced.pulls[traced.occurrences == 0]
    assert len(cues_only) == 120
    assert (cues_only != 0).any()
    assert "62 passages have the word, 120 only a rare cue." in traced.summary()


def test_passages_with_only_a_frequent_cue_are_left_out(
    planted: tuple[Path, dict[str, list[int]]], traced: TraceResult, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("biaslab.probes.trace.traced_word.RARE", 10)
    found = bl.trace(str(planted[0]), "nurse", CUES)
    assert (found.occurrences > 0).all()
    same = np.isin(traced.lines, found.lines)
    np.testing.assert_allclose(found.pulls, traced.pulls[same], atol=1e-6)


def test_leaving_passages_out_moves_the_pse_as_predicted(traced: TraceResult) -> None:
    checks = {(one.what, one.toward): one for one in traced.checks}
    assert len(checks) == 4
    for one in traced.checks:
        assert one.count == 6
        assert np.sign(one.measured) == np.sign(one.predicted) == (1 if one.toward == 1 else -1)
    for toward in (1, 2):
        one = checks["passages", toward]
        np.testing.assert_allclose(one.predicted, one.measured, rtol=0.25)


def test_few_passages_together_are_nearly_the_sum_of_each(
    planted: tuple[Path, dict[str, list[int]]],
) -> None:
    found = bl.trace(str(planted[0]), "nurse", CUES, passages=2)
    for passages, together in (
        (found.toward_1, found.together_1),
        (found.toward_2, found.together_2),
    ):
        assert together.passages == 2
        assert together.pull == pytest.approx(sum(one.pull for one in passages), rel=0.1)


def test_swapped_cues_turn_every_pull(
    planted: tuple[Path, dict[str, list[int]]], traced: TraceResult
) -> None:
    swapped = bl.trace(str(planted[0]), "nurse", CUES[::-1])
    np.testing.assert_allclose(swapped.pulls, -traced.pulls, atol=1e-6)
    np.testing.assert_allclose(swapped.whole, 1 - traced.whole, atol=1e-6)
    assert [one.line for one in swapped.toward_2] == [one.line for one in traced.toward_1]


def test_several_pairs_are_averaged(planted: tuple[Path, dict[str, list[int]]]) -> None:
    pairs = [CUES, ("shelikea", "helikea"), ("no such cue", "he")]
    found = bl.trace(str(planted[0]), "nurse", pairs)
    assert found.pairs == (CUES, ("shelikea", "helikea"))
    assert [one.role for one in found.dropped] == ["cue"]
    best = found.lines.tolist().index(found.toward_1[0].line)
    assert found.toward_1[0].pull == pytest.approx(found.pulls[best].mean())
    assert len(found.raw_frame()) == 2 * len(found.lines)
    assert len(found.blocks_frame()) == 2 * SETTINGS.blocks


def test_the_verdict_says_who_makes_the_bias(traced: TraceResult) -> None:
    first, second, third = traced.verdict()
    assert first.startswith("10 passages pull nurse toward she by ")
    assert "toward he by" in second
    assert "includes 50 %" in third
    assert "passages toward she" in traced.caveat()
    assert "Toward he:" in traced.summary()


def test_counts_that_are_not_there_are_named_with_the_remedy(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="biaslab train counts"):
        bl.trace("wiki-bootstraps", "nurse", ("woman", "man"), tmp_path)


def test_counts_of_another_subject_are_refused(planted: tuple[Path, dict[str, list[int]]]) -> None:
    with pytest.raises(CorpusError, match="another subject"):
        bl.trace("wiki-bootstraps", "nurse", ("woman", "man"), planted[0])


def test_words_that_cannot_be_traced_are_refused(
    planted: tuple[Path, dict[str, list[int]]],
) -> None:
    folder = str(planted[0])
    with pytest.raises(QueryError, match="no-such-word"):
        bl.trace(folder, "no-such-word", CUES)
    with pytest.raises(QueryError, match="single word"):
        bl.trace(folder, "nurse clerk", CUES)
    with pytest.raises(QueryError, match="two single words"):
        bl.trace(folder, "nurse", ("she", "he clerk"))
    with pytest.raises(ValueError, match="passages"):
        bl.trace(folder, "nurse", CUES, passages=0)


def test_a_word_of_one_passage_cannot_be_traced(tmp_path: Path) -> None:
    write_text(tmp_path / "text.txt")
    text = tmp_path / "text.txt"
    text.write_text(text.read_text() + "\nshelikea once shelikeb")
    folder = train(text, tmp_path / "out", replicates=1)
    subject = bl.load(folder)
    if "once" not in subject:
        pytest.skip("the resample lacks the word")
    with pytest.raises(QueryError, match="one passage"):
        bl.trace(str(folder), "once", CUES)


def test_counting_alone_gives_what_training_left(
    planted: tuple[Path, dict[str, list[int]]], traced: TraceResult, tmp_path: Path
) -> None:
    folder, _ = planted
    counts = count_for(str(folder), folder.parent / "text.txt", tmp_path / "counts", processes=1)
    again = bl.trace(str(folder), "nurse", CUES, counts, leave_out=6)
    assert again == traced


def test_another_corpus_is_refused(
    planted: tuple[Path, dict[str, list[int]]], tmp_path: Path
) -> None:
    (tmp_path / "other.txt").write_text("she is here\nhe is there\n")
    with pytest.raises(CorpusError, match="not the corpus"):
        count_for(str(planted[0]), tmp_path / "other.txt", tmp_path / "counts", processes=1)
    with pytest.raises(TrainingError, match="no trained ensemble"):
        count_for("nothing", tmp_path / "other.txt", tmp_path / "counts", processes=1)


def test_both_commands(
    planted: tuple[Path, dict[str, list[int]]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("BIASLAB_HOME", str(tmp_path))
    folder = planted[0]
    text = str(folder.parent / "text.txt")
    target = ["--output", str(tmp_path / "counts"), "--processes", "1"]
    assert main(["train", "counts", str(folder), "--corpus", text, *target]) == 0
    assert "Now trace a word" in capsys.readouterr().out
    table = tmp_path / "passages.csv"
    asked: list[Any] = ["--cues", "she,he", "--counts", tmp_path / "counts", "--csv", table]
    assert main(["probe", "trace", str(folder), "nurse", *map(str, asked)]) == 0
    assert "passages pull nurse toward she" in capsys.readouterr().out
    assert table.read_text().startswith("toward,line,block")


class _StoppedAtOnce(JobContext):
    def checkpoint(self) -> None:
        raise JobStopped


def test_a_trace_stops_between_rounds_and_leaves_nothing_behind(
    planted: tuple[Path, dict[str, list[int]]],
) -> None:
    folder, _ = planted
    for kept in (folder / "work").glob("*dimensions*"):
        kept.unlink()
    with pytest.raises(JobStopped), reporting_to(_StoppedAtOnce()):
        bl.trace(str(folder), "nurse", CUES)
    assert not list((folder / "work").glob("tmp*"))
    assert not list((folder / "work").glob("*dimensions*"))
    assert bl.trace(str(folder), "nurse", CUES).toward_1
