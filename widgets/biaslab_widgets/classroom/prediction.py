"""A question that is answered before the answer is shown."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from html import escape
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

import ipywidgets
from IPython import get_ipython
from IPython.core.error import UsageError
from IPython.utils.capture import capture_output

from biaslab_widgets.classroom.kept import NAME, KeptPredictions
from biaslab_widgets.classroom.outputs import (
    TEXT_STYLE,
    Output,
    captured,
    html_output,
    in_kernel,
    outputs_of,
)
from biaslab_widgets.classroom.question import Question


class HeldOutputs:
    """Places in a cell that are filled later.

    A place is an output of the notebook, so what fills it is in the saved file and in an exported
    page. After a reload of the page nothing can be put there any more: then the widget, which
    stands in the first place until it is filled, shows all of it.

    - `outputs`: returns the outputs, as many each time.
    - `waiting`: HTML that stands there until then.
    """

    def __init__(self, outputs: Callable[[], Sequence[Output]], waiting: str = "") -> None:
        self._outputs = outputs
        self._places = [one.display_id or uuid4().hex for one in outputs()]
        self._waiting = html_output(waiting)
        self._fallback = ipywidgets.Output()
        if waiting:
            self._fallback.outputs = (self._waiting.as_record(),)

    def show(self) -> None:
        """Show the places, still empty."""
        view = {**self._fallback._repr_mimebundle_(), "text/plain": ""}
        for number, display_id in enumerate(self._places):
            empty = Output({**view, **self._waiting.data}) if number == 0 else html_output("")
            replace(empty, display_id=display_id).show()

    def fill(self) -> None:
        """Fill the places."""
        outputs = self._outputs()
        self._fallback.outputs = tuple(one.as_record() for one in outputs)
        for one, display_id in zip(outputs, self._places, strict=True):
            replace(one, display_id=display_id).show(update=True)


_FRAME: Final = f"{TEXT_STYLE};border-left:4px solid #868E98;padding:4px 0 4px 12px"
_WAITING: Final = "The answer appears here once you have committed your prediction above."


class Prediction(Question):
    """Choose what you expect and commit; until then nothing below it shows what came out.

    A choice can be changed until something that waits for it is shown. It is kept in
    ``predictions.json`` beside the notebook, and comes back when the cell is run again.

    Parameters
    ----------
    question : str
        Text of the question. It names the prediction in the file: ask each question once.
    options : sequence of str
        Two or more different answers.
    kept : KeptPredictions, optional
        Where the choice is kept; by default beside the notebook, and outside a kernel nowhere.

    Attributes
    ----------
    choice : str or None
        What was committed.
    passed : bool
        Whether the answers were shown without a prediction.
    """

    def __init__(
        self, question: str, options: Sequence[str], kept: KeptPredictions | None = None
    ) -> None:
        if len(set(options)) != len(options) or len(options) < 2:
            raise ValueError("Offer at least two different answers.")
        self.choice: str | None = None
        self.passed = False
        self._waiting: list[HeldOutputs] = []
        if kept is None and in_kernel():
            kept = KeptPredictions(Path.cwd() / NAME)
        self._kept = kept
        super().__init__(
            question, options, lead="Your prediction.", skip_label="Show without predicting"
        )
        before = {} if kept is None else kept.read()
        if (choice := before.get(question)) in options:
            self._commit(choice)
        elif choice == "":
            self._commit(None)

    @property
    def is_committed(self) -> bool:
        """Whether a choice was committed, or passed by."""
        return self.choice is not None or self.passed

    def answer(self, answer: str) -> None:
        """Commit a choice, as the button does; once the result is shown it stands.

        Raises
        ------
        ValueError
            When it is not one of the options.
        """
        if self.phase == "closed":
            return
        if answer not in self.options:
            raise ValueError(
                f"{answer!r} is not an option. Choose from: {', '.join(self.options)}."
            )
        self._keep(answer)
        self._commit(answer)

    def pass_by(self) -> None:
        """Show the answers without a prediction."""
        if not self.is_committed:
            self._keep("")
            self._commit(None)

    def reopen(self) -> None:
        """Take the choice back, as long as no result is shown."""
        if self.phase == "answered":
            if self._kept is not None:
                self._kept.forget(self.question)
            self.choice, self.phase = None, "open"
            self._say("")

    def make_final(self) -> None:
        """Let a committed choice stand, because a result is shown."""
        self.phase = "closed"

    def _keep(self, choice: str) -> None:
        if self._kept is not None and not self._kept.keep(self.question, choice):
            self.note = f"It could not be written to {self._kept.path.name}: it is not kept."

    def _commit(self, choice: str | None) -> None:
        self.choice, self.passed = choice, choice is None
        self.selected = choice or ""
        own = f"You predicted: {choice.removesuffix('.')}." if choice else ""
        self._say(own or "Shown without a prediction.")
        self.phase = "closed" if self._waiting or self.passed else "answered"
        waiting, self._waiting = self._waiting, []
        for outputs in waiting:
            outputs.fill()

    def compare(self, answer: str) -> str:
        """Put the prediction beside what came out, in words.

        Raises
        ------
        ValueError
            When the answer is not one of the options.
        """
        if answer not in self.options:
            raise ValueError(f"{answer!r} is not among the options: {', '.join(self.options)}.")
        if self.choice is None:
            return f"Result: {answer.removesuffix('.')}."
        agreed = "as you predicted" if self.choice == answer else f"you predicted: {self.choice}"
        return f"Result: {answer} ({agreed})."

    def reveal(self, answer: str, *shown: Any) -> Reveal:
        """Show what came out as soon as the prediction is committed.

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
        return Reveal(self, answer, shown)

    def hold(self, outputs: Callable[[], Sequence[Output]], waiting: str = "") -> None:
        """Show outputs in the running cell: now, or as soon as the prediction is committed.

        Parameters
        ----------
        outputs : callable
            Returns the outputs, as many each time.
        waiting : str
            HTML that stands there until then.
        """
        if self.is_committed:
            self.make_final()
            for one in outputs():
                one.show()
        elif outputs():
            held = HeldOutputs(outputs, waiting)
            held.show()
            self._waiting.append(held)


class Reveal:
    """What came out; a cell that shows it waits for its prediction."""

    def __init__(self, prediction: Prediction, answer: str, shown: Sequence[Any]) -> None:
        self._prediction, self._answer, self._shown = prediction, answer, tuple(shown)

    @property
    def is_open(self) -> bool:
        """Whether the answer may be shown."""
        return self._prediction.is_committed

    def outputs(self) -> list[Output]:
        """Return the result beside the prediction, and what is shown below it."""
        text = escape(self._prediction.compare(self._answer))
        head = html_output(f'<div role="status" style="{_FRAME}"><strong>{text}</strong></div>')
        first, *others = outputs_of(["", *self._shown])
        return [html_output(head.data["text/html"] + first.data["text/html"]), *others]

    def _ipython_display_(self) -> None:
        self._prediction.hold(self.outputs, f'<div role="status" style="{_FRAME}">{_WAITING}</div>')


def register() -> None:
    """Give the running IPython the magics; elsewhere do nothing."""
    if (shell := get_ipython()) is not None:
        shell.register_magic_function(after, "cell")
        shell.register_magic_function(text_after, "cell")


def after(line: str, cell: str) -> None:
    """Run a cell, and show its outputs once the prediction is committed.

    ``%%after NAME`` runs the cell at once, since later cells need its names, and shows what it
    printed and displayed when the prediction of that name is committed.
    """
    shell = get_ipython()
    prediction = _prediction(shell, line)
    if prediction.is_committed:
        prediction.make_final()
        _execute(shell, cell)
        return
    with capture_output(stderr=False) as caught:
        _execute(shell, cell)
    outputs = list(captured(caught.stdout, caught.outputs))
    prediction.hold(lambda: outputs)


def text_after(line: str, cell: str) -> None:
    """Show Markdown once the prediction of a name is committed: ``%%text_after NAME``."""
    _prediction(get_ipython(), line).hold(
        lambda: [Output({"text/markdown": cell, "text/plain": cell})]
    )


def _prediction(shell: Any, line: str) -> Prediction:
    prediction = shell.user_ns.get(line.strip())
    if not isinstance(prediction, Prediction):
        raise UsageError(
            f"There is no prediction {line.strip()!r}: run the cell above that asks for it first."
        )
    return prediction


def _execute(shell: Any, cell: str) -> None:
    """Run the lines of a cell as the notebook does: an expression at the end is shown."""
    source = shell.transform_cell(cell)
    tree = ast.parse(source)
    name = shell.compile.cache(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, name, "exec"), shell.user_ns)  # noqa: S102  # the cell's own code
    if last is not None:
        value = eval(  # noqa: S307
            compile(ast.Expression(last.value), name, "eval"), shell.user_ns
        )
        sys.displayhook(value)
