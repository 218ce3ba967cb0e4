"""Models of Hugging Face that translate texts or describe pictures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from biaslab.asking.languages import language_code
from biaslab.asking.protocols import Cost, Limits, digest
from biaslab.asking.translation import PairedTranslator
from biaslab.errors import ImageError, ServiceAnswerError, ServiceSetupError, SubjectError
from biaslab.records.calls import Reopened, recorded_class
from biaslab.subjects.pretrained.options import LoadingOptions

if TYPE_CHECKING:
    from biaslab.subjects.translation_model import TranslationModel
    from biaslab.subjects.vision_language.caption_model import CaptionModel
    from biaslab.subjects.vision_language.pictures import Picture


@recorded_class
class ModelTranslator(PairedTranslator):
    """Translation models of Hugging Face as one translator.

    Parameters
    ----------
    *models : TranslationModel, str or Path
        Models, or their sources: ``hf:NAME`` or a folder. Of two with the same pair the first
        is used.
    limits : Limits, optional
        By default eight texts at once.
    **options
        How models are opened here: ``device``, ``dtype``, ``quantize``, ``attention`` and
        ``revision`` of `biaslab.load`.

    Raises
    ------
    ServiceSetupError
        If no model is given.
    SubjectError, MissingExtraError
        As of `biaslab.load`.

    Examples
    --------
    >>> ModelTranslator("hf:Helsinki-NLP/opus-mt-en-es",
    ...                 "hf:Helsinki-NLP/opus-mt-es-en")  # doctest: +SKIP
    """

    def __init__(
        self,
        *models: TranslationModel | str | Path,
        limits: Limits | None = None,
        **options: str | None,
    ) -> None:
        from biaslab.subjects.opening.models import open_transformers

        if not models:
            raise ServiceSetupError("Give at least one translation model.")
        loading = LoadingOptions.of(options, {})
        self.models = tuple(
            open_transformers(model, "translation", options=loading)
            if isinstance(model, str | Path)
            else model
            for model in models
        )
        self.name = " and ".join(dict.fromkeys(model.name for model in self.models))
        self.about = "; ".join(dict.fromkeys(model.about for model in self.models))
        self.limits = limits or Limits(texts_per_call=8, timeout=600.0, attempts=1)
        self.cost = Cost()
        known: dict[tuple[str, str], tuple[TranslationModel, str, str]] = {}
        for model in self.models:
            for source, target in model.languages:
                pair = (language_code(source), language_code(target))
                known.setdefault(pair, (model, source, target))
        self.known = known

    def identity_of(self, source: str, target: str) -> str:
        """Pair with the hash of the model's weights."""
        model, *_ = self.of_pair(source, target)
        return f"model {model.content_hash[:16]} {source}-{target}"

    def translate(self, texts: Sequence[str], source: str, target: str) -> list[str]:
        """See `Translator.translate`."""
        model: TranslationModel
        model, *pair = self.of_pair(source, target)
        try:
            return model.translate(texts, *pair)
        except SubjectError as error:
            raise ServiceAnswerError(str(error)) from error


@recorded_class
class CaptionService(Reopened):
    """A captioning model as a service: from a picture's name to its caption.

    With a text classifier behind it this is the chain of Srivastava and Rossi (2018), section 5:
    picture, caption, sentiment.

    Parameters
    ----------
    source : str or Path
        ``hf:NAME`` or the folder of a model that writes captions (BLIP, GIT).
    images : sequence of Picture
        Pictures; an input text is the hash of one, or its name in `names`.
    names : mapping of str to str, optional
        Name to hash.
    prompt : str
        Start of each caption; empty leaves it to the model.
    **options
        As of `ModelTranslator`.

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
        images: Sequence[Picture],
        *,
        names: Mapping[str, str] | None = None,
        prompt: str = "",
        **options: str | None,
    ) -> None:
        from biaslab.subjects.opening.models import open_transformers

        self.images = {image.hash: image for image in images}
        if not self.images:
            raise ServiceSetupError("There is no picture to describe.")
        for name, picture in (names or {}).items():
            if picture not in self.images:
                raise ServiceSetupError(f"{name!r} is not the name of any of the pictures.")
        self._names = dict(names or {})
        self.prompt = prompt
        loading = LoadingOptions.of(options, {})
        self.model: CaptionModel = open_transformers(source, "captions", options=loading)
        self.name, self.about = self.model.name, self.model.about
        self.limits = Limits(timeout=600.0, attempts=1)
        self.cost = Cost()

    @property
    def identity(self) -> str:
        """Hash of the model, the prompt, and the names with their pictures' hashes."""
        names = digest(repr(sorted(self._names.items())))
        parts = ("captions", self.model.content_hash[:16], self.prompt)
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
