"""The licence and source of a subject, as a line of its model card."""

from __future__ import annotations

from textwrap import fill

_OWN = "BSD-3-Clause, as biaslab."


def of_own_making(made_from: str) -> str:
    """Return the line of a subject for which everything was made by biaslab itself."""
    return _line(f"{_OWN} Source: {made_from}, all made by biaslab; no data of others.")


def of_wikipedia() -> str:
    """Return the line of a subject trained on the sample of Wikipedia."""
    return _line(
        f"{_OWN} Source: English Wikipedia of May 2015 by its authors, whose text is CC BY-SA 3.0."
        " No article is stored. Whoever hands on the text itself is bound by its licence."
    )


def of_reviews() -> str:
    """Return the line of a classifier trained on the Large Movie Review data."""
    return _line(
        f"{_OWN} Source: the Large Movie Review data (Maas et al. 2011), which come with no"
        " licence and ask to be cited; the reviews are their authors'. No review is stored."
    )


def _line(text: str) -> str:
    return fill(f"- **Licence**: {text}", 100, subsequent_indent="  ", break_on_hyphens=False)
