"""The three steps: what each holds, which can be opened, and what is missing before one."""

from __future__ import annotations

from collections.abc import Sequence

from biaslab_widgets.benches.sentences.fields import RunState
from biaslab_widgets.benches.sentences.set import SentenceSet
from biaslab_widgets.benches.sentences.words import Words
from biaslab_widgets.core.bench_fields import StepState


def steps_of(
    words: Words, held: SentenceSet, models: Sequence[str], run: RunState | None
) -> list[StepState]:
    """The steps as the headers show them.

    Parameters
    ----------
    words : Words
    held : SentenceSet
    models : sequence of str
        Names of the chosen models.
    run : RunState, optional
        Of the test; None before the first one.
    """
    pairs = len(held.pairs)
    third = _why_no_test(words, pairs, models)
    second = "" if pairs else words.why
    return [
        {
            "title": "Specify",
            "note": words.note,
            "state": "open" if words.why else "done",
            "why": words.why,
        },
        {
            "title": "Sentences",
            "note": _sentences_note(held),
            "state": "closed" if second else "done" if pairs else "open",
            "why": second,
        },
        {
            "title": "Test",
            "note": _test_note(models, run),
            "state": "closed" if third else "done" if _is_done(run) else "open",
            "why": third,
        },
    ]


def _why_no_test(words: Words, pairs: int, models: Sequence[str]) -> str:
    if not pairs:
        return words.why or "There are no sentences yet: make some in step 2."
    return "" if models else "No model is chosen: choose one in step 1."


def _sentences_note(held: SentenceSet) -> str:
    pairs, lost = len(held.pairs), len(held.aside) + len(held.unusable)
    if not pairs and not lost:
        return "none yet"
    kept = f"{pairs:,} pair{'' if pairs == 1 else 's'} kept"
    return f"{kept}, {lost:,} rejected with reasons" if lost else kept


def _test_note(models: Sequence[str], run: RunState | None) -> str:
    count = f"{len(models)} model{'' if len(models) == 1 else 's'}"
    if run is None:
        return count
    if run["running"]:
        return f"{count}, {run['done']:,} of {run['total']:,} scored"
    same = ", same sentences" if len(models) > 1 else ""
    if run["unscored"]:
        return f"{count}{same}, {run['unscored']:,} not scored"
    return f"{count}{same}, {_duration(run['seconds'])}"


def _duration(seconds: float) -> str:
    if seconds < 1:
        return f"{1000 * seconds:.0f} ms"
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"


def _is_done(run: RunState | None) -> bool:
    return run is not None and not run["running"] and not run["unscored"]
