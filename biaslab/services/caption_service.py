"""Caption pictures as a service: from a picture's name to its caption."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from biaslab.calls import recorded_class
from biaslab.errors import ImageError, ServiceAnswerError, ServiceSetupError, SubjectError
from biaslab.services.service import Cost, Limits
from biaslab.subjects.loading_options import LoadingOptions

if TYPE_CHECKING:
    from biaslab.images.image import Image


@recorded_class
class CaptionService:
    """A captioning model as a service: from a picture's name to its caption.

    With a text classifier behind it this is the chain of Srivastava and Rossi (2018), section 5:
    picture, caption, sentiment.

    Parameters
    ----------
    source : str or Path
        ``hf:NAME`` or the folder of a model that writes captions (BLIP, GIT).
    images : sequence of Image
        Pictures; an input text is the hash of one, or its name in `names`.
    names : mapping of str to str, optional
        Name to hash.
    prompt : str
        Start of each caption; empty leaves it to the model.
    device, dtype, quantize, attention, revision : str, optional
        How the model is opened, as of `biaslab.load`.

    Raises
    ------
    ServiceSetupError
        If there is no picture, or a name refers to none.
    SubjectError, MissingExtraError
        If the model cannot be opened.
    """

    def __init__(
        self,
        source: str | Path,
        images: Sequence[Image],
        *,
        names: Mapping[str, str] | None = None,
        prompt: str = "",
        device: str | None = None,
        dtype: str | None = None,
        quantize: str | None = None,
        attention: str | None = None,
        revision: str | None = None,
    ) -> None:
        from biaslab.subjects.caption_model import load_caption_model

        self.images = {image.hash: image for image in images}
        if not self.images:
            raise ServiceSetupError("There is no picture to describe.")
        for name, picture in (names or {}).items():
            if picture not in self.images:
                raise ServiceSetupError(f"{name!r} is not the name of any of the pictures.")
        self._names = dict(names or {})
        self.prompt = prompt
        options = LoadingOptions(
            device=device, dtype=dtype, quantize=quantize, attention=attention, revision=revision
        )
        self.model = load_caption_model(source, options=options)
        self.name = self.model.name
        self.about = self.model.about
        self.limits = Limits(timeout=600.0, attempts=1)
        self.cost = Cost()

    @property
    def identity(self) -> str:
        """Hash of the model, the prompt, and the names with their pictures' hashes."""
        names = hashlib.sha256(repr(sorted(self._names.items())).encode()).hexdigest()[:16]
        parts = ("captions", self.name, self.model.content_hash[:16], self.prompt)
        return " ".join(filter(None, (*parts, names if self._names else "")))

    @property
    def texts(self) -> tuple[str, ...]:
        """Valid inputs: names if there are any, else hashes."""
        return tuple(self._names) or tuple(self.images)

    def answer(self, texts: Sequence[str]) -> list[str]:
        """See `Service.answer`."""
        captions = []
        for text in texts:
            image = self.images.get(self._names.get(text, text))
            if image is None:
                raise ServiceAnswerError(f"There is no picture {text!r}.")
            try:
                captions.append(self.model.caption(image.picture(), self.prompt))
            except (SubjectError, ImageError) as error:
                raise ServiceAnswerError(str(error)) from error
        return captions

    def __repr__(self) -> str:
        return f"<CaptionService {self.name} over {len(self.images)} pictures>"
