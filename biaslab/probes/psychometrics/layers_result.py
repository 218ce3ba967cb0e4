"""Result of a two-alternative task with the stimulus patched in at several layers."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from biaslab.atomic import written
from biaslab.calls import recorded_method
from biaslab.errors import UnknownTermError
from biaslab.probes.psychometrics.asking import ANSWERS
from biaslab.probes.psychometrics.curves import PairsAs
from biaslab.probes.psychometrics.graded import GradedEstimates, switch_points_of_answers
from biaslab.probes.psychometrics.layer_steps import (
    LayerSteps,
    Origin,
    layer_steps,
    origin_of,
)
from biaslab.probes.psychometrics.perception import Perception
from biaslab.probes.psychometrics.rates import Rates
from biaslab.probes.psychometrics.result import TwoAFCResult
from biaslab.probes.psychometrics.shapes import Shape
from biaslab.reporting import words_of
from biaslab.results import Result
from biaslab.stats.crossed.effects import crossing_of
from biaslab.stats.curves.jnd import Convention
from biaslab.subjects.language_model.patching import Patch
from biaslab.wording import Span, sentences

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class LayersResult(Result):
    """A psychometric curve per layer of a language model, and where its lean arises.

    Attributes
    ----------
    items : tuple of str
        The n items (words).
    pairs : tuple of (str, str)
        The K cue pairs (cue 1, cue 2).
    layers : tuple of int
        The layers at which the stimulus was patched in, ascending: 0 is the input embeddings, l
        what block l passes on.
    n_blocks : int
        Number of blocks of the model.
    patch : {"text", "cue"}
        Whether the states of the whole text are mixed, or at the cue's own place only.
    answers : ndarray, shape (layers, B, n, K, L)
        P(cue 2) of each of B frames to each of L stimuli.
    curve, rates, jnd_convention, pairs_as : str
        The options of `biaslab.two_afc`.
    weights : ndarray, shape (K,)
        Prior probability of each pair when pooled.
    level : float
        Level of all intervals.
    observer_names : tuple of str
        The B frames.
    notes : tuple of str
    """

    schema: ClassVar[str] = "two-afc-layers/1"

    items: tuple[str, ...]
    pairs: tuple[tuple[str, str], ...]
    layers: tuple[int, ...]
    n_blocks: int
    patch: Patch
    answers: Floats
    curve: Shape
    rates: Rates
    jnd_convention: Convention
    pairs_as: PairsAs
    weights: Floats
    level: float = 0.95
    observer_names: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

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
            asked = ", ".join(map(str, self.layers))
            raise ValueError(f"Layer {layer} was not asked. Choose one of: {asked}.")
        return self.curves[self.layers.index(layer)]

    @cached_property
    def steps(self) -> LayerSteps:
        """What the blocks between neighbouring layers make of an even blend."""
        return layer_steps(
            self.answers, self.stimuli, self.layers, self.weights, self.pairs_as,
            crossing_of(self.pairs), self.level,
        )  # fmt: skip

    def estimates(self, layer: int) -> GradedEstimates:
        """Return PSE and JND at a layer, pooled over cue pairs: arrays of shape (n,)."""
        pooled = self._at(layer).pooled
        assert isinstance(pooled, GradedEstimates)  # noqa: S101  # answers are probabilities
        return pooled

    @cached_property
    def pse(self) -> Floats:
        """PSE per layer and item, shape (layers, n); NaN or infinite as of a single layer."""
        return np.array([self.estimates(layer).pse for layer in self.layers])

    @cached_property
    def jnd(self) -> Floats:
        """JND per layer and item, shape (layers, n)."""
        return np.array([self.estimates(layer).jnd for layer in self.layers])

    def index(self, item: str) -> int:
        """Return the position of an item.

        Raises
        ------
        UnknownTermError
            When the item is not in the result.
        """
        if item not in self.items:
            raise UnknownTermError(
                f"{item!r} is not among the {len(self.items)} items of this result; see .dropped."
            )
        return self.items.index(item)

    def origin(self, item: str) -> Origin:
        """Return where the lean of an item arises; see `biaslab.probes.psychometrics.layer_steps`.

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

    def verdict(self, item: str | None = None) -> tuple[str, ...]:
        """The finding on one item (by default on all) with its interval: a text per sentence."""
        return sentences(self.verdict_spans(item))

    def verdict_spans(self, item: str | None = None) -> tuple[Span, ...]:
        """The same words as pieces of text with the roles that a screen shows them in."""
        if item is None:
            return super().verdict_spans()
        return tuple(words_of(self).spans(self, item))

    def to_frame(self) -> pd.DataFrame:
        """Return tidy estimates: one row per item and layer, pooled over pairs.

        Columns: item, layer, those of `TwoAFCResult.to_frame` from pse on (without ``outside``),
        and next_layer, shift, shift_low, shift_high and shift_p: what the blocks up to the next
        layer asked make of an even blend, in units of P(cue 2), with intervals and p-values that
        hold for all steps of an item together. NaN at the last layer.
        """
        import pandas as pd

        frames = []
        for at, (layer, one) in enumerate(zip(self.layers, self.curves, strict=True)):
            table = one.to_frame()
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
        for layer, one in zip(self.layers, self.curves, strict=True):
            table = one.raw_frame()
            table.insert(0, "layer", layer)
            frames.append(table)
        return pd.concat(frames, ignore_index=True)

    def to_svg(self, path: str | os.PathLike[str] | None = None, item: str | None = None) -> str:
        """Return a chart of an item (default: of all) as SVG; write it to `path` if given.

        Raises
        ------
        WriteError
            If the file cannot be written.
        """
        return written(self._draw("svg", item), path)

    def _curve(self, answers: Floats) -> TwoAFCResult:
        alphas = self.stimuli
        none = np.empty(0)
        return TwoAFCResult(
            items=self.items,
            pairs=self.pairs,
            switch=switch_points_of_answers(answers, alphas),
            similarities=none,
            own_noise=none,
            perception=Perception(),
            scoring=ANSWERS,
            curve=self.curve,
            rates=self.rates,
            jnd_convention=self.jnd_convention,
            pairs_as=self.pairs_as,
            weights=self.weights,
            level=self.level,
            observer="frames",
            levels=len(alphas),
            notes=self.notes,
            answers=answers,
            observer_names=self.observer_names,
            dropped=self.dropped,
            provenance=self.provenance,
        )
