"""Answers of a framed language model with the stimulus patched in at chosen layers."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from biaslab.arguments import check_choice, described
from biaslab.errors import QueryError
from biaslab.probes.psychometrics.framed_question import Floats, Question, shares_of
from biaslab.subjects.language_model.model import LanguageModel
from biaslab.subjects.language_model.patching import PATCHES, Patch, blocks_of, read_layers

ALL = "all"


def chosen_layers(lm: LanguageModel, layers: Sequence[int] | str) -> tuple[int, ...]:
    """Return the layers of a model that are meant, ascending.

    Parameters
    ----------
    lm : LanguageModel
        Of L blocks: its layers are 0, the input embeddings, to L, what the last block passes on.
    layers : sequence of int, or "all"

    Raises
    ------
    QueryError
        When there is none, or one is no layer of the model; says which it has.
    SubjectError
        When the model has no blocks that can be entered.
    """
    last = len(blocks_of(lm))
    has = f"{lm.name} has layers 0, its input, to {last}, its last block."
    if isinstance(layers, str) and layers == ALL:
        return tuple(range(last + 1))
    if isinstance(layers, str) or not isinstance(layers, Sequence | np.ndarray | range):
        raise QueryError(f"layers is {described(layers)}. Pass 'all' or a list of them: {has}")
    chosen: list[int] = []
    for layer in layers:
        if isinstance(layer, bool) or not isinstance(layer, int | np.integer):
            raise QueryError(f"A layer is a whole number; got {described(layer)}. {has}")
        if not 0 <= layer <= last:
            raise QueryError(f"There is no layer {layer}: {has}")
        if int(layer) in chosen:
            raise QueryError(f"Layer {layer} is listed twice. List each layer once.")
        chosen.append(int(layer))
    if not chosen:
        raise QueryError(f"The list of layers is empty. Pass 'all' or some of them: {has}")
    return tuple(sorted(chosen))


def check_patch(patch: Patch) -> None:
    """Refuse what is no way of patching.

    Raises
    ------
    ArgumentError
        When it is none.
    """
    check_choice(patch, PATCHES, "patch")


def answers_at_layers(
    lm: LanguageModel,
    questions: Sequence[Question],
    alphas: Floats,
    layers: Sequence[int],
    patch: Patch,
    memory_mb: float | None,
    between: Callable[[], None] | None,
    advance: Callable[[float], None],
) -> Floats:
    """Return P(cue 2), shape (layers, questions, L).

    ``advance`` is called with how many of the questions' answers more are there.
    """
    looks = [look for question in questions for look in question.looks]
    readings = len(looks) * len(alphas)
    answers = len(questions) * len(alphas)
    values = read_layers(
        lm, looks, alphas, layers, patch=patch, memory_mb=memory_mb,
        groups=[len(question.looks) for question in questions], between=between,
        advance=lambda more: advance(more * answers / readings),
    )  # fmt: skip
    out = np.empty((len(layers), len(questions), len(alphas)))
    for at in range(len(layers)):
        # As `shares_of` takes them: of each question, of each stimulus, its looks.
        flat, begin = [], 0
        for question in questions:
            own = values[begin : begin + len(question.looks)]
            begin += len(question.looks)
            flat += [look[at, a] for a in range(len(alphas)) for look in own]
        shares = np.array(list(shares_of(questions, flat, len(alphas))))
        out[at] = shares.reshape(len(questions), len(alphas))
    return out
