"""An edit of the association bench to its redraw in real Chromium.

Three groups of five protected words against 280 attribute and control words in one embedding: 4,200
distances, each of them a tick on the screen. A word is added to a group with Enter, and taken out
again with the button Undo; Python asks the whole probe anew: distances, posterior, contrasts, MAC
and WEAT. The clock runs from the key press or click to the beginning of the animation frame that
paints the answer (the component's event `biaslab:painted`).

The reference is the edit of a bench with next to nothing to ask: two groups of two words against
two lists of two. It is what transport and frames take, whatever is asked.
"""

from __future__ import annotations

from itertools import islice
from typing import Any

import biaslab as bl
from benchmarks.edits import EDITS, NOTE, SUBJECT, WARM_UP, compared
from benchmarks.findings import Findings
from benchmarks.screen import Shown

TIED = {"group 1": 4, "group 2": 4, "group 3": 3}
"""Groups, and the number of words in the list of each."""
WORDS, HUMAN, NEUTRAL = 5, 27, 242

Lists = list[dict[str, Any]]


def measure() -> Findings:
    """Edit in both hosts, with 4,200 distances and with next to none."""
    words, extra = known_words()
    everything, little = ({"lists": f(words), "replicate": 0} for f in (full_lists, short_lists))
    figures = compared(
        Shown("association", "AssociationBench", repr(SUBJECT)),
        everything,
        little,
        "16 distances",
        extra,
        unfold=lambda page: page.get_by_test_id("list-groups").click(),
    )
    return Findings(figures, (f"{NOTE} One replicate, crossed model.",))


def known_words() -> tuple[list[str], list[str]]:
    """Words of the subject for all lists, and some more to add."""
    subject = bl.load(SUBJECT)
    assert isinstance(subject, bl.EmbeddingEnsemble)
    n = len(TIED) * WORDS + sum(TIED.values()) + HUMAN + NEUTRAL
    words = [w for w in subject.words[500:] if w.isalpha()][: n + EDITS + WARM_UP]
    return words[:n], words[n:]


def full_lists(words: list[str]) -> Lists:
    """Three groups with their stereotypes, and the two controls."""
    left = iter(words)

    def take(name: str, n: int, kind: str, **tied: list[str]) -> dict[str, Any]:
        return {"name": name, "terms": list(islice(left, n)), "kind": kind, **tied}

    return [
        *(take(name, WORDS, "groups") for name in TIED),
        *(take(f"of {name}", n, "attributes", of=[name]) for name, n in TIED.items()),
        take("human", HUMAN, "controls"),
        take("neutral", NEUTRAL, "controls"),
    ]


def short_lists(words: list[str]) -> Lists:
    """Two groups of two words, each with a list of two."""
    return [
        {"name": "group 1", "terms": words[:2], "kind": "groups"},
        {"name": "group 2", "terms": words[2:4], "kind": "groups"},
        {"name": "of 1", "terms": words[4:6], "kind": "attributes", "of": ["group 1"]},
        {"name": "of 2", "terms": words[6:8], "kind": "attributes", "of": ["group 2"]},
    ]
