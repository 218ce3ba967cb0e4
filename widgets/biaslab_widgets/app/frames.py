"""What the page of a bench shows before the bench itself has come: name, question, places, axis."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

QuestionOf = Callable[[Any], str]


@dataclass(frozen=True)
class Frame:
    """The frame of a bench, for ``templates/frame.html``.

    Attributes
    ----------
    name : str
        As on the bench.
    question : callable
        The question that the bench asks in a state of it; the bench's own says the same.
    layout : {"rail", "row", "head", "bar", "steps", "plain"}
        Where the controls stand: at the left, in a row, in the heading or in its only line, or in
        the first of three steps; "plain" has none.
    controls : tuple of str
        Labels of the controls, or titles of the steps.
    axis : tuple of str
        Left end, neutral value, right end; empty where the bench begins without an axis.
    heights : (int, int)
        Of the bench in px, on a wide page and on a phone: the page keeps its length.
    room : (int, int)
        Lines that are kept for the question, on a wide page and on a phone.
    """

    name: str
    question: QuestionOf
    layout: Literal["rail", "row", "head", "bar", "steps", "plain"]
    controls: tuple[str, ...]
    axis: tuple[str, ...]
    heights: tuple[int, int]
    room: tuple[int, int] = (1, 2)


def _psychometric(state: Any) -> str:
    chosen = state.selected_pairs[0] if state.selected_pairs else 0
    one, two = state.pairs[chosen] if chosen < len(state.pairs) else ("cue 1", "cue 2")
    return f"At which blend of {one} and {two} does the model switch its answer{_for(state.word)}?"


def _for(word: str) -> str:
    return f" for “{word if len(word) <= 32 else word[:31] + '…'}”" if word else ""


def _occupations(state: Any) -> str:
    groups = len(state.groups)
    which = f"which of {groups} groups" if groups > 2 else "which group"
    return f"Which occupations does the model tie to {which}?"


def _images(state: Any) -> str:
    concepts = [one["name"] for one in state.lists if one.get("kind") == "attributes"]
    pair = f": “{concepts[0]}” or “{concepts[1]}”" if len(concepts) > 1 else ""
    return f"Which word does the model pair with a portrait{pair}?"


def _same(text: str) -> QuestionOf:
    return lambda _state: text


FRAMES: Final[Mapping[str, Frame]] = {
    "psychometric": Frame(
        "Psychometric bench",
        _psychometric,
        "rail",
        ("Subject", "Word", "Cue pair", "Perceptual noise", "Replicates", "Stimulus levels"),
        ("0", "50", "100"),
        (943, 1777),
        (1, 3),
    ),
    "occupations": Frame(
        "Occupations",
        _occupations,
        "bar",
        ("Subject", "Groups"),
        ("0 %", "50 %", "100 %"),
        (1218, 2220),
    ),
    "association": Frame(
        "Association bench",
        _same("Does each word stand closer to its group’s stereotypes than to anything else?"),
        "head",
        ("Subject", "Replicate", "Debiasing", "What is shown"),
        ("closer", "unrelated 1.0", "farther"),
        (1572, 3277),
        (1, 3),
    ),
    "posterior": Frame(
        "Posterior bench",
        lambda state: (
            f"What does the classifier imagine when it says “{state.label or 'positive'}”?"
        ),
        "row",
        ("Subject", "Label", "Prior p(s)", "Prior width", "Engine"),
        ("closer", "orthogonal 0.5", "farther"),
        (1555, 3005),
    ),
    "sentences": Frame(
        "Sentence bench",
        _same("Which version of a sentence does the model find more probable?"),
        "steps",
        ("Specify", "Sentences", "Test"),
        (),
        (1038, 2470),
    ),
    "images": Frame(
        "Image bench", _images, "steps", ("Specify", "Images", "Test"), (), (995, 2224)
    ),
    "rating": Frame(
        "Rating bench",
        _same("Does the translator add bias, follow it, or remove it?"),
        "row",
        ("Service", "Attribute", "Texts per block", "Cost of this design"),
        (),
        (1863, 3416),
    ),
    "word_lists": Frame(
        "Word lists",
        _same("Which words describe each group?"),
        "plain",
        (),
        (),
        (391, 498),
        (1, 1),
    ),
}
"""The frame of each bench, by its name."""
