"""Made-up answers whose truth is known: what `biaslab.replay` opens by name, on the spot."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

import numpy as np

from biaslab.files.tables import Row

_NAMES: Final[Mapping[str, tuple[str, str, str]]] = {
    "White": ("Emily Anne Claire Molly", "Greg Brad Todd Neil", "Baker Olsen Walsh Meyer"),
    "Black": ("Keisha Ebony Latoya Imani", "Jamal Leroy Darius Tyrone", "Banks Booker Coles Ivory"),
    "Hispanic": ("Lucia Carmen Maria Elena", "Luis Hector Diego Javier", "Ortiz Vega Rivera Munoz"),
    "Asian": ("Mei Yuna Priya Linh", "Wei Jin Arjun Minh", "Chen Park Nguyen Patel"),
}  # fmt: skip
"""By race: first names of women, first names of men, and surnames."""
_GROUPS: Final = tuple(f"{race} {gender}" for race in _NAMES for gender in ("women", "men"))


def rankings(
    n: int = 250, gain: float = 1.1, place: float = 0.35, unread: float = 0.02, seed: int = 1
) -> list[Row]:
    """Return rankings of eight candidates by two models, for two jobs each.

    Scores are Gumbel variates, so that shares of first places are those of Plackett and Luce. Model
    A adds `gain` to Asian women as analysts; nothing else depends on a name.

    Parameters
    ----------
    n : int
        Rankings of each model for each job.
    gain : float
        In logits of the first place.
    place : float
        Taken off a score for each place further down the prompt, in logits.
    unread : float
        Share of replies that cannot be read, in [0, 1].
    seed : int
    """
    rng = np.random.default_rng(seed)
    rows: list[Row] = []
    for model in ("Model A", "Model B"):
        for job in ("analyst", "nurse"):
            liked = gain * np.array(
                [one == "Asian women" and (model, job) == ("Model A", "analyst") for one in _GROUPS]
            )
            for _ in range(n):
                order = rng.permutation(len(_GROUPS)) if rows else np.arange(len(_GROUPS))
                names = [_name(_GROUPS[group], rng) for group in order]
                score = rng.gumbel(size=len(order)) + liked[order] - place * np.arange(len(order))
                ranked = [names[i] for i in np.argsort(-score)]
                if rng.random() < unread:
                    ranked[0] = "Alex Taylor"
                reply = "\n".join(f"{rank}. {name}" for rank, name in enumerate(ranked, start=1))
                groups = [_GROUPS[group] for group in order]
                rows.append({"model": model, "job": job, "order": names, "groups": groups,
                             "reply": reply})  # fmt: skip
    return rows


def _name(group: str, rng: np.random.Generator) -> str:
    race, gender = group.split()
    women, men, last = _NAMES[race]
    return f"{rng.choice((women if gender == 'women' else men).split())} {rng.choice(last.split())}"


def invitations(n: int = 300, gap: float = 0.9, seed: int = 3) -> list[Row]:
    """Return whether two models invite women and men with the same application.

    The logit of a yes is that of the application, and higher by `gap` for women with Model A.

    Parameters
    ----------
    n : int
        Applications.
    gap : float
        In logits.
    seed : int
    """
    rng = np.random.default_rng(seed)
    rows: list[Row] = []
    for number, ease in enumerate(rng.normal(scale=1.2, size=n), start=1):
        for model, own in (("Model A", gap), ("Model B", 0.0)):
            for group in ("women", "men"):
                share = 1 / (1 + np.exp(-(ease + own * (group == "women"))))
                answer = "yes" if rng.random() < share else "no"
                if rng.random() < 0.01:
                    answer = "I cannot make this decision."
                rows.append({"model": model, "item": f"application {number}", "group": group,
                             "answer": answer})  # fmt: skip
    return rows


EXAMPLES: Final[Mapping[str, Callable[[], list[Row]]]] = {
    "simulated-rankings": rankings,
    "simulated-invitations": invitations,
}
"""Made-up answers by name."""
