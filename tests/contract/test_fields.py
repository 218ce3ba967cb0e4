"""Traits, params and TypeScript are made from one record and hold the same."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Literal, NotRequired, TypedDict, get_origin

import pytest

from biaslab_widgets.benches import BENCHES
from biaslab_widgets.core.state.fields import Component, Default, empty
from harness.deferred import Deferred

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
import contract

jupyter = Deferred("biaslab_widgets.hosts.jupyter")
panel = Deferred("biaslab_widgets.hosts.panel")

COMPONENTS = [entry.component for entry in BENCHES]
GENERATED = contract.generated()


@pytest.mark.parametrize("component", COMPONENTS, ids=lambda c: c.name)
def test_traits_and_params_hold_the_same_fields_and_defaults(component: Component) -> None:
    traits, params = jupyter.traits_of(component), panel.params_of(component)
    assert traits.keys() == params.keys() == component.by_name.keys()
    for name, field in component.by_name.items():
        assert params[name].default == field.default
        assert traits[name].default() == field.default
        assert traits[name].metadata["sync"]


class Point(TypedDict):
    x: float
    label: str


class Figure(TypedDict):
    state: Literal["none", "ready"]
    points: list[Point]
    middle: Point
    best: Point | None
    axis: tuple[float, float]
    level: Annotated[float, Default(0.95)]
    note: NotRequired[str]


def test_an_empty_record_has_a_value_in_each_field() -> None:
    assert empty(Figure) == {
        "state": "none",
        "points": [],
        "middle": {"x": 0.0, "label": ""},
        "best": None,
        "axis": (0.0, 0.0),
        "level": 0.95,
    }


@pytest.mark.parametrize("path", GENERATED, ids=lambda path: path.name)
def test_the_generated_files_are_up_to_date(path: Path) -> None:
    assert path.read_text(encoding="utf-8") == GENERATED[path], "run `make contract`"


@pytest.mark.parametrize("component", COMPONENTS, ids=lambda c: c.name)
def test_every_number_of_a_state_has_a_range_and_is_refused_outside(component: Component) -> None:
    for field in component.inputs:
        if field.choices:
            with pytest.raises(ValueError, match=field.name):
                field.check("no such choice")
        for member, number in field.numbers.items():
            assert number.range is not None, f"{field.name} {member} has no range"
            number.range.check(member, number.range.high)
            for outside in (number.range.high + 1, number.range.low - 1, float("nan")):
                one = {member: outside} if member else outside
                value = [one] if get_origin(field.type) is list else one
                with pytest.raises(ValueError, match=field.name):
                    field.check(value)


@pytest.mark.parametrize("component", COMPONENTS, ids=lambda c: c.name)
def test_no_field_is_called_as_panel_calls_its_own(component: Component) -> None:
    import panel as pn

    own = set(pn.custom.AnyWidgetComponent.param)
    assert own.isdisjoint(component.by_name), "Panel would take these for sizes and looks"


@pytest.mark.parametrize("component", COMPONENTS, ids=lambda c: c.name)
def test_no_field_is_called_as_a_model_of_bokeh_calls_its_own(component: Component) -> None:
    own = {"attributes", "changed", "document", "id", "properties", "tags", "type"}
    assert own.isdisjoint(component.by_name), "a served page could not define its state"
