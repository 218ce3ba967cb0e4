"""What the picture of the posterior bench is made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from biaslab.probes.posterior import NearestReviews, PosteriorOverview
from biaslab.probes.posterior.overview_result import Located
from biaslab.subjects.classifier.base import Classifier
from biaslab_widgets.benches.posterior.drawn import Drawn
from biaslab_widgets.benches.posterior.fields import PriorOption
from biaslab_widgets.benches.posterior.run import LiveRun, Settings


@dataclass(frozen=True)
class Shown:
    """A run that goes on, or the last one.

    Attributes
    ----------
    subject : Classifier
    label : str
        The label shown.
    number : int
        Of the run.
    version : int
        Counts results, and what is read off them.
    run : LiveRun or None
        While it goes on.
    overview : PosteriorOverview or None
        Once it has ended.
    draws : mapping of str to Drawn
        What there is of each label.
    settings : Settings
        Of the run.
    stale : bool
        Whether the settings on the screen are others by now.
    prior : PriorOption
    located : Located or None
        The picked word.
    word_reason : str
        Why it is not there.
    near : NearestReviews or None
    near_reason : str
    """

    subject: Classifier
    label: str
    number: int
    version: int
    run: LiveRun | None
    overview: PosteriorOverview | None
    draws: Mapping[str, Drawn]
    settings: Settings
    stale: bool
    prior: PriorOption
    located: Located | None
    word_reason: str
    near: NearestReviews | None
    near_reason: str

    @property
    def drawn(self) -> Drawn | None:
        """What there is of the label shown."""
        return self.draws.get(self.label)

    @property
    def has_draws(self) -> bool:
        """Whether the run has ended, with draws of the label."""
        return self.overview is not None and self.label in self.overview.posteriors

    @property
    def partial(self) -> bool:
        """Whether it was stopped, or failed, before it had all draws."""
        return self.overview is not None and self.overview.partial
