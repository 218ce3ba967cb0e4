"""Where the cells of a notebook get their names, by the kinds of code that give and need them."""

from __future__ import annotations

import pytest

from harness.notebook_names import providers


@pytest.mark.parametrize(
    "binding",
    [
        "x = 1",
        "x: int = 1",
        "x, y = 1, 2",
        "print(x := 1)",
        "import x",
        "import x.y",
        "import y as x",
        "from y import x",
        "def x(): pass",
        "class x: pass",
        "for x in (): pass",
        "with open('') as x: pass",
        "if input(): x = 1",
        "def f():\n    global x\n    x = 1",
    ],
)
def test_what_a_cell_binds_is_known_to_the_next(binding: str) -> None:
    assert providers([binding, "print(x)"])[1] == {"x": 0}


@pytest.mark.parametrize(
    "code",
    [
        "print(x)",
        "def f(): return x",
        "lambda: x",
        "[y for y in x]",
        "[x for y in (1, 2)]",
        "class A:\n    def f(self): return x",
        "x.append(1)",
        "x[0] = 1",
        "f'{x}'",
    ],
)
def test_what_a_cell_needs_is_found_wherever_it_stands(code: str) -> None:
    assert providers([code])[0]["x"] is None


@pytest.mark.parametrize(
    "code",
    [
        "[x for x in (1, 2)]",
        "def f(x): return x",
        "def f():\n    x = 1\n    return x",
        "lambda x: x",
        "class A:\n    x = 1\n    y = x",
    ],
)
def test_names_inside_a_scope_are_its_own(code: str) -> None:
    assert providers([code, "print(x)"]) == [{}, {"x": None}]


def test_the_last_cell_that_binds_a_name_provides_it() -> None:
    assert providers(["x = 1", "x = 2", "print(x)", "x = x + 1"])[2:] == [{"x": 1}, {}]
