"""Sentences in the layout of BiasTestGPT's data set on the hub: a table for each group term.

A row has a sentence and its other version, the group terms of both, and the attribute. Jiang et al.
(2023), section 3, retrieve sentences by these terms before new ones are written.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from biaslab.errors import SentenceError
from biaslab.probes.sentences.checks import Vocabulary
from biaslab.probes.sentences.formats.published import Collected, Row, pair_of, plain, text_of
from biaslab.probes.sentences.pairing import vocabulary
from biaslab.probes.sentences.pairs import PairSet
from biaslab.records.wording import counted
from biaslab.specs.spec import Spec

COLUMNS = ("sentence", "alt_sentence", "org_grp_term", "att_term", "grp_term1", "grp_term2")


def as_spelt(attribute: str, text: str) -> str:
    """Return an attribute as a sentence spells it: the layout has dashes in those of many words."""
    return attribute if attribute.casefold() in text.casefold() else attribute.replace("-", " ")


def read(
    rows: Sequence[Row], source: str, spec: Spec, groups: Sequence[str] | None = None
) -> PairSet:
    """Return the pairs about a spec's terms, with the other version as it is in the file.

    - `groups`: two of the spec's groups; by default its first two.
    - Raises `SentenceError` if no row is about a term of either group and an attribute.
    """
    words, collected, writers = vocabulary(spec, groups), Collected(source), dict[str, None]()
    terms = {plain(t.text): (t.text, group.name) for group in words.groups for t in group.terms}
    attributes = {plain(name): name for name in words.all_attributes}
    about = 0
    for number, row in enumerate(rows, start=1):
        attribute = attributes.get(plain(text_of(row, "att_term")))
        both = [terms.get(plain(term)) for term in _terms(row)]
        first, second = both
        if attribute is None or first is None or second is None or first[1] == second[1]:
            continue
        part = next((n for n in words.lists_of(attribute) if n in words.stereotype_of), None)
        if part is None:
            continue
        about += 1
        versions = collected.versions(row, COLUMNS[:2], f"row {number}")
        if versions is None:
            continue
        in_order = first[1] == words.stereotype_of[part]
        own = {"group_term": attribute, "att_term_1": first[0], "att_term_2": second[0]}
        order = (first[1], second[1]) if in_order else (second[1], first[1])
        pair = replace(
            pair_of(own, versions, in_order, source), attribute_list=part, groups=order, id=""
        )
        collected.add(pair, f"row {number}")
        writers[text_of(row, "gen_model")] = None
    if not about:
        raise SentenceError(_none(rows, source, spec, words))
    by = ", ".join(filter(None, writers))
    note = f"{about:,} of {counted(len(rows), 'row')} of {source} are about terms of this spec"
    return collected.result([note + (f"; written by {by}." if by else ".")])


def _none(rows: Sequence[Row], source: str, spec: Spec, words: Vocabulary) -> str:
    first = " and ".join(repr(text_of(rows[0], name)) for name in ("org_grp_term", "att_term"))
    return (
        f"None of {counted(len(rows), 'row')} of {source} is about a term of each of the groups"
        f" {words.groups[0].name!r} and {words.groups[1].name!r} and an attribute of {spec.name!r};"
        f" the first is about {first}. Choose another spec, or add these terms to its lists."
    )


def _terms(row: Row) -> tuple[str, str]:
    """Return the group term of the sentence, and that of its other version."""
    own, one, two = (text_of(row, name) for name in ("org_grp_term", "grp_term1", "grp_term2"))
    return (own, one) if plain(own) == plain(two) else (own or one, two)
