"""Distance tables and models: known truth, invariants, bad input, words."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import biaslab as bl
from biaslab.errors import QueryError
from biaslab.probes.association import distance_model_result
from biaslab.probes.association.distance_parameters import Contrast
from biaslab.records.result import Interval, Result
from biaslab.records.wording import joined
from biaslab.reports.association.distance import debiased

GROUPS = {"north": ["n1", "n2", "n3", "n4"], "south": ["s1", "s2", "s3", "s4"]}
LISTS = {"cold": ["ice", "snow", "frost"], "warm": ["sun", "sand", "palm"]}
OF = {"cold": ["north"], "warm": ["south"]}
CONTROLS = {"human": ["walk", "talk", "sleep"], "neutral": [f"thing{i}" for i in range(12)]}
NAMES = [w for part in (GROUPS, LISTS, CONTROLS) for words in part.values() for w in words]


def _subject(seed: int = 0, lean: float = 1.0, replicates: int = 1) -> bl.EmbeddingEnsemble:
    """Words near their group's direction, stereotypes too: the more, the greater ``lean``."""
    rng = np.random.default_rng(seed)
    axes = np.eye(40)[:2]
    centre = 0.6 * rng.standard_normal((len(NAMES), 40))
    for place, name in enumerate(NAMES):
        for g, (group, cues) in enumerate(GROUPS.items()):
            if name in cues:
                centre[place] += 3 * axes[g]
            own = [w for kind, of in OF.items() if group in of for w in LISTS[kind]]
            if name in own:
                centre[place] += 3 * lean * axes[g]
    noise = 0.15 * rng.standard_normal((replicates, *centre.shape))
    return bl.EmbeddingEnsemble(NAMES, (centre + noise).astype(np.float32), name="two groups")


def _asked(**changes: object) -> dict[str, object]:
    lists = {"targets": GROUPS, "attributes": LISTS, "attribute_groups": OF, "controls": CONTROLS}
    return {**lists, **changes}


@pytest.fixture(scope="module")
def table() -> bl.association.DistanceTable:
    return bl.association.distances(_subject(), **_asked())  # type: ignore[arg-type]


def test_every_distance_is_one_less_the_cosine(table: bl.association.DistanceTable) -> None:
    subject = _subject()
    assert dict(table.counts) == {"associated": 24, "different": 24, "human": 24, "none": 96}
    frame = table.to_frame()
    assert len(frame) == table.n == 8 * 21
    for row in frame.sample(12, random_state=1).itertuples():
        a, b = (subject.vectors([w])[0, 0].astype(float) for w in (row.word, row.attribute))
        cosine = a @ b / np.sqrt((a @ a) * (b @ b))
        assert row.distance == pytest.approx(1 - cosine, abs=1e-6)
        own = row.attribute in LISTS["cold"] and row.group == "north"
        own = own or (row.attribute in LISTS["warm"] and row.group == "south")
        assert (row.connection == "associated") == own
    means = table.means()[0]
    assert means[0, 0] == pytest.approx(table.of("n1", "associated").mean())


@pytest.mark.parametrize("model", ["crossed", "pooled", "per-word", "crossed-equal"])
def test_a_planted_association_is_found_and_none_is_not(model: str) -> None:
    planted = bl.distance_model(_subject(), model=model, **_asked())  # type: ignore[arg-type]
    assert planted.contrast("none", "associated").excludes_null
    # Squared lengths: 9 shared, 40 times 0.6² and 0.15² each one's own; so 9 / 24.3 is the cosine.
    assert planted.contrast("none", "associated").mean == pytest.approx(0.37, abs=0.08)
    turned = planted.contrast("associated", "none")
    assert turned.mean == -planted.contrast("none", "associated").mean
    assert turned.interval.high == -planted.contrast("none", "associated").interval.low
    fair = bl.distance_model(_subject(3, lean=0.0), model=model, **_asked())  # type: ignore[arg-type]
    assert abs(fair.contrast("none", "associated").mean) < 0.15
    assert planted.means[0, 0] == pytest.approx(
        float(planted.table.of("n1", "associated").mean()), abs=0.1
    )


def test_the_same_seed_gives_the_same_result_and_another_nearly_so(
    table: bl.association.DistanceTable,
) -> None:
    one, two = bl.distance_model(table, rng=1), bl.distance_model(table, rng=1)
    assert one.draws["cells"].tobytes() == two.draws["cells"].tobytes()
    other = bl.distance_model(table, rng=2)
    for a, b in zip(one.contrasts, other.contrasts, strict=True):
        assert a.mean != b.mean
        assert abs(a.mean - b.mean) < 0.25 * a.sd


@settings(max_examples=4)
@given(seed=st.integers(0, 1000))
def test_order_of_words_and_lists_does_not_matter(seed: int) -> None:
    rng = np.random.default_rng(seed)

    def shuffled(lists: dict[str, list[str]]) -> dict[str, list[str]]:
        return {name: [str(w) for w in rng.permutation(words)] for name, words in lists.items()}

    subject = _subject(seed)
    one = bl.distance_model(subject, **_asked())  # type: ignore[arg-type]
    two = bl.distance_model(
        subject,
        targets=shuffled(dict(reversed(GROUPS.items()))),
        attributes=shuffled(dict(reversed(LISTS.items()))),
        attribute_groups=OF,
        controls=shuffled(CONTROLS),
    )
    for a, b in zip(one.contrasts, two.contrasts, strict=True):
        assert a.name == b.name
        assert abs(a.mean - b.mean) < 0.2 * a.sd
        assert abs(a.width - b.width) < 0.25 * a.width


def test_a_shift_of_all_distances_moves_the_words_and_not_the_contrasts(
    table: bl.association.DistanceTable,
) -> None:
    moved = bl.association.DistanceTable(
        **{
            **{f: getattr(table, f) for f in table.__dataclass_fields__},
            "distance": table.distance + 0.1,
        }
    )
    for model in ("crossed", "pooled"):
        one = bl.distance_model(table, model=model)  # type: ignore[arg-type]
        two = bl.distance_model(moved, model=model)  # type: ignore[arg-type]
        for a, b in zip(one.contrasts, two.contrasts, strict=True):
            assert abs(a.mean - b.mean) < 0.15 * a.sd
        assert np.nanmean(two.means - one.means) == pytest.approx(0.1, abs=0.01)


def test_replicates_add_the_uncertainty_of_the_embedding() -> None:
    """The mixture's variance is the mean variance within plus that of the replicates' means."""
    subject = _subject(5, replicates=8)
    found = bl.distance_model(subject, draws=8000, **_asked())  # type: ignore[arg-type]
    assert found.kind == "posterior over words and replicates"
    assert found.by_replicate.shape == (8, 6)
    for k, contrast in enumerate(found.contrasts):
        alone = [
            bl.distance_model(
                replace(found.table, distance=found.table.distance[b : b + 1])
            ).contrasts[k]
            for b in (0, 7)
        ]
        assert alone[0].mean == pytest.approx(found.by_replicate[0, k], abs=0.2 * contrast.sd)
        between = found.by_replicate[:, k].var()
        within = np.mean([a.sd**2 for a in alone])
        assert contrast.sd**2 == pytest.approx(within + between, rel=0.25)
    fewer = bl.distance_model(subject, replicates=2, **_asked())  # type: ignore[arg-type]
    assert fewer.table.n_replicates == 2
    assert "2 replicates are mixed" in fewer.caveat()


def test_a_job_runs_it_and_tells_how_far_it_is() -> None:
    job = bl.start(bl.distance_model, _subject(1, replicates=3), **_asked())
    assert job.result(60).table.n_replicates == 3
    assert job.progress.done == 3


def test_priors_are_edited_kept_and_felt(table: bl.association.DistanceTable) -> None:
    tight = bl.association.Priors(connection_sd=0.001)
    found = bl.distance_model(table, model="pooled", priors=tight)
    assert found.priors == tight
    assert abs(found.contrast("none", "associated").mean) < 0.02
    for field, value in (("word_sd", 0.0), ("sigma_scale", -1.0), ("word_mean", float("nan"))):
        with pytest.raises(ValueError, match=field):
            bl.association.Priors(**{field: value})
    with pytest.raises(ValueError, match="Use a number"):
        bl.association.Priors(word_sd="wide")  # type: ignore[arg-type]


def test_a_result_survives_json_and_explains_itself(table: bl.association.DistanceTable) -> None:
    found = bl.distance_model(table)
    again = Result.from_json(found.to_json())
    assert again == found
    assert isinstance(again, bl.association.DistanceModelResult)
    frame = found.to_frame()
    assert set(frame["estimate"].str.partition(" ")[0]) == {"contrast", "coefficient", "distance"}
    assert len(frame[frame["estimate"] == "distance"]) == 8 * 4
    assert "Only the priors tell these" in found.summary()
    assert found.coefficients_warning in found.summary()
    names = [c.name for c in found.headline_contrasts]
    assert names == ["different − associated", "human − associated", "none − associated"]
    mean, ends = found.word_contrasts("none", "associated")
    assert mean.shape == (8,)
    assert (ends[:, 0] < mean).all()
    assert (mean < ends[:, 1]).all()
    json.loads(found.to_json())


def test_disagreement_is_said_first() -> None:
    """Few attribute words that differ much: the paper's model is sure, the crossed one is not."""
    rng = np.random.default_rng(0)
    words, of = 8, np.repeat([0, 1], 4)
    connection = np.where(np.repeat([0, 1], 3)[None] == of[:, None], 0, 1)
    connection = np.hstack([connection, np.full((words, 6), 3)]).astype(np.int8)
    shared = np.concatenate([[0.2, -0.3, -0.1, 0.1, -0.4, 0.05], 0.1 * rng.standard_normal(6)])
    distance = 0.9 + shared + 0.05 * rng.standard_normal((1, words, 12))
    table = bl.association.DistanceTable(
        words=tuple(f"w{i}" for i in range(words)),
        groups=tuple("ab"[g] for g in of),
        attributes=tuple(f"x{j}" for j in range(12)),
        lists=("a",) * 3 + ("b",) * 3 + ("neutral",) * 6,
        connection=connection,
        distance=distance,
    )
    found = bl.distance_model(table)
    assert found.beside["pooled"][1].name == "none − associated"
    assert found.beside["pooled"][1].excludes_null
    assert not found.contrast("none", "associated").excludes_null
    first, second = found.verdict()
    assert first.startswith("Whether a group’s words stand closer to its own stereotypes than to ")
    assert second.startswith("The models disagree: only the paper’s model")
    assert found.narrower > 1.5
    paper = bl.distance_model(table, model="pooled")
    assert "The numbers here are those of the paper’s model." in paper.headline


def test_debiasing_is_told_with_its_intervals() -> None:
    contrast = Contrast("different", "associated", 0.055, 0.02, _between(0.0031, 0.1), 0.99)
    unclear = replace(contrast, mean=-0.02, interval=_between(-0.05, 0.01))
    small = replace(contrast, mean=0.002, interval=_between(0.001, 0.003))

    def text(before: Any, after: Any) -> str:
        shown = (SimpleNamespace(headline_contrasts=(c,)) for c in (before, after))
        return joined(debiased(*shown, "hard")).removeprefix(" After hard debiasing, ")

    words = "a group’s words stand"
    whether = f"whether {words} closer to its own stereotypes than to the other groups’ stereotypes"
    assert text(contrast, unclear) == (
        f"{whether} is no longer clear: 0.02 farther (−0.01 to 0.05); 0.046 or more would show."
    )
    assert f"{whether} is still open: " in text(unclear, unclear)
    assert text(contrast, contrast) == (
        f"{words} 0.055 closer to its own stereotypes than to the other groups’ stereotypes "
        "(0.003 to 0.100), 0.055 before (0.003 to 0.100)."
    )
    assert text(contrast, small).endswith(
        "(0.001 to 0.003), less than 0.055 before (0.003 to 0.100)."
    )
    assert text(unclear, contrast).endswith("(0.003 to 0.100); before, that was open.")


def _between(low: float, high: float) -> Interval:
    return Interval(low, high, 0.89, "posterior")


def test_words_that_cannot_be_used_are_told() -> None:
    lists = _asked(
        targets={"north": ["n1", "n2", "moon"], "south": ["s1", "s2", "n1"]},
        controls={"human": ["walk", "ice", "n2"], "neutral": []},
    )
    found = bl.association.distances(_subject(), **lists)  # type: ignore[arg-type]
    assert found.words == ("n1", "n2", "s1", "s2")
    reasons = {(d.role, d.term): d.reason for d in found.dropped}
    assert reasons["groups.north", "moon"] == "not in the vocabulary"
    assert "already in groups.north" in reasons["groups.south", "n1"]
    assert "already in attributes.cold" in reasons["controls.human", "ice"]
    assert "already in groups.north" in reasons["controls.human", "n2"]
    assert dict(found.counts) == {"associated": 12, "different": 12, "human": 4, "none": 0}
    model = bl.distance_model(found)
    assert model.connections == ("associated", "different", "human")
    assert "No neutral control words" in model.caveat()
    assert "4 words left out" in model.caveat()
    assert np.isnan(model.means[:, 3]).all()


def test_bad_input_says_what_to_do() -> None:
    subject = _subject()
    with pytest.raises(QueryError, match="knows no word"):
        bl.association.distances(subject, **_asked(targets={"a": ["moon"], "b": ["s1"]}))  # type: ignore[arg-type]
    with pytest.raises(QueryError, match="attribute_groups="):
        bl.distance_model(subject, **_asked(attribute_groups={}, controls={}))  # type: ignore[arg-type]
    one = _asked(attributes={"cold": ["ice"]}, attribute_groups={"cold": ["north"]}, controls={})
    with pytest.raises(QueryError, match="only one attribute word"):
        bl.distance_model(subject, **one)  # type: ignore[arg-type]
    same = bl.EmbeddingEnsemble(NAMES, np.ones((1, len(NAMES), 4), dtype=np.float32))
    with pytest.raises(QueryError, match="do not vary"):
        bl.distance_model(same, **_asked())  # type: ignore[arg-type]
    table = bl.association.distances(subject, **_asked())  # type: ignore[arg-type]
    for options, what in (
        ({"model": "mixed"}, "model"),
        ({"engine": "stan"}, "engine"),
        ({"level": 1.0}, "level"),
        ({"draws": 10}, "draws"),
    ):
        with pytest.raises(ValueError, match=what):
            bl.distance_model(table, **options)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="leave out the spec"):
        bl.distance_model(table, "manzini-religion")
    with pytest.raises(QueryError, match="use 1 to 1"):
        bl.distance_model(table, replicates=2)


def test_a_group_of_one_word_is_allowed_with_a_caveat() -> None:
    found = bl.distance_model(_subject(), **_asked(targets={"north": ["n1"], "south": ["s1"]}))  # type: ignore[arg-type]
    assert "One word in north and south" in found.caveat()
    assert np.isfinite([c.mean for c in found.contrasts]).all()


def test_an_empty_control_list_is_allowed_with_a_caveat() -> None:
    found = bl.distance_model(_subject(), **_asked(controls={}))  # type: ignore[arg-type]
    assert [c.name for c in found.contrasts] == ["different − associated"]
    assert "No human and no neutral control words" in found.caveat()


def _csv(path: Path, rows: list[str], header: str = "") -> Path:
    head = (
        header or "protectedWord,wordToCompare,wordClass,cosineDistance,cosineSimilarity,connection"
    )
    path.write_text("\n".join([head, *rows]) + "\n", encoding="utf-8")
    return path


def test_sentinels_in_a_file_are_dropped_and_counted(tmp_path: Path) -> None:
    rows = [
        f"{w},{a},{c},{1 + k / 100},{-k / 100},{t}"
        for k, (w, a, c, t) in enumerate(
            (w, a, c, t)
            for w in ("islam", "torah")
            for a, c, t in (
                ("violent", "m", "associated" if w == "islam" else "different"),
                ("greedy", "j", "different" if w == "islam" else "associated"),
                ("house", "neutral", "none"),
            )
        )
    ]
    rows += ["islam,glitchy,neutral,101,-100,none", "torah,glitchy,neutral,101,-100,none"]
    rows += ["islam,chair,neutral,0.9,0.1,none", "torah,chair,neutral,,,none"]
    table = bl.association.DistanceTable.read_csv(_csv(tmp_path / "d.csv", rows))
    assert (table.n, table.missing) == (7, 3)
    assert [(d.role, d.term) for d in table.dropped] == [("neutral", "glitchy")]
    assert table.connection[1, table.attributes.index("chair")] == -1
    assert table.groups == ("m", "j")
    found = bl.distance_model(table)
    assert "3 rows without a distance (sentinel) left out" in found.caveat()


def test_snake_case_headers_and_repeated_pairs_are_read(tmp_path: Path) -> None:
    """As in the authors' files of debiased vectors and of race, whose lists name words twice."""
    header = (
        "protected_word,word_to_compare,word_class,cosine_distance,cosine_similarity,connection"
    )
    once = [
        f"{w},{a},{c},{1 + k / 100},{-k / 100},{t}"
        for k, (w, a, c, t) in enumerate(
            (w, a, c, t)
            for w in ("asian", "black")
            for a, c, t in (
                ("doctor", "asian_stereotype", "associated" if w == "asian" else "different"),
                ("walk", "human", "human"),
                ("house", "neutral", "none"),
            )
        )
    ]
    plain = bl.association.DistanceTable.read_csv(_csv(tmp_path / "once.csv", once, header))
    again = _csv(tmp_path / "again.csv", [*once, *once[:3], *once[:3], once[-1]], header)
    table = bl.association.DistanceTable.read_csv(again)
    np.testing.assert_array_equal(table.distance, plain.distance)
    assert (plain.repeated, table.repeated, table.missing) == (0, 7, 0)
    assert [(d.role, d.term) for d in table.dropped] == [
        ("repeated rows", "asian"),
        ("repeated rows", "black"),
    ]
    assert table.dropped[0].reason.startswith("6 more rows have the same pairs")
    said = bl.distance_model(table).caveat()
    assert "7 rows repeat a pair and its distance; each pair counts once." in said
    assert "left out" not in said


@pytest.mark.parametrize(
    ("rows", "header", "message"),
    [
        ([], "", "it has no rows"),
        (["a,b,c,101,-100,none"], "", "all 1 rows have no distance"),
        (["a,b,c,1,0,near"], "", "line 2: the connection 'near'"),
        (["a,b,c,one,0,none"], "", "line 2: 'one' is not a number"),
        (["a,,c,1,0,none"], "", "'wordToCompare' is empty"),
        (["a,b,c,1,0,none", "a,b,c,0.9,0.1,none"], "", "second distance .* 0.9 .none. after 1 "),
        (["a,b,c,1,0,none", "a,b,c,1,0,human"], "", "a second distance"),
        (["a,b,c,1,0,none", "d,b,e,1,0,none"], "", "one list"),
        (["a,b,c,-0.5,1.5,none"], "", "from 0 to 2"),
        (["a,b,c,1"], "word,attribute,list,distance", "no column 'connection'"),
        (["a,b,c,none"], "word,attribute,list,connection", "neither a column"),
    ],
)
def test_a_file_that_cannot_be_used_says_why(
    tmp_path: Path, rows: list[str], header: str, message: str
) -> None:
    with pytest.raises(QueryError, match=message):
        bl.association.DistanceTable.read_csv(_csv(tmp_path / "d.csv", rows, header))


def test_what_to_frame_wrote_is_read_again(
    tmp_path: Path, table: bl.association.DistanceTable
) -> None:
    table.to_frame().to_csv(tmp_path / "t.csv", index=False)
    again = bl.association.DistanceTable.read_csv(tmp_path / "t.csv")
    assert again.groups == table.groups
    np.testing.assert_array_equal(again.connection, table.connection)
    np.testing.assert_allclose(again.distance, table.distance)
    with pytest.raises(QueryError, match="cannot be read"):
        bl.association.DistanceTable.read_csv(tmp_path / "none.csv")


def test_pictures_hold_every_word_and_both_models(table: bl.association.DistanceTable) -> None:
    found = bl.distance_model(table)
    drawn = found.to_svg()
    for word in (*GROUPS["north"], *GROUPS["south"], "unrelated 1.0", "no difference 0"):
        assert word in drawn
    assert "nan" not in drawn
    layout = found.figure()
    json.dumps(layout.to_json() if hasattr(layout, "to_json") else {}, default=str)
    assert len(layout.children) == 3  # the finding, two panels of words, the contrasts


def test_all_models_are_compared_on_the_same_table(table: bl.association.DistanceTable) -> None:
    found = bl.association.compare_models(table, draws=400)
    assert list(found) == ["crossed", "pooled", "per-word", "crossed-equal"]
    assert all(r.table is table for r in found.values())
    # Each model's answer is the same whichever way it is reached.
    assert found["pooled"].contrasts[0].mean == pytest.approx(
        found["crossed"].beside["pooled"][0].mean, abs=0.02
    )


def test_kinds_of_words_have_spreads_of_their_own() -> None:
    pytest.importorskip("arviz", reason="needs the extra 'bayes'")
    rng = np.random.default_rng(3)
    base = bl.association.distances(_subject(), **_asked())  # type: ignore[arg-type]
    kind = np.where(base.connection[0] < 2, 0, base.connection[0] - 1)
    sigma, attribute = np.array([0.03, 0.06, 0.15])[kind], np.array([0.2, 0.02, 0.1])[kind]
    noise = sigma * rng.standard_normal(base.distance.shape)
    table = replace(base, distance=0.9 + attribute * rng.standard_normal(len(kind)) + noise)
    found = bl.association.compare_models(table, models=("crossed", "crossed-equal"), draws=1000)
    own, equal = found["crossed"], found["crossed-equal"]
    assert list(equal.spreads) == ["sigma", "word", "slope", "attribute", "pairing"]
    for name, value in (("stereotype", 0.03), ("human", 0.06), ("none", 0.15)):
        mean, low, high = own.spreads[f"sigma_{name}"]
        assert low < value < high
        assert mean == pytest.approx(value, rel=0.2)
    assert own.spreads["attribute_human"][2] < own.spreads["attribute_stereotype"][0]
    assert "single distances (human words) 0.0" in own.summary()
    scores = bl.association.model_scores(found)
    assert scores[0].model == "crossed"
    assert scores[1].behind > 4 * scores[1].behind_se


def test_the_model_that_made_the_distances_foretells_them_best() -> None:
    pytest.importorskip("arviz", reason="needs the extra 'bayes'")
    rng = np.random.default_rng(2)
    base = bl.association.distances(_subject(), **_asked())  # type: ignore[arg-type]
    shape = base.distance.shape
    shared = 0.9 + 0.2 * rng.standard_normal(shape[2]) + 0.05 * rng.standard_normal(shape)
    found = bl.association.model_scores(
        bl.association.compare_models(replace(base, distance=shared), draws=500)
    )
    assert {score.model for score in found[:2]} == {"crossed", "crossed-equal"}
    assert found[0].behind == 0
    assert found[2].behind > 4 * found[2].behind_se
    own = 0.9 + 0.3 * rng.standard_normal((shape[1], 1)) + 0.1 * rng.standard_normal(shape)
    own[:, :, :6] += 0.4 * rng.standard_normal((shape[1], 1))
    apart = bl.association.compare_models(replace(base, distance=own), draws=500)
    by_name = {s.model: s for s in bl.association.model_scores(apart, "waic")}
    assert by_name["per-word"].elpd > by_name["pooled"].elpd + 10
    # 8 words by 4 types and σ, at most.
    assert 5 < by_name["pooled"].parameters < 16
    assert 15 < by_name["per-word"].parameters < 36
    with pytest.raises(ValueError, match="criterion"):
        bl.association.model_scores(apart, "aic")
    with pytest.raises(QueryError, match="the same table"):
        bl.association.model_scores({"a": apart["pooled"], "b": bl.distance_model(base, draws=200)})


def test_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from biaslab.cli import main

    vectors = _subject().vectors(NAMES)[0]
    rows = [" ".join([w, *(f"{x:.5f}" for x in v)]) for w, v in zip(NAMES, vectors, strict=True)]
    (tmp_path / "v.txt").write_text("\n".join(rows) + "\n", encoding="utf-8")
    spec = bl.specs.Spec(
        name="two-groups",
        title="Two groups",
        source="made up",
        groups=GROUPS,
        attributes=LISTS,
        attribute_groups=OF,
        controls=CONTROLS,
    )
    (tmp_path / "two-groups.toml").write_text(spec.to_toml(), encoding="utf-8")
    asked = ["probe", "distances", str(tmp_path / "v.txt"), str(tmp_path / "two-groups.toml")]
    table, svg = tmp_path / "d.csv", tmp_path / "d.svg"
    assert main([*asked, "--draws", "300", "--distances", str(table), "--svg", str(svg)]) == 0
    first = capsys.readouterr().out
    assert "closer to its own stereotypes than to neutral words" in first
    assert svg.read_text(encoding="utf-8").startswith("<svg")
    assert main(["probe", "distances", str(table), "--draws", "300"]) == 0
    again = capsys.readouterr().out
    assert again.partition("\n")[0] == first.partition("\n")[0]


def test_a_model_has_the_same_numbers_beside_another_as_by_itself() -> None:
    table = bl.association.distances("wiki-bootstraps", "manzini-religion", replicates=2)
    crossed = bl.distance_model(table, model="crossed")
    pooled = bl.distance_model(table, model="pooled")
    for model in ("crossed", "pooled"):
        assert crossed.beside[model] == pooled.beside[model]


def test_waic_is_that_of_arviz_where_it_has_one() -> None:
    az = pytest.importorskip("arviz", reason="needs the extra 'bayes'")
    if not hasattr(az, "waic"):
        pytest.skip("arviz 1.x has no WAIC")
    density = np.random.default_rng(0).normal(-1, 0.5, (400, 30))
    data = az.from_dict(posterior={"x": np.ones((1, 400))}, log_likelihood={"y": density[None]})
    theirs = az.waic(data, pointwise=True)
    ours = distance_model_result._score_of(density, "waic")
    np.testing.assert_allclose(ours.pointwise, theirs.waic_i, rtol=1e-12)
    assert ours.parameters == pytest.approx(theirs.p_waic, rel=1e-12)
