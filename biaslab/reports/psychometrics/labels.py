"""What the axes of a psychometric curve say, for words in a blend and for pictures of a morph."""

from __future__ import annotations

from biaslab.probes.psychometrics import TwoAFCResult
from biaslab.reports.psychometrics.seen_words import is_seen, said


def stimulus_label(result: TwoAFCResult) -> str:
    """Of the axis of stimuli, in percent."""
    cue_1, cue_2 = result.pairs[0]
    if is_seen(result):
        one, two = ends(result)
        return f"stimulus: morph from {one} to {two}, %"
    return f"stimulus: share of {cue_2} in the blend of {cue_1} and {cue_2}, %"


def answer_label(result: TwoAFCResult) -> str:
    """Of the axis of answers, in percent."""
    cue_2 = result.pairs[0][1]
    if is_seen(result):
        return f"answers {said(cue_2)}, %"
    if result.is_chosen:
        return f"trials answered “{cue_2}”, %"
    return f"{result.observer} that answer “{cue_2}”, %"


def ends(result: TwoAFCResult) -> tuple[str, str]:
    """What stands at 0 and at 1."""
    if not is_seen(result):
        return result.pairs[0]
    return result.ends or ("first picture", "last picture")


def share_of(result: TwoAFCResult) -> str:
    """Of what a PSE is a share."""
    return ends(result)[1] if result.ends or not is_seen(result) else "of the way"
