"""Posteriors whose truth is known, without a sampler: exact draws by rejection from the prior."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

import biaslab as bl
from biaslab.records.provenance import Provenance
from biaslab.subjects.classifier.base import Classifier
from harness.heavy import integrate

if TYPE_CHECKING:
    import torch

LABELS = ("negative", "positive")


@dataclass(frozen=True)
class Drawn:
    """What the readings of a posterior need of it."""

    label: str
    draws: NDArray[np.floating]
    logit: NDArray[np.floating]
    provenance: Provenance
    labels: tuple[str, ...] = LABELS
    prior: Any = "standard"


class Logistic(Classifier):
    """p(positive | s) = expit(weight . s + bias)."""

    def __init__(
        self, weight: Sequence[float], bias: float = 0.0, words: bl.WordEmbedding | None = None
    ) -> None:
        super().__init__(labels=LABELS, dim=len(weight), name="logistic", words=words)
        self.weight, self.bias = np.asarray(weight, dtype=float), bias

    @property
    def content_hash(self) -> str:
        """Weights as text."""
        return f"{self.weight.tolist()} {self.bias}"

    def _logits(self, points: torch.Tensor) -> torch.Tensor:
        import torch

        value = points @ torch.as_tensor(self.weight, dtype=points.dtype) + self.bias
        return torch.stack([torch.zeros_like(value), value], dim=-1)

    def log_evidence_ratio(self) -> float:
        """Truth: log p(positive) - log p(negative) under the prior N(0, I), by quadrature."""
        length = float(np.linalg.norm(self.weight))

        def integrand(z: float) -> float:
            return float(special.expit(length * z + self.bias) * np.exp(-z * z / 2))

        value = integrate.quad(integrand, -40, 40)[0] / np.sqrt(2 * np.pi)
        return float(special.logit(value))


def posterior(
    classifier: Logistic, label: str, *, chains: int = 8, draws: int = 500, seed: int = 0
) -> Drawn:
    """Exact independent draws of p(s | label) under the prior N(0, I)."""
    rng = np.random.default_rng(seed)
    sign = 1.0 if label == "positive" else -1.0
    kept: list[NDArray[np.float64]] = []
    while sum(map(len, kept)) < chains * draws:
        s = rng.standard_normal((4 * chains * draws, classifier.dim))
        value = sign * (s @ classifier.weight + classifier.bias)
        kept.append(s[rng.random(len(s)) < special.expit(value)])
    s = np.concatenate(kept)[: chains * draws].reshape(chains, draws, -1)
    logit = sign * (s @ classifier.weight + classifier.bias)
    return of_draws(s, label, logit, classifier.content_hash)


def of_draws(
    draws: NDArray[np.floating],
    label: str = "positive",
    logit: NDArray[np.floating] | None = None,
    content_hash: str | None = None,
) -> Drawn:
    """Any draws as a posterior."""
    origin = Provenance(probe="sample_posterior", subject="logistic", subject_hash=content_hash)
    values = np.zeros(draws.shape[:2]) if logit is None else logit
    return Drawn(label, draws.astype(np.float32), values, origin)


def embedding(count: int = 40, dim: int = 6, seed: int = 3) -> bl.WordEmbedding:
    """Words w0, w1, ... with random vectors."""
    vectors = np.random.default_rng(seed).standard_normal((count, dim)).astype(np.float32)
    return bl.WordEmbedding([f"w{i}" for i in range(count)], vectors, name="random words")
