"""A catalogue of rating cards: its cards, predictions for chains, and whether it is unchanged."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest

import biaslab as bl
from biaslab.cli import main
from biaslab.errors import QueryError, RatingError
from biaslab.files.json_schema import schema_problem
from biaslab.probes.rating import RatingDesign, compose, compose_chain
from biaslab.probes.rating.ratings import ORDER
from biaslab.reports.rating.card import card_schema
from biaslab.reports.rating.registry import read_cards
from biaslab.reports.rating.site import check_site, write_site
from harness.heavy import jsonschema
from harness.rating_cards import card_of, write_cards


@pytest.fixture(scope="module")
def cards(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_cards(tmp_path_factory.mktemp("cards"))


def _damaged(value: Any, whole: Any) -> Iterator[Any]:
    """A document with one part after the other left out, or of another kind; then as it was."""
    keys = list(value) if isinstance(value, dict) else range(len(value))
    for key in keys:
        old = value[key]
        if isinstance(value, dict):
            del value[key]
            yield whole
        wrong: tuple[Any, ...] = (None, True, -1, 2.5, "", "BS", [], {}, {"x": 1})
        for new in wrong:
            value[key] = new
            yield whole
        value[key] = old
        if isinstance(old, dict | list):
            yield from _damaged(old, whole)


def test_a_card_is_refused_where_a_validator_of_json_schema_refuses_it() -> None:
    card = json.loads(card_of(bl.observers.service("faithful")))
    schema = card_schema()
    judge = jsonschema.Draft202012Validator(schema)
    assert schema_problem(card, schema) == ""
    refused = 0
    for number, one in enumerate(_damaged(card, card)):
        if number % 29 == 0:
            problem = schema_problem(one, schema)
            assert bool(problem) != judge.is_valid(one), problem
            refused += bool(problem)
    assert refused > 20


def test_a_chain_is_predicted_where_one_rating_is_left() -> None:
    for a, b in product(ORDER, ORDER):
        assert compose_chain([a, b]) == compose(a, b).rating
    assert compose_chain(["BS", "BS"]) is None
    assert compose_chain(["BS", "BS", "UCS"]) == "UCS"  # whatever the first two come to
    assert compose_chain(["BS", "BS", "DSBS"]) is None
    assert compose_chain(["UCS", "DSBS", "DSBS"], "definition") == "UCS"
    assert compose_chain(["not rateable", "UCS"]) is None
    with pytest.raises(RatingError, match="at least two"):
        compose_chain(["UCS"])


def test_predictions_are_the_library_s_and_chains_are_known_by_identity(cards: Path) -> None:
    registry = read_cards(cards)
    data = registry.data()
    for three in product(ORDER, repeat=3):
        told = data["predictions"][" ".join(three)]["rating"]
        both = [
            compose_chain(three) or "no prediction",
            compose_chain(three, "definition") or "no prediction",
        ]
        assert told == " or ".join(map(str, dict.fromkeys(both)))
    names = [one["name"] for one in data["cards"]]
    measured = {
        tuple(names[int(k)] for k in services.split()): one["text"]
        for services, one in data["measured"].items()
    }
    he, even, same = "always-he observer", "compensating observer", "faithful observer"
    assert measured == {
        (he, even): "Measured: UCS, as predicted.",
        (even, same): "Measured: UCS, as predicted by the definitions and not by Table 2.",
        (even, same, he): "Measured: BS, as predicted. The chain was rated with other texts than "
        "its services.",
        (f"{even} * {same}", he): "Measured: BS, as predicted. The chain was rated with other "
        "texts than its services.",
    }
    worship = names.index("always-church observer")
    assert all(worship not in one["fits"] for one in data["cards"] if one["attribute"] == "gender")


def test_bad_cards_are_named_and_the_others_go_on(
    cards: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    site = tmp_path / "site"
    assert main(["registry", "build", str(cards), "--out", str(site)]) == 0
    told = capsys.readouterr()
    assert told.err.splitlines() == [
        "Left out liar.json: its rating 'UCS' is not one of ['BS'] alone.",
        "Left out none.json: it is not JSON: Expecting value: line 1 column 1 (char 0).",
        "Left out old.json: schema is 'rating-card/2', not 'rating-card/3'.",
    ]
    assert told.out.startswith("8 cards, 3 of them of chains of the others: ")
    bad = tmp_path / "bad"
    bad.mkdir()
    (bad / "old.json").write_bytes((cards / "old.json").read_bytes())
    with pytest.raises(QueryError, match=r"no rating card(.|\n)*old\.json"):
        read_cards(bad)
    with pytest.raises(QueryError, match="something else"):
        write_site(read_cards(cards), cards)


def test_a_stranger_finds_what_was_changed(
    cards: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    site = tmp_path / "site"
    main(["registry", "build", str(cards), "--out", str(site)])
    (published,) = re.findall(r"[0-9a-f]{64}", capsys.readouterr().out)
    assert main(["registry", "check", str(site), "--hash", published]) == 0
    index = site / "index.html"
    index.write_text(index.read_text().replace("Measured: UCS", "Measured: BS"))
    assert check_site(site) == [
        "index.html: not the page that this version of biaslab makes of these cards"
    ]
    card = min((site / "cards").glob("always-he-observer-*.json"), key=lambda one: len(one.name))
    card.write_text(card.read_text().replace("always-he observer", "fair observer"))
    assert check_site(site) == [f"cards/{card.name}: changed since the list was made"]
    # Whoever writes the list anew is found by the hash that was published elsewhere.
    write_site(read_cards(site / "cards"), site)
    assert check_site(site) == []
    assert main(["registry", "check", str(site), "--hash", published]) == 1


def test_saved_ratings_become_cards_and_names_stay_text(own_home: Path, tmp_path: Path) -> None:
    def odd(text: str) -> str:
        return text

    odd.__name__ = "</script><img src=x>"
    for service in (odd, bl.observers.service("faithful")):
        bl.rate(service, RatingDesign.make(texts=20), keep=False).save(tags=["out"])
    bl.rate(bl.observers.service("noisy"), RatingDesign.make(texts=20), keep=False).save()
    site = tmp_path / "site"
    assert main(["registry", "build", "--runs", "out", "--out", str(site)]) == 0
    assert len(list((site / "cards").glob("*.json"))) == 2
    for page in site.rglob("*.html"):
        assert "<img" not in page.read_text()
    assert main(["registry", "build", "--runs", "--out", str(site)]) == 0
    assert len(list((site / "cards").glob("*.json"))) == 3
