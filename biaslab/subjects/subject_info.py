"""What is known of a subject before it is loaded."""

from __future__ import annotations

from dataclasses import dataclass

from biaslab.subjects.questions import KIND_TITLES, Fit, questions_for
from biaslab.wording import count


@dataclass(frozen=True)
class SubjectInfo:
    """A subject before it is loaded.

    Attributes
    ----------
    name : str
    source : str
        As `biaslab.load` takes it; a function or a service has none.
    kind : str
        A kind of `biaslab.load`, or "chat", "http", "function".
    format : str
        Format of its file or weights, such as "GloVe text" or "safetensors".
    bytes : int
        Size on disk; 0 where nothing lies on this machine.
    words, dimensions, parameters : int or None
        None where it has none, or where only loading would tell.
    counts_exactly : bool
        Whether ``words`` was counted; otherwise it is estimated from the size of the file.
    replicates : int
        Number of embeddings in an ensemble; else 1.
    labels : tuple of str
        Of a classifier.
    dtype : str
        Type of the stored numbers.
    """

    name: str
    source: str
    kind: str
    format: str = ""
    bytes: int = 0
    words: int | None = None
    dimensions: int | None = None
    parameters: int | None = None
    counts_exactly: bool = True
    replicates: int = 1
    labels: tuple[str, ...] = ()
    dtype: str = ""

    @property
    def questions(self) -> tuple[Fit, ...]:
        """Which questions it can be asked, and why not the others."""
        return questions_for(self.kind)

    @property
    def kind_title(self) -> str:
        """The kind in words."""
        return KIND_TITLES.get(self.kind, self.kind)

    @property
    def facts(self) -> str:
        """Its sizes in words, such as "8,000 words, 300 dimensions"."""
        about = "" if self.counts_exactly else "about "
        facts = [
            f"{count(self.replicates)} embeddings" if self.replicates > 1 else "",
            f"{about}{count(self.words)} words" if self.words is not None else "",
            f"{count(self.dimensions)} dimensions" if self.dimensions else "",
            f"{in_words(self.parameters)} parameters" if self.parameters else "",
            f"labels {' and '.join(self.labels)}" if 0 < len(self.labels) <= 3 else "",
            f"{len(self.labels)} labels" if len(self.labels) > 3 else "",
        ]
        return ", ".join(fact for fact in facts if fact)

    @property
    def short(self) -> str:
        """What it is in a few words: "32 embeddings", "masked language model"."""
        return f"{count(self.replicates)} embeddings" if self.replicates > 1 else self.kind_title

    def summary(self) -> str:
        """One sentence: kind, sizes, format and size on disk."""
        parts = [self.facts, self.format, size_text(self.bytes) if self.bytes else ""]
        shown = ", ".join(part for part in parts if part)
        title = self.kind_title[:1].upper() + self.kind_title[1:]
        return f"{title}{', ' if shown else ''}{shown}."


def in_words(number: int) -> str:
    """Return a large number as a person says it.

    Examples
    --------
    >>> in_words(110_000_000), in_words(854_977), in_words(7_240_000_000)
    ('110 million', '0.85 million', '7.2 billion')
    """
    if number < 10_000:
        return f"{number:,}"
    unit, word = (1e9, "billion") if number >= 1e9 else (1e6, "million")
    value = number / unit
    return f"{value:.{0 if value >= 10 else 1 if value >= 1 else 2}f} {word}"


def size_text(size: int) -> str:
    """Return bytes in a unit that fits.

    Examples
    --------
    >>> size_text(438_000_000), size_text(1_300), size_text(2_800_000)
    ('438 MB', '1.3 kB', '2.8 MB')
    """
    for unit, word in ((1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if size >= unit:
            value = size / unit
            return f"{value:.{0 if value >= 10 else 1}f} {word}"
    return f"{size} bytes"
