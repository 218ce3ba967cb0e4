"""An edit of the occupations view to its redraw in real Chromium.

60 known words, all 8 x 8 combinations of the gender cues, 32 replicates: 122,880 switch points,
3,840 points on the screen. A word is added with Enter, each time another one, and Python asks
the whole probe anew. "Undone" takes it out again with the button Undo, which asks nothing anew.
The clock runs from the key press or click to the beginning of the animation frame that paints the
answer (the component's event `biaslab:painted`).

The reference is the edit of a bench that shows one word under one cue pair: what transport and
frames take, whatever is asked.
"""

from __future__ import annotations

import biaslab as bl
from benchmarks.edits import EDITS, NOTE, SUBJECT, WARM_UP, compared
from benchmarks.findings import Findings
from benchmarks.screen import ANSWERED, Shown

WORDS = 60


def measure() -> Findings:
    """Edit in both hosts, with everything and with next to nothing to ask."""
    subject = bl.load(SUBJECT)
    assert isinstance(subject, bl.EmbeddingEnsemble)
    words = list(subject.resolve(bl.specs.get("occupations").items).known)
    known = [*words, *(w for w in subject.words[2000:] if w not in words)]
    words, extra = known[:WORDS], known[WORDS : WORDS + EDITS + WARM_UP]
    everything = {"words": words, "pairing": "all"}
    little = {"words": words[:1], "groups": {"female": ["female"], "male": ["male"]}}
    figures = compared(
        Shown("occupations", "OccupationsBench", repr(SUBJECT)),
        everything,
        little,
        "one word, one pair",
        extra,
        # One word under one pair may have no answer to give, and says so.
        answered=f"{ANSWERED}, [data-state=cannot-say]",
    )
    return Findings(figures, (NOTE,))
