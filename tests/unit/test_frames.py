"""Frames by language: the shipped files, and files that are malformed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import biaslab as bl
from biaslab.errors import FrameError
from biaslab.frames.language import in_number

CODES = bl.frames.names()
GENDERED = tuple(code for code in CODES if bl.frames.get(code).language.has_gender)
DOCS = Path(__file__).resolve().parents[2] / "docs" / "guide" / "frames.md"


def test_eight_languages_ship_with_their_rules_and_source() -> None:
    table = bl.frames.catalog().set_index("code")
    assert tuple(table.index) == CODES == ("de", "es", "fr", "it", "nl", "pl", "pt", "tr")
    assert (table["frames"] == 12).all()
    assert (table["items"] == 12).all()
    assert table["source"].str.len().min() > 20
    assert all(len(bl.frames.get(code).language.rules) >= 4 for code in CODES)


def test_the_docs_list_the_languages_and_no_more() -> None:
    rows = DOCS.read_text(encoding="utf-8").split("## Languages")[1].split("## ")[0].splitlines()
    assert tuple(row.split("`")[1] for row in rows if row.startswith("| `")) == CODES


def test_all_languages_have_the_same_items_with_the_same_stereotypes() -> None:
    every = [bl.frames.get(code).signs for code in CODES]
    assert all(signs == every[0] for signs in every)
    share = bl.specs.get("occupations").outside["percent-female-bls"].values
    assert all((share[item] > 50) == (sign > 0) for item, sign in every[0].items())


@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize("number", bl.frames.NUMBERS)
def test_every_design_makes_a_sentence_of_each_item_and_frame(code: str, number: str) -> None:
    language = bl.frames.get(code).language
    designs = ("neutral", "both", "feminine", "masculine") if language.has_gender else ("neutral",)
    for design in designs:
        frames = bl.frames.get(code, design, number=number)  # type: ignore[arg-type]
        assert len(set(frames.texts)) == 12
        for item in frames.items:
            for sentence in frames.sentences(item):
                filled = sentence.fill("AAA", "BBB")
                assert "{" not in filled.text
                assert "|" not in filled.text
                assert filled.text[slice(*filled.stimulus)] == "AAA"
                assert filled.text[slice(*filled.answer)] == "BBB"
                assert sentence.text.count("{item}") == len(sentence.forms)
                # A causal model guesses the answer from all that comes before it.
                assert sentence.text.rindex("{item}") < sentence.text.index("{answer}")


@pytest.mark.parametrize("code", GENDERED)
def test_gender_shows_in_the_noun_and_what_agrees_with_it_and_nowhere_else(code: str) -> None:
    feminine, masculine = (bl.frames.get(code, design) for design in ("feminine", "masculine"))
    agreeing = 0
    for item in feminine.items:
        for f, m in zip(feminine.sentences(item), masculine.sentences(item), strict=True):
            words = [set(one.text.split()) for one in (f, m)]
            # At most one adjective differs; verbs and all else are the same.
            assert all(len(words[k] - words[1 - k]) <= 1 for k in (0, 1))
            agreeing += words[0] != words[1]
            assert f.forms != m.forms
    assert (agreeing > 0) == (code != "nl"), "a Dutch adjective shows no gender"


@pytest.mark.parametrize("code", GENDERED)
def test_each_gender_comes_first_in_half_of_the_frames_with_both(code: str) -> None:
    frames = bl.frames.get(code, "both")
    for item in frames.items:
        orders = [sentence.forms for sentence in frames.sentences(item)]
        assert len(set(orders)) == 2
        assert orders.count(orders[0]) == len(orders) / 2
        assert orders[0] == orders[1][::-1]


def test_plural_frames_agree_in_number() -> None:
    one, more = (bl.frames.get("de", "masculine", number=n) for n in bl.frames.NUMBERS)
    assert one.sentences("teacher")[1].text.startswith("Hier im Ort arbeitet {stimulus} als erf")
    assert "erfahrener {item}" in one.sentences("teacher")[1].text
    assert "arbeiten {stimulus} als erfahrene {item}" in more.sentences("teacher")[1].text
    assert more.sentences("engineer")[0].forms == ("Ingenieure",)
    assert more.cues[0] == ("diese Frauen", "diese Männer")


def test_polish_frames_avoid_the_past_whose_endings_show_gender() -> None:
    words = re.findall(r"\w+", " ".join(bl.frames.get("pl").texts))
    assert not [word for word in words if re.search(r"(?:ł|ła|li|ły)$", word)]


def test_an_item_is_found_by_its_key_and_by_any_form() -> None:
    frames = bl.frames.get("de", "both")
    keys = {frames.key_of(text) for text in ("nurse", "Krankenpflegerin", "krankenpfleger")}
    assert keys == {"nurse"}
    assert frames.key_of("in der Krankenpflege") == "nurse"
    with pytest.raises(FrameError, match=r"'judge' is not among the items .* German: nurse, "):
        frames.sentences("judge")


def test_an_item_with_one_form_for_both_genders_has_neutral_frames_only() -> None:
    assert "secretary" in bl.frames.get("fr").items
    assert "secretary" not in bl.frames.get("fr", "both").items
    with pytest.raises(FrameError, match="one form for both genders in French: use design='neu"):
        bl.frames.get("fr", "both").sentences("secretary")


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"language": "xx"}, "no frames in 'xx'. There are de, es"),
        ({"language": "tr", "design": "both"}, "Turkish has no forms for gender.*design='neutral'"),
        ({"language": "de", "design": "plain"}, "design is 'plain': choose one of neutral, both"),
        ({"language": "de", "number": "dual"}, "number is 'dual'"),
        ({"language": "de", "number": "plural", "cues": "names"}, "A name is of one person"),
        ({"language": "missing.toml"}, "cannot be read"),
    ],
)
def test_frames_that_are_not_there_are_refused_with_what_there_is(
    options: dict[str, str], says: str
) -> None:
    with pytest.raises(FrameError, match=says):
        bl.frames.get(**options)  # type: ignore[arg-type]


def test_names_cross_gender_with_origin_in_each_set() -> None:
    frames = bl.frames.get("fr", cues="names")
    assert len(frames.cue_sets) == 3
    place = {n: (g, o) for g, ns in frames.factors["gender"].items() for n in ns
             for o, them in frames.factors["origin"].items() if n in them}  # fmt: skip
    for group in frames.cue_sets:
        ends = [(place[first], place[second]) for first, second in group]
        assert {(a[0], b[0]) for a, b in ends} == {("female", "male")}
        assert len({(a[1], b[1]) for a, b in ends}) == 4


SMALL = bl.frames.file_text("de")


def _changed(old: str, new: str) -> str:
    assert old in SMALL
    return SMALL.replace(old, new)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (_changed("{answer} ein Buch", "ein Buch"), r"shells\[0\].*\{answer\} 0 times"),
        (_changed("Zurzeit {arbeitet|arbeiten} {stimulus}", "{stimulus} {arbeitet|arbeiten}"),
         r"shells\[11\].*begins with \{stimulus\}.*Put a phrase"),
        (_changed("{answer} ein Buch", "{answer} ihr Buch"), "has 'ihr', which shows a gender"),
        (_changed("{arbeitet|arbeiten} {stimulus} {work}, und am Abend", "{a} {stimulus} {work}"),
         r"\{a\}, which is not a slot"),
        (_changed("{liest|lesen}", "{liest|lesen|lasen}"), "Write two forms"),
        (_changed("{liest|lesen}", "{liest|lesen"), "brace without its partner"),
        (_changed("{answer} lange", "{answer}s lange"), "touches other letters"),
        (_changed("not_before = []", 'not_before = ["dass"]'), "'dass' before .* changes"),
        (_changed('"als {f} oder {m}", ', ""), "names one gender first more often"),
        (_changed('masculine = ["als {m}", ', "masculine = ["), "different numbers of phrases"),
        (_changed('neutral = ["{field}"]', 'neutral = ["als {f}"]'), r"neutral phrase has \{field"),
        (_changed('source = "Duden', 'sources = "Duden'), "sources is not a field"),
        (_changed('code = "de"', "code = 3"), "code is 3"),
        (_changed('code = "de"', 'code = "../de"'), "Use a language's code"),
        (_changed(', masculine = ["Klempner", "Klempner"]', ""), "one of feminine and masculine"),
        (_changed('["Klempner", "Klempner"]', '["Klempner"]'), "the singular and the plural"),
        (_changed('["sie", "er"]', '["sie", "sie"]'), "two different cues"),
        (_changed("[cues]", "[cues"), "not valid TOML"),
        (SMALL + "#" * 200_000, "more than"),
        (_changed('male = ["Lukas", ', "male = ["), "as many female names"),
    ],
)  # fmt: skip
def test_a_malformed_file_is_refused_with_the_place_and_the_remedy(
    text: str, says: str, tmp_path: Path
) -> None:
    file = tmp_path / "own.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(FrameError, match=says) as caught:
        bl.frames.get(file)
    assert str(file) in str(caught.value)


def test_a_file_of_ones_own_is_read(tmp_path: Path) -> None:
    file = tmp_path / "own.toml"
    baker = (
        'baker = {stereotype = "female", field = "in einer Backstube",'
        ' feminine = ["Bäckerin", "Bäckerinnen"], masculine = ["Bäcker", "Bäcker"]}\n\n[names]'
    )
    file.write_text(_changed("[names]", baker), encoding="utf-8")
    frames = bl.frames.get(file, "both")
    assert frames.items[-1] == "baker"
    assert frames.sentences("Bäckerin")[0].forms == ("Bäckerin", "Bäcker")


def test_number_is_chosen_in_every_alternative() -> None:
    assert in_number("{a|b} {work} {c|d}", plural=False) == "a {work} c"
    assert in_number("{a|b} {work} {c|d}", plural=True) == "b {work} d"
