"""Cell magics that keep a cell's outputs back until a prediction is made.

``%%after NAME`` runs the cell at once, since later cells need its names, and shows what it printed
and displayed when the prediction of that name is committed. ``%%text_after NAME`` does so with
Markdown.
"""

from __future__ import annotations

import ast
import sys
from typing import Any

from IPython import get_ipython
from IPython.core.error import UsageError
from IPython.utils.capture import capture_output

from biaslab_widgets.classroom.outputs import Output, captured
from biaslab_widgets.classroom.prediction import Prediction


def register() -> None:
    """Give the running IPython the magics; elsewhere do nothing."""
    if (shell := get_ipython()) is not None:
        shell.register_magic_function(after, "cell")
        shell.register_magic_function(text_after, "cell")


def after(line: str, cell: str) -> None:
    """Run a cell, and show its outputs once the prediction is committed."""
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
    """Show Markdown once the prediction is committed."""
    _prediction(get_ipython(), line).hold(
        lambda: [Output({"text/markdown": cell, "text/plain": cell})]
    )


def _prediction(shell: Any, line: str) -> Prediction:
    found = shell.user_ns.get(line.strip())
    if not isinstance(found, Prediction):
        raise UsageError(
            f"There is no prediction {line.strip()!r}: run the cell above that asks for it first."
        )
    return found


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
