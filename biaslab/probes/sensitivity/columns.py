"""Columns of answers: groups, the truth, and yes or no, grades or scores."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from biaslab.errors import AnswersError, QueryError
from biaslab.probes.sensitivity.result import Answering, Floats, Whole
from biaslab.records.wording import listed

MOST_GRADES: Final = 10
_YES: Final = frozenset({"1", "1.0", "true", "yes", "y", "positive", "pos", "qualified"})
_NO: Final = frozenset({"0", "0.0", "false", "no", "n", "negative", "neg", "unqualified"})


@dataclass(frozen=True, eq=False)
class Observed:
    """Used answers as columns of shape (n,), and how they are said.

    - `group`: place in `names`; `cue`, `wording`: place in `cues` of the group, or -1.
    - `answer`: 1, 0 or a probability of a yes; else a grade or score.
    - `cut`: grade or score from which on an answer is a yes.
    """

    names: tuple[str, ...]
    cues: tuple[tuple[str, ...], ...]
    group: Whole
    cue: Whole
    wording: Whole
    row: Whole
    is_signal: np.ndarray[Any, np.dtype[np.bool_]]
    answer: Floats
    answering: Answering
    cut: float
    truth: str
    outcome: str
    set_aside: tuple[tuple[str, int], ...] = ()
    notes: tuple[str, ...] = ()
    cues_are: str = "names"
    wordings_are: str = "wordings"


def of_columns(
    *,
    group: Sequence[str],
    answer: Sequence[Any],
    truth: Sequence[Any],
    cue: Sequence[str],
    wording: Sequence[str],
    row: Sequence[int],
    names: tuple[str, ...],
    source: str,
    column: str,
    signal: str | float | None = None,
    qualified: float | None = None,
    cut: float | None = None,
    grades: Sequence[str] = (),
    outcome: str = "",
    set_aside: tuple[tuple[str, int], ...] = (),
    notes: tuple[str, ...] = (),
    wordings_are: str = "wordings",
) -> Observed:
    """Return answers from columns, with the truth and the grades read."""
    known, is_signal, said = _truth(truth, column, signal, qualified, source)
    values = _answers(answer, grades, source)
    unknown = len(known) - int(known.sum())
    answering, at = _answering(values[known], cut, source)
    places = places_of(list(group), list(names))
    cues = tuple(
        tuple(dict.fromkeys(one for one, own in zip(cue, group, strict=True) if own == name))
        for name in names
    )
    wordings = {one: n for n, one in enumerate(dict.fromkeys(wording))}
    has_cues = all(len(own) > 1 for own in cues)
    place = [{one: n for n, one in enumerate(own)} for own in cues]
    labels = list(map(str, grades))
    from_here = labels[round(at)] if labels else f"{at:g}"
    return Observed(
        names=names, cues=cues if has_cues else tuple(() for _ in names),
        group=places[known],
        cue=np.array(
            [place[g][one] if has_cues else -1 for g, one in zip(places, cue, strict=True)],
            dtype=np.int64,
        )[known],
        wording=np.array([wordings[one] if len(wordings) > 1 else -1 for one in wording],
                         dtype=np.int64)[known],
        row=np.array(row, dtype=np.int64)[known], is_signal=is_signal[known],
        answer=values[known], answering=answering, cut=at, truth=said,
        outcome=outcome or ("answered yes" if answering == "yes or no" else
                            f"given {from_here} or more"),
        set_aside=(*set_aside, *((("without a truth", unknown),) if unknown else ())),
        notes=notes, wordings_are=wordings_are,
    )  # fmt: skip


def _truth(
    values: Sequence[Any], column: str, signal: str | float | None, qualified: float | None,
    source: str,
) -> tuple[Any, Any, str]:  # fmt: skip
    """Return where a truth is known, where it is signal, and how that is said."""
    known = np.array([one not in (None, "") and one == one for one in values], dtype=bool)
    texts = ["" if not has else str(one).strip() for one, has in zip(values, known, strict=True)]
    different = sorted({one for one, has in zip(texts, known, strict=True) if has})
    if qualified is not None:
        try:
            numbers = np.array([float(one or "nan") for one in texts])
        except ValueError:
            raise AnswersError(
                f"qualified is {qualified:g}, but {column} holds no numbers in {source}: its values"
                f" are {_some(different)}. Name the one that is signal with signal=."
            ) from None
        is_signal, said = numbers >= qualified, f"{column} is {qualified:g} or more"
    elif signal is not None:
        chosen = f"{signal:g}" if isinstance(signal, float) else str(signal)
        if chosen not in different:
            raise AnswersError(
                f"signal is {chosen!r}, which {column} never is in {source}: its values are"
                f" {_some(different)}."
            )
        is_signal, said = np.array([one == chosen for one in texts]), f"{column} is {chosen}"
    else:
        folded = [one.casefold() for one in texts]
        if other := sorted({one for one in folded if one and one not in _YES | _NO}):
            raise AnswersError(
                f"{column} holds {_some(other)} in {source}, which is neither a yes nor a no. Name"
                " the value that is signal with signal=, or of numbers the least with qualified=."
            )
        is_signal = np.array([one in _YES for one in folded])
        said = f"{column} is {next((one for one in different if one.casefold() in _YES), 'yes')}"
    if not known.any() or is_signal[known].all() or not is_signal[known].any():
        only = _some(different) if different else "empty"
        raise AnswersError(
            f"{column} never varies in {source}: it is {only} in every row that is used. Hits and"
            " false alarms take cases of which the truth is yes, and others of which it is no."
            if qualified is None
            else f"Every {column} in {source} lies on one side of {qualified:g}: choose a value"
            " inside its range with qualified=."
        )
    return known, is_signal, said


def _answers(values: Sequence[Any], grades: Sequence[str], source: str) -> Floats:
    """Return answers as numbers; of grades in words, their places."""
    if grades:
        place = {str(one).strip().casefold(): float(n) for n, one in enumerate(grades)}
        texts = [str(one).strip().casefold() for one in values]
        if unknown := sorted(set(texts) - set(place)):
            raise AnswersError(
                f"{source} has answers that grades= does not list: {_some(unknown)}. List all of"
                " them in order, the least favourable first."
            )
        return np.array([place[one] for one in texts])
    try:
        return np.array([_number(one) for one in values])
    except ValueError:
        words = sorted({str(one) for one in values})
        raise AnswersError(
            f"The answers of {source} are words without an order: {_some(words)}. Give the grades"
            " in order with grades=, the least favourable first."
        ) from None


def _number(value: Any) -> float:
    folded = str(value).strip().casefold()
    if folded in ("yes", "true"):
        return 1.0
    return 0.0 if folded in ("no", "false") else float(value)


def _answering(values: Floats, cut: float | None, source: str) -> tuple[Answering, float]:
    """Return what answers are, and from where on they are a yes."""
    if not np.isfinite(values).all():
        raise AnswersError(f"{source} has an answer that is no finite number. Remove its row.")
    least, most = float(values.min()), float(values.max())
    if least == most:
        raise AnswersError(
            f"All answers of {source} are {least:g}: nothing tells signal from noise in them."
        )
    different = np.unique(values)
    if set(different) <= {0.0, 1.0}:
        return "yes or no", 0.5
    is_graded = len(different) <= MOST_GRADES and bool((different == np.round(different)).all())
    if cut is None:
        is_share = not is_graded and least >= 0 and most <= 1
        cut = 0.5 if is_share else (least + most) / 2 if is_graded else float(np.median(values))
        # Of grades, those above the middle: 4 and more of 1 to 6.
        cut = float(np.nextafter(cut, math.inf)) if is_graded else cut
    if not least < cut <= most:
        raise AnswersError(
            f"cut is {cut:g}: every answer of {source} lies on one side of it. Choose one above"
            f" {least:g} and up to {most:g}."
        )
    if is_graded:
        return "grades", float(different[different >= cut][0])
    return "scores", float(cut)


def chosen_groups(
    present: Sequence[str], groups: Sequence[str] | None, source: str
) -> tuple[str, ...]:
    """Return the groups to compare; raise `QueryError` if one is not present, or there is one."""
    names = tuple(present) if groups is None else tuple(groups)
    if unknown := [name for name in names if name not in present]:
        raise QueryError(f"{source} has no group {listed(unknown)}: it has {listed(present)}.")
    if len(set(names)) < 2:
        raise QueryError(
            f"{source} has one group, {listed(names)}. A comparison needs two."
            if names else f"{source} has no group. A comparison needs two."
        )  # fmt: skip
    return names


def places_of(values: list[Any], among: list[Any]) -> Whole:
    """Return where each value stands among others."""
    place = {one: n for n, one in enumerate(among)}
    return np.array([place[one] for one in values], dtype=np.int64)


def _some(values: Sequence[str], most: int = 5) -> str:
    shown = listed([repr(one) for one in values[:most]])
    return f"{shown} and {len(values) - most} more" if len(values) > most else shown


def categories_of(observed: Observed, most: int = 6) -> tuple[Whole, Floats]:
    """Return the category of each grade or score, and the least value of each but the first.

    Grades that nobody gave are no categories. Scores have `most` of about equal size, and the cut
    between two of them.
    """
    values, cut = observed.answer, observed.cut
    if observed.answering == "grades":
        edges = np.unique(values)[1:]
    else:
        inner = np.quantile(values, np.arange(1, most) / most)
        # The quantile that is nearest to the cut makes room for it.
        inner[np.argmin(np.abs(inner - cut))] = cut
        edges = np.unique(inner[(inner > values.min()) & (inner <= values.max())])
    edges = np.unique(np.append(edges[edges != cut], cut)) if math.isfinite(cut) else edges
    return np.searchsorted(edges, values, side="right").astype(np.int64), edges
