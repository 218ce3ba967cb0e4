"""What a chat model's answer to a question comes to."""

from __future__ import annotations

from dataclasses import replace

from biaslab.cases import Question
from biaslab.deciders.decider import Reply
from biaslab.deciders.reading import read_reply
from biaslab.deciders.token_choices import probabilities_of
from biaslab.services.completion import Completion


def reply_to(question: Question, completion: Completion, seconds: float) -> Reply:
    """Return what a completion comes to.

    A reply that begins with its decision, without thoughts before it, has the probabilities of the
    answers where the server sends those of the first token and they cover every answer.
    """
    reply = _in_words(question, completion)
    reply = replace(
        reply, model=completion.model, tokens_in=completion.tokens_in,
        tokens_out=completion.tokens_out, seconds=seconds,
    )  # fmt: skip
    if completion.tokens and not reply.reasoning and reply.outcome in ("answered", "cannot say"):
        drawn = reply.answer or question.cannot_say
        found = probabilities_of(question, completion.tokens, drawn)
        if found is not None:
            shares, mass = found
            best = max(range(len(question.options)), key=shares.__getitem__)
            return replace(
                reply, outcome="answered", answer=question.options[best], probabilities=shares,
                mass=mass,
            )  # fmt: skip
    return reply


def _in_words(question: Question, completion: Completion) -> Reply:
    if completion.refusal:
        return Reply(
            outcome="refused", text=completion.refusal, reasoning=completion.reasoning,
            reason="The model refuses.",
        )  # fmt: skip
    if completion.finish == "filter":
        return Reply(
            outcome="refused", text=completion.text, reasoning=completion.reasoning,
            reason="The server's filter of content held the reply back.",
        )  # fmt: skip
    is_cut = completion.finish == "length"
    if is_cut and completion.reasoning and not completion.text.strip():
        return Reply(
            outcome="unreadable", reasoning=completion.reasoning,
            reason="Its reasoning was cut off at the limit on its length. Allow more tokens.",
        )  # fmt: skip
    reading = read_reply(completion.text, question, is_cut=is_cut)
    thoughts = [one for one in (completion.reasoning, reading.reasoning) if one]
    return replace(reading.reply(), reasoning="\n\n".join(thoughts))
