"""What a treatment learns from: texts that differ in the group only, and texts to keep."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from biaslab.asking.providers.language_model import LanguageModelDecider
from biaslab.cases import Case, Cue, Question, catalog, get, names
from biaslab.errors import CaseError, QueryError
from biaslab.probes.decisions.probe import design_of
from biaslab.probes.decisions.trials import Design
from biaslab.subjects.language_model.model import LanguageModel

Tokens = tuple[int, ...]
Halves = tuple[dict[str, Any], dict[str, Any]]
_NEAR: Final = 0.25
"""Standard deviation of the difference between two candidates, as a share of the case's range."""
_WITH_CANNOT_SAY: Final = 0.25
_MOST_PRESERVED: Final = 400


@dataclass(frozen=True)
class Contrast:
    """Versions of one text that differ in the group only, as tokens.

    - `versions`: one for each group.
    """

    versions: tuple[Tokens, ...]

    @property
    def start(self) -> int:
        """The first place at which the versions differ."""
        shortest = min(map(len, self.versions))
        alike = (len({one[at] for one in self.versions}) == 1 for at in range(shortest))
        return next((at for at, is_same in enumerate(alike) if not is_same), shortest)


@dataclass(frozen=True)
class CaseMaterial:
    """Questions of a case that differ in the group only.

    - `designs`: one for each form of the case.
    - `within`: cues of one group take the places of all, as in a placebo.
    """

    decider: LanguageModelDecider
    designs: tuple[Design, ...]
    within: bool = False

    @classmethod
    def of(
        cls,
        lm: LanguageModel,
        case: Case,
        groups: Sequence[str] | None,
        cues: Mapping[str, Sequence[str]] | None,
        wordings: Sequence[int] | None,
        *,
        within: bool,
        is_of_one: bool,
    ) -> CaseMaterial:
        """Return the material of a case.

        - `is_of_one`: whether all questions are about one candidate, so that a text is of one
          group.

        Raises `CaseError` as `biaslab.decisions`, and `QueryError` if the model does not know the
        answers, or a placebo has too few cues.
        """
        chosen = tuple(groups) if groups is not None else tuple(one.name for one in case.groups)
        if is_of_one and case.yes_or_no is None:
            raise QueryError(
                f"{case.name} asks about two candidates only, and erasure learns from texts of one"
                " group. Give texts in place of a case."
            )
        designs = []
        # More than two groups have as many versions of a question about one candidate only.
        for form in case.forms[:1] if is_of_one or len(chosen) > 2 else case.forms:
            own = chosen if form == "yes or no" else chosen[:2]
            known = {name: cues[name] for name in own if name in cues} if cues else None
            designs.append(design_of(case, form, own, known, wordings, "both"))
        for name in cues or ():
            case.group(name)
        if within and max(map(len, designs[0].cues)) < 2:
            raise QueryError("A placebo of fine-tuning needs two cues of a group: give another.")
        made = cls(LanguageModelDecider(lm), tuple(designs), within)
        if problem := made.decider.problem(made.questions(np.random.default_rng(0))[0]):
            raise QueryError(f"{case.name} {problem}: {lm.name} cannot be treated by this case.")
        return made

    def contrast(self, rng: np.random.Generator) -> Contrast:
        """Return one question as all groups have it."""
        found = tuple(tuple(self.decider.tokens_of(one)) for one in self.questions(rng))
        size, longest = max(map(len, found)), self.decider.lm.longest
        if longest is not None and size > longest:
            raise QueryError(
                f"A question has {size:,} tokens, and {self.decider.name} reads at most"
                f" {longest:,}. Choose a case with shorter wordings."
            )
        return Contrast(found)

    def questions(self, rng: np.random.Generator) -> list[Question]:
        """Return one question as all groups have it."""
        design = self.designs[rng.integers(len(self.designs))]
        case, quality = design.case, design.case.quality
        how: dict[str, Any] = {
            "wording": int(rng.choice(design.wordings)), "detail": int(rng.choice(design.details)),
            "cannot_say": bool(rng.random() < _WITH_CANNOT_SAY),
        }  # fmt: skip
        cues = self._cues(design, rng)
        level = float(rng.choice(quality.levels))
        if design.form == "yes or no":
            first = bool(rng.integers(2))
            return [case.ask(cue, level, yes_first=first, **how) for cue in cues]
        near = level + _NEAR * (quality.high - quality.low) * rng.standard_normal()
        other = float(quality.levels[np.abs(quality.levels - near).argmin()])
        one, two = cues[0], cues[1]
        return [case.ask_which((a, level), (b, other), **how) for a, b in ((one, two), (two, one))]

    def _cues(self, design: Design, rng: np.random.Generator) -> list[Cue]:
        """Return a cue of each group; of a placebo, different ones of one group."""
        groups = list(zip(design.groups, design.cues, strict=True))
        if self.within:
            able = [(place, own) for place, own in groups if len(own) > 1]
            place, own = able[rng.integers(len(able))]
            drawn = rng.permutation(own)
            picked = [(place, int(drawn[at % len(drawn)])) for at in range(len(groups))]
        else:
            picked = [(place, int(rng.choice(own))) for place, own in groups]
        return [design.case.groups[place].cues[cue] for place, cue in picked]


def text_contrasts(lm: LanguageModel, texts: Sequence[Sequence[str]]) -> list[Contrast]:
    """Return versions of texts that somebody wrote.

    Raises `QueryError` if there are fewer than two, or two versions are the same.
    """
    if isinstance(texts, str) or len(texts) < 2 or any(isinstance(one, str) for one in texts):
        raise QueryError(
            "texts is a list of two or more versions of texts, such as [('She is a nurse.', 'He is"
            " a nurse.'), ('Her work is hard.', 'His work is hard.')]."
        )
    found = [
        Contrast(tuple(tuple(lm.tokenize(one).ids.tolist()) for one in each)) for each in texts
    ]
    if len({len(one.versions) for one in found}) > 1 or len(found[0].versions) < 2:
        raise QueryError("Each of the texts needs as many versions: one for each group.")
    if any(len(set(one.versions)) < 2 for one in found):
        raise QueryError("The versions of a text are the same to the model. Let them differ.")
    return found


def preserved_tokens(
    lm: LanguageModel, preserve: Sequence[str] | None, case: Case | None, rng: np.random.Generator
) -> list[Tokens]:
    """Return texts at which a treatment is to change nothing, as tokens.

    - `preserve`: texts, or names of cases whose questions they are; by default of half of the other
      cases, see `other_cases`.
    """
    if preserve is not None and (isinstance(preserve, str) or not preserve):
        raise QueryError("preserve is a list of texts, or of cases, that are to stay as they are.")
    if preserve is not None and not set(preserve) <= set(names()):
        return [tuple(lm.tokenize(text).ids.tolist()) for text in preserve]
    decider = LanguageModelDecider(lm)
    wanted = other_cases(case)[1] if preserve is None else [get(name) for name in preserve]
    cases = [one for one in wanted if is_known(decider, one)]
    if not cases:
        return []
    asked = [any_question(cases[rng.integers(len(cases))], rng) for _ in range(_MOST_PRESERVED)]
    return [tuple(decider.tokens_of(one)) for one in asked]


def other_cases(case: Case | None) -> tuple[list[Case], list[Case]]:
    """Return the catalogue's cases without a cue of this one: held-out and preserved ones.

    Every second is preserved, in alphabetical order; costs are measured by the others.
    """
    own = {cue.text for group in case.groups for cue in group.cues} if case else set()
    cases = [get(name) for name in catalog()["name"]]
    apart = [
        one
        for one in cases
        if (case is None or one.name != case.name)
        and not own & {cue.text for group in one.groups for cue in group.cues}
    ]
    return apart[::2], apart[1::2]


def is_known(decider: Any, case: Case) -> bool:
    """Return whether a decider can answer a case at all, as far as it says."""
    problem = getattr(decider, "problem", None)
    return problem is None or not problem(any_question(case, np.random.default_rng(0)))


def any_question(case: Case, rng: np.random.Generator, level: float | None = None) -> Question:
    """Return a question of a case about any cue, one candidate where the case has that form."""
    quality = case.quality
    cues = [cue for group in case.groups for cue in group.cues]
    cue = cues[rng.integers(len(cues))]
    first = float(rng.choice(quality.levels)) if level is None else level
    form = case.forms[0]
    how: dict[str, Any] = {
        "wording": int(rng.integers(len(case.wordings(form)))),
        "detail": int(rng.integers(max(1, len(case.details)))),
    }  # fmt: skip
    if form == "yes or no":
        return case.ask(cue, first, yes_first=bool(rng.integers(2)), **how)
    return case.ask_which((cue, first), (cue, float(rng.choice(quality.levels))), **how)


def halves(case: str | Case = "hire-by-name") -> Halves:
    """Return two halves of a case's cues and wordings: one to treat by, one to measure by.

    Returns
    -------
    (dict, dict)
        ``cues`` and ``wordings`` for `biaslab.treat` and for `biaslab.decisions`.

    Raises
    ------
    CaseError
        If a group has one cue, or the case one wording.
    """
    chosen = get(case)
    most = min(len(chosen.wordings(form)) for form in chosen.forms)
    if most < 2 or any(len(group.cues) < 2 for group in chosen.groups):
        raise CaseError(
            f"{chosen.name} needs two cues for each group and two wordings, so that one half can"
            " be held out. Add some."
        )
    numbers = list(range(1, most + 1))
    first, second = numbers[: (most + 1) // 2], numbers[(most + 1) // 2 :]
    cues = [
        {group.name: [cue.text for cue in group.cues[at::2]] for group in chosen.groups}
        for at in (0, 1)
    ]
    return {"cues": cues[0], "wordings": first}, {"cues": cues[1], "wordings": second}
