"""A decider of one case whose gap is known, and whose replies are the same on every machine."""

from __future__ import annotations

import hashlib
import math
import re
from collections import Counter
from collections.abc import Sequence

from biaslab import cases
from biaslab.cases import Question
from biaslab.deciders import Reply
from biaslab.errors import DeciderError
from biaslab.jobs.job import JobContext

_YEARS = re.compile(r"(\d{1,2}(?:\.5)?) years?")
_SCALE = 1.2
_REFUSAL = "I can't make hiring decisions about individuals."


class PlantedDecider:
    """Says yes by a logistic function of the years, shifted by the group of the name.

    Parameters
    ----------
    points : sequence of float
        Years at which each group is accepted as often as not.
    first : float
        How many years it is worth to be listed first.
    refusals : float
        Share of questions that it refuses.
    at_once : int
    fails_after : int, optional
        Questions after which the server is gone.
    case : str
        A case in years.
    """

    name = "planted decider"
    about = "simulated, a gap planted on purpose"
    identity = ""
    gives_probabilities = False

    def __init__(
        self,
        points: Sequence[float] = (5.0, 7.0),
        *,
        first: float = 0.6,
        refusals: float = 0.04,
        at_once: int = 16,
        fails_after: int | None = None,
        case: str = "hire-by-name",
    ) -> None:
        self.points, self.first, self.refusals = points, first, refusals
        self.at_once, self.fails_after = at_once, fails_after
        self.asked = 0
        self._times: Counter[str] = Counter()
        groups = cases.get(case).groups
        self._of = {cue.text: at for at, group in enumerate(groups) for cue in group.cues}

    def decide(self, questions: Sequence[Question], context: JobContext) -> list[Reply]:
        """Answer each question from its text alone."""
        self.asked += len(questions)
        if self.fails_after is not None and self.asked > self.fails_after:
            raise DeciderError("The server answers 500. Try again in a minute.")
        return [self._reply(question) for question in questions]

    def _reply(self, question: Question) -> Reply:
        self._times[question.prompt] += 1
        draw, other = _draws(f"{question.prompt} {self._times[question.prompt]}")
        tokens = len(question.prompt) // 4
        if other < self.refusals:
            return Reply(
                outcome="refused", text=_REFUSAL, model="planted 1", tokens_in=tokens, tokens_out=9
            )
        if question.cannot_say and other > 1 - self.refusals:
            return Reply(outcome="cannot say", text=question.cannot_say, model="planted 1")
        answer = question.options[0 if draw < self._p_first(question) else 1]
        return Reply(
            outcome="answered", answer=answer, text=answer, model="planted 1",
            tokens_in=tokens, tokens_out=1,
        )  # fmt: skip

    def _p_first(self, question: Question) -> float:
        """Return how probable the first answer is."""
        text = question.context or question.prompt
        years = [float(found) for found in _YEARS.findall(text)]
        cues = sorted((text.find(cue), at) for cue, at in self._of.items() if cue in text)
        merits = [x - self.points[at] for x, (_, at) in zip(years, cues, strict=False)]
        if len(merits) > 1:
            return _logistic((merits[0] - merits[1] + self.first) / _SCALE)
        yes_first = question.options[0] in ("INVITE", "YES")
        yes = _logistic((merits[0] + (self.first if yes_first else -self.first)) / _SCALE)
        return yes if yes_first else 1 - yes


def _logistic(value: float) -> float:
    return 1 / (1 + math.exp(-value))


def _draws(text: str) -> tuple[float, float]:
    """Return two numbers in [0, 1) that depend on the text alone."""
    digest = hashlib.sha256(text.encode()).digest()
    one, two = digest[:6], digest[6:12]
    return int.from_bytes(one, "big") / 2**48, int.from_bytes(two, "big") / 2**48
