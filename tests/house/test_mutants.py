"""The changes that `tools/mutants.py` makes, and the tests that it lets notice them."""

from __future__ import annotations

import pytest

import mutants


@pytest.mark.parametrize(
    ("expression", "changed"),
    [
        ("a < b", ["(a <= b)"]),
        ("a is not b", ["(a is b)"]),
        ("a * b", ["(a / b)"]),
        ("a and b", ["(a or b)"]),
        ("not a", ["(a)"]),
        ("a + 1", ["(a - 1)", "a + (2)"]),
        ("f(b=True)", ["f(b=(False))"]),
        ("a if b else c", ["(c if b else a)"]),
        ("'a'", []),
        ("a[1]", []),
        ('f"{a + 1}"', []),
    ],
)
def test_an_expression_becomes_another(expression: str, changed: list[str]) -> None:
    source = "def f(a: int = 1) -> None:\n    return {}\n"
    made = list(mutants.of_file("biaslab/é.py", source.format(expression)))
    assert [mutant.source for mutant in made] == [source.format(new) for new in changed]
    assert {mutant.function for mutant in made} <= {".f"}


def test_a_change_keeps_its_key_where_the_rest_of_the_file_changes() -> None:
    one, two = "def f(a):\n    return a < 1\n", "# é\n\ndef f(a):\n    a += 3\n    return a < 1\n"
    keys = [{mutant.key for mutant in mutants.of_file("biaslab/f.py", each)} for each in (one, two)]
    assert len(keys[0]) == 2
    assert keys[0] < keys[1]
