"""Every subject that ships with biaslab states its licence and its source, and keeps to them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from biaslab_train.cards import of_own_making, of_reviews, of_wikipedia

READS = ("biaslab", "train")

BUNDLED = Path(__file__).resolve().parents[2] / "biaslab" / "bundled"
CARDS = sorted(BUNDLED.glob("*/README.md"))
LINE = re.compile(r"^- \*\*Licence\*\*: (.*(?:\n  .*)*)", re.MULTILINE)


def test_every_bundled_subject_has_a_card() -> None:
    assert [card.parent for card in CARDS] == sorted(
        folder for folder in BUNDLED.iterdir() if folder.is_dir() and folder.name != "__pycache__"
    )


@pytest.mark.parametrize("card", CARDS, ids=lambda card: card.parent.name)
def test_its_card_states_one_licence_and_the_source_with_its_terms(card: Path) -> None:
    (line,) = LINE.findall(card.read_text(encoding="utf-8"))
    text = " ".join(line.split())
    assert re.match(r"BSD-3-Clause, as biaslab\. Source: \S.{15,}", text)


def test_the_cards_of_a_new_training_say_the_same() -> None:
    """The tools write cards anew: what they write is what the bundled ones hold."""
    made = {
        "clerk-lm": of_own_making("its questions and the probabilities of their answers"),
        "imdb-sentiment": of_reviews(),
        "portrait-clip": of_own_making("its portraits and captions"),
        **dict.fromkeys(("wiki-bootstraps", "wiki-clm", "wiki-mlm"), of_wikipedia()),
    }
    assert set(made) == {card.parent.name for card in CARDS}
    for name, line in made.items():
        assert f"\n{line}\n" in (BUNDLED / name / "README.md").read_text(encoding="utf-8"), name
