"""Attribute words whose class means have one covariance, computed side by side.

Patterns (`biaslab.stats.crossed_layout`) that meet equally many classes have matrices of one size.
They are inverted together: numpy's calls take longer than the few numbers in them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from biaslab.stats.crossed_layout import Floats, Ints, Layout, Moments, Pattern

_MOST = 1_000
"""Numbers of all covariances of a family: tables with pairs missing anywhere have many."""


@dataclass(frozen=True, eq=False)
class Shape:
    """Patterns with one covariance, and the sums of their moments.

    Attributes
    ----------
    patterns : tuple of Pattern
    n : tuple of int
        Attribute words of each.
    weighted : tuple of ndarray, shape (present,)
        For each, their number times their mean.
    products : ndarray, shape (present * present,)
        Sums of products of class means over all.
    """

    patterns: tuple[Pattern, ...]
    n: tuple[int, ...]
    weighted: tuple[Floats, ...]
    products: Floats


@dataclass(frozen=True, eq=False)
class Family:
    """Patterns that meet equally many classes, with N covariances between them.

    Attributes
    ----------
    shapes : tuple of Shape
        One for each covariance.
    """

    shapes: tuple[Shape, ...]

    @property
    def patterns(self) -> list[Pattern]:
        """One pattern of each shape: they differ in nothing that the covariance depends on."""
        return [shape.patterns[0] for shape in self.shapes]

    @cached_property
    def kinds(self) -> Ints:
        """Of each pair, shape (N, present)."""
        return np.array([pattern.kinds for pattern in self.patterns])

    @cached_property
    def kind(self) -> Ints:
        """Of the attribute words, shape (N,)."""
        return np.array([pattern.kind for pattern in self.patterns])

    @cached_property
    def varies(self) -> Floats:
        """Whether each varies over groups, shape (N, 1, 1)."""
        return np.array([[[float(pattern.varies)]] for pattern in self.patterns])

    @cached_property
    def member(self) -> Floats:
        """Whether each class belongs to each group, shape (N, G, present)."""
        return np.array([pattern.by_group > 0 for pattern in self.patterns], dtype=float)

    @cached_property
    def root(self) -> Floats:
        """Root of the size of each class, shape (N, 1, present)."""
        return np.array([pattern.by_group.sum(axis=0)[None] for pattern in self.patterns])

    @cached_property
    def together(self) -> Floats:
        """Whether two classes belong to each group, shape (N, G, present * present)."""
        both = self.member[..., None] * self.member[:, :, None]
        return both.reshape(*both.shape[:2], -1)


def families(layout: Layout, moments: Moments) -> list[Family]:
    """Return the families of a layout, with the sums of their moments."""
    by_size: dict[int, list[Shape]] = {}
    for places in layout.shapes:
        shape = _shape(layout, moments, places)
        by_size.setdefault(len(shape.products), []).append(shape)
    found = []
    for size, shapes in by_size.items():
        n = max(1, _MOST // size)
        found += [Family(tuple(shapes[at : at + n])) for at in range(0, len(shapes), n)]
    return found


def _shape(layout: Layout, moments: Moments, places: tuple[int, ...]) -> Shape:
    patterns = tuple(layout.patterns[p] for p in places)
    found = [moments.patterns[p] for p in places]
    n = tuple(len(pattern.attributes) for pattern in patterns)
    about_0 = [f.products + k * np.outer(f.mean, f.mean) for k, f in zip(n, found, strict=True)]
    weighted = tuple(k * f.mean for k, f in zip(n, found, strict=True))
    return Shape(patterns, n, weighted, np.sum(about_0, axis=0).ravel())


def inverse_covariances(
    family: Family, sigma: Floats, attribute: Floats, pairing: Floats
) -> tuple[Floats, Floats]:
    """Return the inverse covariances of patterns' class means, and their log determinants.

    A covariance is D + t² bb' + p² (bb' within groups), with D the variances of single distances,
    and b the roots of the classes' sizes.

    Parameters
    ----------
    family : Family
    sigma, attribute : ndarray, shape (H, kinds)
        Standard deviations of single distances and of attribute words, t.
    pairing : ndarray, shape (H,)
        Of attribute words over groups, p.

    Returns
    -------
    inverse : ndarray, shape (N, H, present * present)
    log_det : ndarray, shape (N, H)
        Of the covariance.
    """
    member, root = family.member, family.root
    precision = sigma.T[family.kinds].swapaxes(1, 2) ** -2
    scaled = precision * root
    over_groups = pairing[:, None] ** 2 * family.varies
    among = 1 + over_groups * ((scaled * root) @ member.swapaxes(1, 2))
    within = (1 / among) @ member
    square = attribute.T[family.kind] ** 2
    total = 1 + square * (scaled * within * root).sum(axis=2)
    log_det = np.log(among).sum(axis=2) + np.log(total) - np.log(precision).sum(axis=2)
    inverse = (over_groups / among) @ family.together
    inverse += (square / total)[..., None] * _products(within)
    inverse *= -_products(scaled)
    present = precision.shape[2]
    inverse[:, :, :: present + 1] += precision
    return inverse, log_det


def _products(vectors: Floats) -> Floats:
    """Return each vector's products of two of its entries: (N, H, p) -> (N, H, p * p)."""
    both = vectors[..., None] * vectors[:, :, None]
    return both.reshape(*both.shape[:2], -1)
