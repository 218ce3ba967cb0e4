"""An exercise that tells a student whether an answer is right, without holding the answer."""

from __future__ import annotations

from collections.abc import Sequence

from biaslab_widgets.classroom.digest import digest_of, number_of
from biaslab_widgets.classroom.question import Question


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
    ) -> None:
        if (right is None) == (not digest):
            raise ValueError("Give the right answer or its digest.")
        if options and right is not None and right not in options:
            raise ValueError(f"{right!r} is not among the options: {', '.join(options)}.")
        self._digest = digest or digest_of(question, str(right), digits if not options else None)
        self._digits, self._within, self._hint = digits, within, hint
        self.is_right = False
        super().__init__(question, options, lead="Check yourself.", commit_label="Check")

    def answer(self, answer: str) -> None:
        """Check an answer, as the button does."""
        try:
            found = self._digests(answer)
        except ValueError:
            self.note = f"{answer!r} is not a number. Type one, 12.5 for example."
            return
        self.is_right = self._digest in found
        wrong = f"{answer}: not yet. {self._hint}".strip()
        self.note = f"{answer}: right." if self.is_right else wrong

    def _digests(self, answer: str) -> set[str]:
        if self.options:
            return {digest_of(self.question, answer)}
        value, unit = number_of(answer), 10.0**-self._digits
        steps = range(-self._within, self._within + 1)
        return {digest_of(self.question, str(value + k * unit), self._digits) for k in steps}
