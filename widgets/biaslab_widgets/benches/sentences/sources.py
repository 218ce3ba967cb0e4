"""Where the pairs of step 2 come from: the store, templates, what was typed, a file."""

from __future__ import annotations

import base64
import binascii
import tempfile
from collections.abc import Mapping
from pathlib import Path, PurePath
from typing import Any

from biaslab.errors import BiaslabError, SentenceError
from biaslab.files.tables import lines_of
from biaslab.probes.sentences.exchange import read_pairs
from biaslab.probes.sentences.pairing import make_pairs
from biaslab.probes.sentences.pairs import PairSet, TestSentence
from biaslab.probes.sentences.sources import default_pairs, saved_sentences
from biaslab.specs import Spec
from biaslab_widgets.benches.sentences.words import Words
from biaslab_widgets.core.state.fields import Cap

LARGEST_MB = 7.5
"""Of a file; StereoSet has 5 MB. In base64 it has 10 MB, the most that a message has in Jupyter."""
MOST_PAIRS = 25_000
"""Of a file: the page holds all of them, in 10 MB."""
AT_ONCE_MB = 0.5
"""A larger file takes more than a second, and is read in a job."""
IMPORT_CAP = Cap(text=int(LARGEST_MB * 1_350_000), total=int(LARGEST_MB * 1_360_000))
"""Of the command that brings a file, in base64."""
TYPED = "typed"


def from_templates(words: Words, pairing: str, per_attribute: int) -> PairSet:
    """Starter sentences of a predefined spec, templates of another."""
    return default_pairs(
        _spec(words), groups=words.groups, pairing=pairing, per_attribute=per_attribute
    )


def from_store(words: Words, pairing: str) -> PairSet:
    """What was kept for these words before, and starter sentences that hold them."""
    return paired(words, saved(words), pairing, "saved")


def saved(words: Words) -> tuple[TestSentence, ...]:
    """Sentences that are kept for these words."""
    return saved_sentences(_spec(words), groups=words.groups)


def from_text(words: Words, text: str, pairing: str) -> PairSet:
    """Sentences that were typed or pasted, one on each line."""
    lines = [line.strip() for line in lines_of(text)]
    sentences = tuple(TestSentence(line, source=TYPED) for line in lines if line)
    if not sentences:
        raise SentenceError("There are no sentences. Write one per line.")
    return paired(words, sentences, pairing, TYPED)


def paired(words: Words, sentences: tuple[TestSentence, ...], pairing: str, source: str) -> PairSet:
    """Pairs of sentences, as the lists on the screen have it."""
    return make_pairs(sentences, _spec(words), groups=words.groups, pairing=pairing, source=source)


def sent_file(args: Mapping[str, Any]) -> tuple[str, bytes]:
    """Name and content of a file that the front end has sent.

    - `args`: ``name`` of the file, and its ``content`` as text or its ``data`` in base64.
    - Raises `SentenceError` when it arrived damaged, is empty or too large.
    """
    name = PurePath(str(args.get("name") or "sentences.txt").replace("\\", "/")).name
    return name, _content(args, name)


def from_file(
    spec: Spec | None, groups: tuple[str, str], pairing: str, name: str, content: bytes
) -> PairSet:
    """Pairs of a file.

    - `pairing`: what is swapped in single sentences.
    - `name`: by whose ending some formats are known.
    - Raises `SentenceError` when it cannot be read: says why and what to do.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        try:
            path.write_bytes(content)
            if not name.lower().endswith(".json"):
                _check_count(name, content.count(b"\n"))  # before pairs are made, which takes long
            made = read_pairs(path, spec=spec, groups=groups, pairing=pairing)
        except (BiaslabError, OSError) as error:
            # A person knows the file by its name, not where it lies for a moment.
            raise SentenceError(str(error).replace(str(path), name)) from None
    _check_count(name, len(made))
    return made


def _check_count(name: str, count: int) -> None:
    if count > MOST_PAIRS + 1:  # the first line may name the columns
        raise SentenceError(
            f"{name} has about {count:,} rows; a bench holds at most {MOST_PAIRS:,}. Use a part of"
            " it, or score the whole file in Python: bl.stereotype_score(model, spec,"
            " sentences=file)."
        )


def _content(args: Mapping[str, Any], name: str) -> bytes:
    if args.get("data"):
        try:
            content = base64.b64decode(str(args["data"]), validate=True)
        except binascii.Error as error:
            raise SentenceError(f"{name} arrived damaged. Choose it again.") from error
    else:
        content = str(args.get("content", "")).encode("utf-8", "replace")
    if len(content) > LARGEST_MB * 1_000_000:
        raise SentenceError(
            f"{name} has {len(content) / 1e6:,.1f} MB; at most {LARGEST_MB} MB can be uploaded."
            " Use a part of it, or pass the file to SentenceBench(sentences=...)."
        )
    if not content.strip():
        raise SentenceError(f"{name} is empty.")
    return content


def _spec(words: Words) -> Any:
    if words.spec is None:
        raise SentenceError(words.why)
    return words.spec
