"""Settings of a training run of a small language model, besides its corpus."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from biaslab.errors import TrainingError
from biaslab.training.network_settings import check_rotary_heads, check_sizes

Kind = Literal["clm", "mlm"]
"""Causal (each token from those before it) or masked (hidden tokens from both sides)."""
KINDS: tuple[str, ...] = get_args(Kind)

LARGEST_VOCABULARY = 1 << 16
"""Tokens are stored in two bytes."""


@dataclass(frozen=True)
class LanguageModelSettings:
    """Settings of a language model; a run that continues must repeat them.

    Attributes
    ----------
    kind : {"clm", "mlm"}
        Causal or masked.
    vocabulary : int
        Tokens of the byte-level BPE vocabulary, special tokens counted; 300 to 65,536.
    layers, width, heads : int
        Transformer blocks, hidden size, attention heads; a head has an even share of the width.
    inner : int
        Size of the gated feed-forward layer.
    context : int
        Tokens of a training sequence, and the longest input of the trained model.
    batch : int
        Sequences of an optimiser step.
    seed : int
        Fixes the starting weights, the order of the text, the masks and the held-out articles.
    held_out : float
        Held-out share of articles, in (0, 0.5].
    mask_rate : float
        Share of tokens that a masked model must guess, in (0, 1).
    matrix_rate, vector_rate : float
        Learning rates: of the hidden weight matrices (Muon), and of embeddings and norms (AdamW).

    Raises
    ------
    TrainingError
        If a setting is out of its range.
    """

    kind: str = "clm"
    vocabulary: int = 8000
    layers: int = 4
    width: int = 256
    heads: int = 4
    inner: int = 512
    context: int = 128
    batch: int = 64
    seed: int = 1
    held_out: float = 0.01
    mask_rate: float = 0.25
    matrix_rate: float = 0.01
    vector_rate: float = 0.003

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise TrainingError(f"There is no kind {self.kind!r}. Use one of: {', '.join(KINDS)}.")
        if not 300 <= self.vocabulary <= LARGEST_VOCABULARY:
            raise TrainingError(
                f"A vocabulary of {self.vocabulary:,} is not possible. Use 300 to "
                f"{LARGEST_VOCABULARY:,} tokens: 256 are the single bytes."
            )
        check_sizes(self, "layers", "width", "heads", "inner", "batch")
        check_rotary_heads(self.width, self.heads)
        if self.context < 8:
            raise TrainingError(f"A context of {self.context} tokens is too short. Use 8 or more.")
        for name, most in (("held_out", 0.5), ("mask_rate", 0.9)):
            if not 0 < getattr(self, name) <= most:
                raise TrainingError(
                    f"{name} is {getattr(self, name)}. Use a number above 0, at most {most}."
                )


@dataclass(frozen=True)
class Budget:
    """Length of training: either tokens, or hours of training time.

    A run with ``tokens`` is the same wherever it is interrupted; with ``hours`` it depends on the
    machine's pace.
    """

    tokens: int | None = None
    hours: float | None = None

    def __post_init__(self) -> None:
        if (self.tokens is None) == (self.hours is None):
            raise TrainingError("Give either --tokens or --hours, and not both.")
        if (self.tokens if self.tokens is not None else self.hours or 0) <= 0:
            raise TrainingError(
                "The budget must be above zero. Give a positive --tokens or --hours."
            )

    def share(self, tokens: int, seconds: float) -> float:
        """Return the used share of the budget: 0 at the start, 1 or more when it is spent."""
        if self.tokens is not None:
            return tokens / self.tokens
        assert self.hours is not None  # noqa: S101  # __post_init__ has seen to it
        return seconds / (3600 * self.hours)


WARM_UP_TOKENS = 1_000_000
DECAY_SHARE = 0.3


def rate_factor(tokens: int, share: float) -> float:
    """Return the factor of both learning rates, in [0, 1].

    Rises over the first million tokens (or tenth of the budget, if that is less), stays, and falls
    in a line to zero over the last 30 % of the budget. Because it stays level in between, a run can
    be given more at any time: it continues with a larger budget as if that had been the first.

    Parameters
    ----------
    tokens : int
        Tokens seen.
    share : float
        Share of the budget used.
    """
    tenth = share / 0.1
    rise = min(1.0, max(tokens / WARM_UP_TOKENS, tenth))
    fall = min(1.0, max(0.0, 1 - share) / DECAY_SHARE)
    return min(rise, fall)
