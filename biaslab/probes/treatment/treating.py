"""``bl.treat``: a subject with less of a bias, by a prompt, concept erasure or fine-tuning."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, Literal, get_args

import numpy as np

from biaslab.arguments import check_choice, described
from biaslab.asking.instructed import instructed
from biaslab.asking.opening import decider_of
from biaslab.cases import Case, get
from biaslab.errors import QueryError, SubjectError, WrongSubjectError
from biaslab.jobs.context import current_context
from biaslab.jobs.showing import shows_progress
from biaslab.probes.debias import debias
from biaslab.probes.treatment.learning import check_trainable, learn_adapter, learn_edit
from biaslab.probes.treatment.material import CaseMaterial, preserved_tokens, text_contrasts
from biaslab.records.calls import recorded
from biaslab.records.wording import counted
from biaslab.specs import Spec
from biaslab.stats.reproducibility import seed_number
from biaslab.subjects.embedding.base import EmbeddingSubject
from biaslab.subjects.language_model.model import LanguageModel
from biaslab.subjects.language_model.treated import TreatedModel, Treatment, check_layers
from biaslab.subjects.opening.needs import LANGUAGE_MODEL, suited
from biaslab.subjects.opening.shared import load_shared
from biaslab.subjects.pretrained.facts import width_of

Method = Literal["prompt", "concept erasure", "fine-tuning"]
INSTRUCTION: Final = (
    "Judge every person by the same standard. Names, gender, age, origin and religion must not"
    " change the answer."
)
"""Default instruction of a treatment by prompt."""
_FILLER: Final = (
    "the water table open morning every window stands paper between green long house under river"
    " walks quiet stone light with many letters round corner early field behind small bridge"
)
"""Words of a random instruction."""
_debias = inspect.unwrap(debias)
"""Without its record, as the call of `treat` makes the embedding again."""
_CONTRASTS: Final = 250
_RATE: Final = 0.8
"""Learning rate times the model's width."""
_OF_CASE: Final = ("case", "groups", "cues", "wordings", "preserve")
_OPTIONS: Final[Mapping[str, tuple[str, ...]]] = {
    "prompt": ("instruction",),
    "concept erasure": (*_OF_CASE, "texts", "layers", "spec"),
    "fine-tuning": (*_OF_CASE, "rank", "steps", "rate"),
}
"""Arguments that each method takes."""
_TREATED: Final = replace(
    LANGUAGE_MODEL,
    remedy="Open one with bl.load(name, kind='clm'), or use method='prompt' for what can only be"
    " called.",
    suits=lambda subject: isinstance(subject, LanguageModel),
)


@recorded
@shows_progress
def treat(
    subject: Any,
    method: Method,
    case: str | Case | None = None,
    *,
    groups: Sequence[str] | None = None,
    cues: Mapping[str, Sequence[str]] | None = None,
    wordings: Sequence[int] | None = None,
    texts: Sequence[Sequence[str]] | None = None,
    spec: str | Spec | None = None,
    instruction: str | None = None,
    layers: int | Sequence[int] | None = None,
    rank: int | None = None,
    steps: int | None = None,
    rate: float | None = None,
    preserve: Sequence[str] | None = None,
    name: str | None = None,
    rng: int | np.random.Generator = 0,
    placebo: bool = False,
    progress: bool | None = None,  # noqa: ARG001  # of shows_progress
) -> Any:
    """Return a treated copy of a subject, which every probe asks as it asks the subject.

    Liang and Acuna (2020, section 6) expect that biases can be treated without much loss;
    `biaslab.probes.treatment.measure_treatment` measures what changes and what it costs.

    Parameters
    ----------
    subject : object
        A causal language model on this machine for all methods; a masked one for concept erasure;
        an embedding for concept erasure, by `biaslab.debias`; anything that can be sent a text for
        a prompt. Or a name for `biaslab.load`.
    method : {"prompt", "concept erasure", "fine-tuning"}
        An instruction before each text; an affine edit of the hidden states, from which no linear
        classifier finds the group; or a LoRA adapter that learns the equalised answer.
    case : str or Case, optional
        Its questions, as all groups have them, teach erasure and fine-tuning; "hire-by-name" by
        default.
    groups, cues, wordings
        Parts of the case, as of `biaslab.decisions`: leave out those to measure by, such as by
        `biaslab.probes.treatment.halves`.
    texts : sequence of sequences of str, optional
        Erasure: in place of a case, versions of texts that differ in the group only.
    spec : str or Spec, optional
        Erasure from an embedding: the spec of `biaslab.debias`.
    instruction : str, optional
        Of a prompt; by default `INSTRUCTION`.
    layers : int or sequence of int, optional
        Of erasure: 0 for the input embeddings, l for block l; by default 0.
    rank, steps : int, optional
        Of LoRA: rank of its matrices, 4 by default, and steps of training, 300 by default.
    rate : float, optional
        Learning rate at the start; by default 0.8 over the model's width.
    preserve : sequence of str, optional
        Texts that are to stay as they are, or names of cases whose questions are; by default those
        of half of the other cases.
    name : str, optional
    rng : int or numpy.random.Generator
    placebo : bool
        Whether to treat at random: by another instruction as long, a random direction, or an
        adapter that equalises cues of one group.

    Returns
    -------
    TreatedModel, DerivedEmbedding, Chain or InstructedDecider
        With a ``treatment``. A treated model has ``save(folder)``, and `biaslab.load` opens it.

    Raises
    ------
    WrongSubjectError
        If the method needs weights, and the subject can only be called.
    SubjectError
        If the model lacks a layer, cannot be trained, or its template takes no instruction.
    MissingExtraError
        If fine-tuning finds no peft.
    QueryError, CaseError
        If there is nothing to learn from, or an option belongs to another method.

    References
    ----------
    Belrose et al. (2023), "LEACE: perfect linear concept erasure in closed form". Hu et al. (2022),
    "LoRA: low-rank adaptation of large language models".
    """
    check_choice(method, get_args(Method), "method")
    seed = seed_number(rng)
    given = {
        "case": case, "groups": groups, "cues": cues, "wordings": wordings, "texts": texts,
        "spec": spec, "instruction": instruction, "layers": layers, "rank": rank, "steps": steps,
        "rate": rate, "preserve": preserve,
    }  # fmt: skip
    settings = {option: value for option, value in given.items() if value is not None}
    if others := [option for option in settings if option not in _OPTIONS[method]]:
        raise QueryError(f"{method!r} takes no {' and no '.join(others)}: leave it out.")
    subject = opened(subject, as_decider=method == "prompt")

    def treatment(about: str) -> Treatment:
        is_hashed = isinstance(subject, LanguageModel | EmbeddingSubject)
        return Treatment(
            method, getattr(subject, "name", ""), subject.content_hash if is_hashed else "",
            {**settings, "rng": seed}, f"placebo of {about}" if placebo else about, placebo,
        )  # fmt: skip

    if method == "prompt":
        return _instructed(subject, instruction, treatment, seed, placebo, name)
    if method == "concept erasure" and isinstance(subject, EmbeddingSubject):
        if set(settings) - {"spec"}:
            raise QueryError("An embedding is treated by a spec only; bl.debias has more options.")
        return _erased_embedding(subject, spec or "gender-pairs", treatment, seed, placebo, name)
    suited(subject, _TREATED, "bl.treat")
    if method == "fine-tuning":
        check_trainable(subject)
    if spec is not None:
        raise QueryError("spec belongs to embeddings. Give a case, or texts.")
    if texts is not None and any(each is not None for each in (case, groups, cues, wordings)):
        raise QueryError("Treat by a case or by texts, not by both.")
    if texts is None and subject.kind != "clm":
        raise QueryError(f"{subject.name} answers no questions. Give texts in place of a case.")
    draws = np.random.default_rng([seed, placebo])
    chosen = get(case or "hire-by-name") if texts is None else None
    has_default = subject.kind == "clm"
    kept = preserved_tokens(subject, preserve, chosen, draws) if preserve or has_default else []
    if chosen is None:
        contrasts = text_contrasts(subject, texts or ())
        by = counted(len(contrasts), "text")
    else:
        is_trained = method == "fine-tuning"
        material = CaseMaterial.of(
            subject, chosen, groups, cues, wordings,
            within=placebo and is_trained, is_of_one=not is_trained,
        )  # fmt: skip
        if is_trained:
            how = _training(subject, rank, steps, rate)
            network, lora = learn_adapter(subject, material, kept, seed=seed, **how)
            about = f"LoRA of rank {how['rank']}, {how['steps']} steps on {chosen.name}"
            return TreatedModel(subject, treatment(about), model=network, lora=lora, name=name)
        contrasts = [material.contrast(draws) for _ in range(_CONTRASTS)]
        by = chosen.name
    places = _layers(subject, layers)
    about = f"affine concept erasure at layer {' and '.join(map(str, places))} by {by}"
    copied = copy.deepcopy(subject.model)
    treated = TreatedModel(subject, treatment(about), model=copied, name=name)
    for number, layer in enumerate(places):
        current_context().report(number, len(places), "erasing")
        treated.add(learn_edit(treated, contrasts, kept, layer, draws if placebo else None))
    return treated


def _training(
    lm: LanguageModel, rank: int | None, steps: int | None, rate: float | None
) -> dict[str, Any]:
    """Return the settings of fine-tuning, checked."""
    how = {
        "rank": 4 if rank is None else rank, "steps": 300 if steps is None else steps,
        "rate": _RATE / width_of(lm.model) if rate is None else rate,
    }  # fmt: skip
    for option, value in how.items():
        if not value > 0:
            raise QueryError(f"{option}={value}: give a number above 0.")
    return how


def _layers(lm: LanguageModel, layers: int | Sequence[int] | None) -> list[int]:
    """Return the layers of an erasure from the lowest on, checked."""
    wanted = 0 if layers is None else layers
    places = [wanted] if isinstance(wanted, int) else sorted(set(wanted))
    if not places:
        raise QueryError("layers is empty: name one, or leave it out.")
    check_layers(lm, places)
    return places


def opened(subject: Any, *, as_decider: bool) -> Any:
    """Return the subject of a name; where a prompt is enough, also one that only decides."""
    if isinstance(subject, str):
        try:
            return load_shared(subject)
        except SubjectError:
            if not as_decider:
                raise
    return subject if hasattr(subject, "name") or not as_decider else decider_of(subject)


def _instructed(
    subject: Any,
    instruction: str | None,
    treatment: Callable[[str], Treatment],
    seed: int,
    placebo: bool,
    name: str | None,
) -> Any:
    text = INSTRUCTION if instruction is None else instruction.strip()
    if not text:
        raise QueryError("The instruction is empty. Write one, or leave it out.")
    if isinstance(subject, EmbeddingSubject):
        raise WrongSubjectError(
            f"{described(subject)} reads no instruction. Use method='concept erasure'."
        )
    if placebo:
        words = np.random.default_rng(seed).choice(_FILLER.split(), size=len(text.split()))
        text = f"{' '.join(words.tolist()).capitalize()}."
    done = treatment(f"instruction {text!r}")
    if isinstance(subject, LanguageModel):
        return TreatedModel(subject, done, instruction=text, name=name)
    return instructed(subject, text, done, name)


def _erased_embedding(
    subject: EmbeddingSubject,
    spec: str | Spec,
    treatment: Callable[[str], Treatment],
    seed: int,
    placebo: bool,
    name: str | None,
) -> Any:
    """Return an embedding without the subspace of a spec, or of as many random pairs of words."""
    if not placebo:
        treated = _debias(subject, spec, name=name)
    else:
        components = debias(subject, spec).derivation.components
        words = np.random.default_rng(seed).choice(subject._words_by_row, (10, 2), replace=False)
        treated = _debias(
            subject, defining=words.tolist(), equalize=[], components=components,
            name=name or f"{subject.name}, placebo by concept erasure",
        )  # fmt: skip
    treated.treatment = treatment(treated.about)
    return treated
