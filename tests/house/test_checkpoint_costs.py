"""Costs of named checkpoints: counted as their makers count, and the same on the page."""

from __future__ import annotations

import re

import pytest

from benchmarks import checkpoint_costs, gpu_plan, report, sentence_scoring
from benchmarks.published_sizes import IN_WORDS, PUBLISHED
from harness.named_checkpoints import CHECKPOINTS
from harness.needs import needs

READS = ("benchmarks", "biaslab", "docs/guide")

pytestmark = needs("torch", "transformers")

#: As their model cards, papers or weight files say.
PARAMETERS = {
    "openai-community/gpt2": 124_439_808,
    "facebook/opt-1.3b": 1_315_758_080,
    "EleutherAI/pythia-1b": 1_011_781_632,
    "bigscience/bloom-1b1": 1_065_314_304,
    "mistralai/Mixtral-8x7B-v0.1": 46_702_792_704,
    "Qwen/Qwen2.5-7B": 7_615_616_512,
    "Qwen/Qwen3-30B-A3B": 30_532_122_624,
    "google/gemma-2-2b": 2_614_341_888,
    "google/gemma-3-4b-pt": 4_300_079_472,
    "microsoft/Phi-3-mini-4k-instruct": 3_821_079_552,
    "openai/gpt-oss-20b": 20_914_757_184,
    "HuggingFaceTB/SmolLM3-3B": 3_075_098_624,
    "LiquidAI/LFM2-1.2B": 1_170_340_608,
    "tiiuae/falcon-mamba-7b": 7_272_665_088,
    "NX-AI/xLSTM-7b": 6_865_424_896,
    "answerdotai/ModernBERT-base": 149_655_232,
}
BY_NAME = {checkpoint.name: checkpoint for checkpoint in CHECKPOINTS}


def test_every_checkpoint_has_sizes() -> None:
    assert {*PUBLISHED, *IN_WORDS} == set(BY_NAME)
    assert not PUBLISHED.keys() & IN_WORDS


@pytest.mark.parametrize("name", PARAMETERS)
def test_parameters_are_the_published_ones(name: str) -> None:
    assert checkpoint_costs.sizes_of(BY_NAME[name]).total == PARAMETERS[name]


def test_the_page_has_the_memory_of_each_checkpoint() -> None:
    page = gpu_plan.PAGE.read_text(encoding="utf-8")
    costs = page.partition(checkpoint_costs.BEGIN)[2].partition(checkpoint_costs.END)[0]
    for name, checkpoint in BY_NAME.items():
        cells = checkpoint_costs.memory_cells(checkpoint_costs.sizes_of(checkpoint))
        assert f"| {' | '.join([name, *cells])} |" in costs


def test_what_only_a_part_of_a_token_passes_counts_in_part() -> None:
    experts = checkpoint_costs.sizes_of(BY_NAME["Qwen/Qwen3-30B-A3B"])
    # The makers say 3.3 billion, with input and output tables.
    assert experts.active + 2 * experts.head == pytest.approx(3.3e9, rel=0.03)
    assert gpu_plan.weight_bytes(experts, "4 bit") > 1.9 * experts.total
    shared = checkpoint_costs.sizes_of(BY_NAME["albert/albert-base-v2"])
    bert = checkpoint_costs.sizes_of(BY_NAME["google-bert/bert-base-uncased"])
    assert shared.active == pytest.approx(bert.active, rel=0.03)
    seeing = checkpoint_costs.sizes_of(BY_NAME["google/gemma-3-4b-pt"])
    assert seeing.active < seeing.linear


def test_time_follows_the_measured_rate_and_the_operations() -> None:
    counts = gpu_plan.Counts(1_000, 900, 800, stands_in=True)
    gpt2 = checkpoint_costs.sizes_of(BY_NAME["openai-community/gpt2"])
    seconds = checkpoint_costs.processor_seconds(gpt2, "clm", counts, 10.0)
    assert seconds == pytest.approx(301.6)
    larger = checkpoint_costs.sizes_of(BY_NAME["facebook/opt-1.3b"])
    assert checkpoint_costs.processor_seconds(larger, "clm", counts, 10.0) > 9 * seconds
    row = "| log-likelihood: sentences per second | 1,023.4 / s | 1.2 times | yes | x | y |\n"
    assert checkpoint_costs.measured_rate("clm", f"text\n{row}") == 1023.4
    with pytest.raises(LookupError, match="Measure first"):
        checkpoint_costs.measured_rate("mlm", row)


def test_the_page_names_the_rates_that_were_measured() -> None:
    measured = report.REPORT.read_text(encoding="utf-8")
    page = gpu_plan.PAGE.read_text(encoding="utf-8")
    found = re.search(r"Measured were ([\d.]+) sentences per second .* and ([\d.]+) with", page)
    assert found is not None
    assert float(found[1]) == checkpoint_costs.measured_rate("clm", measured)
    assert float(found[2]) == checkpoint_costs.measured_rate("mlm", measured)


@pytest.mark.validate
def test_the_page_has_the_section_that_the_costs_write() -> None:
    if not sentence_scoring.DATA.exists():
        pytest.skip("the CrowS-Pairs are not beside the repository")
    page = gpu_plan.PAGE.read_text(encoding="utf-8")
    assert checkpoint_costs.section(CHECKPOINTS) in page
