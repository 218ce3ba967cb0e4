"""Corpus tokenised once into a folder, streamed: never in memory as a whole."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from biaslab.errors import CorpusError
from biaslab.training.processes import in_order
from biaslab.training.readers import Passage, corpus_files, is_heading, read_passages


@dataclass(frozen=True)
class PreparedCorpus:
    """A corpus tokenised once, one line of space-separated tokens per source line.

    Attributes
    ----------
    path : Path
        The tokenised text, UTF-8.
    counts : Counter of str
        Occurrences of each token in the whole corpus.
    lines, tokens : int
        Number of non-empty lines, and of tokens in them.
    sha256 : str
        Hash of the tokenised text: two corpora with one hash train the same embeddings.
    """

    path: Path
    counts: Counter[str]
    lines: int
    tokens: int
    sha256: str

    def contexts_besides(self, kept: Sequence[str], contexts: int) -> list[str]:
        """The most frequent words that are not kept: so many that there are ``contexts`` in all."""
        besides = set(kept)
        others = (word for word, _ in self.counts.most_common() if word not in besides)
        return list(islice(others, max(0, contexts - len(besides))))


def prepare(source: Path, work: Path, processes: int = 1) -> PreparedCorpus:
    """Tokenise a corpus once (lower-cased alphabetic tokens, by gensim) into a folder.

    A second call on the same folder reads the output of the first one.

    Parameters
    ----------
    source : Path
        A text file, a MediaWiki dump or a folder of them: see `biaslab.training.readers`.
    work : Path
        Folder that receives ``tokens.txt`` and ``counts.tsv``. Needs about the size of the
        uncompressed corpus.
    processes : int
        How many tokenise at once; the outcome is the same.

    Raises
    ------
    CorpusError
        When the corpus cannot be read, has less than two lines of words, or the folder contains
        another corpus.
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
            f"{source} holds {lines} line(s) of words. The bootstrap resamples lines, so it needs"
            " many. Write one sentence or paragraph per line."
        )
    partial_path.replace(path)
    with (partial_path := table.with_suffix(".partial")).open("w", encoding="utf-8") as rows:
        rows.write(f"{lines}\t{digest.hexdigest()}\t{known_by}\n")
        rows.writelines(f"{word}\t{count}\n" for word, count in counts.most_common())
    partial_path.replace(table)
    return read_prepared(work)


def read_prepared(work: Path) -> PreparedCorpus:
    """Return the corpus that `prepare` wrote into a folder.

    Raises
    ------
    CorpusError
        When it is not there: on a cluster, when this machine does not see the folder.
    """
    try:
        with (work / "counts.tsv").open(encoding="utf-8") as stream:
            head = stream.readline().split("\t")
            rows = (row.rstrip("\n").split("\t") for row in stream)
            counts = Counter({word: int(count) for word, count in rows})
        if not (work / "tokens.txt").exists():
            raise FileNotFoundError
    except FileNotFoundError as error:
        from socket import gethostname

        raise CorpusError(
            f"{gethostname()} cannot find the tokenised corpus in {work}. On a cluster, --work"
            " must be a folder that all machines see under the same path."
        ) from error
    return PreparedCorpus(
        work / "tokens.txt", counts, int(head[0]), counts.total(), head[1].strip()
    )


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
