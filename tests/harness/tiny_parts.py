"""Parts of tiny models: networks with random weights, and tokenizers made on the spot."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

SIZES: dict[str, Any] = {
    "hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 24,
}  # fmt: skip
"""Of most networks for text."""


def network(name: str, **config: Any) -> Any:
    """A network by the name of its class, such as ``BertForMaskedLM``, with random weights."""
    import transformers

    stem = re.split(r"For[A-Z]|LMHead|MTModel|Model$", name)[0]
    return getattr(transformers, name)(getattr(transformers, f"{stem}Config")(**config))


def seeded(build: Callable[[], Any], seed: int, std: float) -> Any:
    """What a function builds, its weights so far from each other that answers differ.

    A tuple begins with its network.
    """
    import torch

    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        made = build()
        model = made[0] if isinstance(made, tuple) else made
        with torch.no_grad():
            for parameter in model.parameters():
                if parameter.ndim > 1:
                    parameter.normal_(std=std)
    model.eval()
    return made


def spread(model: Any, factor: float) -> Any:
    """A network with larger weights: those of the usual size hardly tell tokens apart."""
    import torch

    with torch.no_grad():
        for weight in model.parameters():
            if weight.ndim > 1:
                weight.mul_(factor)
    return model


def word_pieces(texts: Iterable[str], size: int, special: Sequence[str], **normal: Any) -> Any:
    """A tokenizer as BERT's, the same each time; ``normal`` says how it treats letters."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, trainers

    def with_pieces(vocabulary: dict[str, int] | None = None) -> Any:
        raw = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
        raw.normalizer = normalizers.BertNormalizer(**normal)
        raw.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
        return raw

    texts, learner = list(texts), with_pieces()
    words = {
        word
        for text in texts
        for word, _ in learner.pre_tokenizer.pre_tokenize_str(
            learner.normalizer.normalize_str(text)
        )
    }
    # The trainer numbers letters in the order of a hash, and breaks ties by these numbers.
    inner = sorted({f"##{letter}" for word in words for letter in word[1:]})
    trainer = trainers.WordPieceTrainer(
        vocab_size=size, special_tokens=[*special, *inner], show_progress=False, min_frequency=1
    )
    learner.train_from_iterator(texts, trainer)
    return with_pieces(learner.get_vocab())


def byte_pairs(texts: Iterable[str], size: int, special: Sequence[str] = ()) -> Any:
    """A tokenizer as GPT-2's."""
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    raw = Tokenizer(models.BPE())
    raw.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    trainer = trainers.BpeTrainer(
        vocab_size=size, special_tokens=list(special), show_progress=False,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
    )  # fmt: skip
    raw.train_from_iterator(texts, trainer)
    return raw


def unigrams(texts: Iterable[str], size: int, special: Sequence[str], unknown: str) -> Any:
    """A tokenizer as SentencePiece's, the same each time; spaces begin words."""
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    learner = Tokenizer(models.Unigram())
    learner.pre_tokenizer = pre_tokenizers.Metaspace()
    trainer = trainers.UnigramTrainer(
        vocab_size=size, special_tokens=list(special), unk_token=unknown, show_progress=False
    )
    learner.train_from_iterator(texts, trainer)
    # The trainer reads texts in the order of a hash, which moves scores a little.
    learned = json.loads(learner.to_str())["model"]["vocab"][len(special) :]
    pieces = sorted(((piece, round(score, 2)) for piece, score in learned), key=_by_score)
    vocabulary = [*((token, 0.0) for token in special), *pieces]
    raw = Tokenizer(models.Unigram(vocabulary, special.index(unknown)))
    raw.pre_tokenizer = pre_tokenizers.Metaspace()
    return raw


def _by_score(piece: tuple[str, float]) -> tuple[float, str]:
    return -piece[1], piece[0]


def whole_words(words: Iterable[str], unknown: str) -> Any:
    """A tokenizer with a token for each of some words, numbered in their order."""
    from tokenizers import Tokenizer, models, pre_tokenizers

    numbers = {word: number for number, word in enumerate(dict.fromkeys(words))}
    raw = Tokenizer(models.WordLevel(numbers, unk_token=unknown))
    raw.pre_tokenizer = pre_tokenizers.Whitespace()
    return raw


def fast(raw: Any, around: str = "", **named: str) -> Any:
    """A tokenizer for transformers.

    Parameters
    ----------
    around : str
        What stands around a text ``$A``, such as ``"[CLS] $A [SEP]"``.
    **named : str
        Special tokens by what they are, such as ``eos="</s>"``.
    """
    from tokenizers import processors
    from transformers import PreTrainedTokenizerFast

    if around:
        ends = [(token, raw.token_to_id(token)) for token in around.split() if token != "$A"]
        raw.post_processor = processors.TemplateProcessing(single=around, special_tokens=ends)
    tokens = {f"{name}_token": token for name, token in named.items()}
    return PreTrainedTokenizerFast(tokenizer_object=raw, **tokens)


def of_bert(raw: Any, cls: str = "[CLS]", sep: str = "[SEP]", **named: str) -> Any:
    """A tokenizer for a masked model, with the names of BERT's special tokens."""
    names = {"mask": "[MASK]", "unk": "[UNK]", "pad": "[PAD]", **named}
    return fast(raw, f"{cls} $A {sep}", cls=cls, sep=sep, **names)


def images(name: str, **options: Any) -> Any:
    """The image processor of this name that needs no more than Pillow."""
    import transformers

    return (getattr(transformers, f"{name}Pil", None) or getattr(transformers, name))(**options)


def processor(name: str, pictures: Any, tokenizer: Any, **options: Any) -> Any:
    """The processor of pictures and texts of a family of models."""
    import transformers

    made = getattr(transformers, f"{name}Processor")
    return made(image_processor=pictures, tokenizer=tokenizer, **options)


def save(made: tuple[Any, Any], folder: Path) -> tuple[Any, Any]:
    """Write a model and its tokenizer or processor into a folder; return both."""
    for part in made:
        part.save_pretrained(folder)
    return made
