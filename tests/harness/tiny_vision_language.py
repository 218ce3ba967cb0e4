"""Tiny vision-language models of all kinds: random weights, real processors made on the spot."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

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
        single="[CLS] $A [SEP]",
        special_tokens=[(t, vocabulary[t]) for t in ("[CLS]", "[SEP]")],
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


def clip() -> VLM:
    """Two towers and an angle."""
    from transformers import CLIPConfig, CLIPModel, CLIPProcessor

    tokenizer = whole_words()
    text = {
        **_TOWER, "vocab_size": len(tokenizer), "max_position_embeddings": 24, "bos_token_id": 1,
        "eos_token_id": 3, "pad_token_id": 0, "projection_dim": 16,
    }  # fmt: skip
    config = CLIPConfig(
        text_config=text, vision_config={**_VISION, "projection_dim": 16}, projection_dim=16
    )
    images = _image_processor("CLIPImageProcessor")(
        size={"shortest_edge": SIZE}, crop_size={"height": SIZE, "width": SIZE}
    )
    return CLIPModel(config), CLIPProcessor(image_processor=images, tokenizer=tokenizer)


def siglip() -> VLM:
    """Two towers, an angle, and a bias; texts are filled up to full length."""
    from transformers import SiglipConfig, SiglipModel, SiglipProcessor

    tokenizer = whole_words(model_input_names=["input_ids"])
    text = {
        **_TOWER, "vocab_size": len(tokenizer), "max_position_embeddings": 12, "pad_token_id": 0,
        "bos_token_id": 1, "eos_token_id": 3, "projection_size": 32,
    }  # fmt: skip
    config = SiglipConfig(text_config=text, vision_config=_VISION)
    images = _image_processor("SiglipImageProcessor")(**_IMAGES)
    return SiglipModel(config), SiglipProcessor(image_processor=images, tokenizer=tokenizer)


def siglip2() -> VLM:
    """As SigLIP, over pictures of any shape, cut into patches beforehand."""
    from transformers import Siglip2Config, Siglip2Model, Siglip2Processor

    tokenizer = whole_words()
    text = {
        **_TOWER, "vocab_size": len(tokenizer), "max_position_embeddings": 64, "pad_token_id": 0,
        "bos_token_id": 1, "eos_token_id": 3, "projection_size": 32,
    }  # fmt: skip
    config = Siglip2Config(
        text_config=text, vision_config={**_TOWER, "num_patches": 16, "patch_size": 8}
    )
    images = _image_processor("Siglip2ImageProcessor")(patch_size=8, max_num_patches=16)
    return Siglip2Model(config), Siglip2Processor(image_processor=images, tokenizer=tokenizer)


def altclip() -> VLM:
    """Two towers and an angle; that of texts counts places from behind its padding."""
    from transformers import AltCLIPConfig, AltCLIPModel, AltCLIPProcessor

    tokenizer = whole_words()
    text = {
        **_TOWER, "vocab_size": len(tokenizer), "max_position_embeddings": 24, "bos_token_id": 1,
        "eos_token_id": 3, "pad_token_id": 0, "project_dim": 16,
    }  # fmt: skip
    config = AltCLIPConfig(
        text_config=text, vision_config={**_VISION, "projection_dim": 16}, projection_dim=16
    )
    images = _image_processor("CLIPImageProcessor")(
        size={"shortest_edge": SIZE}, crop_size={"height": SIZE, "width": SIZE}
    )
    return AltCLIPModel(config), AltCLIPProcessor(images, tokenizer)


def vilt() -> VLM:
    """One tower for both, and a fixed list of answers."""
    from transformers import ViltConfig, ViltForQuestionAnswering, ViltProcessor

    tokenizer = word_pieces()
    config = ViltConfig(
        **_VISION, vocab_size=len(tokenizer), max_position_embeddings=40,
        id2label=dict(enumerate(ANSWERS)), label2id={a: i for i, a in enumerate(ANSWERS)},
    )  # fmt: skip
    images = _image_processor("ViltImageProcessor")(size={"shortest_edge": SIZE}, size_divisor=8)
    return (
        ViltForQuestionAnswering(config),
        ViltProcessor(image_processor=images, tokenizer=tokenizer),
    )


def blip() -> VLM:
    """An encoder of pictures, one of questions, and a decoder of answers."""
    from transformers import BlipConfig, BlipForQuestionAnswering, BlipProcessor

    tokenizer = word_pieces()
    text = {
        **_TOWER, "vocab_size": len(tokenizer), "max_position_embeddings": 40, "bos_token_id": 5,
        "eos_token_id": 3, "sep_token_id": 3, "pad_token_id": 0, "encoder_hidden_size": 32,
        "projection_dim": 16,
    }  # fmt: skip
    config = BlipConfig(
        text_config=text, vision_config={**_VISION, "projection_dim": 16}, projection_dim=16
    )
    images = _image_processor("BlipImageProcessor")(**_IMAGES)
    return (
        BlipForQuestionAnswering(config),
        BlipProcessor(image_processor=images, tokenizer=tokenizer),
    )


def git() -> VLM:
    """A decoder that goes on with a text after the picture."""
    from transformers import GitConfig, GitForCausalLM, GitProcessor

    tokenizer = word_pieces()
    config = GitConfig(
        **_TOWER, vision_config=_VISION, vocab_size=len(tokenizer), max_position_embeddings=40,
        bos_token_id=2, eos_token_id=3, pad_token_id=0,
    )  # fmt: skip
    images = _image_processor("CLIPImageProcessor")(
        size={"shortest_edge": SIZE}, crop_size={"height": SIZE, "width": SIZE}
    )
    return GitForCausalLM(config), GitProcessor(image_processor=images, tokenizer=tokenizer)


MODELS: dict[str, Callable[[], VLM]] = {
    "clip": clip, "siglip": siglip, "siglip2": siglip2, "altclip": altclip, "vilt": vilt,
    "blip": blip, "git": git,
}  # fmt: skip


def build(name: str, seed: int = 0) -> VLM:
    """A model of a kind whose weights are far enough from each other that answers differ."""
    import torch

    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model, processor = MODELS[name]()
        with torch.no_grad():
            for parameter in model.parameters():
                if parameter.ndim > 1:
                    parameter.normal_(std=0.25)
    return model.eval(), processor


def _image_processor(name: str) -> Any:
    """The image processor of this name that needs no more than Pillow."""
    import transformers

    return getattr(transformers, f"{name}Pil", None) or getattr(transformers, name)
