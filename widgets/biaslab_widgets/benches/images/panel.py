"""The image bench as a Panel component."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from biaslab.images.image_set import ImageSet
from biaslab.jobs import Job
from biaslab.probes.images.result import ImageAssociation
from biaslab.probes.psychometrics import TwoAFCResult
from biaslab_widgets.benches.images.bench import ImageController
from biaslab_widgets.benches.images.desk import FIRST_SPEC
from biaslab_widgets.benches.images.fields import COMPONENT
from biaslab_widgets.benches.images.given import given_images
from biaslab_widgets.benches.images.models import GivenPictured, vision_sources, with_a_known_truth
from biaslab_widgets.benches.images.run import ImageTestRun
from biaslab_widgets.core.shared_sources import SharedSources
from biaslab_widgets.core.sources import Source
from biaslab_widgets.core.word_lists import Given as Lists
from biaslab_widgets.hosts.panel import bench_type


class ImageBenchPanel(bench_type(COMPONENT)):  # type: ignore[misc]  # from fields
    """What a vision-language model sees in a portrait; parameters as in the notebook.

    Folders of the machine that serves the page cannot be named in it.

    Parameters
    ----------
    models : VisionLanguageModel, str, several, or sources shared by sessions, optional
        What is tested; default the bundled model, and one whose truth is known.
    spec, images
        As in the notebook's class.
    **options
        Any other input of the component.
    """

    controller: ImageController

    def __init__(
        self,
        models: GivenPictured | Iterable[GivenPictured] | dict[str, Source[Any]] | None = None,
        *,
        spec: Lists = FIRST_SPEC,
        images: ImageSet | Iterable[Any] | str | Path | None = None,
        **options: Any,
    ) -> None:
        super().__init__(sizing_mode="stretch_width")
        controller = ImageController(vision_sources(models), self._show, spec, given_images(images))
        self._begin(controller, options)

    @property
    def image_set(self) -> ImageSet:
        """The pictures on the screen; settable."""
        return self.controller.image_set()

    @image_set.setter
    def image_set(self, images: ImageSet | Iterable[Any] | str | Path) -> None:
        self.controller.begin_with(given_images(images) or ImageSet())

    def test(self) -> Job[ImageTestRun]:
        """Show every picture to every chosen model, as the button does; returns at once.

        Portraits that are still being drawn come first.

        Raises
        ------
        QueryError
            When there is no model or no picture, or a test goes on already.
        """
        return self.controller.test()

    @property
    def results(self) -> dict[str, ImageAssociation]:
        """Each model's result of what is on the screen, by name.

        Raises
        ------
        QueryError
            While a test goes on, or when there was none; the message says what to do.
        """
        return self.controller.results

    @property
    def result(self) -> ImageAssociation:
        """The first model's result.

        Raises
        ------
        QueryError
            As `results`.
        """
        return self.controller.result

    @property
    def morph_result(self) -> TwoAFCResult:
        """The result behind the curve of the morph explorer, as `biaslab.two_afc` gives it.

        Raises
        ------
        QueryError
            When there is none yet.
        """
        return self.controller.morph_result


def page(shared: SharedSources) -> ImageBenchPanel:
    """The app's page."""
    return ImageBenchPanel(with_a_known_truth(shared.vision_models))
