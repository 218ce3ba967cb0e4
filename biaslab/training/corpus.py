"""Corpora as streams of tokenised lines: never a whole corpus in memory."""

from __future__ import annotations

import bz2
import gzip
import hashlib
import lzma
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, cast

import numpy as np

from biaslab.errors import CorpusError

_OPENERS: dict[str, Callable[..., Any]] = {
    ".gz": gzip.open,
    ".bz2": bz2.open,
    ".xz": lzma.open,
}


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


def open_text(path: Path) -> IO[str]:
    """Open a text file, plain or compressed with gzip, bzip2 or xz, as UTF-8."""
    opener = _OPENERS.get(path.suffix, open)
    return cast("IO[str]", opener(path, "rt", encoding="utf-8"))


def read_lines(path: Path) -> Iterator[str]:
    """Yield the lines of one text file, or of every file in a folder in name order.

    Raises
    ------
    CorpusError
        When there is nothing to read, or a file is not UTF-8.
    """
    files = sorted(p for p in path.rglob("*") if p.is_file()) if path.is_dir() else [path]
    if not files or not files[0].exists():
        raise CorpusError(f"No corpus at {path}. Give a text file or a folder of text files.")
    for file in files:
        try:
            with open_text(file) as stream:
                yield from stream
        except UnicodeDecodeError as error:
            raise CorpusError(
                f"{file} is not UTF-8 text ({error.reason} at byte {error.start} of a block). "
                "Convert it first, for example: iconv -f latin1 -t utf-8."
            ) from error
        except (EOFError, lzma.LZMAError, gzip.BadGzipFile) as error:
            raise CorpusError(
                f"{file} is damaged or cut short: {error}. Fetch it again."
            ) from error


def prepare(source: Path, work: Path) -> PreparedCorpus:
    """Tokenise a corpus once (lower-cased alphabetic tokens, by gensim) into a folder.

    A second call on the same folder reads back what the first one wrote.

    Parameters
    ----------
    source : Path
        A text file (plain, .gz, .bz2, .xz) or a folder of them; one paragraph a line.
    work : Path
        Folder that receives ``tokens.txt`` and ``counts.tsv``. Needs about the size of the
        uncompressed corpus.
    """
    from gensim.utils import tokenize

    work.mkdir(parents=True, exist_ok=True)
    path, table = work / "tokens.txt", work / "counts.tsv"
    if not table.exists():
        counts: Counter[str] = Counter()
        digest, lines = hashlib.sha256(), 0
        partial = path.with_suffix(".partial")
        with partial.open("w", encoding="utf-8") as out:
            for text in read_lines(source):
                tokens = list(tokenize(text, lowercase=True))
                if not tokens:
                    continue
                counts.update(tokens)
                line = " ".join(tokens) + "\n"
                digest.update(line.encode())
                out.write(line)
                lines += 1
        if lines < 2:
            partial.unlink()
            raise CorpusError(
                f"{source} holds {lines} line(s) of words. A bootstrap resamples lines, so it "
                "needs many: write one sentence or paragraph per line."
            )
        partial.replace(path)
        with (partial := table.with_suffix(".partial")).open("w", encoding="utf-8") as out:
            out.write(f"{lines}\t{digest.hexdigest()}\n")
            out.writelines(f"{word}\t{count}\n" for word, count in counts.most_common())
        partial.replace(table)
    with table.open(encoding="utf-8") as stream:
        head = stream.readline().split("\t")
        rows = (row.rstrip("\n").split("\t") for row in stream)
        counts = Counter({word: int(count) for word, count in rows})
    return PreparedCorpus(path, counts, int(head[0]), counts.total(), head[1].strip())


def poisson_resample(corpus: PreparedCorpus, rng: np.random.Generator, out: Path) -> int:
    """Write a streaming bootstrap of a corpus: each line a Poisson(1) number of times.

    The total length then varies a little between replicates, as in paper 000, section 4.2
    (after Chamandy et al., 2012); lines are resampled independently, so the interval that
    follows speaks of paragraphs drawn anew, not of whole articles.

    Returns
    -------
    int
        Number of lines written.
    """
    written, block = 0, 1 << 16
    with corpus.path.open("rb") as stream, out.open("wb") as target:
        repeats: list[int] = []
        for line in stream:
            if not repeats:
                repeats = rng.poisson(1.0, size=block).tolist()[::-1]
            n = repeats.pop()
            if n:
                target.write(line * n)
                written += n
    return written
