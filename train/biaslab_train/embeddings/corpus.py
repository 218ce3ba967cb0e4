"""Corpora: read as streams of passages, tokenised once into a folder, counted.

How a file is read follows from its name: ``.xml`` (also ``.xml.bz2``, ``.xml.gz``, ``.xml.xz``) is
a MediaWiki dump, as Wikipedia publishes them; everything else is text, one paragraph a line, plain
or compressed (``.gz``, ``.bz2``, ``.xz``). None is ever in memory as a whole.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal
from xml.etree import ElementTree as ET

from biaslab.errors import CorpusError, TrainingError
from biaslab.files.atomic import write_atomically
from biaslab.probes.trace.corpus import PreparedCorpus, read_prepared
from biaslab.probes.trace.counted import counts_folder, open_counted, settings_of_recipe
from biaslab.subjects.embedding.ensemble import write_vocabulary
from biaslab.subjects.opening.load import BUNDLED, bundled_names
from biaslab.subjects.text_files import COMPRESSED, damage_told, opened, read_lines
from biaslab_train.embeddings.processes import in_order

PASSAGE_CHARACTERS = 1 << 22
"""Size of a passage: enough work to be worth sending to another process."""


@dataclass(frozen=True)
class Passage:
    """Some of a corpus: lines of text, or pages in MediaWiki's markup."""

    markup: Literal["text", "wiki"]
    texts: tuple[str, ...]


def corpus_files(source: Path) -> list[Path]:
    """Return the files of a corpus: the given one, or all in a folder by name.

    Files and folders whose names begin with a dot are left out: file managers create such.

    Raises `CorpusError` when there is nothing to read.
    """
    if not source.is_dir():
        files = [source] if source.exists() else []
    else:
        paths = (path for path in source.rglob("*") if path.is_file())
        files = sorted(p for p in paths if not _is_hidden(p.relative_to(source)))
    if not files:
        raise CorpusError(
            f"No corpus at {source}. Give a text file, a Wikipedia dump (.xml.bz2) or a folder "
            "of them."
        )
    return files


def read_passages(source: Path) -> Iterator[Passage]:
    """Yield a corpus piece by piece, of about 4 million characters each.

    Raises `CorpusError` when there is nothing to read, or a file is damaged, binary, not UTF-8 or
    no dump.
    """
    for file in corpus_files(source):
        if is_dump(file):
            yield from _gathered("wiki", read_pages(file))
        else:
            yield from _gathered("text", read_lines(file))


def is_heading(line: str) -> bool:
    """Return whether a line of a page is a heading, such as ``== History ==``."""
    text = line.strip()
    return len(text) > 1 and text.startswith("=") and text.endswith("=")


def is_dump(file: Path) -> bool:
    """Return whether a file is read as a MediaWiki dump, by its name."""
    name = file.with_suffix("") if file.suffix in COMPRESSED else file
    return name.suffix == ".xml"


def read_pages(file: Path) -> Iterator[str]:
    """Yield the markup of each article of a MediaWiki dump.

    Pages outside the article namespace (talk, templates, ...) and redirects are left out.

    Raises `CorpusError` when it is damaged or no such dump.
    """
    # gensim's extract_pages leaves an empty element per page: gigabytes by the end of the whole
    # Wikipedia. Here the root drops parsed elements.
    # expat itself stops entities that expand without end.
    with opened(file) as raw, damage_told(file), _corpus_errors(file):
        events = ET.iterparse(raw, events=("start", "end"))  # noqa: S314
        _, root = next(events)
        space, _, name = root.tag.rpartition("}")
        if name != "mediawiki":
            raise CorpusError(
                f"{file} holds <{name}> and is not a MediaWiki dump (<mediawiki>). If it is text,"
                " give it a name that ends in .txt."
            )
        tag = f"{space}}}" if space else ""
        for event, element in events:
            if event == "end" and element.tag == f"{tag}page":
                is_article = element.findtext(f"{tag}ns", "0").strip() == "0"
                if is_article and element.find(f"{tag}redirect") is None:
                    yield element.findtext(f"{tag}revision/{tag}text") or ""
                root.clear()


def _gathered(markup: Literal["text", "wiki"], texts: Iterable[str]) -> Iterator[Passage]:
    gathered: list[str] = []
    size = 0
    for text in texts:
        gathered.append(text)
        size += len(text)
        if size >= PASSAGE_CHARACTERS:
            yield Passage(markup, tuple(gathered))
            gathered, size = [], 0
    if gathered:
        yield Passage(markup, tuple(gathered))


@contextmanager
def _corpus_errors(file: Path) -> Iterator[None]:
    try:
        yield
    except ET.ParseError as error:
        raise CorpusError(
            f"{file} is damaged, truncated or not a MediaWiki dump: {error}. Download it again, or,"
            " if it is text, give it a name that ends in .txt."
        ) from error


def _is_hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts)


def prepare(source: Path, work: Path, processes: int = 1) -> PreparedCorpus:
    """Tokenise a corpus once (lower-cased alphabetic tokens, by gensim) into a folder.

    A second call on the same folder reads the output of the first one.

    - `source`: a text file, a MediaWiki dump or a folder of them: see
      `biaslab_train.embeddings.corpus`.
    - `work`: folder that receives ``tokens.txt`` and ``counts.tsv``. Needs about the size of the
      uncompressed corpus.
    - `processes`: how many tokenise at once; the outcome is the same.
    - Raises `CorpusError` when the corpus cannot be read, has less than two lines of words, or the
      folder contains another corpus.
    """
    work.mkdir(parents=True, exist_ok=True)
    path, table = work / "tokens.txt", work / "counts.tsv"
    if table.exists():
        _refuse_another(source, table)
        return read_prepared(work)
    known_by = _known_by(source)
    counts: Counter[str] = Counter()
    digest, lines = hashlib.sha256(), 0
    partial_path = path.with_suffix(".partial")
    with partial_path.open("wb") as out:
        for text, counted in in_order(tokenised, read_passages(source), processes):
            counts.update(counted)
            digest.update(text)
            out.write(text)
            lines += text.count(b"\n")
    if lines < 2:
        partial_path.unlink()
        raise CorpusError(
            f"{source} holds {lines} {'line' if lines == 1 else 'lines'} of words. The bootstrap"
            " resamples lines, so"
            " it needs many. Write one sentence or paragraph per line."
        )
    partial_path.replace(path)
    with (partial_path := table.with_suffix(".partial")).open("w", encoding="utf-8") as rows:
        rows.write(f"{lines}\t{digest.hexdigest()}\t{known_by}\n")
        rows.writelines(f"{word}\t{count}\n" for word, count in counts.most_common())
    partial_path.replace(table)
    return read_prepared(work)


def tokenised(passage: Passage) -> tuple[bytes, Counter[str]]:
    """Return tokens of a passage, a line per non-empty paragraph, and their counts."""
    counts: Counter[str] = Counter()
    lines = []
    for text in passage.texts:
        for paragraph in _paragraphs(text) if passage.markup == "wiki" else (text,):
            tokens = _tokens(paragraph)
            if tokens:
                counts.update(tokens)
                lines.append(" ".join(tokens) + "\n")
    return "".join(lines).encode(), counts


def _tokens(text: str) -> list[str]:
    from gensim.utils import tokenize

    return list(tokenize(text, lowercase=True))


def _paragraphs(markup: str) -> list[str]:
    """Return paragraphs of a page without its markup (gensim's rules) and headings."""
    from gensim.corpora.wikicorpus import filter_wiki

    lines = filter_wiki(markup).split("\n")
    return [line for line in lines if not is_heading(line)]


def _known_by(source: Path) -> str:
    """Hash of the names and sizes of a corpus's files."""
    root = source if source.is_dir() else source.parent
    files = [f"{f.relative_to(root)}\t{f.stat().st_size}" for f in corpus_files(source)]
    return hashlib.sha256("\n".join(files).encode()).hexdigest()


def _refuse_another(source: Path, table: Path) -> None:
    """Raise an error for a folder with another tokenised corpus."""
    with table.open(encoding="utf-8") as stream:
        noted = stream.readline().rstrip("\n").split("\t")[2:]
    if noted and source.exists() and noted[0] != _known_by(source):
        raise CorpusError(
            f"{table.parent} contains a corpus other than {source}, or an older version of it."
            " Choose an empty --output (and --work) folder."
        )


def count_for(
    subject: str,
    source: Path,
    folder: Path | None = None,
    *,
    processes: int | None = None,
    memory: float = 2e9,
) -> Path:
    """Count the corpus of an ensemble block by block, without training it again.

    - `subject`: a bundled name, or the folder of an ensemble.
    - `source`: the corpus that the ensemble was trained on.
    - `folder`: output folder; default as `counts_folder`.
    - `processes`: how many tokenise at once; default one per core.
    - `memory`: bytes to work in, about.
    - Returns: the folder, to open with `open_counted`.
    - Raises `CorpusError` when the corpus is another one, or the ensemble was trained by another
      method.
    """
    is_bundled = subject in bundled_names()
    trained = BUNDLED / subject if is_bundled else Path(subject)
    manifest = trained / "ensemble.json"
    if not manifest.exists():
        raise TrainingError(
            f"{subject} is no trained ensemble. Name a bundled one ({', '.join(bundled_names())}),"
            " or a folder that `biaslab train bootstraps` wrote."
        )
    recipe: dict[str, Any] = json.loads(manifest.read_text(encoding="utf-8"))
    settings_of_recipe(recipe, trained)
    folder = folder or counts_folder(subject if is_bundled else trained)
    corpus = prepare(source, folder / "work", processes or os.cpu_count() or 1)
    if corpus.sha256 != recipe["corpus"]["sha256"]:
        raise CorpusError(
            f"{source} is not the corpus that {trained.name} was trained on: it holds"
            f" {corpus.tokens:,} words, not {recipe['corpus']['tokens']:,} or other ones. Name the"
            " same files, or train an ensemble on this corpus."
        )
    vocabulary = (trained / "vocabulary.txt").read_text(encoding="utf-8").split()
    write_vocabulary(folder, vocabulary)
    write_atomically(folder / "recipe.json", json.dumps(recipe, indent=1))
    open_counted(folder, memory)
    return folder
