"""What is known of a subject before it is loaded."""

from __future__ import annotations

from dataclasses import dataclass

from biaslab.subjects.model_facts import ModelFacts
from biaslab.subjects.questions import KIND_TITLES, Fit, questions_for
from biaslab.subjects.sizes_in_words import in_words, size_text
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
    loaded : ModelFacts or None
        Of an open model: memory, devices, precision and version.
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
    loaded: ModelFacts | None = None

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
        if self.loaded is not None:
            return f"{title}, {self.loaded.summary()}"
        return f"{title}{', ' if shown else ''}{shown}."
