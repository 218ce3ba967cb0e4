"""A service is asked, rated, explained and rated anew; what fails is kept, counted and said."""

from __future__ import annotations

import html
import itertools
import json
import re
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

import biaslab as bl
from biaslab.asking.providers.apertium_analysis import AnalysedWord
from biaslab.errors import ObserverError, RatingError, ServiceError, ServiceSetupError
from biaslab.jobs.context import reporting_to
from biaslab.probes.rating import (
    Attribute,
    CorrectedRule,
    PaperRule,
    Rating,
    RatingDesign,
    RatingResult,
    Rules,
    Template,
    balance,
    execute,
    middle_gender,
    plan,
    power_curve,
    rate,
)
from biaslab.reports.rating.card import card_schema
from biaslab.services import Cost, FunctionService, Limits, Translation
from biaslab.store import Store
from harness.heavy import jsonschema
from harness.watched_context import Watched

DESIGN = RatingDesign.make()


class FakeTranslator:
    """Marks what it translates, and loses gender through one language."""

    name, about = "fake", "a translator for tests"
    limits, cost = Limits(texts_per_call=7), Cost(per_call=0.01, currency="EUR")

    def __init__(self) -> None:
        self.calls = 0

    def pairs(self) -> frozenset[tuple[str, str]]:
        return frozenset((a, b) for m in ("eo", "es") for a, b in (("en", m), (m, "en")))

    def identity_of(self, source: str, target: str) -> str:
        return f"fake/1 {source}-{target}"

    def translate(self, texts: Sequence[str], source: str, target: str) -> list[str]:
        self.calls += 1
        return [self._one(text, source, target) for text in texts]

    @staticmethod
    def _one(text: str, source: str, target: str) -> str:
        words = {
            "eo": (("He is", "Li estas"), ("She is", "Ŝi estas")),
            "es": (("He is", "Es"), ("She is", "Es")),
        }[target if source == "en" else source]
        if source == "en":
            for english, other in words:
                text = text.replace(english, other)
            article = "" if target == "eo" else " un"
            return text.replace(" an ", f"{article} ").replace(" a ", f"{article} ")
        for english, other in words[::-1]:
            text = text.replace(other, english if source == "eo" else "It is")
        return text.replace(" un ", " a ")


@pytest.mark.parametrize(
    ("behaviour", "paper", "corrected"),
    [
        ("faithful", "DSBS", "DSBS"),
        ("always-he", "DSBS", "BS"),
        ("always-she", "DSBS", "BS"),
        ("compensating", "UCS", "UCS"),
        ("erasing", "DSBS", "not rateable"),
    ],
)
def test_observers_get_their_true_rating(behaviour: str, paper: str, corrected: str) -> None:
    observer = bl.observers.service(behaviour)
    result = bl.rate(observer, DESIGN, keep=False)
    (found,) = result.ratings
    assert observer.rating == found.corrected == corrected
    assert found.paper == paper
    assert found.shown
    assert bool(found.probabilities) == (corrected != "not rateable")


def test_noisy_observers_are_rated_as_their_noiseless_parents_with_enough_texts() -> None:
    design = RatingDesign.make(texts=120)
    for behaviour in ("noisy", "always-he", "compensating", "erasing"):
        observer = bl.observers.service(behaviour, noise=0.1)
        assert bl.rate(observer, design, keep=False).ratings[0].corrected == observer.rating


def test_observers_of_worship() -> None:
    design = RatingDesign.from_spec("places-of-worship", texts=40)
    for behaviour, rating in (
        ("faithful", "DSBS"),
        ("always-church", "BS"),
        ("erasing", "not rateable"),
    ):
        observer = bl.observers.service(behaviour, attribute="place of worship")
        assert bl.rate(observer, design, keep=False).ratings[0].corrected == rating


def test_an_observer_behaves_by_language() -> None:
    languages = {"Turkish": "always-he", "hin": "compensating"}
    observer = bl.observers.service("faithful", languages=languages)
    rules = Rules(without=("tr", "hi"))
    result = bl.rate(observer, RatingDesign.paper(), rules=rules, keep=False)
    assert observer.ratings == {"tr": "BS", "hi": "UCS"}
    assert result.rating("tr").corrected == "BS"
    assert result.rating("hi").corrected == "UCS"
    assert result.overall.corrected == "BS"
    assert result.overall.corrected_without == "DSBS"
    told = result.summary()
    assert told.startswith("Through Arabic, French, Italian, Portuguese, Russian and Spanish it")
    lost = bl.observers.service("erasing")
    both = bl.rate(lost, RatingDesign.paper(middles=["tr", "hi"]), keep=False).headline
    assert "Through Turkish and Hindi gender is erased" in both
    assert "The paper’s rule would call them DSBS." in both


def test_a_translator_is_asked_there_and_back_and_every_text_can_be_shown(tmp_path: Path) -> None:
    translator = FakeTranslator()
    design = RatingDesign.paper(middles=("es", "eo"), seed=1)
    store = Store(tmp_path)
    result = bl.rate(translator, design, store=store)
    assert [r.corrected for r in result.ratings] == ["not rateable", "DSBS"]
    assert result.output_counts("es").tolist() == [[0, 0, 40]] * 3
    assert result.output_counts("eo").tolist() == [[20, 20, 0], [4, 36, 0], [36, 4, 0]]
    shown = result.shown_texts("eo", "10/90")
    assert len(shown) == 20
    for text in shown:
        assert [text.source[slice(*f.spans[0])] for f in text.source_values] == [
            f.value for f in text.source_values
        ]
        assert {text.middle[slice(*f.spans[0])] for f in text.middle_values} <= {"Li", "Ŝi"}
        assert not any(text.changed)
    lost = result.shown_texts("es", "50/50")[0]
    assert lost.changed == (True, True)
    assert [lost.back[slice(*f.spans[0])] for f in lost.back_values] == ["It", "It"]

    asked = translator.calls
    again = bl.rate(translator, design, store=store)
    assert translator.calls == asked
    assert again.ratings == result.ratings
    shorter = RatingDesign.paper(middles=("es", "eo"), texts=10, seed=1)
    other = bl.rate(translator, shorter, store=store)
    assert other.routes[0].responses.from_store > 0


def test_the_default_design_takes_the_languages_that_a_translator_has() -> None:
    result = bl.rate(FakeTranslator(), keep=False)
    assert set(result.languages) == {"eo", "es"}


def test_what_it_will_take_is_said_beforehand() -> None:
    design = RatingDesign.paper(middles=("es", "eo"))
    plans = plan(FakeTranslator(), design, keep=False)
    assert list(plans) == ["es", "eo"]
    unique = len(set(design.all_texts))
    assert plans["es"].calls == 2 * -(-unique // 7)
    assert plans["es"].cost == pytest.approx(0.01 * plans["es"].calls)
    assert plans["es"].currency == "EUR"


def test_explanations_cite_counts() -> None:
    design = RatingDesign.paper(middles=("es", "eo"))
    result = bl.rate(FakeTranslator(), design, keep=False)
    esperanto = "".join(text for text, _ in result.explanation("eo"))
    for said in ("20/20/0", "4/36/0", "36/4/0", "equivalent to 50 % within 10 points", "DSBS"):
        assert said in esperanto
    spanish = "".join(text for text, _ in result.explanation("es"))
    assert "all 40 mentions of a block are returned as other" in spanish
    assert "The paper’s rule: DSBS" in spanish
    verdict = " ".join(result.verdict())
    assert "Through Spanish gender is erased" in verdict
    assert "Through Esperanto it follows the input: data-sensitive biased system (DSBS)." in verdict


def test_the_decision_path_is_the_way_of_both_rules() -> None:
    result = bl.rate(FakeTranslator(), RatingDesign.paper(middles=("es", "eo")), keep=False)
    assert result.path("es").taken == ("kept", "not rateable")
    assert result.path("es").nodes[0].note == "0 of 40 mentions keep it"
    assert result.path("es", "paper").taken == ("unbiased", "biased", "DSBS")
    assert result.path("eo").taken == ("kept", "unbiased", "biased", "DSBS")
    for path in (result.path("eo"), result.path("eo", "paper")):
        edges = [(e.source, e.target) for e in path.edges if e.on_path]
        assert edges == list(zip(path.taken, path.taken[1:], strict=False))
        assert path.taken[-1] == path.rating
    with pytest.raises(RatingError, match="No rule"):
        result.path("es", "mine")
    with pytest.raises(RatingError, match="not tested through 'fr'"):
        result.path("fr")


def test_probabilities_do_not_depend_on_what_was_rated_anew_before() -> None:
    service = bl.observers.service("noisy", noise=0.4)
    design = RatingDesign.make(texts=30)
    dragged, at_once = (bl.rate(service, design, keep=False) for _ in range(2))
    first, then = {"10/90": (0.4, 0.6)}, {"50/50": (0.55, 0.45)}
    moved = dragged.re_rate(biased=first)
    assert moved.ratings
    again = moved.re_rate(unbiased=then)
    both = at_once.re_rate(unbiased=then, biased=first)
    assert again.ratings == both.ratings
    assert 0 < both.rating().probabilities["BS"] < 1


def test_the_draws_follow_from_rng_and_are_those_of_before_by_default() -> None:
    observer = bl.observers.service("noisy", noise=0.1)
    usual, again, other = (rate(observer, DESIGN, rng=rng, keep=False) for rng in (0, 0, 1))
    assert rate(observer, DESIGN, keep=False) == usual == again
    assert usual.ratings[0].probabilities == again.ratings[0].probabilities
    assert usual.ratings[0].probabilities != other.ratings[0].probabilities
    assert RatingResult.from_json(other.to_json()).seed == 1
    generators = [rate(observer, DESIGN, rng=np.random.default_rng(5), keep=False) for _ in "ab"]
    assert generators[0].seed == generators[1].seed
    older = json.loads(usual.to_json())
    del older["seed"]
    assert RatingResult.from_json(json.dumps(older)) == usual


def test_rating_anew_makes_no_call_and_a_changed_block_is_predicted() -> None:
    translator = FakeTranslator()
    result = bl.rate(translator, RatingDesign.paper(middles=("eo",)), keep=False)
    asked = translator.calls
    moved = result.re_rate(biased={"10/90": (0.3, 0.7)})
    assert translator.calls == asked
    assert [d.name for d in moved.distributions] == ["50/50", "30/70", "90/10"]
    assert moved.output_counts("eo")[1].tolist() == pytest.approx([12, 28, 0])
    assert [f.predicted for f in moved.block_findings("eo")] == [False, True, False]
    assert moved.re_rate(biased={"10/90": (0.1, 0.9)}).ratings == result.ratings
    wide = result.re_rate(rules=Rules(corrected=CorrectedRule(margin=0.48)))
    assert {f.finding for f in wide.block_findings("eo")} == {"equivalent"}
    per_text = result.re_rate(rules=Rules(paper=PaperRule(unit="text")))
    assert per_text.comparisons("eo")[0].specified == (2, 18, 0)
    with pytest.raises(RatingError, match="no distribution '20/80'"):
        result.re_rate(biased={"20/80": (0.2, 0.8)})
    with pytest.raises(RatingError, match=r"sum to 1\.2"):
        result.re_rate(biased={"10/90": (0.3, 0.9)})


@pytest.mark.parametrize("behaviour", ["faithful", "compensating"])
def test_biased_inputs_that_are_as_good_as_unbiased_tell_nothing(behaviour: str) -> None:
    """A service that follows 45/55 gives what one gives that makes up for it."""
    near = RatingDesign.paper(middles=(), texts=80, biased={"45/55": (0.45, 0.55)})
    result = bl.rate(bl.observers.service(behaviour), near, keep=False)
    assert result.rating().corrected == "not rateable"
    assert "No biased input is more than 10 points from an unbiased one" in result.summary()
    assert result.path().taken == ("kept", "unbiased", "biased", "not rateable")
    assert [(e.source, e.target) for e in result.path().edges if e.on_path][-1] == (
        "biased",
        "not rateable",
    )
    narrow = result.re_rate(rules=Rules(corrected=CorrectedRule(margin=0.04)))
    assert narrow.rating().corrected != "not rateable"
    assert "not rateable" not in [e.target for e in narrow.path().edges if e.source == "biased"]


def test_a_value_that_no_text_had_cannot_be_predicted() -> None:
    result = bl.rate(bl.observers.service(), DESIGN, keep=False)
    moved = result.re_rate(unbiased={"50/50": (0.4, 0.4, 0.2)})
    assert moved.ratings[0].corrected == "not rateable"
    assert "not known until it is run" in moved.summary()


def test_a_result_comes_back_from_its_file_and_its_frame_adds_up() -> None:
    result = bl.rate(bl.observers.service("noisy"), RatingDesign.make(texts=30), keep=False)
    again = RatingResult.from_json(result.to_json())
    assert again == result
    assert again.ratings == result.ratings
    frame = result.to_frame()
    assert len(frame) == 3
    outputs = frame[["output_He", "output_She", "output_Other", "unresolved"]].sum(axis=1)
    assert (outputs == frame["mentions"]).all()
    assert np.allclose(frame[["p_UCS", "p_DSBS", "p_BS"]].sum(axis=1), 1)


def test_what_is_not_shown_is_open_everywhere_and_never_called_biased() -> None:
    result = bl.rate(bl.observers.service("faithful", noise=0.1), keep=False)
    rating, card = result.rating(), result.card()
    assert (rating.possible, rating.shown) == (("DSBS", "BS"), False)
    assert rating.probabilities["BS"] < 0.1
    assert result.headline.startswith(
        "The rating is open between DSBS and BS, P(DSBS) = 0.97: its output is not shown to be "
        "unbiased where the input is. A bias of 22 points or more would show. More "
        "texts per block would settle it."
    )
    assert not any(node.is_rating and node.on_path for node in result.path().nodes)
    assert result.path(rule="paper").rating == rating.paper == "DSBS"
    told = card.to_dict()
    assert told["overall"]["corrected"] == told["languages"][0]["corrected"] == "open"
    jsonschema.Draft202012Validator(card_schema()).validate(told)
    for text in (result.summary(), card.to_markdown(), result.to_svg()):
        assert "open (DSBS or BS" in text
        assert "biased system" not in text
    assert bl.compose(result, "UCS").rating is None


def test_the_card_fits_its_schema_and_quotes_strange_names() -> None:
    schema = jsonschema.Draft202012Validator(card_schema())
    odd = FunctionService(lambda text: text, name='<script>|"x"</script>')
    for service in (odd, bl.observers.service("erasing")):
        result = bl.rate(service, DESIGN, rules=Rules(without=("tr",)), keep=False)
        card = result.card()
        told = json.loads(card.to_json())
        schema.validate(told)
        for missing in told:  # nothing of a card may be left out, or be said otherwise
            assert not schema.is_valid({k: v for k, v in told.items() if k != missing})
        assert not schema.is_valid({**told, "overall": told["overall"] | {"paper": "good"}})
        assert str(result.ratings[0].corrected) in card.to_markdown()
        assert "<script>" not in card.to_html()
        assert "<script>" not in card.to_markdown()


def test_any_callable_is_rated() -> None:
    result = rate(lambda text: text.replace("She", "He"), DESIGN, keep=False)
    assert result.ratings[0].corrected == "BS"


def test_unresolved_answers_are_counted_listed_and_never_guessed() -> None:
    def half(text: str) -> str:
        return text if len(text) % 2 else "The weather is nice. It rains."

    def sentences_lost(text: str) -> str:
        return text.partition(" is ")[0] + " is here."

    result = bl.rate(half, RatingDesign.make(texts=40), keep=False)
    assert result.ratings[0].unresolved == sum(result.unresolved.values())
    assert result.ratings[0].unresolved > 0
    lost = bl.rate(sentences_lost, DESIGN, keep=False)
    assert lost.ratings[0].corrected == lost.ratings[0].paper == Rating.NOT_RATEABLE
    assert lost.ratings[0].unresolved == 120
    assert "Only 0 of 40 mentions of the block 50/50 could be read, fewer than half" in (
        lost.summary()
    )
    assert lost.summary().endswith("Not read, 120 mentions: 1 sentence came back for 2")
    small = bl.rate(bl.observers.service(), RatingDesign.make(texts=3), keep=False)
    told = "The block 50/50 has 6 mentions, fewer than the 20 that a rating needs"
    assert small.summary().startswith(told)
    strict = small.re_rate(rules=Rules(minimum=5))
    assert strict.rating().corrected != Rating.NOT_RATEABLE


def test_a_service_that_fails_at_some_texts_is_rated_by_the_others() -> None:
    def fails(text: str) -> str:
        if "nurse" in text or "teacher" in text:
            raise ValueError("no such word")
        return text

    result = bl.rate(fails, DESIGN, keep=False)
    assert result.ratings[0].corrected == "DSBS"
    assert result.ratings[0].unresolved > 0
    assert any("no such word" in d.reason for d in result.dropped)


def test_a_service_that_never_answers_raises_and_says_why() -> None:
    def broken(text: str) -> str:
        raise ValueError("out of order")

    with pytest.raises(ServiceError, match="out of order"):
        bl.rate(broken, DESIGN, keep=False)


def test_a_language_that_does_not_exist_is_dropped_with_its_reason() -> None:
    result = bl.rate(FakeTranslator(), RatingDesign.paper(middles=("eo", "fr")), keep=False)
    assert result.languages == ("eo",)
    (dropped,) = result.dropped
    assert (dropped.term, dropped.role) == ("French", "language")
    with pytest.raises(ServiceError):
        bl.rate(FakeTranslator(), RatingDesign.paper(middles=("fr",)), keep=False)


def test_a_design_that_does_not_fit_the_service_is_refused() -> None:
    with pytest.raises(RatingError, match="not a translator"):
        bl.rate(lambda text: text, RatingDesign.paper(), keep=False)
    with pytest.raises(RatingError, match="names none"):
        bl.rate(FakeTranslator(), DESIGN, keep=False)


def test_a_test_that_needs_an_order_is_refused_without_one() -> None:
    rules = Rules(paper=PaperRule(test="Kolmogorov-Smirnov"))
    with pytest.raises(RatingError, match="in the order of the values"):
        bl.rate(bl.observers.service(), DESIGN, rules=rules, keep=False)
    words = {"Child": ["child"], "Adult": ["adult"], "Elder": ["elder"]}
    age = Attribute.of_words("age", words, ordered=True)
    design = RatingDesign.make(age, template=Template("t", ("The {term} is {value}.",)))
    result = bl.rate(lambda text: text, design, rules=rules, keep=False)
    assert result.ratings[0].paper == "DSBS"


def test_the_figure_shows_the_counts_and_what_was_lost() -> None:
    def lossy(text: str) -> str:
        return text if len(text) % 3 else "It rains."

    result = bl.rate(lossy, DESIGN, keep=False)
    heading, blocks = result.figure().children
    assert html.escape(result.headline) in heading.text
    plots = blocks.children
    assert [plot.title.text for plot in plots] == [
        "50/50, unbiased",
        "10/90, biased",
        "90/10, biased",
    ]
    for b, plot in enumerate(plots):
        drawn = [bars.data_source.data["count"][1] for bars in plot.renderers]
        assert drawn[:3] == pytest.approx(result.output_counts()[b])
        assert sum(drawn) == pytest.approx(40)
        assert drawn[3] > 0


def test_a_language_that_nobody_can_read_is_refused_before_anybody_is_asked() -> None:
    class ToZulu(FakeTranslator):
        def pairs(self) -> frozenset[tuple[str, str]]:
            return frozenset({("en", "zu")})

    translator = ToZulu()
    with pytest.raises(RatingError, match="No rules to read gender in 'zu'"):
        bl.rate(Translation(translator, "en", "zu"), DESIGN, keep=False)
    assert translator.calls == 0


def test_what_is_there_is_kept_after_every_language() -> None:
    context = Watched()
    with reporting_to(context):
        bl.rate(FakeTranslator(), RatingDesign.paper(middles=("es", "eo")), keep=False)
    assert [len(partial.routes) for partial in context.kept] == [1, 2]
    assert context.kept[0].ratings[0].corrected == "not rateable"
    assert any(message.startswith("Esperanto: ") for *_, message in context.reports)


def test_where_the_output_is_balanced() -> None:
    shares = {f"{k}0": (k / 10, 1 - k / 10) for k in (0, 1, 3, 7, 9, 10)}
    design = RatingDesign.make(biased=shares, texts=40)
    noisy = balance(bl.rate(bl.observers.service("noisy"), design, keep=False))
    assert noisy.pse_interval is not None
    assert 0.5 in noisy.pse_interval
    assert noisy.line == pytest.approx(0.5, abs=0.05)
    leaning = bl.rate(_leans_to_he, design, keep=False)
    found = balance(leaning)
    # Of "she" two fifths become "he": x + 0.4 (1 - x) is one half at x = 1/6.
    assert found.line == pytest.approx(1 / 6, abs=0.06)
    assert found.pse < 0.3
    never = balance(bl.rate(bl.observers.service("always-he"), design, keep=False))
    assert never.reason == "every mention comes back as he"
    assert np.isnan(never.pse)
    assert "no input" in never.summary()


def _swaps(text: str) -> str:
    swapped = {"He": "She", "She": "He"}
    return re.sub(r"\b(He|She)\b", lambda found: swapped[found[0]], text)


def _more_than_one_he(text: str) -> str:
    """All he where most are, else all she."""
    said = "He" if text.count("He ") > 1 else "She"
    return re.sub(r"\b(He|She)\b", said, text)


def test_why_there_is_no_balance_is_what_the_service_does() -> None:
    even = balance(bl.rate(bl.observers.service("compensating"), DESIGN, keep=False))
    assert even.reason == "it is 50 % he whatever the input"
    falls = balance(bl.rate(_swaps, DESIGN, keep=False))
    assert falls.reason == "it falls as the share of he in the input rises"
    assert falls.line == pytest.approx(0.5)
    ends = RatingDesign.paper(middles=(), biased={"none": (0, 1), "all": (1, 0)})
    faithful = balance(bl.rate(bl.observers.service(), ends, keep=False))
    assert (faithful.pse, faithful.jnd) == (pytest.approx(0.5), 0)
    assert faithful.summary().endswith("is he; there it switches abruptly from she to he.")
    outer = RatingDesign.paper(
        middles=(), sentences=2, unbiased={"all": (1, 0)}, biased={"none": (0, 1)}
    )
    turns = balance(bl.rate(_more_than_one_he, outer, keep=False))
    assert np.isnan(turns.pse)
    assert "somewhere from 0 to 100 %; inputs in between would narrow this down" in turns.summary()


@pytest.mark.parametrize(("said", "lost"), [("He", "She"), ("She", "He")])
def test_no_input_may_balance_the_output(said: str, lost: str) -> None:
    def leans(text: str) -> str:
        """Three fifths of one pronoun become the other, so that even all of it is too few."""
        number = itertools.count(zlib.crc32(text.encode()))
        return re.sub(rf"\b{lost}\b", lambda _: said if next(number) % 5 < 3 else lost, text)

    shares = {f"{k}0": (k / 10, 1 - k / 10) for k in (0, 2, 4, 6, 8, 10)}
    found = balance(bl.rate(leans, RatingDesign.make(biased=shares, texts=40), keep=False))
    assert np.isnan(found.pse)
    balanced = re.search(r"balanced outside 0 to 100 %, at (-?\d+) %", found.reason)
    assert balanced is not None, found.reason
    assert int(balanced[1]) > 100 if lost == "He" else int(balanced[1]) < 0


def _leans_to_he(text: str) -> str:
    made = []
    for place, sentence in enumerate(text.split(". ")):
        lean = zlib.crc32(f"{place}{text}".encode()) % 5 < 2
        made.append(sentence.replace("She", "He") if lean else sentence)
    return ". ".join(made)


def test_there_is_no_middle_text_where_a_service_was_asked_directly() -> None:
    result = bl.rate(bl.observers.service(), DESIGN, keep=False)
    with pytest.raises(RatingError, match="no middle text"):
        middle_gender(result)


class RussianOfOne(FakeTranslator):
    """Through Russian the verb alone says the gender, and everybody is a man to it but nurses."""

    def pairs(self) -> frozenset[tuple[str, str]]:
        return frozenset({("en", "ru"), ("ru", "en")})

    @staticmethod
    def _one(text: str, source: str, target: str) -> str:
        if source == "ru":
            return text.replace("Работала как", "She is a").replace("Работал как", "He is a")
        return re.sub(
            r"(?:She|He) is an? (\w+)",
            lambda m: f"Работал{'а' * (m[1] == 'nurse')} как {m[1]}",
            text,
        )


def test_verbs_of_the_middle_text_are_read_by_rules_where_no_dictionary_is() -> None:
    design = RatingDesign.make(
        middles=("ru",), texts=20, template="is a", terms=["nurse", "baker", "plumber"], seed=1
    )
    found = middle_gender(bl.rate(RussianOfOne(), design, keep=False), "ru")
    assert found.by_rules
    assert {(m.term == "nurse", m.verb) for m in found.mentions} == {
        (True, "feminine"),
        (False, "masculine"),
    }
    assert all(m.changed == ((m.value == "She") != (m.term == "nurse")) for m in found.mentions)
    assert "Read by rules" in found.summary()


def test_verbs_are_read_by_the_tags_of_a_dictionary(monkeypatch: pytest.MonkeyPatch) -> None:
    """Apertium's tags of a Slavic past tense; no such dictionary is a package of Debian."""

    def word(text: str) -> AnalysedWord:
        gender = {"Работал": "m", "Работала": "f"}.get(text)
        tags = ("vblex", "impf", "past", gender, "sg") if gender else ()
        return AnalysedWord(text, "", ("sent",) if text == "." else tags)

    def analyse(texts: Sequence[str], *_: str) -> list[tuple[AnalysedWord, ...]]:
        return [tuple(map(word, re.findall(r"\w+|\.", text))) for text in texts]

    monkeypatch.setattr("biaslab.probes.rating.middle.analyse", analyse)
    design = RatingDesign.make(middles=("ru",), texts=10, template="is a", terms=["nurse", "baker"])
    found = middle_gender(bl.rate(RussianOfOne(), design, keep=False), "ru")
    assert not found.by_rules
    assert {(m.term, m.verb) for m in found.mentions} == {
        ("nurse", "feminine"),
        ("baker", "masculine"),
    }


@pytest.mark.parametrize("asked", [balance, middle_gender, power_curve])
def test_a_language_that_was_not_asked_through_is_named_with_those_that_were(
    asked: Callable[..., object],
) -> None:
    through = bl.rate(FakeTranslator(), RatingDesign.paper(middles=("es", "eo")), keep=False)
    with pytest.raises(RatingError, match="not tested through 'tr'; it was tested through es, eo"):
        asked(through, language="tr")
    assert through.rating("spa") == through.rating("Spanish") == through.rating("es")
    direct = bl.rate(bl.observers.service(), DESIGN, keep=False)
    with pytest.raises(RatingError, match="not tested through 'tr'; it was called directly"):
        direct.rating("tr")


def test_observers_of_other_words_do_not_share_their_answers(tmp_path: Path) -> None:
    store = Store(tmp_path)
    said = []
    for large in ("large", "huge"):
        words = {"Small": ["small"], "Large": [large, "big"]}
        of = Attribute.of_words("size", words)
        observer = bl.observers.service("always-large", attribute=of)
        said.append(execute(observer, ["The house is small."], store=store).outputs[0])
        assert bl.observers.service("always-large", attribute=of).identity == observer.identity
    assert said == ["The house is large.", "The house is huge."]


def test_observers_that_cannot_be_are_refused() -> None:
    with pytest.raises(ObserverError, match="No behaviour 'kind'"):
        bl.observers.service("kind")
    with pytest.raises(ObserverError, match="no value 'they'"):
        bl.observers.service("always-they")
    with pytest.raises(ObserverError, match=r"from 0 to 0\.5"):
        bl.observers.service(noise=0.9)


def test_a_service_is_named_like_in_the_bench() -> None:
    design = RatingDesign.make(texts=10, middles=["tr"])
    named = bl.rate("simulated translator", design, keep=False)
    assert {r.title: str(r.corrected) for r in named.ratings} == {"Turkish": "BS"}
    assert (
        bl.rate("always he", keep=False).ratings
        == bl.rate(bl.observers.service("always-he"), keep=False).ratings
    )
    every = bl.rate("simulated translator", RatingDesign.paper(texts=2, middles=[]), keep=False)
    assert every.languages == ("",)
    assert bl.rate("simulated translator", keep=False).languages == ("es", "tr", "eo", "ca")
    with pytest.raises(ServiceSetupError, match="Choose one of: simulated translator, faithful"):
        bl.rate("nobody")


def test_an_uneven_input_that_counts_as_unbiased_is_named() -> None:
    design = RatingDesign.make(unbiased={"72/28": (0.72, 0.28, 0)}, biased={"90/10": (0.9, 0.1, 0)})
    told = bl.rate(bl.observers.service("always-he"), design, keep=False).headline
    assert "72/28 counts as unbiased here, but is not even." in told
    assert "although the input is not" not in told
    plain = bl.rate(bl.observers.service("always-he"), DESIGN, keep=False).headline
    assert "counts as unbiased" not in plain
