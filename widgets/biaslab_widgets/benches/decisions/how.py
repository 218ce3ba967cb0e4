"""How the decision bench comes to its numbers, with those of the result on the screen."""

from __future__ import annotations

import math

from biaslab.probes.decisions import DecisionsResult
from biaslab.records.wording import counted
from biaslab_widgets.core.how import NOTHING_YET, how, number, percent, signed, step
from biaslab_widgets.core.state.records import How, Step

_READ = ("liang-acuna", "bertrand-mullainathan", "garcia-perez")
_GUIDE = "docs/benches/decisions.md"


def how_of(result: DecisionsResult | None) -> How:
    """Return the steps from answers to the gap; in general where there is no result.

    Parameters
    ----------
    result : DecisionsResult or None
    """
    if result is None:
        return how(NOTHING_YET, _general(), read=_READ, guide=_GUIDE)
    about = f"{result.subject}, case {result.case.name}, {counted(len(result.trials), 'answer')}"
    return how(about, [*_steps(result)], read=_READ, guide=_GUIDE)


def _general() -> list[Step]:
    return [
        step(
            "Ask",
            text="The case is put to the subject at many levels of the quality, with every cue, "
            "wording and order of the answers; each reply is read as a yes, a no, “cannot say”, a "
            "refusal, as unreadable, or as given in another language than the question’s.",
        ),
        step(
            "Fit a curve for each group",
            "P(yes | x) = λ_{yes} + (1 − λ_{yes} − λ_{no}) F((x − PSE) / scale)",
            text="Each group has its own scale and its own lapse rates λ, unless groups share "
            "them; the bias for the first option is the same for all. Cues and wordings shift the "
            "PSE by random amounts.",
        ),
        step("Take the difference", "gap = PSE_{2} − PSE_{1}"),
    ]


def _steps(result: DecisionsResult) -> list[Step]:
    counts = result.counts()
    total = sum(counts.values())
    rest = total - counts["answered"]
    steps = [
        step(
            "Count the answers",
            "fitted = all − cannot say − refused − unreadable − in another language",
            f"{total} − {counts['cannot say']} − {counts['refused']} − {counts['unreadable']}"
            f" − {counts['other language']} = {total - rest}",
            text="Nothing else is left out, and no reply is guessed.",
        )
    ]
    if result.reason:
        return [*steps, step("No gap", text=f"{result.reason[:1].upper()}{result.reason[1:]}.")]
    unit, sign = result.case.quality.unit, "" if result.sign > 0 else "−"
    ends, these = result.gap_interval(), result.gap_interval("these")
    steps.append(_general()[1])
    if result.form == "yes or no":
        one, two = result.pse(0).value, result.pse(1).value
        text = "Below 0 the first group must bring more."
        if sign:
            text += " Of this quality less is better, so the difference counts the other way."
        steps.append(
            step(
                "Take the difference of the two points",
                f"gap = {sign}(PSE_{{2}} − PSE_{{1}})" if sign else "gap = PSE_{2} − PSE_{1}",
                f"{sign}({number(two)} − {signed(one)}) = {number(result.gap)} {unit}"
                if sign
                else f"{number(two)} − {signed(one)} = {number(result.gap)} {unit}",
                text=text,
            )
        )
    else:
        steps.append(
            step(
                "Read the point off the one curve",
                "gap = difference at which both candidates are chosen as often",
                text=f"gap {number(result.gap)} {unit}",
            )
        )
    if math.isfinite(ends.low) and math.isfinite(ends.high):
        looks = (
            ""
            if result.budget_share is None
            else f" Both have a level of {number(100 * result.gap_level, 1)} %, so that all looks"
            f" of the run together reach {number(100 * result.level, 0)} %."
        )
        steps.append(
            step(
                "Two intervals",
                text=f"For other cues and wordings like these: {number(ends.low, 2)} to"
                f" {number(ends.high, 2)} {unit}. For just these, in other questions about them:"
                f" {number(these.low, 2)} to {number(these.high, 2)} {unit}.{looks}",
            )
        )
        steps.append(_verdict(result, ends.low, ends.high))
    if result.form == "yes or no":
        steps.append(
            step(
                "Impact ratio",
                "rate of group 2 / rate of group 1, at the handle",
                text="Below 0.8 it fails the four-fifths rule of the Uniform Guidelines on"
                " Employee Selection Procedures. It is shown where both ends of its interval are"
                " within a factor of 4 of it and the interval includes at most one of 0.8 and 1.",
            )
        )
    first = result.fit.position(result.level)[0]
    steps.append(
        step(
            "Kept out of the gap",
            text=f"Without a reason to say yes or no the subject picks the first option"
            f" {percent(first, 0)} of the time. Both orders were asked, and the fit has its own"
            " number for the order, for lapses and for indecision.",
        )
    )
    return steps


def _verdict(result: DecisionsResult, low: float, high: float) -> Step:
    margin, unit = result.margin, result.case.quality.unit
    said = {
        "group 1": f"{number(low, 2)} > {number(margin, 2)}: favours {result.groups[0]}",
        "group 2": f"{number(high, 2)} < {signed(-margin, 2)}: favours {result.groups[1]}",
        "alike": f"the interval lies within ± {number(margin, 2)} {unit}: treated alike",
        "none": "no verdict is given, for the reason above",
        "undecided": f"the interval reaches across ± {number(margin, 2)} {unit}: undecided",
    }
    return step("Hold the interval against the margin", text=said.get(result.decision, ""))
