"""Estimates as people read them: the label, the unit and the rounding of every column.

`Result.to_frame` has columns for programs: shares, codes, every interval. A report, a model card
and the page of a run show the same estimates with the words of the benches. `COLUMNS` says how.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

from biaslab.records.result import Result
from biaslab.records.wording import count, number, p_text

if TYPE_CHECKING:
    import pandas as pd

MOST_ROWS = 100
_LARGE = 1000
_TENS, _WHOLE, _EVEN, _MOST_DECIMALS = 10, 5, 50, 4
_MINUS = "\N{MINUS SIGN}"

Kind = Literal["number", "share", "p", "lean"]


@dataclass(frozen=True)
class Column:
    """How a column is shown.

    - `label`: its head; ``{1}`` and ``{2}`` are the groups or cues of the result.
    - `kind`: a number, a share shown in per cent, a p-value, or a lean toward a group.
    - `decimals`: of a number without an interval; by default it has three figures, a share two.
    """

    label: str
    kind: Kind = "number"
    decimals: int | None = None


COLUMNS: Final[Mapping[str, Column | None]] = {
    "pse": Column("PSE, % {2}", "share"),
    "jnd": Column("JND, points", "share"),
    "own_jnd": Column("JND of one observer, points", "share"),
    "pse_sd": Column("SD of the PSE, points", "share"),
    "lean": Column("lean", "lean"),
    "lean_holm": Column("lean, corrected for all words (Holm)", "lean"),
    "lean_class": Column("PSE and JND together"),
    "share_at_half": Column("answer to the even blend, % {2}", "share"),
    "guess": Column("guess rate, %", "share"),
    "lapse": Column("lapse rate, %", "share"),
    "without_switch": Column("observers that never switch"),
    "outside": Column("switch points beyond 0 to 100 %", decimals=1),
    "n_observers": Column("observers"),
    "n_trials": Column("trials"),
    "n_cannot_say": Column("cannot say"),
    "n_pairs": Column("cue pairs"),
    "family": Column("curve"),
    "shift": Column("shift up to the next layer, points", "share"),
    "shift_p": Column("p of the shift", "p"),
    "weat_effect_size": Column("effect size of WEAT", decimals=2),
    "weat_difference": Column("difference of mean similarities", decimals=3),
    "association": Column("difference of mean similarities", decimals=3),
    "effect_size": Column("effect size d", decimals=2),
    "ceiling": Column("largest possible d", decimals=2),
    "exceed": Column("splits that reach it"),
    "partitions": Column("splits"),
    "share": Column("with the stereotype, %", "share"),
    "answered_share": Column("as answered, %", "share"),
    "corrected_share": Column("corrected, %", "share"),
    "outside_share": Column("outside table, %", "share"),
    "share_difference": Column("from the baseline, points", "share"),
    "first_share": Column("first, %", "share"),
    "even_share": Column("even, %", "share", decimals=1),
    "p_adjusted": Column("p, corrected for all tests (Holm)", "p"),
    "score": Column("score of 100", "share"),
    "stereotyped": Column("images with the stereotype"),
    "wins": Column("pairs with the stereotype"),
    "losses": Column("pairs against it"),
    "mean_log_odds": Column("mean log-odds"),
    "of": Column("of"),
    "interval": Column("interval over"),
    "reason": Column("why a number is missing"),
    "mcse": Column("Monte Carlo error"),
    "mcse_mean": Column("Monte Carlo error of the mean"),
    "sd": Column("SD"),
    "rhat": Column("R-hat", decimals=3),
    "ess_bulk": Column("effective draws"),
    "ess_tail": Column("effective draws in the tails"),
    "autocorrelation_1": Column("autocorrelation at lag 1"),
    "p": Column("p", "p"),
    "p_UCS": Column("p, UCS", "p"),
    "p_DSBS": Column("p, DSBS", "p"),
    "p_BS": Column("p, BS", "p"),
    # In the exported table only: they check a fit, or repeat what is shown in another form.
    **dict.fromkeys(("pooled", "misfit", "misfit_p", "association_sd", "exact", "ddof")),
}
"""By name in `Result.to_frame`; None is not shown, and other names are shown as they are."""
_VALUES: Final = ("pse", "association", "value", "share", "score", "estimate", "distance", "mean")
"""What an interval belongs to whose name is just that of its kind, as in ``words_low``."""
_OWNERS: Final = {"statistic": "association", "log_odds": "mean_log_odds"}
_KINDS: Final = {
    "": "",
    "words_and_corpora": "words and corpora",
    "words": "words",
    "corpus": "corpora",
    "corpora": "corpora",
    "names": "names",
    "monte_carlo": "Monte Carlo",
}
"""Kinds of intervals, the widest first: of several the first is shown."""


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

    @property
    def same_text(self) -> str:
        """What is the same in all rows, as a sentence."""
        return f"The same in all rows: {'; '.join(' '.join(one) for one in self.same)}."


def intervals_of(result: Result) -> str:
    """Such as "95 % intervals", where a result has one level for all."""
    level = getattr(result, "level", None)
    return "intervals" if level is None else f"{100 * level:g} % intervals"


def estimates_of(result: Result, most: int = MOST_ROWS) -> Table:
    """Return the estimates of a result as a table; where some are pooled over pairs, only those."""
    frame = result.to_frame()
    if "pooled" in frame and frame["pooled"].any():
        frame = frame[frame["pooled"]]
    axis = getattr(result, "axis", None)
    return table_of(frame, most, {} if axis is None else {"outside": axis.label})


def table_of(
    frame: pd.DataFrame, most: int = MOST_ROWS, labels: Mapping[str, str] | None = None
) -> Table:
    """Make a table of estimates fit a page.

    An interval stands in the cell of its estimate, with decimals that it supports. Columns without
    values are left out, and those with one value stand in `Table.same`.

    - `labels`: heads of this result's own, by column.
    """
    columns = {str(name): frame[name].tolist() for name in frame.columns}
    groups = _groups(columns)
    names = [" / ".join(dict.fromkeys(side)) for side in zip(*groups, strict=True)]
    intervals = intervals_by_estimate(columns)
    units = columns.get("unit", [""] * len(frame))
    heads: dict[str, str] = {}
    texts: dict[str, list[str]] = {}
    for name, values in columns.items():
        look = COLUMNS.get(name, Column(name.replace("_", " ")))
        if look is None or name == "unit" or _is_end(name, columns):
            continue
        if name == "lean" and "lean_holm" in columns:
            continue
        head = (labels or {}).get(name, look.label)
        for place, group in enumerate(names, start=1):
            head = head.replace(f"{{{place}}}", group)
        over, ends = intervals.get(name, ("", [(math.nan, math.nan)] * len(values)))
        heads[name] = f"{head}, interval over {over}" if over else head
        own = units if name in _VALUES else [""] * len(values)
        texts[name] = [_cell(look, *one) for one in zip(values, ends, own, groups, strict=True)]
    texts = {name: column for name, column in texts.items() if any(column)}
    several = len(frame) > 1
    same = [n for k, (n, c) in enumerate(texts.items()) if several and k and len(set(c)) == 1]
    shown = [name for name in texts if name not in same]
    return Table(
        tuple(heads[name] for name in shown),
        tuple(zip(*(texts[name][:most] for name in shown), strict=True)) if shown else (),
        tuple(_is_number(name, columns[name]) for name in shown),
        tuple((heads[name], texts[name][0]) for name in same),
        max(0, len(frame) - most),
    )


def _is_number(name: str, values: list[Any]) -> bool:
    """Whether a column is read as numbers; a lean becomes words."""
    look = COLUMNS.get(name)
    is_lean = look is not None and look.kind == "lean"
    return not is_lean and all(isinstance(one, int | float) for one in values)


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


def _cell(
    look: Column, value: Any, ends: tuple[float, float], unit: str, groups: tuple[str, str]
) -> str:
    """One estimate, with its unit and its interval where it has them."""
    if not cell(value) or isinstance(value, str | bool):
        return cell(value)
    if look.kind == "lean":
        return f"toward {groups[0 if value > 0 else 1]}" if value else "not clear"
    if look.kind == "p":
        return p_text(value)
    if is_share := look.kind == "share" or unit == "share":
        value, ends = 100 * value, (100 * ends[0], 100 * ends[1])
    unit = "" if not unit else " %" if is_share else f" {unit}"
    width = ends[1] - ends[0]
    if not math.isfinite(width):
        decimals = look.decimals
        if is_share and decimals is None:
            decimals = int(abs(value) < _TENS)
        if isinstance(value, int):
            decimals = None
        return f"{cell(value) if decimals is None else number(value, decimals)}{unit}"
    digits = _decimals(ends, is_share=is_share)
    low, high = (number(end, digits) for end in ends)
    return f"{number(value, digits)}{unit} ({low} to {high})"


def _decimals(ends: tuple[float, float], *, is_share: bool) -> int:
    """Decimals that an interval supports: of shares those of `range_text`."""
    width = ends[1] - ends[0]
    if is_share:
        digits = 0 if width >= _WHOLE else 1 if width >= _WHOLE / 10 else 2
        beside = any(round(end, digits) == _EVEN != end for end in ends)
        return min(2, digits + 1) if beside else digits
    return min(_MOST_DECIMALS, max(0, 1 - math.floor(math.log10(width)))) if width > 0 else 2


def _groups(columns: Mapping[str, list[Any]]) -> list[tuple[str, str]]:
    """The two sides of each row: cues or groups, where the table names them."""
    for name in ("group", "cue"):
        if f"{name}_1" in columns and f"{name}_2" in columns:
            return [*zip(columns[f"{name}_1"], columns[f"{name}_2"], strict=True)]
    return [("group 1", "group 2")] * max(map(len, columns.values()), default=0)


def _is_end(name: str, columns: Mapping[str, list[Any]]) -> bool:
    """Whether a column is an end of an interval, such as ``low`` or ``words_high``."""
    for one, other in (("low", "high"), ("high", "low")):
        if name == one or name.endswith(f"_{one}"):
            return name.removesuffix(one) + other in columns
    return False


def intervals_by_estimate(
    columns: Mapping[str, list[Any]],
) -> dict[str, tuple[str, list[tuple[float, float]]]]:
    """Return what the interval of each estimate is over, and its ends; of several the widest.

    Intervals that belong to no column are in the exported table only.
    """
    numeric = [n for n in _VALUES if any(isinstance(one, float) for one in columns.get(n, ()))]
    value = next(iter(numeric), "")
    by_owner: dict[str, tuple[str, list[tuple[float, float]]]] = {}
    for kind, over in _KINDS.items():
        for name in columns:
            if not name.endswith("low") or not _is_end(name, columns):
                continue
            stem = name.removesuffix("low").removesuffix("_")
            owner = stem.removesuffix(kind).removesuffix("_") if kind else stem
            if kind and owner == stem:
                continue
            owner = _OWNERS.get(owner, owner) or value
            high = columns[name.removesuffix("low") + "high"]
            if owner in columns and owner not in by_owner:
                by_owner[owner] = over, [*zip(columns[name], high, strict=True)]
    return by_owner
