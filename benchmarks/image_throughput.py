"""Pictures through a vision-language model: how much of the bare forward pass is left.

A CLIP model of the size of ViT-B/32 (151 million parameters, random weights, float32 on the CPU) is
asked for the probabilities of four concepts under three captions. Pictures are decoded beforehand,
none is known to the model, and its texts are. The reference is the bare forward pass of the picture
tower over the same pictures in the same batches, made ready beforehand: so our time includes the
model's own image processor, the cache and the probabilities, and the reference none of it. Both in
turns, the median counts. Photographs of 1,024 pixels are shrunk by the image processor, which takes
longer than anything else that we do; that row is only reported.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks import machine
from benchmarks.findings import Figure, Findings
from benchmarks.timing import in_turns
from biaslab.subjects import VisionLanguageModel
from biaslab.subjects.vision_language.pictures import PICTURES_AT_ONCE, Picture, as_picture, as_seen
from harness.tiny_parts import images, network, processor
from harness.tiny_vision_language import word_pieces

PICTURES = {"cpu": 48, "cuda": 1024}
ROUNDS, LEAST, SAME = 3, 0.95, 1e-3
NAME = "CLIP of the size of ViT-B/32"
LONGEST = 77
"""Tokens of a caption."""
CONCEPTS = ("helper", "assistant", "expert", "leader")


def measure() -> Findings:
    """On the CPU, then on a GPU where there is one."""
    import torch

    figures = compared("cpu", PICTURES["cpu"])
    if torch.cuda.is_available():
        figures += compared("cuda", PICTURES["cuda"])
    return Findings(tuple(figures), (f"{torch.get_num_threads()} threads; {NAME}.",))


def compared(device: str, count: int) -> list[Figure]:
    """Rates at two sizes of pictures, and whether the bare pass gives the same embeddings."""
    vlm = vit_b(device)
    where = "" if device == "cpu" else f", on {machine.gpu()}"
    figures = []
    for size in (224, 1024):
        shown = pictures(count, size)
        ours, bare = answered(vlm, shown), forward(vlm, shown)
        vlm.probabilities(shown[:2], CONCEPTS)  # what is made at the first call
        taken = in_turns({"ours": ours, "bare": bare}, ROUNDS)
        share = taken["bare"] / taken["ours"]
        goal = size == 224
        figures.append(
            Figure(
                f"pictures per second, decoded to {size:,} pixels{where}",
                f"{count / taken['ours']:.1f} / s",
                f"{LEAST:.0%} of the bare pass" if goal else "",
                share >= LEAST if goal else None,
                f"bare forward pass {count / taken['bare']:.1f} / s",
                f"{share:.1%} of it",
            )
        )
        if size == 224:
            apart = furthest(vlm, shown, bare)
            what = f"largest difference of a cosine from the bare pass{where}"
            figures.append(Figure(what, f"{apart:.1g}", f"{SAME:g}", apart <= SAME))
    return figures


def vit_b(device: str) -> VisionLanguageModel:
    """The model, in float32 on a CPU and in float16 on a GPU."""
    import torch

    tokenizer = word_pieces(LONGEST)
    texts = {
        "vocab_size": 49_408, "max_position_embeddings": LONGEST,
        "bos_token_id": tokenizer.cls_token_id, "eos_token_id": tokenizer.sep_token_id,
        "pad_token_id": tokenizer.pad_token_id,
    }  # fmt: skip
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        model = network("CLIPModel", text_config=texts)
    if device != "cpu":
        model = model.half()
    made = processor("CLIP", images("CLIPImageProcessor"), tokenizer)
    return VisionLanguageModel.of(model, made, device=device, name=NAME)


def pictures(count: int, size: int) -> list[Picture]:
    """Pictures of coloured squares, decoded, no two the same."""
    rng = np.random.default_rng(size)
    coarse = rng.integers(0, 256, (count, 8, 8, 3), dtype=np.uint8)
    places = np.arange(size) * 8 // size
    return [as_picture(one[places][:, places]) for one in coarse]


def answered(vlm: VisionLanguageModel, shown: list[Picture]) -> Callable[[], Any]:
    """Probabilities of pictures that are new to the model."""

    def ask() -> Any:
        vlm.forget_pictures()
        return vlm.probabilities(shown, CONCEPTS)

    return ask


def forward(vlm: VisionLanguageModel, shown: list[Picture]) -> Callable[[], Any]:
    """The bare pass of the picture tower, over inputs that are ready."""
    import torch

    at_once = PICTURES_AT_ONCE["cpu" if vlm.device == "cpu" else "cuda"]
    ready = [
        as_seen(vlm, shown[at : at + at_once])["pixel_values"].to(vlm.model.dtype)
        for at in range(0, len(shown), at_once)
    ]

    def run() -> Any:
        with torch.inference_mode():
            seen = [
                vlm.model.get_image_features(pixel_values=batch.to(vlm.device)).pooler_output.cpu()
                for batch in ready
            ]
        return torch.cat(seen)

    return run


def furthest(vlm: VisionLanguageModel, shown: list[Picture], bare: Callable[[], Any]) -> float:
    """How far scores from the bare pass are from ours, as cosines."""
    import torch

    unit = torch.nn.functional.normalize(bare().float(), dim=-1).numpy()
    family: Any = vlm.family
    with torch.inference_mode():
        captions = family.prepare(CONCEPTS, vlm.templates)
    wanted = family.scores_of(unit, captions)
    scale = float(vlm.model.logit_scale.detach().exp())
    return float(np.abs(vlm.answers(shown, CONCEPTS).log_scores - wanted).max()) / scale
