"""The image bench as Python sees it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Self

from biaslab.arguments import renamed
from biaslab.images.image import ImageSet
from biaslab.probes.images.result import ImageAssociation
from biaslab.probes.psychometrics import TwoAFCResult
from biaslab.reports.images.chart import side_by_side
from biaslab_widgets.benches.images.bench import FIRST_SPEC, ImageController
from biaslab_widgets.benches.images.fields import COMPONENT
from biaslab_widgets.benches.images.run import ImageTestRun
from biaslab_widgets.benches.images.sources import given_images
from biaslab_widgets.benches.images.subjects import (
    GivenPictured,
    vision_sources,
    with_a_known_truth,
)
from biaslab_widgets.core.bench.widget import ThreeStepsWidget
from biaslab_widgets.core.frame import Frame
from biaslab_widgets.core.subjects.sources import SharedSources, Source
from biaslab_widgets.core.word_lists import Given as Lists


def _question(state: Any) -> str:
    concepts = [one["name"] for one in state.lists if one.get("kind") == "attributes"]
    pair = f": “{concepts[0]}” or “{concepts[1]}”" if len(concepts) > 1 else ""
    return f"Which word does the model pair with a portrait{pair}?"


FRAME = Frame(name="Image bench", question=_question)


class ImageBench(ThreeStepsWidget[ImageTestRun, ImageAssociation]):
    """What a vision-language model sees in a portrait, picture by picture.

    Parameters
    ----------
    subject : VisionLanguageModel, str or several of them, optional
        What is tested: models, or names that `biaslab.load` takes; default the bundled
        vision-language model, and one whose truth is known. Its older name is ``models``.
    spec : Spec, name of one, or word lists, optional
        Two groups of image terms, and the concept lists tied to them; by default portraits of
        women and men at work, helpers and experts.
    images : ImageSet, sequence of Image, or folder, optional
        What to begin with; by default portraits are drawn.
    **options
        Any other input of the component, such as ``step=3``: each is a trait that can be set,
        observed and linked later.

    Examples
    --------
    >>> bench = ImageBench(step=3)  # doctest: +SKIP
    >>> bench.test().wait()  # doctest: +SKIP
    >>> bench.result.overall.score  # doctest: +SKIP
    """

    component = COMPONENT
    controller: ImageController
    side_by_side = staticmethod(side_by_side)

    @renamed(models="subject")
    def __init__(
        self,
        subject: GivenPictured | Iterable[GivenPictured] | dict[str, Source[Any]] | None = None,
        spec: Lists = FIRST_SPEC,
        images: ImageSet | Iterable[Any] | str | Path | None = None,
        **options: Any,
    ) -> None:
        super().__init__()
        given = given_images(images)
        # A page shows no folder of the machine that serves it.
        controller = ImageController(
            vision_sources(subject), self._show, spec, given, folders=self.in_notebook
        )
        self._begin(controller, options)

    @classmethod
    def sources_of(cls, given: Any) -> Mapping[str, Source[Any]]:
        """See the base."""
        return vision_sources(given)

    @classmethod
    def on_page(cls, shared: SharedSources) -> Self:
        """See the base."""
        return cls(with_a_known_truth(shared.vision_models))

    @property
    def image_set(self) -> ImageSet:
        """The pictures on the screen, with what was rejected and why; settable."""
        return self.controller.materials.image_set()

    @image_set.setter
    def image_set(self, images: ImageSet | Iterable[Any] | str | Path) -> None:
        self.controller.materials.begin_with(given_images(images) or ImageSet())

    @property
    def morph_result(self) -> TwoAFCResult:
        """The result behind the curve of the morph explorer, as `biaslab.two_afc` gives it.

        Raises
        ------
        QueryError
            When there is none yet.
        """
        return self.controller.morph_result
