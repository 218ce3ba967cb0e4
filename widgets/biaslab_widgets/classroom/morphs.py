"""Find by hand where a vision-language model changes its mind, before the curve is shown."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any, Final

import ipywidgets
import numpy as np
from numpy.typing import NDArray

from biaslab.errors import QueryError
from biaslab.reports.palette import GROUP_1, GROUP_1_TEXT, GROUP_2, GROUP_2_TEXT, INK_2, LINE
from biaslab.reports.psychometrics.graded_words import said
from biaslab.reports.theme import follow_theme
from biaslab_widgets.classroom.pictures import data_address

if TYPE_CHECKING:
    from collections.abc import Callable

    from biaslab.probes.psychometrics.morphed_model import MorphedModel
    from biaslab.probes.psychometrics.result import TwoAFCResult

NEAR: Final = 0.1
"""From one half: an answer that is called equal."""
_TEXT = "font-size:14px;line-height:1.5;max-width:52em"


class MorphByHand(ipywidgets.VBox):  # type: ignore[misc]  # ipywidgets has no types
    """Drag the blend until both answers are equally probable; then the curve of all portraits.

    Parameters
    ----------
    model : MorphedModel
        What is asked.
    result : TwoAFCResult
        The curve that is shown in the end, of the same model; its first pair is asked.
    item : str, optional
        Whose portraits are shown; by default the result's first item.
    portraits : int
        How many are searched, the first ones.

    Attributes
    ----------
    found : ndarray, shape (portraits,)
        Where the person put each point of equality; NaN where it is still sought.
    """

    def __init__(
        self, model: MorphedModel, result: TwoAFCResult, item: str | None = None, portraits: int = 3
    ) -> None:
        self.item = result.items[0] if item is None else item
        self._index = result.index(self.item)
        self._model, self._result, self._pair = model, result, result.pairs[0]
        if not 1 <= portraits <= len(model.observers):
            raise QueryError(
                f"{portraits} portraits cannot be searched: choose 1 to {len(model.observers)}."
            )
        self.found: NDArray[np.float64] = np.full(portraits, np.nan)
        self._head, self._shown, self._below = (ipywidgets.HTML() for _ in range(3))
        self._slider = ipywidgets.IntSlider(
            value=50,
            min=0,
            max=100,
            description=f"% {self._pair[1]}",
            tooltip=f"Share of {self._pair[1]} in the blend, in percent",
            layout={"width": "32em", "max_width": "100%"},
        )
        self._slider.observe(lambda _: self._show(), names="value")
        self._here = _button("Here both are equally probable", self.mark)
        self._skip = _button("Show the curve without searching", self.show_curve)
        self._buttons = ipywidgets.HBox([self._here, self._skip])
        super().__init__([self._head, self._shown, self._slider, self._buttons, self._below])
        self._show()

    @property
    def portrait(self) -> int | None:
        """Number of the portrait that is searched, from 0; None when all are found."""
        left = np.flatnonzero(np.isnan(self.found))
        return int(left[0]) if len(left) else None

    @property
    def alpha(self) -> float:
        """The blend on the screen: 0 is the first cue's end, 1 the second's."""
        return float(self._slider.value) / 100

    def move(self, alpha: float) -> None:
        """Set the blend, as the slider does.

        Raises
        ------
        QueryError
            When it is not within 0 and 1.
        """
        if not 0 <= alpha <= 1:
            raise QueryError(f"A blend of {alpha} is not possible: choose one from 0 to 1.")
        self._slider.value = round(100 * alpha)

    def answer(self) -> float:
        """P(second cue) of the portrait on the screen."""
        return self._model.answer(self.item, self._on_screen, self._pair, self.alpha)

    def mark(self) -> None:
        """Say that both answers are equally probable here, and go on to the next portrait."""
        if (number := self.portrait) is None:
            return
        share = self.answer()
        at_an_end = self.alpha in (0.0, 1.0)
        if abs(share - 0.5) > NEAR and not at_an_end:
            which = self._pair[int(share > 0.5)]
            self._say(f"Not yet: it still answers {said(which)} more readily. Drag on.")
            return
        self.found[number] = self.alpha
        if self.portrait is None:
            self.show_curve()
        else:
            self._slider.value = 50
            self._show()

    def show_curve(self) -> None:
        """Show the curve of all portraits, below what was found."""
        self._buttons.children = ()
        self._show()
        sentences = []
        if len(done := self.found[np.isfinite(self.found)]):
            places = ", ".join(f"{100 * x:.0f} %" for x in done)
            sentences.append(f"You found {places}: on average {100 * done.mean():.0f} %.")
        count = len(self._result.switches_of(self.item))
        sentences.append(f"Over {count} portraits: {' '.join(self._result.verdict(self.item))}")
        self._say(" ".join(sentences))
        self._below.value = follow_theme(self._result.to_svg(item=self.item))

    @property
    def _on_screen(self) -> int:
        number = self.portrait
        return len(self.found) - 1 if number is None else number

    def _show(self) -> None:
        """The portrait and both answers, as they are at this blend."""
        number, share = self._on_screen, self.answer()
        morph = self._model.picture(self.item, number, self.alpha)
        rows = zip(
            self._pair, (1 - share, share), (GROUP_1, GROUP_2), (GROUP_1_TEXT, GROUP_2_TEXT),
            strict=True,
        )  # fmt: skip
        bars = "".join(_bar(said(cue), value, *colours) for cue, value, *colours in rows)
        self._shown.value = follow_theme(
            f'<div style="display:flex;flex-wrap:wrap;gap:24px;align-items:center">'
            f'<img src="{data_address(morph.picture())}" alt="{escape(morph.alt)}" '
            f'width="224" height="224" style="border-radius:8px"/>'
            f'<div style="{_TEXT}">The model answers<br>{bars}</div></div>'
        )
        if self.portrait is not None:
            self._say(
                f"<strong>{escape(self.item)}, portrait {number + 1} of {len(self.found)}.</strong>"
                " Drag the blend, or use the arrow keys: the person changes, clothes and tool stay"
                " the same. Where are both answers equally probable?",
                plain=False,
            )

    def _say(self, text: str, *, plain: bool = True) -> None:
        html = escape(text) if plain else text
        self._head.value = f'<div role="status" style="{_TEXT};min-height:3em">{html}</div>'


def _bar(label: str, value: float, colour: str, ink: str) -> str:
    shape = "height:10px;border-radius:3px"
    return (
        f'<div style="display:grid;grid-template-columns:6em 160px 3em;gap:8px;'
        f'align-items:center"><span style="color:{ink}">{escape(label)}</span>'
        f'<span style="{shape};background:{LINE}"><span style="{shape};display:block;'
        f'width:{100 * value:.1f}%;background:{colour}"></span></span>'
        f'<span style="color:{INK_2}">{value:.2f}</span></div>'
    )


def _button(label: str, act: Callable[[], Any]) -> ipywidgets.Button:
    button = ipywidgets.Button(
        description=label, layout={"width": "auto", "min_width": "9em", "height": "2.6em"}
    )
    button.on_click(lambda _: act())
    return button
