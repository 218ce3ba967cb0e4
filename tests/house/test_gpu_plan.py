"""The plan for a GPU has the published parameters, and stands on its page."""

from __future__ import annotations

import pytest

from benchmarks import gpu_plan, sentence_scoring
from harness.needs import needs

READS = ("benchmarks", "biaslab", "docs/guide")

pytestmark = needs("torch", "transformers")


@pytest.mark.parametrize("plan", gpu_plan.PLANS[:4], ids=lambda plan: plan.name)
def test_a_model_has_its_published_parameters(plan: gpu_plan.Plan) -> None:
    sizes = gpu_plan.sizes_of(plan)
    assert sizes.total == plan.parameters
    small, middle, large = (gpu_plan.weight_bytes(sizes, name) for name in gpu_plan.BYTES)
    assert small < middle < large == 2 * sizes.total
    assert small < 10e9


def test_less_memory_holds_smaller_batches_and_too_little_none() -> None:
    sizes = gpu_plan.sizes_of(gpu_plan.PLANS[1])
    batches = [gpu_plan.tokens_at_once(sizes, 6e9, memory) for memory in (6e9, 12e9, 24e9, 80e9)]
    assert batches[0] == 0
    assert batches == sorted(batches)
    assert batches[-1] == 32_768


@pytest.mark.validate
def test_the_page_has_the_section_that_the_plan_writes() -> None:
    if not sentence_scoring.DATA.exists():
        pytest.skip("the CrowS-Pairs are not beside the repository")
    assert gpu_plan.section() in gpu_plan.PAGE.read_text(encoding="utf-8")
