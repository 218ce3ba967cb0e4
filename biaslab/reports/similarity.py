"""Plain words for the agreement of a subject with judged word similarity."""

from __future__ import annotations

from biaslab.probes.similarity import WordSimilarityResult


def summary(result: WordSimilarityResult) -> str:
    """A headline, and a line per set."""
    several = f", {len(result.sets)} sets" if len(result.sets) > 1 else ""
    lines = [f"Agreement with judged word similarity: Spearman {result.mean:.3f} (mean{several})."]
    if len(result.sets) == 1:
        lines = [f"Agreement with judged word similarity: Spearman {result.mean:.3f}."]
    for one in result.sets:
        level = f"{one.over_pairs.level:.0%}"
        spread = ""
        if len(one.spearman) > 1:
            spread = (
                f"; {len(one.spearman)} replicates, SD {one.sd:.3f}, another one "
                f"{one.over_corpora.low:.3f} to {one.over_corpora.high:.3f}"
            )
        lines.append(
            f"{one.name}: {one.mean:.3f} ({level} over pairs {one.over_pairs.low:.3f} to "
            f"{one.over_pairs.high:.3f}{spread}); {one.known} of {one.pairs} pairs known."
        )
    return "\n".join(lines)
