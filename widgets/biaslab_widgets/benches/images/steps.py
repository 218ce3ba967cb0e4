"""The three steps: what each holds, which can be opened, and what is missing before one."""

from __future__ import annotations

from collections.abc import Sequence

from biaslab_widgets.benches.images.fields import ImageRun
from biaslab_widgets.benches.images.set import PictureSet, pictures
from biaslab_widgets.benches.images.words import ImageWords
from biaslab_widgets.core.bench_fields import StepState


def steps_of(
    words: ImageWords,
    held: PictureSet,
    models: Sequence[str],
    run: ImageRun | None,
    templates: int,
    *,
    making: bool,
) -> list[StepState]:
    """The steps as the headers show them.

    Parameters
    ----------
    words : ImageWords
    held : PictureSet
    models : sequence of str
        Names of the chosen models.
    run : ImageRun, optional
        Of the test; None before the first one.
    templates : int
        How many captions or questions are asked; 0 where that is not known yet.
    making : bool
        Whether pictures are being made.
    """
    count = len(held.images)
    third = _why_no_test(words, held, models, making=making)
    return [
        {
            "title": "Specify",
            "note": words.note,
            "state": "open" if words.why else "done",
            "why": words.why,
        },
        {
            "title": "Images",
            "note": _images_note(held),
            "state": "closed" if words.why else "done" if count else "open",
            "why": words.why,
        },
        {
            "title": "Test",
            "note": _test_note(models, run, templates),
            "state": "closed" if third else "done" if _is_done(run) else "open",
            "why": third,
        },
    ]


def _why_no_test(
    words: ImageWords, held: PictureSet, models: Sequence[str], *, making: bool
) -> str:
    if words.why:
        return words.why
    if not held.images:
        if making:
            return "Making the first pictures."
        return "There are no pictures yet: draw or upload some in step 2."
    return "" if models else "No model is chosen: choose one in step 1."


def _images_note(held: PictureSet) -> str:
    images = held.images
    removed = len(held.aside)
    lost = f"{removed:,} removed"
    if held.n_unusable:
        lost += f", {held.n_unusable:,} rejected with reasons"
    if not images:
        return lost if removed or held.n_unusable else "none yet"
    drawn = sum(image.record.source == "drawn" for image in images)
    if drawn == len(images):
        return f"{drawn:,} portrait{'' if drawn == 1 else 's'} drawn, {lost}"
    return f"{pictures(len(images))}, {lost}"


def _test_note(models: Sequence[str], run: ImageRun | None, templates: int) -> str:
    asked = f"{templates} template{'' if templates == 1 else 's'}" if templates else ""
    if len(models) != 1 or not asked:
        count = f"{len(models)} model{'' if len(models) == 1 else 's'}"
        asked = f"{count}, {asked}" if asked else count
    if run is None:
        return asked
    if run["running"]:
        return f"{asked}, {run['done']:,} of {run['total']:,} tested"
    if run["untested"]:
        return f"{asked}, {run['untested']:,} not tested"
    return f"{asked}, {duration(run['seconds'])}"


def duration(seconds: float) -> str:
    """A time in words."""
    if seconds < 1:
        return f"{1000 * seconds:.0f} ms"
    if seconds < 10:
        return f"{seconds:.1f} s"
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"


def _is_done(run: ImageRun | None) -> bool:
    return run is not None and not run["running"] and not run["untested"]
