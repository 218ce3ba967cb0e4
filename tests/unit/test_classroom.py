"""Predictions, the experiment on oneself, and the small charts of the lessons."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from biaslab.errors import QueryError
from biaslab.probes.association import weat_simulation
from biaslab.stats.intervals import interval
from biaslab.stats.psychometric import fit
from harness.deferred import Deferred
from harness.heavy import ipywidgets, pd

classroom = Deferred("biaslab_widgets.classroom")
charts = Deferred("biaslab_widgets.classroom.charts")
lines = Deferred("biaslab_widgets.classroom.lines")


pytestmark = pytest.mark.usefixtures("closed_widgets")


def told(shown: Any) -> str:
    """All the HTML and figures that a widget or a reveal shows."""
    if isinstance(shown, ipywidgets.HTML):
        return str(shown.value)
    if hasattr(shown, "outputs") and callable(shown.outputs):
        return "\n".join(str(one.data) for one in shown.outputs())
    own = str(getattr(shown, "figure", ""))
    return "\n".join([own, *(told(child) for child in getattr(shown, "children", ()))])


def asked(**options: Any) -> classroom.Prediction:
    return classroom.Prediction("Which?", ["one", "two"], **options)


def press(question: Any, button: str, answer: str = "") -> None:
    """Send what the front end sends when a button is pressed."""
    question._handle_custom_msg({"do": button, "answer": answer}, [])


def test_a_reveal_waits_for_its_prediction_and_compares_it() -> None:
    prediction = asked()
    reveal = prediction.reveal("two", "because of this")
    assert not reveal.is_open
    prediction.answer("one")
    assert reveal.is_open
    assert "Result: two (you predicted: one)." in told(reveal)
    assert "because of this" in told(reveal)


def test_selecting_commits_nothing() -> None:
    prediction = asked()
    prediction.selected = "two"
    assert prediction.choice is None
    assert not prediction.is_committed
    press(prediction, "answer", "two")
    assert prediction.choice == "two"
    assert "as you predicted" in told(prediction.reveal("two"))


def test_nothing_selected_commits_nothing() -> None:
    prediction = asked()
    press(prediction, "answer", "")
    assert not prediction.is_committed


def test_a_choice_can_be_changed_until_a_result_is_shown() -> None:
    prediction = asked()
    press(prediction, "answer", "one")
    press(prediction, "answer")  # the button is now the one that changes it
    assert prediction.choice is None
    assert prediction.phase == "open"
    press(prediction, "answer", "two")
    prediction.hold(list)
    press(prediction, "answer", "one")
    prediction.answer("one")
    assert prediction.choice == "two"
    assert prediction.phase == "closed"


def test_passing_by_reveals_without_a_comparison() -> None:
    prediction = asked()
    reveal = prediction.reveal("two")
    press(prediction, "pass")
    assert reveal.is_open
    assert "Result: two." in told(reveal)
    assert "predicted" not in told(reveal)
    prediction.answer("one")
    assert prediction.choice is None


def test_a_reveal_shows_tables_widgets_and_text_that_is_no_markup() -> None:
    prediction = asked()
    prediction.answer("two")
    button = ipywidgets.Button()
    outputs = prediction.reveal("two", "<b>\nnext", pd.DataFrame({"a": [7]}), button).outputs()
    assert len(outputs) == 2  # what is HTML is one output, and the widget is another
    assert "&lt;b&gt;<br>next" in outputs[0].data["text/html"]
    assert "<td>7</td>" in outputs[0].data["text/html"]
    view = outputs[1].data["application/vnd.jupyter.widget-view+json"]
    assert view["model_id"] == button.model_id


def test_wrong_options_and_answers_are_refused() -> None:
    with pytest.raises(ValueError, match="at least two different"):
        classroom.Prediction("Which?", ["one", "one"])
    with pytest.raises(ValueError, match="'three' is not among the options: one, two"):
        asked().reveal("three")
    with pytest.raises(ValueError, match="'three' is not an option"):
        asked().answer("three")


def lengths(svg: str) -> tuple[float, float]:
    """Lengths of the upper and the lower horizontal line."""
    upper, lower = re.findall(r'd="M([\d.]+) [\d.]+H([\d.]+)"', svg)
    return float(upper[1]) - float(upper[0]), float(lower[1]) - float(lower[0])


@given(share=st.floats(0.3, 0.7), open_is_upper=st.booleans())
def test_the_open_finned_line_has_its_share_of_the_length(
    share: float, open_is_upper: bool
) -> None:
    upper, lower = lengths(lines.figure(share, open_is_upper))
    ours = upper if open_is_upper else lower
    assert ours / (upper + lower) == pytest.approx(share, abs=1e-3)


def test_open_fins_lie_outside_the_line_and_arrowheads_inside() -> None:
    svg = lines.figure(0.5, open_is_upper=True)
    (upper_left, _), (lower_left, _) = re.findall(r'd="M([\d.]+) [\d.]+H([\d.]+)"', svg)
    tips = [float(x) for x in re.findall(r'd="M([\d.]+) [\d.]+L', svg)]
    assert tips[0] < float(upper_left)
    assert tips[2] > float(lower_left)


def answer_all(experiment: classroom.LinesExperiment, illusion: float) -> None:
    """Answer as somebody does to whom the open-finned line looks ``illusion`` times as long."""
    experiment.start()
    while not experiment.done:
        svg = experiment.children[1].figure
        upper, lower = lengths(svg)
        left = float(re.findall(r'd="M([\d.]+) [\d.]+H', svg)[0])
        tip = float(re.findall(r'd="M([\d.]+) [\d.]+L', svg)[0])
        seen = (upper * illusion, lower) if tip < left else (upper, lower * illusion)
        experiment.answer(upper=seen[0] > seen[1])


def test_a_person_who_switches_all_at_once_has_a_pse_and_a_bound_for_the_jnd() -> None:
    experiment = classroom.LinesExperiment(classroom.Prediction("?", lines.OUTCOMES), seed=3)
    answer_all(experiment, illusion=1.25)
    # The answers are counted by stimulus, whichever line is upper: 1.25 makes both look equal
    # where the open-finned line has 1 / 2.25 = 44.4 % of the length.
    assert experiment.asked.tolist() == [5] * 7
    assert experiment.chosen.tolist() == [0, 0, 5, 5, 5, 5, 5]
    assert experiment.outcome == lines.SHORTER
    assert "JND below" in told(experiment)
    assert "nan" not in told(experiment)


@pytest.mark.parametrize(
    ("illusion", "why"), [(2.0, "open fins was called longer every time"), (0.5, "arrowheads was")]
)
def test_a_person_who_always_gives_one_answer_is_told_why_there_is_no_pse(
    illusion: float, why: str
) -> None:
    experiment = classroom.LinesExperiment(classroom.Prediction("?", lines.OUTCOMES))
    answer_all(experiment, illusion)
    assert experiment.outcome is None
    assert why in told(experiment)
    assert "inf" not in told(experiment)


def test_answers_that_fall_with_the_length_have_no_pse() -> None:
    experiment = classroom.LinesExperiment()
    experiment.start()
    while not experiment.done:
        upper, lower = lengths(experiment.children[1].figure)
        experiment.answer(upper=upper < lower)
    assert experiment.outcome is None
    assert "do not fix a point" in told(experiment)


@pytest.mark.parametrize(("pse", "name"), [(0.45, "SHORTER"), (0.5, "EQUAL"), (0.53, "LONGER")])
def test_a_simulated_observer_gives_its_known_outcome(pse: float, name: str) -> None:
    outcome = getattr(lines, name)
    prediction = classroom.Prediction("?", lines.OUTCOMES)
    prediction.answer(outcome)
    experiment = classroom.LinesExperiment(prediction)
    experiment.simulate(pse=pse, jnd=0.01, seed=2)
    assert experiment.simulated
    assert experiment.outcome == outcome
    assert "as you predicted" in told(experiment)
    assert "simulated observer" in told(experiment)
    around = interval(experiment.fit, "pse")
    assert around.low <= pse <= around.high


def test_careless_answers_do_not_fix_a_point() -> None:
    experiment = classroom.LinesExperiment(seed=0)
    experiment.asked[:] = 5
    experiment.chosen[:] = [3, 2, 1, 0, 4, 4, 3]
    experiment._finish()
    assert experiment.outcome is None
    assert "do not fix a point" in told(experiment)
    assert "PSE 4" not in told(experiment)
    assert re.search(r"[\d−-]{4,}\.\d", told(experiment.children[0])) is None


@pytest.mark.parametrize("seed", range(12))
def test_no_interval_of_a_pse_ends_outside_what_can_be_shown(seed: int) -> None:
    chosen = np.random.default_rng(seed).binomial(5, 0.5, 7)
    found = fit(lines.LEVELS, chosen, np.full(7, 5), family="normal")
    around = interval(found, "pse")
    words = charts.estimate_in_words(found)
    assert words.startswith("PSE") == (0 <= float(around.low) <= float(around.high) <= 1)


def test_a_key_answers_the_trial_on_the_screen_and_no_other() -> None:
    experiment = classroom.LinesExperiment(seed=1)
    pad = experiment.children[1]
    press_pad = pad._handle_custom_msg
    press_pad({"do": "start"}, [])
    assert pad.trial == 0
    press_pad({"do": "upper", "trial": 0}, [])
    press_pad({"do": "upper", "trial": 0}, [])
    assert experiment.asked.sum() == 1
    assert pad.trial == 1
    press_pad({"do": "lower", "trial": 1}, [])
    assert experiment.asked.sum() == 2


def test_a_chart_follows_the_theme_and_is_light_elsewhere() -> None:
    found = fit([0.2, 0.4, 0.6, 0.8], [1, 6, 14, 19], 20, family="normal")
    chart = classroom.psychometric_chart(found)
    html = chart._repr_html_()
    assert set(re.findall(r"var\(--biaslab[\w-]+, (#\w+)\)", html)) == set(
        re.findall(r"#\w{6}", chart.svg)
    )
    assert '[data-jp-theme-light="false"] .biaslab-chart' in html
    assert re.search(r'(fill|stroke)="#', html) is None


def test_a_result_before_the_end_is_refused_with_the_way_on() -> None:
    experiment = classroom.LinesExperiment()
    experiment.start()
    experiment.answer(upper=True)
    with pytest.raises(QueryError, match="1 of 35 trials are answered"):
        _ = experiment.fit


def test_starting_anew_forgets_the_old_answers() -> None:
    experiment = classroom.LinesExperiment()
    experiment.simulate()
    experiment.start()
    assert experiment.asked.sum() == 0
    assert not experiment.simulated
    assert "PSE" not in told(experiment)


def test_a_curve_says_in_words_what_it_shows() -> None:
    found = fit([0.2, 0.4, 0.6, 0.8], [1, 6, 14, 19], 20, family="normal")
    chart = classroom.psychometric_chart(found, truth=0.5)
    assert f"PSE {100 * float(found.pse()):.1f} %" in chart.words
    assert chart.svg.count("<circle") == 5
    assert "true PSE 50 %" in chart._repr_html_()


def test_three_curves_are_refused() -> None:
    found = fit([0.2, 0.8], [1, 19], 20)
    with pytest.raises(ValueError, match="Draw one or two"):
        classroom.psychometric_chart(dict.fromkeys("abc", found))


def test_an_interval_clear_of_the_middle_leans_and_others_do_not() -> None:
    chart = classroom.interval_chart(
        ["up", "<down>", "open"], [0.7, 0.3, 0.55], [0.6, 0.2, 0.4], [0.8, 0.4, 0.7]
    )
    assert [line.rpartition(", ")[2] for line in chart.words.splitlines()] == [
        "leans female",
        "leans male",
        "no clear lean",
    ]
    assert "&lt;down&gt;" in chart.svg
    assert "<down>" not in chart.svg


def test_estimates_far_outside_the_axis_stay_in_the_picture() -> None:
    svg = classroom.interval_chart(["far"], [1.8], [1.2], [2.4]).svg
    ends = np.array(re.findall(r'x[12]="([\d.-]+)"', svg), dtype=float)
    assert ends.min() >= 0
    assert ends.max() <= 640


def test_a_difference_clear_of_none_is_filled_and_told() -> None:
    chart = classroom.difference_chart(
        ["clear", "", "open"],
        [0.2, np.nan, 0.1],
        [0.1, np.nan, -0.1],
        [0.3, np.nan, 0.3],
        axis="difference",
        ends=("nearer", "farther"),
    )
    assert chart.words.splitlines() == [
        "clear: 0.20, 0.10 to 0.30, farther",
        "open: 0.10, −0.10 to 0.30, interval includes 0",
    ]
    assert chart.svg.count("<circle") == 1
    for shown in ("no difference 0", "← nearer", "farther →", "difference"):
        assert f">{shown}<" in chart.svg


@given(
    st.lists(st.tuples(st.floats(-3, 3), st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=6)
)
@example([(0.0, 0.0, 5e-324)])
def test_every_interval_lies_inside_the_picture(rows: list[tuple[float, float, float]]) -> None:
    values = np.array([value for value, _, _ in rows])
    low = values - [below for _, below, _ in rows]
    high = values + [above for _, _, above in rows]
    chart = classroom.difference_chart(
        [f"row {n}" for n in range(len(rows))], values, low, high, axis="a"
    )
    places = [float(x) for x in re.findall(r' x[12]="(-?[\d.]+)"', chart.svg)]
    assert 0 <= min(places) <= max(places) <= charts.WIDTH


def test_a_difference_without_numbers_is_refused() -> None:
    with pytest.raises(ValueError, match="finite"):
        classroom.difference_chart(["a"], [np.nan], [0], [1], axis="a")


def test_a_histogram_marks_values_and_what_none_can_pass() -> None:
    simulated = weat_simulation(ddof=0)
    chart = classroom.histogram_chart(
        simulated.edges,
        simulated.counts,
        axis="effect size",
        marks={"the paper 1.82": 1.82},
        limits=(-simulated.ceiling, simulated.ceiling),
    )
    assert chart.svg.count("<rect") == len(simulated.counts) + 1
    assert chart.svg.count(">ceiling ") == 2
    assert "ceiling: −2.00" in chart.words
    assert "10,000 values from −2.00 to 2.00" in chart.words


def test_a_histogram_says_what_its_zero_means() -> None:
    assert ">no difference 0<" in classroom.histogram_chart([-1, 0, 1], [1, 2], axis="a").svg
    chart = classroom.histogram_chart([-1, 0, 1], [1, 2], axis="a", neutral="mean of the prior")
    assert ">mean of the prior<" in chart.svg
    assert "no difference" not in chart.svg


def test_a_histogram_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="counts"):
        classroom.histogram_chart([0, 1], [0], axis="a")
