"""Network of a sentiment classifier: averaged vectors, one hidden layer."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import functional

from biaslab.errors import TrainingError
from biaslab.subjects.classifier.sentiment import mean_rows
from biaslab_train.settings import SentimentSettings

#: Reviews that are scored at once.
_AT_ONCE = 1000
#: How slowly Adam forgets gradients and their squares.
_MEMORY, _SQUARES = 0.9, 0.99


@dataclass(frozen=True, eq=False)
class Documents:
    """Labelled reviews as rows of word vectors, each with at least one.

    - `rows`, ndarray of int64, shape (N,): rows of all documents, one after the other.
    - `starts`, ndarray of int64, shape (n + 1,): document i has ``rows[starts[i]:starts[i + 1]]``.
    - `labels`, ndarray of float32, shape (n,): 1 for a positive review, 0 for a negative one.
    """

    rows: NDArray[np.int64]
    starts: NDArray[np.int64]
    labels: NDArray[np.float32]

    def __len__(self) -> int:
        """Number of documents."""
        return len(self.labels)

    def row_lists(self, which: Iterable[int]) -> list[NDArray[np.int64]]:
        """Return rows of the selected documents, each as an array."""
        return [self.rows[self.starts[i] : self.starts[i + 1]] for i in which]


@dataclass(frozen=True, eq=False)
class Fitted:
    """A trained network and its word vectors.

    - `vectors`: ndarray of float32, shape (V, d).
    - `layers`: shapes (hidden, d), (hidden,) and (2, hidden), (2,): log odds of the labels up to a
      constant.
    - `epoch`: the pass that was best on the held-out reviews, from 1.
    """

    vectors: NDArray[np.float32]
    layers: list[tuple[NDArray[np.float32], NDArray[np.float32]]]
    epoch: int

    def logits(self, documents: Documents, which: NDArray[np.integer]) -> NDArray[np.float64]:
        """Log odds of "positive" of the chosen documents, shape (n,)."""
        points = mean_rows(self.vectors, documents.row_lists(which))
        (w, b), (v, c) = self.layers
        out: NDArray[np.float64] = np.tanh(points @ w.T + b) @ (v[1] - v[0]) + (c[1] - c[0])
        return out.astype(np.float64)


def fit_network(
    documents: Documents,
    which: NDArray[np.integer],
    vectors: NDArray[np.float32],
    settings: SentimentSettings,
    seed: int,
    *,
    device: str = "cpu",
    on_epoch: Callable[[int], None] = lambda _: None,
) -> Fitted:
    """Train a network on labelled documents, and the word vectors if tuned.

    One thread on the CPU and a generator of its own: the same seed gives the same numbers on the
    same machine and package versions.

    - `documents`: all documents.
    - `which`: the ones to train on, of both labels.
    - `vectors`, ndarray, shape (V, d): starting vectors; unchanged.
    - `settings`: documents to train on.
    - `seed`: of starting weights, order and dropout.
    - `device`: device.
    - `on_epoch`: called with the number of passes done.
    """
    threads = torch.get_num_threads()
    cuda = [torch.device(device)] if torch.device(device).type == "cuda" else []
    try:
        torch.set_num_threads(1)
        with torch.random.fork_rng(devices=cuda):
            torch.manual_seed(seed)
            return _Run(documents, which, vectors, settings, seed, device).fit(on_epoch)
    finally:
        torch.set_num_threads(threads)


class _Run:
    """One training."""

    def __init__(
        self,
        documents: Documents,
        which: NDArray[np.integer],
        vectors: NDArray[np.float32],
        settings: SentimentSettings,
        seed: int,
        device: str,
    ) -> None:
        self.documents, self.settings, self.device = documents, settings, device
        self.random = np.random.default_rng(seed)
        self.train, self.held_out = self._split(np.sort(np.asarray(which)))
        d = vectors.shape[1]
        self.vectors = torch.tensor(vectors, device=device, requires_grad=settings.tuned)
        self.center, self.spread = torch.zeros(d), torch.ones(d)
        self.points: torch.Tensor | None = None
        if not settings.tuned:
            lists = documents.row_lists(range(len(documents)))
            every = mean_rows(vectors, lists)
            points = every[self.train]
            if not settings.word_dropout:  # then they are the same in every pass
                self.points = torch.as_tensor(every, device=device)
            self.center = torch.as_tensor(points.mean(axis=0))
            self.spread = torch.as_tensor(points.std(axis=0).clip(1e-6))
        self.center, self.spread = self.center.to(device), self.spread.to(device)
        self.network = torch.nn.Sequential(
            torch.nn.Linear(d, settings.hidden),
            torch.nn.Tanh(),
            torch.nn.Dropout(settings.dropout),
            torch.nn.Linear(settings.hidden, 1),
        ).to(device)

    def _split(self, which: NDArray[np.integer]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Split documents for training and for early stopping: neighbours of each label.

        Neighbours, as reviews of one film are adjacent: knowledge of a film's names must
        not decide how long to train.
        """
        held = []
        for label in (0, 1):
            rows = which[self.documents.labels[which] == label]
            size = round(self.settings.held_out * len(rows))
            first = self.random.integers(len(rows) - size + 1)
            held.append(rows[first : first + size])
        chosen = np.concatenate(held)
        return np.setdiff1d(which, chosen), chosen

    def fit(self, on_epoch: Callable[[int], None]) -> Fitted:
        s = self.settings
        network_steps = torch.optim.Adam(self.network.parameters(), lr=s.rate)
        vector_steps = _VectorSteps(self.vectors, s.own_steps)
        per_epoch = math.ceil(len(self.train) / s.batch)
        step, best, best_state = 0, math.inf, self._state(0)
        for epoch in range(1, s.epochs + 1):
            order = self.random.permutation(self.train)
            self.network.train()
            for first in range(0, len(order), s.batch):
                left = 1 - step / (per_epoch * s.epochs)
                step += 1
                chosen = order[first : first + s.batch]
                logits = self._logits(chosen, s.word_dropout)
                truth = torch.as_tensor(self.documents.labels[chosen], device=self.device)
                loss = functional.binary_cross_entropy_with_logits(logits, truth)
                network_steps.zero_grad()
                self.vectors.grad = None
                loss.backward()  # type: ignore[no-untyped-call]
                network_steps.param_groups[0]["lr"] = s.rate * left
                network_steps.step()
                if s.tuned:
                    vector_steps.step(s.vector_rate * left)
            held = self._held_out_loss()
            if held < best or not len(self.held_out):
                best, best_state = held, self._state(epoch)
            on_epoch(epoch)
        if not best_state[2]:
            raise TrainingError(
                "The network did not learn: its loss was not a number after any pass. Lower the"
                " learning rates, or look for damaged reviews."
            )
        return self._fitted(*best_state)

    def _logits(self, which: NDArray[np.integer], word_dropout: float) -> torch.Tensor:
        points = self._averages(which, word_dropout) if self.points is None else self.points[which]
        logits: torch.Tensor = self.network((points - self.center) / self.spread)[:, 0]
        return logits

    def _averages(self, which: NDArray[np.integer], word_dropout: float) -> torch.Tensor:
        lists = self.documents.row_lists(which)
        lengths = torch.as_tensor([len(each) for each in lists], device=self.device)
        rows = torch.as_tensor(np.concatenate(lists), device=self.device)
        weights = torch.ones(len(rows), device=self.device)
        if word_dropout:
            weights = (torch.rand(len(rows), device=self.device) >= word_dropout).float()
        owner = torch.repeat_interleave(torch.arange(len(lists), device=self.device), lengths)
        totals = torch.zeros(len(lists), device=self.device).index_add_(0, owner, weights)
        # A review that lost all its words is at the origin for this step.
        weights = weights / totals.clamp_min(1)[owner]
        return functional.embedding_bag(
            rows, self.vectors, lengths.cumsum(0) - lengths, mode="sum", per_sample_weights=weights
        )

    def _held_out_loss(self) -> float:
        if not len(self.held_out):
            return math.nan
        self.network.eval()
        total = 0.0
        with torch.no_grad():
            for first in range(0, len(self.held_out), _AT_ONCE):
                chosen = self.held_out[first : first + _AT_ONCE]
                truth = torch.as_tensor(self.documents.labels[chosen], device=self.device)
                total += float(
                    functional.binary_cross_entropy_with_logits(
                        self._logits(chosen, 0.0), truth, reduction="sum"
                    )
                )
        return total / len(self.held_out)

    def _state(self, epoch: int) -> tuple[torch.Tensor, dict[str, Any], int]:
        vectors = self.vectors.detach()
        stored = vectors.clone() if self.settings.tuned else vectors
        return stored, copy.deepcopy(self.network.state_dict()), epoch

    def _fitted(self, vectors: torch.Tensor, state: dict[str, Any], epoch: int) -> Fitted:
        numbers = {key: value.cpu().numpy() for key, value in state.items()}
        center, spread = self.center.cpu().numpy(), self.spread.cpu().numpy()
        # Standardisation is merged into the first layer.
        w = numbers["0.weight"] / spread
        b = numbers["0.bias"] - w @ center
        half, bias = numbers["3.weight"] / 2, numbers["3.bias"] / 2
        last = np.concatenate([-half, half]), np.concatenate([-bias, bias])
        return Fitted(vectors.cpu().numpy(), [(w, b), last], epoch)


class _VectorSteps:
    """Adam with steps scaled by a power of a word's own gradients."""

    def __init__(self, vectors: torch.Tensor, rate: float) -> None:
        self.vectors, self.rate = vectors, rate
        self.mean = torch.zeros_like(vectors)
        self.square = torch.zeros(len(vectors), 1, device=vectors.device)
        self.steps = 0

    @torch.no_grad()
    def step(self, rate: float) -> None:
        gradient = self.vectors.grad
        assert gradient is not None  # noqa: S101  # backward was called
        self.steps += 1
        self.mean.mul_(_MEMORY).add_(gradient, alpha=1 - _MEMORY)
        each = gradient.square().mean(dim=1, keepdim=True)
        self.square.mul_(_SQUARES).add_(each, alpha=1 - _SQUARES)
        square = self.square / (1 - _SQUARES**self.steps)
        together = square.mean().clamp_min(1e-20)
        # A word that never occurred has no gradients to scale by.
        size = (square / together + 1e-4).sqrt().pow(self.rate) * together.sqrt()
        self.vectors.addcdiv_(self.mean, size, value=-rate / (1 - _MEMORY**self.steps))
