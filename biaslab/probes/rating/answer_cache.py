"""Cache of services' answers in the store."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from biaslab.asking.stored_replies import TimedValues, stored_key
from biaslab.services import Service
from biaslab.store import Store

KIND = "service-answer/1"


class AnswerCache:
    """Answers of services, by identity, text and number of the repetition.

    Parameters
    ----------
    store : Store or None
        None: nothing is stored or found.
    repetition : int
        Which answer of a service that answers differently each time.

    Attributes
    ----------
    problems : list of str
        A failure of the store, which does not end the run.
    """

    def __init__(self, store: Store | None, repetition: int = 0) -> None:
        self.problems: list[str] = []
        self._stored = TimedValues(store, KIND, self.problems, "Answers are not cached")
        self._repetition = repetition
        self.write = self._stored.flush

    def find(self, service: Service, texts: Iterable[str]) -> dict[str, str]:
        """Return the cached answers of texts."""
        if not self._stored.is_used or not service.identity:
            return {}
        keys = {stored_key(service.identity, text, self._repetition): text for text in texts}
        return {keys[key]: answer for key, answer in self._stored.find(keys).items()}

    def keep(self, service: Service, answers: Mapping[str, str]) -> None:
        """Add answers."""
        if self._stored.is_used and service.identity:
            self._stored.put(
                {
                    stored_key(service.identity, text, self._repetition): answer
                    for text, answer in answers.items()
                }
            )
