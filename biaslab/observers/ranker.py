"""Simulated rankings of candidates, whose preferences for groups and places are known."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import numpy as np

from biaslab.errors import ObserverError
from biaslab.stats.curves.sigmoids import Floats

EIGHT_GROUPS: Final = tuple(
    f"{race} {sex}" for race in ("Asian", "Black", "Hispanic", "White") for sex in ("women", "men")
)


def rankings(
    path: str | os.PathLike[str],
    likes: Mapping[str, Mapping[str, float]] | None = None,
    *,
    groups: Sequence[str] = EIGHT_GROUPS,
    n: int = 1_000,
    place: float = 0.0,
    listed: Mapping[str, float] | None = None,
    names: int = 20,
    model: str = "made-up",
    seed: int = 0,
) -> Path:
    """Write rankings by a simulated model to a file that `biaslab.replay` opens.

    Each prompt lists one candidate of each group in random order. Candidates are drawn one after
    the other, with odds that group and place multiply (Plackett 1975). Names are codes such as
    ``AW-07``.

    Parameters
    ----------
    path : str or path
        JSON lines, with the columns ``model``, ``job``, ``order``, ``groups`` and ``reply``.
    likes : mapping of str to mapping of str to float, optional
        By job, log odds of groups: ``{"nurse": {"women": 0.4}, "clerk": {}}``. A name stands for
        all groups that contain its words. By default one job without preferences.
    groups : sequence of str
        At least two.
    n : int
        Rankings for each job.
    place : float
        Log odds that a candidate loses with each place further down the prompt.
    listed : mapping of str to float, optional
        Log odds of groups to be listed earlier in the prompt; by default none.
    names : int
        Of each group, at most 99.
    model : str
        Name of the model in the file.
    seed : int

    Returns
    -------
    Path
        Of the file.

    Raises
    ------
    ObserverError
        For fewer than two groups, a group that is not among them, or a number out of range.

    Examples
    --------
    >>> path = rankings("fair.jsonl", n=200, place=0.2)
    """
    if len(set(groups)) < max(2, len(groups)):
        raise ObserverError(f"groups={groups!r}: pass at least two, each once.")
    if n < 1 or not 1 <= names <= 99:
        raise ObserverError(f"n={n}, names={names}: at least 1 ranking, and 1 to 99 names.")
    rng = np.random.default_rng(seed)
    codes = ["".join(word[0] for word in group.split()).upper() for group in groups]
    if len(set(codes)) < len(codes):
        codes = list(groups)
    k, lines = len(groups), []
    earlier = _log_odds(listed or {}, groups)
    for job, liked in (likes or {"clerk": {}}).items():
        gains = _log_odds(liked, groups)
        orders = np.argsort(-earlier - rng.gumbel(size=(n, k)), axis=1)
        scores = gains[orders] - place * np.arange(k) + rng.gumbel(size=(n, k))
        numbers = rng.integers(1, names + 1, size=(n, k))
        for order, ranked, number in zip(orders, np.argsort(-scores, axis=1), numbers, strict=True):
            shown = [f"{codes[i]}-{one:02}" for i, one in zip(order, number, strict=True)]
            reply = "\n".join(f"{at}. {shown[i]}" for at, i in enumerate(ranked, start=1))
            line = {"model": model, "job": job, "order": shown,
                    "groups": [groups[i] for i in order], "reply": reply}  # fmt: skip
            lines.append(json.dumps(line))
    file = Path(path)
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return file


def _log_odds(named: Mapping[str, float], groups: Sequence[str]) -> Floats:
    """Return the log odds of each group, from those of groups and sets of them."""
    total = np.zeros(len(groups))
    for name, gain in named.items():
        of = [set(name.split()) <= set(group.split()) for group in groups]
        if not any(of):
            raise ObserverError(f"{name!r}: no such group. The groups are {', '.join(groups)}.")
        total += gain * np.array(of)
    return total
