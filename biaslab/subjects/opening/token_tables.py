"""Find and open tables of token vectors: static embeddings, and the input of language models."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from biaslab.errors import EmbeddingFileError, MissingExtraError, SubjectError
from biaslab.files.given import parse_json, read_given
from biaslab.records.wording import count
from biaslab.subjects.embedding.rows import DerivedRows
from biaslab.subjects.embedding.terms import CasePolicy
from biaslab.subjects.embedding.token_vectors import TokenEmbedding
from biaslab.subjects.formats.reading import ReadOptions, convert
from biaslab.subjects.formats.safetensors_file import read_header, read_tensor, vocabulary_beside
from biaslab.subjects.pretrained.files import LARGEST_HEADER, ModelFiles
from biaslab.subjects.pretrained.gguf_file import read_gguf
from biaslab.subjects.pretrained.refusals import without_tokenizer

_STATIC: Final = ("embeddings", "embedding.weight")
"""Names of the table in files of model2vec, and in those of WordLlama and sentence-transformers."""
_INPUTS: Final = (
    "embed_tokens.weight", "word_embeddings.weight", "wte.weight", "embed_in.weight",
    "tok_embeddings.weight", "shared.weight", "word_embedding.weight",
)  # fmt: skip
"""Ends of the names of a language model's input embeddings."""
_TOKENIZER: Final = "tokenizer.json"
_INPUT_NOTE: Final = "Input embeddings are what a language model reads, before any of its layers."


@dataclass(frozen=True)
class TokenTable:
    """Where a table of token vectors lies.

    - `weights`, `tensor`: the file, and the name of the table in it.
    - `tokenizer`: a file of the tokenizers library.
    - `library`: who made it; "" for a language model's input embeddings.
    """

    weights: Path
    tensor: str
    tokenizer: Path
    library: str

    @property
    def shape(self) -> tuple[int, ...]:
        """Tokens and dimensions, as stored."""
        return read_header(self.weights, LARGEST_HEADER)[0][self.tensor].shape


def static_table(path: Path) -> TokenTable | None:
    """Return the static token embedding in a file or folder; None where there is none.

    Raises `SubjectError` when there are several, or one without its tokenizer.
    """
    if path.is_file():
        return _static_file(path) if path.suffix == ".safetensors" else None
    for folder in (path, path / "0_StaticEmbedding"):  # where sentence-transformers puts it
        weights = folder / "model.safetensors"
        if weights.is_file() and (table := _static_file(weights)):
            return table
    if not (path / "tokenizers").is_dir():
        return None
    tables = [one for one in sorted((path / "weights").glob("*.safetensors")) if _tensor_of(one)]
    if len(tables) > 1:
        raise SubjectError(
            f"{path.name} holds several tables: {', '.join(one.name for one in tables)}. Give the"
            " path of one of these files."
        )
    return _static_file(tables[0]) if tables else None


def input_table(folder: Path) -> TokenTable:
    """Return the input embeddings of the language model in a folder.

    Raises `SubjectError` when they are not found, or there is no tokenizer.json.
    """
    files = ModelFiles(folder)
    files.check()
    if not (folder / _TOKENIZER).is_file():
        raise SubjectError(
            f"{without_tokenizer(folder.name)} Its input embeddings need {_TOKENIZER}."
        )
    sizes: dict[tuple[Path, str], int] = {}
    for path in files.weights:
        for name, tensor in read_header(path, LARGEST_HEADER)[0].items():
            if name.endswith(_INPUTS) and len(tensor.shape) == 2:
                sizes[path, name] = tensor.shape[0]
    if not sizes:
        raise SubjectError(
            f"{folder.name} has no table of input embeddings that biaslab recognises (a tensor"
            f" named {', '.join('...' + end for end in _INPUTS[:3])}). Choose another model."
        )
    weights, largest = max(sizes, key=lambda where: sizes[where])
    return TokenTable(weights, largest, folder / _TOKENIZER, "")


def open_table(
    table: TokenTable, options: ReadOptions, *, name: str, letter_case: CasePolicy
) -> TokenEmbedding:
    """Open a table of token vectors; of the weights, nothing but the table is read.

    Raises `SubjectError` when a file is damaged, does not fit the others, or `limit` is set;
    `MissingExtraError` without the tokenizers library.
    """
    _refuse_limit(options)
    header, _ = read_header(table.weights, LARGEST_HEADER)
    stored, scale = read_tensor(table.weights, header[table.tensor], options)
    vectors: Any = stored
    about = f"static token embeddings of {table.library}"
    notes: tuple[str, ...] = ()
    if not table.library:
        about = f"input embeddings of a language model, {table.tensor}"
        notes = (_INPUT_NOTE,)
    if table.library == "model2vec" and header.keys() & {"weights", "mapping"}:
        places, weights = _of_tokens(table.weights, header, len(stored))
        if weights is not None:
            scale = weights if scale is None else weights * scale[places]
            about += ", weighted"
        vectors = DerivedRows(stored, scale, places=places)
        scale = None
    is_normalised = table.library == "model2vec" and _normalises(table.weights.parent)
    subject = TokenEmbedding(
        _tokenizer(table.tokenizer), vectors, in_text=not table.library, scale=scale,
        is_normalised=is_normalised, name=name, letter_case=letter_case, notes=notes,
        about=f"{about}; a word is the mean of its tokens{', of length 1' * is_normalised}",
    )  # fmt: skip
    options.report(len(subject), len(subject))
    return subject


def open_gguf_table(
    file: Path, options: ReadOptions, *, name: str, letter_case: CasePolicy
) -> TokenEmbedding:
    """Open the input embeddings of the language model in a GGUF file, de-quantised.

    Raises as `open_table`, and as `biaslab.subjects.pretrained.gguf_file.read_gguf`.
    """
    _refuse_limit(options)
    from biaslab.subjects.pretrained.gguf_model import read_input
    from biaslab.subjects.pretrained.opening import locate

    source = locate(file, "language model")
    header = read_gguf(file)
    tokenizer, vectors = read_input(source, header)
    stored, scale = convert(vectors, None, options.dtype or "float32")
    return TokenEmbedding(
        tokenizer, stored, in_text=True, scale=scale, name=name, letter_case=letter_case,
        notes=(_INPUT_NOTE,),
        about=f"input embeddings of a language model, GGUF {header.quantization}, de-quantised;"
        " a word is the mean of its tokens",
    )  # fmt: skip


def _refuse_limit(options: ReadOptions) -> None:
    if options.limit is not None:
        raise SubjectError("The words of this subject are made of its tokens: leave out limit.")


def _static_file(weights: Path) -> TokenTable | None:
    if not (tensor := _tensor_of(weights)):
        return None
    library = "WordLlama" if weights.parent.name == "weights" else "model2vec"
    beside = [weights.parent / _TOKENIZER, *_by_name(weights)]
    tokenizer = next((path for path in beside if path.is_file()), None)
    if tokenizer is None and vocabulary_beside(weights) is not None:
        return None  # vectors of words, by another name
    if tokenizer is None:
        raise SubjectError(
            f"{weights.name} is a table of tokens without a tokenizer. Put {_TOKENIZER} beside it;"
            f" of vectors of words {weights.with_suffix('.vocabulary.txt').name}, one word per"
            " line."
        )
    return TokenTable(weights, tensor, tokenizer, library)


def _tensor_of(weights: Path) -> str:
    """Return the name of the table in a file of static embeddings; "" in any other file."""
    try:
        header, metadata = read_header(weights, LARGEST_HEADER)
    except EmbeddingFileError:
        return ""  # whoever reads it as vectors, or as a model, says what is wrong
    if "words" in metadata or len(header) > len(_STATIC) + 2:
        return ""
    return next((name for name in _STATIC if name in header), "")


def _by_name(weights: Path) -> Iterator[Path]:
    """Yield tokenizers of WordLlama for a file, such as l2_supercat_256.safetensors."""
    name = weights.stem.removesuffix("_binary").rpartition("_")[0]
    yield weights.parent.parent / "tokenizers" / f"{name}_tokenizer_config.json"


def _of_tokens(weights: Path, header: Mapping[str, Any], rows: int) -> tuple[Any, Any]:
    """Return the row of each token, and its weight if there are weights."""
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(weights, framework="numpy") as file:
            factors = file.get_tensor("weights") if "weights" in header else None
            count_tokens = rows if factors is None else len(factors)
            every = np.arange(count_tokens)
            places = file.get_tensor("mapping") if "mapping" in header else every
        fits = places.ndim == 1 and len(places) and places.min() >= 0 and places.max() < rows
        if not fits or (factors is not None and factors.shape != places.shape):
            raise ValueError(f"a mapping of shape {places.shape} for {count(rows)} vectors")
    except (SafetensorError, ValueError, TypeError) as error:
        raise EmbeddingFileError(
            f"{weights.name} has parts that do not fit each other ({error}). Copy it again.",
            path=str(weights),
        ) from error
    return places.astype(np.int64), None if factors is None else factors.astype(np.float32)


def _normalises(folder: Path) -> bool:
    try:
        for name in ("config.json", "modules.json"):
            if (folder / name).is_file():
                content = parse_json(read_given(folder / name))
                if isinstance(content, dict) and "normalize" in content:
                    return bool(content["normalize"])
                if isinstance(content, list):
                    return any("Normalize" in str(part) for part in content)
    except (OSError, ValueError) as error:
        raise SubjectError(
            f"{name} of {folder.name} is damaged ({error}). Copy it again."
        ) from error
    return False


def _tokenizer(path: Path) -> Any:
    try:
        from tokenizers import Tokenizer
    except ModuleNotFoundError as error:
        raise MissingExtraError(
            "Token embeddings need the library tokenizers: pip install 'biaslab[lm]'."
        ) from error
    try:
        return Tokenizer.from_file(str(path))
    except Exception as error:  # the library raises no kind of its own
        raise SubjectError(f"{path.name} is no tokenizer, or damaged ({error}).") from error
