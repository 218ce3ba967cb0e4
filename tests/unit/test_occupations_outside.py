"""Outside tables: whatever a person's CSV looks like, it is read or told what is wrong with it."""

from __future__ import annotations

from pathlib import Path

import pytest

from biaslab.errors import QueryError
from biaslab.probes.occupations import OutsideTable, outside_tables
from biaslab.specs import get

GENDER = {"female": ("female", "she"), "male": ("male", "he")}


def test_the_catalogue_has_the_labour_statistics() -> None:
    table = OutsideTable.from_spec("occupations", "percent-female-bls")
    assert table.of == "female"
    assert table.whole == 100
    assert table.get("Nurse") == pytest.approx(89.58)
    assert table.get("astronaut") is None
    names = [t.name for t in outside_tables()]
    assert "occupations/percent-female-bls" in names
    assert "occupations/percent-female-text" in names
    assert "occupations/prestige-duncan" in names
    assert "occupations/year-bls" not in names
    with pytest.raises(QueryError, match="percent-female-bls"):
        OutsideTable.from_spec("occupations", "percent-men")
    with pytest.raises(QueryError, match="none"):
        OutsideTable.from_spec(get("gender-pairs"))


def test_a_survey_is_filled_in_row_by_row() -> None:
    empty = "occupation,trust\n" + "".join(f"{w},\n" for w in ("nurse", "teacher", "judge"))
    table = OutsideTable.read_csv(empty.replace("nurse,", "nurse,84").replace("judge,", "judge,43"))
    assert dict(table.values) == {"nurse": 84, "judge": 43}
    assert "teacher" in " ".join(table.notes)
    with pytest.raises(QueryError):
        OutsideTable.read_csv(empty)


def test_a_share_of_group_1_is_shown_as_that_of_group_2() -> None:
    table = OutsideTable.from_spec("occupations")
    axis = table.axis(GENDER)
    assert axis.label == "men in the occupation, %"
    assert axis.of(2.3) == pytest.approx(97.7)
    turned = table.axis({"male": ("he",), "female": ("she",)})
    assert turned.label == "women in the occupation, %"
    assert turned.of(2.3) == pytest.approx(2.3)
    by_cue = table.axis({"women": ("woman", "female"), "men": ("man", "male")})
    assert by_cue.of(0) == 100
    named = table.axis({"women": ("she",), "men": ("he",)})
    assert (named.group, named.of(0)) == ("men", 100)
    other = table.axis({"love": ("love",), "hate": ("hate",)})
    assert (other.group, other.of(30)) == ("", 30)
    three = table.axis({**GENDER, "other": ("they",)})
    assert (three.group, three.of(30)) == ("female", 30)


@pytest.mark.parametrize(
    "text",
    [
        "word,percent\nnurse,10.5\nengineer,90\n",
        "word;percent\nnurse;10,5\nengineer;90\n",
        "word\tpercent\r\nnurse\t10,5\r\nengineer\t90\r\n",
        "\ufeffword,percent\nnurse,10.5\nengineer,90\n",
        "\n\nword,percent\n\nnurse,10.5 %\nengineer,90 %\n",
        '"word","percent"\n"nurse","10.5"\n"engineer","90"\n',
        "percent,word\n10.5,nurse\n90,engineer\n",
        "nurse,10.5\nengineer,90\n",
        "nurse 10.5;10.5\n".replace("nurse 10.5", "nurse") + "engineer;90\n",
        "id,word,percent,year\nA1,nurse,10.5,2015\nB2,engineer,90,2016\n",
    ],
)
def test_delimiters_headers_decimal_commas_and_marks_are_understood(text: str) -> None:
    table = OutsideTable.read_csv(text, **({"word": "word"} if text.startswith("id") else {}))
    assert dict(table.values) == {"nurse": 10.5, "engineer": 90.0}


def test_a_file_is_read_with_its_encoding_and_named(tmp_path: Path) -> None:
    for encoding in ("utf-8-sig", "utf-16"):
        path = tmp_path / f"{encoding}.csv"
        path.write_text("word,men in %\nممرضة,10\nמהנדס,90\n", encoding=encoding)
        table = OutsideTable.read_csv(path, of="male")
        assert table.values == {"ممرضة": 10.0, "מהנדס": 90.0}
        assert (table.unit, table.title, table.name) == ("percent", "men in %", path.name)
        assert table.axis(GENDER).group == "male"


def test_markup_and_commas_in_words_are_kept_as_text() -> None:
    table = OutsideTable.read_csv('word,n\n<b>nurse</b>,1\n"teacher, school",2\n')
    assert table.values == {"<b>nurse</b>": 1.0, "teacher, school": 2.0}


def test_columns_can_be_named() -> None:
    text = "job,region,women,men\nnurse,north,90,10\nengineer,south,11,89\n"
    assert OutsideTable.read_csv(text).values["nurse"] == 90
    named = OutsideTable.read_csv(text, word="Job", value="men", of="male", unit="percent")
    assert named.values == {"nurse": 10.0, "engineer": 89.0}
    with pytest.raises(QueryError, match="job, region, women, men"):
        OutsideTable.read_csv(text, value="children")


def test_duplicates_and_empty_cells_are_told_and_the_first_counts() -> None:
    table = OutsideTable.read_csv("word,n\nnurse,1\nNurse,2\nclerk,\nbaker,n/a\ncook,4\n")
    assert table.values == {"nurse": 1.0, "cook": 4.0}
    assert "Nurse" in table.notes[1]
    assert "clerk" in table.notes[0]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "is empty"),
        ("   \n \n", "is empty"),
        ("word,percent\n", "no column of"),
        ("word,percent\nnurse,many\nengineer,90\nclerk,50\n", r"row 2: 'many' beside 'nurse'"),
        ("word,percent\nnurse,10\n\n,90\n", r"row 4: there is no word for the value '90'"),
        ("word,note\nnurse,good\nengineer,bad\n", r"'word' \(text\), 'note' \(text\)"),
        ("a,b\n1,2\n3,4\n", r"no column of words"),
        ("word,percent\nnurse,nan\nengineer,inf\n", "no column of numbers"),
        ("<!DOCTYPE html>\n<table><tr><td>nurse</td></tr></table>\n", "web page"),
        ("PK\x03\x04\n\0\0\0\n", "binary"),
        ("word|percent\nnurse|10\nengineer|90\n", "delimiter="),
        ("word;n\nnurse;1,234\nclerk;5,678\n", "decimal="),
        ("no such file.csv", "cannot be read"),
    ],
)
def test_a_table_that_cannot_be_read_says_what_to_do(text: str, told: str) -> None:
    with pytest.raises(QueryError, match=told):
        OutsideTable.read_csv(text)


def test_thousands_and_decimal_commas_are_told_apart_or_asked_about() -> None:
    text = "word;n\nnurse;1,234\nclerk;5,678\n"
    assert OutsideTable.read_csv(text, decimal=",").values["nurse"] == pytest.approx(1.234)
    assert OutsideTable.read_csv(text, decimal=".").values["nurse"] == 1234
    clear = OutsideTable.read_csv("word;n\nnurse;1,234,567\nclerk;2,000\n")
    assert clear.values == {"nurse": 1_234_567.0, "clerk": 2000.0}
    mixed = OutsideTable.read_csv("word;n\nnurse;1,234\nclerk;5,6\n")
    assert mixed.values["nurse"] == pytest.approx(1.234)


def test_a_file_that_is_no_text_says_so(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_bytes(b"word,n\ncaf\xe9,1\n")
    with pytest.raises(QueryError, match="UTF-8"):
        OutsideTable.read_csv(path)


def test_twenty_thousand_rows_are_read() -> None:
    text = "word,n\n" + "\n".join(f"w{i},{i % 100}" for i in range(20_000))
    assert len(OutsideTable.read_csv(text).values) == 20_000


def test_numbers_beyond_their_whole_are_no_shares() -> None:
    assert OutsideTable.read_csv("word,percent\na,10\nb,120\n").whole is None
    assert OutsideTable.read_csv("word,x\na,0.1\nb,0.9\n", unit="share").whole == 1
    assert OutsideTable.read_csv("word,x\na,0.1\nb,0.9\n").whole is None
