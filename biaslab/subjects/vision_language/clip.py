"""CLIP and SigLIP: score captions of a picture by the angle between two vectors."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from biaslab.subjects.vision_language.family import patches, refuse_long, tower_bytes, unreadable
from biaslab.subjects.vision_language.questions import CAPTIONS, fill

#: Sizes of the caches of caption and picture vectors; the least recently used go first.
_CAPTIONS_KEPT = 10_000
_PICTURES_KEPT = 50_000
_CAPTIONS_AT_ONCE = 64


@dataclass(frozen=True)
class Captions:
    """Captions of every concept in every template, as vectors.

    - `texts`: by template, then concept.
    - `vectors`, ndarray (templates, concepts, d): of length 1.
    """

    texts: tuple[str, ...]
    vectors: NDArray[np.float32]


class Clip:
    """A CLIP- or SigLIP-type model.

    - `model`: with ``get_image_features``, ``get_text_features`` and ``logit_scale``.
    - `tokenizer`: the model's own.
    """

    captions, questions = True, False
    templates = CAPTIONS

    def __init__(self, model: Any, tokenizer: Any) -> None:
        self.model, self.tokenizer = model, tokenizer
        self.bias = getattr(model, "logit_bias", None)
        self.longest = _places(model)
        self._texts: OrderedDict[str, NDArray[np.float32]] = OrderedDict()
        self.pictures: OrderedDict[str, NDArray[np.float32]] = OrderedDict()

    @property
    def label(self) -> str:
        """See `Family`."""
        return "CLIP-type model" if self.bias is None else "SigLIP-type model"

    @property
    def score(self) -> str:
        """See `Family`."""
        if self.bias is None:
            return "CLIP's logit: the cosine of picture and caption, times its learned scale"
        return "log of SigLIP's probability that the caption belongs to the picture"

    def refusal(self, concept: str) -> tuple[str, tuple[str, ...]] | None:
        """See `Family`."""
        return unreadable(self.tokenizer, concept)

    def prepare(self, concepts: Sequence[str], templates: Sequence[str]) -> Captions:
        """See `Family`; a cached caption is free."""
        texts = tuple(fill(template, c) for template in templates for c in concepts)
        new = [text for text in dict.fromkeys(texts) if text not in self._texts]
        for text in new:
            refuse_long(text, len(self.tokenizer(text)["input_ids"]), self.longest)
        for at in range(0, len(new), _CAPTIONS_AT_ONCE):
            some = new[at : at + _CAPTIONS_AT_ONCE]
            self._texts.update(zip(some, self._read(some), strict=True))
        vectors = np.stack([self._texts[text] for text in texts])
        for text in texts:
            self._texts.move_to_end(text)
        while len(self._texts) > _CAPTIONS_KEPT:
            self._texts.popitem(last=False)
        return Captions(texts, vectors.reshape(len(templates), len(concepts), -1))

    def bytes_per_picture(self, prepared: Captions) -> float:
        """See `Family`."""
        del prepared
        config = self.model.config.vision_config
        return tower_bytes(config, patches(config), self.model.dtype.itemsize)

    def vectors(self, inputs: dict[str, Any]) -> NDArray[np.float32]:
        """Return vectors (pictures, d) of length 1 of a batch."""
        return _unit(self.model.get_image_features(**inputs))

    def scores(self, inputs: dict[str, Any], prepared: Captions) -> Any:
        """See `Family`."""
        import torch

        return torch.from_numpy(self.scores_of(self.vectors(inputs), prepared))

    def scores_of(self, pictures: NDArray[np.float32], captions: Captions) -> NDArray[np.float64]:
        """Log scores (pictures, templates, concepts) from vectors (pictures, d)."""
        shape = captions.vectors.shape
        cosines = pictures @ captions.vectors.reshape(-1, shape[2]).T
        logits = cosines.astype(np.float64) * float(self.model.logit_scale.detach().exp())
        if self.bias is not None:
            logits = -np.logaddexp(0.0, -(logits + float(self.bias.detach())))
        return logits.reshape(len(pictures), shape[0], shape[1])

    def remember(self, hashes: Sequence[str], vectors: Iterable[NDArray[np.float32]]) -> None:
        """Keep the vectors of pictures for later questions."""
        # Each its own copy: a view would keep its whole batch.
        self.pictures.update((h, v.copy()) for h, v in zip(hashes, vectors, strict=True))
        while len(self.pictures) > _PICTURES_KEPT:
            self.pictures.popitem(last=False)

    def _read(self, texts: Sequence[str]) -> NDArray[np.float32]:
        options: dict[str, Any] = {"padding": True}
        if self.bias is not None:
            # SigLIP reads the last position, padding included: it was trained on full rows.
            options = {"padding": "max_length", "max_length": self.longest}
        if self.tokenizer.pad_token_id is None:
            return np.concatenate([self._vectors([text], {}) for text in texts])
        return self._vectors(texts, options)

    def _vectors(self, texts: Sequence[str], options: dict[str, Any]) -> NDArray[np.float32]:
        tokens = self.tokenizer(list(texts), return_tensors="pt", **options)
        inputs = ("input_ids", "attention_mask")
        return _unit(
            self.model.get_text_features(
                **{k: v.to(self.model.device) for k, v in tokens.items() if k in inputs}
            )
        )


def _places(model: Any) -> int | None:
    """Return the limit on tokens; None if the configuration has none."""
    longest = int(getattr(model.config.text_config, "max_position_embeddings", 0)) or None
    for name, part in model.named_modules():
        # RoBERTa's kind, as in AltCLIP, counts positions after its padding.
        if longest and name.endswith("position_embeddings") and "text" in name:
            padding = getattr(part, "padding_idx", None)
            return longest if padding is None else longest - int(padding) - 1
    return longest


def _unit(features: Any) -> NDArray[np.float32]:
    """Return vectors of length 1 from the output of a tower."""
    import torch

    vectors = features if isinstance(features, torch.Tensor) else features.pooler_output
    unit = torch.nn.functional.normalize(vectors.float(), dim=-1)
    out: NDArray[np.float32] = unit.cpu().numpy()
    return out
