"""Replicates as tasks for any process: on this machine, or on a Dask cluster."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from biaslab.errors import MissingExtraError, TrainingError
from biaslab.probes.trace.block_counts import BlockCounts, block_repeats, generator
from biaslab.probes.trace.corpus import EncodedCorpus, read_prepared
from biaslab.probes.trace.counted import PPMISettings
from biaslab.subjects.embedding.ensemble import replicate_bytes
from biaslab_train.embeddings import glove
from biaslab_train.embeddings.cooccurrence import count
from biaslab_train.embeddings.glove import GloVeSettings
from biaslab_train.embeddings.methods import (
    PPMI_ROUNDS,
    SkipGramSettings,
    fit_ppmi,
    fit_skip_gram,
    line_repeats,
)

if TYPE_CHECKING:
    from distributed import Client


Settings: TypeAlias = SkipGramSettings | GloVeSettings | PPMISettings
"""Of any method."""


@dataclass(frozen=True)
class ReplicateTask:
    """Arguments of a process that trains a replicate; paths and no data.

    - `index`: number b of the replicate.
    - `seed`: of the run.
    - `settings`: what to train.
    - `work`: folder with the tokenised corpus and ``vocabulary.txt``; all processes see it.
    - `scratch`: folder for the replicate's temporary files; None for the system's.
    - `encoded`: the corpus as numbers, for GloVe and PPMI.
    - `device`: device of GloVe.
    - `memory`: bytes for counting, about.
    - `counted`: counts of the corpus's blocks, for PPMI.
    """

    index: int
    seed: int
    settings: Settings
    work: Path
    scratch: Path | None
    encoded: EncodedCorpus | None = None
    device: str = "cpu"
    memory: float = 2e9
    counted: BlockCounts | None = None

    @property
    def marker(self) -> Path:
        """File with the finished share of the replicate during training."""
        return self.work / f"progress-{self.index:02d}"

    def share_done(self) -> float:
        """Return the finished share in [0, 1), as last reported."""
        try:
            return float(self.marker.read_text() or 0)
        except (OSError, ValueError):
            return 0.0

    def tell(self, share: float) -> None:
        """Record the finished share; a worker may lack write access to the corpus folder."""
        with contextlib.suppress(OSError):
            self.marker.write_text(f"{share:.3f}")

    def forget(self) -> None:
        """Remove the record of `tell`."""
        with contextlib.suppress(OSError):
            self.marker.unlink(missing_ok=True)


def train(task: ReplicateTask) -> NDArray[np.float32]:
    """Train a replicate: vectors of shape (V, d) in the order of the vocabulary.

    A word that the resample lacks has a row of zeros.
    """
    if task.scratch:
        task.scratch.mkdir(parents=True, exist_ok=True)
    scratch = Path(tempfile.mkdtemp(prefix=scratch_prefix(task.index), dir=task.scratch))
    try:
        if isinstance(task.settings, GloVeSettings):
            return _train_glove(task, task.settings, scratch)
        if isinstance(task.settings, PPMISettings):
            return _train_ppmi(task, task.settings, scratch)
        return _train_skip_gram(task, task.settings, scratch)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
        task.forget()


def scratch_prefix(index: int) -> str:
    """Return the prefix of a replicate's temporary folders."""
    return f"replicate-{index:02d}-"


def _train_skip_gram(
    task: ReplicateTask, settings: SkipGramSettings, scratch: Path
) -> NDArray[np.float32]:
    vocabulary = (task.work / "vocabulary.txt").read_text(encoding="utf-8").split()
    return fit_skip_gram(
        read_prepared(task.work),
        vocabulary,
        settings,
        (task.seed, task.index),
        scratch,
        _tell_epochs(task, settings.epochs),
    )


def _train_glove(
    task: ReplicateTask, settings: GloVeSettings, scratch: Path
) -> NDArray[np.float32]:
    assert task.encoded is not None  # noqa: S101 (train_bootstraps gives it)
    order = task.encoded.read_order()
    repeats = line_repeats(len(task.encoded.read_lengths()), generator(task.seed, task.index))
    cooccurrences = count(task.encoded, repeats, settings.window, scratch, task.memory)
    by_rank = glove.fit(
        cooccurrences,
        settings,
        (task.seed, task.index),
        task.device,
        _tell_epochs(task, settings.epochs),
    )
    return _by_place(by_rank, order)


def _train_ppmi(task: ReplicateTask, settings: PPMISettings, scratch: Path) -> NDArray[np.float32]:
    assert task.encoded is not None and task.counted is not None  # noqa: PT018, S101
    by_rank = fit_ppmi(
        task.counted,
        block_repeats(task.counted.blocks, generator(task.seed, task.index)),
        settings,
        (task.seed, task.index),
        scratch,
        task.memory,
        _tell_epochs(task, PPMI_ROUNDS),
    )
    return _by_place(by_rank, task.encoded.read_order())


def _by_place(by_rank: NDArray[np.float32], order: NDArray[np.int64]) -> NDArray[np.float32]:
    """Rows in the order of the vocabulary."""
    vectors = np.empty_like(by_rank)
    vectors[order] = by_rank
    return vectors


def _tell_epochs(task: ReplicateTask, epochs: int) -> Callable[[int], None]:
    # Before the first epoch something is read and counted, after the last something is written.
    return lambda done: task.tell((done + 0.2) / (epochs + 0.5))


CONNECT_SECONDS = 10
RETRIES = 2
"""A replicate that fails is tried again: another machine may see the folder that one did not."""


def trained_bytes(task: ReplicateTask) -> bytes:
    """Train a replicate and return its file, which the caller writes."""
    return replicate_bytes(train(task))


def run_on_cluster(
    tasks: Sequence[ReplicateTask],
    scheduler: str,
    store: Callable[[int, bytes], None],
    on_change: Callable[[], None],
) -> None:
    """Train replicates on the workers of a cluster, storing each as it comes.

    - `tasks`: replicates to train.
    - `scheduler`: address, such as ``tcp://127.0.0.1:8786``.
    - `store`: takes a replicate's number and the content of its file.
    - `on_change`: called about once a second, and after each replicate.
    - Raises `TrainingError` when the scheduler does not answer, or a replicate failed on several
      workers.
    """
    import distributed

    with _connected(scheduler) as client:
        run = uuid4().hex[:8]
        pending = {
            client.submit(
                trained_bytes,
                task,
                key=f"biaslab-{run}-replicate-{task.index:02d}",
                retries=RETRIES,
                pure=False,
            ): task.index
            for task in tasks
        }
        while pending:
            try:
                finished, _ = distributed.wait(  # type: ignore[no-untyped-call]
                    list(pending), timeout=1.0, return_when="FIRST_COMPLETED"
                )
                for future in finished:
                    index = pending.pop(future)
                    store(index, future.result())
            except TimeoutError:
                pass
            except distributed.KilledWorker as error:
                raise TrainingError(
                    f"Replicate {index} killed {error.allowed_failures + 1} workers of the"
                    " cluster, most likely by running out of memory. Finished replicates are kept."
                    " Repeat the same command with larger workers."
                ) from error
            except CancelledError as error:
                raise _lost(scheduler) from error
            if client.status != "running":
                raise _lost(scheduler)
            on_change()


@contextmanager
def _connected(scheduler: str) -> Iterator[Client]:
    try:
        from distributed import Client
    except ModuleNotFoundError as error:
        raise MissingExtraError("--scheduler needs Dask: pip install 'biaslab[train]'.") from error
    try:
        client = Client(  # type: ignore[no-untyped-call]
            scheduler, timeout=CONNECT_SECONDS, set_as_default=False
        )
    except (OSError, ValueError) as error:
        raise TrainingError(
            f"No Dask scheduler answers at {scheduler}. Start one with `dask scheduler`, and "
            "workers with `dask worker ADDRESS --nthreads 1`; or leave out --scheduler to train on"
            " this machine."
        ) from error
    with client, client.as_current():
        try:
            client.wait_for_workers(1, timeout=CONNECT_SECONDS)
        except TimeoutError as error:
            raise TrainingError(
                f"The Dask scheduler at {scheduler} has no workers. Start one or more with "
                f"`dask worker {scheduler} --nthreads 1`."
            ) from error
        yield client


def _lost(scheduler: str) -> TrainingError:
    return TrainingError(
        f"The Dask scheduler at {scheduler} no longer answers. Finished replicates are kept."
        " Start the scheduler again and repeat the same command."
    )
