"""``bl.load``: open a subject by bundled name, folder, file or prefix."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Unpack, cast, overload

from numpy.typing import DTypeLike

from biaslab.arguments import renamed
from biaslab.errors import SubjectError, UnknownSubjectError
from biaslab.records.calls import recorded
from biaslab.subjects.classifier.sentiment import MANIFEST, is_classifier_folder, read_sentiment
from biaslab.subjects.embedding.base import EmbeddingSubject
from biaslab.subjects.embedding.spacy_vectors import PREFIX, installed_pipeline
from biaslab.subjects.embedding.terms import CASE_POLICIES, CasePolicy
from biaslab.subjects.formats import ReadOptions
from biaslab.subjects.formats.reading import stored_type
from biaslab.subjects.language_model.treated import treated_again, treatment_in
from biaslab.subjects.opening.names import (
    MODEL_KINDS,
    fetch,
    is_address,
    open_address,
    own_subject,
    own_subjects,
)
from biaslab.subjects.opening.vectors import SUFFIXES, open_in_memory, open_vectors
from biaslab.subjects.pretrained.adapter import adapter_in, kind_of_adapter
from biaslab.subjects.pretrained.kinds import kind_of_folder
from biaslab.subjects.pretrained.options import LoadingOptions
from biaslab.subjects.pretrained.refusals import refuse_other_formats

if TYPE_CHECKING:
    import pandas as pd

    from biaslab.subjects.classifier.base import Classifier
    from biaslab.subjects.classifier.sentiment import SentimentClassifier
    from biaslab.subjects.embedding.word_embedding import WordEmbedding
    from biaslab.subjects.language_model.model import LanguageModel
    from biaslab.subjects.translation_model import TranslationModel
    from biaslab.subjects.vision_language.model import VisionLanguageModel

BUNDLED = Path(__file__).resolve().parents[2] / "bundled"
ABOUT_BUNDLED = "bundled subject, for teaching and tests"
ONLY_DECIDES = frozenset({"clerk-lm"})
"""Bundled language models that answer the questions of cases and have learnt no other text."""
KINDS = ("embedding", "ensemble", *MODEL_KINDS)


def bundled_names(kind: str | None = None) -> tuple[str, ...]:
    """Return names of the bundled subjects: all, or those of a kind.

    Parameters
    ----------
    kind : {"ensemble", "classifier", "mlm", "clm", "vlm"}, optional
        Which ones.
    """
    if not BUNDLED.is_dir():
        return ()
    folders = ((p.name, _bundled_kind(p)) for p in BUNDLED.iterdir())
    return tuple(
        sorted(name for name, stored_kind in folders if stored_kind and kind in (None, stored_kind))
    )


def _bundled_kind(folder: Path) -> str | None:
    marks = {"ensemble": "ensemble.json", "classifier": MANIFEST}
    marked = (kind for kind, mark in marks.items() if (folder / mark).exists())
    return next(marked, None) or kind_of_folder(folder)


class _Placing(TypedDict, total=False):
    """Arguments of `load` that all models have."""

    name: str | None
    dtype: str | None
    device: str | None
    quantize: Literal["4bit", "8bit"] | None
    attention: str | None
    revision: str | None


class _Reading(TypedDict, total=False):
    """Arguments of `load` for vectors in memory."""

    kind: str | None
    name: str | None
    letter_case: CasePolicy
    dtype: DTypeLike | None
    limit: int | None


class _Every(_Reading, total=False):
    """Arguments of `load` for sources of which the kind is seen on opening."""

    trust_pickle: bool
    skip_bad: bool
    device: str | None
    quantize: Literal["4bit", "8bit"] | None
    attention: str | None
    revision: str | None
    template: str | None
    on_progress: Callable[[int, int | None], None] | None


@overload
def load(  # type: ignore[overload-overlap]
    source: str | Path,
    *,
    kind: Literal["mlm", "clm"],
    template: str | None = None,
    **options: Unpack[_Placing],
) -> LanguageModel: ...


@overload
def load(  # type: ignore[overload-overlap]
    source: Literal["wiki-mlm", "wiki-clm", "clerk-lm"],
    *,
    template: str | None = None,
    **options: Unpack[_Placing],
) -> LanguageModel: ...


@overload
def load(  # type: ignore[overload-overlap]
    source: str | Path, *, kind: Literal["vlm"], **options: Unpack[_Placing]
) -> VisionLanguageModel: ...


@overload
def load(  # type: ignore[overload-overlap]
    source: Literal["portrait-clip"], **options: Unpack[_Placing]
) -> VisionLanguageModel: ...


@overload
def load(  # type: ignore[overload-overlap]
    source: str | Path, *, kind: Literal["translation"], **options: Unpack[_Placing]
) -> TranslationModel: ...


@overload
def load(  # type: ignore[overload-overlap]
    source: Literal["imdb-sentiment"], *, name: str | None = None, device: str | None = None
) -> SentimentClassifier: ...


@overload
def load(  # type: ignore[overload-overlap]
    source: str | Path, *, kind: Literal["classifier"], **options: Unpack[_Placing]
) -> Classifier: ...


@overload
def load(
    source: Mapping[str, Any] | pd.DataFrame, **options: Unpack[_Reading]
) -> WordEmbedding: ...


@overload
def load(source: Any, *, words: Sequence[str], **options: Unpack[_Reading]) -> WordEmbedding: ...


# The content of a folder is unknown before it is opened: this form is the usual one.
@overload
def load(source: str | Path, **options: Unpack[_Every]) -> EmbeddingSubject: ...


@renamed(case="letter_case")
@recorded
def load(
    source: str | Path | Mapping[str, Any] | pd.DataFrame,
    *,
    kind: str | None = None,
    name: str | None = None,
    words: Sequence[str] | None = None,
    letter_case: CasePolicy = "smart",
    dtype: DTypeLike | None = None,
    limit: int | None = None,
    trust_pickle: bool = False,
    skip_bad: bool = False,
    device: str | None = None,
    quantize: Literal["4bit", "8bit"] | None = None,
    attention: str | None = None,
    revision: str | None = None,
    template: str | None = None,
    on_progress: Callable[[int, int | None], None] | None = None,
) -> EmbeddingSubject | Classifier | LanguageModel | VisionLanguageModel | TranslationModel:
    """Open a subject.

    Parameters
    ----------
    source : str, Path, or vectors in memory
        A bundled name (`bundled_names` lists them), the name of a subject of your own
        (`biaslab.subjects.library`), the folder of an ensemble, an embedding file
        (word2vec text or binary, GloVe, fastText ``.vec``, each plain, .gz, .bz2 or .xz; npz;
        safetensors), ``gensim:NAME``, a pipeline of spaCy (its folder, or ``spacy:NAME`` of an
        installed one), or static token embeddings (a folder of model2vec, or of WordLlama). In
        memory: a dict of word to vector, a table with the words as index and a column per
        dimension, vectors of gensim, ``nlp`` of spaCy, or with ``words`` a matrix or a layer of
        torch. A file's format is detected from its
        content. The folder of a masked or causal language model, or of a vision-language model
        (CLIP, SigLIP, ViLT, BLIP, GIT): its config.json says which. A GGUF file, or a folder with
        one, is a causal language model, de-quantised; the folder of a LoRA adapter is its base with
        it, and that of a treated model its base, treated. For ``hf:NAME`` say
        ``kind="mlm"``, ``"clm"`` or ``"vlm"``. With ``kind="encoder"`` the folder of a language
        model or of a sentence encoder (sentence-transformers), or ``hf:NAME``. With
        ``kind="classifier"`` also the folder of a text classifier, or ``hf:NAME``; what
        ``biaslab train sentiment`` wrote is recognised by content. With
        ``kind="embedding"`` the folder of a language model gives its input embeddings. With
        ``kind="translation"`` the folder of a translation model (Marian, NLLB, M2M100, mBART), or
        ``hf:NAME``; `biaslab.services` asks it as a service. ``openai:MODEL@ADDRESS`` is a causal
        language model on a server that sends log-probabilities of a prompt, and
        ``inspect:PROVIDER/MODEL`` a chat model of any provider as a service.
    kind : {"embedding", "ensemble", "encoder", "classifier", "mlm", "clm", "vlm", "translation"}
        Required kind; anything else is an error. Encoders, and the classifiers of others, have to
        be requested. ``kind="embedding"`` on a sentiment classifier
        gives its words.
    name : str, optional
        Name shown to the person; default the name of the source.
    words : sequence of str, optional
        The words of the rows of a matrix in memory.
    letter_case : {"smart", "exact", "lower"}
        How terms are looked up: "smart" as typed, else in lower case, else capitalised.
    dtype : {"float32", "float16", "int8"}, optional
        Type to hold the vectors in; default as stored (text: float32). "int8" keeps one scale per
        row: a quarter of the memory, cosines within 0.01. Of a model "float32", "float16" or
        "bfloat16", in which it computes; default float32 on a CPU, as stored on a GPU.
    limit : int, optional
        Read only this many words.
    trust_pickle : bool
        Open pickled files (gensim's .kv and .model). They run code: only for files of your own.
    skip_bad : bool
        Leave out lines, words or replicates that cannot be read, and say so in ``notes``.
    device : str, optional
        Device of a model, such as "cpu" or "cuda:1"; "auto" spreads it over all GPUs and main
        memory, by accelerate. Default the GPU if there is one, and the CPU for a sentiment
        classifier.
    quantize : {"4bit", "8bit"}, optional
        Bits of each weight, by bitsandbytes on a CUDA device. A model that is stored quantised is
        opened as it is, without this option.
    attention : str, optional
        Implementation of attention, as transformers names it: "sdpa", "eager",
        "flash_attention_2" ...
    revision : str, optional
        Branch, tag or commit of ``hf:NAME``; default the newest.
    template : {"auto", "plain", "chat", "chat without system prompt"}, optional
        How a causal language model is shown a text; default "auto".
    on_progress : callable, optional
        Called with (words read, words in all or None). An exception from it stops the reading.

    Returns
    -------
    WordEmbedding, EmbeddingEnsemble, Encoder, Classifier, LanguageModel, VisionLanguageModel or
    TranslationModel

    Raises
    ------
    ArgumentError
        When ``source`` is none of these.
    UnknownSubjectError
        When there is no such name or file.
    MissingExtraError
        When a dependency is not installed.
    EmbeddingFileError
        When the file is damaged: names the line and how much can be recovered.
    PickleRefusedError
        When the file is a pickle and ``trust_pickle`` is not set.
    SubjectError
        When the network is needed and cannot be reached, or an option is wrong.

    Notes
    -----
    Memory: stored npz and safetensors are memory-mapped and use no memory until rows are read.
    Text, binary and deflated files are parsed in blocks of 4 MB into one preallocated matrix, so
    that 3 million words x 300 need 3.6 GB as float32, 1.8 GB as float16 or 0.9 GB as int8, and
    some hundred MB for the words.

    Examples
    --------
    >>> import biaslab as bl
    >>> bl.load({"he": [1.0, 0.0], "she": [0.0, 1.0]}, name="mine")
    <WordEmbedding 'mine': 2 words x 2 x 1 replicate>
    """
    if kind is not None and kind not in KINDS:
        raise SubjectError(f"kind={kind!r}: this version opens {', '.join(KINDS)}.")
    if letter_case not in CASE_POLICIES:
        raise SubjectError(
            f"letter_case={letter_case!r}: choose one of {', '.join(CASE_POLICIES)}."
        )
    if limit is not None and limit < 1:
        raise SubjectError(f"limit={limit}: give at least 1.")
    if not isinstance(source, str | Path):
        if kind not in (None, "embedding") or device is not None:
            raise SubjectError("Vectors in memory are an embedding: leave out kind and device.")
        return open_in_memory(
            source,
            words,
            name=name or "",
            letter_case=letter_case,
            dtype=stored_type(dtype),
            limit=limit,
        )
    if words is not None:
        raise SubjectError(f"{source} has its own words: words= is for a table in memory.")
    if is_address(source):
        return cast("LanguageModel", open_address(str(source), kind=kind, name=name))
    own = own_source(source)
    if own is not None:
        source, kind, name = own[0], kind or own[1], name or str(source)
        if is_address(source):
            return cast("LanguageModel", open_address(source, kind=kind, name=name))
    text = str(source)
    bundled = BUNDLED / text if text in bundled_names() else None
    about = ABOUT_BUNDLED if bundled and kind != "encoder" else None
    folder = bundled or Path(source).expanduser()
    if (card := treatment_in(folder)) is not None:
        if kind not in (None, card["kind"]):
            raise SubjectError(f"{folder.name} is a treated model of the kind {card['kind']!r}.")
        base = load(
            card["base"], kind=card["kind"], dtype=_type_of_model(dtype), device=device,
            quantize=quantize, attention=attention, template=template,
        )  # fmt: skip
        return treated_again(folder, card, base, name)
    is_model = text.startswith("hf:") or (folder / "config.json").is_file()
    if kind is None:
        adapter = adapter_in(folder)
        kind_of_model: str | None = (
            kind_of_folder(folder) if adapter is None else kind_of_adapter(adapter)
        )
    elif kind == "classifier" and not is_model:
        kind_of_model = None  # the sentiment classifiers of biaslab
    else:
        kind_of_model = kind if kind in MODEL_KINDS else None
    given = {
        "device": device, "dtype": _type_of_model(dtype) if kind_of_model else None,
        "quantize": quantize, "attention": attention, "revision": revision, "template": template,
    }  # fmt: skip
    options = LoadingOptions.of(given, own[2] if own else {})
    if kind_of_model is not None:
        from biaslab.subjects.opening.models import open_transformers

        model = open_transformers(
            bundled or source, kind_of_model, name=name, options=options, about=about
        )
        return cast("LanguageModel", model)
    refuse_other_formats(text)
    if kind == "embedding" and text.startswith("hf:"):
        raise SubjectError(
            f"kind='embedding' takes a folder or a GGUF file. Download {text.removeprefix('hf:')},"
            " and give its path."
        )
    path = find_source(source)
    options.refuse(("quantize", "attention", "revision", "template"), f"{path.name}, no model,")
    if path.is_dir() and is_classifier_folder(path) and kind in (None, "classifier", "embedding"):
        if dtype is not None or limit is not None:
            raise SubjectError(
                f"{path.name} is a classifier: its words are read completely, as stored. Leave out"
                " dtype and limit."
            )
        classifier = read_sentiment(path, name=name, device=device)
        return classifier.words if kind == "embedding" else classifier
    if options.device is not None:
        raise SubjectError(
            f"device={device!r}: only encoders, classifiers, language and vision-language models"
            " run on a device (kind='encoder', 'classifier', 'mlm', 'clm', 'vlm')."
        )
    if kind == "classifier":
        raise SubjectError(
            f"{text} holds no classifier. Give a folder that `biaslab train sentiment` wrote, a"
            " folder that save_pretrained wrote, or hf:NAME."
        )
    reading = ReadOptions(stored_type(dtype), limit, skip_bad, on_progress)
    name = name or (text if text.startswith("gensim:") else None)
    subject = open_vectors(
        path, reading, name=name, letter_case=letter_case, about=about, trust_pickle=trust_pickle,
        input_of_model=kind == "embedding",
    )  # fmt: skip
    if kind is not None and subject.kind != kind:
        raise SubjectError(
            f"{text} is an {subject.kind}, not an {kind}."
            + (" Choose one replicate: load(...).replicate(0)." if kind == "embedding" else "")
        )
    return subject


def own_source(source: str | Path) -> tuple[str, str | None, dict[str, str]] | None:
    """Return source, kind and options of a subject that a person has added; None of another."""
    own = None if str(source) in bundled_names() else own_subject(source)
    if own is None:
        return None
    if not own.source:
        what = "a Python function" if own.function else "a service"
        raise SubjectError(
            f"{own.name} is {what}: bl.services.open_own({own.name!r}) opens it, and bl.rate asks"
            " it."
        )
    return own.source, own.load_options.get("kind"), dict(own.options)


def _type_of_model(dtype: DTypeLike | None) -> str | None:
    if dtype is not None and not isinstance(dtype, str):
        raise SubjectError(f"dtype={dtype!r}: write it as text, such as 'float32'.")
    return dtype


def find_source(source: str | Path) -> Path:
    """Return the path of a bundled subject, a file or folder, or what gensim or spaCy installed."""
    text = str(source)
    if text.startswith("gensim:"):
        return fetch(text.removeprefix("gensim:"))
    if text.startswith(PREFIX):
        return installed_pipeline(text.removeprefix(PREFIX))
    if text in bundled_names():
        return BUNDLED / text
    if text.startswith("hf:"):
        raise UnknownSubjectError(
            f"Say which kind of model {text} is: kind='mlm' (masked) and kind='clm' (causal) give"
            " probabilities of sentences, kind='encoder' vectors of words in context and of"
            " sentences, kind='classifier' probabilities of labels, kind='vlm' probabilities of"
            " words for pictures, kind='translation' translations."
        )
    path = Path(source).expanduser()
    if path.exists():
        if not (path.is_file() or path.is_dir()):
            raise SubjectError(f"{path} is a pipe or a device. Give the path of a file or folder.")
        return path
    known = bundled_names()
    names = f"The bundled subjects are: {', '.join(known)}." if known else "None is bundled."
    if isinstance(source, Path) or "/" in text or path.suffix in SUFFIXES:
        raise UnknownSubjectError(
            f"There is no file or folder {path}. Check the path; the current folder is"
            f" {Path.cwd()}.",
            known,
        )
    near = get_close_matches(text, [*known, *own_subjects()], n=1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    raise UnknownSubjectError(
        f"There is no subject {text!r}.{hint} {names} Give a file by its path, and an embedding of"
        " gensim as gensim:NAME.",
        known,
    )
