"""Plain words for a plane through the space of stimuli."""

from __future__ import annotations

import numpy as np

from biaslab.probes.posterior.plane_of_draws import PosteriorPlane
from biaslab.probes.unknown_words import lines
from biaslab.wording import count, number

_LISTED = 10


def summary(result: PosteriorPlane) -> str:
    """What the plane shows, how far its axes can be trusted, and the words at either end."""
    draws = " and ".join(f"{count(c.draws)} draws of {c.label}" for c in result.clouds)
    found = [f"{draws} in a plane: {'; '.join(result.axis_names)}."]
    found.append(
        f"Round draws would have {100 * result.even_share:.1f} % along any axis; two halves of "
        f"the draws agree on the first axis to {result.stability[0]:.2f} and on the plane to "
        f"{result.stability[1]:.2f} (1 is wholly)."
    )
    if result.warning:
        found.append(result.warning)
    if result.evidence is not None:
        a, b = result.labels
        ends = result.evidence.interval
        found.append(
            f"log p({a}) − log p({b}) under the prior: {number(result.evidence.log_ratio)} "
            f"({ends.level:.0%} Monte Carlo {number(ends.low)} to {number(ends.high)})."
        )
    if len(result.log_density_difference):
        a, b = result.labels
        order = np.argsort(-result.log_density_difference, kind="stable")
        for name, at in ((a, order[:_LISTED]), (b, order[::-1][:_LISTED])):
            words = (
                f"{result.terms[i]} {number(result.log_density_difference[i])}" for i in at.tolist()
            )
            found.append(f"log p(w|{a}) − log p(w|{b}), most {name}: {', '.join(words)}.")
    return "\n".join([*found, *lines(result.dropped)])
