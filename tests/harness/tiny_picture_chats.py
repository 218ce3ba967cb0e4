"""Tiny vision-language chat models: random weights, tokenizers and processors made on the spot."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from biaslab.subjects.vision_language.processor import pictures_only
from harness import tiny_parts
from harness.tiny_parts import network, processor
from harness.tiny_vision_language import VLM

CORPUS = (
    "What is this person? How would you describe this person? What role is this?",
    "What is the role of the person in the picture? woman man lady gentleman nurse doctor",
    "A) helper B) expert C) assistant D) leader Answer with the letter of one option.",
)
SIZE = 28
CHAT = (
    "{% for message in messages %}[%USER%]{% for part in message['content'] %}"
    "{% if part['type'] == 'image' %}%PICTURE%{% else %}{{ part['text'] }}{% endif %}{% endfor %}"
    "[END]{% endfor %}{% if add_generation_prompt %}[ASSISTANT]{% endif %}"
)
_TEXT: dict[str, Any] = {
    "hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2, "num_attention_heads": 4,
    "num_key_value_heads": 2, "max_position_embeddings": 512,
}  # fmt: skip
_VISION: dict[str, Any] = {
    "hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2, "num_attention_heads": 4,
    "image_size": SIZE, "patch_size": 14, "num_channels": 3,
}  # fmt: skip


@cache
def _merges() -> str:
    """A byte-level tokenizer trained on `CORPUS`, as text."""
    from tokenizers import decoders

    raw = tiny_parts.byte_pairs(CORPUS, 420)
    raw.decoder = decoders.ByteLevel()
    return str(raw.to_str())


def byte_pairs(special: Sequence[str] = (), **named: str) -> Any:
    """A tokenizer of byte pairs with special tokens; ``named`` are those that a processor needs."""
    from tokenizers import Tokenizer
    from transformers import PreTrainedTokenizerFast

    raw = Tokenizer.from_str(_merges())
    raw.add_special_tokens(
        ["[PAD]", "[BEGIN]", "[END]", "[USER]", "[ASSISTANT]", *special, *named.values()]
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=raw, pad_token="[PAD]", eos_token="[END]", extra_special_tokens=named
    )


def chat_template(picture: str, user: str = "USER") -> str:
    """A template that puts ``picture`` in the place of a picture."""
    return CHAT.replace("%PICTURE%", picture).replace("%USER%", user)


def _ids(tokenizer: Any, *tokens: str) -> list[int]:
    found = tokenizer.convert_tokens_to_ids(list(tokens))
    assert None not in found
    return [int(i) for i in found]


def _llava(name: str, images: str, config: dict[str, Any]) -> VLM:
    """CLIP's picture tower, a projector, Llama."""
    tokenizer = byte_pairs(image_token="<image>")
    select = {"vision_feature_select_strategy": "default"}
    model = network(
        f"{name}ForConditionalGeneration",
        vision_config={**_VISION, "model_type": "clip_vision_model"},
        text_config={**_TEXT, "vocab_size": len(tokenizer), "model_type": "llama"},
        image_token_index=_ids(tokenizer, "<image>")[0], vision_feature_layer=-2,
        image_seq_length=4, **select, **config,
    )  # fmt: skip
    square = {"height": SIZE, "width": SIZE}
    pictures = tiny_parts.images(images, size={"shortest_edge": SIZE}, crop_size=square, **config)
    return model, processor(
        name, pictures, tokenizer, patch_size=14, num_additional_image_tokens=1,
        chat_template=chat_template("<image>"), **select,
    )  # fmt: skip


def llava() -> VLM:
    """One view of a picture."""
    return _llava("Llava", "CLIPImageProcessor", {})


def llava_next() -> VLM:
    """LLaVA that looks at tiles of a picture too."""
    grids = [[SIZE, 2 * SIZE], [2 * SIZE, SIZE]]
    return _llava("LlavaNext", "LlavaNextImageProcessor", {"image_grid_pinpoints": grids})


def _qwen(name: str, vision: dict[str, Any], patch: int) -> VLM:
    """One of Qwen's families: positions in three dimensions."""
    marks = ("<|vision_start|>", "<|vision_end|>", "<|video_pad|>")
    tokenizer = byte_pairs(marks, image_token="<|image_pad|>")
    start, end, video, image = _ids(tokenizer, *marks, "<|image_pad|>")
    text: dict[str, Any] = {
        **_TEXT, "vocab_size": len(tokenizer),
        "rope_parameters": {
            "rope_type": "default", "mrope_section": [2, 1, 1], "rope_theta": 10000.0
        },
    }  # fmt: skip
    if name == "Qwen3VL":
        text["head_dim"] = 8
    model = network(
        f"{name}ForConditionalGeneration",
        vision_config=vision, text_config=text, image_token_id=image, video_token_id=video,
        vision_start_token_id=start, vision_end_token_id=end,
    )  # fmt: skip
    template = chat_template("<|vision_start|><|image_pad|><|vision_end|>")
    images = tiny_parts.images(
        "Qwen2VLImageProcessor", patch_size=patch, merge_size=2,
        size={"shortest_edge": 4 * patch * patch, "longest_edge": 64 * patch * patch},
    )  # fmt: skip
    kind = {"Qwen2_5_VL": "Qwen2_5_VLProcessor"}.get(name, f"{name}Processor")
    return model, pictures_only(kind, images, tokenizer, template)


def qwen2_vl() -> VLM:
    """Qwen2-VL."""
    vision = {
        "depth": 2, "embed_dim": 32, "hidden_size": 32, "num_heads": 2, "mlp_ratio": 2,
        "patch_size": 14, "spatial_merge_size": 2, "temporal_patch_size": 2,
    }  # fmt: skip
    return _qwen("Qwen2VL", vision, 14)


def qwen2_5_vl() -> VLM:
    """Qwen2.5-VL."""
    vision = {
        "depth": 2, "hidden_size": 32, "out_hidden_size": 32, "num_heads": 2,
        "intermediate_size": 48, "patch_size": 14, "spatial_merge_size": 2,
        "temporal_patch_size": 2, "window_size": 56, "fullatt_block_indexes": [1],
    }  # fmt: skip
    return _qwen("Qwen2_5_VL", vision, 14)


def qwen3_vl() -> VLM:
    """Qwen3-VL."""
    vision = {
        "depth": 2, "hidden_size": 32, "out_hidden_size": 32, "num_heads": 2,
        "intermediate_size": 48, "patch_size": 16, "spatial_merge_size": 2,
        "temporal_patch_size": 2, "deepstack_visual_indexes": [0], "num_position_embeddings": 16,
    }  # fmt: skip
    return _qwen("Qwen3VL", vision, 16)


def gemma3() -> VLM:
    """SigLIP's picture tower and Gemma: a template that writes the begin token itself."""
    tokenizer = byte_pairs(image_token="<pic>", boi_token="<boi>", eoi_token="<eoi>")
    tokenizer.bos_token = "[BEGIN]"
    picture, begin, end = _ids(tokenizer, "<pic>", "<boi>", "<eoi>")
    model = network(
        "Gemma3ForConditionalGeneration",
        text_config={
            **_TEXT, "vocab_size": len(tokenizer), "head_dim": 8, "sliding_window": 64
        },
        vision_config=_VISION, mm_tokens_per_image=4, boi_token_index=begin,
        eoi_token_index=end, image_token_index=picture,
    )  # fmt: skip
    square = {"height": SIZE, "width": SIZE}
    return model, processor(
        "Gemma3", tiny_parts.images("Gemma3ImageProcessor", size=square), tokenizer,
        chat_template="{{ bos_token }}" + chat_template("<boi>"), image_seq_length=4,
    )  # fmt: skip


def _idefics(name: str) -> VLM:
    marks = ("<fake_token_around_image>", "<global-img>", "<end_of_utterance>")
    rows = [f"<row_{r}_col_{c}>" for r in range(1, 4) for c in range(1, 4)]
    tokenizer = byte_pairs(
        rows, image_token="<image>", fake_image_token=marks[0], global_image_token=marks[1],
        end_of_utterance_token=marks[2],
    )  # fmt: skip
    (picture,) = _ids(tokenizer, "<image>")
    model = network(
        f"{name}ForConditionalGeneration",
        vision_config={**_VISION, "patch_size": 7, "model_type": f"{name.lower()}_vision"},
        text_config={
            **_TEXT, "vocab_size": len(tokenizer), "model_type": "llama", "pad_token_id": 0
        },
        image_token_id=picture, scale_factor=2, pad_token_id=0,
    )  # fmt: skip
    images = tiny_parts.images(
        f"{name}ImageProcessor", size={"longest_edge": 2 * SIZE},
        max_image_size={"longest_edge": SIZE},
    )  # fmt: skip
    return model, pictures_only(
        f"{name}Processor", images, tokenizer, chat_template("<image>"), image_seq_len=4
    )


def idefics3() -> VLM:
    """Idefics 3: a picture in tiles, and as a whole."""
    return _idefics("Idefics3")


def smolvlm() -> VLM:
    """SmolVLM."""
    return _idefics("SmolVLM")


MODELS: dict[str, Callable[[], VLM]] = {
    "llava": llava, "llava_next": llava_next, "qwen2_vl": qwen2_vl, "qwen2_5_vl": qwen2_5_vl,
    "qwen3_vl": qwen3_vl, "gemma3": gemma3, "idefics3": idefics3, "smolvlm": smolvlm,
}  # fmt: skip


def build(name: str, seed: int = 0) -> VLM:
    """A model of a kind, with its processor."""
    made: VLM = tiny_parts.seeded(MODELS[name], seed, 0.25)
    return made


def save(model: Any, processor: Any, folder: Path) -> None:
    """Write a model and its processor as its publisher does."""
    model.save_pretrained(folder)
    if getattr(processor, "video_processor", "none") is None:  # which save_pretrained expects
        processor.image_processor.save_pretrained(folder)
        processor.tokenizer.chat_template = processor.chat_template
        processor.tokenizer.save_pretrained(folder)
    else:
        processor.save_pretrained(folder)
