"""Answers of simulated subjects to a crossed design, whose single prompts shift decisions too."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from biaslab.stats.decisions.answers import DecisionAnswers
from biaslab.stats.decisions.fit import fit_decisions


@dataclass(frozen=True)
class PromptSubject:
    """A subject asked about every cue in every wording at every level in both orders.

    The gap between the groups is 0. SDs are on the scale of z.

    Attributes
    ----------
    cues : (int, int)
        Of each group.
    cue_sds : (float, float)
        Of each group's cues.
    wordings : int
    wording_sd, cell_sd : float
        Of wordings, and of wordings within groups.
    prompt_sd : float
        Of single prompts.
    cue_by_level, wording_by_level : float
        Of a cue at a level, and of a wording at a level within a group.
    times : int
        Answers to each prompt; 0 for probabilities.
    slope : float
    """

    cues: tuple[int, int] = (4, 4)
    cue_sds: tuple[float, float] = (0.5, 0.5)
    wordings: int = 4
    wording_sd: float = 0.4
    cell_sd: float = 0.25
    prompt_sd: float = 0.0
    cue_by_level: float = 0.0
    wording_by_level: float = 0.0
    times: int = 1
    slope: float = 0.9

    def answers(self, seed: int) -> tuple[DecisionAnswers, float]:
        """Return the answers, and the gap of just these cues and wordings."""
        rng = np.random.default_rng([seed, 34])
        levels, count = np.linspace(0, 16, 9), sum(self.cues)
        group_of = np.repeat([0, 1], self.cues)
        cue, wording, place, order = (
            axis.ravel() for axis in np.indices((count, self.wordings, len(levels), 2))
        )
        group = group_of[cue]
        of_cue = rng.standard_normal(count) * np.take(self.cue_sds, group_of)
        of_wording = rng.standard_normal(self.wordings) * self.wording_sd
        of_cell = rng.standard_normal((self.wordings, 2)) * self.cell_sd
        at_level = rng.standard_normal((count, len(levels))) * self.cue_by_level
        worded = rng.standard_normal((self.wordings, 2, len(levels))) * self.wording_by_level
        z = self.slope * (levels[place] - 8) + of_cue[cue] + of_wording[wording]
        z += of_cell[wording, group] + at_level[cue, place] + worded[wording, group, place]
        z += self.prompt_sd * rng.standard_normal(len(z))
        p = 1 / (1 + np.exp(-z))
        yes = rng.binomial(self.times, p) if self.times else p
        answers = DecisionAnswers(
            levels[place], yes, np.full(len(z), float(self.times or 1)), np.zeros(len(z)),
            group, cue, wording, order - 0.5, probabilities=not self.times, groups=2,
        )  # fmt: skip
        means = [of_cue[group_of == g].mean() + of_cell[:, g].mean() for g in (0, 1)]
        return answers, float(means[0] - means[1]) / self.slope

    def intervals(self, seed: int) -> list[float] | None:
        """Return whether each interval holds its truth, and both widths; None without a fit."""
        answers, these = self.answers(seed)
        fit = fit_decisions(answers)
        if fit.reason:
            return None
        wide, narrow = fit.gap_interval(), fit.gap_interval(scope="these")
        return [
            float(wide[0] <= 0 <= wide[1]), float(narrow[0] <= these <= narrow[1]),
            wide[1] - wide[0], narrow[1] - narrow[0], fit.gap(),
        ]  # fmt: skip
