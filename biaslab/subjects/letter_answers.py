"""Answers by letter: probabilities of listed options, in both orders."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from biaslab.record import Record

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class LetterAnswers(Record):
    """What a chat model replies to questions whose options are listed by letter.

    Attributes
    ----------
    log_probabilities : ndarray of float64 (pictures, templates, 2, concepts)
        Natural logarithm of the probability of each concept's letter: with the concepts listed in
        the given order, and in the reverse one. NaN where there is no readable reply.
    draws : int
        Replies that each is a share of; 0 where the model gives probabilities.
    """

    log_probabilities: Floats
    draws: int = 0

    @property
    def mass(self) -> Floats:
        """Probability of all letters together, (pictures, templates, 2); the rest is other text."""
        return np.asarray(np.exp(self.log_probabilities).sum(axis=-1))

    @property
    def log_shares(self) -> Floats:
        """Log probabilities among the letters, of the same shape."""
        logs = self.log_probabilities
        top = np.max(logs, axis=-1, keepdims=True, initial=-700.0)
        return np.asarray(logs - top - np.log(np.exp(logs - top).sum(axis=-1, keepdims=True)))

    @property
    def log_scores(self) -> Floats:
        """Mean over both orders of the log shares, (pictures, templates, concepts).

        An effect of an option's place on its log-odds that is linear in the place, and so any
        such effect on two options, cancels exactly. Of drawn replies it is the log of the mean
        share: there such an effect pulls an answer towards an even one, and to neither side.
        """
        if not self.draws:
            return np.asarray(self.log_shares.mean(axis=2))
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(np.exp(self.log_shares).mean(axis=2)))

    @property
    def position(self) -> Floats:
        """Log-odds of the first place against the last one, (pictures, templates).

        Least squares over the concepts of how much the log share changes with the place; 0 where
        the order of the options does not matter.
        """
        shares = self.log_shares
        if self.draws:  # half a reply more of each keeps it finite
            shares = np.log(np.exp(shares) * self.draws + 0.5)
        count = shares.shape[-1]
        slope = np.linspace(1.0, -1.0, count)
        change = shares[:, :, 0] - shares[:, :, 1]
        return np.asarray(change @ slope / (slope @ slope))

    def joined(self, other: LetterAnswers) -> LetterAnswers:
        """Return these answers with those about further pictures after them."""
        logs = np.concatenate([self.log_probabilities, other.log_probabilities])
        return LetterAnswers(logs, max(self.draws, other.draws))
