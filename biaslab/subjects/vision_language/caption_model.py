"""Models that caption pictures, in Hugging Face's format: BLIP, GIT."""

from __future__ import annotations

import hashlib
import threading
from functools import cached_property
from typing import TYPE_CHECKING, Any

from biaslab.errors import SubjectError
from biaslab.subjects.pretrained.facts import hash_tokenizer
from biaslab.subjects.pretrained.files import LoadedModel, ModelFiles, hash_model
from biaslab.subjects.pretrained.options import input_device

if TYPE_CHECKING:
    from PIL.Image import Image as PillowImage

_LONGEST = 40
"""Tokens of a caption at most."""


class CaptionModel(LoadedModel):
    """A model that writes a caption for a picture; the same picture has the same one.

    - `model`: one that generates text from a picture. It is put into evaluation mode.
    - `processor`: the model's own.
    - `device`: device of the model; by default its present one.
    - `name`, `about`: shown to the person.
    - `files`: the files that the model was opened from, by which large weights are identified.
    - Raises `SubjectError` if the model generates no text.
    """

    kind = "captions"

    def __init__(
        self,
        model: Any,
        processor: Any,
        *,
        device: str | None = None,
        name: str = "captions",
        about: str = "",
        files: ModelFiles | None = None,
    ) -> None:
        if not callable(getattr(model, "generate", None)):
            raise SubjectError(f"{name} does not generate text: it is not a caption model.")
        self.model = (model if device is None else model.to(device)).eval()
        self.processor = processor
        self.files = files
        self.name = name
        self.about = about or f"caption model {type(model).__name__}"
        self._lock = threading.Lock()

    @cached_property
    def content_hash(self) -> str:
        """SHA-256 of weights, tokenizer and image processor, hexadecimal."""
        settings = self.model.generation_config.to_json_string()
        digest = hashlib.sha256(f"{type(self.model).__name__}|{settings}".encode())
        hash_model(digest, self.model, self.files)
        hash_tokenizer(digest, self.processor.tokenizer)
        digest.update(str(self.processor.image_processor.to_json_string()).encode())
        return digest.hexdigest()

    def caption(self, picture: PillowImage, prompt: str = "") -> str:
        """Caption a picture; the caption begins with the prompt, if there is one.

        - `picture`: in any mode.
        - `prompt`: such as ``"a photo of"``.
        - Raises `SubjectError` if the prompt is too long.
        """
        import torch

        device = input_device(self.model)
        with self._lock, torch.inference_mode():
            pixels = self.processor.image_processor(picture.convert("RGB"), return_tensors="pt")
            values = pixels["pixel_values"].to(device, self.model.dtype)
            options = {"pixel_values": values}
            tokenizer = self.processor.tokenizer
            begun = 1
            if prompt:
                tokens = tokenizer(prompt, return_tensors="pt")["input_ids"]
                # Without the end that a whole text would have.
                if tokens.shape[1] > 1 and int(tokens[0, -1]) in tokenizer.all_special_ids:
                    tokens = tokens[:, :-1]
                options["input_ids"] = tokens.to(device)
                begun = int(tokens.shape[1])
            out = self.model.generate(
                **options, do_sample=False, max_new_tokens=self._room(begun), max_length=None
            )
        return str(tokenizer.decode(out[0], skip_special_tokens=True)).strip()

    def _room(self, begun: int) -> int:
        """Return the number of tokens left for a caption."""
        config = getattr(self.model.config, "text_config", None) or self.model.config
        longest: int | None = getattr(config, "max_position_embeddings", None)
        room = _LONGEST if longest is None else min(_LONGEST, longest - begun - 1)
        if room < 1:
            raise SubjectError(f"The prompt leaves {self.name} no room for a caption. Shorten it.")
        return room

    def __repr__(self) -> str:
        """One line: name and what it is."""
        return f"<CaptionModel {self.name!r}>"
