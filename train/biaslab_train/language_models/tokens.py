"""A corpus as token ids: on disk, split by article, drawn in blocks or around rare words.

An encyclopedia says "himself" seven times as often as "herself", and both so seldom that a small
model that reads for an hour hardly learns which pronoun they go with: hence the emphasis.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from biaslab.errors import CorpusError, TrainingError, WriteError
from biaslab.files.atomic import write_atomically
from biaslab.subjects.text_files import read_lines
from biaslab_train.embeddings.corpus import corpus_files, is_dump, is_heading, read_pages
from biaslab_train.language_models.tokenizer import (
    BEGIN,
    END,
    SPECIAL,
    train_tokenizer,
    words_to_keep_whole,
)
from biaslab_train.settings import LanguageModelSettings

if TYPE_CHECKING:
    from tokenizers import Tokenizer


Tokens = npt.NDArray[np.uint16]
RECORD = "tokens.json"
"""Written last: a folder that has it is whole."""

_WORD = re.compile("[a-z]+")
_TOKENIZER_CHARACTERS = 200_000_000
"""Largest text for learning the vocabulary."""
_LONGEST_ARTICLE = 1000
"""Paragraphs; a corpus without blank lines is one article otherwise."""
_ENCODED_AT_ONCE = 256


@dataclass(frozen=True)
class TokenCorpus:
    """A corpus in tokens.

    - `tokenizer`: tokenizer of the corpus.
    - `train`, ndarray of uint16, shape (n,): paragraphs, each as BEGIN, its tokens, END; a memory
      map.
    - `held_out`, ndarray of uint16, shape (m,): the same for the held-out articles.
    - `held_out_starts`: start of each held-out article.
    - `recipe`: recipe: sizes, seed, hashes.
    """

    tokenizer: Tokenizer
    train: Tokens
    held_out: Tokens
    held_out_starts: npt.NDArray[np.int64]
    recipe: dict[str, Any]

    @property
    def begin(self) -> int:
        """Id of the token that precedes a paragraph."""
        return SPECIAL.index(BEGIN)

    @property
    def end(self) -> int:
        """Id of the token that follows a paragraph."""
        return SPECIAL.index(END)


def prepare_tokens(source: Path, folder: Path, settings: LanguageModelSettings) -> TokenCorpus:
    """Train the tokenizer on a corpus and encode it into a folder; done once.

    An article ends at a blank line, or with its page in a MediaWiki dump. A second call with the
    same corpus, vocabulary, seed and share reads the output of the first one, for either kind of
    model.

    Raises `CorpusError` when the corpus cannot be read or is too small, or the folder contains
    another one. Raises `WriteError` when the disk is full; the unfinished files are removed.
    """
    folder.mkdir(parents=True, exist_ok=True)
    expected = {
        "vocabulary": settings.vocabulary,
        "seed": settings.seed,
        "held_out": settings.held_out,
        "source": _fingerprint(source),
    }
    record = folder / RECORD
    if record.exists():
        noted = json.loads(record.read_text(encoding="utf-8"))
        changed = [name for name, value in expected.items() if noted.get(name) != value]
        if changed:
            raise CorpusError(
                f"{folder} contains another encoded corpus ({', '.join(changed)} differ). "
                "Choose another folder for it."
            )
        return _checked(_opened(folder, noted), settings.context)
    _need_space(folder, source)
    tokenizer = _trained(source, settings.vocabulary)
    write_atomically(folder / "tokens-tokenizer.json", tokenizer.to_str())
    encoded = _encode(source, folder, tokenizer, settings)
    noted = {**expected, **encoded, "tokens_in_vocabulary": tokenizer.get_vocab_size()}
    corpus = _checked(_opened(folder, noted), settings.context)
    write_atomically(record, json.dumps(noted, indent=1) + "\n")
    return corpus


def read_tokens(folder: Path) -> TokenCorpus:
    """Return the corpus that `prepare_tokens` encoded into a folder.

    Raises `CorpusError` when it is not there, or not whole.
    """
    try:
        return _opened(folder, json.loads((folder / RECORD).read_text(encoding="utf-8")))
    except (OSError, ValueError, KeyError) as error:
        raise CorpusError(
            f"{folder} contains no encoded corpus ({error}). `biaslab train language-model --data` "
            "writes one."
        ) from error


def articles(source: Path) -> Iterator[list[str]]:
    """Yield the articles of a corpus, each a list of paragraphs."""
    for file in corpus_files(source):
        if is_dump(file):
            from gensim.corpora.wikicorpus import filter_wiki

            for page in read_pages(file):
                lines = filter_wiki(page).split("\n")
                if text_lines := [x for x in lines if x.strip() and not is_heading(x)]:
                    yield text_lines
            continue
        gathered: list[str] = []
        for line in read_lines(file):
            if text := line.strip():
                gathered.append(text)
            if gathered and (not text or len(gathered) == _LONGEST_ARTICLE):
                yield gathered
                gathered = []
        if gathered:
            yield gathered


def blocks(tokens: Tokens, context: int, batch: int, step: int, seed: int) -> Tokens:
    """Return sequences of one optimiser step, shape (batch, context + 1), by the seed.

    The stream is cut into sequences that overlap by one token, in an order and from an offset that
    are new in every pass over it. Only ``step`` has to be stored to continue.
    """
    per_pass = (len(tokens) - 2) // context
    indices = np.arange(step * batch, (step + 1) * batch)
    out = np.empty((batch, context + 1), dtype=np.uint16)
    for number in np.unique(indices // per_pass):
        order, offset = _order(seed, int(number), per_pass, len(tokens) - per_pass * context)
        here = indices // per_pass == number
        starts = order[indices[here] % per_pass] * context + offset
        out[here] = tokens[starts[:, None] + np.arange(context + 1)]
    return out


@lru_cache(maxsize=2)
def _order(seed: int, number: int, per_pass: int, spare: int) -> tuple[npt.NDArray[np.int64], int]:
    """Return the order of the sequences in a pass over the text, and the first offset."""
    rng = np.random.default_rng([seed, 1, number])
    return rng.permutation(per_pass), int(rng.integers(0, spare))


def _trained(source: Path, size: int) -> Tokenizer:
    """Train a tokenizer with frequent words of the catalogue as whole tokens."""
    counts: Counter[str] = Counter()

    def texts() -> Iterator[str]:
        read = 0
        for article in articles(source):
            for text in article:
                read += len(text)
                yield text
            if read >= _TOKENIZER_CHARACTERS:
                return

    for text in texts():
        counts.update(_WORD.findall(text.lower()))
    if len(counts) < 2:
        raise CorpusError(f"{source} contains no words. Give English text, one paragraph per line.")
    rarest = sorted(counts.values(), reverse=True)[: size // 2][-1]
    return train_tokenizer(texts(), size, words_to_keep_whole(counts), 2 * rarest)


def _encode(
    source: Path, folder: Path, tokenizer: Tokenizer, settings: LanguageModelSettings
) -> dict[str, Any]:
    rng = np.random.default_rng([settings.seed, 0])
    begin, end = SPECIAL.index(BEGIN), SPECIAL.index(END)
    paths = {name: folder / f"{name}.bin" for name in ("train", "held_out")}
    written = dict.fromkeys(paths, 0)
    counted = dict.fromkeys(paths, 0)
    digest = hashlib.sha256()
    starts: list[int] = []
    try:
        with (
            paths["train"].with_suffix(".partial").open("wb") as train,
            paths["held_out"].with_suffix(".partial").open("wb") as held_out,
        ):
            files: dict[str, IO[bytes]] = {"train": train, "held_out": held_out}
            stream = articles(source)
            while some := list(islice(stream, _ENCODED_AT_ONCE)):
                encoded = iter(tokenizer.encode_batch([text for a in some for text in a]))
                for article in some:
                    name = "held_out" if rng.random() < settings.held_out else "train"
                    ids = [i for _ in article for i in (begin, *next(encoded).ids, end)]
                    if name == "held_out":
                        starts.append(written[name])
                    content = np.array(ids, dtype=np.uint16).tobytes()
                    files[name].write(content)
                    digest.update(content)
                    written[name] += len(ids)
                    counted[name] += 1
        for path in paths.values():
            path.with_suffix(".partial").replace(path)
    except OSError as error:
        for path in paths.values():
            path.with_suffix(".partial").unlink(missing_ok=True)
        raise WriteError(
            f"Could not write the encoded corpus to {folder}: {error.strerror or error}. "
            "Free some space (two bytes a token), or choose another folder."
        ) from error
    return {
        "tokens": written,
        "articles": counted,
        "held_out_starts": starts,
        "sha256": digest.hexdigest(),
    }


def _checked(corpus: TokenCorpus, context: int) -> TokenCorpus:
    """Raise an error for a corpus without a sequence of ``context`` tokens."""
    for tokens, role in ((corpus.train, "for training"), (corpus.held_out, "are held out")):
        if len(tokens) < context + 3:
            raise CorpusError(
                f"The corpus is too small: {len(tokens)} tokens {role}, and a sequence takes"
                f" {context}. Give more text (articles separated by a blank line), a shorter"
                " --context or a larger --held-out."
            )
    return corpus


def _opened(folder: Path, recipe: dict[str, Any]) -> TokenCorpus:
    from tokenizers import Tokenizer

    train = folder / "train.bin"
    return TokenCorpus(
        Tokenizer.from_file(str(folder / "tokens-tokenizer.json")),
        # An empty file cannot be mapped.
        np.memmap(train, dtype=np.uint16, mode="r")
        if train.stat().st_size
        else np.empty(0, dtype=np.uint16),
        np.fromfile(folder / "held_out.bin", dtype=np.uint16),
        np.array(recipe["held_out_starts"], dtype=np.int64),
        {name: value for name, value in recipe.items() if name != "held_out_starts"},
    )


def _fingerprint(source: Path) -> str:
    """Hash of the names and sizes of a corpus's files, and of how each begins."""
    digest = hashlib.sha256()
    for file in corpus_files(source):
        digest.update(f"{file.name}\t{file.stat().st_size}\n".encode())
        with file.open("rb") as stream:
            digest.update(stream.read(1 << 16))
    return digest.hexdigest()


def _need_space(folder: Path, source: Path) -> None:
    """Check the disk space for the encoded corpus."""
    # Two bytes a token, about four characters a token; text compresses to about a fourth.
    size = sum(file.stat().st_size for file in corpus_files(source))
    packed = any(file.suffix in (".gz", ".bz2", ".xz") for file in corpus_files(source))
    needed = size * (4 if packed else 1) // 2
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise WriteError(
            f"The encoded corpus takes about {needed / 1e6:,.0f} MB, and {folder} has "
            f"{free / 1e6:,.0f} MB. Free some space, or choose another folder."
        )


@dataclass(frozen=True)
class Emphasis:
    """Words whose passages are oversampled, with equal weights.

    - `words`: words that are single tokens.
    - `share`: share of the sequences of a step that are drawn around one of the words, in (0, 1).
    - Raises `TrainingError` if there is no word, or the share is out of its range.
    """

    words: tuple[str, ...]
    share: float

    def __post_init__(self) -> None:
        if not self.words or not all(self.words):
            raise TrainingError("There is no word to emphasise. Give some, separated by commas.")
        if not 0 < self.share < 1:
            raise TrainingError(
                f"The share of emphasised sequences is {self.share}; it must lie between 0 and 1."
            )


class Passages:
    """Training sequences with an emphasised word.

    - `context`: tokens of a sequence.
    - Raises `TrainingError` if a word is no single token, or does not occur.
    """

    def __init__(self, corpus: TokenCorpus, emphasis: Emphasis, context: int, seed: int) -> None:
        self._train, self._context, self._seed = corpus.train, context, seed
        self.share = emphasis.share
        self._places = [_places(corpus, word) for word in emphasis.words]

    def replace(self, ids: Tokens, step: int) -> Tokens:
        """Replace the first sequences of a step by passages, shape (batch, context + 1).

        The word is drawn first, with equal weights, then one of its positions, then its position in
        the sequence; the same for the same seed and step.
        """
        rng = np.random.default_rng([self._seed, 4, step])
        number = round(self.share * len(ids))
        latest = len(self._train) - self._context - 1
        out = ids.copy()
        for row in range(number):
            places = self._places[rng.integers(len(self._places))]
            start = int(rng.choice(places)) - int(rng.integers(1, self._context))
            start = min(max(start, 0), latest)
            out[row] = self._train[start : start + self._context + 1]
        return out


def _places(corpus: TokenCorpus, word: str) -> npt.NDArray[np.int64]:
    token = corpus.tokenizer.token_to_id(f"Ġ{word}")
    if token is None:
        raise TrainingError(
            f"{word!r} is not a single token of this vocabulary, so it cannot be emphasised. Leave"
            " it out, or use a larger vocabulary."
        )
    positions = np.flatnonzero(corpus.train == token)
    if not len(positions):
        raise TrainingError(f"{word!r} does not occur in the training text. Leave it out.")
    return positions
