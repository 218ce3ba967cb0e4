"""The tool that compares kernels: what it calls the same, and which settings it tries."""

from __future__ import annotations

import math

import pytest

import portability

READS = ("tests", "tools")


@pytest.mark.parametrize(
    ("one", "two", "expected"),
    [
        ([1.0, math.nan, math.inf], [1.0, math.nan, math.inf], math.inf),
        ([1.0, 2.0], [1.0, 2.0002], 4.0),
        ([1.0, 1e-9], [1.0, -1e-9], 8.7),
        ([1.0], [-1.0], 0.0),
        ([1.0], [1.0, 1.0], 0.0),
        ([math.nan], [1.0], 0.0),
        ([math.inf, 1.0], [-math.inf, 1.0], 0.0),
    ],
)
def test_digits_are_counted_beside_the_largest_number(
    one: list[float], two: list[float], expected: float
) -> None:
    assert portability.digits(one, two) == pytest.approx(expected, abs=0.05)


def test_the_table_says_what_holds_in_every_setting() -> None:
    found = [{"a": [1.0], "b": [1.0]}, {"a": [1.0], "b": [1.0 + 1e-7]}, {"a": [1.0], "b": [1.002]}]
    assert portability.agreement_table(found) == [("a", "bit for bit"), ("b", "2 digits")]


def test_settings_differ_in_kernels_threads_and_the_order_of_sets() -> None:
    tried = [setting.environment for setting in portability.settings()]
    assert {one.get("OPENBLAS_CORETYPE") for one in tried} == {None, "Haswell", "Prescott"}
    assert "default" in {one.get("ATEN_CPU_CAPABILITY") for one in tried}
    assert {one["OPENBLAS_NUM_THREADS"] for one in tried} == {"1", "4"}
    assert len({one["PYTHONHASHSEED"] for one in tried}) == 2


def test_the_numeric_tests_are_found() -> None:
    files = portability.numeric_files()
    assert "tests/unit/test_cluster_bootstrap.py" in files
    assert len(files) > 20
