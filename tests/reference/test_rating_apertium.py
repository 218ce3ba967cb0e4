"""Round trips of a real translator: what comes back, its rating, what the middle text keeps."""

from __future__ import annotations

import pytest

from biaslab.probes.rating import RatingDesign, RatingResult, balance, middle_gender, rate
from biaslab.services import ApertiumServer


@pytest.fixture(scope="module")
def result(apertium_server: ApertiumServer) -> RatingResult:
    design = RatingDesign.paper(middles=("es", "ca", "gl", "eo"))
    return rate(apertium_server.translator, design, keep=False)


@pytest.mark.parametrize("language", ["es", "ca", "gl"])
def test_every_pronoun_comes_back_as_it(result: RatingResult, language: str) -> None:
    """He/she/other of 40 mentions is 0/0/40 for 50/50, 10/90 and 90/10: not rateable."""
    assert result.output_counts(language).tolist() == [[0, 0, 40]] * 3
    found = result.rating(language)
    assert found.corrected == "not rateable"
    assert found.paper == "DSBS"
    assert found.unresolved == 0
    told = "".join(text for text, _ in result.explanation(language))
    assert "all 40 mentions of a block come back as other" in told
    assert result.path(language).taken == ("kept", "not rateable")


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
    told = "".join(text for text, _ in result.verdict())
    assert "Through Spanish, Catalan and Galician gender is erased" in told
    assert "Through Esperanto it follows the input: DSBS." in told
    assert "The paper's rule would call them DSBS." in told
    assert result.overall.corrected == "DSBS"
    assert result.overall.not_rateable == ("es", "ca", "gl")


def test_a_possessive_through_spanish_always_comes_back_as_his(
    apertium_server: ApertiumServer,
) -> None:
    """ "Her job" is "su trabajo", and that is "his work" on the way back."""
    design = RatingDesign.paper(middles=("es", "eo"), template="works as")
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
