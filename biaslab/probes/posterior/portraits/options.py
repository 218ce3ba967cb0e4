"""Portraits as the space of a posterior: which ones, and how a model is asked about them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, get_args

from biaslab.arguments import check_choice
from biaslab.errors import PosteriorError
from biaslab.records.record import Record

By = Literal["probabilities", "choices"]
TIMES: Final = 4.0
CLOTHES: Final = "pullover"


@dataclass(frozen=True, kw_only=True)
class Portraits(Record):
    """Drawn portraits as the space of `biaslab.sample_posterior`.

    The prior is the distribution of `biaslab.portraits.sample_portrait`, the posterior
    p(word | portrait)^times p(portrait). Its chains need no gradient: each proposal is a whole new
    person, or other values of some attributes.

    Attributes
    ----------
    against : str or sequence of str, optional
        Words that p(word | portrait) compares the word with, or ``occupations`` for all that can be
        drawn; by default executive, of executive nurse.
    times : float
        How often in a row the model must say the word, an exponent above 0. The more often, the
        clearer its image of the word, and the fewer its draws.
    by : str, optional
        ``probabilities`` (default) or ``choices`` between two portraits, as of Sanborn, Griffiths
        and Shiffrin (2010), the default of a `Chooser`; both draw from the same posterior.
    clothes : str
        ``pullover`` (default), so that the face has to speak, or an occupation.
    vary : sequence of str
        The only coordinates that vary, such as ``appearance``, ``age`` and ``skin``, while all else
        stays at its median; if empty, all 46 vary.
    levels : int
        With `vary`: equally probable values of each, so that the exact posterior is a sum over a
        grid; 0 if they are continuous.
    templates : sequence of str, optional
        Wordings, over which p is averaged; by default the model's own.

    Raises
    ------
    PosteriorError
        When the exponent is not above 0.
    """

    against: str | Sequence[str] | None = None
    times: float = TIMES
    by: By | None = None
    clothes: str = CLOTHES
    vary: Sequence[str] = ()
    levels: int = 0
    templates: Sequence[str] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.by is not None:
            check_choice(self.by, get_args(By), "by")
        times = self.times
        if isinstance(times, bool) or not isinstance(times, int | float) or not 0 < times < 1e300:
            raise PosteriorError(
                f"times={times!r}: how often in a row the model must say the word is a number above"
                " 0, such as 4."
            )
