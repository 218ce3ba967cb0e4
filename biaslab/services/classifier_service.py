"""Text classifiers as services: a text in, the name of a label out."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from biaslab.calls import recorded_class
from biaslab.errors import ServiceAnswerError, ServiceSetupError, SubjectError
from biaslab.services.service import Cost, Limits

if TYPE_CHECKING:
    from biaslab.subjects.huggingface_classifier import HuggingFaceClassifier
    from biaslab.subjects.sentiment import SentimentClassifier


@recorded_class
class ClassifierService:
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
        if not (hasattr(classifier, "probability") or hasattr(classifier, "tokenizer")):
            raise ServiceSetupError(
                f"{classifier.name} classifies points, not texts. Choose a text classifier, such"
                " as bl.load('imdb-sentiment')."
            )
        unknown = sorted(set(answers or ()) - set(classifier.labels))
        if unknown:
            raise ServiceSetupError(
                f"{classifier.name} has no label {unknown[0]!r}: it has "
                f"{', '.join(classifier.labels)}."
            )
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
        answers = "/".join(self._answers[label] for label in self.classifier.labels)
        return f"classifier {self.name} {self.classifier.content_hash[:16]} {answers}"

    def probabilities(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """Return p(label | text), shape (texts, labels).

        Raises
        ------
        SubjectError
            If the classifier knows no word of a text.
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

    def __repr__(self) -> str:
        return f"<ClassifierService {self.name}>"


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
