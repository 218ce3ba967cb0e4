"""Translation models of Hugging Face as one translator."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from biaslab.calls import recorded_class
from biaslab.errors import ServiceAnswerError, ServiceSetupError, SubjectError
from biaslab.services.languages import language_code
from biaslab.services.service import Cost, Limits
from biaslab.services.translation import no_pair
from biaslab.subjects.loading_options import LoadingOptions

if TYPE_CHECKING:
    from biaslab.subjects.translation_model import TranslationModel


@recorded_class
class ModelTranslator:
    """Translation models of Hugging Face as one translator.

    Parameters
    ----------
    *models : TranslationModel, str or Path
        Models, or their sources: ``hf:NAME`` or a folder. Of two with the same pair the first
        is used.
    device, dtype, quantize, attention, revision : str, optional
        How models are opened here, as of `biaslab.load`.
    limits : Limits, optional
        By default eight texts at once.

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
        device: str | None = None,
        dtype: str | None = None,
        quantize: str | None = None,
        attention: str | None = None,
        revision: str | None = None,
        limits: Limits | None = None,
    ) -> None:
        from biaslab.subjects.translation_model import load_translation_model

        if not models:
            raise ServiceSetupError("Give at least one translation model.")
        options = LoadingOptions(
            device=device, dtype=dtype, quantize=quantize, attention=attention, revision=revision
        )
        self.models = tuple(
            load_translation_model(model, options=options)
            if isinstance(model, str | Path)
            else model
            for model in models
        )
        self.name = " and ".join(dict.fromkeys(model.name for model in self.models))
        self.about = "; ".join(dict.fromkeys(model.about for model in self.models))
        self.limits = limits or Limits(texts_per_call=8, timeout=600.0, attempts=1)
        self.cost = Cost()
        self._pairs: dict[tuple[str, str], tuple[TranslationModel, str, str]] = {}
        for model in self.models:
            for source, target in model.languages:
                pair = (language_code(source), language_code(target))
                self._pairs.setdefault(pair, (model, source, target))

    def pairs(self) -> frozenset[tuple[str, str]]:
        """See `Translator.pairs`."""
        return frozenset(self._pairs)

    def identity_of(self, source: str, target: str) -> str:
        """Pair with the hash of the model's weights."""
        model, *_ = self._of(source, target)
        return f"model {model.name} {model.content_hash[:16]} {source}-{target}"

    def translate(self, texts: Sequence[str], source: str, target: str) -> list[str]:
        """See `Translator.translate`."""
        model, *pair = self._of(source, target)
        try:
            return model.translate(texts, *pair)
        except SubjectError as error:
            raise ServiceAnswerError(str(error)) from error

    def _of(self, source: str, target: str) -> tuple[TranslationModel, str, str]:
        if (source, target) not in self._pairs:
            raise no_pair(self.name, source, target, self._pairs)
        return self._pairs[source, target]

    def __repr__(self) -> str:
        return f"<ModelTranslator {self.name}>"
