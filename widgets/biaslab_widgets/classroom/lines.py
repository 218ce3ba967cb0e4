"""An experiment on oneself: the Müller-Lyer figure by the method of constant stimuli.

Two horizontal lines, one with fins that open outward, one with arrowheads. The lines' lengths
always sum to the same; the share that belongs to the open-finned line is the stimulus, and 50 %
means that both are equal (Müller-Lyer 1889, *Optische Urteilstäuschungen*).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from html import escape
from pathlib import Path
from typing import Any, Final

import anywidget
import ipywidgets
import numpy as np
import traitlets

from biaslab.errors import QueryError
from biaslab.observers import binomial
from biaslab.reports.palette import INK, SURFACE
from biaslab.reports.theme import follow_theme
from biaslab.stats.intervals import interval
from biaslab.stats.psychometric import PsychometricFit, fit
from biaslab_widgets.classroom.charts import Chart, estimate_in_words, is_fixed, psychometric_chart
from biaslab_widgets.classroom.prediction import Prediction

_HERE: Final = Path(__file__).parent


class TrialPad(anywidget.AnyWidget):
    """Show a figure, and take *upper* or *lower* from buttons or from the keys F and J, ↑ and ↓.

    - `acts`: what ``start``, ``simulate``, ``upper`` and ``lower`` do.
    """

    _esm = _HERE / "trial_pad.js"
    _css = _HERE / "trial_pad.css"
    figure = traitlets.Unicode("", help="the figure as SVG or HTML").tag(sync=True)
    trial = traitlets.Int(-1, help="number of the trial from 0; -1 while none runs").tag(sync=True)
    start_label = traitlets.Unicode("Start").tag(sync=True)

    def __init__(self, acts: Mapping[str, Callable[[], None]]) -> None:
        self._acts = dict(acts)
        super().__init__()
        self.on_msg(self._take)

    def _take(self, _widget: Any, message: dict[str, Any], _buffers: Any) -> None:
        # An answer to a trial that is over was meant for what was on the screen then.
        if message.get("trial", self.trial) == self.trial and message.get("do") in self._acts:
            self._acts[message["do"]]()


LEVELS: Final = (0.42, 0.44, 0.46, 0.48, 0.50, 0.52, 0.54)
"""Shares of the total length that belong to the open-finned line."""
TRIALS: Final = 5
"""Answers per level: 35 in all, about a minute."""
SHORTER: Final = "the open fins make a line look longer (PSE below 50 %)"
EQUAL: Final = "no clear difference (the interval includes 50 %)"
LONGER: Final = "the open fins make a line look shorter (PSE above 50 %)"
OUTCOMES: Final = (SHORTER, EQUAL, LONGER)

_WIDTH, _HEIGHT, _TOTAL, _FIN = 520, 190, 440.0, 26.0
_STIMULUS = "length of the line with open fins, % of both lines; at 50 both are equal"
_ANSWER = "it is called longer, %"


class LinesExperiment(ipywidgets.VBox):  # type: ignore[misc]  # ipywidgets has no types
    """Which line is longer? A person answers; the psychometric curve is theirs.

    Parameters
    ----------
    prediction : Prediction, optional
        Made before, with `OUTCOMES` as its options; it is compared with what came out.
    seed : int, optional
        Fixes the order of the trials.

    Attributes
    ----------
    levels : ndarray, shape (7,)
        The stimuli.
    chosen, asked : ndarray, shape (7,)
        How often the open-finned line was called longer, and of how many trials.
    simulated : bool
        Whether a simulated observer has answered instead of a person.
    """

    def __init__(self, prediction: Prediction | None = None, seed: int | None = None) -> None:
        self._rng = np.random.default_rng(seed)
        self._prediction = prediction
        self.levels = np.array(LEVELS)
        self._head, self._below = ipywidgets.HTML(), ipywidgets.HTML()
        self._pad = TrialPad(
            {
                "start": self.start,
                "simulate": self.simulate,
                "upper": lambda: self.answer(upper=True),
                "lower": lambda: self.answer(upper=False),
            }
        )
        super().__init__([self._head, self._pad, self._below])
        self._clear()
        self._say(
            "Two horizontal lines appear, one above the other. <strong>Which is longer?</strong> "
            "Look only at the straight line, not at its fins. You must always choose, even if you"
            " cannot tell: that is a <em>forced choice</em>. "
            f"{len(self._order)} trials, about a minute; do not measure with your finger. Answer"
            " with the buttons, or with the keys F or ↑ for the upper line and J or ↓ for the lower"
            " one."
        )

    def _clear(self) -> None:
        self.chosen = np.zeros(len(LEVELS), dtype=int)
        self.asked = np.zeros(len(LEVELS), dtype=int)
        self.simulated = False
        self._order = self._rng.permutation(np.repeat(np.arange(len(LEVELS)), TRIALS))
        self._below.value = ""

    @property
    def done(self) -> bool:
        """Whether all trials are answered."""
        return int(self.asked.sum()) == len(self._order)

    def start(self) -> None:
        """Begin, or begin anew."""
        self._clear()
        self._show_trial()

    def answer(self, *, upper: bool) -> None:
        """Answer the trial on the screen, as its buttons do."""
        if self.done:
            return
        level = self._order[self.asked.sum()]
        self.asked[level] += 1
        self.chosen[level] += upper == self._open_is_upper
        self._go_on()

    def _go_on(self) -> None:
        if self.done:
            self._finish()
        else:
            self._show_trial()

    def simulate(self, pse: float = 0.46, jnd: float = 0.015, seed: int | None = 1) -> None:
        """Let a simulated observer answer all trials; its true PSE and JND are these."""
        self._clear()
        observer = binomial({"lines": pse}, jnd, seed=seed)
        self.asked[:] = TRIALS
        shares = observer.respond("lines", "", "", self.levels)
        self.chosen[:] = np.random.default_rng(seed).binomial(TRIALS, shares)
        self.simulated = True
        self._finish(f"A simulated observer has answered; its true PSE is {100 * pse:.0f} %. ")

    @property
    def fit(self) -> PsychometricFit:
        """The psychometric curve of the answers.

        Raises
        ------
        QueryError
            Before all trials are answered.
        """
        if not self.done:
            raise QueryError(
                f"{self.asked.sum()} of {len(self._order)} trials are answered. Answer them all, "
                "or let a simulated observer answer."
            )
        return fit(self.levels, self.chosen, self.asked, family="normal")

    @property
    def chart(self) -> Chart:
        """The answers and their curve."""
        return psychometric_chart(self.fit, stimulus=_STIMULUS, answer=_ANSWER)

    @property
    def outcome(self) -> str | None:
        """Which of `OUTCOMES` the interval of the PSE speaks for; None when they do not fix it."""
        if not is_fixed(self.fit):
            return None
        around = interval(self.fit, "pse")
        low, high = float(around.low), float(around.high)
        return SHORTER if high < 0.5 else LONGER if low > 0.5 else EQUAL

    def _finish(self, lead: str = "") -> None:
        lines = [lead + (estimate_in_words(self.fit) if self.outcome else self._why_none())]
        if (outcome := self.outcome) is not None:
            lines.append(
                self._prediction.compare(outcome)
                if self._prediction is not None
                else f"Result: {outcome}."
            )
        self._say("<br>".join(escape(line) for line in lines))
        self._below.value = follow_theme(self.chart.svg)
        self._pad.start_label = "Once more"
        self._pad.figure, self._pad.trial = "", -1

    def _why_none(self) -> str:
        """Why these answers have no PSE, to the person who gave them."""
        share = self.chosen.sum() / self.asked.sum()
        if share in (0, 1):
            which = "open fins" if share else "arrowheads"
            return (
                f"The line with {which} was called longer every time, so the PSE lies outside the"
                " range shown. That is a finding too; a longer experiment would use a wider range."
            )
        return (
            "These answers do not fix a point: they do not clearly rise with the length of the"
            " line. Try again, and look at the straight lines."
        )

    def _show_trial(self) -> None:
        number = int(self.asked.sum())
        self._open_is_upper = bool(self._rng.integers(2))
        share = float(self.levels[self._order[number]])
        self._say(f"Trial {number + 1} of {len(self._order)}: which horizontal line is longer?")
        shift = self._rng.uniform(-30, 30, size=2)
        shown = figure(share, self._open_is_upper, (float(shift[0]), float(shift[1])))
        with self._pad.hold_sync():
            self._pad.figure, self._pad.trial = follow_theme(shown), number

    def _say(self, text: str) -> None:
        self._head.value = (
            f'<div role="status" style="font-size:14px;line-height:1.5;max-width:52em;'
            f'min-height:3em">{text}</div>'
        )


def figure(share: float, open_is_upper: bool, shift: tuple[float, float] = (0.0, 0.0)) -> str:
    """The two lines as SVG; ``share`` of their total length belongs to the open-finned one.

    - `share`: in (0, 1); 0.5 makes both equal.
    - `open_is_upper`: which of them is the upper one.
    - `shift`: of the upper and the lower line to the side, so that their ends tell nothing.
    """
    parts = []
    for row, is_open in enumerate((open_is_upper, not open_is_upper)):
        length = _TOTAL * (share if is_open else 1 - share)
        y = _HEIGHT * (0.27 if row == 0 else 0.73)
        left = _WIDTH / 2 + shift[row] - length / 2
        right = left + length
        fin = -_FIN if is_open else _FIN
        parts.append(f'<path d="M{left:.1f} {y:.1f}H{right:.1f}"/>')
        for end, way in ((left, fin), (right, -fin)):
            parts.append(
                f'<path d="M{end + way:.1f} {y - _FIN:.1f}L{end:.1f} {y:.1f}'
                f'L{end + way:.1f} {y + _FIN:.1f}"/>'
            )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" '
        f'width="{_WIDTH}" style="max-width:100%;height:auto;background:{SURFACE}" role="img" '
        f'aria-label="Two horizontal lines with fins"><g fill="none" stroke="{INK}" '
        f'stroke-width="2.5">{"".join(parts)}</g></svg>'
    )
