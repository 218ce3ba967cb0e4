"""What is done with word lists."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from biaslab_widgets.core.how import how, step
from biaslab_widgets.core.state.records import How, TermMark, WordList

GUIDE: Final = "docs/benches/word-lists.md"


def how_of(lists: Sequence[WordList], marks: Sequence[TermMark], subject: str) -> How:
    """What becomes of the lists, and which terms are left out.

    - `marks`: what is odd in them.
    - `subject`: whose vocabulary they are compared with; empty for none.
    """
    terms = sum(len(one["terms"]) for one in lists)
    unknown = len({(m["list"], m["position"]) for m in marks if m["kind"] == "unknown"})
    steps = [
        step(
            "Use the lists",
            text="A probe compares the words of the groups with those of the attribute lists and"
            " controls. This page computes nothing: save the lists and choose them in a bench.",
        )
    ]
    if subject:
        steps.append(
            step(
                "Leave out unknown terms",
                "terms − terms that the subject does not know",
                f"{terms} − {unknown} = {terms - unknown}",
                text=f"A bench uses the terms that {subject} knows, and says which it leaves out.",
            )
        )
    many = f"{terms} term{'s' * (terms != 1)} in {len(lists)} list{'s' * (len(lists) != 1)}."
    return how(many, steps, guide=GUIDE)
