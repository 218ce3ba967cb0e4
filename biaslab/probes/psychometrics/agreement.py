"""How far a model follows grammatical gender: the same frames with feminine and masculine items."""

from __future__ import annotations

import numpy as np

from biaslab.errors import QueryError
from biaslab.probes.crossed_groups import CrossedEffect, CrossedGroups
from biaslab.probes.psychometrics.crossed import mean_leans
from biaslab.probes.psychometrics.result import TwoAFCResult
from biaslab.stats.crossed.effects import effect_estimate


def agreement_effects(feminine: TwoAFCResult, masculine: TwoAFCResult) -> CrossedGroups:
    """Separate what grammar does from what the item does, frame by frame.

    Parameters
    ----------
    feminine, masculine : TwoAFCResult
        The same model, items, cues and frames, in the designs ``"feminine"`` and ``"masculine"``
        of `biaslab.frames.get`. The first cue of each pair is the female one.

    Returns
    -------
    CrossedGroups
        Two effects in points, with intervals over other items and frames, and each item's own by
        partial pooling. ``agreement``: how much more often the answer is the female cue, over all
        blends, with a feminine item than with a masculine one; 0 for a model that ignores grammar.
        ``lean``: how much more often it is the female than the male cue with both forms alike,
        halved, so that 0 is even.

    Raises
    ------
    QueryError
        When the two share no item or pair of cues, or not all frames.
    ValueError
        With fewer than three common items, or two frames.
    """
    for result in (feminine, masculine):
        if not result.is_graded:
            raise QueryError(
                "Agreement is measured on a language model's answers in frames. Pass two results of"
                " bl.two_afc with observers=bl.frames.get(..., 'feminine') and 'masculine'."
            )
    items = [item for item in feminine.items if item in masculine.items]
    pairs = [pair for pair in feminine.pairs if pair in masculine.pairs]
    if not items or not pairs:
        what = "item" if not items else "pair of cues"
        raise QueryError(f"The two results share no {what}. Ask both about the same.")
    if feminine.n_observers != masculine.n_observers:
        raise QueryError(
            f"The results have {feminine.n_observers} and {masculine.n_observers} frames, so they"
            " cannot be paired: see .dropped for frames that one of them left out."
        )
    leans = np.stack([_leans(result, items, pairs) for result in (feminine, masculine)])
    frame, item = (index.ravel() for index in np.indices(leans.shape[1:]))
    level = feminine.level
    effects = []
    for name, values in (
        ("agreement: feminine − masculine", leans[0] - leans[1]),
        ("lean: both forms alike", leans.mean(axis=0)),
    ):
        one = effect_estimate(values.ravel(), item, frame, len(items), level)
        effects.append(
            CrossedEffect(
                name, (name.split(":")[0],), one.mean, one.low, one.high, one.sd, one.sd_low,
                one.sd_high, one.items, one.item_intervals,
            )
        )  # fmt: skip
    return CrossedGroups(
        tuple(effects), tuple(items), "points", level, feminine.observer, len(item)
    )


def _leans(
    result: TwoAFCResult, items: list[str], pairs: list[tuple[str, str]]
) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """Return leans to cue 1 in points, (frames x items), averaged over pairs."""
    every = mean_leans(result.responses(), result.stimuli)
    rows = [result.items.index(item) for item in items]
    columns = [result.pairs.index(pair) for pair in pairs]
    return np.asarray(every[:, rows][:, :, columns].mean(axis=2))
