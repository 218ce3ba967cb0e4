"""Chat models over an API that are shown pictures, as deciders and as a subject."""

from __future__ import annotations

import base64
import hashlib
import io
import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np
from scipy import special

from biaslab.asking.chat_model import Prompt
from biaslab.asking.endpoint import Endpoint
from biaslab.asking.protocols import Decider, Named, Reply
from biaslab.asking.providers.chat import ChatDecider
from biaslab.asking.reading.reading import read_reply
from biaslab.asking.stored_replies import StoredReplies
from biaslab.cases import Question
from biaslab.errors import DeciderError, QueryError, UnknownTermError
from biaslab.jobs.job import JobContext, JobStopped
from biaslab.records.calls import recorded_class
from biaslab.store import Store
from biaslab.subjects.embedding.terms import Resolution, Unknown
from biaslab.subjects.vision_language.pictures import Picture, as_picture
from biaslab.subjects.vision_language.questions import (
    LETTERS,
    ORDERS,
    QUESTIONS,
    ConceptAnswers,
    Floats,
    LetterAnswers,
    checked_templates,
    in_order,
    lettered,
)

LARGEST: Final = 15_000_000
"""Bytes of an encoded picture: a little less than the least that providers take in a request."""


@dataclass(frozen=True)
class PictureQuestion(Question):
    """One question about one picture.

    Attributes
    ----------
    picture : str
        SHA-256 of the pixels, hexadecimal.
    data : str
        The picture as a ``data:`` address of a PNG file.
    concepts : tuple of str
        Text of each option, in the order of the letters.
    """

    picture: str = ""
    data: str = field(default="", repr=False)
    concepts: tuple[str, ...] = ()

    @property
    def key(self) -> tuple[str | tuple[str, ...], ...]:
        """See `Question.key`: the picture counts by its content."""
        return (*super().key, "picture", self.picture)


def data_of(picture: Picture) -> str:
    """Return a picture as a ``data:`` address of a PNG file, if a request can hold it."""
    image = picture.picture()
    file = io.BytesIO()
    image.save(file, "PNG")
    encoded = base64.b64encode(file.getvalue()).decode("ascii")
    if len(encoded) > LARGEST:
        width, height = image.size
        raise QueryError(
            f"A picture of {width:,} x {height:,} pixels takes {len(encoded) / 1e6:.0f} MB in a"
            f" request, and at most {LARGEST / 1e6:.0f} MB are sent. Give a smaller picture."
        )
    return f"data:image/png;base64,{encoded}"


def picture_question(
    picture: Picture, data: str, template: str, concepts: Sequence[str], order: str
) -> PictureQuestion:
    """Return a question about a picture, with 2 to 26 concepts as options by letter.

    The `data` are those of `data_of`, and the order is one of
    `biaslab.subjects.vision_language.questions.ORDERS`.
    """
    options = in_order(concepts, order)
    return PictureQuestion(
        lettered(template, options), tuple(LETTERS[: len(options)]), picture=picture.hash,
        data=data, concepts=options,
    )  # fmt: skip


Hook = Callable[[], None] | None
Advance = Callable[[int], None] | None


class _ProbeContext(JobContext):
    """Stops of a probe, and its progress in pictures, while a decider answers."""

    def __init__(self, between: Hook, advance: Advance, pictures: int) -> None:
        self._between, self._advance, self._pictures = between, advance, pictures
        self._done = 0

    @property
    def should_stop(self) -> bool:
        try:
            self.checkpoint()
        except JobStopped:
            return True
        return False

    def checkpoint(self) -> None:
        if self._between is not None:
            self._between()

    def report(self, done: float, total: float | None = None, message: str = "") -> None:
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


_ABOUT_PICTURES: Final = (
    "image", "vision", "multimodal", "multi-modal", "picture", "content must be", "(413)",
    "too large",
)  # fmt: skip
"""Words of a server's error that is about a picture."""


@recorded_class
class PictureChatDecider(ChatDecider):
    """A chat model that is sent each question with its picture, as a conversation of its own.

    Everything but the picture is as of `ChatDecider`, parameters and errors too. A reply that names
    one option in words counts as its letter.
    """

    about = "chat model that sees pictures"

    def content(self, question: Question) -> Prompt:
        """Return the parts of the message: the picture and the question."""
        if not isinstance(question, PictureQuestion):
            return question.prompt
        return [
            {"type": "image_url", "image_url": {"url": question.data}},
            {"type": "text", "text": question.prompt},
        ]

    def _ask(self, question: Question, context: JobContext) -> Reply:
        if not isinstance(question, PictureQuestion):
            return super()._ask(question, context)
        try:
            reply = super()._ask(question, context)
        except DeciderError as error:
            said = str(error)
            if not any(word in said.lower() for word in _ABOUT_PICTURES):
                raise
            raise DeciderError(
                f"{self.name} refuses pictures, or this one: {said} Choose a model that sees"
                " pictures, or give smaller ones. Replies so far are kept."
            ) from None
        return _in_words(question, reply) if reply.outcome == "unreadable" else reply


def _in_words(question: PictureQuestion, reply: Reply) -> Reply:
    """Return a reply whose text names exactly one option in words as that option's letter."""
    named = read_reply(reply.text, Question(question.prompt, question.concepts))
    if named.outcome != "answered":
        return reply
    letter = question.options[question.concepts.index(named.answer)]
    return replace(reply, outcome="answered", answer=letter, reason="")


_AT_ONCE: Final = 32
"""Pictures whose encoded forms are in memory together."""
_DRAWN = "log share of replies that choose the option's letter, over both orders of the options"
_GIVEN = (
    "log probability of the option's letter among the letters, the mean over both orders of the"
    " options"
)


@recorded_class
class PictureChat(Named):
    """A chat model over an API as a vision-language subject, for pictures and morphs.

    Each picture is asked about with the concepts as options by letter, in both orders. Where the
    server sends log-probabilities, one reply says how probable each letter is; elsewhere `draws`
    replies to each question are counted.

    Parameters
    ----------
    model : str, Endpoint or Decider
        Name of the model, an endpoint, or a decider that answers `PictureQuestion`.
    draws : int
        Replies to a question where there are no log-probabilities, at least 1.
    keep : bool
        Whether replies are stored, so that a second look costs no call.
    store : Store, optional
        By default the user's own.
    **options
        Of `biaslab.deciders.ChatDecider`: ``base_url``, ``key``, ``temperature``, ``limits``
        and so on.

    Attributes
    ----------
    asked, found : int
        Replies that the model gave, and that came from the store.

    Raises
    ------
    DeciderError
        If `draws` is below 1, or options are given for a decider; others as of `ChatDecider`.
    """

    kind = "picture-chat"
    device = "cpu"
    dtype = ""
    takes_captions, takes_questions, chooses_by_letter = False, True, True
    templates = QUESTIONS

    def __init__(
        self,
        model: str | Endpoint | Decider,
        *,
        draws: int = 10,
        keep: bool = True,
        store: Store | None = None,
        **options: Any,
    ) -> None:
        if draws < 1:
            raise DeciderError(f"draws={draws}: ask for at least 1 reply to each question.")
        is_open = not isinstance(model, str | Endpoint)
        if is_open and options:
            raise DeciderError(f"A decider is open already: leave out {', '.join(options)}.")
        named: Any = model
        decider: Decider = named if is_open else PictureChatDecider(named, **options)
        self.decider = decider
        self.draws, self.name, self.about = draws, decider.name, decider.about
        self._replies = StoredReplies(decider, (store or Store()) if keep else None)

    @property
    def asked(self) -> int:
        """Replies that the model gave."""
        return self._replies.asked

    @property
    def found(self) -> int:
        """Replies that came from the store."""
        return self._replies.found

    @property
    def notes(self) -> tuple[str, ...]:
        """What the server refuses, and whether replies are stored."""
        return (*getattr(self.decider, "notes", ()), *self._replies.notes)

    @property
    def content_hash(self) -> str | None:
        """SHA-256 of the decider's identity and of the number of draws; None without one."""
        if not self.decider.identity:
            return None
        return hashlib.sha256(f"{self.decider.identity}|{self.draws}".encode()).hexdigest()

    def resolve(self, concepts: Sequence[str]) -> Resolution:
        """Sort concepts into options that can be listed and the others."""
        if isinstance(concepts, str):
            raise TypeError(f"Pass a list of concepts: [{concepts!r}], not {concepts!r}.")
        refused = {c: "empty" for c in concepts if not c.strip()}
        refused |= {c: "has a line break, and each option is a line" for c in concepts if "\n" in c}
        counts = Counter(c for c in concepts if c not in refused)
        return Resolution(
            tuple(counts),
            tuple(Unknown(c, why) for c, why in refused.items()),
            tuple(c for c, count in counts.items() if count > 1),
            {c: (c,) for c in counts},
        )

    def probabilities(
        self,
        images: Sequence[Any],
        concepts: Sequence[str],
        templates: Sequence[str] | None = None,
        **options: Any,
    ) -> Floats:
        """Return probabilities of concepts, shape (pictures, templates, concepts)."""
        answers = self.answers(images, concepts, templates, **options)
        if answers.unasked:
            reasons = "; ".join(f"{u.term!r}: {u.reason}" for u in answers.unasked[:5])
            raise UnknownTermError(f"{self.name} cannot be asked {reasons}.", answers.unasked)
        return answers.probabilities

    def answers(
        self,
        images: Sequence[Any],
        concepts: Sequence[str],
        templates: Sequence[str] | None = None,
        *,
        memory_mb: float = math.inf,
        store: object = None,
        between: Hook = None,
        advance: Advance = None,
    ) -> ConceptAnswers:
        """Return the model's answers, as `biaslab.subjects.VisionLanguageModel.answers`.

        NaN where a question has no readable reply in one of its orders. `memory_mb` and `store` are
        not used: replies are in the store of the subject.

        Raises
        ------
        QueryError
            When there is no picture, or fewer than two concepts.
        DeciderError
            If no reply can be had; those so far are stored.
        """
        del memory_mb, store
        checked = checked_templates(
            self.templates if templates is None else templates, captions=False, questions=True
        )
        resolution = self.resolve(concepts)
        if len(resolution.known) < 2 or resolution.duplicates:
            raise QueryError("Give at least two concepts, each once.")
        pictures = [as_picture(image) for image in images]
        if not pictures:
            raise QueryError("There is no picture to test. Give at least one.")
        parts = []
        for at in range(0, len(pictures), _AT_ONCE):
            some = pictures[at : at + _AT_ONCE]
            parts.append(self._letters(some, checked, resolution.known, between, advance))
        is_drawn = any(part.draws for part in parts)
        letters = LetterAnswers(
            np.concatenate([part.log_probabilities for part in parts]),
            self.draws if is_drawn else 0,
        )
        scores = letters.log_scores
        return ConceptAnswers(
            resolution.known, checked, special.softmax(scores, axis=-1), scores,
            _DRAWN if is_drawn else _GIVEN, resolution.unknown, (), letters,
        )  # fmt: skip

    def forget_pictures(self) -> None:
        """Do nothing: pictures are not kept."""

    def _letters(
        self,
        pictures: Sequence[Picture],
        templates: Sequence[str],
        concepts: Sequence[str],
        between: Hook,
        advance: Advance,
    ) -> LetterAnswers:
        questions = [
            picture_question(picture, data, template, concepts, order)
            for picture, data in zip(pictures, map(data_of, pictures), strict=True)
            for template in templates
            for order in ORDERS
        ]
        context = _ProbeContext(between, advance, len(pictures))
        replies = [[reply] for reply in self._ask(questions, [0] * len(questions), context)]
        left = [i for i, own in enumerate(replies) if not own[0].probabilities]
        time = 1
        while left and time < self.draws:
            # A reply without probabilities among others that have them, such as a refusal, is
            # followed by one more; where there are none, all replies are asked for at once.
            end = time + 1 if self.decider.gives_probabilities else self.draws
            again = [(i, t) for i in left for t in range(time, end)]
            more = self._ask(
                [questions[i] for i, _ in again], [t for _, t in again],
                _ProbeContext(between, None, 0),
            )  # fmt: skip
            for (i, _), reply in zip(again, more, strict=True):
                replies[i].append(reply)
            left = [i for i in left if not replies[i][-1].probabilities]
            time = end
        rows = [log_probabilities(q, own) for q, own in zip(questions, replies, strict=True)]
        shape = (len(pictures), len(templates), len(ORDERS), len(concepts))
        logs = np.array(rows).reshape(shape)
        logs[:, :, 1] = logs[:, :, 1, ::-1]  # listed in reverse
        is_counted = any(not math.isnan(rows[i][0]) for i in left)
        return LetterAnswers(logs, self.draws if is_counted else 0)

    def _ask(
        self, questions: Sequence[PictureQuestion], times: Sequence[int], context: JobContext
    ) -> list[Reply]:
        replies = self._replies.ask(questions, times, context)
        if len(replies) < len(questions):
            raise JobStopped
        return replies
