"""Pairs from files and into files; what is wrong with a file is told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import biaslab as bl
from biaslab.errors import SentenceError
from biaslab.probes.sentences.exchange import FORMATS, read_pairs, read_sentences, write_pairs
from biaslab.probes.sentences.pairs import PairSet, RejectedSentence, SentencePair
from biaslab.probes.sentences.sources import default_pairs, keep_sentences, kept_sentences
from biaslab.store import Store

MATH = bl.specs.get("biastest-math-arts")
NAMES = {
    "json": "pairs.json", "csv": "pairs.csv", "biastestgpt": "b.csv", "crows-pairs": "c.csv",
    "stereoset": "s.json", "dataset": "folder",
}  # fmt: skip


@pytest.mark.parametrize("kind", FORMATS)
def test_versions_survive_every_format(kind: str, tmp_path: Path) -> None:
    pairs = default_pairs(MATH, per_attribute=3)
    path = write_pairs(pairs, tmp_path / NAMES[kind], kind)
    again = read_pairs(path)
    assert [p.versions for p in again] == [p.versions for p in pairs]
    assert again.rejected == ()


def test_our_own_json_keeps_everything(tmp_path: Path) -> None:
    pairs = PairSet(
        (
            SentencePair(
                'The man says "é 😀, yes".',
                'The woman says "é 😀, yes".',
                attribute="x",
                groups=("a", "b"),
                terms=((4, 7), (4, 9)),
                references=(((0, 3),), ((0, 3),)),
                unrelated="The stone says yes.",
                bias_type="gender",
                remark="odd",
            ),
        ),
        (RejectedSentence("text", "empty", "why"),),
        "me",
        "spec",
        ("a note",),
    )
    path = write_pairs(pairs, tmp_path / "pairs.json")
    assert read_pairs(path) == pairs


def test_biastestgpt_keeps_terms_and_which_version_is_stereotyped(tmp_path: Path) -> None:
    path = tmp_path / "b.csv"
    path.write_text(
        ",group,group_term,template,sent_att_1,sent_att_2,add_refs,att_term_1,att_term_2,label_1,"
        "label_2\n"
        "0,Math_Arts_vs_Male_Female,math,x,Her math is fine.,His math is fine.,[],hers,his,"
        "anti-stereotype,stereotype\n"
        "1,Math_Arts_vs_Male_Female,math,x,A man loves math.,A woman loves math.,[],man,woman,"
        "stereotype,stereotype\n"
        "2,Math_Arts_vs_Male_Female,math,x,A man loves math.,,[],man,woman,stereotype,"
        "anti-stereotype\n"
        "3,Math_Arts_vs_Male_Female,math,x,A man hated math.,A woman loved math.,[],man,woman,"
        "stereotype,anti-stereotype\n"
        "4,Professions_vs_Gender,steel-worker,x,He is a steel worker.,She is a steel worker.,[],he,"
        "she,stereotype,anti-stereotype\n",
        encoding="utf-8",
    )
    pairs = read_pairs(path)
    assert (pairs[2].attribute, pairs[2].attribute_list) == ("steel worker", "male professions")
    assert pairs[0].versions == ("His math is fine.", "Her math is fine.")
    assert pairs[0].term_texts() == ("His", "Her")
    assert pairs[0].groups == ("male terms", "female terms")
    assert pairs[0].attribute_list == "math"
    assert "'hated' and 'loved'" in pairs[1].remark
    assert [r.source for r in pairs.rejected] == ["b.csv, row 2", "b.csv, row 3"]


def test_stereoset_has_a_third_version_and_a_context(tmp_path: Path) -> None:
    def entry(key: str, context: str, texts: list[str]) -> dict[str, object]:
        labels = ("stereotype", "anti-stereotype", "unrelated")
        return {
            "id": key,
            "target": "nurse",
            "bias_type": "profession",
            "context": context,
            "sentences": [
                {"sentence": t, "gold_label": g} for t, g in zip(texts, labels, strict=True)
            ],
        }

    document = {
        "version": "1",
        "data": {
            "intrasentence": [
                entry("a", "The nurse is BLANK.",
                      ["The nurse is kind.", "The nurse is cold.", "The nurse is soup."]),
            ],
            "intersentence": [
                entry("b", "A nurse came.", ["She smiled.", "He smiled.", "Fish swim."]),
                {"id": "c", "context": "A nurse.", "sentences": []},
            ],
        },
    }  # fmt: skip
    path = tmp_path / "s.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    pairs = read_pairs(path)
    assert [p.unrelated for p in pairs] == ["The nurse is soup.", "A nurse came. Fish swim."]
    assert pairs[0].term_texts() == ("kind", "cold")
    assert pairs[1].stereotyped == "A nurse came. She smiled."
    assert [r.code for r in pairs.rejected] == ["unreadable"]


def test_single_sentences_need_a_spec(tmp_path: Path) -> None:
    path = tmp_path / "mine.txt"
    path.write_text("The man likes math.\n\nThe cat sleeps in math.\n", encoding="utf-8")
    with pytest.raises(SentenceError, match="give their spec"):
        read_pairs(path)
    pairs = read_pairs(path, spec=MATH)
    assert pairs[0].against == "The woman likes math."
    assert pairs.rejected[0].code == "no-group-term"


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("x.json", b'{"schema": "sentence-pairs/9"}', "Update biaslab"),
        ("x.json", b'{"schema": "sentence-pairs/1", "pairs": [{"st', "Is the file complete"),
        ("x.json", b'{"data": {"other": []}}', "neither"),
        ("x.json", b'{"schema": "sentence-pairs/1", "pairs": [{}]}', "is not a sentence-pairs"),
        ("x.csv", b"a,b\n1,2\n", "not match any known format"),
        ("x.csv", b"", "has no rows"),
        ("x.csv", b"\xff\xfdsent_more", "UTF-8"),
        ("missing.csv", None, "cannot be read"),
    ],
)
def test_a_file_that_cannot_be_read_says_why(
    name: str, content: bytes | None, told: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(SentenceError, match=told):
        read_pairs(path)


def test_a_folder_for_datasets_is_a_card_and_a_table(tmp_path: Path) -> None:
    folder = write_pairs(default_pairs(MATH, per_attribute=1), tmp_path / "set", "dataset")
    assert "data/train.jsonl" in (folder / "README.md").read_text(encoding="utf-8")
    rows = (folder / "data" / "train.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(rows) == 16
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(SentenceError, match="contains no table"):
        read_pairs(empty)


def test_datasets_itself_reads_the_folder(tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets")
    folder = write_pairs(default_pairs(MATH, per_attribute=1), tmp_path / "set", "dataset")
    loaded = datasets.load_dataset(str(folder), split="train", cache_dir=str(tmp_path / "cache"))
    assert loaded.num_rows == 16
    loaded.save_to_disk(str(tmp_path / "saved"))
    assert len(read_pairs(tmp_path / "saved")) == 16


def test_the_data_set_of_the_hub_is_searched_by_the_terms_of_a_spec(tmp_path: Path) -> None:
    """A CSV for each group term, in the columns that its card and the authors' tool name."""
    head = (
        "sentence,alt_sentence,org_grp_term,att_term,template,alt_template,grp_term1,grp_term2,"
        "grp_refs,label_1,label_2,bias_spec,type,gen_model\n"
    )
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "she.csv").write_text(
        head + "She kept her old algebra notes.,He kept his old algebra notes.,she,algebra,,,she,he"
        ",[],,,x,tool,gpt-4\n"
        + "She cooks every Sunday.,He cooks every Sunday.,she,cooking,,,she,he,[],,,x,paper,gpt-4\n"
    )
    (tmp_path / "data" / "brother.csv").write_text(
        head + "My brother framed his poetry.,My sister framed her poetry.,brother,poetry,,,sister"
        ",brother,[],,,x,paper,gpt-3.5\n"
        + "My brother hates poetry.,,brother,poetry,,,brother,sister,[],,,x,paper,gpt-3.5\n"
    )
    found = read_pairs(tmp_path, spec=MATH)
    assert [pair.versions for pair in found] == [
        ("My sister framed her poetry.", "My brother framed his poetry."),
        ("He kept his old algebra notes.", "She kept her old algebra notes."),
    ]
    assert [(p.attribute, p.attribute_list, p.groups) for p in found] == [
        ("poetry", "arts", ("female terms", "male terms")),
        ("algebra", "math", ("male terms", "female terms")),
    ]
    assert found[1].term_texts() == ("He", "She")
    assert "'alt_sentence' is empty" in found.rejected[0].reason
    assert f"3 of 4 rows of {tmp_path.name} are about terms" in found.notes[0]
    assert found.notes[0].endswith("written by gpt-3.5, gpt-4.")
    with pytest.raises(
        SentenceError, match=r"None of 4 rows.*'brother' and 'poetry'.*another spec"
    ):
        read_pairs(tmp_path, spec=bl.specs.get("biastest-age"))
    with pytest.raises(SentenceError, match="give their spec"):
        read_pairs(tmp_path)
    by_attribute = read_pairs(tmp_path, spec=MATH, pairing="attribute")
    assert {pair.pairing for pair in by_attribute} == {"attribute"}


def test_sentences_of_the_hub_are_found_again_by_their_terms(tmp_path: Path) -> None:
    path = tmp_path / "husband.csv"
    path.write_text(
        "sentence,alt_sentence,org_grp_term,att_term,grp_term1,grp_term2\n"
        "My husband is a steel worker.,My wife is a steel worker.,husband,steel-worker,husband"
        ",wife\n"
    )
    store = Store(tmp_path / "store")
    assert keep_sentences(read_sentences(path), store=store) == 1
    (found,) = kept_sentences(["Husband"], ["steel worker"], store=store)
    assert found.text == "My husband is a steel worker."
    with pytest.raises(SentenceError, match="no column sentence or text"):
        read_sentences(write_pairs(default_pairs(MATH, per_attribute=1), tmp_path / "pairs.json"))
