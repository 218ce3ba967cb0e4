"""Round trips of a real translator: what comes back, its rating, what the middle text keeps."""

from __future__ import annotations

import pytest

from biaslab.probes.rating import RatingDesign, RatingResult, balance, middle_gender, rate
from biaslab.services import ApertiumServer


@pytest.fixture(scope="module")
def result(apertium_server: ApertiumServer) -> RatingResult:
    design = RatingDesign.paper(seed=1, middles=("es", "eo"))
    return rate(apertium_server.translator, design, keep=False)


def test_every_pronoun_comes_back_as_it(result: RatingResult) -> None:
    """He/she/other of 40 mentions is 0/0/40 for 50/50, 10/90 and 90/10: not rateable."""
    assert result.output_counts("es").tolist() == [[0, 0, 40]] * 3
    found = result.rating("es")
    assert found.corrected == "not rateable"
    assert found.paper == "DSBS"
    assert found.unresolved == 0
    told = "".join(text for text, _ in result.explanation("es"))
    assert "all 40 mentions of a block are returned as other" in told
    assert result.path("es").taken == ("kept", "not rateable")


def test_esperanto_keeps_every_pronoun(result: RatingResult) -> None:
    assert result.output_counts("eo").tolist() == [[20, 20, 0], [4, 36, 0], [36, 4, 0]]
    found = result.rating("eo")
    assert found.corrected == found.paper == "DSBS"
    assert found.shown
    assert found.probabilities["DSBS"] > 0.95
    told = "".join(text for text, _ in result.explanation("eo"))
    assert all(counts in told for counts in ("20/20/0", "4/36/0", "36/4/0"))
    assert balance(result, "eo").pse == pytest.approx(0.5, abs=0.01)


def test_the_verdict_tells_both(result: RatingResult) -> None:
    told = " ".join(result.verdict())
    assert "Through Spanish gender is erased" in told
    assert "Through Esperanto it follows the input: data-sensitive biased system (DSBS)." in told
    assert "The paper’s rule rates 1 of 2 otherwise." in told
    assert result.overall.corrected == "DSBS"
    assert result.overall.not_rateable == ("es",)


def test_a_possessive_through_spanish_always_comes_back_as_his(
    apertium_server: ApertiumServer,
) -> None:
    """ "Her job" is "su trabajo", and that is "his work" on the way back."""
    design = RatingDesign.paper(seed=1, middles=("es", "eo"), template="works as")
    found = rate(apertium_server.translator, design, keep=False)
    assert found.output_counts("es").tolist() == [[40, 0, 0]] * 3
    assert found.rating("es").corrected == "BS"
    assert found.rating("es").shown
    assert found.rating("es").paper == "DSBS"
    assert found.output_counts("eo").tolist() == [[20, 20, 0], [4, 36, 0], [36, 4, 0]]


def test_the_middle_text_makes_women_masculine_nouns(result: RatingResult) -> None:
    found = middle_gender(result, "es")
    plumbers = [m for m in found.mentions if m.term == "plumber" and m.value == "She"]
    assert plumbers
    assert all(m.noun == "masculine" and m.changed for m in plumbers)
    texts = result.routes[0].responses.middle_texts
    for mention in plumbers:
        middle = texts[mention.text]
        assert middle is not None
        assert middle[slice(*mention.span)] == "un fontanero"
    counts = found.counts()
    assert counts["He", "masculine"] > 50
    assert counts["She", "feminine"] > 20
    assert counts["She", "masculine"] > 5 * counts.get(("He", "feminine"), 0)
    frame = found.to_frame()
    assert int(frame["mentions"].sum()) + found.missing == 120


@pytest.mark.validate
@pytest.mark.parametrize("template", ["works as", "known as", "mixed"])
def test_the_noun_of_the_middle_text_is_the_occupation_in_richer_sentences_too(
    apertium_server: ApertiumServer, template: str
) -> None:
    """ "Los vecinos la conocen como fontanera", "Trabaja ... su trabajo": not the first noun."""
    design = RatingDesign.paper(seed=1, middles=("es", "it"), template=template)
    found = rate(apertium_server.translator, design, keep=False)
    for route in found.routes:
        middles = route.responses.middle_texts
        mentions = middle_gender(found, route.language).mentions
        assert len(mentions) == 120
        nouns = [(middles[m.text] or "")[slice(*m.span)].casefold() for m in mentions if m.noun]
        assert len(nouns) > 60
        own = ("vecinos", "trabajo", "obra", "vicini", "lavoro", "essere")
        assert not [noun for noun in nouns if noun.endswith(own)]
        # What "he" is called is hardly ever a feminine noun.
        assert sum(m.value == "He" and m.changed for m in mentions) <= 6
    plumbers = [m for m in middle_gender(found, "es").mentions if m.term == "plumber"]
    assert plumbers
    assert {m.noun for m in plumbers} == {"masculine"}


def test_an_esperanto_noun_may_be_anybodys(result: RatingResult) -> None:
    """The dictionary calls "bakisto" masculine; the language has no such gender."""
    nouns = [m.noun for m in middle_gender(result, "eo").mentions]
    assert "masculine" not in nouns
    assert nouns.count("either") > 60


def test_with_one_term_the_only_noun_of_a_sentence_is_read_and_of_several_none(
    apertium_server: ApertiumServer,
) -> None:
    for template, gender in (("is a", "masculine"), ("known as", "")):
        design = RatingDesign.paper(
            seed=1, middles=("es",), template=template, terms=["plumber"], texts=5
        )
        found = rate(apertium_server.translator, design, keep=False)
        assert {m.noun for m in middle_gender(found, "es").mentions} == {gender}


@pytest.mark.parametrize(
    "middles", [("ca",), pytest.param(("es", "it"), marks=pytest.mark.validate)], ids=str
)
def test_right_answers_pass_the_check_of_their_language(
    apertium_server: ApertiumServer, middles: tuple[str, ...]
) -> None:
    """Of sentences that say "a l'església" again and again, too."""
    design = RatingDesign.make("place of worship", middles=middles, seed=1, texts=8)
    found = rate(apertium_server.translator, design, keep=False)
    assert [route.responses.failures for route in found.routes] == [{}] * len(middles)
