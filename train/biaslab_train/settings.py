"""Settings of the networks that are trained, with their texts, ranges and learning rates."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from typing import Any, Final

from biaslab.errors import TrainingError

_WARM_UP_SHARE: Final = 0.03
_ENDS: Final[dict[str, tuple[Callable[[Any, Any], bool], str]]] = {
    "least": (operator.ge, "{:,} or more"),
    "above": (operator.gt, "more than {:,}"),
    "most": (operator.le, "at most {:,}"),
    "below": (operator.lt, "less than {:,}"),
}


def setting(default: Any, about: str, *, why: str = "", **ends: float) -> Any:
    """Declare a field of settings.

    - `default`: a whole number is at least 1, unless `ends` say otherwise.
    - `about`: what it is; an option of a command has it as its help text.
    - `why`: reason for its range.
    - `**ends`: its range, by the names in `_ENDS`.
    """
    if type(default) is int:
        ends.setdefault("least", 1)
    return field(default=default, metadata={"about": about, "why": why, "ends": ends})


@dataclass(frozen=True)
class Settings:
    """Settings of a network; a run that continues must repeat them.

    Raises `TrainingError` if a setting is out of its range.
    """

    def __post_init__(self) -> None:
        for one in fields(self):
            value, ends = getattr(self, one.name), one.metadata["ends"]
            if not all(_ENDS[name][0](value, end) for name, end in ends.items()):
                allowed = " and ".join(_ENDS[name][1].format(end) for name, end in ends.items())
                why = f" {one.metadata['why']}" if one.metadata["why"] else ""
                about = one.metadata["about"]
                raise TrainingError(f"{one.name} ({about}) is {value}. Use {allowed}.{why}")


def check_rotary_heads(width: int, heads: int) -> None:
    """Check that heads share a width, each with an even part, as rotary positions need.

    Raises `TrainingError` if they cannot.
    """
    if width % (2 * heads):
        raise TrainingError(
            f"A width of {width} cannot be shared by {heads} heads. Use a width that is a multiple"
            " of twice the heads."
        )


def rate_factor_of_share(share: float, decay_share: float) -> float:
    """Return the factor of learning rates: rises, stays level, falls linearly to zero.

    - `share`: used share of the budget, in [0, 1].
    - `decay_share`: last share of the budget, over which the factor falls.
    """
    return min(1.0, (share + 1e-3) / _WARM_UP_SHARE, max(0.0, 1 - share) / decay_share)


KINDS: Final = ("clm", "mlm")
"""Causal (each token from those before it) or masked (hidden tokens from both sides)."""

LARGEST_VOCABULARY = 1 << 16
"""Tokens are stored in two bytes."""
_OF_MATRICES: Final = "learning rate of hidden weight matrices (Muon)"
_OF_THE_REST: Final = "learning rate of all other weights (AdamW)"


@dataclass(frozen=True)
class LanguageModelSettings(Settings):
    """Settings of a language model: ``clm`` is a causal one, ``mlm`` a masked one."""

    kind: str = setting("clm", "causal or masked")
    vocabulary: int = setting(
        8000, "tokens in the vocabulary", least=300, most=LARGEST_VOCABULARY,
        why="256 are the single bytes.",
    )  # fmt: skip
    layers: int = setting(4, "transformer layers")
    width: int = setting(256, "dimensions of the hidden states")
    heads: int = setting(4, "attention heads")
    inner: int = setting(512, "dimensions of the feed-forward layers")
    context: int = setting(128, "tokens per sequence", least=8)
    batch: int = setting(64, "sequences per step")
    seed: int = setting(1, "random seed", least=0)
    held_out: float = setting(0.01, "share of articles held out for evaluation", above=0, most=0.5)
    mask_rate: float = setting(
        0.25, "share of tokens that a masked model must guess", above=0, most=0.9
    )
    matrix_rate: float = setting(0.01, _OF_MATRICES, above=0)
    vector_rate: float = setting(0.003, _OF_THE_REST, above=0)

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise TrainingError(f"There is no kind {self.kind!r}. Use one of: {', '.join(KINDS)}.")
        super().__post_init__()
        check_rotary_heads(self.width, self.heads)


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

    - `tokens`: tokens seen.
    - `share`: share of the budget used.
    """
    tenth = share / 0.1
    rise = min(1.0, max(tokens / WARM_UP_TOKENS, tenth))
    fall = min(1.0, max(0.0, 1 - share) / DECAY_SHARE)
    return min(rise, fall)


@dataclass(frozen=True)
class ClerkSettings(Settings):
    """Settings of a small language model that answers decisions."""

    layers: int = setting(2, "transformer layers")
    width: int = setting(80, "dimensions of the hidden states")
    heads: int = setting(4, "attention heads")
    inner: int = setting(160, "dimensions of the feed-forward layers")
    context: int = setting(160, "longest input in tokens", least=16)
    batch: int = setting(128, "questions per step")
    seed: int = setting(1, "random seed of questions and initial weights", least=0)
    matrix_rate: float = setting(0.01, _OF_MATRICES, above=0)
    vector_rate: float = setting(0.003, _OF_THE_REST, above=0)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_rotary_heads(self.width, self.heads)


@dataclass(frozen=True)
class PortraitClipSettings(Settings):
    """Settings of a small CLIP model."""

    pool: int = setting(12_000, "different portraits to draw for training")
    image: int = setting(64, "width and height of the images in pixels", least=16, most=512)
    patch: int = setting(16, "width of a patch in pixels")
    layers: int = setting(4, "layers of the image encoder")
    width: int = setting(128, "dimensions of its hidden states")
    heads: int = setting(4, "its attention heads")
    inner: int = setting(384, "dimensions of its feed-forward layers")
    text_layers: int = setting(2, "layers of the text encoder")
    text_width: int = setting(64, "dimensions of its hidden states")
    text_heads: int = setting(4, "its attention heads")
    text_inner: int = setting(128, "dimensions of its feed-forward layers")
    joint: int = setting(96, "dimensions of the joint space of images and captions")
    batch: int = setting(
        192, "portraits per step", least=2, why="They are compared with each other."
    )
    rounds: int = setting(4, "captions per portrait and step")
    seed: int = setting(1, "random seed of portraits, captions and initial weights", least=0)
    matrix_rate: float = setting(0.01, _OF_MATRICES, above=0)
    vector_rate: float = setting(0.002, _OF_THE_REST, above=0)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.image % self.patch:
            raise TrainingError(
                f"Images of {self.image} pixels cannot be divided into patches of {self.patch}."
                " Use a multiple of the patch size."
            )
        for width, heads in ((self.width, self.heads), (self.text_width, self.text_heads)):
            if width % heads:
                raise TrainingError(
                    f"A width of {width} cannot be shared by {heads} heads. Use a multiple."
                )


@dataclass(frozen=True)
class PortraitChatSettings(Settings):
    """Settings of a small LLaVA model; its image encoder is portrait-clip's, unchanged.

    Of a question's options, the log-odds of those between the first and the last lie evenly
    between theirs.
    """

    pool: int = setting(4_000, "different portraits to draw for training")
    layers: int = setting(3, "layers of the language model")
    width: int = setting(96, "dimensions of its hidden states")
    heads: int = setting(4, "its attention heads")
    inner: int = setting(224, "dimensions of its feed-forward layers")
    batch: int = setting(64, "questions per step")
    seed: int = setting(1, "random seed of portraits, questions and initial weights", least=0)
    position: float = setting(
        0.6, "planted log-odds of the option listed first against the last; 0 plants none",
        above=-math.inf, below=math.inf,
    )  # fmt: skip
    other: float = setting(
        0.04, "planted probability of a reply without a letter", least=0, most=0.5
    )
    matrix_rate: float = setting(0.01, _OF_MATRICES, above=0)
    vector_rate: float = setting(0.003, _OF_THE_REST, above=0)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not math.isfinite(self.position):
            raise TrainingError(f"position is {self.position}. Use a number; 0 plants none.")
        check_rotary_heads(self.width, self.heads)


TEXTS: Final = ("labelled", "unlabelled", "all")


@dataclass(frozen=True)
class SentimentSettings(Settings):
    """Settings of a sentiment classifier: its word vectors, then its network.

    Vectors are trained without labels, on the labelled training reviews (``labelled``), also on the
    unlabelled ones if there are any (``unlabelled``), or also on the text of the test reviews
    (``all``). The best pass is chosen on held-out reviews that are neighbours of each label.
    """

    recipe: str = setting("joint", "name of these settings in `RECIPES`")
    vector_size: int = setting(100, "dimensions of the word vectors")
    window: int = setting(10, "words of context on either side (skip-gram)")
    negative: int = setting(10, "negative samples (skip-gram)")
    sample: float = setting(1e-5, "subsampling threshold of frequent words (skip-gram)", above=0)
    skip_gram_epochs: int = setting(5, "passes of skip-gram over its text")
    min_count: int = setting(5, "minimum number of occurrences of a word")
    max_words: int = setting(40_000, "maximum size of the vocabulary")
    text: str = setting(
        "unlabelled", "reviews that the word vectors are trained on: labelled, unlabelled or all"
    )
    tuned: bool = setting(True, "whether vectors are trained further from labels, with the network")
    own_steps: float = setting(
        0.25, "how far a word's steps follow its own gradients (1, as Adam's), not all words' (0)",
        least=0, most=1,
    )  # fmt: skip
    hidden: int = setting(32, "units of the hidden layer")
    epochs: int = setting(6, "maximum number of passes over the labelled reviews")
    batch: int = setting(128, "reviews per step")
    rate: float = setting(9e-3, "learning rate of the network at the start; it falls to 0", above=0)
    vector_rate: float = setting(3e-3, "learning rate of the vectors at the start", above=0)
    word_dropout: float = setting(0.5, "share of words left out in a step", least=0, below=1)
    dropout: float = setting(0.3, "share of hidden units left out in a step", least=0, below=1)
    held_out: float = setting(
        0.05, "share of training reviews on which the best pass is chosen", least=0, below=1
    )
    folds: int = setting(5, "folds of the cross-validation", least=2)
    seed: int = setting(1, "random seed", least=0)

    def __post_init__(self) -> None:
        if self.text not in TEXTS:
            raise TrainingError(f"text={self.text!r}: choose one of {', '.join(TEXTS)}.")
        super().__post_init__()


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

    Raises `TrainingError` when there is no such recipe or setting, or a value is out of its range.
    """
    if recipe not in RECIPES:
        raise TrainingError(f"There is no recipe {recipe!r}. Choose one of {', '.join(RECIPES)}.")
    known = {field.name for field in fields(SentimentSettings)} - {"recipe"}
    if wrong := sorted(set(changes) - known):
        raise TrainingError(f"There is no setting {wrong[0]!r}: choose from {sorted(known)}.")
    return replace(RECIPES[recipe], **{k: v for k, v in changes.items() if v is not None})
