"""Full disks, killed processes and mixed-up folders: nothing half-written is taken for whole."""

from __future__ import annotations

import errno
import multiprocessing
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import biaslab as bl
from biaslab.cli import main
from biaslab.errors import CorpusError, TrainingError
from biaslab.subjects.embedding.ensemble import is_complete
from biaslab_train.embeddings import bootstraps, corpus
from biaslab_train.embeddings.bootstraps import Progress
from biaslab_train.embeddings.glove import GloVeSettings
from biaslab_train.embeddings.methods import SkipGramSettings
from harness.corpora import in_this_process, train, write_corpus
from harness.needs import needs

pytestmark = needs("gensim")

LONG = SkipGramSettings(vector_size=8, epochs=60, min_count=1, sample=0)


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_corpus(tmp_path_factory.mktemp("corpus") / "corpus.txt")


@pytest.fixture(scope="module")
def trained(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One replicate, which no test changes."""
    return train(source, tmp_path_factory.mktemp("trained") / "out", replicates=1)


@pytest.mark.validate
def test_a_killed_process_is_told_and_the_same_call_completes(tmp_path: Path) -> None:
    source, out = write_corpus(tmp_path / "corpus.txt", lines=6_000), tmp_path / "out"
    killed: list[int] = []

    def kill_the_second(progress: Progress) -> None:
        # The first is finished, the second is in its epochs.
        if progress.done == 1 and (out / "work" / "progress-01").exists() and not killed:
            (worker,) = multiprocessing.active_children()
            assert worker.pid
            os.kill(worker.pid, signal.SIGKILL)
            killed.append(worker.pid)

    with pytest.raises(TrainingError, match="Repeat the same command"):
        train(source, out, settings=LONG, apart=True, on_progress=kill_the_second)
    assert killed
    assert not multiprocessing.active_children()
    assert (is_complete(out, 0), is_complete(out, 1)) == (True, False)
    assert not (out / "ensemble.json").exists()
    kept = (out / "replicate-00.safetensors").stat().st_mtime_ns
    train(source, out, settings=LONG)
    whole = train(source, tmp_path / "whole", settings=LONG)
    assert (out / "replicate-00.safetensors").stat().st_mtime_ns == kept
    for name in ("replicate-00.safetensors", "replicate-01.safetensors"):
        assert (out / name).read_bytes() == (whole / name).read_bytes()
    assert not list((out / "work").glob("replicate-*"))


def test_an_interrupt_ends_the_working_processes_at_once(source: Path, tmp_path: Path) -> None:
    marker = tmp_path / "out" / "work" / "progress-00"

    def interrupt(_: Progress) -> None:
        if marker.exists():
            raise KeyboardInterrupt

    endless = SkipGramSettings(vector_size=8, epochs=100_000, min_count=1, sample=0)
    with pytest.raises(KeyboardInterrupt):
        train(source, tmp_path / "out", settings=endless, apart=True, on_progress=interrupt)
    assert not multiprocessing.active_children()


def test_a_disk_that_fills_while_tokenising_leaves_nothing_that_seems_whole(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"

    def full(*_: object) -> Any:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(out / "work" / "tokens.partial"))

    with monkeypatch.context() as patch:
        patch.setattr(corpus, "in_order", full)
        with pytest.raises(TrainingError, match=r"No space left.*Free some space"):
            train(source, out)
    assert not (out / "work" / "counts.tsv").exists()
    assert bl.load(train(source, out, replicates=1)).n_replicates == 1


def test_a_disk_that_fills_while_a_replicate_is_written_keeps_the_others(
    source: Path, trained: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = shutil.copytree(trained, tmp_path / "out")
    before = (out / "replicate-00.safetensors").stat().st_mtime_ns

    def full(*_: object) -> Any:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(bootstraps, "_run_here", full)
        with pytest.raises(TrainingError, match="No space left"):
            train(source, out, replicates=2)
    assert bl.load(out).n_replicates == 1
    train(source, out, replicates=2)
    assert bl.load(out).n_replicates == 2
    assert (out / "replicate-00.safetensors").stat().st_mtime_ns == before


LIMITED = """
import resource, sys
sys.dont_write_bytecode = True  # half of it would be written
from biaslab.cli import main

if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]), int(sys.argv[1])))
    raise SystemExit(main(sys.argv[2:]))
"""


@pytest.mark.parametrize(
    "limit",
    [
        pytest.param(4_000, id="tokens", marks=pytest.mark.validate),
        pytest.param(24_000, id="replicate"),
    ],
)
def test_files_that_the_system_refuses_end_in_a_message_and_the_rerun_completes(
    limit: int, tmp_path: Path
) -> None:
    """A limit on the size of files acts as a disk that is full, in all processes."""
    pytest.importorskip("resource")
    words = " ".join(f"word{chr(97 + i // 26)}{chr(97 + i % 26)}" for i in range(400))
    source, out = tmp_path / "corpus.txt", tmp_path / "out"
    source.write_text("\n".join([words.replace("word", "")] * 4))
    script = tmp_path / "limited.py"
    script.write_text(LIMITED)
    command = ["train", "bootstraps", "--corpus", str(source), "--output", str(out)]
    command += ["--replicates", "1", "--keep-count", "1", "--epochs", "1"]
    command += ["--processes", "1", "--min-count", "1"]
    done = subprocess.run(
        [sys.executable, str(script), str(limit), *command], capture_output=True, text=True
    )
    assert done.returncode == 1
    assert done.stderr.startswith("biaslab: ")
    assert "space" in done.stderr
    assert "Traceback" not in done.stderr
    assert not is_complete(out, 0)
    assert not (out / "ensemble.json").exists()
    with in_this_process():
        assert main(command) == 0
    assert bl.load(out).n_replicates == 1


def test_another_corpus_is_never_trained_from_what_an_older_one_left(
    trained: Path, tmp_path: Path
) -> None:
    other = write_corpus(tmp_path / "other.txt", lines=301)
    with pytest.raises(CorpusError, match="a corpus other than"):
        train(other, trained)


def test_other_words_or_another_method_are_refused(source: Path, trained: Path) -> None:
    with pytest.raises(CorpusError, match="words differ"):
        train(source, trained, frequent=4)
    pytest.importorskip("torch")
    with pytest.raises(CorpusError, match="method"):
        train(source, trained, settings=GloVeSettings(vector_size=8, epochs=1))
