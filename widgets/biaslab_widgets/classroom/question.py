"""Questions in a notebook: plain text with answers for the keyboard, and answers checked."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

import anywidget
import traitlets

from biaslab_widgets.classroom.digest import digest_of, number_of
from biaslab_widgets.classroom.kept import CHECKS, KeptPredictions
from biaslab_widgets.classroom.outputs import KEEPS_PLACE, TEXT_STYLE, Output, in_kernel, outputs_of

_HERE: Final = Path(__file__).parent


class Question(anywidget.AnyWidget):
    """Ask something; a subclass says what an answer does.

    The question and the answer are an output of their own, which stays in the saved notebook and
    in an exported page; the widget below it needs a kernel.

    Parameters
    ----------
    question : str
        Text of the question.
    options : sequence of str
        Answers to choose from; without them a number is typed.
    lead : str
        What kind of question it is, in bold before its text.
    """

    _esm = _HERE / "question.js"
    _css = _HERE / "question.css"
    question = traitlets.Unicode(help="text of the question").tag(sync=True)
    options = traitlets.List(traitlets.Unicode(), help="answers to choose from").tag(sync=True)
    selected = traitlets.Unicode("", help="what is selected or typed, not yet given").tag(sync=True)
    phase = traitlets.Enum(
        ("open", "answered", "closed"), "open", help="whether an answer can be given, or changed"
    ).tag(sync=True)
    note = traitlets.Unicode("", help="a line below the buttons").tag(sync=True)
    commit_label = traitlets.Unicode("Commit").tag(sync=True)
    skip_label = traitlets.Unicode("").tag(sync=True)

    def __init__(self, question: str, options: Sequence[str], lead: str, **state: Any) -> None:
        self._lead, self._status = lead, ""
        self._display_id = uuid4().hex
        self._shown = False
        super().__init__(question=question, options=list(options), **state)
        self.on_msg(self._take)

    def answer(self, answer: str) -> None:
        """Give an answer, as the button does."""
        raise NotImplementedError

    def pass_by(self) -> None:
        """Go on without an answer, as the second button does."""

    def reopen(self) -> None:
        """Take the answer back, to give another one."""
        self.phase = "open"

    def _take(self, _widget: Any, message: dict[str, Any], _buffers: Any) -> None:
        if message.get("do") == "pass":
            self.pass_by()
        elif self.phase == "answered":
            self.reopen()
        elif message.get("answer"):
            self.answer(message["answer"])

    def _say(self, status: str) -> None:
        """Show a status below the question, in the saved notebook too."""
        self._status = status
        if self._shown:
            self._text().show(update=True)

    def _text(self) -> Output:
        status = f"<br><em>{escape(self._status)}</em>" if self._status else ""
        return Output(
            {
                "text/html": f'<div style="{TEXT_STYLE}"><strong>{escape(self._lead)}</strong> '
                f"{escape(self.question)}{status}</div>",
                "text/plain": f"{self._lead} {self.question} {self._status}".strip(),
            },
            {KEEPS_PLACE: True},
            display_id=self._display_id,
        )

    def __repr__(self) -> str:
        """Its answers, which an exported page shows in place of the buttons."""
        return f"Answers: {'; '.join(self.options)}" if self.options else "Answer: a number"

    def _ipython_display_(self) -> None:
        self._text().show()
        self._shown = in_kernel()
        for one in outputs_of([self]):
            one.show()


class SelfCheck(Question):
    """Ask for an answer, and say whether it is right; it can be given again and again.

    Parameters
    ----------
    question : str
        Text of the question.
    options : sequence of str
        Answers to choose from; without them a number is typed.
    right : str or float, optional
        The right answer. The notebook of a student has its `digest` instead.
    digest : str
        What `digest_of` gives for the right answer.
    digits : int
        Decimals to which a number is compared.
    within : int
        How many of the last decimals a number may differ.
    hint : str
        Shown with a wrong answer.
    kept : KeptPredictions, optional
        Where the last answer is kept; by default in ``self-checks.json`` beside the notebook, and
        outside a kernel nowhere.
    """

    def __init__(
        self,
        question: str,
        options: Sequence[str] = (),
        *,
        right: str | float | None = None,
        digest: str = "",
        digits: int = 0,
        within: int = 0,
        hint: str = "",
        kept: KeptPredictions | None = None,
    ) -> None:
        if (right is None) == (not digest):
            raise ValueError("Give the right answer or its digest.")
        if options and right is not None and right not in options:
            raise ValueError(f"{right!r} is not among the options: {', '.join(options)}.")
        self._digest = digest or digest_of(question, str(right), digits if not options else None)
        self._digits, self._within, self._hint = digits, within, hint
        self.is_right = False
        super().__init__(question, options, lead="Check yourself.", commit_label="Check")
        self._kept = KeptPredictions(Path.cwd() / CHECKS) if kept is None and in_kernel() else kept
        if self._kept is not None and (before := self._kept.read().get(question)):
            self.selected = before
            self._check(before)

    def answer(self, answer: str) -> None:
        """Check an answer, as the button does."""
        if self._check(answer) and self._kept is not None:
            self._kept.keep(self.question, answer)

    def _check(self, answer: str) -> bool:
        """Say whether an answer is right; return whether it is one."""
        try:
            digests = self._digests(answer)
        except ValueError:
            self.note = f"{answer!r} is not a number. Type one, 12.5 for example."
            return False
        self.is_right = self._digest in digests
        wrong = f"{answer}: not yet. {self._hint}".strip()
        self.note = f"{answer}: right." if self.is_right else wrong
        return True

    def _digests(self, answer: str) -> set[str]:
        if self.options:
            return {digest_of(self.question, answer)}
        value, unit = number_of(answer), 10.0**-self._digits
        steps = range(-self._within, self._within + 1)
        return {digest_of(self.question, str(value + k * unit), self._digits) for k in steps}
