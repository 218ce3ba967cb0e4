"""Starter sentences: those that ship with the package, for BiasTestGPT's predefined specs.

They are our own templates filled with the specs' terms, the same each time; nothing is taken from
another data set. So a person who looks for saved sentences finds some on the first day.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from biaslab.probes.sentences.sentence import TestSentence
from biaslab.probes.sentences.templates import PER_ATTRIBUTE, template_sentences
from biaslab.specs.spec import Spec

PREFIX = "biastest-"
"""How the names of the predefined specs begin."""


def has_starter(spec: Spec) -> bool:
    """Whether the package ships starter sentences for this spec, as it is in the catalogue."""
    return spec.name in starter_specs()


@cache
def starter_specs() -> tuple[str, ...]:
    """Names of the specs with starter sentences."""
    from biaslab.specs.catalogue_files import PREDEFINED, entries

    return tuple(
        entry.name
        for entry in entries()
        if entry.where == PREDEFINED and entry.name.startswith(PREFIX)
    )


def starter_sentences(name: str, *, per_attribute: int = PER_ATTRIBUTE) -> tuple[TestSentence, ...]:
    """The starter sentences of a predefined spec.

    Parameters
    ----------
    name : str
        The spec's name, such as ``"biastest-math-arts"``.
    per_attribute : int
        Sentences per attribute at most.

    Raises
    ------
    SpecError
        If there is no such spec.
    """
    from biaslab import specs

    return template_sentences(specs.get(name), per_attribute=per_attribute, source="starter")


def find_starter(terms: Iterable[str], attributes: Iterable[str]) -> tuple[TestSentence, ...]:
    """The starter sentences of all predefined specs with one of these terms and attributes."""
    from biaslab import specs

    wanted = {term.lower() for term in terms}, {attribute.lower() for attribute in attributes}
    found: dict[TestSentence, None] = {}
    for name in starter_specs():
        spec = specs.get(name)
        known = [
            {word.lower() for words in lists.values() for word in words}
            for lists in (spec.groups, spec.attributes)
        ]
        if not (known[0] & wanted[0] and known[1] & wanted[1]):
            continue
        for sentence in _of(name):
            if sentence.term.lower() in wanted[0] and sentence.attribute.lower() in wanted[1]:
                found[sentence] = None
    return tuple(found)


@cache
def _of(name: str) -> tuple[TestSentence, ...]:
    return starter_sentences(name)
