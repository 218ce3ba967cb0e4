"""Simulated observers of two-alternative choices, whose PSE and JND are known."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from biaslab.errors import ObserverError
from biaslab.observers.choosing import ChoosingObservers, choosing
from biaslab.records.calls import Reopened, recorded, recorded_method
from biaslab.subjects.embedding.ensemble import EmbeddingEnsemble

Distribution = Literal["normal", "logistic", "skewed"]
JndConvention = Literal["quartile", "eq6", "sd"]
Seed = int | np.random.Generator | None

_Z75 = 0.6744897501960817  # upper quartile of the standard normal distribution
_LN2 = math.log(2)
_LN3 = math.log(3)

#: JND of each distribution when its scale parameter is 1, by convention. "quartile" is
#: Psi^-1(3/4) - Psi^-1(1/2); "eq6" the Delta-alpha of Liang and Acuna (2020), eq. 6; "sd" the
#: standard deviation (the caption of their Fig. 2). "skewed" is an exponential distribution shifted
#: to its median.
JND_OF_UNIT_SCALE: dict[str, dict[str, float]] = {
    "normal": {"quartile": _Z75, "eq6": 2 * _Z75, "sd": 1.0},
    "logistic": {"quartile": _LN3, "eq6": 2 * _LN3, "sd": math.pi / math.sqrt(3)},
    "skewed": {"quartile": _LN2, "eq6": 2 * math.asinh(0.5), "sd": 1.0},
}


@dataclass(frozen=True)
class EmbeddingTruth:
    """True parameters of a simulated ensemble.

    Attributes
    ----------
    items : tuple of str
        The n items.
    cues : tuple of (str, str)
        The K cue pairs (cue 1, cue 2).
    pse : ndarray
        Median of the distribution of switch points, shape (n, K).
    jnd : ndarray
        JND in ``jnd_convention``, shape (n, K).
    alpha_star : ndarray
        Switch point of each replicate, item and pair, shape (B, n, K): the draws themselves. A
        probe finds these exactly, and the PSE and JND up to sampling.
    cosine : float
        Cosine between the cues of a pair.
    distribution, jnd_convention : str
        The requested values.
    """

    items: tuple[str, ...]
    cues: tuple[tuple[str, str], ...]
    pse: NDArray[np.float64]
    jnd: NDArray[np.float64]
    alpha_star: NDArray[np.float64]
    cosine: float
    distribution: str
    jnd_convention: str


class ObserverEnsemble(EmbeddingEnsemble):
    """An ensemble with known switch points: see its ``truth``."""

    truth: EmbeddingTruth


@recorded
def embedding(
    pse: Mapping[str, float | Sequence[float]] | float,
    jnd: Mapping[str, float | Sequence[float]] | float = 0.1,
    *,
    replicates: int = 32,
    cues: Sequence[tuple[str, str]] = (("female", "male"),),
    distribution: Distribution = "normal",
    jnd_convention: JndConvention = "quartile",
    correlation: float = 0.0,
    cosine: float = 0.8,
    dim: int | None = None,
    seed: Seed = None,
) -> ObserverEnsemble:
    """Simulate an ensemble of embeddings with a chosen PSE and JND per item.

    Each replicate answers "cue 2" from its switch point alpha* on. Under the similarity rule of
    Liang and Acuna (2020), eq. 8, the switch point of item w is
    ``1/2 - (sim(w, c2) - sim(w, c1)) / (2 (1 - sim(c1, c2)))``. So alpha* is drawn from the chosen
    distribution, with median PSE, and the item is built to have it:
    ``w = a u + sqrt(1 - a^2) v`` with ``u`` the direction from cue 1 to cue 2, ``v`` at right
    angles to both cues and ``a = (1/2 - alpha*) sqrt(2 (1 - cosine))``. Each replicate is turned
    and each word stretched at random, which changes no cosine.

    Parameters
    ----------
    pse : float, or mapping of str to float or sequence of float
        PSE in units of alpha per item; a sequence gives one per cue pair. A lone number makes one
        item named ``item``. May lie outside [0, 1].
    jnd : float, or mapping likewise
        JND in units of alpha, at least 0, in ``jnd_convention``.
    replicates : int
        Number B of replicates.
    cues : sequence of (str, str)
        Cue pairs (cue 1, cue 2), no word twice. Each pair has a subspace of its own.
    distribution : {"normal", "logistic", "skewed"}
        Of alpha* over replicates; "skewed" is exponential, with its long tail upwards.
    jnd_convention : {"quartile", "eq6", "sd"}
        Convention of ``jnd``: for a normal distribution 0.6745, 1.349 or 1 sigma.
    correlation : float
        Between the pairs' normal scores of one item in one replicate, in [0, 1].
    cosine : float
        Between the cues of a pair, in (-1, 1). The nearer to 1, the farther from 1/2 can alpha*
        be: the squares of ``a`` may sum to at most 1 over the pairs.
    dim : int, optional
        Dimensions; default two per pair and eight more.
    seed : int or Generator, optional
        Makes the ensemble reproducible.

    Returns
    -------
    ObserverEnsemble
        ``kind`` is "observer"; ``truth`` holds the `EmbeddingTruth`.

    Raises
    ------
    ObserverError
        When no such vectors exist; says which parameter to change.
    """
    pairs = _checked_cues(cues)
    items, medians, jnds = _targets(pse, jnd, len(pairs))
    if clash := sorted({word for pair in pairs for word in pair} & set(items)):
        raise ObserverError(f"{', '.join(clash)}: an item cannot be a cue. Rename one of them.")
    if replicates < 1:
        raise ObserverError(f"replicates={replicates}: simulate at least one.")
    if not -1 < cosine < 1:
        raise ObserverError(f"cosine={cosine}: choose a value above -1 and below 1.")
    if not 0 <= correlation <= 1:
        raise ObserverError(f"correlation={correlation}: choose a value from 0 to 1.")
    dim = 2 * len(pairs) + 8 if dim is None else dim
    if dim < 2 * len(pairs) + 1:
        raise ObserverError(
            f"dim={dim}: {len(pairs)} cue pairs need at least {2 * len(pairs) + 1} dimensions."
        )
    rng = np.random.default_rng(seed)
    shape = (replicates, len(items), len(pairs))
    shared = rng.standard_normal(shape[:2])[..., None]
    score = math.sqrt(correlation) * shared + math.sqrt(1 - correlation) * rng.standard_normal(
        shape
    )
    scale = jnds / _unit_jnd(distribution, jnd_convention)
    alpha_star = medians + scale * _centred_quantile(distribution, score)
    shares = (0.5 - alpha_star) * math.sqrt(2 * (1 - cosine))
    _check_reachable(shares, items, cosine)
    vectors = _vectors(shares, cosine, dim, rng)
    words = [word for pair in pairs for word in pair] + list(items)
    ensemble = ObserverEnsemble(
        words,
        vectors,
        name="simulated observers",
        letter_case="exact",
        about="simulated observers whose true bias is known",
        kind="observer",
    )
    ensemble.truth = EmbeddingTruth(
        items=items,
        cues=pairs,
        pse=medians,
        jnd=jnds,
        alpha_star=alpha_star,
        cosine=cosine,
        distribution=distribution,
        jnd_convention=jnd_convention,
    )
    return ensemble


@dataclass(frozen=True, eq=False)
class BinomialObservers(Reopened):
    """Observers with psychometric curves of their own, for the general protocol.

    Observer o answers "cue 2" with probability
    ``guess + (1 - guess - lapse) F((alpha - pse[o]) / scale)``.

    Attributes
    ----------
    items : mapping of str to float
        PSE of each item, averaged over observers.
    pse : mapping of str to ndarray
        PSE of each item and observer, shape (O,).
    scale : float
        Scale parameter of F; `jnd` and ``jnd_convention`` say the same as a JND.
    """

    items: Mapping[str, float]
    pse: Mapping[str, NDArray[np.float64]]
    jnd: float
    scale: float
    guess: float
    lapse: float
    distribution: str
    jnd_convention: str

    @property
    def n_observers(self) -> int:
        """Number O of observers."""
        return len(next(iter(self.pse.values())))

    def respond(
        self,
        item: str | Sequence[str] | NDArray[np.str_],
        cue_1: object,
        cue_2: object,
        alpha: ArrayLike,
        observer: ArrayLike = 0,
    ) -> NDArray[np.float64]:
        """Return P(cue 2), with the arguments broadcast against each other.

        Parameters
        ----------
        item : str or array of str
            One of the items.
        cue_1, cue_2 : object
            Ignored: these observers answer alike for any cues.
        alpha : array_like
            Share of cue 2 in the stimulus, in [0, 1].
        observer : array_like of int
            From 0 to O - 1.

        Raises
        ------
        ObserverError
            For an unknown item or observer.
        """
        del cue_1, cue_2
        names = np.asarray(item, dtype=object)
        number = np.asarray(observer, dtype=np.int64)
        if number.size and not (number.min() >= 0 and number.max() < self.n_observers):
            raise ObserverError(f"Observers are numbered 0 to {self.n_observers - 1}.")
        if unknown := sorted({str(name) for name in names.flat} - set(self.pse)):
            raise ObserverError(
                f"{', '.join(unknown)}: unknown items. The items are {', '.join(self.pse)}."
            )
        order = {name: i for i, name in enumerate(self.pse)}
        which = np.array([order[str(name)] for name in names.flat], dtype=np.int64)
        centre = np.stack(list(self.pse.values()))[which.reshape(names.shape), number]
        score = (np.asarray(alpha, dtype=np.float64) - centre) / self.scale
        share = _curve(self.distribution, score)
        return np.asarray(self.guess + (1 - self.guess - self.lapse) * share)

    __call__: Callable[..., NDArray[np.float64]] = respond

    @recorded_method
    def choosing(
        self,
        *,
        cues: Sequence[tuple[str, str]] = (("female", "male"),),
        order_effect: float = 0.0,
        overdispersion: float = 0.0,
        cannot_say: float = 0.0,
        seed: Seed = None,
    ) -> ChoosingObservers:
        """Return the same observers, who choose trial by trial.

        Parameters
        ----------
        cues : sequence of (str, str)
            Cue pairs. Offered the other way round, the observers know that alpha is too.
        order_effect : float
            PSE where cue 1 is offered first, less that where it is second: positive where they
            prefer the first.
        overdispersion : float
            In [0, 1): correlation between the answers of one observer to one question. Each
            question's probability is drawn from a beta distribution, once.
        cannot_say : float
            Share of trials that are answered NaN, in [0, 1).
        seed : int or Generator, optional
            Makes the answers reproducible.

        Returns
        -------
        ChoosingObservers
            Callable as ``respond(item, cue_1, cue_2, alpha, observer)``, for `biaslab.two_afc` with
            `trials`: 0 is its first cue, 1 its second.

        Raises
        ------
        ObserverError
            When a parameter is out of its range.
        """
        return choosing(self.respond, cues, order_effect, overdispersion, cannot_say, seed)


@recorded
def binomial(
    pse: Mapping[str, float] | float,
    jnd: float = 0.1,
    *,
    observers: int = 1,
    spread: float = 0.0,
    guess: float = 0.0,
    lapse: float = 0.0,
    distribution: Distribution = "normal",
    jnd_convention: JndConvention = "quartile",
    seed: Seed = None,
) -> BinomialObservers:
    """Simulate observers that answer at random with a known psychometric curve.

    Parameters
    ----------
    pse : float, or mapping of str to float
        PSE in units of alpha per item; a lone number makes one item named ``item``.
    jnd : float
        JND of each observer's curve, above 0, in ``jnd_convention``.
    observers : int
        Number of observers.
    spread : float
        Standard deviation of the observers' own PSE around the item's.
    guess, lapse : float
        Share of "cue 2" however small alpha is, and of "cue 1" however large; together below 1.
    distribution, jnd_convention, seed
        As of `embedding`.

    Returns
    -------
    BinomialObservers
        Callable as ``respond(item, cue_1, cue_2, alpha, observer) -> P(cue 2)``.

    Raises
    ------
    ObserverError
        When a parameter is out of its range.
    """
    items, medians, jnds = _targets(pse, jnd, 1)
    if jnds.min() <= 0:
        raise ObserverError(f"jnd={jnd}: a psychometric curve needs a JND above 0.")
    if observers < 1 or spread < 0 or not math.isfinite(spread):
        raise ObserverError(f"observers={observers}, spread={spread}: at least 1 and at least 0.")
    if not (guess >= 0 and lapse >= 0 and guess + lapse < 1):
        raise ObserverError(f"guess={guess}, lapse={lapse}: at least 0 each, together below 1.")
    rng = np.random.default_rng(seed)
    switch_points = medians + spread * rng.standard_normal((len(items), observers))
    return BinomialObservers(
        items={item: float(m) for item, m in zip(items, medians[:, 0], strict=True)},
        pse=dict(zip(items, switch_points, strict=True)),
        jnd=float(jnd),
        scale=float(jnd) / _unit_jnd(distribution, jnd_convention),
        guess=guess,
        lapse=lapse,
        distribution=distribution,
        jnd_convention=jnd_convention,
    )


def _checked_cues(cues: Sequence[Sequence[str]]) -> tuple[tuple[str, str], ...]:
    pairs = tuple(
        (pair[0], pair[1]) for pair in cues if not isinstance(pair, str) and len(pair) == 2
    )
    if not pairs or len(pairs) < len(cues):
        raise ObserverError(f"cues={cues!r}: pass pairs, as in cues=(('female', 'male'),).")
    words = [word for pair in pairs for word in pair]
    if twice := sorted({word for word in words if words.count(word) > 1}):
        raise ObserverError(f"{', '.join(twice)}: a cue can be in one pair only. Rename it.")
    return pairs


def _targets(
    pse: Mapping[str, float | Sequence[float]] | Mapping[str, float] | float,
    jnd: Mapping[str, float | Sequence[float]] | float,
    pairs: int,
) -> tuple[tuple[str, ...], NDArray[np.float64], NDArray[np.float64]]:
    """Return items, and PSE and JND of each item and pair, shape (n, K)."""
    by_item = pse if isinstance(pse, Mapping) else {"item": pse}
    items = tuple(by_item)
    if not items:
        raise ObserverError("pse is empty. Pass a number or {'nurse': 0.6}.")
    widths = jnd if isinstance(jnd, Mapping) else dict.fromkeys(items, jnd)
    if missing := [item for item in items if item not in widths]:
        raise ObserverError(f"jnd lacks {', '.join(missing)}. Give one per item, or one number.")
    try:
        medians = np.array([np.broadcast_to(by_item[i], pairs) for i in items], dtype=np.float64)
        jnds = np.array([np.broadcast_to(widths[i], pairs) for i in items], dtype=np.float64)
    except ValueError as error:
        raise ObserverError(
            f"Give one PSE and JND per item, or one per cue pair ({pairs} of them)."
        ) from error
    if not np.isfinite(medians).all() or not np.isfinite(jnds).all() or jnds.min() < 0:
        raise ObserverError("PSE and JND must be finite numbers, and a JND at least 0.")
    return items, medians, jnds


def _unit_jnd(distribution: str, convention: str) -> float:
    if distribution not in JND_OF_UNIT_SCALE:
        names = ", ".join(JND_OF_UNIT_SCALE)
        raise ObserverError(f"distribution={distribution!r}: choose one of {names}.")
    units = JND_OF_UNIT_SCALE[distribution]
    if convention not in units:
        raise ObserverError(f"jnd_convention={convention!r}: choose one of {', '.join(units)}.")
    return units[convention]


def _centred_quantile(distribution: str, score: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return draws of unit scale and median 0 from normal scores, by quantiles."""
    if distribution == "normal":
        return score
    from scipy.special import log_ndtr

    below, above = log_ndtr(score), log_ndtr(-score)  # ln u and ln (1 - u), exact in both tails
    if distribution == "logistic":
        return np.asarray(below - above)
    return np.asarray(-above - _LN2)


def _curve(distribution: str, score: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the distribution function of unit scale and median 0."""
    from scipy.special import expit, ndtr

    if distribution == "normal":
        return np.asarray(ndtr(score))
    if distribution == "logistic":
        return np.asarray(expit(score))
    return np.asarray(-np.expm1(-np.maximum(score + _LN2, 0)))


def _check_reachable(shares: NDArray[np.float64], items: tuple[str, ...], cosine: float) -> None:
    sums = (shares**2).sum(axis=2)
    if (worst := float(sums.max())) <= 1:
        return
    b, i = np.unravel_index(int(sums.argmax()), sums.shape)
    # The shares shrink with sqrt(1 - cosine): this cosine would just do, with a margin.
    enough = 1 - 0.95 * (1 - cosine) / worst
    pairs = shares.shape[2]
    fewer = ", fewer cue pairs" if pairs > 1 else ""
    raise ObserverError(
        f"No vector can hold the switch points drawn for {items[i]!r} in replicate {b}: they lie"
        f" too far from 1/2 for cues of cosine {cosine}. Use cosine={math.ceil(enough * 1e4) / 1e4}"
        f" or nearer to 1, a smaller jnd, a PSE nearer to 1/2{fewer}, or a distribution with"
        " lighter tails."
    )


def _vectors(
    shares: NDArray[np.float64], cosine: float, dim: int, rng: np.random.Generator
) -> NDArray[np.float32]:
    """Return vectors of the cues (two per pair) and items: (B, 2K + n, d)."""
    b, n, k = shares.shape
    basis = np.zeros((b, 2 * k + n, dim))
    # Axis 2j is the direction from cue 1 to cue 2 of pair j, axis 2j + 1 the one between them.
    across, along = math.sqrt((1 - cosine) / 2), math.sqrt((1 + cosine) / 2)
    for j in range(k):
        basis[:, 2 * j, [2 * j, 2 * j + 1]] = (-across, along)
        basis[:, 2 * j + 1, [2 * j, 2 * j + 1]] = (across, along)
    basis[:, 2 * k :, 0 : 2 * k : 2] = shares
    aside = rng.standard_normal((b, n, dim - 2 * k))
    aside /= np.linalg.norm(aside, axis=2, keepdims=True)
    rest = np.sqrt(np.maximum(1 - (shares**2).sum(axis=2), 0))
    basis[:, 2 * k :, 2 * k :] = rest[..., None] * aside
    turn, _ = np.linalg.qr(rng.standard_normal((b, dim, dim)))
    basis *= rng.uniform(0.5, 2, size=(b, 2 * k + n, 1))
    return np.asarray(basis @ turn, dtype=np.float32)
