"""A text classifier as a decider: a label is a decision."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Final

from biaslab.calls import recorded_class
from biaslab.cases import Question
from biaslab.deciders.decider import Reply
from biaslab.deciders.function_decider import of_shares
from biaslab.errors import DeciderError, SubjectError
from biaslab.jobs import JobContext
from biaslab.services import ClassifierService
from biaslab.subjects.classifier import Classifier

_AT_ONCE: Final = 64


@recorded_class
class ClassifierDecider:
    """A classifier that reads the text of a case, without the instruction how to answer.

    Parameters
    ----------
    classifier : SentimentClassifier or HuggingFaceClassifier
        As `biaslab.load` opens them.
    answers : mapping of str to str, optional
        Label to answer, such as ``{"positive": "PUBLISH", "negative": "REJECT"}``. Several labels
        may stand for one answer, and a label for none. By default a label stands for the answer
        of its name, in any case.

    Raises
    ------
    SubjectError
        If the classifier reads no texts, or lacks one of the labels.
    """

    gives_probabilities = True
    at_once = _AT_ONCE

    def __init__(self, classifier: Classifier, *, answers: Mapping[str, str] | None = None) -> None:
        if not (hasattr(classifier, "probability") or hasattr(classifier, "tokenizer")):
            raise SubjectError(
                f"{classifier.name} classifies points, not texts. Choose a text classifier, such as"
                " bl.load('imdb-sentiment')."
            )
        unknown = [label for label in answers or () if label not in classifier.labels]
        if unknown:
            raise SubjectError(
                f"{classifier.name} has no label {unknown[0]!r}: it has"
                f" {', '.join(classifier.labels)}."
            )
        self.classifier = classifier
        self.answers = dict(answers) if answers else {}
        self.name, self.about = classifier.name, classifier.about or "text classifier"
        self._service = ClassifierService(classifier)  # type: ignore[arg-type]  # it reads texts

    def __repr__(self) -> str:
        return f"<ClassifierDecider {self.name}>"

    @cached_property
    def identity(self) -> str:
        """Hash of the classifier, and its answers."""
        answers = "/".join(f"{label}={answer}" for label, answer in sorted(self.answers.items()))
        return f"classifier {self.name} {self.classifier.content_hash[:16]} {answers}".strip()

    def decide(self, questions: Sequence[Question], context: JobContext) -> list[Reply]:
        """See `Decider.decide`.

        Raises
        ------
        DeciderError
            If an answer has no label, or the classifier cannot read a text.
        """
        context.checkpoint()
        if not questions:
            return []
        begun = time.monotonic()
        texts = {question.context or question.prompt: None for question in questions}
        labels = {question.options: self._labels(question) for question in questions}
        try:
            rows = self._service.probabilities(list(texts))
        except SubjectError as error:
            raise DeciderError(str(error)) from error
        shares = dict(zip(texts, rows.tolist(), strict=True))
        seconds = (time.monotonic() - begun) / len(questions)
        replies = []
        for question in questions:
            row = shares[question.context or question.prompt]
            of = labels[question.options]
            masses = [
                sum(row[place] for place, answer in enumerate(of) if answer == one)
                for one in question.answers
            ]
            reply = of_shares(
                question, [mass / sum(masses) for mass in masses], mass=min(1.0, sum(masses))
            )
            replies.append(replace(reply, seconds=seconds))
        return replies

    def _labels(self, question: Question) -> list[str]:
        """Return the answer that each label stands for; "" for none."""
        by_name = {answer.casefold(): answer for answer in question.answers}
        of = [
            self.answers.get(label, "") if self.answers else by_name.get(label.casefold(), "")
            for label in self.classifier.labels
        ]
        missing = [answer for answer in question.options if answer not in of]
        if missing:
            raise DeciderError(
                f"No label of {self.name} stands for the answer {missing[0]!r}. Say which:"
                f" answers={{{self.classifier.labels[0]!r}: {missing[0]!r}, ...}}; its labels are"
                f" {', '.join(self.classifier.labels)}."
            )
        return of
