"""Sentence encoders in the format of sentence-transformers, with a pooling of their own."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Self, cast

import numpy as np
from numpy.typing import NDArray

from biaslab.errors import MissingExtraError, QueryError, SubjectError
from biaslab.files.given import parse_json, read_given
from biaslab.network import check_hub_name, fetch_apart
from biaslab.network.hub import WANTED
from biaslab.records.calls import recorded_method
from biaslab.subjects.encoder.contextual import ContextualEncoder
from biaslab.subjects.pretrained.apart import is_bundled
from biaslab.subjects.pretrained.facts import device_text, hash_tokenizer
from biaslab.subjects.pretrained.files import LoadedModel, ModelFiles, WeightFiles, hash_model
from biaslab.subjects.pretrained.kinds import MODULES
from biaslab.subjects.pretrained.opening import PREFIX, building, no_progress_bar
from biaslab.subjects.pretrained.options import DEFAULTS, LoadingOptions, choose_device
from biaslab.subjects.pretrained.refusals import refuse_remote_code, without_tokenizer
from biaslab.subjects.pretrained.trial import LARGEST_JSON, check_configuration, check_tokenizer


class SentenceEncoder(LoadedModel, ContextualEncoder):
    """A model of sentence-transformers, under C contexts.

    The vector of a text is what the model's own pooling and later modules make of it.

    Parameters
    ----------
    model : sentence_transformers.SentenceTransformer
        It is put into evaluation mode.
    contexts : sequence of str
        Texts with ``{}`` where the term goes; ``{}`` alone is the term and nothing else.
    name, about
        As of `biaslab.subjects.embedding.word_embedding.WordEmbedding`.
    files : WeightFiles, optional
        The files of all its modules' weights, by which large ones are identified.

    Raises
    ------
    SubjectError
        When a context does not have exactly one ``{}``, or the model reads no texts.
    """

    pooling = "own"

    def __init__(
        self,
        model: Any,
        *,
        contexts: Sequence[str] = ("{}",),
        name: str = "sentence encoder",
        about: str = "",
        files: WeightFiles | None = None,
    ) -> None:
        super().__init__(contexts, name=name, about=about)
        self.model = model.eval()
        self.files = files
        self.tokenizer = _tokenizer(model, name)

    @property
    def device(self) -> str:
        """Device of the model, such as ``cpu`` or ``cuda:0``."""
        return str(self.model.device)

    @property
    def dim(self) -> int:
        """Number d of dimensions."""
        return int(self.model.get_embedding_dimension())

    @recorded_method
    def under(self, contexts: Sequence[str] | None = None) -> Self:
        """Return the same model with other contexts."""
        chosen = self.contexts if contexts is None else contexts
        return type(self)(
            self.model, contexts=chosen, name=self.name, about=self.about, files=self.files
        )

    def _run(self, keys: Sequence[tuple[str, int, int]]) -> NDArray[np.float32]:
        texts = [key[0] for key in keys]
        self._refuse_what_would_be_cut(texts)
        with self._lock:
            vectors = self.model.encode(texts, batch_size=len(texts), show_progress_bar=False)
        return cast("NDArray[np.float32]", np.asarray(vectors, dtype=np.float32))

    def _refuse_what_would_be_cut(self, texts: Sequence[str]) -> None:
        """Raise an error for a text that the model would cut without a word."""
        longest = self.model.max_seq_length
        if longest is None:
            return
        prompt = self.model.prompts.get(self.model.default_prompt_name, "")
        lengths = [len(ids) for ids in self.tokenizer([prompt + t for t in texts])["input_ids"]]
        if (most := max(lengths)) > longest:
            text = texts[lengths.index(most)]
            raise QueryError(
                f"{text[:60]!r} has {most} tokens, and {self.name} reads up to {longest}. Shorten"
                " it."
            )

    @cached_property
    def content_hash(self) -> str:
        """SHA-256 of the weights, the modules, the tokenizer and the contexts, hexadecimal."""
        digest = hashlib.sha256(repr(self.model).encode())
        hash_model(digest, self.model, self.files)
        hash_tokenizer(digest, self.tokenizer)
        prompts = sorted(self.model.prompts.items()), self.model.default_prompt_name
        digest.update(repr((prompts, self.contexts)).encode("utf-8", "surrogatepass"))
        return digest.hexdigest()


def _tokenizer(model: Any, name: str) -> Any:
    """Return a tokenizer that can be called, whatever kind the model holds."""
    tokenizer = getattr(model, "tokenizer", None)
    if callable(tokenizer):
        return tokenizer
    if hasattr(tokenizer, "to_str"):
        from transformers import PreTrainedTokenizerFast

        wrap: Any = PreTrainedTokenizerFast
        return wrap(tokenizer_object=tokenizer)
    raise SubjectError(f"{name} reads no texts: its first module has no tokenizer.")


@dataclass(frozen=True)
class ModuleFiles:
    """Files of the weights of all modules."""

    modules: tuple[ModelFiles, ...]

    @property
    def weights(self) -> tuple[Path, ...]:
        """The files, in the order of the modules."""
        return tuple(path for module in self.modules for path in module.weights)

    @property
    def bytes(self) -> int:
        """Their size."""
        return sum(module.bytes for module in self.modules)

    def stored(self) -> tuple[int, int]:
        """Return the number of tensors in the weights, and how many numbers they hold."""
        tensors, numbers = zip(*(module.stored() for module in self.modules), strict=True)
        return sum(tensors), sum(numbers)


def is_sentence_encoder(source: str | Path, options: LoadingOptions = DEFAULTS) -> bool:
    """Return whether a folder, or a model of the hub, is in the format of sentence-transformers.

    - `source`: a folder or ``hf:NAME``. What is in the local cache is found without a network.
    - `options`: version on the hub.
    """
    text = str(source)
    if not text.startswith(PREFIX):
        return (Path(source).expanduser() / MODULES).is_file()
    return any(_hub_file(text, MODULES, options, local=local) for local in (True, False))


def load_sentence_encoder(
    source: str | Path, *, name: str | None = None, options: LoadingOptions = DEFAULTS
) -> SentenceEncoder:
    """Open a model of sentence-transformers; no code of a model is run.

    - `source`: a folder with ``modules.json``, or ``hf:NAME``.
    - `name`: name shown to the person.
    - `options`: device, precision, attention and version.
    - Raises `MissingExtraError` when sentence-transformers is not installed; `SubjectError` when
      the model cannot be opened, has a module with code of its own, or is to be quantised or spread
      over devices.
    """
    text = str(source)
    of_hub = text.startswith(PREFIX)
    where = text.removeprefix(PREFIX) if of_hub else str(Path(source).expanduser())
    label = Path(where).name
    if of_hub:
        check_hub_name(text)
    if find_spec("sentence_transformers") is None:
        raise MissingExtraError(
            f"{label} is a sentence encoder, which needs sentence-transformers:"
            " pip install 'biaslab[encoders]'."
        )
    options.refuse(("quantize",), "A sentence encoder")
    if options.device == "auto":
        raise SubjectError("A sentence encoder runs on one device: name it, or leave device out.")
    chosen = choose_device(options.device)
    _check_files(text, options)
    try:
        _refuse_unknown_activations(text, options)
        model = _opened(text, where, chosen, options)
    except (OSError, ValueError, ImportError, KeyError, TypeError) as error:
        if not of_hub:
            raise _failed(text, error) from error
        try:
            if not fetch_apart(text, options.revision):
                from huggingface_hub import snapshot_download

                snapshot_download(where, revision=options.revision, allow_patterns=list(WANTED))
            _check_files(text, options)
            model = _opened(text, where, chosen, options)
        except (OSError, ValueError, ImportError, KeyError, TypeError) as second:
            raise _failed(text, second) from second
    place = "of the Hugging Face hub" if of_hub else f"in the folder {label}"
    about = f"sentence encoder {place}{device_text(chosen)}"
    return SentenceEncoder(
        model, name=name or label, about=about, files=_weight_files(text, options)
    )


def _opened(source: str, where: str, device: str, options: LoadingOptions) -> Any:
    from sentence_transformers import SentenceTransformer

    arguments: dict[str, Any] = {"use_safetensors": True}
    if options.dtype is not None:
        arguments["dtype"] = options.dtype
    if options.attention is not None:
        arguments["attn_implementation"] = options.attention

    files = _weight_files(source, options)
    with building(None if files is None else files.stored(), source), no_progress_bar():
        model = SentenceTransformer(
            where, device=device, local_files_only=True, trust_remote_code=False,
            revision=options.revision, model_kwargs=arguments,
        )  # fmt: skip
    _let_it_pad(getattr(model, "tokenizer", None))
    return model


def _let_it_pad(tokenizer: Any) -> None:
    """Give a tokenizer without a padding token any of its tokens: padding is never read."""
    if hasattr(tokenizer, "pad_token") and tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.convert_ids_to_tokens(0)


def _refuse_unknown_activations(source: str, options: LoadingOptions) -> None:
    """Refuse a dense layer whose activation the library would replace by another one.

    Raises `SubjectError` if there is one.
    """
    for module in _modules(source, options):
        path = str(module.get("path") or "")
        config = _json(source, f"{path}/config.json", options) if path else None
        activation = str((config or {}).get("activation_function") or "torch.")
        if not activation.startswith("torch."):
            raise SubjectError(
                f"{source} has a layer with the activation {activation}, which is code of its own"
                " and is not run. Choose a model whose activations are torch's."
            )


def _check_files(source: str, options: LoadingOptions) -> None:
    """Refuse damaged or missing files of the modules that lie on this machine.

    Raises `SubjectError`, which names what is wrong.
    """
    of_hub = source.startswith(PREFIX)
    for path, files in _module_files(source, options).items():
        config = _json(source, f"{path}/config.json".removeprefix("/"), options)
        if isinstance(config, dict) and config.get("model_type"):
            if not is_bundled(files.folder):
                check_configuration(files.folder, source)
                check_tokenizer(files.folder, source)
            refuse_remote_code(config, source)
            if not of_hub and not files.has_tokenizer:
                raise SubjectError(without_tokenizer(source))
            files.check()
        elif files.weights:
            files.check()


def _weight_files(source: str, options: LoadingOptions) -> ModuleFiles | None:
    """Return the files of all weights; None where a module stores some in another format."""
    modules = tuple(_module_files(source, options).values())
    stored_otherwise = any(
        not files.weights and any(files.folder.glob("*.bin")) for files in modules
    )
    all_files = ModuleFiles(modules)
    return all_files if all_files.weights and not stored_otherwise else None


def _module_files(source: str, options: LoadingOptions) -> dict[str, ModelFiles]:
    """Return the files of the modules on this machine, by their path in the model."""
    of_hub = source.startswith(PREFIX)
    listed = _hub_file(source, MODULES, options, local=True) if of_hub else None
    if of_hub and listed is None:
        return {}
    root = Path(source).expanduser() if listed is None else Path(listed).parent
    paths = sorted({str(each.get("path") or "") for each in _modules(source, options)})
    return {path: ModelFiles(root / path, is_hub=of_hub) for path in paths}


def _modules(source: str, options: LoadingOptions) -> list[Any]:
    modules = _json(source, MODULES, options)
    return [each for each in modules if isinstance(each, dict)] if isinstance(modules, list) else []


def _json(source: str, file: str, options: LoadingOptions) -> Any:
    if source.startswith(PREFIX):
        copy = _hub_file(source, file, options, local=True)
        path = None if copy is None else Path(copy)
    else:
        path = Path(source).expanduser() / file
    if path is None or not path.is_file():
        return None
    try:
        return parse_json(read_given(path, LARGEST_JSON))
    except (OSError, ValueError) as error:
        raise SubjectError(f"{file} of {source} is damaged: {error}. Download it again.") from error


def _hub_file(source: str, file: str, options: LoadingOptions, *, local: bool) -> str | None:
    """Return the local copy of a file of the hub; None where there is none, or no connection."""
    from transformers.utils.hub import cached_file

    check_hub_name(source)
    if not local:
        local = fetch_apart(source, options.revision, [file])
    try:
        return cached_file(
            source.removeprefix(PREFIX), file, local_files_only=local, revision=options.revision,
            _raise_exceptions_for_gated_repo=False, _raise_exceptions_for_missing_entries=False,
            _raise_exceptions_for_connection_errors=False,
        )  # fmt: skip
    except OSError:
        return None


def _failed(source: str, error: Exception) -> SubjectError:
    reason = str(error).strip().partition("\n")[0]
    return SubjectError(
        f"{source} cannot be opened as a sentence encoder: {reason} It needs modules.json, the"
        " folders that it names, weights as safetensors, and the tokenizer's files."
    )
