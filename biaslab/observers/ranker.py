"""Simulated rankings of candidates, whose preferences for groups and places are known."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from biaslab.answers.simulated import EIGHT_GROUPS, ranked
from biaslab.errors import ObserverError
from biaslab.stats.curves.sigmoids import Floats


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
    codes = ["".join(word[0] for word in group.split()).upper() for group in groups]
    if len(set(codes)) < len(codes):
        codes = list(groups)
    rows = ranked(
        {job: _log_odds(liked, groups) for job, liked in (likes or {"clerk": {}}).items()},
        groups,
        lambda group, number: f"{codes[group]}-{number:02}",
        np.random.default_rng(seed),
        n=n,
        names=names,
        place=place,
        model=model,
        listed=_log_odds(listed or {}, groups),
    )
    file = Path(path)
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
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
