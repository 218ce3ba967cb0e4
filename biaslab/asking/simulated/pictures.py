"""A simulated chat model that sees pictures, as a server on 127.0.0.1."""

from __future__ import annotations

import base64
import io
import threading
from collections.abc import Sequence
from typing import Any, Final, Protocol

import numpy as np

from biaslab.asking.simulated.server import Answering, messages_of
from biaslab.errors import DeciderError, ObserverError
from biaslab.subjects.vision_language.pictures import Picture, as_picture
from biaslab.subjects.vision_language.questions import LETTERS, read_lettered

_MARK: Final = "\n\n"


class Seeing(Protocol):
    """A `biaslab.subjects.VisionLanguageModel`, or an observer with its interface."""

    @property
    def name(self) -> str:
        """Name shown to the person."""

    def probabilities(
        self, images: Sequence[Any], concepts: Sequence[str], templates: Sequence[str]
    ) -> Any:
        """Return probabilities of concepts, (pictures, templates, concepts)."""


class SimulatedPictureChat(Answering):
    """A chat model that answers about pictures as a vision-language subject does.

    Parameters
    ----------
    subject : VisionLanguageModel
        Whose probabilities of the options it has.
    position : float
        Log-odds of the option listed first against the one listed last; the others lie evenly
        between.
    refusal : float
        Probability of a refusal, in [0, 1).
    seed : int
        Of its draws.

    Raises
    ------
    ObserverError
        If a number is out of its range.
    """

    declining = "I'm sorry, but I can't make judgements about people in pictures."

    def __init__(
        self, subject: Seeing, *, position: float = 0.0, refusal: float = 0.0, seed: int = 0
    ) -> None:
        if not np.isfinite(position):
            raise ObserverError(f"position is {position}: give a number; 0 for no effect.")
        if not 0 <= refusal < 1:
            raise ObserverError(f"refusal is {refusal}: give a probability of at least 0, below 1.")
        self.subject, self.position, self.refusal = subject, position, refusal
        self.key = str(seed)
        self._seen: dict[str, Picture] = {}
        self._known: dict[str, dict[str, float]] = {}
        self._lock = threading.Lock()

    def shares(self, prompt: str) -> dict[str, float]:
        """See `Answering.shares`: a prompt is the picture's hash, an empty line, and a question."""
        with self._lock:
            if prompt not in self._known:
                self._known[prompt] = self._shares(prompt)
            return self._known[prompt]

    def prompt_of(self, body: dict[str, Any]) -> str | None:
        """Return the picture's hash and the question; None without a picture that can be read."""
        from PIL import Image

        for message in reversed(messages_of(body)):
            parts = message.get("content")
            if message.get("role") != "user" or not isinstance(parts, list):
                continue
            texts = [str(p.get("text", "")) for p in parts if p.get("type") == "text"]
            addresses = [p["image_url"]["url"] for p in parts if p.get("type") == "image_url"]
            if len(addresses) != 1 or not texts:
                return None
            try:
                data = base64.b64decode(addresses[0].partition("base64,")[2], validate=True)
                picture = as_picture(Image.open(io.BytesIO(data)))
            except (OSError, ValueError):
                return None
            self._seen[picture.hash] = picture
            return f"{picture.hash}{_MARK}{texts[-1]}"
        return None

    def _shares(self, prompt: str) -> dict[str, float]:
        picture, _, question = prompt.partition(_MARK)
        read = read_lettered(question)
        if read is None or picture not in self._seen:
            raise DeciderError("A simulated chat model knows only questions about a picture.")
        text, options = read
        chances = self.subject.probabilities([self._seen[picture]], options, [text])[0, 0]
        places = np.linspace(0.5, -0.5, len(options))
        weights = np.asarray(chances) * np.exp(self.position * places)
        shares = (1 - self.refusal) * weights / weights.sum()
        named = dict(zip(LETTERS, shares.tolist(), strict=False))
        return {**named, "": self.refusal}
