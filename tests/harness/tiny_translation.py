"""Tiny translation models: random weights, real tokenizers trained on the spot."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

from harness.tiny_parts import network, seeded

SENTENCES = (
    "She is a nurse.", "He is a plumber.", "They are teachers.", "It is a doctor.",
    "Ella es enfermera.", "Él es fontanero.", "Es un médico.", "Elle est professeur.",
)  # fmt: skip
_SIZES: dict[str, Any] = {
    "d_model": 16, "encoder_layers": 1, "decoder_layers": 1, "encoder_attention_heads": 2,
    "decoder_attention_heads": 2, "encoder_ffn_dim": 16, "decoder_ffn_dim": 16,
    "max_position_embeddings": 32,
}  # fmt: skip
NLLB_LANGUAGES = ["eng_Latn", "spa_Latn", "fra_Latn", "hin_Deva"]


def marian(folder: Path, source: str = "en", target: str = "es", seed: int = 0) -> Path:
    """A Marian model of one pair, saved."""
    import sentencepiece
    from transformers import MarianTokenizer

    folder.mkdir()
    pieces = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(SENTENCES * 4), model_writer=pieces, vocab_size=60,
        hard_vocab_limit=False, minloglevel=2, num_threads=1,
    )  # fmt: skip
    for name in ("source.spm", "target.spm"):
        (folder / name).write_bytes(pieces.getvalue())
    model = sentencepiece.SentencePieceProcessor(model_proto=pieces.getvalue())
    words = ["</s>", "<unk>", *(model.id_to_piece(i) for i in range(3, len(model))), "<pad>"]
    vocabulary = {word: i for i, word in enumerate(dict.fromkeys(words))}
    (folder / "vocab.json").write_text(json.dumps(vocabulary))
    tokenizer = MarianTokenizer(
        str(folder / "source.spm"), str(folder / "target.spm"), str(folder / "vocab.json"),
        source_lang=source, target_lang=target,
    )  # fmt: skip
    padding = vocabulary["<pad>"]
    config = dict(
        **_SIZES, vocab_size=len(vocabulary), pad_token_id=padding, eos_token_id=0,
        decoder_start_token_id=padding, forced_eos_token_id=0,
    )  # fmt: skip
    seeded(lambda: network("MarianMTModel", **config), seed, 0.4).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def nllb(folder: Path, seed: int = 0) -> Path:
    """A model of many languages with NLLB's way to name them, saved."""
    from tokenizers import Tokenizer, models, trainers
    from transformers import NllbTokenizer

    special = ["<s>", "<pad>", "</s>", "<unk>"]
    raw = Tokenizer(models.BPE(unk_token="<unk>"))
    trainer = trainers.BpeTrainer(vocab_size=80, special_tokens=special, show_progress=False)
    raw.train_from_iterator((text.replace(" ", "▁") for text in SENTENCES), trainer)
    found = json.loads(raw.to_str())["model"]
    merges = [tuple(merge) for merge in found["merges"]]
    tokenizers: Any = NllbTokenizer
    tokenizer = tokenizers(
        vocab=found["vocab"], merges=merges, extra_special_tokens=NLLB_LANGUAGES,
        src_lang="eng_Latn", tgt_lang="spa_Latn",
    )  # fmt: skip
    config = dict(
        **_SIZES, vocab_size=len(tokenizer), pad_token_id=1, bos_token_id=0, eos_token_id=2,
        decoder_start_token_id=2,
    )  # fmt: skip
    model = seeded(lambda: network("M2M100ForConditionalGeneration", **config), seed, 0.4)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder
