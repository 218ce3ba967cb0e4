"""Treated language models: an instruction, an erased direction or an adapter, and their folders.

A treated model is a language model like any other, so that every probe asks it. Its folder holds
what the treatment adds, and names the base: `biaslab.load` opens the base and treats it again.
"""

from __future__ import annotations

import copy
import hashlib
import importlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from biaslab.errors import SubjectError
from biaslab.files.atomic import write_atomically
from biaslab.records.record import Record
from biaslab.subjects.language_model.model import LanguageModel
from biaslab.subjects.language_model.patching import blocks_of
from biaslab.subjects.language_model.tokens import USER_PROMPT, ChatTemplate, TokenizedText
from biaslab.subjects.pretrained.adapter import SETTINGS, WEIGHTS, adapter_in, merged
from biaslab.subjects.pretrained.facts import ModelFacts, width_of
from biaslab.subjects.pretrained.files import ModelFiles
from biaslab.subjects.pretrained.opening import OpenedModel
from biaslab.subjects.pretrained.trial import read_object

Floats = NDArray[np.float32]
CARD: Final = "treatment.json"
_FORMAT: Final = "biaslab-treatment"
_EDITS: Final = "erasure.safetensors"
_PARTS: Final = ("mean", "out", "into")
_DAMAGED: Final = "{folder} holds a treatment that cannot be opened: {why}. Treat the model again."


@dataclass(frozen=True)
class Treatment(Record):
    """How a subject was treated.

    Attributes
    ----------
    method : {"prompt", "concept erasure", "fine-tuning"}
    base, base_hash : str
        Name and content hash of the subject before; no hash of one that is only called.
    settings : mapping
        Arguments of `biaslab.treat` that make it again.
    about : str
        The treatment in a few words, for cards and provenances.
    is_placebo : bool
        Whether it was random on purpose.
    """

    method: str
    base: str
    base_hash: str
    settings: Mapping[str, Any]
    about: str
    is_placebo: bool = False


@dataclass(frozen=True)
class Edit(Record):
    r"""An affine edit of hidden states: :math:`h - A B^T (h - \mu)`.

    Attributes
    ----------
    layer : int
        0 for the input embeddings; l for what block l passes on.
    mean : ndarray of float32, shape (d,)
        The states' mean, which stays.
    out, into : ndarray of float32, shape (d, r)
        A and B; :math:`B^T A` is the identity, so that a second edit changes nothing.
    """

    layer: int
    mean: Floats
    out: Floats
    into: Floats


@dataclass(frozen=True, eq=False)
class Lora:
    """Settings and tensors of a LoRA adapter, as peft names them."""

    config: Mapping[str, Any]
    tensors: Mapping[str, Any]


class TreatedModel(LanguageModel):
    """A language model with a treatment.

    Parameters
    ----------
    base : LanguageModel
        It stays as it is.
    treatment : Treatment
    model : transformers.PreTrainedModel, optional
        A copy that may be edited, or other weights.
    instruction : str
        Stands before each text and each question.
    lora : Lora, optional
        The adapter that is merged into the model.
    name : str, optional

    Attributes
    ----------
    edits : tuple of Edit
        See `add`.
    """

    def __init__(
        self,
        base: LanguageModel,
        treatment: Treatment,
        *,
        model: Any = None,
        instruction: str = "",
        lora: Lora | None = None,
        name: str | None = None,
    ) -> None:
        self.instruction, self.treatment, self.parent = instruction, treatment, base
        self.lora = lora
        self.edits: tuple[Edit, ...] = ()
        kind = "placebo" if treatment.is_placebo else "treated"
        super().__init__(
            base.model if model is None else model, base.tokenizer, kind=base.kind,
            name=name or f"{base.name}, {kind} by {treatment.method}",
            about=f"{base.about}; {treatment.about}", notes=base._given_notes,
            template=base.template,
        )  # fmt: skip

    def add(self, edit: Edit) -> None:
        """Edit the states at a layer from now on. The model must not be shared.

        Raises
        ------
        SubjectError
            If there is no such layer, or the edit is of another width.
        """
        check_layers(self, [edit.layer])
        width = width_of(self.model)
        shapes = edit.mean.shape, edit.out.shape, edit.into.shape
        if shapes != ((width,), *[(width, edit.out.shape[-1])] * 2):
            raise SubjectError(f"The edit of layer {edit.layer} is not {width} numbers wide.")
        self.edits += (edit,)
        module_of(self, edit.layer).register_forward_hook(_hook(edit))
        vars(self).pop("content_hash", None)

    @cached_property
    def content_hash(self) -> str:
        """SHA-256 of the base with its treatment, or of changed weights, hexadecimal."""
        if self.lora is not None:
            return super().content_hash
        digest = hashlib.sha256(f"{self.parent.content_hash}|{self.instruction}".encode())
        for edit in self.edits:
            digest.update(f"|{edit.layer}|".encode())
            for part in _PARTS:
                digest.update(getattr(edit, part).tobytes())
        return digest.hexdigest()

    @cached_property
    def model_facts(self) -> ModelFacts:
        """Those of the model, with the treatment as its adapter."""
        return replace(super().model_facts, adapter=self.treatment.about)

    def save(self, folder: str | Path) -> None:
        """Write the treatment to a folder, which `biaslab.load` opens; the base is only named.

        Parameters
        ----------
        folder : path
            Made if it does not exist.

        Raises
        ------
        SubjectError
            If the base is in memory only.
        """
        import torch

        where = Path(folder)
        base = source_of(self.parent)
        where.mkdir(parents=True, exist_ok=True)
        if self.edits:
            tensors = {
                f"{edit.layer}.{part}": torch.tensor(getattr(edit, part))
                for edit in self.edits
                for part in _PARTS
            }
            _tensor_files().save_file(tensors, where / _EDITS)
        if self.lora is not None:
            config = {**self.lora.config, "base_model_name_or_path": base.removeprefix("hf:")}
            write_atomically(where / SETTINGS, json.dumps(config, indent=1, default=list) + "\n")
            _tensor_files().save_file(dict(self.lora.tensors), where / WEIGHTS)
        card = {
            "format": _FORMAT, "version": 1, "method": self.treatment.method, "base": base,
            "base_hash": self.treatment.base_hash, "kind": self.kind, "name": self.name,
            "instruction": self.instruction, "about": self.treatment.about,
            "is_placebo": self.treatment.is_placebo, "settings": dict(self.treatment.settings),
        }  # fmt: skip
        write_atomically(where / CARD, json.dumps(card, indent=1, default=_plain) + "\n")
        lines = [f"# {self.name}", self.about, f"Base: {base} ({self.treatment.base_hash})"]
        write_atomically(where / "README.md", "\n\n".join(lines) + "\n")

    def _chat(self, template: str) -> ChatTemplate | None:
        chat = super()._chat(template)
        if chat is None or not self.instruction:
            return chat
        if USER_PROMPT not in chat.prefix:
            raise SubjectError(f"The chat template of {self.name} has no place for an instruction.")
        prefix = chat.prefix.replace(USER_PROMPT, f"{self.instruction}\n\n{USER_PROMPT}")
        with self.lock:
            ids = self.tokenizer(prefix, add_special_tokens=False, verbose=False)["input_ids"]
            written = self.tokenizer.convert_ids_to_tokens(ids)
        return ChatTemplate(chat.name, prefix, tuple(ids), tuple(written))

    def _introduced(self, tokens: TokenizedText) -> TokenizedText:
        if not self.instruction or self.chat is not None:
            return tokens
        start = int(tokens.own[0])
        with self.lock:
            encoded = self.tokenizer(self.instruction, add_special_tokens=False, verbose=False)
            before = [*tokens.ids[:start].tolist(), *encoded["input_ids"]]
            written = self.tokenizer.convert_ids_to_tokens(before)
        return tokens.part(start, len(tokens.ids)).after(before, written)


def module_of(lm: LanguageModel, layer: int) -> Any:
    """Return the module whose output is edited at a layer."""
    return blocks_of(lm).modules[layer - 1] if layer else lm.model.get_input_embeddings()


def check_layers(lm: LanguageModel, layers: Sequence[int]) -> None:
    """Raise `SubjectError` if a model lacks one of some layers."""
    last = len(blocks_of(lm)) if any(layers) else 0
    for layer in layers:
        if not 0 <= layer <= last:
            raise SubjectError(
                f"{lm.name} has no layer {layer}: choose from 0 (input embeddings) to"
                f" {len(blocks_of(lm))} (the last block)."
            )


def _hook(edit: Edit) -> Any:
    import torch

    parts = [torch.tensor(getattr(edit, part)) for part in _PARTS]

    def apply(_: Any, __: Any, output: Any) -> Any:
        states = output[0] if isinstance(output, tuple) else output
        mean, out, into = (part.to(states.device) for part in parts)
        fine = states.to(torch.promote_types(states.dtype, torch.float32))
        edited = (fine - (fine - mean) @ into @ out.T).to(states.dtype)
        return (edited, *output[1:]) if isinstance(output, tuple) else edited

    return apply


def source_of(lm: LanguageModel) -> str:
    """Return what `biaslab.load` takes to open a model again.

    Raises `SubjectError` if it was not opened from files.
    """
    files = lm.files
    if not isinstance(files, ModelFiles):
        raise SubjectError(
            f"{lm.name} was not opened from a folder or from the hub, so a saved treatment could"
            " not name it. Save the model first, and open that folder with bl.load."
        )
    if files.is_hub:
        return f"hf:{lm.model.config._name_or_path}"
    bundled = Path(__file__).resolve().parents[2] / "bundled"
    return files.folder.name if files.folder.parent == bundled else str(files.folder.resolve())


def treatment_in(source: str | Path) -> dict[str, Any] | None:
    """Return the card of a treatment in a folder; None where there is none.

    Raises `SubjectError` if it is damaged.
    """
    folder = Path(source).expanduser()
    if not (folder / CARD).is_file():
        return None
    card = read_object(folder / CARD, folder.name)
    texts = ("method", "base", "base_hash", "kind", "name", "instruction", "about")
    wrong = [name for name in texts if not isinstance(card.get(name), str)]
    is_odd = card.get("format") != _FORMAT or wrong or card["kind"] not in ("mlm", "clm")
    if is_odd or (Path(card["base"]).expanduser() / CARD).is_file():  # a base is no treated model
        raise SubjectError(_DAMAGED.format(folder=folder.name, why=f"{CARD} is damaged"))
    if card.get("version") != 1:
        raise SubjectError(
            f"{folder.name} holds a treatment of a newer version of biaslab. Update biaslab."
        )
    return card


def treated_again(
    folder: Path, card: Mapping[str, Any], base: LanguageModel, name: str | None
) -> TreatedModel:
    """Return a base with the treatment of a folder.

    Raises `SubjectError` if it is another base than before, or files are damaged.
    """
    if card["base_hash"] and base.content_hash != card["base_hash"]:
        why = f"its base {card['base']} has changed, or is opened in another precision"
        raise SubjectError(_DAMAGED.format(folder=folder.name, why=why))
    treatment = Treatment(
        card["method"], base.name, card["base_hash"], card.get("settings") or {}, card["about"],
        bool(card.get("is_placebo")),
    )  # fmt: skip
    how: dict[str, Any] = {"instruction": card["instruction"], "name": name or card["name"]}
    copied = copy.deepcopy(base.model)
    if (adapter := adapter_in(folder)) is not None:
        config = read_object(folder / SETTINGS, folder.name)
        lora = Lora(config, _tensor_files().load_file(folder / WEIGHTS))
        opened = OpenedModel(copied, base.tokenizer, (), None, None)
        return TreatedModel(base, treatment, model=merged(opened, adapter).model, lora=lora, **how)
    if not (folder / _EDITS).is_file():
        return TreatedModel(base, treatment, **how)
    treated = TreatedModel(base, treatment, model=copied, **how)
    try:
        tensors = _tensor_files().load_file(folder / _EDITS)
        for layer in sorted({int(key.partition(".")[0]) for key in tensors}):
            treated.add(Edit(layer, *(tensors[f"{layer}.{part}"].numpy() for part in _PARTS)))
    except Exception as error:  # the reader of safetensors raises one of its own
        why = f"{_EDITS} is damaged ({error})"
        raise SubjectError(_DAMAGED.format(folder=folder.name, why=why)) from error
    return treated


def _tensor_files() -> Any:
    return importlib.import_module("safetensors.torch")


def _plain(value: Any) -> Any:
    """Return a setting as JSON holds it: a mapping, or the name of a case."""
    return dict(value) if isinstance(value, Mapping) else getattr(value, "name", str(value))
