"""The bench that asks the question of a result: runs of scripts are filtered by it, too."""

from __future__ import annotations

from typing import Final

from biaslab.results import Result

_BENCHES: Final = {
    "two-afc": "psychometric",
    "two-afc-layers": "psychometric",
    "trace": "psychometric",
    "occupations": "occupations",
    "association": "association",
    "association-measure": "association",
    "distance-model": "association",
    "mac": "association",
    "weat": "association",
    "weat-simulation": "association",
    "posterior": "posterior",
    "posterior-distances": "posterior",
    "posterior-groups": "posterior",
    "posterior-lexicon": "posterior",
    "posterior-overview": "posterior",
    "posterior-plane": "posterior",
    "nearest-reviews": "posterior",
    "stereotype-score": "sentences",
    "seat": "sentences",
    "ceat": "sentences",
    "image-association": "images",
    "rating": "rating",
    "decisions": "decisions",
}
"""Names of benches by kind of result, which is its schema without the version."""


def bench_of_kind(result: Result | type[Result]) -> str:
    """Return the name of the bench for a kind of result; empty where no bench asks it."""
    return _BENCHES.get(result.schema.partition("/")[0], "")
