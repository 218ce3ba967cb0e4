"""What each named checkpoint costs: memory of its weights, and time of the CrowS-Pairs.

``python -m benchmarks.checkpoint_costs`` writes the section of docs/subjects/models.md. Memory is
computed from parameters, which transformers' classes count under the published configurations,
made without memory. The time on a processor is planned from the rates that
``python -m benchmarks sentence_scoring`` measured (docs/guide/benchmarks.md), in proportion to the
operations of a model; that on a GPU as in `benchmarks.gpu_plan`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

from benchmarks import gpu_plan, report
from benchmarks.gpu_plan import BYTES, GPUS, PAGE, SENTENCES, Counts, Sizes
from benchmarks.published_sizes import IN_WORDS, PUBLISHED
from biaslab.subjects.pretrained.facts import in_words, size_text
from harness.named_checkpoints import CHECKPOINTS

BEGIN = "<!-- written by `python -m benchmarks.checkpoint_costs` -->"
END = "<!-- end of the costs of named checkpoints -->"
GPU: Final = "24 GB, 165 TFLOP/s"
MEASURED: Final[dict[str, tuple[str, str, str]]] = {
    "clm": ("log-likelihood", "GPT2LMHeadModel", "GPT2Config"),
    "mlm": ("pseudo-log-likelihood", "BertForMaskedLM", "BertConfig"),
}
"""By kind, the row of the measurement, and the classes of the model that it measured."""
OWN_KERNELS: Final = ("Mamba", "FalconMamba", "Mamba2", "Rwkv", "xLSTM")
"""Families whose time is not that of their products of matrices."""
FULL: Final = 4.0
"""Bytes of a float32."""


def sizes_of(checkpoint: Any) -> Sizes:
    """Count the weights of a named checkpoint.

    - `checkpoint`: of ``tests/harness/named_checkpoints.py``.
    """
    if checkpoint.name in IN_WORDS:
        number = int(IN_WORDS[checkpoint.name])
        return Sizes(number, number, 0, number, 0)
    return gpu_plan.sizes_of_class(
        checkpoint.architecture, checkpoint.config, PUBLISHED[checkpoint.name]
    )


def memory_cells(sizes: Sizes) -> list[str]:
    """Return parameters, and the memory of the weights in each precision."""
    amounts = [FULL * sizes.total]
    amounts += [gpu_plan.weight_bytes(sizes, name) for name in reversed(BYTES)]
    return [in_words(sizes.total), *(size_text(int(amount)) for amount in amounts)]


def measured_rate(kind: str, page: str) -> float:
    """Return the measured sentences per second of a kind of model on a processor.

    Raises `LookupError` when the page has no such measurement.
    """
    row = re.search(
        rf"^\| {MEASURED[kind][0]}: sentences per second \| ([\d.,]+) / s \|", page, re.MULTILINE
    )
    if row is None:
        raise LookupError("Measure first: python -m benchmarks sentence_scoring.")
    return float(row[1].replace(",", ""))


def processor_seconds(sizes: Sizes, kind: str, counts: Counts, rate: float) -> float:
    """Return the planned time of all sentences on the processor whose rate was measured."""
    _, architecture, config = MEASURED[kind]
    reference = gpu_plan.sizes_of_class(architecture, config, {})
    more = gpu_plan.operations(sizes, counts) / gpu_plan.operations(reference, counts)
    return SENTENCES / rate * more


def gpu_cell(sizes: Sizes, counts: Counts) -> str:
    """Return the planned time on a GPU, in the largest precision that fits with a batch."""
    memory, peak = GPUS[GPU]
    for precision in reversed(BYTES):
        weights = gpu_plan.weight_bytes(sizes, precision)
        if weights + gpu_plan.BEYOND < memory:
            seconds = gpu_plan.seconds(sizes, counts, precision, peak)
            return f"{_time(seconds)}, {precision}"
    return "does not fit"


def _time(seconds: float) -> str:
    if seconds < 1:
        return "under 1 s"
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = seconds / 60
    return f"{minutes:.0f} min" if minutes < 90 else f"{minutes / 60:.0f} h"


def section(checkpoints: Sequence[Any]) -> str:
    """Write the section for the checkpoints of ``tests/harness/named_checkpoints.py``."""
    page = report.REPORT.read_text(encoding="utf-8")
    counts = {kind: gpu_plan.counted(kind) for kind in ("clm", "mlm")}
    rates = {kind: measured_rate(kind, page) for kind in counts}
    rows = []
    for checkpoint in checkpoints:
        sizes, kind = sizes_of(checkpoint), checkpoint.kind
        planned = (
            "not planned"
            if checkpoint.config.removesuffix("Config") in OWN_KERNELS
            else _time(processor_seconds(sizes, kind, counts[kind], rates[kind]))
        )
        on_gpu = planned if planned == "not planned" else gpu_cell(sizes, counts[kind])
        rows.append([checkpoint.name, *memory_cells(sizes), planned, on_gpu])
    heads = ["checkpoint", "parameters", "float32", "bfloat16", "8 bit", "4 bit"]
    heads += ["CrowS-Pairs, processor", "CrowS-Pairs, 24 GB GPU"]
    sides = ["---", *["--:"] * (len(heads) - 1)]
    return "\n".join([*gpu_plan.table(heads, sides, rows), "", *_notes(page, rates, counts)])


def _notes(page: str, rates: dict[str, float], counts: dict[str, Counts]) -> list[str]:
    block = page.partition("<!-- sentence_scoring:")[2].partition("<!-- end of sentence_scoring")[0]
    threads = re.search(r"(\d+ threads?);", block)
    machine = re.search(r"scoring`, ([^;]*);", block)
    named = ", ".join(f"{name} ({number / 1e9:.0f} billion)" for name, number in IN_WORDS.items())
    return [
        (
            "- Parameters: counted by transformers' class under the published configuration; of"
            f" {named} the makers' round figure is taken, with all weights in linear layers."
        ),
        (
            "- Memory of the weights: 4 bytes each in float32, 2 in bfloat16; in 8 and 4 bit what"
            " bitsandbytes replaces takes 1 and 0.5625 bytes, and the rest 2. It replaces plain"
            " linear layers: not the experts of Mixtral, Qwen3-30B-A3B and gpt-oss, nor Falcon's"
            " layers. gpt-oss is stored in a 4-bit type of its own, and opened as it is where"
            " transformers can; these figures are those of its unpacked weights."
        ),
        (
            "- Processor: planned. Measured were"
            f" {rates['clm']:.1f} sentences per second with GPT-2 (causal) and"
            f" {rates['mlm']:.1f} with a model of BERT-base's size (masked), in float32 with"
            f" {threads[1] if threads else 'some threads'} on {machine[1] if machine else 'a CPU'}"
            " ([benchmarks](../guide/benchmarks.md)); another model takes as much longer as it has"
            " more operations on the same tokens. It must fit into main memory. A masked model"
            f" reads {counts['mlm'].alone / counts['clm'].shared:.0f} times as many tokens, one"
            " text for each masked one."
        ),
        (
            f"- GPU: planned on paper, with {GPU}, under the assumptions of"
            " [the plan for a GPU](#plan-for-a-gpu); in the largest precision whose weights fit."
        ),
        ("- Not planned: models without attention, whose time depends on kernels of their own."),
        "- 1 GB is a billion bytes. The memory of batches comes on top.",
    ]


def main() -> None:
    """Write the section into the page."""
    page = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(gpu_plan.written(page, BEGIN, section(CHECKPOINTS), END), encoding="utf-8")


if __name__ == "__main__":
    main()
