"""Controller of the image bench: words, pictures, and the test of several models on them."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from biaslab.errors import BiaslabError
from biaslab.images.image_set import ImageSet
from biaslab_widgets.controllers.base import Emit
from biaslab_widgets.controllers.images_desk import FIRST_SPEC, ImageDesk
from biaslab_widgets.controllers.images_fields import NO_IMAGE_ANSWER, ImageAnswer, ImagePicture
from biaslab_widgets.controllers.images_steps import steps_of
from biaslab_widgets.controllers.messages import error_message, message
from biaslab_widgets.controllers.opening import State
from biaslab_widgets.controllers.records import Message
from biaslab_widgets.controllers.sources import Source
from biaslab_widgets.controllers.word_lists import Given

logger = logging.getLogger("biaslab")
_TEST = {"label": "Test", "command": "test"}


class ImageController(ImageDesk):
    """Runs `biaslab.image_association` for several models, and follows every edit.

    Parameters
    ----------
    sources : mapping of str to Source
        Models that can be chosen, by name; one that is not open yet is opened in the background.
    emit : callable
        Receives changed outputs.
    spec : Spec, name of one, or word lists, optional
        Two groups of image terms, and the concept lists tied to them.
    images : ImageSet, optional
        What to begin with; by default portraits are drawn.
    folders : bool
        Whether folders of this machine may be named.
    """

    def __init__(
        self,
        sources: Mapping[str, Source[Any]],
        emit: Emit,
        spec: Given = FIRST_SPEC,
        images: ImageSet | None = None,
        *,
        folders: bool = False,
    ) -> None:
        self._picture: ImagePicture | None = None
        super().__init__(sources, emit, spec, images, folders=folders)

    def answer(self, snapshot: dict[str, Any]) -> dict[str, Any]:
        """Everything that has changed."""
        with self._computing:
            outputs = self._opened_meanwhile(snapshot)
            if (progress := self._progress) != snapshot["progress"]:
                outputs["progress"] = progress
            snapshot = {**snapshot, **outputs}
            try:
                made = {**outputs, **self._answered(snapshot)}
            except BiaslabError as error:
                told = error_message(error)
                made = {**outputs, "answer": self._without_picture(snapshot, "error", told)}
            except Exception as error:
                logger.exception("The image bench could not answer.")
                told = error_message(error, "This could not be computed")
                made = {**outputs, "answer": self._without_picture(snapshot, "error", told)}
        self._put_thumbnails(snapshot)
        return made

    def _answered(self, snapshot: dict[str, Any]) -> dict[str, Any]:
        words, held = self.look(snapshot)
        outputs = self.desk_outputs(snapshot, words, held)
        steps = steps_of(words, held, snapshot["models"], None, 0, making=self._is_making)
        closed = steps[snapshot["step"] - 1]
        state, told = self._state(snapshot)
        if closed["state"] == "closed":
            state, told = "empty", message(f"{closed['title']} is not open yet", closed["why"])
        answer: ImageAnswer = {
            **NO_IMAGE_ANSWER,
            "generation": snapshot["generation"],
            "state": state,
            "message": told,
            "steps": steps,
            "picture": self._picture,
        }
        return {**outputs, "answer": answer}

    def _without_picture(
        self, snapshot: Mapping[str, Any], state: State, told: Message | None
    ) -> ImageAnswer:
        """An answer in which the last picture and steps stay."""
        return {
            **NO_IMAGE_ANSWER,
            "generation": snapshot["generation"],
            "state": state,
            "message": told,
            "steps": snapshot["answer"]["steps"],
            "picture": self._picture,
        }

    def _state(self, snapshot: Mapping[str, Any]) -> tuple[State, Message | None]:
        if snapshot["step"] < 3:
            return "ready", None
        text = "Press Test: the squares fill as pictures are tested."
        return "empty", message("Nothing has been tested yet", text, _TEST)
