"""Text classifiers: a text in, a label out."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from biaslab.asking.protocols import CASE, Cost, Limits, Named, Reply, of_shares
from biaslab.cases import Question
from biaslab.errors import DeciderError, ServiceAnswerError, ServiceSetupError, SubjectError
from biaslab.jobs.job import JobContext
from biaslab.records.calls import recorded_class
from biaslab.subjects.classifier.base import Classifier

if TYPE_CHECKING:
    from biaslab.subjects.classifier.neural import HuggingFaceClassifier
    from biaslab.subjects.classifier.sentiment import SentimentClassifier


@recorded_class
class ClassifierService(Named):
    """A text classifier as a service: from a text to its most probable label.

    Parameters
    ----------
    classifier : SentimentClassifier or HuggingFaceClassifier
        As `biaslab.load` opens them.
    answers : mapping of str to str, optional
        Label to answer; by default the label itself.

    Raises
    ------
    ServiceSetupError
        If the classifier reads no texts, or an answer is for a label that it does not have.
    """

    def __init__(
        self,
        classifier: SentimentClassifier | HuggingFaceClassifier,
        *,
        answers: Mapping[str, str] | None = None,
    ) -> None:
        if problem := _problem(classifier, answers):
            raise ServiceSetupError(problem)
        self.classifier = classifier
        self.name = classifier.name
        self.about = classifier.about or "text classifier"
        self.limits = Limits(texts_per_call=16, timeout=600.0, attempts=1)
        self.cost = Cost()
        self._answers = {label: label for label in classifier.labels} | dict(answers or {})
        self._lock = threading.Lock()

    @cached_property
    def identity(self) -> str:
        """Hash of the classifier, and its answers."""
        return _identity(self.classifier, *(self._answers[k] for k in self.classifier.labels))

    def probabilities(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """Return p(label | text), shape (texts, labels).

        A text of which the classifier knows no word is a `SubjectError`.
        """
        classifier: Any = self.classifier
        with self._lock:
            if hasattr(classifier, "probability"):
                return np.asarray(classifier.probability(texts), dtype=np.float64)
            return _of_texts(classifier, texts)

    def answer(self, texts: Sequence[str]) -> list[str]:
        """See `Service.answer`."""
        try:
            probabilities = self.probabilities(texts)
        except SubjectError as error:
            raise ServiceAnswerError(str(error)) from error
        return [self._answers[self.classifier.labels[k]] for k in probabilities.argmax(axis=1)]


def _identity(classifier: Any, *answers: str) -> str:
    parts = ("classifier", classifier.content_hash[:16], "/".join(answers))
    return " ".join(filter(None, parts))


def _problem(classifier: Any, answers: Mapping[str, str] | None) -> str:
    """Return why a classifier cannot be asked for these answers; empty if it can."""
    if not (hasattr(classifier, "probability") or hasattr(classifier, "tokenizer")):
        return (
            f"{classifier.name} classifies points, not texts. Choose a text classifier, such as"
            " bl.load('imdb-sentiment')."
        )
    unknown = sorted(set(answers or ()) - set(classifier.labels))
    has = ", ".join(classifier.labels)
    return f"{classifier.name} has no label {unknown[0]!r}: it has {has}." if unknown else ""


def _of_texts(classifier: Any, texts: Sequence[str]) -> NDArray[np.float64]:
    import torch

    if classifier.tokenizer.pad_token_id is None and len(texts) > 1:
        return np.concatenate([_of_texts(classifier, [text]) for text in texts])
    read = classifier.tokenizer(
        list(texts), return_tensors="pt", padding=len(texts) > 1, truncation=False
    )
    longest = getattr(classifier.model.config, "max_position_embeddings", None)
    if longest is not None and read["input_ids"].shape[1] > longest:
        raise SubjectError(f"A text has more tokens than {classifier.name} reads: {longest}.")
    with torch.inference_mode():
        logits = classifier.model(**{k: v.to(classifier.model.device) for k, v in read.items()})
    probabilities = torch.softmax(logits.logits.double(), dim=-1)
    return np.asarray(probabilities.cpu().numpy())


@recorded_class
class ClassifierDecider(Named):
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
    at_once = 64

    @property
    def request(self) -> Mapping[str, Any]:
        """See `biaslab.asking.protocols.request_of`."""
        return {"text": CASE} | ({"answers": self.answers} if self.answers else {})

    def __init__(self, classifier: Classifier, *, answers: Mapping[str, str] | None = None) -> None:
        if problem := _problem(classifier, answers):
            raise SubjectError(problem)
        self.classifier = classifier
        self.answers = dict(answers or {})
        self._service = ClassifierService(classifier)  # type: ignore[arg-type]  # it reads texts
        self.name, self.about = self._service.name, self._service.about

    @cached_property
    def identity(self) -> str:
        """Hash of the classifier, and its answers."""
        answers = (f"{label}={answer}" for label, answer in sorted(self.answers.items()))
        return _identity(self.classifier, *answers)

    def decide(self, questions: Sequence[Question], context: JobContext) -> list[Reply]:
        """See `Decider.decide`."""
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
            row = zip(
                labels[question.options], shares[question.context or question.prompt], strict=True
            )
            masses = dict.fromkeys(question.answers, 0.0)
            for answer, share in row:
                if answer in masses:
                    masses[answer] += share
            mass = sum(masses.values())
            scaled = [value / mass for value in masses.values()]
            replies.append(of_shares(question, scaled, mass=mass, seconds=seconds))
        return replies

    def problem(self, question: Question) -> str:
        """Return why no label stands for an answer of a question; empty if each has one."""
        if all(option in self._of_labels(question) for option in question.options):
            return ""
        return f"needs the answers {' and '.join(question.options)}"

    def _of_labels(self, question: Question) -> list[str]:
        """Return the answer that each label stands for; "" for none."""
        by_name = {answer.casefold(): answer for answer in question.answers}
        return [
            self.answers.get(label, "") if self.answers else by_name.get(label.casefold(), "")
            for label in self.classifier.labels
        ]

    def _labels(self, question: Question) -> list[str]:
        """Return the answer that each label stands for, or raise a `DeciderError`."""
        of = self._of_labels(question)
        missing = [answer for answer in question.options if answer not in of]
        if missing:
            raise DeciderError(
                f"No label of {self.name} stands for the answer {missing[0]!r}. Say which:"
                f" answers={{{self.classifier.labels[0]!r}: {missing[0]!r}, ...}}; its labels are"
                f" {', '.join(self.classifier.labels)}."
            )
        return of
