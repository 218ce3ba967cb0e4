"""The catalogue's lists are those of their sources, word for word."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

import biaslab as bl

WEAT = {
    1: (["flowers", "insects"], ["pleasant_5", "unpleasant_5a"]),
    2: (["instruments", "weapons"], ["pleasant_5", "unpleasant_5a"]),
    3: (["european_american_names_5", "african_american_names_5"], ["pleasant_5", "unpleasant_5b"]),
    4: (["european_american_names_7", "african_american_names_7"], ["pleasant_5", "unpleasant_5b"]),
    5: (["european_american_names_7", "african_american_names_7"], ["pleasant_9", "unpleasant_9"]),
    6: (["male_names", "female_names"], ["career", "family"]),
    7: (["math", "arts"], ["male_terms", "female_terms"]),
    8: (["science", "arts_2"], ["male_terms_2", "female_terms_2"]),
    9: (["mental_disease", "physical_disease"], ["temporary", "permanent"]),
    10: (["young_people_names", "old_people_names"], ["pleasant_9", "unpleasant_9"]),
}
GROUPS = {
    "religion": ["Judaism", "Christianity", "Islam"],
    "race": ["black", "caucasian", "asian"],
    "gender": ["man", "woman"],
}

OURS = {"jew": "Judaism", "christian": "Christianity", "muslim": "Islam"}
"""Names of religions, where the source names groups by the words for their people."""


def _json(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def _rows(path: Path, delimiter: str = ",") -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream, delimiter=delimiter))


def _lists(mapping: Any) -> list[list[str]]:
    return [list(terms) for terms in mapping.values()]


@pytest.mark.parametrize("number", WEAT)
def test_weat(shared_data: Path, number: int) -> None:
    sets = _json(shared_data / "association" / "wefe-weat-sets.json")
    spec = bl.specs.get(f"weat-{number}")
    targets, attributes = WEAT[number]
    assert _lists(spec.groups) == [sets[name] for name in targets]
    assert _lists(spec.attributes) == [sets[name] for name in attributes]


@pytest.mark.parametrize("topic", GROUPS)
def test_manzini(shared_data: Path, topic: str) -> None:
    source = _json(shared_data / "association" / f"manzini-{topic}_attributes_optm.json")
    spec = bl.specs.get(f"manzini-{topic}")
    assert list(spec.groups) == GROUPS[topic]
    columns = zip(*source["definite_sets"], strict=True)
    assert _lists(spec.groups) == [list(dict.fromkeys(column)) for column in columns]
    (stereotypes,) = source["analogy_templates"].values()
    of = {spec.attribute_groups[name]: list(terms) for name, terms in spec.attributes.items()}
    assert of == {(OURS.get(group, group),): terms for group, terms in stereotypes.items()}


@pytest.mark.parametrize(
    ("topic", "table"),
    [
        ("religion", "bayes-religion-reddit.csv"),
        ("race", "bayes-religion-reddit.csv"),
        ("gender", "bayes-gender-google.csv"),
    ],
)
def test_control_lists(shared_data: Path, topic: str, table: str) -> None:
    rows = _rows(shared_data / "association" / table)
    controls = bl.specs.get(f"manzini-{topic}").controls
    for kind in ("human", "neutral"):
        words = dict.fromkeys(r["wordToCompare"] for r in rows if r["wordClass"] == kind)
        assert list(controls[kind]) == list(words)


def test_biastestgpt(shared_data: Path) -> None:
    folder = shared_data / "sentences"
    sources = _json(folder / "biastestgpt-core-specs.json")
    sources += _json(folder / "biastestgpt-custom-specs.json")
    ours = {e.name: e.spec for e in bl.specs.entries() if e.name.startswith("biastest-") and e.spec}
    assert len(ours) == len(sources) == 15 + 4
    for source in sources:
        alias = "-".join("".join(c if c.isalnum() else " " for c in source["name"].lower()).split())
        spec = bl.specs.get(alias)
        assert spec.name in ours
        assert _lists(spec.groups) == list(source["social_groups"].values())
        assert _lists(spec.attributes) == list(source["attributes"].values())
        # The first two lists are the stereotypes of the first two groups: Jiang et al. (2023), 3.1.
        first_two = [spec.attribute_groups[name][0] for name in list(spec.attributes)[:2]]
        assert first_two == list(spec.groups)[:2]


def test_occupations(shared_data: Path) -> None:
    rows = _rows(shared_data / "occupations" / "occupations-stats.tsv", "\t")
    table = bl.specs.get("occupations").outside_table()
    assert list(table.index) == sorted(row["occupation"] for row in rows)
    for row in rows:
        ours = table.loc[row["occupation"]]
        assert ours["percent-female-bls"] == float(row["bls_pct_female"])
        assert ours["percent-female-text"] == float(row["bergsma_pct_female"])
        assert ours["year-bls"] == int(row["bls_year"])


@pytest.mark.parametrize(
    ("column", "file", "words"),
    [
        ("prestige-duncan", "prestige-duncan.csv", 13),
        ("prestige-pineo-porter", "prestige-canada.csv", 29),
    ],
)
def test_prestige(shared_data: Path, column: str, file: str, words: int) -> None:
    theirs = {
        row["occupation"]: float(row["prestige"])
        for row in _rows(shared_data / "occupations" / file)
    }
    ours = bl.specs.get("occupations").outside[column].values
    assert len(ours) == words
    assert dict(ours) == {word: theirs[word] for word in ours}


def test_eec_persons(shared_data: Path) -> None:
    rows = _rows(shared_data / "lexicons" / "eec-persons.csv")
    groups = bl.specs.get("eec-persons").groups
    for name, column in [
        ("female", "gender"),
        ("male", "gender"),
        ("African-American", "race"),
        ("European", "race"),
    ]:
        assert list(groups[name]) == [row["person"] for row in rows if row[column] == name]
