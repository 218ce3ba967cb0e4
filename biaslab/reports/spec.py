"""A spec in words, for the command line and for reading."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import fill

from biaslab.specs.spec import Spec

_WIDTH = 100


def summary(spec: Spec) -> str:
    """What it is, where it is from, its lists, and what is odd in them."""
    return "\n".join(_lines(spec))


def _lines(spec: Spec) -> Iterator[str]:
    yield f"{spec.name}: {spec.title}"
    yield _wrapped(f"Source: {spec.source}")
    if spec.licence:
        yield _wrapped(f"Licence: {spec.licence}")
    if spec.aliases:
        yield f"Also found as: {', '.join(spec.aliases)}"
    for line in spec.notes.splitlines():
        yield _wrapped(line)
    for where, terms in spec.lists.items():
        kind, _, name = where.partition(".")
        of = spec.attribute_groups.get(name, ()) if kind == "attributes" else ()
        belongs = f" (of {', '.join(of)})" if of else ""
        yield _wrapped(f"{where}{belongs}, {len(terms)}: {', '.join(terms)}")
    if spec.cue_pairs:
        pairs = ", ".join(f"{cue_1} - {cue_2}" for cue_1, cue_2 in spec.cue_pairs)
        yield _wrapped(f"cue_pairs, {len(spec.cue_pairs)}: {pairs}")
    for name, distribution in spec.distributions.items():
        shares = ", ".join(f"{value} {share:.4g}" for value, share in distribution.shares.items())
        yield _wrapped(f"distributions.{name} ({distribution.kind}): {shares}")
    for name, column in spec.outside.items():
        yield _wrapped(
            f"outside.{name}, {len(column.values)}: {column.title} ({column.unit}). "
            f"Source: {column.source}"
        )
    for warning in spec.warnings:
        yield _wrapped(f"Note: {warning}")


def _wrapped(text: str) -> str:
    return fill(
        text, _WIDTH, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False
    )
