"""A simulated chat model that sees pictures, as a server on 127.0.0.1."""

from __future__ import annotations

import base64
import binascii
import hashlib
import io
import threading
from collections.abc import Sequence
from typing import Any, Final, Protocol

import numpy as np

from biaslab.asking.simulated.server import Faults, SimulatedServer, messages_of
from biaslab.errors import DeciderError, ObserverError
from biaslab.subjects.vision_language.pictures import Picture, as_picture
from biaslab.subjects.vision_language.questions import LETTERS, read_lettered

_REFUSAL: Final = "I'm sorry, but I can't make judgements about people in pictures."
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


class SimulatedPictureChat:
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

    reasoning = False

    def __init__(
        self, subject: Seeing, *, position: float = 0.0, refusal: float = 0.0, seed: int = 0
    ) -> None:
        if not np.isfinite(position):
            raise ObserverError(f"position is {position}: give a number; 0 for no effect.")
        if not 0 <= refusal < 1:
            raise ObserverError(f"refusal is {refusal}: give a probability of at least 0, below 1.")
        self.subject, self.position, self.refusal, self.seed = subject, position, refusal, seed
        self._seen: dict[str, Picture] = {}
        self._known: dict[str, dict[str, float]] = {}
        self._lock = threading.Lock()

    def see(self, data: bytes) -> str:
        """Open a picture that a request holds; return its hash.

        Raises
        ------
        OSError, ValueError
            If it is no picture.
        """
        from PIL import Image

        picture = as_picture(Image.open(io.BytesIO(data)))
        self._seen[picture.hash] = picture
        return picture.hash

    def shares(self, prompt: str) -> dict[str, float]:
        """Return the probability of each letter, and of a refusal under ``""``.

        Parameters
        ----------
        prompt : str
            The picture's hash, an empty line, and a question with options by letter.

        Raises
        ------
        DeciderError
            If it is no such prompt.
        """
        with self._lock:
            if prompt not in self._known:
                self._known[prompt] = self._shares(prompt)
            return self._known[prompt]

    def text(self, prompt: str, repetition: int = 0) -> str:
        """Return the reply to a prompt: a letter, or a refusal.

        Raises
        ------
        DeciderError
            As of `shares`.
        """
        shares = self.shares(prompt)
        key = f"{self.seed}|{repetition}|{prompt}"
        digest = hashlib.blake2b(key.encode(), digest_size=8).digest()
        point = int.from_bytes(digest, "big") / 2**64
        for letter, share in shares.items():
            point -= share
            if point < 0:
                return letter or _REFUSAL
        return max(shares, key=lambda letter: shares[letter]) or _REFUSAL

    def serve(self, port: int = 0, *, faults: Faults | None = None) -> SimulatedPictureServer:
        """Serve it as a chat model on 127.0.0.1, with OpenAI's interface.

        Parameters
        ----------
        port : int
            0: any free one.
        faults : Faults, optional
            What the server refuses, and how its answers fail.

        Returns
        -------
        SimulatedPictureServer
            Runs in a ``with`` block; its ``url`` is the address of the model ``simulated``.
        """
        return SimulatedPictureServer(self, port, faults or Faults())

    def _shares(self, prompt: str) -> dict[str, float]:
        picture, _, question = prompt.partition(_MARK)
        asked = read_lettered(question)
        if asked is None or picture not in self._seen:
            raise DeciderError("A simulated chat model knows only questions about a picture.")
        text, options = asked
        chances = self.subject.probabilities([self._seen[picture]], options, [text])[0, 0]
        places = np.linspace(0.5, -0.5, len(options))
        weights = np.asarray(chances) * np.exp(self.position * places)
        shares = (1 - self.refusal) * weights / weights.sum()
        named = dict(zip(LETTERS, shares.tolist(), strict=False))
        return {**named, "": self.refusal}


class SimulatedPictureServer(SimulatedServer):
    """A simulated server whose requests have pictures."""

    decider: SimulatedPictureChat

    def prompt_of(self, body: dict[str, Any]) -> str | None:
        """Return the picture's hash and the question; None without a picture that can be read."""
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
                return f"{self.decider.see(data)}{_MARK}{texts[-1]}"
            except (binascii.Error, OSError, ValueError):
                return None
        return None
