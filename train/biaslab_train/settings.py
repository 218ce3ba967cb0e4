"""Settings of the networks that are trained, with their checks and learning rates."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, replace
from typing import Any, Final, Literal, get_args

from biaslab.errors import TrainingError

_WARM_UP_SHARE: Final = 0.03


def check_sizes(settings: object, *names: str) -> None:
    """Check that settings of these names are 1 or more.

    Raises
    ------
    TrainingError
        If one is not.
    """
    for name in names:
        if getattr(settings, name) < 1:
            raise TrainingError(f"{name} is {getattr(settings, name)}. Use 1 or more.")


def check_rotary_heads(width: int, heads: int) -> None:
    """Check that heads share a width, each with an even part, as rotary positions need.

    Raises
    ------
    TrainingError
        If they cannot.
    """
    if width % (2 * heads):
        raise TrainingError(
            f"A width of {width} cannot be shared by {heads} heads. Use a width that is a multiple"
            " of twice the heads."
        )


def rate_factor_of_share(share: float, decay_share: float) -> float:
    """Return the factor of learning rates: rises, stays level, falls linearly to zero.

    Parameters
    ----------
    share : float
        Used share of the budget, in [0, 1].
    decay_share : float
        Last share of the budget, over which the factor falls.
    """
    return min(1.0, (share + 1e-3) / _WARM_UP_SHARE, max(0.0, 1 - share) / decay_share)


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
class Hours:
    """A budget of training time, over all starts; what comes out depends on the machine's pace."""

    hours: float


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


@dataclass(frozen=True)
class ClerkSettings:
    """Settings of a small model that answers decisions; a run that continues must repeat them.

    Attributes
    ----------
    layers, width, heads, inner : int
        Transformer blocks, hidden size, attention heads, size of the gated feed-forward layer.
    context : int
        Longest input of the trained model, in tokens.
    batch : int
        Questions of an optimiser step.
    seed : int
        Fixes the starting weights and the questions.
    matrix_rate, vector_rate : float
        Learning rates: of the hidden weight matrices (Muon), and of embeddings and norms (AdamW).

    Raises
    ------
    TrainingError
        If a setting is out of its range.
    """

    layers: int = 2
    width: int = 80
    heads: int = 4
    inner: int = 160
    context: int = 160
    batch: int = 128
    seed: int = 1
    matrix_rate: float = 0.01
    vector_rate: float = 0.003

    def __post_init__(self) -> None:
        check_sizes(self, "layers", "width", "heads", "inner", "batch")
        check_rotary_heads(self.width, self.heads)
        if self.context < 16:
            raise TrainingError(f"A context of {self.context} tokens is too short. Use 16 or more.")


@dataclass(frozen=True)
class PortraitClipSettings:
    """Settings of a small CLIP model; a run that continues must repeat them.

    Attributes
    ----------
    pool : int
        Different portraits that are drawn for training.
    image, patch : int
        Width and height of the network's pictures, and of the squares that it cuts them into, in
        pixels.
    layers, width, heads, inner : int
        Of the network that sees.
    text_layers, text_width, text_heads, text_inner : int
        Of the network that reads.
    joint : int
        Dimensions of the space that both meet in.
    batch, rounds : int
        Portraits of an optimiser step, and captions that each gets in it.
    seed : int
        Fixes portraits, captions and starting weights.
    matrix_rate, vector_rate : float
        Learning rates: of the hidden weight matrices (Muon), and of the rest (AdamW).

    Raises
    ------
    TrainingError
        If a setting is out of its range.
    """

    pool: int = 12_000
    image: int = 64
    patch: int = 16
    layers: int = 4
    width: int = 128
    heads: int = 4
    inner: int = 384
    text_layers: int = 2
    text_width: int = 64
    text_heads: int = 4
    text_inner: int = 128
    joint: int = 96
    batch: int = 192
    rounds: int = 4
    seed: int = 1
    matrix_rate: float = 0.01
    vector_rate: float = 0.002

    def __post_init__(self) -> None:
        check_sizes(
            self, "pool", "layers", "heads", "inner", "text_layers", "text_heads", "joint", "rounds"
        )
        if self.batch < 2:
            raise TrainingError(
                f"A batch of {self.batch} has nothing to compare with. Use 2 or more."
            )
        if not 16 <= self.image <= 512 or self.image % self.patch:
            raise TrainingError(
                f"Images of {self.image} pixels cannot be divided into patches of {self.patch}."
                " Use 16 to 512 pixels, a multiple of the patch size."
            )
        for width, heads in ((self.width, self.heads), (self.text_width, self.text_heads)):
            if width % heads:
                raise TrainingError(
                    f"A width of {width} cannot be shared by {heads} heads. Use a multiple."
                )


@dataclass(frozen=True)
class PortraitChatSettings:
    """Settings of a small LLaVA model; a run that continues must repeat them.

    Attributes
    ----------
    pool : int
        Different portraits that are drawn for training.
    layers, width, heads, inner : int
        Of the language model. The image encoder is portrait-clip's, unchanged.
    batch : int
        Questions of an optimiser step.
    seed : int
        Fixes portraits, questions and starting weights.
    position : float
        Planted log-odds of the option listed first against the one listed last; the options
        between them lie evenly between. 0 plants no position bias.
    other : float
        Planted probability of no letter at all, in [0, 0.5].
    matrix_rate, vector_rate : float
        Learning rates: of the hidden weight matrices (Muon), and of the rest (AdamW).

    Raises
    ------
    TrainingError
        If a setting is out of its range.
    """

    pool: int = 4_000
    layers: int = 3
    width: int = 96
    heads: int = 4
    inner: int = 224
    batch: int = 64
    seed: int = 1
    position: float = 0.6
    other: float = 0.04
    matrix_rate: float = 0.01
    vector_rate: float = 0.003

    def __post_init__(self) -> None:
        check_sizes(self, "pool", "layers", "heads", "inner", "batch")
        check_rotary_heads(self.width, self.heads)
        if not math.isfinite(self.position):
            raise TrainingError(f"position is {self.position}. Use a number; 0 plants none.")
        if not 0 <= self.other <= 0.5:
            raise TrainingError(f"other is {self.other}. Use a probability from 0 to 0.5.")


Text = Literal["labelled", "unlabelled", "all"]


@dataclass(frozen=True)
class SentimentSettings:
    """Settings of a sentiment classifier: its word vectors, then its network.

    Attributes
    ----------
    recipe : str
        Name under which these settings are known; see `RECIPES`.
    vector_size, window, negative, sample, skip_gram_epochs : int or float
        Of the skip-gram vectors; the names but the last are gensim's.
    min_count : int
        A word rarer than this in the text of the vectors has none.
    max_words : int
        Largest number of most frequent words.
    text : {"labelled", "unlabelled", "all"}
        Texts for training the vectors, always without labels: the labelled training reviews; also
        the unlabelled ones if there are any; also the text of the test reviews.
    tuned : bool
        Whether the vectors are trained further together with the network, from labels.
    own_steps : float
        Of tuned vectors, 0 to 1: how far the size of a word's steps follows its own gradients (1,
        as Adam's: rare words move as fast as frequent ones) and not all words' (0).
    hidden : int
        Units of the hidden layer (tanh).
    epochs, batch : int
        Passes over the labelled reviews at most, and reviews of a step.
    rate, vector_rate : float
        Learning rates of network and vectors at the start; they fall to 0 linearly.
    word_dropout, dropout : float
        Share of a review's words, and of hidden units, that are left out at random in a step.
    held_out : float
        Share of the training reviews, neighbours of each label, on which the best pass is chosen.
    folds : int
        Of the cross-validation.
    seed : int
        Fixes starting weights, order, dropout and folds.

    Raises
    ------
    TrainingError
        If a setting is out of its range.
    """

    recipe: str = "joint"
    vector_size: int = 100
    window: int = 10
    negative: int = 10
    sample: float = 1e-5
    skip_gram_epochs: int = 5
    min_count: int = 5
    max_words: int = 40_000
    text: Text = "unlabelled"
    tuned: bool = True
    own_steps: float = 0.25
    hidden: int = 32
    epochs: int = 6
    batch: int = 128
    rate: float = 9e-3
    vector_rate: float = 3e-3
    word_dropout: float = 0.5
    dropout: float = 0.3
    held_out: float = 0.05
    folds: int = 5
    seed: int = 1

    def __post_init__(self) -> None:
        if self.text not in get_args(Text):
            raise TrainingError(f"text={self.text!r}: choose one of {', '.join(get_args(Text))}.")
        counts = (
            "vector_size", "window", "negative", "skip_gram_epochs", "min_count", "max_words",
            "hidden", "epochs", "batch",
        )  # fmt: skip
        for name in counts:
            if getattr(self, name) < 1:
                raise TrainingError(f"{name} must be at least 1: got {getattr(self, name)}.")
        for name in ("sample", "rate", "vector_rate"):
            if getattr(self, name) <= 0:
                raise TrainingError(f"{name} must be positive: got {getattr(self, name)}.")
        for name in ("word_dropout", "dropout", "held_out"):
            if not 0 <= getattr(self, name) < 1:
                raise TrainingError(f"{name} must be a share below 1: got {getattr(self, name)}.")
        if not 0 <= self.own_steps <= 1:
            raise TrainingError(f"own_steps must lie between 0 and 1: got {self.own_steps}.")
        if self.folds < 2:
            raise TrainingError(f"Cross-validation needs at least 2 folds: got {self.folds}.")
        if self.seed < 0:
            raise TrainingError(f"The seed must be 0 or more: got {self.seed}.")


_FIXED_VECTORS: dict[str, Any] = {
    "tuned": False, "hidden": 64, "epochs": 30, "rate": 3e-3, "word_dropout": 0.0,
}  # fmt: skip
RECIPES: dict[str, SentimentSettings] = {
    "joint": SentimentSettings(),
    "skip-gram": replace(SentimentSettings(), recipe="skip-gram", **_FIXED_VECTORS),
    "paper": replace(
        SentimentSettings(), recipe="paper", window=5, negative=5, sample=1e-3, **_FIXED_VECTORS
    ),
}
"""``joint`` is the default. ``skip-gram`` keeps its vectors as they are. ``paper`` is the
recipe of Liang and Acuna (2020), section 4.3: skip-gram with gensim's defaults, plain averages and
a multilayer perceptron."""


def sentiment_settings(recipe: str = "joint", **changes: Any) -> SentimentSettings:
    """Return settings of a recipe, with changes; None leaves a setting unchanged.

    Raises
    ------
    TrainingError
        When there is no such recipe or setting, or a value is out of its range.
    """
    if recipe not in RECIPES:
        raise TrainingError(f"There is no recipe {recipe!r}. Choose one of {', '.join(RECIPES)}.")
    known = {field.name for field in fields(SentimentSettings)} - {"recipe"}
    if wrong := sorted(set(changes) - known):
        raise TrainingError(f"There is no setting {wrong[0]!r}: choose from {sorted(known)}.")
    return replace(RECIPES[recipe], **{k: v for k, v in changes.items() if v is not None})
