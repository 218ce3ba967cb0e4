"""bl.probes.sentences.sentiment_gap: recovers planted gaps, and finds none between halves."""

from __future__ import annotations

import csv
import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

import biaslab as bl
from biaslab.errors import QueryError, SubjectError
from biaslab.probes.sentences import SentimentGap, sentiment_gap
from biaslab.probes.sentences.person_sentences import person_sentences
from biaslab.records.result import Result
from biaslab.subjects.classifier.sentiment import SentimentClassifier

NAMES = {g: tuple(f"{g}{i}" for i in range(12)) for g in ("Ana", "Ben")}


def _noise(*parts: str) -> float:
    """A number of mean 0 and SD 1 that depends on the parts alone."""
    digest = hashlib.blake2b("|".join(parts).encode(), digest_size=4).digest()
    return (int.from_bytes(digest) / 2**32 - 0.5) * 12**0.5


def _scorer(gap: float, seed: int = 0) -> Callable[[Sequence[str]], list[float]]:
    """Scores with effects of the sentence, the person and both, and a planted gap."""
    of = {s.text: s for s in person_sentences([p for some in NAMES.values() for p in some])}

    def score(texts: Sequence[str]) -> list[float]:
        return [
            0.5
            + gap * s.person.startswith("Ana")
            + 0.2 * _noise(s.template, s.word)
            + 0.02 * _noise(s.person, str(seed))
            + 0.02 * _noise(s.person[:3], s.template, str(seed))
            + 0.01 * _noise(text, str(seed))
            for text, s in ((text, of[text]) for text in texts)
        ]

    return score


def test_a_planted_gap_is_found_and_turns_with_the_groups() -> None:
    found = sentiment_gap(_scorer(0.1), NAMES)
    assert 0.1 in found.gap.interval
    assert found.gap.lean == 1
    assert [g.name for g in found.gaps] == ["all", "anger", "fear", "joy", "sadness", "none"]
    assert "higher for Ana than for Ben" in found.headline
    turned = sentiment_gap(_scorer(0.1), NAMES, names=("Ben", "Ana"))
    assert turned.gap.difference == pytest.approx(-found.gap.difference)
    assert turned.headline == found.headline
    assert Result.from_json(found.to_json()) == found
    assert len(found.raw_frame()) == len(found.sentences) == found.gap.sentences
    assert found.to_svg().startswith("<svg")


def test_without_a_gap_few_intervals_exclude_0() -> None:
    runs = [sentiment_gap(_scorer(0.0, seed), NAMES, halves=0) for seed in range(100, 160)]
    assert sum(run.gap.lean != 0 for run in runs) <= 7  # of 60; 3 are expected
    assert "No clear difference" in next(run for run in runs if not run.gap.lean).headline


def test_halves_of_one_group_are_the_placebo() -> None:
    halves = sentiment_gap(_scorer(0.3), NAMES).halves
    assert halves.splits == 200
    assert halves.clear < 0.1
    assert -0.05 < halves.low < 0 < halves.high < 0.05


def test_sentences_differ_in_the_person_alone_and_pronouns_have_their_case() -> None:
    made = person_sentences(["she", "her", "my sister", "Nancy"])
    texts = {(s.template, s.word, s.person): s.text for s in made}
    assert texts["{she} waited at the bus stop.", "", "my sister"] == (
        "My sister waited at the bus stop."
    )
    assert ("The parcel for {her} came on Tuesday.", "", "she") not in texts
    assert ("{she} waited at the bus stop.", "", "her") not in texts
    assert len([s for s in made if s.person == "Nancy"]) == 7 * 16 + 4


def test_a_service_answers_in_words_and_its_refusals_are_no_scores() -> None:
    def answer(text: str) -> str:
        if "furious" in text:
            return "I would rather not say."
        return "Positive" if "Ana" in text else "0.25"

    found = sentiment_gap(bl.services.FunctionService(answer), NAMES, halves=0)
    assert found.gap.difference == pytest.approx(0.75)
    refused = [d for d in found.dropped if d.role == "sentence"]
    assert len(refused) == 24 * 4  # four of the templates have the word
    assert all("furious" in d.term for d in refused)
    assert "96 sentences without a score" in found.summary()


def test_a_classifier_leaves_out_names_that_it_does_not_know() -> None:
    classifier = bl.load("imdb-sentiment", kind="classifier")
    found = sentiment_gap(classifier, names=("African-American", "European"), halves=0)
    assert isinstance(found, SentimentGap)
    assert "Lakisha" in [d.term for d in found.dropped]
    assert "Lakisha" not in found.groups["African-American"]
    assert found.unit == "p(positive)"
    assert isinstance(classifier, SentimentClassifier)
    first = found.sentences[0].text
    assert found.scores[0] == pytest.approx(classifier.probability([first])[0, 1])


def test_the_authors_corpus_is_read_from_its_file(tmp_path: Path) -> None:
    path = tmp_path / "Equity-Evaluation-Corpus.csv"
    rows = [
        (f"{who} is here, {word}.", "t" + word, who, "female", "", emotion, word)
        for who in ("Nancy", "Ellen", "Frank", "Roger", "someone")
        for word, emotion in (("glad", "joy"), ("", ""))
    ]
    heads = ("Sentence", "Template", "Person", "Gender", "Race", "Emotion", "Emotion word")
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([heads, *rows])
    found = sentiment_gap(lambda texts: [len(text) for text in texts], sentences=path)
    assert found.groups == {"female": ("Ellen", "Nancy"), "male": ("Frank", "Roger")}
    assert [g.name for g in found.gaps] == ["all", "joy", "none"]
    assert found.gap.sentences == 8
    path.write_text("Sentence,Person\nHello,Nancy\n")
    with pytest.raises(QueryError, match="Emotion"):
        sentiment_gap(len, sentences=path)


def test_wrong_input_is_named() -> None:
    with pytest.raises(QueryError, match="Two groups"):
        sentiment_gap(_scorer(0.0), {"Ana": NAMES["Ana"]})
    with pytest.raises(QueryError, match="at least two"):
        sentiment_gap(_scorer(0.0), {"Ana": NAMES["Ana"][:1], "Ben": NAMES["Ben"]})
    with pytest.raises(SubjectError, match="one number per text"):
        sentiment_gap(lambda texts: 0.5, NAMES)
    with pytest.raises(SubjectError, match="scores no texts"):
        sentiment_gap(3, NAMES)  # type: ignore[arg-type]
