"""A test sentence: one sentence with a group's term and an attribute, before it has a pair."""

from __future__ import annotations

from dataclasses import dataclass

from biaslab.probes.sentences.pairs import Span
from biaslab.record import Record


@dataclass(frozen=True)
class TestSentence(Record):
    """A sentence, with what is known of it; what is not given is looked for in the text.

    Attributes
    ----------
    text : str
        The sentence.
    term : str
        Its group term, as the spec has it; empty to look for it.
    attribute : str
        Its attribute, as the spec has it; empty to look for it.
    source : str
        Where it comes from.
    other : str
        What its group term becomes in the other version; empty for the term's counterpart.
    """

    __test__ = False  # pytest takes classes of this name for its own

    text: str
    term: str = ""
    attribute: str = ""
    source: str = ""
    other: str = ""


@dataclass(frozen=True)
class Located(Record):
    """A sentence that passed the checks, with where its parts stand.

    Attributes
    ----------
    text : str
        The sentence, without outer spaces.
    term, group : str
        The group term as listed, and its group.
    attribute, attribute_list : str
        The attribute as listed, and its list.
    term_span, attribute_span : (int, int)
        Where they stand, the end excluded.
    source : str
        Where the sentence comes from.
    other : str
        What the term becomes in the other version; empty for its counterpart.
    remark : str
        What a person should look at; empty where nothing is odd.
    """

    text: str
    term: str
    group: str
    attribute: str
    attribute_list: str
    term_span: Span
    attribute_span: Span
    source: str = ""
    other: str = ""
    remark: str = ""
