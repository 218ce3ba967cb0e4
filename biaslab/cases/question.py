"""A question as it is put to a decider: a prompt, and the answers that it may choose."""

from __future__ import annotations

from dataclasses import dataclass

from biaslab.record import Record


@dataclass(frozen=True)
class Question(Record):
    """One question.

    Attributes
    ----------
    prompt : str
        The whole text, with the instruction how to answer.
    options : tuple of str
        The answers in the order in which the prompt lists them.
    cannot_say : str
        The answer of who cannot decide; empty if the prompt does not offer one.
    context : str
        The prompt without the instruction: what a classifier of texts reads.
    """

    prompt: str
    options: tuple[str, ...]
    cannot_say: str = ""
    context: str = ""

    @property
    def key(self) -> tuple[str | tuple[str, ...], ...]:
        """What a reply depends on, as plain values: the key of stored replies."""
        return self.prompt, self.options, self.cannot_say, self.context

    @property
    def answers(self) -> tuple[str, ...]:
        """All answers that may be chosen."""
        return (*self.options, self.cannot_say) if self.cannot_say else self.options
