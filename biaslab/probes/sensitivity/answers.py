"""Answers with a group and a truth: of decisions, trials, recorded answers, tables, classifiers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
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
from biaslab.probes.sensitivity.columns import Observed, chosen_groups, of_columns, places_of
from biaslab.records.wording import counted, listed

TRUTHS: Final = ("truth", "label", "qualified", "gold", "target", "ground_truth", "is_true")
"""Names of the column of the truth, the surest first."""
_ANSWERS: Final = ("answer", "score", "grade", "rating", "prediction")
_TEXTS: Final = ("text", "texts", "sentence", "review", "comment")
_AT_ONCE: Final = 64


def of_trials(trials: Trials, qualified: float | None, groups: Sequence[str] | None) -> Observed:
    """Return the answers of psychometric trials about each item, as a group.

    Signal is a stimulus that is all cue 2, and noise one that is all cue 1, or the nearest to
    them; with `qualified`, a stimulus with this share of cue 2 or more, and all others.
    """
    names = chosen_groups(tuple(dict.fromkeys(map(str, trials.item))), groups, "The trials")
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
        group=places_of([str(trials.item[row]) for row in each], list(names)),
        cue=places_of([str(trials.observer[row]) for row in each], who) if several
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
    names = chosen_groups(result.groups, groups, result.subject)
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
    if result.method == "adaptive":
        notes.append(
            "Levels followed the answers, so each group was asked at levels of its own: d′ and c"
            " compare different applicants. A run with fixed levels compares the same ones."
        )
    return Observed(
        names=names, cues=cues,
        group=places_of(trials.group[used].tolist(), places),
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
    names = chosen_groups(record.groups(), groups, record.name)
    notes = record.notes
    for role in ("model", "case"):
        several = sorted(map(str, record.split(role))) if role in record.roles else []
        if role == "model" and len(several) > 1:
            raise QueryError(
                f"{record.name} has answers of {counted(len(several), 'model')}: {listed(several)}."
                f" Take one: bl.replay(...).where(model={several[0]!r})."
            )
        if len(several) > 1:
            notes += (f"Answers of {counted(len(several), 'case')} are taken together.",)
    group = record.column("group", used=False)
    rows = [
        row
        for row, done in enumerate(record.outcomes)
        if done == "answered" and group[row] in names
    ]
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
    named = chosen_groups(tuple(dict.fromkeys(group)), groups, "The table")
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


def is_mapping(value: Any) -> bool:
    """Whether a value is a table: a mapping of columns, or a DataFrame."""
    return isinstance(value, Mapping) or (hasattr(value, "keys") and hasattr(value, "columns"))
