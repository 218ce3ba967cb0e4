"""A chat model behind an OpenAI-compatible address that is shown pictures."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from biaslab.calls import recorded_class
from biaslab.cases import Question
from biaslab.deciders.chat_decider import ChatDecider
from biaslab.deciders.decider import Reply
from biaslab.deciders.picture_question import PictureQuestion
from biaslab.deciders.reading import read_reply
from biaslab.errors import DeciderError
from biaslab.jobs import JobContext
from biaslab.services.chat_request import Prompt
from biaslab.services.completion import Completion

_ABOUT_PICTURES: Final = (
    "image", "vision", "multimodal", "multi-modal", "picture", "content must be", "(413)",
    "too large",
)  # fmt: skip
"""Words of a server's error that is about a picture."""


@recorded_class
class PictureChatDecider(ChatDecider):
    """A chat model that is sent each question with its picture, as a conversation of its own.

    Everything but the picture is as of `ChatDecider`. A reply that names one option in words
    counts as its letter.

    Parameters
    ----------
    model, **options
        As of `ChatDecider`.

    Raises
    ------
    MissingExtraError, EndpointError, DeciderError
        As of `ChatDecider`.
    """

    about = "chat model that sees pictures"

    def __init__(self, model: Any, **options: Any) -> None:
        super().__init__(model, **options)

    def content(self, question: Question) -> Prompt:
        """Return the parts of the message: the picture and the question."""
        if not isinstance(question, PictureQuestion):
            return question.prompt
        return [
            {"type": "image_url", "image_url": {"url": question.data}},
            {"type": "text", "text": question.prompt},
        ]

    def _ask(self, question: Question, context: JobContext) -> Reply:
        reply = super()._ask(question, context)
        if reply.outcome == "unreadable" and isinstance(question, PictureQuestion):
            return _in_words(question, reply)
        return reply

    def _completion(self, prompt: Prompt, context: JobContext) -> Completion:
        try:
            return super()._completion(prompt, context)
        except DeciderError as error:
            said = str(error)
            if isinstance(prompt, str) or not any(word in said.lower() for word in _ABOUT_PICTURES):
                raise
            raise DeciderError(
                f"{self.name} refuses pictures, or this one: {said} Choose a model that sees"
                " pictures, or give smaller ones. Replies so far are kept."
            ) from None


def _in_words(question: PictureQuestion, reply: Reply) -> Reply:
    """Return a reply whose text names exactly one option in words as that option's letter."""
    named = read_reply(reply.text, Question(question.prompt, question.concepts))
    if named.outcome != "answered":
        return reply
    letter = question.options[question.concepts.index(named.answer)]
    return replace(reply, outcome="answered", answer=letter, reason="")
