"""Portraits that a model imagines for a word: the prior, planted biases, choices, refusals."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import expit, logit

import biaslab as bl
from biaslab.cli import main
from biaslab.errors import BiaslabError, PosteriorError
from biaslab.jobs.context import JobContext, JobStopped, reporting_to
from biaslab.portraits import ATTRIBUTES, sample_portrait, woman_given_appearance
from biaslab.probes.posterior import Chooser, PortraitPosterior, Portraits
from biaslab.probes.posterior.diagnostics import diagnose
from biaslab.probes.posterior.portraits import run
from biaslab.probes.posterior.portraits.chains import Chains
from biaslab.probes.posterior.portraits.choosing import PairQuestion
from biaslab.probes.posterior.portraits.space import COLUMNS, COORDINATES, TIED, People, Space
from biaslab.stats.chains import summarise
from biaslab.subjects.vision_language.pictures import as_picture
from biaslab.subjects.vision_language.questions import ConceptAnswers
from harness.heavy import stats
from harness.needs import needs

RATE, SLOPE = 0.4, -3.0
WORDS = (("nurse",), ("executive",))
SEED = 4


def viewer(**traits: float) -> Any:
    """A simulated model that reads attributes; appearance, unless others are given."""
    return bl.observers.vision(RATE, lists=WORDS, traits=traits or {"appearance": SLOPE}, seed=1)


def true_share(times: float) -> float:
    """Share of women that such a model imagines, by a sum over appearance."""
    a = np.linspace(-0.5, 1.5, 20_001)
    prior = stats.norm.pdf(a, 0.28, 0.12) + stats.norm.pdf(a, 0.72, 0.12)
    weight = prior * expit(logit(RATE) + SLOPE * (a - 0.5)) ** times
    women = np.array([woman_given_appearance(x) for x in a])
    return float(weight @ women / weight.sum())


def imagined(subject: Any = None, **options: Any) -> PortraitPosterior:
    options = {"draws": 500, "warmup": 100, "check": False, "rng": SEED} | options
    of_space = {f.name: options.pop(f.name) for f in fields(Portraits) if f.name in options}
    space = Portraits(**of_space)
    return bl.sample_posterior(subject or viewer(), "nurse", space=space, **options)


def test_the_prior_is_the_distribution_of_sampled_portraits() -> None:
    drawn = [sample_portrait(seed=seed) for seed in range(2_000)]
    rows = np.array([
        [*(getattr(p.person, name) for name in ATTRIBUTES), p.dress.shade, p.background.tint,
         p.background.depth]
        for p in drawn
    ])  # fmt: skip
    space = Space()
    ours = space.people(space.drawn(40_000, np.random.default_rng(1))).attributes
    for values in (lambda x: x, np.square):
        a, b = values(rows), values(ours)
        error = np.hypot(a.std(axis=0) / len(a) ** 0.5, b.std(axis=0) / len(b) ** 0.5)
        assert (np.abs(a.mean(axis=0) - b.mean(axis=0)) < 4.5 * error).all()


def test_only_tied_attributes_change_with_appearance() -> None:
    space = Space()
    z = space.drawn(400, np.random.default_rng(2))
    other = z.copy()
    other[:, COORDINATES.index("appearance")] += 1.0
    moved = (space.people(z).attributes != space.people(other).attributes).any(axis=0)
    assert {name for name, differs in zip(COLUMNS, moved, strict=True) if differs} == set(TIED)


@pytest.mark.parametrize(
    ("by", "times"),
    [
        ("probabilities", 4),
        ("choices", 1),
        pytest.param("probabilities", 1, marks=pytest.mark.validate),
        pytest.param("choices", 4, marks=pytest.mark.validate),
    ],
)
def test_a_planted_bias_is_recovered(by: Any, times: float) -> None:
    result = imagined(by=by, times=times, draws=800)
    error = float(result.diagnostics.mcse_mean[0])
    assert abs(result.share.value - true_share(times)) < 4 * error
    assert error < 0.02
    # The limit leaves room for chance: the long test below counts how often one moves.
    control = [shift for shift in result.shifts if not shift.is_tied]
    assert len(control) == 15
    assert all(abs(shift.shift) < 5 * shift.error for shift in control)


def test_exact_weighting_and_its_exponents_recover_it_too() -> None:
    result = imagined(draws=100, check=True)
    assert result.exact is not None
    assert result.exact.agrees
    for times in (0, 1, 4):
        share = result.share_at(times)
        assert share is not None
        assert abs(share.value - true_share(times)) < 0.04
    assert result.exact_size > 500


def test_an_attribute_that_the_model_reads_moves_and_is_named() -> None:
    result = imagined(viewer(age=0.08), draws=800)
    # Glasses move along: in the drawings older people wear them more often.
    assert [shift.name for shift in result.moved][:2] == ["age", "glasses"]
    assert result.moved[0].mean - result.moved[0].prior_mean > 4
    assert "age (+" in result.summary()
    assert abs(result.share.value - 0.5) < 4 * float(result.diagnostics.mcse_mean[0])


def test_on_a_grid_the_exact_posterior_is_a_sum() -> None:
    result = imagined(
        viewer(appearance=SLOPE, age=0.05), vary=("appearance", "age"), levels=7, check=True
    )
    assert len(result.prior_draws) == 49
    assert len(np.unique(result.draws[..., 0])) == 7
    weight = result.prior_says.mean(axis=1).astype(float) ** 4
    exact = float(weight @ result.prior_draws[:, 0] / weight.sum())
    age = result.diagnostics.of("age")
    assert abs(age["mean"] - exact) < 4 * age["mcse_mean"]
    assert result.exact is not None
    assert result.exact.agrees
    assert {shift.name for shift in result.shifts} >= {"age", "jaw"}
    assert all(shift.name != "skin" for shift in result.shifts)


@pytest.mark.parametrize("times", [1, pytest.param(2, marks=pytest.mark.validate)])
def test_a_subject_that_only_chooses_has_the_same_posterior(times: int) -> None:
    rng = np.random.default_rng(3)
    jaw = COLUMNS.index("jaw")

    def strength(rows: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(expit(logit(RATE) + SLOPE * (rows[:, jaw] - 0.5)))

    def choose(present: NDArray[np.float64], proposed: NDArray[np.float64]) -> Any:
        one, two = strength(present), strength(proposed)
        return rng.random(len(one)) < two / (one + two)

    chosen = imagined(Chooser(choose, dim=len(COLUMNS), label="nurse"), times=times, draws=400)
    probable = imagined(viewer(jaw=SLOPE), times=times, draws=400)
    error = np.hypot(chosen.diagnostics.mcse_mean[0], probable.diagnostics.mcse_mean[0])
    assert abs(chosen.share.value - probable.share.value) < 4 * error
    assert np.isnan(chosen.says).all()
    assert chosen.exact_share is None
    assert "prefers it for “nurse”" in chosen.caveat()


class PairViewer:
    """A chat model that sees two people and prefers the womanly one, and the right-hand side."""

    name, kind, device, templates, chooses_by_letter = "pairs", "observer", "cpu", (), True

    def resolve(self, concepts: Any) -> Any:
        return viewer().resolve(concepts)

    def answers(self, images: Any, concepts: Any, templates: Any, **_: Any) -> ConceptAnswers:
        assert concepts[0].endswith("left")
        assert as_picture(images[0]).picture().size[0] > 2 * images[0].left.size
        gain = [SLOPE * (pair.right.appearance - pair.left.appearance) + 0.7 for pair in images]
        scores = np.stack([-np.array(gain), gain], axis=1)[:, None] / 2
        return ConceptAnswers(concepts, templates, expit(2 * scores), scores, "")


def test_a_chat_model_chooses_between_two_portraits_in_both_orders() -> None:
    space = Space()
    people = space.people(space.drawn(6, np.random.default_rng(5)))
    shown, appearance = space.portraits(people, 64), people.appearance
    question = PairQuestion.of(PairViewer(), "nurse", None)
    odds = question.log_odds(shown[:3], shown[3:])
    # Its preference for the right-hand side has cancelled.
    assert odds == pytest.approx(SLOPE * (appearance[3:] - appearance[:3]))
    result = imagined(PairViewer(), by="choices", times=1, chains=2, draws=4, warmup=0)
    assert result.templates == ("Who of these two people is more likely a nurse?",)
    with pytest.raises(BiaslabError, match="against='executive' does nothing"):
        imagined(PairViewer(), by="choices", against="executive")


@needs("torch", "transformers")
def test_portrait_clip_imagines_nurses_as_women() -> None:
    result = imagined(bl.load("portrait-clip"), chains=4, draws=20, warmup=10)
    assert result.share.value > 0.6
    assert result.portrait(1, 2).dress.occupation == "person"
    with pytest.raises(PosteriorError, match="chains 0 to 3 with draws 0 to 19"):
        result.portrait(4, 0)
    chain, draw = result.ranked(5)[-1]
    assert result.says[chain, draw] == result.says.max()


def test_a_result_is_stored_worded_drawn_and_compared() -> None:
    result = imagined(check=True, draws=300)
    assert PortraitPosterior.from_json(result.to_json()) == result
    assert "space=bl.posterior.Portraits()" in result.code()
    assert len(result.to_frame()) == len(COLUMNS)
    assert len(result.raw_frame()) == 8 * 300
    assert "long lashes" in result.to_svg()
    other = imagined(viewer(appearance=-SLOPE), draws=300)
    found = bl.compare(result, other)
    assert found.totals[0].excludes_null
    assert len(found.labels) == len(COLUMNS)


def test_a_stopped_run_keeps_its_draws() -> None:
    class Stopping(JobContext):
        def __init__(self, after: int) -> None:
            self.left = after

        @property
        def should_stop(self) -> bool:
            return self.left <= 0

        def checkpoint(self) -> None:
            if self.should_stop:
                raise JobStopped

        def report(self, done: float, total: float | None = None, message: str = "") -> None:
            self.left -= 1

    with reporting_to(Stopping(120)):
        result = imagined(check=True)
    assert result.partial
    assert result.n_draws == 20
    assert "Stopped after 20 of 500 draws" in result.caveat()
    assert result.exact is None
    with reporting_to(Stopping(20)), pytest.raises(JobStopped):
        imagined()


def test_attributes_are_written_in_words() -> None:
    result = imagined(draws=50, warmup=5, vary=("hair_volume", "lip_colour"))
    assert not result.trust
    assert "Only hair volume and lip colour vary" in result.caveat()
    assert "_" not in result.summary()


def test_a_model_that_fails_leaves_the_draws_so_far() -> None:
    rng = np.random.default_rng(1)
    asked = iter(range(60))

    def choose(present: NDArray[np.float64], proposed: NDArray[np.float64]) -> Any:
        if next(asked, None) is None:
            raise RuntimeError("The model is gone.")
        return rng.random(len(present)) < 0.5

    subject = Chooser(choose, dim=len(COLUMNS), label="nurse")
    with pytest.raises(PosteriorError, match=r"is gone\. 50 draws per chain are kept") as failed:
        imagined(subject, times=1, warmup=10)
    assert failed.value.partial.partial


def test_the_command_prints_the_finding(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "PORTRAITS", 20)
    small = ("--chains", "2", "--draws", "8", "--warmup", "0", "--times", "1")
    assert main(["probe", "portraits", "portrait-clip", "nurse", *small]) == 0
    assert "Who portrait-clip imagines as nurse, not executive." in capsys.readouterr().out
    assert main(["probe", "portraits", "imdb-sentiment", "nurse"]) != 0
    assert "needs a vision-language model" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"times": 0}, "above 0"),
        ({"times": "often"}, "above 0"),
        ({"clothes": "tutu"}, "Choose one of pullover, nurse"),
        ({"vary": ["height"]}, "'height', which no portrait has"),
        ({"levels": 5}, "Name one to three attributes"),
        ({"against": "nurse"}, "Name another"),
        ({"against": []}, "Name another"),
        ({"by": "votes"}, "votes"),
        ({"chains": 1}, "at least 2 chains"),
        ({"draws": 10**9}, "of memory"),
        ({"engine": "nuts"}, "engine= does nothing with portraits"),
        ({"prior_width": 2.0}, "prior_width= does nothing"),
        ({"subject": "imdb-sentiment"}, "needs a vision-language model"),
        ({"subject": Chooser(lambda a, b: [], dim=3, label="nurse")}, "43 attributes"),
    ],
)  # fmt: skip
def test_bad_input_is_refused(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises((BiaslabError, ValueError), match=message):
        imagined(**wrong)


def test_a_word_that_the_model_does_not_know_is_refused() -> None:
    with pytest.raises(ValueError, match="faces"):
        bl.sample_posterior("portrait-clip", "nurse", space="faces")  # type: ignore[call-overload]
    with pytest.raises(BiaslabError, match="cannot be asked about 'ballerina'"):
        bl.sample_posterior("portrait-clip", "ballerina", space="portraits")


OCCUPATIONS = (
    "nurse", "secretary", "teacher", "doctor", "scientist", "electrician", "pilot", "carpenter",
)  # fmt: skip


@pytest.mark.validate
@needs("torch", "transformers")
@pytest.mark.parametrize("by", ["probabilities", "choices"])
def test_eight_occupations_have_the_mean_appearance_of_the_exact_posterior(by: Any) -> None:
    vlm = bl.load("portrait-clip")
    for word in OCCUPATIONS:
        found = bl.sample_posterior(
            vlm, word, space=Portraits(by=by, vary=("appearance", "age", "skin"), levels=7),
            draws=900, rng=SEED,
        )  # fmt: skip
        weight = found.prior_says.mean(axis=1).astype(float) ** found.times
        exact = float(weight @ found.prior_appearance / weight.sum())
        drawn = summarise(found.appearance)
        assert abs(drawn.mean - exact) < 4 * drawn.mcse
        assert drawn.mcse < 0.01


class Unseen(Space):
    """Portraits of which the appearance is all that a model sees."""

    def portraits(self, people: People, size: int) -> Any:
        return people.appearance


@pytest.mark.validate
@pytest.mark.parametrize("draws", [300, 900])
def test_attributes_tied_to_nobody_stay_flat(draws: int) -> None:
    """300 runs of 8 chains, side by side."""
    runs, control = 300, [i for i, name in enumerate(COLUMNS) if name not in TIED]
    side_by_side = Chains(
        Unseen(), 32, 8 * runs, np.random.default_rng(draws), times=4.0,
        log_p=lambda seen: np.log(expit(logit(RATE) + SLOPE * (np.asarray(seen) - 0.5))),
    )  # fmt: skip
    kept = np.empty((draws, 8 * runs, len(control) + 1))
    for _ in range(100):
        side_by_side.step(adapt=True)
    for step in range(draws):
        side_by_side.step()
        kept[step, :, 0] = side_by_side.people.appearance
        kept[step, :, 1:] = side_by_side.people.attributes[:, control]
    rng = np.random.default_rng(1)
    before = Space().people(Space().drawn(500_000, rng)).attributes[:, control]
    first = imagined(draws=8, warmup=0, chains=2)
    found = []
    for each in np.split(kept.swapaxes(0, 1), runs):
        women = People(each, each[..., 0].ravel()).womanly.reshape(8, draws)
        mixing = diagnose(each[..., 1:], women, women)
        found.append(replace(
            first, attributes=tuple(COLUMNS[i] for i in control), diagnostics=mixing,
            prior_mean=before.mean(axis=0), prior_sd=before.std(axis=0),
        ))  # fmt: skip
    clear = [np.mean([shift.is_clear for shift in one.shifts]) for one in found]
    # Attributes of a run are correlated; the standard error over runs is about 0.3 points.
    assert np.mean(clear) <= 0.05 + 3 * np.std(clear) / runs**0.5
    assert np.mean([bool(one.moved) for one in found]) <= 0.08
    assert np.mean([true_share(4) in one.share.interval for one in found]) >= 0.91
