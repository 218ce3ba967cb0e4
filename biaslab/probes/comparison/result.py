"""The result of comparing two runs, with what their provenances have in common."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from biaslab.errors import NoRawFrameError
from biaslab.probes.comparison.rows import Floats, Single, Total
from biaslab.records.provenance import Provenance
from biaslab.records.record import Record, same
from biaslab.records.result import Interval, Result
from biaslab.records.wording import counted

if TYPE_CHECKING:
    import pandas as pd


_LONGEST = 120
_MOST_NAMED = 4
_LISTS = {
    "pairs": "cue pair",
    "words": "word",
    "items": "item",
    "templates": "template",
    "concepts": "concept",
    "groups": "group",
}
"""Fields of results that hold the items of a question, and the word for one item."""
_NOUNS = (*_LISTS.values(), "sentence pair")
_NONE = (None, "", ())
_HASHES = {"subject_hash": "content of the subject", "spec_hash": "word lists"}


@dataclass(frozen=True)
class Aspect(Record):
    """Something by which runs can differ.

    Attributes
    ----------
    name : str
        Such as ``"subject"`` or ``"cue pairs"``.
    a, b : str
        In either run, in words; equal texts where it is the same.
    """

    name: str
    a: str
    b: str


def aspects(a: Result, b: Result) -> tuple[tuple[Aspect, ...], tuple[Aspect, ...]]:
    """Return in what two results differ, and what is equal."""
    differs, equal = [], []
    for name, one, two in _pairs(a, b):
        if same(one, two):
            equal.append(Aspect(name, _text(one, name), _text(two, name)))
        elif isinstance(one, tuple) and isinstance(two, tuple):
            differs.append(Aspect(name, *_other_lists(one, two, name)))
        else:
            differs.append(Aspect(name, _text(one, name), _text(two, name)))
    return tuple(differs), tuple(equal)


def _pairs(a: Result, b: Result) -> Iterator[tuple[str, Any, Any]]:
    """Each aspect with its value in both runs."""
    one, two = a.provenance, b.provenance
    yield "subject", one.subject, two.subject
    for attribute, name in _HASHES.items():
        if getattr(one, attribute) or getattr(two, attribute):
            yield name, getattr(one, attribute), getattr(two, attribute)
    for attribute, noun in _LISTS.items():
        if hasattr(a, attribute) and hasattr(b, attribute):
            if isinstance(getattr(a, attribute), Mapping):
                yield f"{noun}s", getattr(a, attribute), getattr(b, attribute)
                continue
            one_list, two_list = (
                tuple(getattr(entry, "name", entry) for entry in getattr(each, attribute))
                for each in (a, b)
            )
            if any(hasattr(pair, "versions") for pair in one_list):
                ids = [tuple(pair.id for pair in own) for own in (one_list, two_list)]
                yield "sentence pairs", ids[0], ids[1]
            else:
                yield f"{noun}s", one_list, two_list
    yield from _of_mappings(_parameters(one), _parameters(two))
    if one.seed is not None or two.seed is not None:
        yield "seed", one.seed, two.seed
    yield "device", one.device, two.device
    yield from _of_mappings(one.versions, two.versions)


def _parameters(origin: Provenance) -> dict[str, Any]:
    return {name: v for name, v in origin.parameters.items() if name not in _LISTS}


def _of_mappings(a: Mapping[str, Any], b: Mapping[str, Any]) -> Iterator[tuple[str, Any, Any]]:
    for name in dict.fromkeys((*a, *b)):
        if a.get(name) in _NONE and b.get(name) in _NONE:
            continue
        yield name.replace("_", " "), a.get(name), b.get(name)


def _text(value: Any, name: str) -> str:
    """A value in words: a list as its length, a hash by its beginning."""
    if value is None:
        return "none"
    if name in _HASHES.values():
        return str(value)[:12]
    if isinstance(value, tuple) and len(value) > _MOST_NAMED:
        return counted(len(value), _noun(name))
    if isinstance(value, tuple):
        return ", ".join(_item(one) for one in value) or "none"
    if isinstance(value, Mapping):
        text = "; ".join(f"{key}: {_text(own, 'words')}" for key, own in value.items())
    else:
        text = str(value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _other_lists(a: tuple[Any, ...], b: tuple[Any, ...], name: str) -> tuple[str, str]:
    """Two lists by their lengths and by what only one of them holds."""
    texts = []
    for own, other in ((a, b), (b, a)):
        held = set(map(_item, other))
        more = [text for text in map(_item, own) if text not in held]
        named = ", ".join(more[:_MOST_NAMED])
        rest = f" and {len(more) - _MOST_NAMED} more" * (len(more) > _MOST_NAMED)
        only = f", only here: {named}{rest}" if more else ""
        texts.append(f"{counted(len(own), _noun(name))}{only}")
    return texts[0], texts[1]


def _item(value: Any) -> str:
    return " / ".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _noun(name: str) -> str:
    return name.removesuffix("s") if name.removesuffix("s") in _NOUNS else "value"


@dataclass(frozen=True, kw_only=True)
class Comparison(Result):
    """Two runs of one kind, row by row and over all rows.

    Attributes
    ----------
    kind : str
        Schema name of both results, such as ``"occupations"``.
    names : (str, str)
        Their subjects, with the `sources` where these differ.
    times : (str, str)
        When they began: ISO 8601, UTC.
    is_debiased : bool
        Whether the second subject is the first after debiasing.
    measure, unit : str
        Of the values; ``"points"`` where they are shares, which are shown in percent.
    neutral : float
        NaN where there is none.
    sides : (str, str)
        Names of what lies above and below the neutral value.
    groups : bool
        Whether the sides are the two social groups.
    rows_are : str
        Plural, such as ``"occupations"``.
    level : float
        Of all intervals.
    labels : tuple of str
        The n rows that both runs have, in the order of the first.
    values : ndarray, shape (n, 2)
        In run a and in run b.
    intervals : ndarray, shape (n, 2, 2)
        Of these; NaN where there is none.
    leans : ndarray of int, shape (n, 2)
        1 above the neutral value, -1 below, 0 no clear lean.
    change : ndarray, shape (n,)
        b less a.
    change_intervals : ndarray, shape (n, 2)
    paired : bool
        Whether these use what both runs share; else they hold for independent estimates.
    over : str
        What the runs share; empty if `paired` is False.
    totals : tuple of Total
        Over all shared rows; the first is the headline.
    only : tuple of Single
        Rows that one run has.
    outside : ndarray, shape (n,)
        Outside number of each row, NaN where there is none.
    outside_label : str
        Empty where there is no outside table.
    differs, equal : tuple of Aspect
        In what the runs differ, and what is equal.
    sources : (str, str)
        What the sentences of either run are called where the runs have other sentences about the
        same attributes; else empty.
    """

    schema: ClassVar[str] = "comparison/1"

    kind: str
    names: tuple[str, str]
    times: tuple[str, str] = field(compare=False)
    is_debiased: bool
    measure: str
    unit: str
    neutral: float
    sides: tuple[str, str]
    groups: bool
    rows_are: str
    level: float
    labels: tuple[str, ...]
    values: Floats
    intervals: Floats
    leans: NDArray[np.int64]
    change: Floats
    change_intervals: Floats
    paired: bool
    over: str
    totals: tuple[Total, ...]
    only: tuple[Single, ...]
    outside: Floats
    outside_label: str
    differs: tuple[Aspect, ...]
    equal: tuple[Aspect, ...]
    sources: tuple[str, str] = ("", "")

    @property
    def scale(self) -> float:
        """100 for shares, which are shown in percent; else 1."""
        return 100.0 if self.unit == "points" else 1.0

    @property
    def excludes_null(self) -> NDArray[np.bool_]:
        """Rows whose change has an interval that excludes 0, shape (n,)."""
        low, high = self.change_intervals.T
        return np.asarray((low > 0) | (high < 0))

    def total(self, name: str) -> Total:
        """Return a total by its name.

        Raises
        ------
        KeyError
            If there is none of that name.
        """
        return {one.name: one for one in self.totals}[name]

    def to_frame(self) -> pd.DataFrame:
        """Return one row per shared row, then the totals, then the rows of only one run.

        Columns: of (``row``, ``total``, ``only in a``, ``only in b``), label, a, a_low, a_high, b,
        b_low, b_high, difference (b - a), difference_low, difference_high, paired, outside.
        """
        import pandas as pd

        rows = [
            {
                "of": "row",
                "label": label,
                **_ends("a", self.values[i, 0], self.intervals[i, 0]),
                **_ends("b", self.values[i, 1], self.intervals[i, 1]),
                **_ends("difference", self.change[i], self.change_intervals[i]),
                "paired": self.paired,
                "outside": self.outside[i],
            }
            for i, label in enumerate(self.labels)
        ]
        rows += [
            {
                "of": "total",
                "label": one.name,
                **_ends("a", one.a, one.a_interval),
                **_ends("b", one.b, one.b_interval),
                **_ends("difference", one.difference, one.interval),
                "paired": one.paired,
            }
            for one in self.totals
        ]
        for single in self.only:
            own = _ends(single.run, single.value, single.interval)
            rows.append({"of": f"only in {single.run}", "label": single.label, **own})
        return pd.DataFrame(rows)

    def raw_frame(self) -> pd.DataFrame:
        """Refuse: the observations are those of the two results.

        Raises
        ------
        NoRawFrameError
            Always.
        """
        raise NoRawFrameError(
            "A comparison keeps no observations: use raw_frame() of the two results."
        )


def _ends(name: str, value: float, ends: Floats | Interval | None) -> dict[str, float]:
    if ends is None:
        low, high = np.nan, np.nan
    else:
        low, high = (ends.low, ends.high) if isinstance(ends, Interval) else map(float, ends)
    return {name: float(value), f"{name}_low": low, f"{name}_high": high}
