"""A room of the house grows only with a reason."""

from __future__ import annotations

from collections import Counter

import pytest

import house

READS = ("tools/house.py",)

BUDGET = """[rooms]
"biaslab/stats" = 100
"biaslab/store" = 40

[[raised]]
room = "biaslab/stats"
lines = 20
why = "intervals that hold at any time"
"""


def over(**counted: int) -> list[str]:
    rooms = {f"biaslab/{name}": lines for name, lines in counted.items()}
    return list(house.over_budget(rooms, house.budgets(BUDGET)))


def test_a_room_may_have_what_it_was_given_and_raised_by() -> None:
    assert over(stats=120, store=40) == []
    assert over(stats=75, store=1) == []


def test_fifty_lines_more_are_noticed_wherever_a_room_stands_in_its_budget() -> None:
    (said,) = over(stats=125, store=40)
    assert said.startswith("biaslab/stats: 125 lines, 5 more than its budget.")
    (said,) = over(stats=70, store=40)
    assert said.startswith("biaslab/stats: 50 lines below its budget.")


def test_a_room_without_a_number_has_none_to_spend() -> None:
    (said,) = over(stats=120, store=40, asking=1)
    assert said.startswith("biaslab/asking: 1 lines, 1 more")


def test_a_raise_needs_its_reason() -> None:
    with pytest.raises(ValueError, match="why biaslab/stats may grow"):
        house.budgets(BUDGET.replace("intervals that hold at any time", " "))


def test_lowering_never_raises_and_forgets_rooms_that_are_gone() -> None:
    text = house.lowered(BUDGET, {"biaslab/stats": 60})
    assert house.budgets(text) == {"biaslab/stats": 60 + house.SPARE}
    assert house.lowered(BUDGET, {"biaslab/stats": 500, "biaslab/store": 500}) == BUDGET


def test_a_file_counts_for_the_longest_room_above_it(monkeypatch: pytest.MonkeyPatch) -> None:
    lengths = {"biaslab/a.py": 1, "biaslab/stats/b.py": 2, "biaslab/stats/c/d.py": 4, "e.py": 8}
    monkeypatch.setattr(house, "_known", lambda *_: list(lengths))
    monkeypatch.setattr(
        house, "_length", lambda path: lengths[path.relative_to(house.ROOT).as_posix()]
    )
    assert house.rooms([".", "biaslab", "biaslab/stats"]) == Counter(
        {"biaslab/stats": 6, ".": 8, "biaslab": 1}
    )
