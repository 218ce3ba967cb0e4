"""Settings in the address of a page: what the front end writes, Python reads."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import pytest

from biaslab_widgets.benches.psychometric.fields import COMPONENT
from biaslab_widgets.core.state.inputs import inputs_of_address, stored_inputs

CASES = json.loads((Path(__file__).parent / "addresses.json").read_text(encoding="utf-8"))
"""js/tests/address.test.ts holds the front end to the same cases."""


def read(query: str) -> dict[str, Any]:
    texts = parse_qs(query, keep_blank_values=True)
    values = {name: [text.encode() for text in found] for name, found in texts.items()}
    return inputs_of_address(COMPONENT, values)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["query"] or "nothing")
def test_python_reads_what_the_front_end_writes(case: dict[str, Any]) -> None:
    inputs, notices = stored_inputs(COMPONENT, read(case["query"]), [])
    assert inputs == case["inputs"]
    assert notices == ()


@pytest.mark.parametrize(
    "query",
    ["alpha=high", "alpha=7", "pairs=a", "pairs=[[1,2]]", "pairs=[", "levels=1.5", "curve=round"],
)
def test_a_setting_without_sense_is_left_out_with_a_notice(query: str) -> None:
    inputs, notices = stored_inputs(COMPONENT, read(f"{query}&word=nurse"), [])
    assert inputs == {"word": "nurse"}
    assert query.partition("=")[0] in notices[0]


def test_names_that_are_no_setting_are_left_out() -> None:
    assert read("tour=1&answer=x&subjects=y&run=z") == {}


def test_a_subject_that_is_not_offered_is_named() -> None:
    inputs, notices = stored_inputs(COMPONENT, read("subject=mine&word=nurse"), ["yours"])
    assert inputs == {"word": "nurse"}
    assert "mine" in notices[0]
