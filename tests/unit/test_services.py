"""What a service is: chains, languages, directions, and checks of answers."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

import biaslab as bl
from biaslab.asking.providers.apertium_analysis import AnalysedWord, _words
from biaslab.asking.translation import language_problem, sentence_count, sentence_problem
from biaslab.errors import ServiceAnswerError, ServiceBusyError, ServicePairError, ServiceSetupError
from biaslab.services import (
    Chain,
    Composite,
    Cost,
    FunctionService,
    Limits,
    RoundTrip,
    Service,
    Translation,
    Translator,
    as_chain,
    language_code,
    language_name,
    round_trip_languages,
)


class Marking:
    """A translator that writes the direction behind each text; its pairs are given."""

    name, about = "marking", "for tests"
    limits, cost = Limits(), Cost()

    def __init__(self, *pairs: tuple[str, str]) -> None:
        self._pairs = frozenset(pairs) or None

    def pairs(self) -> frozenset[tuple[str, str]] | None:
        return self._pairs

    def identity_of(self, source: str, target: str) -> str:
        return f"marking {source}-{target}"

    def translate(self, texts: Sequence[str], source: str, target: str) -> list[str]:
        return [f"{text} {source}>{target}" for text in texts]


def both_ways(*pairs: str) -> Marking:
    split = [tuple(pair.split("-")) for pair in pairs]
    return Marking(*((a, b) for a, b in split), *((b, a) for a, b in split))


def test_services_are_reached_from_the_package() -> None:
    assert bl.services.RoundTrip is RoundTrip


def test_a_composite_takes_chains_apart() -> None:
    trip = RoundTrip(Marking(), "es")
    whole = Composite(trip, lambda text: text.upper(), Translation(Marking(), "en", "fr"))
    assert [step.name for step in whole.steps] == [
        "marking en → es", "marking es → en", "<lambda>", "marking en → fr",
    ]  # fmt: skip
    assert whole.name == "marking en → es → en * <lambda> * marking en → fr"
    assert whole.languages == ("en", "es", "en", "", "fr")
    assert whole.middle is None
    assert whole.identity == ""  # nobody knows what a function without a version answers
    assert Composite(trip).middle == 0
    assert Composite(trip, name="mine").name == "mine"


def test_neighbours_whose_languages_do_not_fit_are_refused() -> None:
    spanish, catalan = Translation(Marking(), "en", "es"), Translation(Marking(), "ca", "en")
    with pytest.raises(ServiceSetupError, match=r"answers in Spanish, and .* reads Catalan"):
        Composite(spanish, catalan)
    brazilian = Translation(Marking(), "en", "pt-BR")
    assert len(Composite(brazilian, Translation(Marking(), "pt", "en")).steps) == 2
    assert len(Composite(spanish, str.upper, catalan).steps) == 3  # it may do anything between


def test_prices_of_two_currencies_are_not_added_up() -> None:
    prices = [Cost(0.1, currency="EUR"), Cost(0.1, currency="USD"), Cost()]
    euros, dollars, free = (FunctionService(str.upper, cost=price) for price in prices)
    with pytest.raises(ServiceSetupError, match="EUR and USD cannot be added"):
        Composite(euros, dollars)
    assert len(Composite(euros, free, euros).steps) == 3


def test_everything_that_can_be_asked_is_a_chain() -> None:
    single = FunctionService(str.upper, version="1")
    assert isinstance(single, Service)
    assert as_chain(single) == Chain("upper", (single,))
    assert as_chain(as_chain(single)) == as_chain(single)
    assert as_chain(str.upper).steps[0].answer(["a"]) == ["A"]
    for wrong in (3, "a service", None):
        with pytest.raises(ServiceSetupError, match="is not a service"):
            as_chain(wrong)  # type: ignore[arg-type]
    with pytest.raises(ServiceSetupError, match="RoundTrip"):
        as_chain(Marking())  # type: ignore[arg-type]
    with pytest.raises(ServiceSetupError, match="at least one"):
        Composite()


def test_a_round_trip_takes_the_shortest_way_there_is_and_back() -> None:
    translator = both_ways("en-es", "en-ca", "ca-it", "it-sc")
    assert isinstance(translator, Translator)
    assert round_trip_languages(translator) == ("ca", "es", "it", "sc")
    assert RoundTrip(translator, "es").languages == ("en", "es", "en")
    chain = RoundTrip(translator, "it")
    assert (chain.languages, chain.middle) == (("en", "ca", "it", "ca", "en"), 1)
    assert RoundTrip(translator, "Sardinian").middle == 2
    assert RoundTrip(translator, "en", source="es").languages == ("es", "en", "es")
    assert RoundTrip(translator, "it", via=["cat"]).languages == chain.languages


def test_a_way_that_is_not_there_is_said_with_the_ways_that_are() -> None:
    translator = Marking(("en", "es"), ("es", "en"), ("en", "ca"))
    assert round_trip_languages(translator) == ("es",)
    with pytest.raises(ServicePairError, match=r"English \(en\) to Turkish \(tr\)\. From English"):
        RoundTrip(translator, "tr")
    with pytest.raises(
        ServicePairError, match=r"Catalan \(ca\) to English \(en\).*does not translate from"
    ):
        RoundTrip(translator, "ca")
    with pytest.raises(ServicePairError, match="Spanish"):
        RoundTrip(translator, "ca", via=["es"])
    assert round_trip_languages(Marking()) is None
    assert RoundTrip(Marking(), "tr").languages == ("en", "tr", "en")


def test_a_language_has_one_code_however_it_is_written() -> None:
    assert {language_code(text) for text in ("es", "spa", "ES", " Spanish ")} == {"es"}
    assert language_code("cat_valencia_uni") == "ca-valencia-uni"
    assert language_code("zh-CN") == "zh-CN"
    assert language_code("bho") == "bho"
    assert [language_name(code) for code in ("gl", "bho", "pt-BR")] == [
        "Galician", "bho", "Portuguese (BR)",
    ]  # fmt: skip
    for wrong in ("", "e", "Klingonian", "es en"):
        with pytest.raises(ServiceSetupError, match="is not a known language"):
            language_code(wrong)


@given(st.from_regex(r"[a-z]{2,3}([-_][A-Za-z0-9]{2,8}){0,2}", fullmatch=True))
def test_a_code_stays_what_it_is(text: str) -> None:
    code = language_code(text)
    assert language_code(code) == code


def test_a_function_says_by_its_errors_whether_to_ask_again() -> None:
    def busy(text: str) -> str:
        raise ServiceBusyError("Later.", retry_after=2.0)

    def wrong(text: str) -> str:
        raise KeyError(text)

    with pytest.raises(ServiceBusyError, match="Later"):
        FunctionService(busy).answer(["a"])
    with pytest.raises(ServiceAnswerError, match="wrong failed with KeyError"):
        FunctionService(wrong).answer(["a"])
    with pytest.raises(ServiceAnswerError, match="returned int"):
        FunctionService(len).answer(["a"])  # type: ignore[arg-type]


def test_a_functions_own_timeout_is_not_taken_for_the_end_of_the_wait() -> None:
    def impatient(text: str) -> str:
        raise TimeoutError("the socket was silent")

    with pytest.raises(ServiceAnswerError, match="impatient failed with TimeoutError: the socket"):
        FunctionService(impatient).answer(["a"])


def test_a_function_that_leaves_is_not_taken_for_one_that_hangs() -> None:
    def leaving(text: str) -> str:
        raise SystemExit(text)

    with pytest.raises(SystemExit, match="a"):
        FunctionService(leaving).answer(["a"])


def test_a_price_counts_calls_and_characters() -> None:
    assert Cost(0.01, 20.0, "EUR").of(3, 500_000) == pytest.approx(10.03)
    with pytest.raises(ServiceSetupError, match="prices of at least 0"):
        Cost(per_call=-1, currency="EUR")


RIGHT = [
    ("en", "It is a plumber. He is chef."), ("en", "A nurse."), ("es", "Es un fontanero ."),
    ("ca", "És una lampista. És un xef."), ("gl", "É un plumber. É un butcher."),
    ("eo", "Ŝi estas  plumber. Li estas ĉefkuiristo."), ("fr", "Il est une plombière."),
    ("it", "È un idraulico. È un chef."), ("pt", "É uma eletricista. É um xef."),
    ("tr", "O bir hemşire. O bir doktor."), ("hi", "वह एक nurse है।"), ("ru", "Она медсестра."),
    ("ca", "L'obrer va a l'església. L'electricista va a l'església. L'oficial va a l'església."),
    ("ca", "L'arquitecte va al temple. L'inspector va al temple. L'assessor va al temple."),
    ("sr", "Ona je lekar."), ("ja", "彼女は看護師です。"), ("fi", "Hän on lääkäri."),
]  # fmt: skip
WRONG = [
    ("en", "Es un fontanero. Es una enfermera.", "looks like Spanish"),
    ("es", "She is a plumber. He is a nurse.", "looks like English"),
    ("pt", "She is a plumber. He is a nurse.", "looks like English"),
    ("en", "Ŝi estas flegistino. Li estas kuracisto.", "looks like Esperanto"),
    ("ru", "She is a plumber.", "Latin letters"),
    ("en", "Она медсестра.", "Cyrillic letters"),
    ("en", "1234 !!", "no letters"),
    ("es", "Is she the BOSS? She is the boss", "looks like English"),
]


@pytest.mark.parametrize(("language", "answer"), RIGHT)
def test_an_answer_in_the_right_language_passes(language: str, answer: str) -> None:
    source = "en" if language != "en" else "es"
    assert language_problem(answer, "Something else was sent.", source, language) == ""


@pytest.mark.parametrize(("language", "answer", "reason"), WRONG)
def test_an_answer_in_the_wrong_language_is_told(language: str, answer: str, reason: str) -> None:
    source = "en" if language != "en" else "es"
    assert reason in language_problem(answer, "Something else was sent.", source, language)


def test_a_text_that_comes_back_as_it_was_is_not_translated() -> None:
    problem = language_problem("SHE is a nurse!", "She is a nurse.", "en", "fi")
    assert "came back untranslated" in problem
    assert language_problem("Taxi.", "Taxi.", "en", "fi") == ""
    assert language_problem("She is a nurse.", "She is a nurse.", "", "fi") == ""
    assert language_problem("A colour.", "A colour.", "en-GB", "en-US") == ""


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("She is a nurse. He is a cook.", 2), ("One", 1), ("", 0), ("Wait... what?! Yes", 3),
        ("She is a 2.5 m nurse.", 1), ('"Go." He went.', 2), ("彼は医者です。彼女は。", 2),
        ("वह नर्स है। वह रसोइया है।", 2), (" Es un fontanero .  Es un chef .", 2),
    ],
)  # fmt: skip
def test_sentences_are_counted(text: str, count: int) -> None:
    assert sentence_count(text) == count


def test_another_number_of_sentences_is_told() -> None:
    assert sentence_problem("One. Two.", "Eins. Zwei.") == ""
    assert sentence_problem("One.", "Eins. Zwei.") == "has 1 sentence where 2 were sent."
    assert sentence_problem("เธอเป็นพยาบาล", "Eins. Zwei.", "th") == ""


def test_marks_behind_a_backslash_are_text_of_an_analysis() -> None:
    piece = r"\^ ^wom\^en/wom\^an<n><pl>$ ^and\/or/*and\/or$^cut off"
    assert _words(piece) == (
        AnalysedWord("wom^en", "wom^an", ("n", "pl")),
        AnalysedWord("and/or", "", ()),
    )
