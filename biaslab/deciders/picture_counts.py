"""What the replies to a question about a picture come to, and how a probe follows them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np

from biaslab.deciders.decider import Reply
from biaslab.deciders.picture_question import PictureQuestion
from biaslab.jobs import JobContext, JobStopped


class AskingContext(JobContext):
    """Stops and progress of a probe, while a decider answers."""

    def __init__(
        self,
        between: Callable[[], None] | None,
        advance: Callable[[int], None] | None,
        pictures: int,
    ) -> None:
        self._between, self._advance, self._pictures = between, advance, pictures
        self._done = 0

    @property
    def should_stop(self) -> bool:
        """Whether the probe wants to stop."""
        try:
            self.checkpoint()
        except JobStopped:
            return True
        return False

    def checkpoint(self) -> None:
        """Let the probe raise `JobStopped`."""
        if self._between is not None:
            self._between()

    def report(self, done: float, total: float | None = None, message: str = "") -> None:
        """Tell the probe how many more pictures are done."""
        del message
        now = int(done * self._pictures // max(total or 1, 1))
        if self._advance is not None and now > self._done:
            self._advance(now - self._done)
            self._done = now


def log_probabilities(question: PictureQuestion, replies: Sequence[Reply]) -> list[float]:
    """Return log probabilities of the letters in their order; NaN without a readable reply."""
    for reply in replies:
        if reply.probabilities:
            with np.errstate(divide="ignore"):
                logs: list[float] = np.log(np.multiply(reply.probabilities, reply.mass)).tolist()
            return logs
    counts = Counter(reply.answer for reply in replies if reply.outcome == "answered")
    if not counts:
        return [math.nan] * len(question.options)
    shares = [counts[letter] / len(replies) for letter in question.options]
    return [math.log(share) if share else -math.inf for share in shares]
