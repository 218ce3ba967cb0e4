"""Tokenizer of the small language models: byte-level BPE, lower-cased.

Lower-cased, because eight thousand tokens are few and "Nurse" and "nurse" would share them.
Byte-level, because no text then has an unknown token. Accents and curly quotes go the way of
capitals.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from biaslab_train.model_files import write_tokenizer

if TYPE_CHECKING:
    from tokenizers import Tokenizer

BEGIN, END, PAD, MASK = "<s>", "</s>", "<pad>", "<mask>"
SPECIAL = (PAD, BEGIN, END, MASK)
"""In the order of their ids; END follows every paragraph, BEGIN precedes it."""

ALWAYS_WHOLE = (
    "he", "him", "his", "himself", "she", "her", "hers", "herself",
    "they", "them", "their", "theirs", "themselves", "man", "woman", "men", "women",
)  # fmt: skip
LEAST_COUNT_OF_WHOLE = 50
"""Words of the catalogue that are rarer in the corpus stay in pieces, which are better known."""


def train_tokenizer(
    texts: Iterable[str], size: int, whole: Sequence[str] = (), boost: int = 0
) -> Tokenizer:
    """Train a tokenizer.

    Parameters
    ----------
    texts : iterable of str
        Training text.
    size : int
        Tokens of the vocabulary, special tokens counted.
    whole : sequence of str
        Lower-case words that should be one token each; they are read ``boost`` times more.
    boost : int
        Makes the merges of those words frequent enough.

    Notes
    -----
    `BEGIN` and `END` are not added to a text by this tokenizer: see `for_kind`.
    """
    from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.BPE())
    tokenizer.normalizer = normalizers.Sequence(
        [
            normalizers.Replace(Regex("[\u2018\u2019]"), "'"),
            normalizers.Replace(Regex("[\u201c\u201d]"), '"'),
            normalizers.NFD(),
            normalizers.StripAccents(),
            normalizers.Lowercase(),
        ]
    )
    # Years and quantities would fill the vocabulary: digits go in twos.
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.ByteLevel(add_prefix_space=True),
            pre_tokenizers.Split(Regex("Ġ?[0-9]{1,2}"), "isolated"),
            # "<mask>." and "nurse ." are read like "nurse.": text after a special token is given
            # a space as if it began a text.
            pre_tokenizers.Split(Regex("^Ġ(?=[.,;:!?)])"), "removed"),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=size,
        special_tokens=list(SPECIAL),
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(_with_whole(texts, whole, boost), trainer)
    return tokenizer


def words_to_keep_whole(counts: Counter[str], least: int = LEAST_COUNT_OF_WHOLE) -> list[str]:
    """Return frequent words of the catalogue in a corpus, and the pronouns."""
    from biaslab import specs

    words = set()
    for name in specs.catalog()["name"]:
        spec = specs.get(name)
        lists = [*spec.lists.values(), *spec.cue_pairs]
        words |= {term.lower() for terms in lists for term in terms if term.isalpha()}
    return sorted({word for word in words if counts[word] >= least} | set(ALWAYS_WHOLE))


def for_kind(tokenizer: Tokenizer, kind: str) -> Tokenizer:
    """Return the tokenizer with BEGIN (causal) or BEGIN and END (masked)."""
    from tokenizers import AddedToken, Tokenizer
    from tokenizers.processors import TemplateProcessing

    copy: Tokenizer = Tokenizer.from_str(tokenizer.to_str())
    ids = [(token, copy.token_to_id(token)) for token in (BEGIN, END)]
    end = "" if kind == "clm" else f" {END}"
    copy.post_processor = TemplateProcessing(
        single=f"{BEGIN} $A{end}", pair=f"{BEGIN} $A {END} $B{end}", special_tokens=ids
    )
    # "She saw <mask>.": the space before the mask belongs to the hidden word.
    copy.add_special_tokens([AddedToken(MASK, lstrip=True, special=True)])
    return copy


def save_tokenizer(tokenizer: Tokenizer, kind: str, context: int, folder: Path) -> None:
    """Write tokenizer files for ``AutoTokenizer``."""
    special = {"bos_token": BEGIN, "eos_token": END, "pad_token": PAD}
    if kind == "mlm":
        special |= {"cls_token": BEGIN, "sep_token": END, "mask_token": MASK}
    write_tokenizer(for_kind(tokenizer, kind), context, folder, **special)


def _with_whole(texts: Iterable[str], whole: Sequence[str], boost: int) -> Iterator[str]:
    yield from texts
    line = " ".join(whole)
    for _ in range(boost if line else 0):
        yield line
