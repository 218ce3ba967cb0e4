"""Specs in files: what is written is read back, and a broken file says where it is broken."""

from __future__ import annotations

import json
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from biaslab.errors import SpecError, WriteError
from biaslab.specs import Spec, read, write
from biaslab.specs.spec_files import parse

GOOD = 'name = "x"\ntitle = "X"\nsource = "someone"\nitems = ["nurse"]\n'

_CHARACTERS = st.characters(exclude_categories=("C", "Z"))
terms = st.text(st.one_of(_CHARACTERS, st.sampled_from(" '\"\\<>&#=[].,אםم")), min_size=1).filter(
    lambda text: bool(text.strip())
)
some_terms = st.lists(terms, min_size=1, max_size=4)
labels = terms.map(str.strip)
slugs = st.from_regex(r"[a-z0-9]{1,8}(-[a-z0-9]{1,8}){0,3}", fullmatch=True)
numbers = st.floats(allow_nan=False, allow_infinity=False)
lists = st.dictionaries(labels, some_terms, max_size=3)


@st.composite
def specs(draw: st.DrawFn) -> Spec:
    items = draw(some_terms)
    groups = draw(lists)
    attributes = draw(lists)
    of = st.lists(st.sampled_from(sorted(groups)), unique=True) if groups else st.just([])
    values = [*groups, "Other"]
    weights = draw(st.lists(st.integers(1, 9), min_size=len(values), max_size=len(values)))
    shares = dict(zip(values, (w / sum(weights) for w in weights), strict=True))
    column = st.fixed_dictionaries(
        {
            "title": terms,
            "unit": terms,
            "source": terms,
            "values": st.dictionaries(
                st.sampled_from([item.strip() for item in items]), numbers, min_size=1
            ),
        }
    )
    data: dict[str, Any] = {
        "name": draw(slugs),
        "aliases": draw(st.lists(slugs, max_size=2)),
        "title": draw(terms),
        "source": draw(terms),
        "notes": "\n".join(draw(st.lists(terms, max_size=3))),
        "items": items,
        "groups": groups,
        "attributes": attributes,
        "attribute_groups": {name: draw(of) for name in attributes},
        "controls": draw(st.dictionaries(st.sampled_from(["human", "neutral"]), some_terms)),
        "cue_pairs": draw(
            st.lists(st.tuples(terms, terms).filter(lambda p: p[0].strip() != p[1].strip()))
        ),
        "distributions": draw(
            st.dictionaries(labels, st.just({"kind": "biased", "shares": shares}), max_size=2)
        ),
        "outside": draw(st.dictionaries(labels, column, max_size=2)),
    }
    return Spec(**data)


@given(specs())
def test_a_spec_survives_toml_json_and_a_dictionary(spec: Spec) -> None:
    for again in (
        parse(spec.to_toml().encode(), ".toml", "f"),
        parse(spec.to_json().encode(), ".json", "f"),
        Spec.from_dict(spec.to_dict()),
    ):
        assert again == spec
        assert again.content_hash == spec.content_hash
        assert list(again.groups) == list(spec.groups)
    assert tomllib.loads(spec.to_toml()) == json.loads(spec.to_json())


@pytest.mark.parametrize("ending", ["toml", "json", "TOML"])
def test_write_and_read_by_the_files_ending(tmp_path: Path, ending: str) -> None:
    spec = parse(GOOD.encode(), ".toml", "f")
    assert read(write(spec, tmp_path / f"x.{ending}")) == spec


def test_another_ending_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match=r"\.toml or \.json"):
        write(parse(GOOD.encode(), ".toml", "f"), tmp_path / "x.yaml")


def test_a_spec_that_could_not_be_read_back_is_not_written(tmp_path: Path) -> None:
    spec = replace(parse(GOOD.encode(), ".toml", "f"), notes="x" * 2_000_000)
    with pytest.raises(SpecError, match="a spec has at most 2 MB"):
        write(spec, tmp_path / "x.toml")
    assert list(tmp_path.iterdir()) == []


def test_writing_into_a_missing_folder_says_so(tmp_path: Path) -> None:
    with pytest.raises(WriteError, match="Create the folder"):
        write(parse(GOOD.encode(), ".toml", "f"), tmp_path / "none" / "x.toml")


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("f.toml", GOOD + "groups = [\n", "at end of document"),
        ("f.toml", GOOD + "\nwrong line\n", "line 6"),
        ("f.toml", GOOD + 'name = "y"\n', "line 5"),
        ("f.json", '{"name": "x",\n "title" "X"}', "line 2, column 10"),
        ("f.json", '{"name": "x", "name": "y"}', "'name' appears twice"),
        ("f.json", '["x"]', "'name' is missing"),
        ("f.json", "", "line 1"),
        ("f.json", "[" * 100_000, "nested too deeply"),
        ("f.json", '{"name": ' + "9" * 5000 + "}", "cannot be read"),
        ("f.toml", GOOD + f"size = {'9' * 5000}", "cannot be read"),
        ("f.toml", "", "'name' is missing"),
        ("f.toml", b"name = 'x'\ntitle = '\xff'\n", "line 2 is not UTF-8"),
        ("f.toml", GOOD + "day = 1979-05-27\n", "'day' is unknown"),
        ("f.toml", GOOD + "[groups]\none = 1979-05-27\n", "groups.one"),
        ("f.toml", GOOD + "a." * 20_000 + "a = 1", "has 20,001 parts, and at most 16 are read"),
        ("f.toml", GOOD + "#" * 2_000_000, "a spec has at most 2 MB"),
        ("f.json", '"' + "x" * 2_000_000 + '"', "a spec has at most 2 MB"),
    ],
)
def test_a_malformed_file_is_named_with_the_place(
    tmp_path: Path, name: str, content: str | bytes, says: str
) -> None:
    file = tmp_path / name
    file.write_bytes(content.encode() if isinstance(content, str) else content)
    with pytest.raises(SpecError) as caught:
        read(file)
    assert str(caught.value).startswith(f"{file}: ")
    assert says in str(caught.value)


def test_a_byte_order_mark_is_no_error(tmp_path: Path) -> None:
    file = tmp_path / "x.toml"
    file.write_bytes(b"\xef\xbb\xbf" + GOOD.encode())
    assert read(file).name == "x"


def test_a_missing_file_and_a_folder_are_told(tmp_path: Path) -> None:
    (tmp_path / "folder.toml").mkdir()
    for name in ("none.toml", "folder.toml"):
        with pytest.raises(SpecError, match=rf"{name}: cannot be read"):
            read(tmp_path / name)
