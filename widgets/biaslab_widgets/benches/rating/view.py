"""The picture of the rating bench: the matrix of languages and blocks, the verdict, the run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from biaslab.probes.rating import LanguageRating, RatingResult
from biaslab.probes.rating.ratings import ORDER, Rating, overall
from biaslab.probes.rating.result import Route
from biaslab.services import language_name
from biaslab_widgets.benches.rating.design import states_of
from biaslab_widgets.benches.rating.fields import (
    Cell,
    DistributionState,
    LanguageFinding,
    MatrixRow,
    RatingName,
    RatingPicture,
    RatingRun,
)
from biaslab_widgets.benches.rating.run import Run, Shown
from biaslab_widgets.core.state.records import Span

_NAMES: Mapping[Rating, RatingName] = {
    Rating.UCS: "UCS",
    Rating.DSBS: "DSBS",
    Rating.BS: "BS",
    Rating.NOT_RATEABLE: "not rateable",
}
MOST_NOTES = 8
State = Literal["queued", "running", "done", "stopped", "failed"]


def rating_name(rating: Rating) -> RatingName:
    """A rating as the front end names it."""
    return _NAMES[rating]


def stamp_name(possible: Sequence[Rating]) -> RatingName:
    """The only possible rating as the front end names it; of several, that it is open."""
    return rating_name(possible[0]) if len(possible) == 1 else "open"


def title_of(language: str) -> str:
    """English name of a language; ``directly`` of none."""
    return language_name(language) if language else "directly"


def picture_of(
    shown: Shown,
    languages: Sequence[str],
    shares: list[DistributionState] | None,
    finding: LanguageFinding,
    *,
    stale: bool,
    seconds_left: float | None,
) -> RatingPicture:
    """The picture of a run, as it is rated by what is on the screen.

    - `languages`: that have a row, in order.
    - `shares`: the blocks on the screen; None: those of the run.
    - `finding`: how the language that is looked at is rated, and why.
    - `stale`: whether the design has changed since.
    """
    run, result, whole = shown.run, shown.result, shown.whole
    design = run.design
    rated = {} if whole is None else {one.language: one for one in whole.ratings}
    rows = [_row(shown, rated.get(language), language) for language in languages]
    state: RatingRun = {
        "number": run.number,
        "running": shown.running,
        "done": round(run.done),
        "total": run.total,
        "calls": shown.facts.calls,
        "from_store": shown.facts.from_store,
        "seconds": round(run.now, 2),
        "seconds_left": seconds_left,
        "stale": stale,
        "failed": shown.facts.failed,
    }
    both, without = _overall(whole)
    return {
        "service": run.source.name,
        "attribute": design.attribute.name,
        "values": list(design.attribute.all_values),
        "blocks": shares if shares is not None else states_of(design.distributions),
        "rows": rows,
        "overall": both,
        "overall_without": without,
        "finding": finding,
        "run": state,
        "per": run.rules.paper.unit if result is None else result.rules.paper.unit,
        "verdict": _verdict(shown, rows),
        "caveat": _caveat(shown, rows),
        "notes": _notes(run),
        "footer": [f"seed {design.seed}", _kept(run)],
    }


def _overall(whole: RatingResult | None) -> tuple[list[RatingName | None], list[RatingName | None]]:
    if whole is None:
        return [None, None], [None, None]
    rated = overall(whole.ratings, whole.rules)
    return (
        [rating_name(rated.paper), stamp_name(rated.possible)],
        [rating_name(rated.paper_without), stamp_name(rated.possible_without)],
    )


def _row(shown: Shown, rating: LanguageRating | None, language: str) -> MatrixRow:
    run, result = shown.run, shown.result
    routes = () if result is None else result.routes
    place = next((i for i, route in enumerate(routes) if route.language == language), None)
    position = run.languages.index(language)
    route = None if place is None else routes[place]
    state, text = _state(shown, route, language, position)
    cells, points = _cells(shown, place, position)
    chances = [] if rating is None else [rating.probabilities.get(str(one)) for one in ORDER]
    return {
        "language": language,
        "title": title_of(language),
        "state": state,
        "message": text,
        "cells": cells,
        "points": points,
        "paper": None if rating is None else rating_name(rating.paper),
        "corrected": None if rating is None else stamp_name(rating.possible),
        "shown": rating is not None and rating.shown,
        "probabilities": [p for p in chances if p is not None],
        "unresolved": sum(cell["unresolved"] for cell in cells),
    }


def _state(shown: Shown, route: Route | None, language: str, position: int) -> tuple[State, str]:
    run = shown.run
    if route is not None and route.responses.complete:
        return "done", ""
    if shown.running:
        return ("running" if int(run.position) == position else "queued"), ""
    if route is not None:
        problems = route.responses.problems
        if run.stopped or not problems:
            return "stopped", "It was stopped. Run it again to continue."
        return "failed", problems[-1]
    dropped = () if run.result is None else run.result.dropped
    title = title_of(language)
    for each in dropped:
        if each.role == "language" and each.term in (title, "asked directly"):
            return "failed", each.reason
    if run.failure and not run.stopped:
        return "failed", run.failure
    return "stopped", "It was stopped before it began."


def _cells(
    shown: Shown, place: int | None, position: int
) -> tuple[list[Cell], list[list[float] | None]]:
    """One per block; what goes on is as far as was told."""
    run, result = shown.run, shown.result
    design = run.design
    total = design.texts * design.repetitions
    blocks = len(design.distributions)
    blocks_done = min(max(run.position - position, 0.0), 1.0) * blocks
    cells: list[Cell] = []
    points: list[list[float] | None] = []
    for b in range(blocks):
        done = int(min(max(blocks_done - b, 0.0), 1.0) * total + 1e-6)
        cell: Cell = {
            "counts": [],
            "mentions": 0,
            "unresolved": 0,
            "done": done,
            "total": total,
            "predicted": False,
        }
        point: list[float] | None = None
        if result is not None and place is not None:
            count = shown.facts.asked[result.routes[place].language, b]
            cell["done"] = max(done, count) if shown.running else count
            if count:
                cell, point = _filled(result, place, b, cell, count * design.sentences)
        cells.append(cell)
        points.append(point)
    return cells, points


def _filled(
    result: RatingResult, place: int, block: int, cell: Cell, mentions: int
) -> tuple[Cell, list[float] | None]:
    counts = [float(n) for n in result.tallies.output[place, block]]
    resolved = sum(counts)
    predicted = result.changed[block]
    # What no text of the run had is not known; nothing was there that could not be read.
    known = resolved > 0 or not predicted
    filled: Cell = {
        **cell,
        "counts": counts,
        "mentions": mentions,
        "unresolved": max(round(mentions - resolved), 0) if known else 0,
        "predicted": predicted,
    }
    return filled, [n / resolved for n in counts] if resolved else None


def _verdict(shown: Shown, rows: Sequence[MatrixRow]) -> list[Span]:
    if shown.whole is not None:
        return [{"text": text, "role": role} for text, role in shown.whole.verdict_spans()]
    if shown.running:
        text = "Each language is rated once all its texts are answered."
    else:
        text = next((row["message"] for row in rows if row["message"]), "There are no answers.")
    return [{"text": text, "role": "plain"}]


def _caveat(shown: Shown, rows: Sequence[MatrixRow]) -> str:
    """What goes on, what is counted, by which rule, and what could not be read."""
    run, result = shown.run, shown.result
    parts = []
    going = sum(row["state"] in ("running", "queued") for row in rows)
    if shown.running and len(rows) > 1 and going:
        parts.append(f"{going} language{'s' * (going != 1)} still running.")
    sentences = run.design.sentences
    parts.append(f"Counts are mentions, {sentences} per text.")
    rules = run.rules if result is None else result.rules
    rule = rules.corrected
    parts.append(
        f"Corrected rule: equivalence within {100 * rule.margin:g} points, {100 * rule.level:g} %."
    )
    unread = sum(row["unresolved"] for row in rows)
    parts.append(f"{unread:,} mention{'s' * (unread != 1)} could not be read.")
    if result is not None and any(result.changed):
        parts.append("Results of changed blocks are predictions.")
    return " ".join(parts)


def _notes(run: Run) -> list[str]:
    """What was left out and what went wrong."""
    if run.result is None:
        return [run.failure] if run.failure else []
    notes = [f"{each.term}: {each.reason}" for each in run.result.dropped]
    if run.failure:
        notes.insert(0, run.failure)
    each = list(dict.fromkeys(notes))
    more = len(each) - MOST_NOTES
    return each if more <= 0 else [*each[:MOST_NOTES], f"{more} more in the exported JSON."]


def _kept(run: Run) -> str:
    routes = () if run.result is None else run.result.routes
    if routes and not all(route.responses.identity for route in routes):
        return "answers are not cached: this service has no version"
    return "every response is cached in the store"
