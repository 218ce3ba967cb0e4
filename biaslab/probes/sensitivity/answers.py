"""Answers with a group and a truth: of decisions, recorded answers, tables, and classifiers."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from biaslab.answers import RecordedAnswers
from biaslab.arguments import described
from biaslab.asking.providers.classifier import ClassifierService
from biaslab.cases.quality import number as level_text
from biaslab.deciders import OUTCOMES
from biaslab.errors import AnswersError, QueryError, SubjectError
from biaslab.probes.decisions.recorded import cues_and_wordings
from biaslab.probes.decisions.result import DecisionsResult
from biaslab.probes.psychometrics.trials import Trials
from biaslab.probes.sensitivity.result import Answering, Floats, Whole
from biaslab.records.wording import counted, listed

TRUTHS: Final = ("truth", "label", "qualified", "gold", "target", "ground_truth", "is_true")
"""Names of the column of the truth, the surest first."""
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


def of_trials(trials: Trials, qualified: float | None, groups: Sequence[str] | None) -> Observed:
    """Return the answers of psychometric trials about each item, as a group.

    Signal is a stimulus that is all cue 2, and noise one that is all cue 1, or the nearest to
    them; with `qualified`, a stimulus with this share of cue 2 or more, and all others.
    """
    names = _chosen(tuple(dict.fromkeys(map(str, trials.item))), groups, "The trials")
    alpha = np.asarray(trials.alpha)
    ends = (float(alpha.min()), float(alpha.max()))
    at = ends[1] if qualified is None else float(qualified)
    rows = np.flatnonzero(
        np.isin(trials.item, names) & (np.isin(alpha, ends) if qualified is None else alpha <= 1)
    )
    yes, silent = np.asarray(trials.n_cue_2)[rows], np.asarray(trials.n_cannot_say)[rows]
    no = np.asarray(trials.n)[rows] - yes - silent
    each = np.concatenate([rows.repeat(no), rows.repeat(yes)])
    answer = np.repeat([0.0, 1.0], [int(no.sum()), int(yes.sum())])
    if not 0 < at <= ends[1] or ends[0] >= at or not len(each):
        raise QueryError(
            f"Every stimulus lies on one side of {at:g}: the share of cue 2 goes from {ends[0]:g}"
            f" to {ends[1]:g}. Choose a value between these with qualified=."
        )
    who = list(dict.fromkeys(map(str, trials.observer)))
    cue_2 = sorted(set(map(str, trials.cue_2)))
    cue = cue_2[0] if len(cue_2) == 1 else "the second cue"
    several = len(who) > 1
    return Observed(
        names=names, cues=tuple(tuple(who) if several else () for _ in names),
        group=_places([str(trials.item[row]) for row in each], list(names)),
        cue=_places([str(trials.observer[row]) for row in each], who) if several
        else np.full(len(each), -1, dtype=np.int64),
        wording=np.full(len(each), -1, dtype=np.int64), row=each.astype(np.int64) + 1,
        is_signal=alpha[each] >= at, answer=answer, answering="yes or no", cut=0.5,
        truth=f"{100 * at:g} % {cue} or more", outcome=f"answered {cue}", cues_are="observers",
        set_aside=(("cannot say", int(silent.sum())),) if silent.any() else (),
    )  # fmt: skip


def of_decisions(
    result: DecisionsResult, qualified: float | None, groups: Sequence[str] | None
) -> Observed:
    """Return the answers of decisions: the truth is a level of the quality."""
    if result.form != "yes or no":
        raise QueryError(
            "Of two candidates one is always chosen, so no group has hits and false alarms of its"
            " own. Ask yes or no: bl.decisions(..., form='yes or no')."
        )
    quality, trials = result.case.quality, result.trials
    at = (quality.low + quality.high) / 2 if qualified is None else float(qualified)
    names = _chosen(result.groups, groups, result.subject)
    places = [result.places[result.groups.index(name)] for name in names]
    is_about = np.isin(trials.group, places)
    used = is_about & trials.answered & np.isfinite(trials.yes)
    level = trials.level[used]
    is_signal = level >= at if quality.sign > 0 else level <= at
    if is_signal.all() or not is_signal.any():
        raise QueryError(
            f"Every answer is about a level on one side of {level_text(at)} {quality.unit}: levels"
            f" go from {level_text(level.min())} to {level_text(level.max())}. Choose a value"
            " between these with qualified=."
            if len(level)
            else f"{result.subject} has answered no question with yes or no."
        )
    more = "more" if quality.sign > 0 else "less"
    cues = tuple(tuple(cue.text for cue in result.case.groups[place].cues) for place in places)
    outcomes = Counter(OUTCOMES[one] for one in trials.outcome[is_about & ~used])
    notes = ["The truth is the middle of the case’s range; choose another with qualified=."]
    if trials.gives_probabilities:
        notes.append("Answers are probabilities. Intervals are those of one answer to each.")
    return Observed(
        names=names, cues=cues,
        group=_places(trials.group[used].tolist(), places),
        cue=trials.cue[used].astype(np.int64),
        wording=trials.wording[used].astype(np.int64),
        row=np.flatnonzero(used) + 1, is_signal=is_signal, answer=trials.yes[used],
        answering="yes or no", cut=0.5, truth=f"{level_text(at)} {quality.unit} or {more}",
        outcome=result.case.outcome, set_aside=tuple(outcomes.items()),
        notes=tuple(notes[qualified is not None :]),
    )  # fmt: skip


def of_record(
    record: RecordedAnswers,
    *,
    truth: str | None,
    signal: str | float | None,
    qualified: float | None,
    cut: float | None,
    grades: Sequence[str],
    groups: Sequence[str] | None,
) -> Observed:
    """Return recorded answers: the truth is a column, or a level of the quality."""
    names = _chosen(record.groups(), groups, record.name)
    for role in ("model", "case"):
        several = sorted(map(str, record.split(role))) if role in record.roles else []
        if role == "model" and len(several) > 1:
            raise QueryError(
                f"{record.name} has answers of {counted(len(several), 'model')}: {listed(several)}."
                f" Take one: bl.replay(...).where(model={several[0]!r})."
            )
    group = record.column("group", used=False)
    rows = [
        row
        for row, done in enumerate(record.outcomes)
        if done == "answered" and group[row] in names
    ]
    notes = record.notes
    column = truth or next((name for name in TRUTHS if name in record.values), "")
    if not column and "level" in record.roles:
        column = record.roles["level"]
        if qualified is None:
            levels = [one for one in record.column("level") if one is not None]
            qualified = (min(levels) + max(levels)) / 2
            notes = (
                *notes,
                f"The truth is the middle of {column}; choose another with qualified=.",
            )
    if column not in record.values:
        raise AnswersError(
            f"{record.name} has no column {column!r}." if column else
            f"{record.name} has no column that says the truth. Name one with truth=: a yes or no"
            " for each row, such as whether the applicant is qualified."
            f" Its columns are {', '.join(record.values)}."
        )  # fmt: skip
    cue, wording = cues_and_wordings(record, rows, [str(group[row]) for row in rows])
    if record.kind == "ranking" or record.kind == "word pairs":
        raise AnswersError(
            f"The answers of {record.name} are {record.kind}s. Sensitivity takes a yes or no, a"
            " grade or a score in each row; name another column with bl.replay(..., answer=)."
        )
    return of_columns(
        group=[str(group[row]) for row in rows],
        answer=[record.readings[row] for row in rows],
        truth=[record.values[column][row] for row in rows],
        cue=cue, wording=wording,
        row=[record.numbers[row] for row in rows],
        names=names, source=record.name, column=column, signal=signal, qualified=qualified,
        cut=cut, grades=grades,
        outcome=f"answered {record.options[1]}" if record.options else "",
        set_aside=tuple((one.reason, one.count) for one in record.set_aside),
        notes=notes, wordings_are="questions",
    )  # fmt: skip


def of_table(
    table: Any,
    *,
    truth: str | None,
    groups: Sequence[str] | None,
    answer: Any = None,
    **options: Any,
) -> Observed:
    """Return the answers of a table: a mapping or DataFrame of columns of one length.

    - `answer`: answers that are not in the table, such as a classifier's probabilities.
    """
    columns = columns_of(table)
    column = truth or next((name for name in TRUTHS if name in columns), "")
    needed = {"group": "group", "truth": column or "truth"}
    if answer is None:
        needed["answer"] = next((one for one in _ANSWERS if one in columns), "answer")
        answer = columns.get(needed["answer"])
    if lacking := [role for role, name in needed.items() if name not in columns]:
        raise AnswersError(
            f"The table has no column for {listed(lacking)}. Its columns are"
            f" {', '.join(columns) or 'none'}; it takes group, answer and truth, and may have cue"
            " (a name) and wording."
        )
    group = [str(one) for one in columns["group"]]
    present = [one not in (None, "") and one == one for one in answer]
    named = _chosen(tuple(dict.fromkeys(group)), groups, "The table")
    rows = [
        i for i, (one, has) in enumerate(zip(group, present, strict=True)) if has and one in named
    ]
    cue = columns.get("cue", columns.get("name"))
    wording = columns.get("wording")
    missing = len(present) - sum(present)
    return of_columns(
        group=[group[i] for i in rows], answer=[answer[i] for i in rows],
        truth=[columns[needed["truth"]][i] for i in rows],
        cue=[group[i] if cue is None else str(cue[i]) for i in rows],
        wording=["" if wording is None else str(wording[i]) for i in rows],
        row=[i + 1 for i in rows], names=named, source="the table", column=needed["truth"],
        set_aside=(("empty", missing),) if missing else (), **options,
    )  # fmt: skip


def of_classifier(
    classifier: Any, texts: Any, *, truth: str | None, signal: str | float | None, **options: Any
) -> Observed:
    """Return a classifier's probabilities of a label as scores of labelled texts."""
    columns = columns_of(texts)
    column = next((name for name in _TEXTS if name in columns), None)
    if column is None:
        raise AnswersError(
            f"texts has no column of texts; name it text. Its columns are {', '.join(columns)}."
        )
    labels = list(classifier.labels)
    label = str(signal) if str(signal) in labels else labels[-1]
    given = truth or next((name for name in TRUTHS if name in columns), "")
    names_labels = set(map(str, columns.get(given, ()))) <= set(labels)
    scores = _scores(ClassifierService(classifier), list(map(str, columns[column])), label)
    found = of_table(
        columns, truth=truth, answer=scores, signal=label if names_labels else signal, **options
    )
    return replace(
        found, outcome=f"given {label}",
        set_aside=tuple(("without a known word" if one == "empty" else one, n)
                        for one, n in found.set_aside),
    )  # fmt: skip


_TEXTS: Final = ("text", "texts", "sentence", "review", "comment")
_AT_ONCE: Final = 64


def _scores(service: ClassifierService, texts: list[str], label: str) -> list[float | None]:
    """Return the probability of a label at each text; None where the classifier reads no word."""
    place = service.classifier.labels.index(label)
    scores: list[float | None] = []
    for start in range(0, len(texts), _AT_ONCE):
        batch = texts[start : start + _AT_ONCE]
        try:
            scores += service.probabilities(batch)[:, place].tolist()
        except SubjectError:
            if len(batch) == 1:
                scores.append(None)
                continue
            for text in batch:
                scores += _scores(service, [text], label)
    return scores


_ANSWERS: Final = ("answer", "score", "grade", "rating", "prediction")


def columns_of(table: Any) -> dict[str, list[Any]]:
    """Return the columns of a mapping or DataFrame as lists of one length."""
    if not hasattr(table, "keys"):
        raise AnswersError(
            f"A table is a mapping of columns or a DataFrame; this is {described(table)}."
        )
    columns = {str(name): list(table[name]) for name in table.keys()}  # noqa: SIM118  # a DataFrame
    if len({len(one) for one in columns.values()}) > 1:
        lengths = listed([f"{name} {len(one):,}" for name, one in columns.items()])
        raise AnswersError(f"The columns differ in length: {lengths}. Give one value for each row.")
    return columns


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
    places = _places(list(group), list(names))
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


def _chosen(present: Sequence[str], groups: Sequence[str] | None, source: str) -> tuple[str, ...]:
    names = tuple(present) if groups is None else tuple(groups)
    if unknown := [name for name in names if name not in present]:
        raise QueryError(f"{source} has no group {listed(unknown)}: it has {listed(present)}.")
    if len(set(names)) < 2:
        raise QueryError(
            f"{source} has one group, {listed(names)}. A comparison needs two."
            if names else f"{source} has no group. A comparison needs two."
        )  # fmt: skip
    return names


def _places(values: list[Any], among: list[Any]) -> Whole:
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


def is_mapping(value: Any) -> bool:
    """Whether a value is a table: a mapping of columns, or a DataFrame."""
    return isinstance(value, Mapping) or (hasattr(value, "keys") and hasattr(value, "columns"))
