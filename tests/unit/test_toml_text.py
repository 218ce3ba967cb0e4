"""TOML from strangers: what is too large is refused before it is parsed."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from biaslab.files.toml import MOST_PARTS, TomlSizeError, parse_toml

DEEP = ".".join(["a"] * 20_000)
"""`tomllib` takes 12 seconds and 1.2 GB for it."""


@pytest.mark.parametrize(
    "text",
    [
        f"{DEEP} = 1",
        f"x = 1\n{DEEP} = 1",
        f"[{DEEP}]",
        f"[[ {DEEP} ]]",
        f"x = {{ {DEEP} = 1 }}",
        DEEP.replace(".", " .\t") + " = 1",
        DEEP.replace("a", '"a b"') + " = 1",
        DEEP.replace("a", "'#'") + " = 1",
        DEEP.replace("a", "''") + " = 1",
        f'x = """a""""\n{DEEP} = 1',
        f"x = {{ y = '''a''''', {DEEP} = 1 }}",
        f'x = {{ y = """\\""" {DEEP} """"", {DEEP} = 1 }}',
        f'# "\n{DEEP} = 1',
        f"# '''\n{DEEP} = 1",
        f'x = "\\""\n{DEEP} = 1',
        f"x = '\\'\n{DEEP} = 1",
        f'x = "#"\n{DEEP} = 1',
        f'x = ["""\n"""]\n{DEEP} = 1',
    ],
)
def test_a_key_of_thousands_of_parts_is_refused(text: str) -> None:
    with pytest.raises(TomlSizeError, match=r"has 20,000 parts, and at most 16 are read"):
        parse_toml(text, longest=1_000_000)


@pytest.mark.parametrize(
    "text",
    [
        'x = "a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q.r.s.t"',
        "x = '''\n" + "a." * 99 + "\n'''",
        'x = """' + "a." * 99 + '"""""',
        "# " + "a." * 99,
        "x = [" + ", ".join(["1.5"] * 99) + "]",
        ".".join("abcdefghijklmnop") + " = 1.5",
        "[" + ".".join("abcdefghijklmnop") + "]\n" + ".".join("ABCDEFGHIJKLMNOP") + " = 1",
        "\n".join(f"a.k{i} = 1979-05-27T07:32:00.999Z" for i in range(99)),
    ],
)
def test_dots_elsewhere_do_not_count(text: str) -> None:
    assert parse_toml(text, longest=10_000) == tomllib.loads(text)


def test_a_long_text_is_refused() -> None:
    assert parse_toml("x = 1", longest=5) == {"x": 1}
    with pytest.raises(TomlSizeError, match="has more than 4 characters"):
        parse_toml("x = 1", longest=4)


KEY = ".".join(["a"] * (MOST_PARTS + 1))


@given(st.lists(st.sampled_from([*"\"'#\\\n=[]{},. ", '"""', "'''", "x = ", KEY]), max_size=12))
def test_no_deep_key_gets_through(pieces: list[str]) -> None:
    text = "".join(pieces)
    try:
        found = parse_toml(text, longest=1000)
    except ValueError:
        return
    assert _depth(found) <= 1 + text.count("[") + text.count("{")


def _depth(value: object) -> int:
    if isinstance(value, dict):
        return 1 + max(map(_depth, value.values()), default=0)
    return max(map(_depth, value), default=0) if isinstance(value, list) else 0
