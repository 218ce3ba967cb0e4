"""Tiny vision-language models of all kinds: random weights, real processors made on the spot."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from harness.tiny_parts import images, network, processor, seeded

WORDS = (
    "a", "an", "the", "portrait", "of", "this", "person", "is", "at", "work", "what", "role", "in",
    "picture", "how", "would", "you", "describe", "nurse", "helper", "expert", "assistant",
    "leader", "woman", "man", "photo", ".", "?", ",",
)  # fmt: skip
SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "[DEC]")
ANSWERS = ("helper", "expert", "yes", "no", "nurse", "Dining Room", "man", "woman")
VLM = tuple[Any, Any]
SIZE = 32
_TOWER: dict[str, Any] = {
    "hidden_size": 32, "intermediate_size": 37, "num_hidden_layers": 2, "num_attention_heads": 4,
}  # fmt: skip
_JOINT: dict[str, Any] = {"projection_dim": 16}
_VISION: dict[str, Any] = {**_TOWER, "image_size": SIZE, "patch_size": 8, "num_channels": 3}
_IMAGES: dict[str, Any] = {
    "size": {"height": SIZE, "width": SIZE}, "image_mean": [0.5] * 3, "image_std": [0.25] * 3,
}  # fmt: skip


def word_pieces(longest: int = 40) -> Any:
    """A tokenizer as BERT's, of whole words and their letters."""
    import transformers
    from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

    letters = "abcdefghijklmnoprstuvwxyz"
    pieces = [*SPECIAL, *WORDS, *letters, *(f"##{letter}" for letter in letters)]
    vocabulary = {piece: i for i, piece in enumerate(dict.fromkeys(pieces))}
    raw = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    raw.normalizer = normalizers.BertNormalizer(lowercase=True)
    raw.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    raw.decoder = decoders.WordPiece()
    raw.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[(t, vocabulary[t]) for t in ("[CLS]", "[SEP]")]
    )
    tokenizers: Any = transformers
    return tokenizers.BertTokenizerFast(
        tokenizer_object=raw, unk_token="[UNK]", pad_token="[PAD]", cls_token="[CLS]",
        sep_token="[SEP]", mask_token="[MASK]", bos_token="[DEC]", model_max_length=longest,
    )  # fmt: skip


def whole_words(**options: Any) -> Any:
    """A tokenizer of whole words, with both ends, as portrait-clip's."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    special = ("<pad>", "<start>", "<unknown>", "<end>")
    ids = {word: i for i, word in enumerate((*special, *WORDS))}
    raw = Tokenizer(models.WordLevel(ids, unk_token="<unknown>"))
    raw.normalizer = normalizers.Lowercase()
    raw.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    raw.post_processor = processors.TemplateProcessing(
        single="<start> $A <end>", special_tokens=[("<start>", 1), ("<end>", 3)]
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=raw, bos_token="<start>", eos_token="<end>", pad_token="<pad>",
        unk_token="<unknown>", model_max_length=24, **options,
    )  # fmt: skip


def _cropped() -> Any:
    square = {"height": SIZE, "width": SIZE}
    return images("CLIPImageProcessor", size={"shortest_edge": SIZE}, crop_size=square)


def _towers(
    name: str, pictures: Any, places: int, text: dict[str, Any], vision: dict[str, Any],
    tokenizer: Any = None, **config: Any,
) -> VLM:  # fmt: skip
    """A tower of texts and one of pictures."""
    tokenizer = tokenizer or whole_words()
    text = {
        **_TOWER, "vocab_size": len(tokenizer), "max_position_embeddings": places,
        "bos_token_id": 1, "eos_token_id": 3, "pad_token_id": 0, **text,
    }  # fmt: skip
    model = network(f"{name}Model", text_config=text, vision_config=vision, **config)
    return model, processor(name, pictures, tokenizer)


def clip() -> VLM:
    """Two towers and an angle."""
    return _towers("CLIP", _cropped(), 24, _JOINT, {**_VISION, **_JOINT}, **_JOINT)


def siglip() -> VLM:
    """Two towers, an angle, and a bias; texts are filled up to full length."""
    return _towers(
        "Siglip", images("SiglipImageProcessor", **_IMAGES), 12, {"projection_size": 32}, _VISION,
        whole_words(model_input_names=["input_ids"]),
    )  # fmt: skip


def siglip2() -> VLM:
    """As SigLIP, over pictures of any shape, cut into patches beforehand."""
    return _towers(
        "Siglip2", images("Siglip2ImageProcessor", patch_size=8, max_num_patches=16), 64,
        {"projection_size": 32}, {**_TOWER, "num_patches": 16, "patch_size": 8},
    )  # fmt: skip


def altclip() -> VLM:
    """Two towers and an angle; that of texts counts places from behind its padding."""
    return _towers("AltCLIP", _cropped(), 24, {"project_dim": 16}, {**_VISION, **_JOINT}, **_JOINT)


def vilt() -> VLM:
    """One tower for both, and a fixed list of answers."""
    tokenizer = word_pieces()
    model = network(
        "ViltForQuestionAnswering", **_VISION, vocab_size=len(tokenizer),
        max_position_embeddings=40, id2label=dict(enumerate(ANSWERS)),
        label2id={a: i for i, a in enumerate(ANSWERS)},
    )  # fmt: skip
    pictures = images("ViltImageProcessor", size={"shortest_edge": SIZE}, size_divisor=8)
    return model, processor("Vilt", pictures, tokenizer)


def blip() -> VLM:
    """An encoder of pictures, one of questions, and a decoder of answers."""
    tokenizer = word_pieces()
    text = {
        **_TOWER, "vocab_size": len(tokenizer), "max_position_embeddings": 40, "bos_token_id": 5,
        "eos_token_id": 3, "sep_token_id": 3, "pad_token_id": 0, "encoder_hidden_size": 32,
        **_JOINT,
    }  # fmt: skip
    model = network(
        "BlipForQuestionAnswering", text_config=text, vision_config={**_VISION, **_JOINT}, **_JOINT
    )
    return model, processor("Blip", images("BlipImageProcessor", **_IMAGES), tokenizer)


def git() -> VLM:
    """A decoder that goes on with a text after the picture."""
    tokenizer = word_pieces()
    model = network(
        "GitForCausalLM", **_TOWER, vision_config=_VISION, vocab_size=len(tokenizer),
        max_position_embeddings=40, bos_token_id=2, eos_token_id=3, pad_token_id=0,
    )  # fmt: skip
    return model, processor("Git", _cropped(), tokenizer)


def blip2() -> VLM:
    """An encoder of pictures, queries of it, and a decoder that goes on from these."""
    tokenizer = whole_words(additional_special_tokens=["<image>"], image_token="<image>")
    text = {
        "model_type": "opt", "hidden_size": 32, "ffn_dim": 37, "num_hidden_layers": 2,
        "num_attention_heads": 4, "word_embed_proj_dim": 32, "vocab_size": len(tokenizer),
        "max_position_embeddings": 44, "bos_token_id": 1, "eos_token_id": 3, "pad_token_id": 0,
    }  # fmt: skip
    model = network(
        "Blip2ForConditionalGeneration", text_config=text, vision_config=_VISION,
        qformer_config={**_TOWER, "vocab_size": 10, "encoder_hidden_size": 32},
        num_query_tokens=4, image_token_index=tokenizer.convert_tokens_to_ids("<image>"),
    )  # fmt: skip
    pictures = images("BlipImageProcessor", **_IMAGES)
    return model, processor("Blip2", pictures, tokenizer, num_query_tokens=4)


MODELS: dict[str, Callable[[], VLM]] = {
    "clip": clip, "siglip": siglip, "siglip2": siglip2, "altclip": altclip, "vilt": vilt,
    "blip": blip, "blip2": blip2, "git": git,
}  # fmt: skip


def build(name: str, seed: int = 0) -> VLM:
    """A model of a kind, with its processor."""
    made: VLM = seeded(MODELS[name], seed, 0.25)
    return made
