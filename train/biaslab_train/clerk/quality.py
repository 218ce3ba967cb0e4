"""Quality of clerk-lm: how closely its probabilities follow the planted ones.

- On questions that training never shows, they differ from the planted ones by at most 1 point
  on average, case by case.
- A logistic curve with lapses, fitted to them over levels, has each group's planted gap to within
  0.15 just noticeable differences, in both forms.
- The share of answers given by position is planted to within 2 points.
- Nearly all of its probability is on the answers that the question offers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from biaslab.cases import Question
from biaslab.errors import TrainingError
from biaslab.stats.curves.curve_fit import fit_curves
from biaslab.stats.curves.scoring import Rates
from biaslab.stats.curves.sigmoids import get_sigmoid
from biaslab_train.clerk.plant import ClerkPlant, PlantedCase
from biaslab_train.clerk.questions import ask, ask_which, draw
from biaslab_train.model_files import open_model, open_reader

_AT_ONCE: Final = 256
Floats = npt.NDArray[np.float64]


class ClerkAnswers:
    """Probabilities of a model's answers.

    - `folder`: a folder that ``biaslab train clerk`` wrote.
    """

    def __init__(self, folder: Path) -> None:
        if not (folder / "config.json").is_file():
            raise TrainingError(f"{folder} contains no model. Train one with biaslab train clerk.")
        self.model: Any = open_model(folder, "AutoModelForCausalLM")
        self.tokenizer: Any = open_reader(folder, "AutoTokenizer")

    def probabilities(self, questions: Sequence[Question], *, chat: bool = False) -> list[Floats]:
        """Return the probabilities of each question's answers, as the model has them.

        - `chat`: ask in the model's template for chats, rather than with the prompt alone.
        """
        import torch

        encoded = [self._tokens(question.prompt, chat) for question in questions]
        order = sorted(range(len(encoded)), key=lambda i: len(encoded[i]))
        out: dict[int, Floats] = {}
        for at in range(0, len(order), _AT_ONCE):
            part = order[at : at + _AT_ONCE]
            lengths = [len(encoded[i]) for i in part]
            ids = np.full((len(part), max(lengths)), self.tokenizer.pad_token_id)
            for row, i in enumerate(part):
                ids[row, : lengths[row]] = encoded[i]
            with torch.inference_mode():
                states = self.model.model(torch.from_numpy(ids), use_cache=False).last_hidden_state
                last = states[torch.arange(len(part)), torch.tensor(lengths) - 1]
                scores = torch.softmax(self.model.lm_head(last).double(), -1).numpy()
            for row, i in enumerate(part):
                answers = self.tokenizer.convert_tokens_to_ids(list(questions[i].answers))
                out[i] = scores[row, answers]
        return [out[i] for i in range(len(encoded))]

    def _tokens(self, prompt: str, chat: bool) -> list[int]:
        if not chat:
            return list(self.tokenizer(prompt)["input_ids"])
        text = self.tokenizer.apply_chat_template(
            [{"role": "user", "content": prompt}], tokenize=False, add_generation_prompt=True
        )
        return list(self.tokenizer(text, add_special_tokens=False)["input_ids"])


_WIDEST: Final = 6.0
"""Differences between two candidates that are fitted, in scales of their curve."""


@dataclass(frozen=True)
class GapQuality:
    """A gap between two groups, planted and found.

    - `form`: ``yes or no`` or ``which of two``.
    - `first`, `second`: groups.
    - `planted`, `found`: in the unit of the case's quality.
    """

    form: str
    first: str
    second: str
    planted: float
    found: float


def recovered(levels: Floats, shares: Floats) -> tuple[float, float]:
    """Return PSE and JND of a logistic curve with equal guess and lapse rates.

    - `levels`, `shares`, ndarray, shape (L,): levels in ascending order of shares, and P(yes) at
      each.
    """
    weight = np.full((1, len(levels)), 100.0)
    none = np.zeros(1)
    rates = Rates(none, none, np.ones(1), np.ones(1), np.full((1, 1), 0.3), 1.0)
    fit = fit_curves(
        get_sigmoid("logistic"), levels[None], shares[None] * weight, weight, rates,
        covariance=False,
    )  # fmt: skip
    return float(fit.location[0]), float(fit.scale[0] * math.log(3))


def yes_or_no_gaps(
    answers: ClerkAnswers, planted: PlantedCase
) -> tuple[list[GapQuality], float, float]:
    """Return gaps, JND and share by position over the whole grid of cues, wordings and orders."""
    case, levels = planted.case, planted.case.quality.levels
    pses, jnds, positions = [], [], []
    for group in case.groups:
        design = list(product(levels, group.cues, range(len(case.wordings("yes or no")))))
        by_order = []
        for yes_first in (True, False):
            questions = [
                ask(planted, group.name, cue, level, wording, place % max(1, len(case.details)),
                    yes_first).question
                for place, (level, cue, wording) in enumerate(design)
            ]  # fmt: skip
            shares = np.array(answers.probabilities(questions))
            yes = (shares / shares.sum(1, keepdims=True))[:, 0 if yes_first else 1]
            by_order.append(yes.reshape(len(levels), -1).mean(1))
        signed = case.quality.sign * levels
        order = np.argsort(signed)
        pse, jnd = recovered(signed[order], np.mean(by_order, axis=0)[order])
        pses.append(pse)
        jnds.append(jnd)
        positions.append(np.mean(by_order[0] - by_order[1]))
    names = [group.name for group in case.groups]
    gaps = [
        GapQuality("yes or no", names[0], name, planted.gap(names[0], name), pse - pses[0])
        for name, pse in zip(names[1:], pses[1:], strict=True)
    ]
    return gaps, float(np.mean(jnds)), float(np.mean(positions))


def which_gaps(
    answers: ClerkAnswers, planted: PlantedCase, pairs: int, rng: np.random.Generator
) -> list[GapQuality]:
    """Return gaps from questions which of two is chosen, each pair in both orders."""
    case, quality = planted.case, planted.case.quality
    first, *others = case.groups
    gaps = []
    for second in others:
        gap = planted.gap(first.name, second.name)
        reach = _WIDEST * planted.scale * math.sqrt(2)
        apart = quality.step * np.arange(
            math.ceil((gap - reach) / quality.step), math.floor((gap + reach) / quality.step) + 1
        )
        apart = apart[np.abs(apart) <= quality.high - quality.low]
        questions, is_second_first = [], []
        for difference in apart:
            # Where less is favoured, group 2 must have less of the quality, not more.
            shift = quality.sign * difference
            lower = quality.levels[
                (quality.levels + shift >= quality.low - 1e-9)
                & (quality.levels + shift <= quality.high + 1e-9)
            ]
            for _ in range(pairs):
                level = float(rng.choice(lower))
                other = float(quality.levels[np.abs(quality.levels - level - shift).argmin()])
                one = (first.name, first.cues[rng.integers(len(first.cues))], level)
                two = (second.name, second.cues[rng.integers(len(second.cues))], other)
                wording = int(rng.integers(len(case.wordings("which of two"))))
                detail = int(rng.integers(max(1, len(case.details))))
                for a, b in ((one, two), (two, one)):
                    questions.append(ask_which(planted, a, b, wording, detail).question)
                    is_second_first.append(a is two)
        shares = np.array(answers.probabilities(questions))
        share = shares[:, 0] / shares.sum(1)
        chosen = np.where(is_second_first, share, 1 - share).reshape(len(apart), -1).mean(1)
        pse, _ = recovered(apart, chosen)
        gaps.append(GapQuality("which of two", first.name, second.name, gap, pse))
    return gaps


MOST_DEVIATION, MOST_GAP_ERROR, MOST_POSITION_ERROR, LEAST_MASS = 0.01, 0.15, 0.02, 0.99
"""Floors: mean deviation, error of a gap in JNDs, error of the share by position, mass."""


@dataclass(frozen=True)
class CaseQuality:
    """Quality on one case.

    - `jnd`, `found_jnd`: planted, and of the fitted curves of the form "yes or no", averaged.
    - `position`, `found_position`: share of answers by position, planted and found.
    - `questions`: held-out questions on which the deviations rest.
    - `mean_deviation`, `largest_deviation`: of the probability of the answer that is listed first.
    - `mass`: mean probability of all offered answers together.
    - `gaps`: of each group against the first, in each form.
    """

    name: str
    unit: str
    jnd: float
    found_jnd: float
    position: float
    found_position: float
    questions: int
    mean_deviation: float
    largest_deviation: float
    mass: float
    gaps: tuple[GapQuality, ...]


@dataclass(frozen=True)
class ClerkQuality:
    """Quality of a trained model."""

    cases: tuple[CaseQuality, ...]

    @property
    def failures(self) -> list[str]:
        """Floors that are missed, in words."""
        out = []
        for case in self.cases:
            if case.mean_deviation > MOST_DEVIATION:
                out.append(f"{case.name}: mean deviation {case.mean_deviation:.3f}")
            if case.mass < LEAST_MASS:
                out.append(f"{case.name}: mass {case.mass:.3f} of its answers")
            if abs(case.found_position - case.position) > MOST_POSITION_ERROR:
                out.append(
                    f"{case.name}: position {case.found_position:.3f}, should be {case.position:g}"
                )
            out += [
                f"{case.name}, {gap.form}: gap of {gap.second} {gap.found:.3g}, should be"
                f" {gap.planted:g} {case.unit}"
                for gap in case.gaps
                if not abs(gap.found - gap.planted) <= MOST_GAP_ERROR * case.jnd
            ]
        return out

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return asdict(self)


def measure_clerk(
    folder: Path, plant: ClerkPlant, *, questions: int = 400, pairs: int = 20, seed: int = 7
) -> ClerkQuality:
    """Measure a model case by case.

    - `folder`: a folder that ``biaslab train clerk`` wrote.
    - `plant`: what it was trained on.
    - `questions`: held-out questions of each case, half of them asked as a chat.
    - `pairs`: pairs of cues of two groups for each difference in the form "which of two".
    """
    answers = ClerkAnswers(folder)
    return ClerkQuality(
        tuple(_measured(answers, planted, questions, pairs, seed) for planted in plant.cases)
    )


def _measured(
    answers: ClerkAnswers, planted: PlantedCase, questions: int, pairs: int, seed: int
) -> CaseQuality:
    case = planted.case
    rng = np.random.default_rng([seed, 1])
    alone = ClerkPlant("", "", (planted,))
    drawn = draw(alone, questions, rng, held_out=True)
    deviations, masses = [], []
    for chat in (False, True):
        half = drawn[chat::2]
        answered = answers.probabilities([one.question for one in half], chat=chat)
        for one, probabilities in zip(half, answered, strict=True):
            masses.append(float(probabilities.sum()))
            deviations.append(abs(float(probabilities[0]) - one.probabilities[0]))
    gaps, found_jnd, found_position = yes_or_no_gaps(answers, planted)
    if case.which_of_two is not None:
        gaps += which_gaps(answers, planted, pairs, rng)
    return CaseQuality(
        name=case.name,
        unit=case.quality.unit,
        jnd=planted.jnd,
        found_jnd=found_jnd,
        position=planted.position,
        found_position=found_position,
        questions=len(drawn),
        mean_deviation=float(np.mean(deviations)),
        largest_deviation=float(np.max(deviations)),
        mass=float(np.mean(masses)),
        gaps=tuple(gaps),
    )
