"""What the posterior bench keeps of a run that goes on: every draw once, every R-hat once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import biaslab as bl
from biaslab.jobs.memory import MemoryBudget
from biaslab.probes.posterior import LiveDraws, diagnose
from biaslab.probes.posterior.size import bytes_of_draws
from biaslab.stats.chains import FEWEST, summarise
from biaslab_widgets.benches.posterior import run as posterior_run
from biaslab_widgets.benches.posterior.drawings import SentDrawings, drawings
from biaslab_widgets.benches.posterior.fields import PosteriorBenchState
from biaslab_widgets.benches.posterior.parts import trace
from biaslab_widgets.benches.posterior.run import PATH, Drawn, LiveRun, Settings, Shown
from biaslab_widgets.benches.posterior.view import picture_of, priors_of

CHAINS, DIM = 3, 2


def a_run(draws: int) -> LiveRun:
    settings = Settings("made up", "standard", 1.0, "vectorised", CHAINS, draws, 0)
    return LiveRun(1, settings, ("positive", "negative"), DIM, MemoryBudget().hold())


def feed(run: LiveRun, label: str, warmup: int, draws: int, steps: list[int]) -> np.ndarray:
    """Numbers in blocks of so many steps; all steps of logit, |s|² and s, (chains, n, 2 + DIM)."""
    total = warmup + draws
    values = np.random.default_rng(len(label)).normal(size=(CHAINS, total, 2 + DIM)).astype("f4")
    done = 0
    for step in steps:
        begin, end = done, done + step
        done = end
        run.add(
            label,
            LiveDraws(
                stage="warm-up" if begin < warmup else "sampling",
                done=end,
                total=total,
                seconds=1.0,
                chains=CHAINS,
                logit=values[:, begin:end, 0],
                square=values[:, begin:end, 1],
                points=values[:, begin:end, 2:],
                acceptance=0.5,
                divergences=end,
                step_size=0.1,
            ),
        )
    return values[:, :done]


def counted(monkeypatch: pytest.MonkeyPatch, module: Any, name: str) -> list[Any]:
    """First arguments with which a function of a module is called from now on."""
    calls, real = [], getattr(module, name)

    def call(first: Any, *args: Any, **options: Any) -> Any:
        calls.append(first)
        return real(first, *args, **options)

    monkeypatch.setattr(module, name, call)
    return calls


@given(warm=st.lists(st.integers(1, 9), max_size=4), kept=st.lists(st.integers(1, 9), max_size=6))
def test_blocks_of_any_size_come_out_as_they_were(warm: list[int], kept: list[int]) -> None:
    run, draws = a_run(sum(kept) + 5), sum(kept) + 5
    fed = feed(run, "positive", sum(warm), draws, [*warm, *kept])
    drawn = run.drawn("positive")["positive"]
    if not warm and not kept:
        assert drawn.n == 0
        return
    values = np.moveaxis(fed[:, :, :2], 2, 0)
    np.testing.assert_array_equal(drawn.warmup, values[:, :, : drawn.warmup.shape[2]])
    np.testing.assert_array_equal(drawn.values, values[:, :, sum(warm) :])
    np.testing.assert_array_equal(drawn.points, fed[:, sum(warm) :, 2:])
    assert drawn.n == sum(kept)
    assert (drawn.divergences, drawn.acceptance) == (fed.shape[1], 0.5)
    assert run.progress()[1:] == (fed.shape[1], 2 * (sum(warm) + draws))


def test_nothing_is_copied_and_what_was_given_out_does_not_change() -> None:
    run = a_run(50)
    feed(run, "positive", 10, 50, [10, 20])
    before = run.drawn("positive")["positive"]
    values, points = before.values.copy(), before.points.copy()
    feed(run, "positive", 10, 50, [10, 20, 30])
    after = run.drawn("positive")["positive"]
    assert (before.n, after.n) == (20, 50)
    assert np.shares_memory(before.points, after.points)
    np.testing.assert_array_equal(before.values, values)
    np.testing.assert_array_equal(before.points, points)


def test_a_label_without_draws_is_there_and_empty() -> None:
    drawn = a_run(50).drawn("negative")
    assert list(drawn) == ["positive", "negative"]
    assert drawn["negative"].n == 0
    assert drawn["negative"].rhat_path("logit") == ([], [])


def test_one_label_is_diagnosed_and_only_when_it_has_new_draws(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(posterior_run, "LOOK_S", 0.0)
    monkeypatch.setattr(posterior_run, "REST", 0.0)
    run = a_run(50)
    feed(run, "positive", 10, 50, [10, 30])
    fed = feed(run, "negative", 10, 50, [10, 50])
    calls = counted(monkeypatch, posterior_run, "diagnose")
    drawn = run.drawn("negative")
    assert drawn["positive"].diagnostics is None
    found = drawn["negative"].diagnostics
    assert found is not None
    logit, square = fed[:, 10:, 0], fed[:, 10:, 1]
    assert found == diagnose(fed[:, 10:, 2:], logit, square, quick=True)
    assert run.drawn("negative")["negative"].diagnostics is found
    assert len(calls) == 1


@pytest.mark.parametrize("steps", [[100], [1] * 100, [33, 33, 34]])
def test_a_large_run_keeps_one_of_so_many_draws(
    monkeypatch: pytest.MonkeyPatch, steps: list[int]
) -> None:
    monkeypatch.setattr(posterior_run, "LIVE_BYTES", bytes_of_draws(CHAINS, 100, DIM) // 3)
    run = a_run(100)
    fed = feed(run, "positive", 5, 100, [5, *steps])
    drawn = run.drawn("positive")["positive"]
    assert drawn.every == 3
    np.testing.assert_array_equal(drawn.points, fed[:, 5::3, 2:])
    np.testing.assert_array_equal(drawn.values[0], fed[:, 5:, 0])
    assert drawn.diagnostics is not None
    assert drawn.diagnostics.draws == drawn.n == 100
    ends, path = drawn.rhat_path("s_1")
    for end, rhat in list(zip(ends, path, strict=True))[:-1]:
        assert rhat == summarise(fed[:, 5 : 5 + end : 3, 3], 1).rhat
    assert ends[0] == 3 * 4 * FEWEST, "of no fewer draws than of a run that keeps all"
    assert trace(drawn, "s_1", "s₁")["lines"]["shape"] == [CHAINS, 100]


@pytest.mark.parametrize("n", [15, 16, 100, 192, 193, 1000])
def test_the_path_of_rhat_is_that_of_the_first_draws(n: int) -> None:
    run = a_run(n)
    values = feed(run, "positive", 0, n, [n])
    drawn = run.drawn("positive")["positive"]
    ends, path = drawn.rhat_path("s_1")
    assert len(set(np.diff([0, *ends]))) <= 1 or ends[-1] == n
    assert len(ends) <= PATH + 1
    assert (not ends) == (n < 16)
    # The last may be that of the last diagnosis, as it is shown beside the path.
    for end, rhat in list(zip(ends, path, strict=True))[:-1]:
        assert rhat == summarise(values[:, :end, 3], 1).rhat
    if ends:
        assert drawn.diagnostics is not None
        assert n in (ends[-1], drawn.diagnostics.draws)


def test_more_draws_leave_the_rhats_of_the_first_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = counted(monkeypatch, posterior_run, "summarise")
    run, steps = a_run(1000), []
    for _ in range(100):
        steps.append(10)
        feed(run, "positive", 0, 1000, [sum(steps)])
        run.drawn("positive")["positive"].rhat_path("logit")
    sizes = [one.shape[1] for one in calls]
    assert len(sizes) == len(set(sizes))  # each once
    assert len(sizes) < 3 * PATH
    run.drawn("positive")["positive"].rhat_path("logit")
    assert len(calls) == len(sizes)


def test_draws_of_a_result_remember_their_rhats(monkeypatch: pytest.MonkeyPatch) -> None:
    x = np.random.default_rng(0).normal(size=(2, CHAINS, 100)).astype(np.float32)
    drawn = Drawn("positive", x[:, :, :0], x, np.zeros((CHAINS, 100, DIM), np.float32))
    first = drawn.rhat_path("|s|²")
    calls = counted(monkeypatch, posterior_run, "summarise")
    assert drawn.rhat_path("|s|²") == first
    assert calls == []


def test_draws_that_come_while_a_picture_is_made_are_sent_with_the_next() -> None:
    run, ledger, state = a_run(50), SentDrawings(), PosteriorBenchState()

    def sent(shown: Shown) -> tuple[list[int], list[int]]:
        """Shapes of the traces, and of the cloud, that are sent with a picture."""
        made = drawings(shown, picture_of(shown, state), state)
        assert made is not None
        outputs = ledger.changed(made)
        cloud = outputs["clouds"]["clouds"][0]
        return outputs["traces"]["quantities"][0]["lines"]["shape"], cloud["points"]["shape"]

    feed(run, "positive", 10, 50, [10, 20])
    early = shown_of(run)
    feed(run, "positive", 10, 50, [10, 20, 30])
    assert sent(early) == ([CHAINS, 30], [20 * CHAINS, DIM])
    assert sent(shown_of(run)) == ([CHAINS, 60], [50 * CHAINS, DIM])


def shown_of(run: LiveRun) -> Shown:
    """What a picture of the first label's draws so far is made of."""
    subject = bl.observers.classifier(dim=DIM, seed=1)
    return Shown(
        subject=subject,
        label="positive",
        number=run.number,
        version=0,
        run=run,
        overview=None,
        draws=run.drawn("positive"),
        settings=run.settings,
        stale=False,
        prior=priors_of(subject)[0],
        located=None,
        word_reason="",
        near=None,
        near_reason="",
    )
