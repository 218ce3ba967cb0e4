"""What the word lists of step 1 say: the two groups, their stereotypes, and what is missing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import biaslab as bl
from biaslab.errors import BiaslabError
from biaslab.probes.sentences.checks import Vocabulary
from biaslab.probes.sentences.pairing import vocabulary
from biaslab.records.wording import prose
from biaslab_widgets.core.state.records import WordList
from biaslab_widgets.core.word_lists import filled as filled_terms
from biaslab_widgets.core.word_lists import lists_key, spec_on_screen


@dataclass(frozen=True)
class Words:
    """The lists on the screen, as the probe takes them.

    - `key`: equal for equal lists.
    - `spec`: None while they make none.
    - `vocabulary`: None while they are not adequate.
    - `why`: what is missing before sentences can be made; empty where nothing is.
    - `note`: what the lists hold, in a line.
    """

    key: object
    spec: bl.specs.Spec | None
    vocabulary: Vocabulary | None
    why: str
    note: str

    @property
    def groups(self) -> tuple[str, str]:
        """Names of the two groups."""
        if self.vocabulary is None:
            return "", ""
        first, second = self.vocabulary.groups
        return first.name, second.name

    @property
    def attributes(self) -> list[tuple[str, str]]:
        """Every attribute that is a stereotype of one of the groups, with its list."""
        held = self.vocabulary
        if held is None:
            return []
        return [(a, name) for name in held.stereotype_of for a in dict.fromkeys(
            held.attributes[name]
        )]  # fmt: skip

    def group_of(self, attribute_list: str) -> int:
        """Which group a list is the stereotype of, from 0; -1 for none."""
        if self.vocabulary is None:
            return -1
        group = self.vocabulary.stereotype_of.get(attribute_list)
        return self.groups.index(group) if group in self.groups else -1


def words_of(lists: Sequence[WordList], spec: str, given: bl.specs.Spec | None = None) -> Words:
    """What these lists say.

    - `lists`: checked.
    - `spec`: name of the spec that they came from; it stays theirs while they are as it has them.
    - `given`: one that need not be in the catalogue.
    """
    groups = [w for w in lists if w.get("kind") == "groups"]
    filled = [w for w in groups if filled_terms(w)][:2]
    names = [w["name"] for w in filled]
    attributes = [w for w in lists if w.get("kind") == "attributes"]
    key = lists_key(lists, spec)
    why = _missing(groups, filled, attributes, names)
    made: bl.specs.Spec | None = None
    adequate: Vocabulary | None = None
    if not why:
        try:
            made = spec_on_screen(lists, spec, given, "sentence bench")
            adequate = vocabulary(made, names)
        except BiaslabError as error:
            why = prose(error)
    return Words(key, made, adequate, why, _note(names, attributes, adequate, groups))


def _missing(
    groups: Sequence[WordList],
    filled: Sequence[WordList],
    attributes: Sequence[WordList],
    names: Sequence[str],
) -> str:
    if len(groups) < 2:
        return "The test compares two groups: add a list for each."
    if len(filled) < 2:
        empty = next(w["name"] for w in groups if not filled_terms(w))
        return f"The group “{empty}” has no term: add one."
    if not attributes:
        return "There is no attribute list. Add one, and say which group it is the stereotype of."
    if not (with_words := [w for w in attributes if filled_terms(w)]):
        return f"The attribute list “{attributes[0]['name']}” is empty: add an attribute."
    if not any(len(set(w.get("of", ())) & set(names)) == 1 for w in with_words):
        return (
            f"No attribute list is tied to just one of “{names[0]}” and “{names[1]}”: say of "
            f"“{with_words[0]['name']}” which group it is the stereotype of."
        )
    return ""


def _note(
    names: Sequence[str],
    attributes: Sequence[WordList],
    vocabulary: Vocabulary | None,
    groups: Sequence[WordList],
) -> str:
    parts = []
    if lists := [w["name"] for w in attributes if filled_terms(w)]:
        parts.append(" and ".join(lists) if len(lists) < 4 else f"{len(lists)} attribute lists")
    if names:
        parts.append(" and ".join(names))
    count = len({a.lower() for w in attributes for a in filled_terms(w)})
    parts.append(f"{count:,} attribute{'' if count == 1 else 's'}")
    if len(groups) > 2 and vocabulary is not None:
        parts.append(f"the first two of {len(groups)} groups are compared")
    if empty := [w["name"] for w in attributes if not filled_terms(w)]:
        parts.append(f"{', '.join(empty)} empty and left out")
    return ", ".join(parts)
