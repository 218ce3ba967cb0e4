import copy
import json
import math
import pickle
from collections.abc import Mapping
from dataclasses import FrozenInstanceError, dataclass
from enum import Enum, StrEnum
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from biaslab.errors import NoFigureError, NoRawFrameError, ResultFormatError, WriteError
from biaslab.records.provenance import Provenance
from biaslab.records.result import Dropped, Interval, Result
from harness.heavy import pd

PROVENANCE = Provenance(probe="toy", subject="s", time="2026-01-01T00:00:00.000+00:00")


class Curve(StrEnum):
    LOGISTIC = "logistic"
    WEIBULL = "weibull"


class Direction(Enum):
    FEMALE = (0, "female")
    MALE = (1, "male")


@dataclass(frozen=True)
class Estimate:
    """A dataclass that is not a Record."""

    value: float
    draws: np.ndarray | None = None


@dataclass(frozen=True, kw_only=True)
class Toy(Result):
    schema: ClassVar[str] = "toy/2"
    words: tuple[str, ...] = ("nurse",)
    pse: Any = 0.5
    interval: Interval | None = None
    curve: Curve = Curve.LOGISTIC
    direction: Direction | None = None
    either: Curve | str | float = 0.0
    estimate: Estimate | Interval | None = None
    by_word: Mapping[str, Interval] | None = None
    by_pair: Mapping[tuple[str, str], Estimate] | None = None
    pairs: tuple[tuple[str, Interval], ...] = ()
    part: "Toy | None" = None

    def to_frame(self):
        return pd.DataFrame({"word": list(self.words), "pse": 0.1 + 0.2})

    def summary(self):
        return f"The first line on {self.words[0]}.\nThe second."

    @classmethod
    def upgrade(cls, content, version):
        assert version == 1
        return {"pse": content.pop("alpha"), **content}


def toy(**values):
    return Toy(provenance=PROVENANCE, **values)


def reopened(result):
    text = result.to_json()
    json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} is not strict JSON"))
    return Result.from_json(text)


scalars = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(),
    st.sampled_from(["NaN", "Infinity", "-Infinity"]),
)  # fmt: skip
keys = st.one_of(st.text(), st.sampled_from(["$array", "$map", "$str", "$type", "schema"]))
arrays = hnp.arrays(
    st.one_of(
        hnp.boolean_dtypes(), hnp.integer_dtypes(), hnp.unsigned_integer_dtypes(),
        hnp.floating_dtypes(sizes=(16, 32, 64)), hnp.unicode_string_dtypes(min_len=1, max_len=4),
    ),
    hnp.array_shapes(min_dims=0, min_side=0, max_side=3),
)  # fmt: skip
values = st.recursive(
    scalars | arrays,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(keys, inner, max_size=3),
        st.dictionaries(st.tuples(st.integers(), st.text()), inner, max_size=2),
    ),
    max_leaves=8,
)


@given(values)
def test_anything_storable_comes_back_equal_through_strict_json(value):
    result = toy(pse=value)
    again = reopened(result)
    assert again == result
    assert hash(again) == hash(result)
    assert again.to_json() == result.to_json()


@given(hnp.arrays(st.sampled_from(["f2", "f4", "f8", "i1", "u8", "?", "<U3"]), (2, 0, 3)))
def test_dtype_and_shape_of_an_array_survive(array):
    again = reopened(toy(pse=array)).pse
    assert (again.dtype, again.shape) == (array.dtype, array.shape)


@given(st.floats(width=32, allow_nan=False))
def test_float32_bits_survive(number):
    array = np.array([number], np.float32)
    assert reopened(toy(pse=array)).pse.tobytes() == array.tobytes()


@pytest.mark.parametrize("dtype", ["float32", "float64", "int16", ">f4", "bool"])
def test_a_large_array_survives_and_takes_few_bytes(dtype):
    array = np.random.default_rng(1).standard_normal((300, 200)).astype(dtype)
    if array.dtype.kind == "f":
        array[0, :3] = math.nan, math.inf, -0.0
    result = toy(pse=array)
    again = reopened(result).pse
    assert again.shape == array.shape
    assert again.tobytes() == array.astype(array.dtype.newbyteorder("=")).tobytes()
    assert len(result.to_json()) < 1.4 * array.nbytes + 2000


def test_a_large_array_that_was_cut_short_is_refused():
    text = toy(pse=np.zeros(30_000)).to_json()
    data = json.loads(text)
    data["pse"]["$packed"] = data["pse"]["$packed"][:-8]
    with pytest.raises(ResultFormatError, match="pse"):
        Result.from_json(json.dumps(data))


def test_floats_are_written_so_that_they_read_back_the_same():
    numbers = (0.1 + 0.2, 5e-324, 1.7976931348623157e308, -0.0)
    again = reopened(toy(pse=numbers)).pse
    assert again == numbers
    assert math.copysign(1, again[3]) == -1


def test_none_nan_and_infinity_stay_apart():
    result = toy(pse=(None, math.nan, math.inf, -math.inf, "NaN"))
    none, nan, up, down, word = reopened(result).pse
    assert none is None
    assert math.isnan(nan)
    assert (up, down, word) == (math.inf, -math.inf, "NaN")


def test_typed_fields_come_back_as_their_types():
    interval = Interval(0.4, math.inf, 0.95, "corpus")
    result = toy(
        interval=interval,
        curve=Curve.WEIBULL,
        direction=Direction.MALE,
        either=Curve.WEIBULL,
        estimate=Estimate(1.0, np.arange(3)),
        by_word={"nurse": interval, "$odd": interval},
        by_pair={("she", "he"): Estimate(0.5)},
        pairs=[("a", interval)],
        part=toy(words=["inner"]),
        dropped=[Dropped("nures", "item", "unknown", ["nurse"])],
    )
    again = reopened(result)
    assert again == result
    assert type(again.interval) is Interval
    assert again.curve is Curve.WEIBULL
    assert again.direction is Direction.MALE
    assert again.either is Curve.WEIBULL
    assert type(again.estimate) is Estimate
    assert type(again.by_word["$odd"]) is Interval
    assert type(again.by_pair["she", "he"]) is Estimate
    assert type(again.pairs[0][1]) is Interval
    assert again.part.words == ("inner",)
    assert again.dropped[0].suggestions == ("nurse",)


@pytest.mark.parametrize("either", [Curve.WEIBULL, "weibull", math.nan])
def test_a_union_keeps_its_alternatives_apart(either):
    again = reopened(toy(either=either)).either
    assert type(again) is type(either)


def test_a_union_of_dataclasses_keeps_its_alternatives_apart():
    interval = Interval(0.0, 1.0, 0.5, "corpus")
    assert reopened(toy(estimate=interval)).estimate == interval


@pytest.mark.parametrize("stray", [Estimate(1.0), Curve.WEIBULL, toy()])
def test_what_could_not_be_read_back_is_refused_when_written(stray):
    with pytest.raises(TypeError, match=r"Toy.pse .* hint"):
        toy(pse=stray).to_json()


# Frozen


def test_no_field_can_be_set():
    with pytest.raises(FrozenInstanceError):
        toy().pse = 1


def test_arrays_are_read_only_and_the_givers_array_is_left_alone():
    given_array = np.zeros(3)
    result = toy(pse=given_array, estimate=Estimate(0.0, given_array))
    given_array[0] = 7
    assert result.pse[0] == 0
    assert result.estimate.draws[0] == 0
    with pytest.raises(ValueError, match="read-only"):
        result.pse[0] = 1
    with pytest.raises(ValueError, match="read-only"):
        result.estimate.draws[0] = 1


def test_a_read_only_array_is_shared_but_not_a_read_only_view():
    owner = np.zeros(3)
    view = owner[:]
    view.flags.writeable = False
    assert toy(pse=view).pse is not view
    owner.flags.writeable = False
    assert toy(pse=owner).pse is owner


@pytest.mark.parametrize(
    "again", [copy.copy, copy.deepcopy, lambda r: pickle.loads(pickle.dumps(r)), reopened]
)
def test_copies_are_equal_and_frozen_too(again):
    result = toy(pse={"a": (np.zeros(2),)})
    twin = again(result)
    assert twin == result
    with pytest.raises(ValueError, match="read-only"):
        twin.pse["a"][0][0] = 1


@pytest.mark.parametrize(
    "value",
    [
        {1, 2},
        object(),
        b"bytes",
        np.array([object()]),
        np.zeros(2, complex),
        np.datetime64("2026-01-01"),
        np.longdouble(1),
        np.ma.array([1.0, 2.0], mask=[True, False]),
        [object()],
    ],
)
def test_what_cannot_be_stored_is_refused_at_construction(value):
    with pytest.raises(TypeError, match=r"Toy\.pse"):
        toy(pse=value)


def test_numpy_scalars_become_plain():
    assert type(toy(pse=np.float64(1.5)).pse) is float
    assert type(toy(pse=np.bool_(True)).pse) is bool


def test_equality_sees_values_dtypes_and_kinds():
    one = toy(pse=np.array([1.0, math.nan]))
    assert one == toy(pse=np.array([1.0, math.nan]))
    assert one != toy(pse=np.array([2.0, math.nan]))
    assert one != toy(pse=np.array([1.0, math.nan], np.float32))
    assert one != toy(pse=(1.0, math.nan))
    assert one != "one"


@dataclass
class Loose:
    value: float


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda: toy(pse=Loose(1.0)), TypeError, "frozen=True"),
        (lambda: type("Impostor", (Result,), {"schema": "toy/1"}), TypeError, "both have the sche"),
        (lambda: type("Versionless", (Result,), {"schema": "versionless"}), TypeError, "write it"),
        (lambda: toy().raw_frame(), NoRawFrameError, "to_frame"),
        (lambda: toy().figure(), NoFigureError, "to_frame"),
        (lambda: Interval(1.0, 0.0, 0.95, "corpus"), ValueError, "low end of an interval"),
        (lambda: Interval(0.0, 1.0, 95, "corpus"), ValueError, "between 0 and 1"),
    ],
)
def test_what_cannot_be_is_refused(call, error, says):
    with pytest.raises(error, match=says):
        call()


# Reading what may be wrong


def edited(**changes):
    return json.dumps({**toy(interval=Interval(0, 1, 0.9, "k")).to_dict(), **changes})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "cut off"),
        pytest.param("[" * 100_000, "cut off", id="too deep"),
        (b"\xff\xfe\xff", "cut off"),
        ('{"schema": NaN}', "NaN is not JSON"),
        ("[]", "has no schema"),
        ("{}", "has no schema"),
        (edited(schema="never-heard-of/1"), "never-heard-of.*pip install -U biaslab"),
        (edited(schema="toy/3"), r"version 3.*reads up to 2.*pip install -U biaslab"),
        (edited(schema="toy"), "pip install -U biaslab"),
        (edited(extra=1), "unknown: extra"),
        ('{"schema": "toy/2"}', "missing: provenance"),
        (edited(interval=[1, 2]), "Toy.interval"),
        (edited(interval={"low": 0}), "missing: high"),
        (
            edited(interval={"low": 1, "high": 0, "level": 0.9, "kind": "k"}),
            "low end of an interval",
        ),
        (edited(curve="bent"), "bent"),
        (edited(estimate={"$type": "Path"}), "Toy.estimate"),
        (edited(pse={"$array": [1, 2], "dtype": "float64", "shape": [3]}), "Toy.pse"),
        (edited(pse={"$array": [1, 2], "dtype": "object", "shape": [2]}), "array type"),
        (edited(pse={"$array": [999], "dtype": "int8", "shape": [1]}), "Toy.pse"),
    ],
)
def test_an_unreadable_result_says_what_to_do(text, message):
    with pytest.raises(ResultFormatError, match=message):
        Result.from_json(text)


def test_an_older_version_is_upgraded():
    data = toy(pse=0.25).to_dict()
    data["schema"] = "toy/1"
    data["alpha"] = data.pop("pse")
    assert Result.from_dict(data) == toy(pse=0.25)


def test_a_missing_field_with_a_default_takes_it():
    data = toy().to_dict()
    del data["curve"]
    assert Result.from_dict(data) == toy()


@dataclass(frozen=True, kw_only=True)
class Other(Result):
    schema: ClassVar[str] = "toy-other/1"
    to_frame = Toy.to_frame
    summary = Toy.summary


def test_a_subclass_reads_only_its_own_kind():
    assert Toy.from_json(toy().to_json()) == toy()
    with pytest.raises(ResultFormatError, match="a Toy, not a Other"):
        Other.from_json(toy().to_json())


# Export


def test_csv_holds_the_frame_with_exact_floats(tmp_path: Path):
    assert toy().to_csv() == "word,pse\nnurse,0.30000000000000004\n"
    toy(words=("é",)).to_csv(tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_bytes() == "word,pse\né,0.30000000000000004\n".encode()


def test_json_goes_to_a_file_and_back(tmp_path: Path):
    result = toy(pse=np.eye(2))
    assert result.to_json(tmp_path / "out.json") is None
    assert Result.from_json(tmp_path / "out.json") == result


def test_a_failing_write_leaves_the_earlier_file_and_no_other(tmp_path: Path, monkeypatch):
    path = tmp_path / "out.json"
    path.write_text("earlier")

    def full(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("biaslab.files.atomic.os.fsync", full)
    with pytest.raises(WriteError, match=r"No space left.*Nothing was changed.*Free some space"):
        toy().to_json(path)
    assert [p.name for p in tmp_path.iterdir()] == ["out.json"]
    assert path.read_text() == "earlier"


def test_writing_into_a_missing_folder_says_so(tmp_path: Path):
    with pytest.raises(WriteError, match="Create the folder"):
        toy().to_csv(tmp_path / "none" / "out.csv")


def test_a_link_stays_a_link(tmp_path: Path):
    (tmp_path / "real.csv").write_text("earlier")
    (tmp_path / "link.csv").symlink_to(tmp_path / "real.csv")
    toy().to_csv(tmp_path / "link.csv")
    assert (tmp_path / "link.csv").is_symlink()
    assert (tmp_path / "real.csv").read_text().startswith("word")


# What a person sees


def test_repr_is_short_and_counts_what_was_dropped():
    result = toy(pse=np.zeros(10_000), dropped=[Dropped("x", "item", "unknown")])
    assert repr(result) == "<Toy: The first line on nurse. (1 dropped)>"
    assert len(repr(toy(words=("long" * 99,)))) < 150


def test_html_shows_words_as_text():
    shown = toy(words=("<img src=x onerror=alert(1)>",))._repr_html_()
    assert "<img" not in shown
    assert "&lt;img" in shown


def test_html_folds_the_table_and_needs_no_chart():
    shown = toy()._repr_html_()
    assert shown.startswith("<p><strong>The first line on nurse.</strong></p><details>")
    assert "<summary>Table (1 row)</summary>" in shown


def test_a_chart_that_fails_is_left_out_of_the_html():
    class Broken(Toy):
        schema: ClassVar[str] = "broken/1"

        def to_svg(self, path=None):
            raise ZeroDivisionError

    shown = Broken(provenance=PROVENANCE)._repr_html_()
    assert "<details>" in shown
    with pytest.raises(ZeroDivisionError):
        Broken(provenance=PROVENANCE).report()


def test_a_report_holds_what_was_dropped_and_where_it_comes_from():
    document = toy(dropped=[Dropped("<x>", "item", "unknown")]).report()
    assert "1 item unknown: &lt;x&gt;" in document
    assert "<x>" not in document
    assert "toy" in document
    assert "<figure" not in document


def test_the_verdict_is_the_headline_where_nothing_else_is_said():
    assert toy().verdict() == ("The first line on nurse.",)
    assert toy().verdict_spans() == (("The first line on nurse.", "plain"),)


def test_an_interval_contains_its_ends():
    interval = Interval(0.25, 0.75, 0.95, "corpus")
    assert 0.25 in interval
    assert 0.76 not in interval
