"""A question that is answered before the answer is shown."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

import ipywidgets

_TEXT = "font-size:14px;line-height:1.5;max-width:52em;margin:2px 0 6px"
_FRAME = f"{_TEXT};border-left:4px solid #868E98;padding:4px 0 4px 12px"


class Prediction(ipywidgets.VBox):  # type: ignore[misc]  # ipywidgets has no types
    """Choose what you expect; what came out appears where `reveal` was asked, and not before.

    A prediction counts once: after the choice it cannot be changed.

    Parameters
    ----------
    question : str
        What is asked.
    options : sequence of str
        Two or more different answers.
    """

    def __init__(self, question: str, options: Sequence[str]) -> None:
        if len(set(options)) != len(options) or len(options) < 2:
            raise ValueError("Offer at least two different answers.")
        self.question, self.options = question, tuple(options)
        self.choice: str | None = None
        self.passed = False
        self._waiting: list[Reveal] = []
        self._radio = ipywidgets.RadioButtons(
            options=self.options,
            value=None,
            tooltip=question,
            layout={"width": "max-content", "max_width": "100%"},
        )
        self._pass = ipywidgets.Button(
            description="Show without predicting",
            layout={"width": "auto", "align_self": "flex-start"},
        )
        self._note = ipywidgets.HTML()
        self._radio.observe(lambda change: self.choose(change["new"]), names="value")
        self._pass.on_click(lambda _: self.pass_by())
        asked = ipywidgets.HTML(
            f'<div style="{_TEXT}"><strong>Your prediction.</strong> {escape(question)}</div>'
        )
        super().__init__([asked, self._radio, self._pass, self._note])

    @property
    def settled(self) -> bool:
        """Whether a choice was made, or passed by."""
        return self.choice is not None or self.passed

    def choose(self, option: str) -> None:
        """Make the choice, as a click does.

        Raises
        ------
        ValueError
            When it is not one of the options.
        """
        if self.settled:
            return
        if option not in self.options:
            raise ValueError(
                f"{option!r} is not an option. Choose from: {', '.join(self.options)}."
            )
        self.choice = option
        self._radio.value = option
        self._settle("Noted. Go on to the next cell.")

    def pass_by(self) -> None:
        """Show the answers without a prediction."""
        if not self.settled:
            self.passed = True
            self._settle("Shown without a prediction.")

    def _settle(self, note: str) -> None:
        self._radio.disabled = True
        self._pass.layout.display = "none"
        self._note.value = f"<em>{escape(note)}</em>"
        waiting, self._waiting = self._waiting, []
        for reveal in waiting:
            reveal.show_answer()

    def compare(self, answer: str) -> str:
        """The prediction beside what came out, in words.

        Raises
        ------
        ValueError
            When the answer is not one of the options.
        """
        if answer not in self.options:
            raise ValueError(f"{answer!r} is not among the options: {', '.join(self.options)}.")
        if self.choice is None:
            return f"Result: {answer}."
        agreed = "as you predicted" if self.choice == answer else f"you predicted: {self.choice}"
        return f"Result: {answer} ({agreed})."

    def reveal(self, answer: str, *shown: Any) -> Reveal:
        """What came out; it opens as soon as the prediction is made.

        Parameters
        ----------
        answer : str
            The option that came out.
        *shown
            Shown below it: text, widgets, or anything that a notebook shows as HTML.

        Raises
        ------
        ValueError
            When the answer is not one of the options.
        """
        self.compare(answer)
        reveal = Reveal(self, answer, shown)
        if self.settled:
            reveal.show_answer()
        else:
            self._waiting.append(reveal)
        return reveal


class Reveal(ipywidgets.VBox):  # type: ignore[misc]  # ipywidgets has no types
    """An answer that waits for its prediction."""

    def __init__(self, prediction: Prediction, answer: str, shown: Sequence[Any]) -> None:
        self._prediction, self._answer, self._shown = prediction, answer, tuple(shown)
        waiting = "The answer appears here once you have made your prediction above."
        self._text = ipywidgets.HTML(f'<div role="status" style="{_FRAME}">{waiting}</div>')
        super().__init__([self._text])

    @property
    def is_open(self) -> bool:
        """Whether the answer is shown."""
        return self._prediction.settled

    def show_answer(self) -> None:
        """Show the answer."""
        told = escape(self._prediction.compare(self._answer))
        self._text.value = f'<div role="status" style="{_FRAME}"><strong>{told}</strong></div>'
        self.children = (self._text, *(_widget(thing) for thing in self._shown))


def _widget(thing: Any) -> ipywidgets.Widget:
    return thing if isinstance(thing, ipywidgets.Widget) else ipywidgets.HTML(_html(thing))


def _html(thing: Any) -> str:
    if not isinstance(thing, str) and (as_html := getattr(thing, "_repr_html_", None)) is not None:
        # The class gives tables the look they have elsewhere in the notebook.
        return f'<div class="jp-RenderedHTMLCommon" style="overflow-x:auto">{as_html()}</div>'
    lines = escape(str(thing)).replace("\n", "<br>")
    return f'<div style="{_TEXT}">{lines}</div>'
