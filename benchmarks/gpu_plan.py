"""Plan for a GPU on paper: memory of large models, batches, and the time of the CrowS-Pairs.

``python -m benchmarks.gpu_plan`` writes the section of docs/subjects/models.md. Nothing in it is
measured. Parameters are those of transformers' classes under published configurations, made without
memory; tokens are counted on the sentences, in the rows that the scorer makes of them.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import sentence_scoring
from benchmarks.published_sizes import PLANNED, PUBLISHED
from biaslab.probes.sentences.scorers import SCORERS
from biaslab.subjects.language_model.model import LanguageModel, LanguageModelKind
from biaslab.subjects.language_model.reading import TOKENS_AT_ONCE
from biaslab.subjects.language_model.rows import shared_rows
from biaslab.subjects.pretrained.facts import bytes_per_token, text_config
from harness.tiny_parts import network

PAGE = Path(__file__).resolve().parents[1] / "docs" / "subjects" / "models.md"
BEGIN = "<!-- written by `python -m benchmarks.gpu_plan` -->"
END = "<!-- end of the plan for a GPU -->"
BYTES = {"4 bit": 0.5 + 4 / 64, "8 bit": 1.0, "bfloat16": 2.0}
"""Bytes per weight of a linear layer; nf4 keeps a float32 for each 64 weights."""
SHARES = {"4 bit": 0.20, "8 bit": 0.20, "bfloat16": 0.35}
"""Assumed share of the peak rate that a forward pass reaches."""
GPUS = {"24 GB, 165 TFLOP/s": (24e9, 165e12), "80 GB, 989 TFLOP/s": (80e9, 989e12)}
"""Memory, and peak rate of dense bfloat16 products: an RTX 4090, and an H100 (SXM)."""
BEYOND = 1e9
"""Assumed memory of the driver and of torch itself."""
SENTENCES = 2 * 1_508
GB = 1e9


@dataclass(frozen=True)
class Plan:
    """A checkpoint of `PLANNED` or `PUBLISHED`, its class and its number of parameters."""

    name: str
    family: str
    parameters: int


PLANS = (
    Plan("mistralai/Mistral-7B-v0.3", "Mistral", 7_248_023_552),
    Plan("meta-llama/Llama-3.1-8B", "Llama", 8_030_261_248),
    Plan("Qwen/Qwen3-8B", "Qwen3", 8_190_735_360),
    Plan("google/gemma-2-9b", "Gemma2", 9_241_705_984),
    Plan("Qwen/Qwen3-32B", "Qwen3", 32_762_123_264),
    Plan("meta-llama/Llama-3.1-70B", "Llama", 70_553_706_496),
)


@dataclass(frozen=True)
class Sizes:
    """Weights of a model, counted.

    - `linear`: of the linear layers without the head, which bitsandbytes stores smaller.
    - `active`: of all layers that a token of text passes on its way to the head.
    - `head`: of the head.
    - `total`: of all, those of a shared head and input table once.
    - `token_bytes`: memory of a token on its way.
    """

    linear: int
    active: int
    head: int
    total: int
    token_bytes: int


def sizes_of(plan: Plan) -> Sizes:
    """Count the weights of a model that is made without memory."""
    return sizes_of_class(
        f"{plan.family}ForCausalLM", f"{plan.family}Config", {**PUBLISHED, **PLANNED}[plan.name]
    )


def sizes_of_class(architecture: str, config: str, arguments: Mapping[str, Any]) -> Sizes:
    """Count the weights of a model of a class of transformers that is made without memory.

    - `architecture`, `config`: names of the classes of model and configuration.
    - `arguments`: of the configuration.
    """
    import torch

    library: Any = importlib.import_module("transformers")
    turned = importlib.import_module("transformers.pytorch_utils").Conv1D
    with torch.device("meta"):
        model = getattr(library, architecture)(getattr(library, config)(**arguments))
    model = model.to(torch.bfloat16)
    head = model.get_output_embeddings()
    layers = {
        name: module
        for name, module in model.named_modules()
        if isinstance(module, torch.nn.Linear | turned) and module is not head
    }
    # bitsandbytes leaves classes of a model's own, such as Falcon's, as they are.
    linear = sum(
        module.weight.numel()
        for module in layers.values()
        if type(module) in (torch.nn.Linear, turned)
    )
    text = text_config(model)
    passed = sum(
        module.weight.numel()
        for name, module in layers.items()
        if not re.search(r"vision|multi_modal|experts", name)
    )
    experts = sum(each.numel() for name, each in model.named_parameters() if "experts" in name)
    chosen = getattr(text, "num_experts_per_tok", 0) or 0
    of = getattr(text, "num_local_experts", None) or getattr(text, "num_experts", None) or 1
    # ALBERT sends a token through the same layers again and again.
    rounds = text.num_hidden_layers if hasattr(text, "num_hidden_groups") else 1
    return Sizes(
        linear, passed * rounds + experts * chosen // of, head.weight.numel(),
        model.num_parameters(), bytes_per_token(model),
    )  # fmt: skip


def weight_bytes(sizes: Sizes, precision: str) -> float:
    """Return the memory of a model's weights; what is not in linear layers stays in bfloat16."""
    return sizes.linear * BYTES[precision] + 2 * (sizes.total - sizes.linear)


def tokens_at_once(sizes: Sizes, weights: float, memory: float) -> int:
    """Return the tokens of a batch: half of the free memory, down to a power of two megabytes."""
    free = memory - weights - BEYOND
    if free <= 0:
        return 0
    allowed = 2 ** int(np.log2(max(0.5 * free / 1e6, 64)))
    return min(TOKENS_AT_ONCE["cuda"], int(0.4 * allowed * 1e6 / sizes.token_bytes))


@dataclass(frozen=True)
class Counts:
    """Tokens of all sentences of the CrowS-Pairs.

    - `alone`, `shared`: that go through a model: each text alone, and in rows with shared
      beginnings. Of a masked model each sentence is as many texts as it has tokens, one masked in
      each.
    - `reads`: places that the head reads.
    - `stands_in`: whether made-up sentences stand in for them.
    """

    alone: int
    shared: int
    reads: int
    stands_in: bool


def counted(kind: LanguageModelKind = "clm") -> Counts:
    """Count tokens as the scorer of (pseudo-)log-likelihoods reads them."""
    texts, stands_in = sentence_scoring.sentences(SENTENCES)
    tokenizer = sentence_scoring.tokenizer_of(kind, texts)
    model = (
        network("GPT2LMHeadModel", vocab_size=len(tokenizer), n_embd=8, n_layer=1, n_head=1,
                bos_token_id=0, eos_token_id=0)
        if kind == "clm"
        else network("BertForMaskedLM", vocab_size=len(tokenizer), hidden_size=8,
                     num_hidden_layers=1, num_attention_heads=1, intermediate_size=8)
    )  # fmt: skip
    lm = LanguageModel.of(model, tokenizer, kind=kind)
    scorer = SCORERS[sentence_scoring.NAMES[kind]]
    looks = [
        look
        for pair in sentence_scoring.versions(texts)
        for version in ("stereotyped", "against")
        for look in scorer.plan(lm, pair, version).looks
    ]
    alone = sum(len(look.ids) for look in looks)
    if kind == "mlm":
        return Counts(alone, alone, len(looks), stands_in)
    rows = shared_rows(list(enumerate(looks)), len(texts) * 100)
    return Counts(alone, sum(map(len, rows)), sum(row.reads for row in rows), stands_in)


def seconds(sizes: Sizes, counts: Counts, precision: str, peak: float) -> float:
    """Return the planned time of all sentences: two operations per weight and token."""
    return operations(sizes, counts) / (peak * SHARES[precision])


def operations(sizes: Sizes, counts: Counts) -> float:
    """Return the operations for all sentences, without attention: two per weight and token."""
    return 2.0 * (sizes.active * counts.shared + sizes.head * counts.reads)


def section() -> str:
    """Write the section."""
    counts = counted()
    rows = []
    for plan in PLANS:
        sizes = sizes_of(plan)
        for precision in BYTES:
            weights = weight_bytes(sizes, precision)
            cells = [plan.name, f"{sizes.total / 1e9:.2f} B", precision,
                     f"{weights / GB:.1f} GB"]  # fmt: skip
            for memory, peak in GPUS.values():
                batch = tokens_at_once(sizes, weights, memory)
                if batch:
                    cells.append(f"{batch:,} tokens")
                    cells.append(f"{seconds(sizes, counts, precision, peak):.0f} s")
                else:
                    cells += ["does not fit", ""]
            rows.append(cells)
    heads = ["checkpoint", "parameters", "precision", "weights"]
    heads += [f"{gpu}: {what}" for gpu in GPUS for what in ("batch", "CrowS-Pairs")]
    sides = ["---", "--:", "---", *["--:"] * (len(heads) - 3)]
    return "\n".join([*table(heads, sides, rows), "", *_assumptions(counts)])


def table(heads: Sequence[str], sides: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the lines of a table in Markdown."""
    return [f"| {' | '.join(line)} |" for line in (heads, sides, *rows)]


def written(page: str, begin: str, section: str, end: str) -> str:
    """Return a page with a section in the place of its old one."""
    before, _, rest = page.partition(begin)
    _, _, after = rest.partition(end)
    return f"{before}{begin}\n{section}\n{end}{after}"


def _assumptions(counts: Counts) -> list[str]:
    shares = ", ".join(f"{100 * share:.0f} % in {name}" for name, share in SHARES.items())
    stand = " Made-up sentences of like lengths stand in for the data." if counts.stands_in else ""
    return [
        (
            "- Weights: quantisation stores the linear layers of the blocks smaller (nf4 with a"
            " float32 for each 64 weights: 0.5625 bytes); embeddings, norms and the head stay in"
            " bfloat16. Buffers that bitsandbytes needs for its work are not counted."
        ),
        (
            f"- Batch: half of the memory that the weights and {BEYOND / GB:.0f} GB for the driver"
            " leave, rounded down to a power of two, 40 % of it for hidden states; at most"
            f" {TOKENS_AT_ONCE['cuda']:,} tokens."
        ),
        (
            f"- Tokens: the 1,508 pairs are 3,016 sentences of {counts.alone:,} tokens,"
            f" {counts.shared:,} with shared beginnings, by a tokenizer trained on them with 4,000"
            f" words; the head reads {counts.reads:,} places.{stand}"
        ),
        (
            "- Rate: two operations per weight and token, at an assumed share of the peak:"
            f" {shares}. Attention, tokenizing and opening the model are left out. Peaks are the"
            " makers' figures for dense bfloat16: an RTX 4090 and an H100 (SXM)."
        ),
    ]


def main() -> None:
    """Write the section into the page."""
    page = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(written(page, BEGIN, section(), END), encoding="utf-8")


if __name__ == "__main__":
    main()
