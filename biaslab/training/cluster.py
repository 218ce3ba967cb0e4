"""Train replicates on a Dask cluster, with retries elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager
from typing import TYPE_CHECKING
from uuid import uuid4

from biaslab.errors import MissingExtraError, TrainingError
from biaslab.subjects.embedding.ensemble import replicate_bytes
from biaslab.training.replicate import ReplicateTask, train

if TYPE_CHECKING:
    from distributed import Client

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

    Parameters
    ----------
    tasks : sequence of ReplicateTask
        Replicates to train.
    scheduler : str
        Address, such as ``tcp://127.0.0.1:8786``.
    store : callable
        Takes a replicate's number and the content of its file.
    on_change : callable
        Called about once a second, and after each replicate.

    Raises
    ------
    TrainingError
        When the scheduler does not answer, or a replicate failed on several workers.
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
