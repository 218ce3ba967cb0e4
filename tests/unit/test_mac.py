"""MAC and its parts by connection."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import biaslab as bl
from biaslab.errors import QueryError
from biaslab.records.result import Result

pytestmark = pytest.mark.numeric

GROUPS = {"one": ["o1", "o2", "o3"], "two": ["t1", "t2"]}
LISTS = {"of one": ["p1", "p2"], "of two": ["q1", "q2", "q3"]}
CONTROLS = {"human": ["h1", "h2"], "neutral": ["n1", "n2", "n3", "n4"]}
ATTRIBUTE_GROUPS = {"of one": ["one"], "of two": ["two"]}
WORDS = [w for lists in (GROUPS, LISTS, CONTROLS) for words in lists.values() for w in words]
ASKED: dict[str, Any] = {
    "targets": GROUPS,
    "attributes": LISTS,
    "attribute_groups": ATTRIBUTE_GROUPS,
    "controls": CONTROLS,
}


def ensemble(seed: int = 0, replicates: int = 3) -> bl.EmbeddingEnsemble:
    vectors = np.random.default_rng(seed).normal(size=(1, len(WORDS), 9))
    vectors = vectors + 0.2 * np.random.default_rng(seed + 1).normal(
        size=(replicates, len(WORDS), 9)
    )
    return bl.EmbeddingEnsemble(WORDS, vectors.astype(np.float32), name="made")


def cosine(subject: bl.EmbeddingEnsemble, one: list[str], two: list[str]) -> np.ndarray:
    a, b = (subject.vectors(words).astype(float) for words in (one, two))
    a /= np.linalg.norm(a, axis=2, keepdims=True)
    b /= np.linalg.norm(b, axis=2, keepdims=True)
    return np.asarray(a @ b.transpose(0, 2, 1))


def test_mac_is_the_mean_over_words_and_lists_not_over_cosines() -> None:
    subject = ensemble()
    found = bl.mac(subject, **ASKED)
    words = [*GROUPS["one"], *GROUPS["two"]]
    per_list = [1 - cosine(subject, words, terms).mean(axis=2) for terms in LISTS.values()]
    expected = np.mean(per_list, axis=(0, 2))
    np.testing.assert_allclose(found.mac_by_replicate, expected)
    assert found.mac == pytest.approx(expected.mean())
    pooled = 1 - cosine(subject, words, [*LISTS["of one"], *LISTS["of two"]]).mean()
    assert abs(found.mac - pooled) > 1e-6  # the longer list counts no more than the shorter


def test_means_of_means_by_connection() -> None:
    subject = ensemble()
    found = bl.mac(subject, **ASKED)

    def mean(*pairs: tuple[str, list[str]]) -> float:
        per_word = [1 - cosine(subject, GROUPS[g], t).mean(axis=2) for g, t in pairs]
        return float(np.concatenate(per_word, axis=1).mean())

    expected = {
        "associated": mean(("one", LISTS["of one"]), ("two", LISTS["of two"])),
        "different": mean(("one", LISTS["of two"]), ("two", LISTS["of one"])),
        "human": mean(*((g, CONTROLS["human"]) for g in GROUPS)),
        "none": mean(*((g, CONTROLS["neutral"]) for g in GROUPS)),
    }
    assert list(found.by_connection) == list(expected)
    for name, value in expected.items():
        assert found.by_connection[name] == pytest.approx(value), name
        assert value in found.interval("words", name)


@settings(max_examples=8)
@given(st.integers(0, 1000))
def test_swapped_groups_and_lists_change_nothing(seed: int) -> None:
    subject = ensemble(seed, 1)
    swapped = {
        **ASKED,
        "targets": dict(reversed(GROUPS.items())),
        "attributes": {name: words[::-1] for name, words in reversed(LISTS.items())},
    }
    one = bl.mac(subject, **ASKED, resamples=10)
    other = bl.mac(subject, **swapped, resamples=10)
    assert other.mac == pytest.approx(one.mac, abs=1e-12)
    assert other.by_connection == pytest.approx(one.by_connection, abs=1e-12)
    similar = bl.mac(subject, scale="similarity", **ASKED, resamples=10)
    assert similar.mac == pytest.approx(1 - one.mac, abs=1e-12)
    assert similar.interval().low == pytest.approx(1 - one.interval().high, abs=1e-12)


def test_empty_controls_are_allowed_and_told() -> None:
    found = bl.mac(ensemble(), **{**ASKED, "controls": {"human": [], "neutral": ["n1"]}})
    assert set(found.by_connection) == {"associated", "different", "none"}
    assert "No human control words: nothing to compare with." in found.caveat()
    none = bl.mac(ensemble(), **{**ASKED, "controls": {}})
    assert "No human and no neutral control words" in none.caveat()
    assert np.isfinite(none.mac)
    assert found == Result.from_json(found.to_json())


def test_lists_of_no_group_are_in_mac_and_have_no_connection() -> None:
    found = bl.mac(ensemble(), targets=GROUPS, attributes=LISTS)
    assert found.by_connection == {}
    assert "By connection" not in found.headline
    assert found.mac == pytest.approx(bl.mac(ensemble(), **ASKED).mac)


def test_unknown_words_leave_the_others() -> None:
    found = bl.mac(ensemble(), **{**ASKED, "controls": {"human": ["h1", "h9"]}})
    assert [(d.term, d.role) for d in found.dropped] == [("h9", "controls.human")]
    with pytest.raises(QueryError, match="no control list 'other'"):
        bl.mac(ensemble(), **{**ASKED, "controls": {"other": ["h1"]}})
    with pytest.raises(ValueError, match="'distance' or 'similarity'"):
        bl.mac(ensemble(), scale="angle", **ASKED)  # type: ignore[arg-type]


def test_the_table_has_the_whole_the_connections_and_every_mean() -> None:
    found = bl.mac(ensemble(), **ASKED)
    frame = found.to_frame()
    assert frame.measure.value_counts().to_dict() == {
        "word and list": 5 * 4,
        "connection": 4,
        "mac": 1,
    }
    assert frame.loc[0, "value"] == found.mac
    assert frame.loc[0, "n"] == 5 * 5
    one = frame[(frame.word == "t1") & (frame.list == "of two")].iloc[0]
    assert (one.group, one.connection, one.n) == ("two", "associated", 3)
    assert one.value == pytest.approx(found.means[:, 3, 1].mean())
    summary = found.summary()
    assert summary.startswith(f"MAC is {found.mac:.2f} as a distance")
    assert "words and corpora" in summary


def test_a_stored_result_of_before_is_read() -> None:
    now = bl.mac(ensemble(), scale="similarity", **ASKED, resamples=10)
    before = now.to_json().replace('"scale"', '"as_"').replace("mac/2", "mac/1")
    assert bl.Result.from_json(before) == now
