"""What changes between two values: Python takes apart, the front end puts together."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from biaslab_widgets.core.state.delta import delta_of, patched

CASES = json.loads((Path(__file__).parent / "deltas.json").read_text(encoding="utf-8"))
"""js/tests/delta.test.ts holds the front end to the same cases."""
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-2, 2)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=3)
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=6)
        | st.dictionaries(st.sampled_from(["a", "b", "", "__proto__", "0"]), inner, max_size=4)
    ),
    max_leaves=25,
)


def text(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


@pytest.mark.parametrize("case", CASES, ids=lambda case: text(case["delta"]))
def test_python_writes_and_reads_the_deltas_of_the_cases(case: dict[str, Any]) -> None:
    assert text(delta_of(case["before"], case["after"])) == text(case["delta"])
    assert text(patched(case["before"], case["delta"])) == text(case["after"])


@given(VALUES, VALUES)
def test_a_delta_makes_one_value_into_the_other(before: Any, after: Any) -> None:
    untouched = copy.deepcopy(before)
    delta = delta_of(before, after)
    made = before if delta is None else patched(before, json.loads(json.dumps(delta)))
    assert text(made) == text(after)
    assert text(before) == text(untouched)


@given(VALUES)
def test_nothing_travels_where_nothing_has_changed(value: Any) -> None:
    assert delta_of(value, copy.deepcopy(value)) is None


@given(st.dictionaries(st.text(max_size=2), VALUES, min_size=1), st.data())
def test_only_the_changed_member_travels(record: dict[str, Any], data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(sorted(record)))
    delta = delta_of(record, {**record, name: "something else"})
    assert delta == {name: ["something else"]}


def test_a_change_in_a_long_list_of_records_is_small() -> None:
    rows = [{"name": f"row {number}", "share": number / 7} for number in range(500)]
    moved = [*rows]
    moved[250] = {**rows[250], "share": 0.5}
    assert delta_of(rows, moved) == {"250": {"share": [0.5]}}
