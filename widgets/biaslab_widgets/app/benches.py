"""The benches of the served app: a new one joins by a line here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import panel as pn

from biaslab_widgets.app.address import explorer_inputs
from biaslab_widgets.app.shared import Shared
from biaslab_widgets.controllers.images_models import (
    with_a_known_truth as seen_with_a_known_truth,
)
from biaslab_widgets.controllers.psychometric_fields import GENDER_PAIRS
from biaslab_widgets.controllers.sentences_models import with_a_known_truth
from biaslab_widgets.controllers.sources import Source
from biaslab_widgets.panel.association import AssociationBenchPanel
from biaslab_widgets.panel.images import ImageBenchPanel
from biaslab_widgets.panel.occupations import OccupationsBenchPanel
from biaslab_widgets.panel.posterior import PosteriorBenchPanel
from biaslab_widgets.panel.psychometric import PsychometricBenchPanel
from biaslab_widgets.panel.rating import RatingBenchPanel
from biaslab_widgets.panel.sentences import SentenceBenchPanel
from biaslab_widgets.panel.word_lists import WordListEditorPanel


@dataclass(frozen=True)
class BenchEntry:
    """A bench in the navigation.

    Attributes
    ----------
    slug : str
        Its address below the server's root.
    title : str
        Its name in the navigation.
    make : callable
        Makes the component of one session from the sources that all sessions share.
    """

    slug: str
    title: str
    make: Callable[[Shared], pn.viewable.Viewable]


def _psychometric(shared: Shared) -> pn.viewable.Viewable:
    # An encyclopedia uses "female" and "male" of animals and sports; woman and man say more.
    woman_man = GENDER_PAIRS.index(["woman", "man"])
    first = {"word": "nurse", "selected_pairs": [woman_man]}
    asked = explorer_inputs(pn.state.session_args)
    subject = asked.pop("subject", None)
    offered: dict[str, Source[Any]] = {**shared.embeddings, **shared.language_models}
    bench = PsychometricBenchPanel(offered, **first | asked)
    if subject in offered:
        bench.subject = subject
    return bench


def _occupations(shared: Shared) -> pn.viewable.Viewable:
    return OccupationsBenchPanel(shared.embeddings, explorer="explorer")


def _association(shared: Shared) -> pn.viewable.Viewable:
    # All replicates together take ten times as long as one: a person who wants them chooses so.
    return AssociationBenchPanel(shared.embeddings, replicate=0)


def _posterior(shared: Shared) -> pn.viewable.Viewable:
    return PosteriorBenchPanel(shared.classifiers)


def _sentences(shared: Shared) -> pn.viewable.Viewable:
    return SentenceBenchPanel(with_a_known_truth(shared.language_models))


def _images(shared: Shared) -> pn.viewable.Viewable:
    return ImageBenchPanel(seen_with_a_known_truth(shared.vision_models))


def _rating(shared: Shared) -> pn.viewable.Viewable:
    return RatingBenchPanel(shared.services)


def _word_lists(shared: Shared) -> pn.viewable.Viewable:
    return WordListEditorPanel(shared.embeddings)


BENCHES = (
    BenchEntry("explorer", "Psychometric explorer", _psychometric),
    BenchEntry("occupations", "Occupations", _occupations),
    BenchEntry("association", "Association", _association),
    BenchEntry("posterior", "Posterior", _posterior),
    BenchEntry("sentences", "Sentences", _sentences),
    BenchEntry("images", "Images", _images),
    BenchEntry("rating", "Rating", _rating),
    BenchEntry("words", "Word lists", _word_lists),
)
