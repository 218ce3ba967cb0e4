"""A run as reports show it: its finding, its provenance, its estimates as a table."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from biaslab.arguments import described
from biaslab.errors import ArgumentError, BiaslabError
from biaslab.records.result import Result
from biaslab.records.wording import count
from biaslab.store import Store
from biaslab.subjects.pretrained.facts import summary_of

if TYPE_CHECKING:
    import pandas as pd


MOST_ROWS = 100
_MINUS = "\N{MINUS SIGN}"
_LARGE = 1000


@dataclass(frozen=True)
class Table:
    """Heads and rows of text, and what is the same in all rows.

    - `is_number`: by column.
    - `same`: columns with one value, which are left out of `rows`.
    - `left_out`: rows beyond `MOST_ROWS`.
    """

    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    is_number: tuple[bool, ...]
    same: tuple[tuple[str, str], ...] = ()
    left_out: int = 0


def estimates(result: Result) -> pd.DataFrame:
    """Return the estimates of a result; where some are pooled over cue pairs, only those."""
    frame = result.to_frame()
    if "pooled" in frame and frame["pooled"].any():
        return frame[frame["pooled"]]
    return frame


def table_of(frame: pd.DataFrame, most: int = MOST_ROWS) -> Table:
    """Make a table of estimates fit a page.

    The ends of an interval stand in one cell, beside the estimate of that name if there is one.
    Columns without values are left out, and those with one value stand in `Table.same`.
    """
    columns: dict[str, list[Any]] = {str(name): frame[name].tolist() for name in frame.columns}
    texts: dict[str, list[str]] = {}
    numbers: dict[str, bool] = {}
    for name, values in columns.items():
        if name.endswith("_high") and f"{name[:-5]}_low" in columns:
            continue
        if name.endswith("_low") and f"{name[:-4]}_high" in columns:
            stem = name[:-4]
            ends = _ends(values, columns[f"{stem}_high"])
            if stem in texts:
                texts[stem] = [
                    f"{one} ({own})" if own else one
                    for one, own in zip(texts[stem], ends, strict=True)
                ]
                continue
            texts[f"{stem}_interval"], numbers[f"{stem}_interval"] = ends, True
            continue
        texts[name] = [cell(value) for value in values]
        numbers[name] = all(isinstance(value, int | float) for value in values)
    texts = {name: column for name, column in texts.items() if any(column)}
    several = len(frame) > 1
    constant = [n for k, (n, c) in enumerate(texts.items()) if several and k and len(set(c)) == 1]
    shown = [name for name in texts if name not in constant]
    rows = tuple(zip(*(texts[name][:most] for name in shown), strict=True)) if shown else ()
    return Table(
        tuple(name.replace("_", " ") for name in shown),
        rows,
        tuple(numbers[name] for name in shown),
        tuple((name.replace("_", " "), texts[name][0]) for name in constant),
        max(0, len(frame) - most),
    )


def cell(value: Any) -> str:
    """A value as text, numbers with a true minus sign and three figures."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return count(value).replace("-", _MINUS)
    if isinstance(value, float):
        large = abs(value) >= _LARGE and math.isfinite(value)
        return (f"{value:,.0f}" if large else f"{value:.3g}").replace("-", _MINUS)
    return str(value)


def _ends(low: Sequence[Any], high: Sequence[Any]) -> list[str]:
    cells = [(cell(a), cell(b)) for a, b in zip(low, high, strict=True)]
    return [f"{a} to {b}" if a and b else "" for a, b in cells]


_MOST_NAMED = 200
_LONGEST = 300


@dataclass(frozen=True)
class RunEntry:
    """A result and the id of its run, empty if it was not saved."""

    result: Result
    id: str = ""

    @property
    def again(self) -> str:
        """The command, or the code, that makes the result again; empty where neither is known."""
        if self.id:
            return f"biaslab rerun {self.id}"
        code = getattr(self.result, "code", None)
        if code is not None:
            with suppress(BiaslabError):  # made by an older version, or from a subject in memory
                return str(code())
        return ""

    @property
    def limits(self) -> tuple[str, ...]:
        """What limits the finding, and remarks."""
        notes = getattr(self.result, "notes", ())
        return tuple(filter(None, (self.result.caveat(), *map(str, notes))))

    @property
    def left_out(self) -> tuple[tuple[str, str], ...]:
        """What was left out: how many and why, and the terms."""
        groups: dict[tuple[str, str], list[str]] = {}
        for one in self.result.dropped:
            groups.setdefault((one.role, one.reason), []).append(one.term)
        return tuple(
            (f"{len(terms)} × {role}, {reason}", _listed(terms))
            for (role, reason), terms in groups.items()
        )

    @property
    def made_with(self) -> tuple[tuple[str, str], ...]:
        """Provenance, by name."""
        origin = self.result.provenance
        rows: dict[str, object] = {
            "run": self.id,
            "question": origin.probe,
            "subject": origin.subject,
            "content of the subject (SHA-256)": origin.subject_hash,
            "word lists (SHA-256)": origin.spec_hash,
            "seed": origin.seed,
            **{name.replace("_", " "): value for name, value in origin.parameters.items()},
            "model": summary_of(origin.loaded),
            "device": origin.device,
            "versions": ", ".join(f"{name} {one}" for name, one in origin.versions.items()),
            "time": origin.time[:19].replace("T", " ") + " UTC" * bool(origin.time),
        }
        texts = ((name, _value(value)) for name, value in rows.items())
        return tuple((name, value) for name, value in texts if value not in ("", "None"))


def entries_of(given: object, store: Store | None = None) -> tuple[RunEntry, ...]:
    """Return the runs that were given: one or several results, or ids in a store.

    - `store`: where ids are looked up; by default the person's own store.
    - Raises `ArgumentError` if there is none, or one is neither; `StoreError` if there is no run
      with an id.
    """
    runs = tuple(_entries(given, store))
    if not runs:
        raise ArgumentError("There is nothing to report: pass at least one result or id of a run.")
    return runs


def _entries(given: object, store: Store | None) -> Iterator[RunEntry]:
    if isinstance(given, Result):
        yield RunEntry(given)
    elif isinstance(given, str):
        yield RunEntry((store or Store()).open(given), given)
    elif isinstance(given, Iterable):
        for one in given:
            yield from _entries(one, store)
    else:
        raise ArgumentError(
            f"This is {described(given)}. Pass results or ids of runs, one or several."
        )


def _listed(terms: list[str]) -> str:
    more = f" and {len(terms) - _MOST_NAMED:,} more" * (len(terms) > _MOST_NAMED)
    return ", ".join(terms[:_MOST_NAMED]) + more


def _value(value: object) -> str:
    if isinstance(value, tuple):
        value = ", ".join(map(_value, value))
    if isinstance(value, Mapping):
        value = ", ".join(f"{name} {_value(own)}" for name, own in value.items())
    text = str(value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
