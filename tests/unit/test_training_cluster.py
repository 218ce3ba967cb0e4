"""Replicates on a real Dask cluster on this machine, and what happens when parts of it die."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import biaslab as bl
from biaslab.errors import TrainingError
from biaslab.probes.trace.counted import PPMISettings
from biaslab.subjects.embedding.ensemble import is_complete
from biaslab_train.embeddings.bootstraps import Progress
from biaslab_train.embeddings.glove import GloVeSettings
from biaslab_train.embeddings.methods import SkipGramSettings
from biaslab_train.embeddings.replicates import Settings
from harness.corpora import train, write_corpus
from harness.heavy import distributed
from harness.needs import needs

pytestmark = needs("distributed", "gensim")


SKIP_GRAM = SkipGramSettings(vector_size=8, epochs=40, min_count=1, sample=0)
GLOVE = GloVeSettings(vector_size=8, window=4, epochs=200)
PPMI = PPMISettings(vector_size=4, window=4, blocks=20)


@pytest.fixture(params=[2])
def cluster(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[distributed.LocalCluster]:
    with distributed.LocalCluster(
        n_workers=request.param,
        threads_per_worker=1,
        processes=True,
        host="127.0.0.1",
        dashboard_address=None,
        local_directory=str(tmp_path / "dask"),
    ) as cluster:
        yield cluster


@pytest.mark.validate
@pytest.mark.parametrize("settings", [SKIP_GRAM, GLOVE], ids=["skip-gram", "glove"])
def test_with_a_worker_killed_in_the_middle_all_replicates_are_those_of_a_local_run(
    settings: Settings, cluster: distributed.LocalCluster, tmp_path: Path
) -> None:
    corpus = write_corpus(tmp_path / "corpus.txt", lines=6_000)
    out = tmp_path / "cluster"
    killed: list[int] = []

    def kill_once_one_is_in_the_middle(_: Progress) -> None:
        begun = [
            i
            for i in range(4)
            if (out / "work" / f"progress-{i:02d}").exists() and not is_complete(out, i)
        ]
        if killed or not begun:
            return
        with distributed.Client(cluster.scheduler_address, set_as_default=False) as client:
            name = f"replicate-{begun[0]:02d}"
            busy = [
                worker
                for worker, keys in client.processing().items()
                if any(name in str(key) for key in keys)
            ]
            if busy:
                pids = client.run(os.getpid, workers=busy)
                os.kill(pids[busy[0]], signal.SIGKILL)
                killed.append(begun[0])

    options: dict[str, Any] = {"replicates": 4, "settings": settings}
    address = cluster.scheduler_address
    train(corpus, out, scheduler=address, on_progress=kill_once_one_is_in_the_middle, **options)
    assert killed
    here = train(corpus, tmp_path / "here", **options)
    for index in range(4):
        name = f"replicate-{index:02d}.safetensors"
        assert (out / name).read_bytes() == (here / name).read_bytes()
    assert bl.load(out).n_replicates == 4


@pytest.mark.parametrize("cluster", [1], indirect=True)
def test_replicates_from_counts_of_blocks_are_those_of_a_local_run(
    cluster: distributed.LocalCluster, tmp_path: Path
) -> None:
    corpus = write_corpus(tmp_path / "corpus.txt")
    out = train(corpus, tmp_path / "out", settings=PPMI, scheduler=cluster.scheduler_address)
    here = train(corpus, tmp_path / "here", settings=PPMI)
    for index in range(2):
        name = f"replicate-{index:02d}.safetensors"
        assert (out / name).read_bytes() == (here / name).read_bytes()


def test_a_scheduler_that_is_not_there_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("biaslab_train.embeddings.replicates.CONNECT_SECONDS", 0.2)
    corpus = write_corpus(tmp_path / "corpus.txt")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{free.getsockname()[1]}"
        with pytest.raises(TrainingError, match="dask scheduler"):
            train(corpus, tmp_path / "out", scheduler=address)


@pytest.mark.validate
def test_a_cluster_that_goes_away_is_told_and_the_rest_is_made_here(
    cluster: distributed.LocalCluster, tmp_path: Path
) -> None:
    corpus = write_corpus(tmp_path / "corpus.txt", lines=6_000)
    out = tmp_path / "out"

    def close_after_one(progress: Progress) -> None:
        if 0 < progress.done < 4:
            cluster.close()

    options: dict[str, Any] = {"replicates": 4, "settings": SKIP_GRAM}
    with pytest.raises(TrainingError, match="no longer answers"):
        train(
            corpus, out, scheduler=cluster.scheduler_address, on_progress=close_after_one, **options
        )
    kept = [i for i in range(4) if is_complete(out, i)]
    assert 0 < len(kept) < 4
    train(corpus, out, **options)
    assert bl.load(out).n_replicates == 4
