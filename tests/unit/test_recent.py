"""The cache keeps the values of the latest keys, and makes each once."""

from __future__ import annotations

from biaslab.threads.recent import Recent


def test_a_value_is_made_once_while_it_is_kept() -> None:
    made: list[int] = []

    def square(number: int) -> int:
        made.append(number)
        return number**2

    recent: Recent[int, int] = Recent(2)
    asked = (3, 4, 3, 5, 3, 4)
    assert [recent.get(n, lambda n=n: square(n)) for n in asked] == [n**2 for n in asked]  # type: ignore[misc]
    assert made == [3, 4, 5, 4]  # 4 was asked for longest ago when 5 came
