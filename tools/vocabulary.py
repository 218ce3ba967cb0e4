"""List the words that bundled embeddings must keep: all term lists of the field's test data.

``python tools/vocabulary.py ../shared/data > words.txt`` reads the term lists beside the project
and the project's own catalogue; multi-word terms count word by word. For
``biaslab train bootstraps --words words.txt``.
"""

from __future__ import annotations

import csv
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import biaslab as bl

WORD = re.compile(r"[^\W\d_]+")
KINSHIP = (
    "mother father mom dad mum aunt uncle niece nephew grandmother grandfather wife husband "
    "bride groom queen king princess prince lady gentleman women men girls boys sisters "
    "brothers daughters sons wives husbands mothers fathers herself himself females males "
    "actress actor waitress waiter"
)
PEOPLE = (
    "black white asian african european american hispanic latino indian chinese japanese arab "
    "jewish muslim christian hindu buddhist catholic gay lesbian straight heterosexual "
    "homosexual bisexual transgender young old elderly teenager rich poor wealthy disabled "
    "immigrant refugee native"
)
TRAITS = (
    "ambitious aggressive assertive confident dominant competent intelligent brilliant logical "
    "rational strong weak gentle kind warm caring emotional sensitive submissive beautiful "
    "pretty ugly handsome honest dishonest lazy clever stupid violent peaceful criminal "
    "terrorist smart brave loyal friendly hostile polite rude generous greedy"
)
WORSHIP = "church mosque temple synagogue cathedral chapel shrine pagoda monastery"


def texts(value: Any) -> Iterator[str]:
    """Every string in nested lists and mappings, keys left out."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from texts(list(value.values()))
    elif isinstance(value, list):
        for item in value:
            yield from texts(item)


def columns(path: Path, *names: str, delimiter: str = ",") -> Iterator[str]:
    """The given columns of a table."""
    with path.open(encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream, delimiter=delimiter):
            yield from (row[name] for name in names)


def terms(data: Path) -> Iterator[str]:
    """All terms, from the most needed to the least."""
    predefined = (entry.spec for entry in bl.specs.entries() if entry.where == "predefined")
    for spec in filter(None, predefined):
        yield from (cue for pair in spec.cue_pairs for cue in pair)
        yield from spec.items
    yield from (KINSHIP, PEOPLE, TRAITS, WORSHIP)
    for path in sorted((data / "association").glob("*.json")):
        yield from texts(json.loads(path.read_text(encoding="utf-8")))
    for path in sorted((data / "association").glob("bayes-*-*.csv")):
        if "coefficients" not in path.name:
            yield from columns(path, "protectedWord", "wordToCompare")
    for path in sorted((data / "sentences").glob("*specs.json")):
        for spec in json.loads(path.read_text(encoding="utf-8")):
            yield from texts([spec["social_groups"], spec["attributes"]])
    yield from columns(data / "occupations" / "occupations-stats.tsv", "occupation", delimiter="\t")
    professions = json.loads((data / "occupations" / "bolukbasi-professions.json").read_text())
    yield from (row[0].replace("_", " ") for row in professions)
    yield from columns(data / "lexicons" / "eec-persons.csv", "person")
    for path in sorted((data / "similarity").glob("*.tsv")):
        for line in path.read_text(encoding="utf-8").splitlines():
            if not line.startswith("#"):
                yield from line.split("\t")[:2]


def main() -> int:
    """Print the words, each once."""
    words = (word for term in terms(Path(sys.argv[1])) for word in WORD.findall(term.lower()))
    print("\n".join(dict.fromkeys(words)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
