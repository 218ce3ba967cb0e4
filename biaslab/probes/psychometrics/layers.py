"""Two-alternative task with the stimulus patched in at several layers: where a lean arises.

The end runs are the same whichever layer the stimulus is patched in at, so that only the answers
between them change. Let :math:`m_l` be the mean P(cue 2) of an even blend that is made at layer l.
What the blocks between two layers a and b make of a blend is :math:`m_a - m_b`: the shift of an
even blend that goes through them less that of one which is made after them. All shifts together
with :math:`m_L - 1/2`, the lean that is there even when the last layer's states are mixed, are the
lean at the input.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal, cast

import numpy as np
from numpy.typing import NDArray
from scipy import special

from biaslab.probes.psychometrics.answers import Graded
from biaslab.probes.psychometrics.asking import ANSWERS
from biaslab.probes.psychometrics.cued_result import CuedResult, fit_of_before
from biaslab.probes.psychometrics.curves import PairsAs, half_width, mean_parts
from biaslab.probes.psychometrics.framed_model import FramedModel
from biaslab.probes.psychometrics.graded import at_half
from biaslab.probes.psychometrics.graded_estimates import GradedEstimates
from biaslab.probes.psychometrics.result import TwoAFCResult
from biaslab.records.calls import recorded_method
from biaslab.records.record import Record
from biaslab.stats.crossed.effects import Crossing, Part, satterthwaite
from biaslab.subjects.language_model.model import LanguageModel
from biaslab.subjects.language_model.patching import Patch
from biaslab.subjects.opening.needs import Need

if TYPE_CHECKING:
    import pandas as pd


Layers = Sequence[int] | str
"""Layers of a language model, or ``"all"``."""
LAYERED = Need(
    "a masked or causal language model",
    "Pass one, such as bl.load('wiki-clm'), or ask bl.two_afc.",
    lambda subject: isinstance(subject, LanguageModel | FramedModel),
)


Floats = NDArray[np.float64]
Source = Literal["layers", "ends", "unclear", "none", "unknown"]
_NONE = 1e-12
"""Shares closer than this are equal."""


@dataclass(frozen=True, eq=False)
class LayerSteps(Record):
    """What the blocks between two layers make of an even blend, for n items and S steps.

    Attributes
    ----------
    before, after : tuple of int
        The layers of each step: its blocks are those after `before`, up to `after`.
    shift : ndarray, shape (n, S)
        Change of the mean P(cue 2); above 0 toward cue 2.
    interval : ndarray, shape (n, S, 2)
        Over observers (and cue pairs): the S intervals of an item hold together with probability
        `level` (Bonferroni). NaN where nothing varies.
    p_value : ndarray, shape (n, S)
        Two-sided, of no shift; times S, at most 1.
    level : float
    """

    before: tuple[int, ...]
    after: tuple[int, ...]
    shift: Floats
    interval: Floats
    p_value: Floats
    level: float

    @property
    def excludes_null(self) -> NDArray[np.bool_]:
        """Whether a step's interval excludes 0, shape (n, S)."""
        return np.asarray((self.interval[..., 0] > 0) | (self.interval[..., 1] < 0))


@dataclass(frozen=True)
class Origin:
    """Where the lean of an item arises.

    Attributes
    ----------
    source : {"layers", "ends", "unclear", "none", "unknown"}
        ``layers``: between two layers, `before` and `after`. ``ends``: mostly in the answers to the
        pure cues, which are the same at every layer. ``unclear``: there is a lean, but neither is
        clear. ``none``: no clear lean at the first layer. ``unknown``: nothing varies.
    before, after : int
        The step with the largest shift in the direction of the lean, if its interval excludes 0;
        else -1.
    step : int
        Its number; -1 where there is none.
    """

    source: Source
    before: int = -1
    after: int = -1
    step: int = -1


def layer_steps(
    answers: Floats,
    alphas: Floats,
    layers: Sequence[int],
    weights: Floats,
    pairs_as: PairsAs,
    crossing: Crossing | None,
    level: float,
) -> LayerSteps:
    """Estimate what happens to an even blend between neighbouring layers.

    - `answers`, ndarray, shape (layers, B, n, K, L): P(cue 2).
    - `alphas`: ndarray, shape (L,).
    - `layers`: ascending.
    - `weights`, `pairs_as`, `crossing`: as of `biaslab.probes.psychometrics.curves.pooled`.
    - `level`: at which the intervals of an item hold together.
    """
    even = at_half(answers, alphas)
    shifts = even[:-1] - even[1:]
    count, n = len(shifts), answers.shape[2]
    shift, half, p = (np.full((n, count), np.nan) for _ in range(3))
    together = 1 - (1 - level) / max(count, 1)
    for s, of_step in enumerate(shifts):
        shift[:, s] = np.einsum("bnk,k->bn", of_step, weights).mean(axis=0)
        if parts := _parts(of_step, weights, pairs_as, crossing):
            half[:, s] = half_width(parts, together)
            p[:, s] = np.minimum(count * _p_values(shift[:, s], parts), 1)
    interval = np.stack([shift - half, shift + half], axis=-1)
    return LayerSteps(tuple(layers[:-1]), tuple(layers[1:]), shift, interval, p, level)


def origin_of(steps: LayerSteps, i: int, lean: int, first: float, last_lean: int) -> Origin:
    """Return where the lean of item i arises.

    Parameters
    ----------
    steps : LayerSteps
    i : int
    lean : int
        Of an even blend at the first layer: 1 toward cue 1, -1 toward cue 2, 0 if not clear.
    first : float
        Mean P(cue 2) of an even blend at the first layer.
    last_lean : int
        As `lean`, at the last layer.

    Notes
    -----
    The lean arises between two layers if no other shift is larger in its direction, the interval
    of this one excludes 0 after correction for the number of steps, and it is larger than the lean
    that is clear at the last layer already.
    """
    if np.isnan(steps.interval[i]).all():
        return Origin("unknown")
    if lean == 0:
        return Origin("none")
    toward = -lean * steps.shift[i]  # above 0 in the direction of the lean
    rest = -lean * (first - 0.5) - float(toward.sum())
    step = int(np.argmax(toward))
    is_clear = bool(steps.excludes_null[i, step] and toward[step] > 0)
    if last_lean == lean and (not is_clear or rest > toward[step]):
        where = (steps.before[step], steps.after[step], step) if is_clear else (-1, -1, -1)
        return Origin("ends", *where)
    if not is_clear:
        return Origin("unclear")
    return Origin("layers", steps.before[step], steps.after[step], step)


def _parts(
    values: Floats, weights: Floats, pairs_as: PairsAs, crossing: Crossing | None
) -> list[Part]:
    """Return variances of the mean of values (B, n, K), shape (n,), with df."""
    b = len(values)
    if values.shape[2] == 1:
        return [(values[..., 0].var(axis=0, ddof=1) / b, float(b - 1))] if b > 1 else []
    return mean_parts(values, weights, pairs_as, crossing)


def _p_values(shift: Floats, parts: list[Part]) -> Floats:
    away = np.abs(shift)
    error = np.sqrt(np.sum([variance for variance, _ in parts], axis=0))
    df = np.asarray(satterthwaite(parts))
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(error > 0, away / error, np.where(away > _NONE, np.inf, 0.0))
        return np.asarray(2 * special.stdtr(np.where(df > 0, df, 1.0), -t))


@dataclass(frozen=True, kw_only=True)
class LayersResult(CuedResult):
    """A psychometric curve per layer of a language model, and where its lean arises.

    Attributes
    ----------
    layers : tuple of int
        The layers at which the stimulus was patched in, ascending: 0 is the input embeddings, l
        what block l passes on.
    n_blocks : int
        Number of blocks of the model.
    patch : {"text", "cue"}
        Whether the states of the whole text are mixed, or at the cue's own place only.
    answers : ndarray, shape (layers, B, n, K, L)
        P(cue 2) of each of B frames to each of L stimuli.
    """

    schema: ClassVar[str] = "two-afc-layers/2"

    layers: tuple[int, ...]
    n_blocks: int
    patch: Patch
    answers: Floats
    observer: str = "frames"

    @classmethod
    def upgrade(cls, content: dict[str, Any], version: int) -> dict[str, Any]:
        """Name the options of version 1."""
        del version
        return fit_of_before(content)

    @property
    def stimuli(self) -> Floats:
        """The stimulus levels, shape (L,)."""
        return np.linspace(0, 1, self.answers.shape[-1])

    @property
    def n_observers(self) -> int:
        """Number B of frames."""
        return int(self.answers.shape[1])

    @cached_property
    def curves(self) -> tuple[TwoAFCResult, ...]:
        """The result of each layer, in the order of `layers`."""
        return tuple(self._curve(answers) for answers in self.answers)

    @recorded_method
    def at(self, layer: int) -> TwoAFCResult:
        """Return the two-alternative task at one layer: PSE, JND, words and chart.

        Raises
        ------
        ValueError
            When the stimulus was not patched in at that layer.
        """
        return self._at(layer)

    def _at(self, layer: int) -> TwoAFCResult:
        if layer not in self.layers:
            choices = ", ".join(map(str, self.layers))
            raise ValueError(f"Layer {layer} was not asked. Choose one of: {choices}.")
        return self.curves[self.layers.index(layer)]

    @cached_property
    def steps(self) -> LayerSteps:
        """What the blocks between neighbouring layers make of an even blend."""
        return layer_steps(
            self.answers, self.stimuli, self.layers, self.weights, self.fit.pairs_as,
            self.crossing, self.level,
        )  # fmt: skip

    def estimates(self, layer: int) -> GradedEstimates:
        """Return PSE and JND at a layer, pooled over cue pairs: arrays of shape (n,)."""
        return cast("GradedEstimates", self._at(layer).pooled)

    @cached_property
    def pse(self) -> Floats:
        """PSE per layer and item, shape (layers, n); NaN or infinite as of a single layer."""
        return np.array([self.estimates(layer).pse for layer in self.layers])

    @cached_property
    def jnd(self) -> Floats:
        """JND per layer and item, shape (layers, n)."""
        return np.array([self.estimates(layer).jnd for layer in self.layers])

    def origin(self, item: str) -> Origin:
        """Return where the lean of an item arises; see `biaslab.probes.psychometrics.layers`.

        Raises
        ------
        UnknownTermError
            When the item is not in the result.
        """
        i = self.index(item)
        first, last = (self.estimates(layer) for layer in (self.layers[0], self.layers[-1]))
        return origin_of(
            self.steps, i, int(first.lean[i]), float(first.neutral[i]), int(last.lean[i])
        )

    def to_frame(self) -> pd.DataFrame:
        """Return tidy estimates: one row per item and layer, pooled over pairs.

        Columns: item, layer, those of `TwoAFCResult.to_frame` from pse on (without ``outside``),
        and next_layer, shift, shift_low, shift_high and shift_p: what the blocks up to the next
        layer asked make of an even blend, in units of P(cue 2), with intervals and p-values that
        hold for all steps of an item together. NaN at the last layer.
        """
        import pandas as pd

        frames = []
        for at, (layer, curves) in enumerate(zip(self.layers, self.curves, strict=True)):
            table = curves.to_frame()
            if len(self.pairs) > 1:
                table = table[table["pooled"]].reset_index(drop=True)
            table = table.drop(columns=["pooled", "outside"])
            table.insert(1, "layer", layer)
            is_last = at == len(self.layers) - 1
            none = np.full(len(self.items), np.nan)
            table["next_layer"] = none if is_last else float(self.layers[at + 1])
            steps = self.steps
            table["shift"] = none if is_last else steps.shift[:, at]
            table["shift_low"] = none if is_last else steps.interval[:, at, 0]
            table["shift_high"] = none if is_last else steps.interval[:, at, 1]
            table["shift_p"] = none if is_last else steps.p_value[:, at]
            frames.append(table)
        table = pd.concat(frames, ignore_index=True)
        table["item"] = pd.Categorical(table["item"], categories=list(self.items))
        table = table.sort_values(["item", "layer"], kind="stable").reset_index(drop=True)
        return table.assign(item=table["item"].astype(str))

    def raw_frame(self) -> pd.DataFrame:
        """Return the raw answers: one row per layer, item, pair, frame and stimulus."""
        import pandas as pd

        frames = []
        for layer, curves in zip(self.layers, self.curves, strict=True):
            table = curves.raw_frame()
            table.insert(0, "layer", layer)
            frames.append(table)
        return pd.concat(frames, ignore_index=True)

    def _curve(self, answers: Floats) -> TwoAFCResult:
        return TwoAFCResult(
            **{field.name: getattr(self, field.name) for field in fields(CuedResult)},
            raw=Graded.of(answers),
            scoring=ANSWERS,
        )
