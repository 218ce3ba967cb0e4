"""A folder of rating cards: services, chains of them, and files that are no card."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import biaslab as bl
from biaslab.probes.rating import RatingDesign
from biaslab.services import Composite

TEXTS = 20


def card_of(service: Any, texts: int = TEXTS, **design: Any) -> str:
    """Rate a service, and return its card."""
    made = RatingDesign.make(design.pop("attribute", "gender"), texts=texts, **design)
    return bl.rate(service, made, keep=False).card().to_json()


def write_cards(folder: Path) -> Path:
    """Write eight cards and three files that are none; return the folder."""
    same, he, both = map(bl.observers.service, ("faithful", "always-he", "compensating"))
    trips = bl.observers.service("erasing", languages={"es": "faithful", "tr": "always-he"})
    church = bl.observers.service("always-church", attribute="place of worship")
    shares: dict[str, Any] = {
        "unbiased": {"even": (0.25,) * 4},
        "biased": {"church": (0.7, 0.1, 0.1, 0.1)},
    }
    cards = {
        "same": card_of(same),
        "he": card_of(he),
        "both": card_of(both),
        "he-both": card_of(Composite(he, both)),
        "both-same": card_of(Composite(both, same)),
        "three": card_of(Composite(both, same, he), texts=30),
        "trips": card_of(trips, middles=("es", "tr")),
        "church": card_of(church, attribute="place of worship", **shares),
    }
    cards |= {
        "old": '{"schema": "rating-card/2"}',
        "none": "no card",
        "liar": cards["he"].replace('"corrected": "BS"', '"corrected": "UCS"', 1),
    }
    for name, text in cards.items():
        (folder / f"{name}.json").write_text(text, encoding="utf-8")
    return folder
