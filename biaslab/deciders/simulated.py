"""A simulated decider whose gap, position bias, lapses and refusals are known."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np

from biaslab.cases import Case, Question
from biaslab.deciders.decider import Reply, replies_of
from biaslab.deciders.function_decider import of_shares
from biaslab.deciders.simulated_faults import Faults
from biaslab.deciders.simulated_prompts import Asked, Candidate, PromptReader
from biaslab.deciders.simulated_server import SimulatedServer
from biaslab.deciders.simulated_truth import DeciderTruth, shares_of
from biaslab.errors import DeciderError
from biaslab.jobs import JobContext

_REFUSAL: Final = "I'm sorry, but I can't make decisions about people."
_THOUGHTS: Final = "<think>\nI weigh what {text} would mean here.\n</think>\n\n{text}"


class SimulatedDecider:
    """A decider of known truth; made by `biaslab.observers.decider`.

    Attributes
    ----------
    truth : DeciderTruth
    realised : tuple of float
        PSE of each group, averaged over the cues and wordings of its case.
    """

    about = "a simulated decider with a known gap"
    at_once = 256

    def __init__(
        self, case: Case, truth: DeciderTruth, *, reasoning: bool, probabilities: bool, seed: int
    ) -> None:
        self.case, self.truth, self.reasoning, self.seed = case, truth, reasoning, seed
        self.gives_probabilities = probabilities
        self.name = f"decider observer, gap {truth.gap():g} {case.quality.unit}"
        self._reader = PromptReader(case)
        self._of_cue = [truth.cues[cue.text] for group in case.groups for cue in group.cues]
        form = f"{case!r} {truth!r} {reasoning} {probabilities}"
        digest = hashlib.blake2b(form.encode(), digest_size=8).hexdigest()
        self.identity = f"observer/1 decider {digest} seed={seed}"

    def __repr__(self) -> str:
        return f"<SimulatedDecider of {self.case.name}: gap {self.truth.gap():g}>"

    @property
    def realised(self) -> tuple[float, ...]:
        """PSE of each group, averaged over its cues and the wordings."""
        truth = self.truth
        means = []
        for number, group in enumerate(self.case.groups):
            cues = float(np.mean([truth.cues[cue.text] for cue in group.cues]))
            wordings = float(np.mean(truth.wordings))
            own = float(np.mean([row[number] for row in truth.wordings_by_group]))
            means.append(truth.pse[number] + cues + wordings + own)
        return tuple(means)

    def decide(self, questions: Sequence[Question], context: JobContext) -> list[Reply]:
        """See `Decider.decide`; equal questions are repetitions from 0."""
        return replies_of(self, questions, context)

    def stream(
        self, questions: Sequence[Question], repetitions: Sequence[int], context: JobContext
    ) -> Iterator[tuple[int, Reply]]:
        """See `StreamingDecider.stream`; a repetition always brings the same reply."""
        for number, (question, repetition) in enumerate(zip(questions, repetitions, strict=True)):
            if context.should_stop:
                return
            yield number, self._reply(question, repetition)

    def shares(self, prompt: str) -> dict[str, float]:
        """Return the probability of each answer, and of a refusal under ``""``.

        Raises
        ------
        DeciderError
            If the case has no such prompt.
        """
        return self._shares(self._asked(prompt))

    def text(self, prompt: str, repetition: int = 0) -> str:
        """Return the reply to a prompt in words, with thoughts if it reasons.

        Raises
        ------
        DeciderError
            If the case has no such prompt.
        """
        shares = self.shares(prompt)
        answer = _drawn(shares, f"{self.identity}|{repetition}|{prompt}")
        text = answer or _REFUSAL
        return _THOUGHTS.format(text=text) if self.reasoning else text

    def serve(self, port: int = 0, *, faults: Faults | None = None) -> SimulatedServer:
        """Serve it as a chat model on 127.0.0.1, with OpenAI's interface.

        Parameters
        ----------
        port : int
            0: any free one.
        faults : Faults, optional
            What the server refuses, and how its first answers fail.

        Returns
        -------
        SimulatedServer
            Runs in a ``with`` block; its ``url`` is the address of the model ``simulated``.
        """
        return SimulatedServer(self, port, faults or Faults())

    def _asked(self, prompt: str) -> Asked:
        asked = self._reader.read(prompt)
        if asked is None:
            raise DeciderError(
                f"{self.name} knows only the questions of {self.case.name!r}. Ask it that case."
            )
        return asked

    def _reply(self, question: Question, repetition: int) -> Reply:
        shares = self.shares(question.prompt)
        if self.gives_probabilities:
            mass = 1 - shares[""]
            if mass > 0:
                scaled = [shares[answer] / mass for answer in question.answers]
                return of_shares(question, scaled, mass=mass)
        answer = _drawn(shares, f"{self.identity}|{repetition}|{question.prompt}")
        thoughts = f"I weigh what {answer or _REFUSAL} would mean here." if self.reasoning else ""
        own: dict[str, Any] = {"reasoning": thoughts, "model": self.name}
        if not answer:
            why = "It declines to decide."
            return Reply(outcome="refused", text=_REFUSAL, reason=why, **own)
        if answer == question.cannot_say:
            return Reply(outcome="cannot say", text=answer, **own)
        return Reply(outcome="answered", answer=answer, text=answer, **own)

    def _shares(self, asked: Asked) -> dict[str, float]:
        form = self.case.yes_or_no
        yes = asked.options[0] if asked.form == "which of two" or form is None else form.yes
        yes_distance = self._distance(asked.candidates[0], asked.wording)
        if asked.form == "which of two":
            yes_distance -= self._distance(asked.candidates[1], asked.wording)
        return shares_of(self.truth, asked, yes, yes_distance)

    def _distance(self, candidate: Candidate, wording: int) -> float:
        """Return how far a candidate lies above its PSE, in units of the scale."""
        truth, group = self.truth, candidate.group
        pse = truth.pse[group] + self._of_cue[candidate.cue] + truth.wordings[wording]
        pse += truth.wordings_by_group[wording][group]
        return self.case.quality.sign * (candidate.level - pse) / truth.scale


def _drawn(shares: Mapping[str, float], key: str) -> str:
    """Return one of the answers, always the same for a key."""
    digest = hashlib.blake2b(key.encode(), digest_size=8).digest()
    point = int.from_bytes(digest, "big") / 2**64
    for answer, share in shares.items():
        point -= share
        if point < 0:
            return answer
    return max(shares, key=lambda answer: shares[answer])
