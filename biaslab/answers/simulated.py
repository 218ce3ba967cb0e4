"""Made-up answers whose truth is known: what `biaslab.replay` opens by name, on the spot."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from biaslab.files.tables import Row

Floats = NDArray[np.float64]
_NAMES: Final[Mapping[str, tuple[str, str, str]]] = {
    "Asian": ("Mei Yuna Priya Linh", "Wei Jin Arjun Minh", "Chen Park Nguyen Patel"),
    "Black": ("Keisha Ebony Latoya Imani", "Jamal Leroy Darius Tyrone", "Banks Booker Coles Ivory"),
    "Hispanic": ("Lucia Carmen Maria Elena", "Luis Hector Diego Javier", "Ortiz Vega Rivera Munoz"),
    "White": ("Emily Anne Claire Molly", "Greg Brad Todd Neil", "Baker Olsen Walsh Meyer"),
}  # fmt: skip
"""By race: first names of women, first names of men, and surnames."""
EIGHT_GROUPS: Final = tuple(f"{race} {gender}" for race in _NAMES for gender in ("women", "men"))


def ranked(
    likes: Mapping[str, Floats],
    groups: Sequence[str],
    name_of: Callable[[int, int], str],
    rng: np.random.Generator,
    *,
    n: int,
    names: int,
    place: float,
    model: str,
    listed: Floats | float = 0.0,
) -> Iterator[Row]:
    """Make up rankings of one candidate of each group.

    Candidates are drawn one after the other, with odds that group and place multiply (Plackett
    1975).

    Parameters
    ----------
    likes : mapping of str to ndarray, shape (groups,)
        By job, log odds of the groups.
    groups : sequence of str
    name_of : callable
        From a group's place and a number from 1 to the name of a candidate.
    rng : numpy.random.Generator
    n : int
        Rankings for each job.
    names : int
        Of each group.
    place : float
        Log odds that a candidate loses with each place further down the prompt.
    model : str
    listed : ndarray, shape (groups,), or float
        Log odds of groups to be listed earlier in the prompt.
    """
    k = len(groups)
    for job, gains in likes.items():
        orders = np.argsort(-listed - rng.gumbel(size=(n, k)), axis=1)
        scores = gains[orders] - place * np.arange(k) + rng.gumbel(size=(n, k))
        numbers = rng.integers(1, names + 1, size=(n, k))
        for order, best, number in zip(orders, np.argsort(-scores, axis=1), numbers, strict=True):
            shown = [name_of(i, one) for i, one in zip(order, number, strict=True)]
            reply = "\n".join(f"{at}. {shown[i]}" for at, i in enumerate(best, start=1))
            yield {"model": model, "job": job, "order": shown,
                   "groups": [groups[i] for i in order], "reply": reply}  # fmt: skip


def rankings() -> list[Row]:
    """Rank candidates by two models, of which A puts Asian women first too often as analysts.

    One reply in fifty begins with somebody who is no candidate.
    """
    liked = 1.1 * np.array([group == "Asian women" for group in EIGHT_GROUPS])
    rng, rows = np.random.default_rng(6), list[Row]()
    for model, gains in (("Model A", liked), ("Model B", 0 * liked)):
        likes = {"analyst": gains, "nurse": 0 * liked}
        rows += ranked(
            likes, EIGHT_GROUPS, _name, rng, n=250, names=16, place=0.35, model=model
        )  # fmt: skip
    for row in rows[24::50]:
        row["reply"] = "\n".join(["1. Alex Taylor", *row["reply"].splitlines()[1:]])
    return rows


def _name(group: int, number: int) -> str:
    race, gender = EIGHT_GROUPS[group].split()
    women, men, last = _NAMES[race]
    first = (women if gender == "women" else men).split()
    return f"{first[(number - 1) % 4]} {last.split()[(number - 1) // 4]}"


def invitations() -> list[Row]:
    """Invite women and men with the same application, as two models, of which A prefers women.

    The logit of a yes is that of the application, and 0.9 higher for women with Model A.
    """
    rng = np.random.default_rng(3)
    rows: list[Row] = []
    for number, ease in enumerate(rng.normal(scale=1.2, size=300), start=1):
        for model, own in (("Model A", 0.9), ("Model B", 0.0)):
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
