"""Settings of a training run of portrait-clip, besides its plant."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from biaslab.errors import TrainingError
from biaslab.training.network_settings import check_sizes, rate_factor_of_share


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


clip_rate_factor = partial(rate_factor_of_share, decay_share=0.5)
"""Factor of learning rates, by the used share of the budget."""
