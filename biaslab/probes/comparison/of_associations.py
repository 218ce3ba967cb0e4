"""Comparison of WEAT, MAC and distance models: the same words in both runs."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from biaslab.errors import QueryError
from biaslab.probes.association.distance_model_result import DistanceModelResult
from biaslab.probes.association.effect_size import difference_of_means, effect_size
from biaslab.probes.association.lists import CONNECTIONS, AssociationLists
from biaslab.probes.association.mac import MacResult
from biaslab.probes.association.overview_probe import AssociationResult
from biaslab.probes.association.weat import WeatResult
from biaslab.probes.comparison.compared import Compared, Estimated, Floats
from biaslab.probes.comparison.word_tables import (
    Bools,
    Headline,
    Statistic,
    WordTable,
    compared_tables,
)

Words = Mapping[str, tuple[str, ...]]


def compared_weat(a: WeatResult, b: WeatResult) -> Compared:
    """Compare each target word's association, and the effect sizes."""
    if a.names != b.names:
        raise QueryError(
            f"These WEATs are of different lists: {', '.join(a.names)}, and {', '.join(b.names)}."
        )
    names = ("effect size", "effect_size", 2), ("difference of means", "statistic", 1)
    one, two = tuple(a.lists.attributes)
    return compared_tables(
        _weat_table(a),
        _weat_table(b),
        [
            Headline(
                name=name, statistic=_weat(a, of), fewest=fewest,
                a=getattr(a, of), b=getattr(b, of), of_a=a.interval(of), of_b=b.interval(of),
            )
            for name, of, fewest in names
        ],
        a.level,
        measure="association",
        neutral=0.0,
        sides=(one, two),
        rows_are="target words",
        groups=True,
    )  # fmt: skip


def compared_mac(a: MacResult, b: MacResult) -> Compared:
    """Compare each protected word's mean over the attribute words, MAC, and each connection."""
    if a.as_ != b.as_ or a.compared != b.compared:
        raise QueryError("These MACs are of different lists or units. Run one of them again.")
    lists = len(a.lists.attributes)
    return compared_tables(
        _mac_table(a),
        _mac_table(b),
        [
            Headline(
                name="mean average cosine distance" if a.as_ == "distance" else "MAC",
                statistic=_mac(a, lists),
                a=a.mac, b=b.mac, of_a=a.interval(), of_b=b.interval(),
            )
        ],
        a.level,
        measure=f"mean cosine {a.as_}",
        neutral=1.0 if a.as_ == "distance" else 0.0,
        sides=("farther", "closer") if a.as_ == "distance" else ("closer", "farther"),
        rows_are="protected words",
    )  # fmt: skip


def compared_distances(a: DistanceModelResult, b: DistanceModelResult) -> Compared:
    """Compare how much closer each protected word is to its own attributes than to others."""
    contrast = a.headline_contrasts[0]
    of, minus = contrast.of, contrast.minus
    if (of, minus) not in {(c.of, c.minus) for c in b.headline_contrasts}:
        raise QueryError(f"The second result has no contrast {of!r} − {minus!r}.")
    of_b = b.contrast(of, minus)
    masks = [_of_type(a, name) for name in (of, minus)]
    return compared_tables(
        _distance_table(a, of, minus),
        _distance_table(b, of, minus),
        [
            Headline(
                name=f"distance to {of} less {minus} attributes",
                statistic=_contrast(masks[0], masks[1]),
                a=contrast.mean, b=of_b.mean, of_a=contrast.interval, of_b=of_b.interval,
            )
        ],
        a.level,
        measure=f"distance to {of} less {minus} attributes",
        neutral=0.0,
        sides=(f"closer to {minus}", f"closer to {of}"),
        rows_are="protected words",
    )  # fmt: skip


def compared_overviews(a: AssociationResult, b: AssociationResult) -> Compared:
    """Compare the distance models of two overviews."""
    return compared_distances(a.distance_model, b.distance_model)


def _rows(lists: AssociationLists) -> tuple[str, ...]:
    """Target words; those that are in two groups with their group."""
    words = lists.words
    keys = [f"{word} ({group})" for group, own in lists.groups.items() for word in own]
    return words if len(set(words)) == len(words) else tuple(keys)


def _masks(lists: Words) -> tuple[Bools, ...]:
    name = np.repeat(np.arange(len(lists)), [len(words) for words in lists.values()])
    return tuple(name == k for k in range(len(lists)))


def _columns(lists: Words) -> tuple[str, ...]:
    return tuple(f"{name}: {word}" for name, words in lists.items() for word in words)


def _weat_table(result: WeatResult) -> WordTable:
    plus, minus = _masks(result.lists.attributes)
    count = len(result.words)
    return WordTable(
        rows=_rows(result.lists),
        columns=_columns(result.lists.attributes),
        values=result.cosines,
        plus=np.tile(plus, (count, 1)),
        minus=np.tile(minus, (count, 1)),
        lists=(plus, minus),
        groups=_masks(result.lists.groups),
    )


def _weat(result: WeatResult, of: str) -> Statistic:
    in_a, _ = _masks(result.lists.attributes)
    in_x = _masks(result.lists.groups)[0]

    def found(table: Floats, rows: Bools, columns: Bools) -> Floats:
        part, of_a, of_x = table[:, rows][:, :, columns], in_a[columns], in_x[rows]
        if result.single:
            values, first = part.mean(axis=1), of_a
        else:
            values = part[..., of_a].mean(axis=2) - part[..., ~of_a].mean(axis=2)
            first = of_x
        values = np.concatenate([values[:, first], values[:, ~first]], axis=1)
        count = int(first.sum())
        if of == "statistic":
            return np.asarray(difference_of_means(values, count))
        return np.asarray(effect_size(values, count, result.ddof))

    return found


def _mac_table(result: MacResult) -> WordTable:
    every: Words = {**result.lists.attributes, **result.lists.controls}
    masks = _masks(every)
    attributes = np.any(masks[: len(result.lists.attributes)], axis=0)
    values = 1 - result.cosines if result.as_ == "distance" else result.cosines
    own = attributes.sum()
    return WordTable(
        rows=_rows(result.lists),
        columns=_columns(every)[:own],
        values=np.asarray(values[..., attributes], dtype=float),
        plus=np.ones((values.shape[1], own), dtype=bool),
        minus=None,
        lists=tuple(mask[attributes] for mask in masks[: len(result.lists.attributes)]),
        groups=_masks(result.lists.groups),
    )


def _mac(result: MacResult, lists: int) -> Statistic:
    masks = _masks(result.lists.attributes)[:lists]

    def found(table: Floats, rows: Bools, columns: Bools) -> Floats:
        means = [table[:, rows][:, :, mask & columns].mean(axis=(1, 2)) for mask in masks]
        return np.asarray(np.mean(means, axis=0))

    return found


def _of_type(result: DistanceModelResult, name: str) -> Bools:
    return np.asarray(result.table.connection == CONNECTIONS.index(name))


def _distance_table(result: DistanceModelResult, of: str, minus: str) -> WordTable:
    table = result.table
    values, ends = result.word_contrasts(of, minus)
    names: NDArray[np.str_] = np.array(table.lists)
    groups = np.array(table.groups)
    return WordTable(
        rows=table.words,
        columns=tuple(
            f"{one}: {word}" for one, word in zip(table.lists, table.attributes, strict=True)
        ),
        values=np.nan_to_num(table.distance),
        plus=_of_type(result, of),
        minus=_of_type(result, minus),
        lists=tuple(names == name for name in dict.fromkeys(table.lists)),
        groups=tuple(groups == name for name in dict.fromkeys(table.groups)),
        estimated=Estimated(labels=table.words, values=values, intervals=ends),
    )


def _contrast(plus: Bools, minus: Bools) -> Statistic:
    def found(table: Floats, rows: Bools, columns: Bools) -> Floats:
        means = []
        for mask in (plus, minus):
            held = mask[rows][:, columns]
            with np.errstate(invalid="ignore"):
                of_word = np.where(held, table[:, rows][:, :, columns], 0).sum(axis=2)
                means.append(of_word / held.sum(axis=1))
        return np.asarray(np.nanmean(means[0] - means[1], axis=1))

    return found
