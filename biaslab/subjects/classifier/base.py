"""Classifiers: subjects that give the probability of a label at a stimulus."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from biaslab.errors import MissingExtraError, SubjectError
from biaslab.records.calls import Reopened

if TYPE_CHECKING:
    import torch

    from biaslab.subjects.embedding.word_embedding import WordEmbedding

#: Start of the note on a classifier with constant answers.
CONSTANT_NOTE = "The answer is the same"
#: Range of probabilities that counts as constant; float32 resolves 6e-8.
_CONSTANT = 1e-6
_TRIED = 64
#: Points that an error message lists at most.
_LISTED = 5


@dataclass(frozen=True, eq=False)
class StimulusMoments:
    """Mean and covariance of the stimuli that a classifier was trained on.

    Attributes
    ----------
    mean : ndarray, shape (d,)
        float64.
    covariance : ndarray, shape (d, d)
        float64, with n - 1 in the denominator.
    n : int
        Number of stimuli behind them.
    """

    mean: NDArray[np.float64]
    covariance: NDArray[np.float64]
    n: int

    @classmethod
    def of(cls, points: NDArray[np.floating]) -> StimulusMoments:
        """Return the moments of points, shape (n, d) with n >= 2.

        Raises
        ------
        SubjectError
            When there are fewer than two points, or some are not finite.
        """
        x = np.asarray(points, dtype=np.float64)
        if x.ndim != 2 or len(x) < 2:
            raise SubjectError(
                f"Moments need at least two points as an (n, d) array, not the shape {x.shape}."
            )
        if not np.isfinite(x).all():
            raise SubjectError("Some points are NaN or infinite. Leave them out first.")
        return cls(x.mean(axis=0), np.atleast_2d(np.cov(x, rowvar=False)), len(x))


class Classifier(Reopened):
    """p(label | s) over a space of d dimensions.

    Liang and Acuna (2020) write p(+ | s) for a positive label (section 3.2). A kind of classifier
    implements `_logits` and `content_hash`; everything else is here.

    Parameters
    ----------
    labels : sequence of str
        K >= 2 distinct labels.
    dim : int
        Number d of dimensions.
    name : str
        Name shown to the person.
    about : str
        One-line description of the classifier.
    notes : iterable of str
        Remarks for the user.
    words : WordEmbedding, optional
        Words that lie in the space of the stimuli.
    stimuli : StimulusMoments, optional
        Moments of the stimuli that it was trained on.
    device : str
        Device of the computation, such as "cpu" or "cuda:0".
    dtype : {"float32", "float64"}
        Floating-point type of the computation.

    Raises
    ------
    SubjectError
        When there are fewer than two labels, a label occurs twice, or words or moments have
        another number of dimensions.
    MissingExtraError
        When torch is not installed.
    """

    kind = "classifier"

    def __init__(
        self,
        *,
        labels: Sequence[str],
        dim: int,
        name: str = "classifier",
        about: str = "",
        notes: Iterable[str] = (),
        words: WordEmbedding | None = None,
        stimuli: StimulusMoments | None = None,
        device: str = "cpu",
        dtype: str = "float32",
    ) -> None:
        if importlib.util.find_spec("torch") is None:
            raise MissingExtraError(
                "A classifier needs torch: pip install 'biaslab[lm]' or 'biaslab[bayes]'."
            )
        if isinstance(labels, str) or len(set(labels)) != len(labels) or len(labels) < 2:
            raise SubjectError(
                f"labels={labels!r}: give at least two labels, each once, such as"
                " ['negative', 'positive']."
            )
        if dim < 1:
            raise SubjectError(f"dim={dim}: the stimulus space needs at least one dimension.")
        if dtype not in ("float32", "float64"):
            raise SubjectError(f"dtype={dtype!r}: choose 'float32' or 'float64'.")
        if words is not None and words.dim != dim:
            raise SubjectError(f"The words have {words.dim} dimensions, the classifier has {dim}.")
        if stimuli is not None and stimuli.covariance.shape != (dim, dim):
            raise SubjectError(
                f"The moments have {len(stimuli.mean)} dimensions, the classifier has {dim}."
            )
        self.labels = tuple(labels)
        self.dim = int(dim)
        self.name = name
        self.about = about
        self.notes = tuple(notes)
        self.device = device
        self._dtype = dtype
        self._words = words
        self._stimuli = stimuli

    @property
    def dtype(self) -> torch.dtype:
        """Floating-point type of the computation."""
        import torch

        return torch.float64 if self._dtype == "float64" else torch.float32

    @property
    def words(self) -> WordEmbedding | None:
        """Words in the stimulus space, one replicate; None if there are none."""
        return self._words

    @property
    def stimuli(self) -> StimulusMoments | None:
        """Moments of the stimuli of its training; None if unknown."""
        return self._stimuli

    @property
    def content_hash(self) -> str:
        """SHA-256 of everything that its answers depend on, hexadecimal."""
        raise NotImplementedError

    def _logits(self, points: torch.Tensor) -> torch.Tensor:
        """Return unnormalised log probabilities (n, K) at points (n, d)."""
        raise NotImplementedError

    def __repr__(self) -> str:
        """One line: name, labels, size and where it runs."""
        return (
            f"<{type(self).__name__} {self.name!r}: {', '.join(self.labels)}"
            f" over {self.dim} dimensions, on {self.device}>"
        )

    def label_index(self, label: str) -> int:
        """Return the index of a label, as written or, if unambiguous, in another case.

        Raises
        ------
        SubjectError
            Lists the available labels.
        """
        if label in self.labels:
            return self.labels.index(label)
        alike = [k for k, each in enumerate(self.labels) if each.lower() == str(label).lower()]
        if len(alike) != 1:
            raise SubjectError(
                f"{self.name} has no label {label!r}. Choose one of: {', '.join(self.labels)}."
            )
        return alike[0]

    def log_probabilities(self, points: torch.Tensor) -> torch.Tensor:
        """Log p(label | s) for every label: points (..., d) -> (..., K), differentiable.

        Finite also where a probability underflows. At a point that is not finite itself, as a
        sampler's diverging path can reach, every label has log probability -inf.

        Raises
        ------
        SubjectError
            When points have another number of dimensions, or the classifier answers NaN or
            infinity at a finite point: names such points.
        """
        import torch

        s = torch.as_tensor(points).to(device=self.device, dtype=self.dtype)
        if s.ndim == 0 or s.shape[-1] != self.dim:
            raise SubjectError(
                f"Points of shape {tuple(s.shape)} do not fit {self.name}: the last axis must be"
                f" of its {self.dim} dimensions."
            )
        flat = s.reshape(-1, self.dim)
        logits = self._logits(flat)
        if logits.shape != (len(flat), len(self.labels)):
            raise SubjectError(
                f"{self.name} answers {len(flat)} points with the shape {tuple(logits.shape)}:"
                f" ({len(flat)}, {len(self.labels)}) was expected, one logit per label."
            )
        log_p = torch.log_softmax(logits, dim=-1)
        # Not finite where any of them is not; an overflow of the sum alone changes nothing.
        if not bool(torch.isfinite(flat.detach().sum() + log_p.detach().sum())):
            log_p = self._without_the_unreachable(flat, log_p)
        return log_p.reshape(*s.shape[:-1], len(self.labels))

    def log_probability(self, points: torch.Tensor, label: str) -> torch.Tensor:
        """Log p(label | s): points (..., d) -> (...), as `log_probabilities`."""
        place = self.label_index(label)
        return self.log_probabilities(points)[..., place]

    def logit(self, points: torch.Tensor, label: str) -> torch.Tensor:
        """Log p(label | s) - log(1 - p(label | s)) at points (..., d)."""
        import torch

        place = self.label_index(label)
        log_p = self.log_probabilities(points)
        others = [k for k in range(len(self.labels)) if k != place]
        return log_p[..., place] - torch.logsumexp(log_p[..., others], dim=-1)

    def probabilities(self, points: NDArray[np.floating]) -> NDArray[np.float64]:
        """Return p(label | s) for every label as numbers: points (..., d) -> (..., K)."""
        import torch

        with torch.no_grad():
            log_p = self.log_probabilities(torch.as_tensor(np.asarray(points)))
        values: NDArray[np.float64] = np.exp(log_p.cpu().numpy().astype(np.float64))
        return values

    def _try_out(self) -> None:
        """Classify trial points: invalid output raises now, constant output adds a note."""
        p = self.probabilities(self._trial_points())
        if float(np.ptp(p, axis=0).max()) < _CONSTANT:
            shown = ", ".join(
                f"{label} {value:.3g}" for label, value in zip(self.labels, p[0], strict=True)
            )
            note = (
                f"{CONSTANT_NOTE} at each of {len(p)} points tried ({shown}): it does not"
                " distinguish stimuli, so its posterior is the prior."
            )
            self.notes += (note,)

    def _trial_points(self) -> NDArray[np.float64]:
        """Return trial points (n, d): standard normal, and around the stimuli if known."""
        rng = np.random.default_rng(0)
        points = rng.standard_normal((_TRIED, self.dim))
        if self.stimuli is None:
            return points
        spread = np.sqrt(np.clip(np.diag(self.stimuli.covariance), 0, None))
        return np.concatenate([points, self.stimuli.mean + spread * points])

    def _without_the_unreachable(self, flat: torch.Tensor, log_p: torch.Tensor) -> torch.Tensor:
        import torch

        reachable = torch.isfinite(flat).all(dim=-1)
        wrong = reachable & ~torch.isfinite(log_p).all(dim=-1)
        if bool(wrong.any()):
            rows = torch.nonzero(wrong)[:, 0].tolist()
            shown = ", ".join(
                f"point {row} ({', '.join(f'{x:.3g}' for x in flat[row, :4].tolist())}"
                f"{', ...' if self.dim > 4 else ''})"
                for row in rows[:_LISTED]
            )
            more = f" and {len(rows) - _LISTED} more" if len(rows) > _LISTED else ""
            raise SubjectError(
                f"{self.name} answers NaN or infinity at {len(rows)} of {len(flat)} points:"
                f" {shown}{more}. Fix the model there, or avoid these points with a narrower prior."
            )
        return torch.where(reachable[:, None], log_p, torch.full_like(log_p, -torch.inf))
