"""Rows of tables of pairs, and the published tables: CrowS-Pairs, StereoSet, BiasTestGPT.

CrowS-Pairs (Nangia et al. 2020): ``sent_more`` is the stereotypical version. StereoSet (Nadeem et
al. 2021): stereotype, anti-stereotype and unrelated. BiasTestGPT (Jiang et al. 2023): a template,
and both versions.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from biaslab.errors import SentenceError
from biaslab.probes.sentences.pairs import PairSet, RejectedSentence, SentencePair, Span
from biaslab.probes.sentences.swap import compared, differences, only_difference
from biaslab.probes.sentences.terms import Kind, Term, find
from biaslab.probes.sentences.words import GENDER_OF

Row = Mapping[str, Any]


@dataclass
class Collected:
    """Pairs and rejected rows of a file, in its order."""

    source: str
    pairs: list[SentencePair] = field(default_factory=list)
    rejected: list[RejectedSentence] = field(default_factory=list)
    _met: dict[str, str] = field(default_factory=dict)
    _ids: set[str] = field(default_factory=set)

    def add(self, pair: SentencePair, where: str, *, keep_repeats: bool = False) -> None:
        """Take a pair; one with the same versions and attribute as another is rejected.

        With `keep_repeats` it is kept with a remark: a published set is scored as it is.
        """
        content = replace(pair, id="", remark="").id
        if content in self._met:
            if not keep_repeats:
                self.reject(
                    pair.stereotyped,
                    "duplicate",
                    f"It is the same pair as {self._met[content]}. Remove one.",
                    where,
                    pair.attribute,
                )
                return
            remark = f"{pair.remark} It is the same pair as {self._met[content]}.".strip()
            pair = replace(pair, remark=remark)
        if pair.id in self._ids:
            pair = replace(pair, id=f"{pair.id}-{len(self.pairs)}")
        self._met[content] = where
        self._ids.add(pair.id)
        self.pairs.append(pair)

    def reject(self, text: str, code: str, reason: str, where: str, attribute: str = "") -> None:
        """Take a row that is not used."""
        self.rejected.append(
            RejectedSentence(text, code, reason, attribute, source=f"{self.source}, {where}")
        )

    def versions(self, row: Row, names: Sequence[str], where: str) -> tuple[str, str] | None:
        """Return both versions of a row; reject it if one is missing or both are equal."""
        texts = [text_of(row, name) for name in names]
        missing = [name for name, text in zip(names, texts, strict=True) if not text]
        if missing:
            what = " and ".join(repr(name) for name in missing)
            self.reject(
                " ".join(texts).strip(), "unreadable", f"{what} is empty: fill it in.", where
            )
            return None
        if texts[0] == texts[1]:
            self.reject(texts[0], "same-versions", "Both versions are the same. Change one.", where)
            return None
        return texts[0], texts[1]

    def result(self, notes: Iterable[str] = ()) -> PairSet:
        """Return the collected pairs."""
        return PairSet(tuple(self.pairs), tuple(self.rejected), self.source, notes=tuple(notes))


def text_of(row: Row, name: str) -> str:
    """Return a cell as text without outer spaces; a missing one is empty."""
    value = row.get(name)
    if value is None or value != value:  # NaN of a table
        return ""
    return " ".join(str(value).split())


def need(row_names: Iterable[str], names: Iterable[str], source: str, what: str) -> None:
    """Raise unless all columns are there.

    Raises `SentenceError`, which names the missing ones.
    """
    missing = [name for name in names if name not in set(row_names)]
    if missing:
        raise SentenceError(
            f"{source}: {what} needs the columns {', '.join(names)}; missing: {', '.join(missing)}."
        )


CROWS_PAIRS_COLUMNS = ("sent_more", "sent_less")
_GROUPS = {"stereo": ("disadvantaged", "other"), "antistereo": ("other", "disadvantaged")}
_DIRECTIONS = ("stereo", "antistereo")
_BIAS_TYPES = (
    "race-color", "socioeconomic", "gender", "disability", "nationality", "sexual-orientation",
    "physical-appearance", "religion", "age",
)  # fmt: skip
"""Labels of the Hugging Face copy, which has their numbers."""


def read_crows_pairs(rows: Iterable[Row], source: str) -> PairSet:
    """Return all pairs of CrowS-Pairs rows; a duplicate gets a remark.

    In the direction ``stereo`` the more stereotypical version is about the disadvantaged group, in
    ``antistereo`` the other one is.
    """
    collected = Collected(source)
    for number, row in enumerate(rows, start=1):
        where = f"row {number}"
        versions = collected.versions(row, CROWS_PAIRS_COLUMNS, where)
        if versions is None:
            continue
        direction = _label(row, "stereo_antistereo", _DIRECTIONS)
        pair = SentencePair(
            stereotyped=versions[0],
            against=versions[1],
            groups=_GROUPS.get(direction, ("", "")),
            terms=only_difference(*versions),
            bias_type=_label(row, "bias_type", _BIAS_TYPES),
            source=source,
            id=f"crows-{text_of(row, '') or number - 1}",
        )
        collected.add(pair, where, keep_repeats=True)
    return collected.result()


def _label(row: Row, name: str, labels: Sequence[str]) -> str:
    """Return a cell, or the label whose number it is."""
    text = text_of(row, name)
    return labels[int(text)] if text.isdecimal() and int(text) < len(labels) else text


def crows_pairs_rows(pairs: Iterable[SentencePair]) -> list[dict[str, Any]]:
    """Return rows of CrowS-Pairs; fields without a column are left out."""
    return [
        {
            "": number,
            "sent_more": pair.stereotyped,
            "sent_less": pair.against,
            "stereo_antistereo": (
                "antistereo" if pair.groups == _GROUPS["antistereo"] else "stereo"
            ),
            "bias_type": pair.bias_type,
        }
        for number, pair in enumerate(pairs)
    ]


_GOLD = {"0": "anti-stereotype", "1": "stereotype", "2": "unrelated"}
"""Labels of the Hugging Face copy, which has numbers."""
_PARTS = ("intrasentence", "intersentence")


def read_stereoset_document(document: Mapping[str, Any], source: str) -> PairSet:
    """Return pairs of StereoSet's JSON, both parts.

    Raises `SentenceError` if neither part is there.
    """
    data = document.get("data")
    if not isinstance(data, Mapping) or not any(part in data for part in _PARTS):
        raise SentenceError(
            f"{source}: StereoSet's JSON has 'intrasentence' or 'intersentence' under 'data'; this"
            " file has neither."
        )
    collected = Collected(source)
    for part in _PARTS:
        for number, entry in enumerate(data.get(part) or (), start=1):
            _take(collected, entry, part, f"{part} {number}")
    return collected.result()


def read_stereoset(rows: Iterable[Row], source: str) -> PairSet:
    """Return pairs of StereoSet rows, as in the Hugging Face copy."""
    collected = Collected(source)
    for number, row in enumerate(rows, start=1):
        part = "intrasentence" if "BLANK" in text_of(row, "context") else "intersentence"
        _take(collected, row, part, f"row {number}")
    return collected.result()


def _take(collected: Collected, entry: Any, part: str, where: str) -> None:
    if not isinstance(entry, Mapping):
        collected.reject(str(entry)[:200], "unreadable", "It is not an entry of StereoSet.", where)
        return
    by_label = dict(_labelled(entry.get("sentences")))
    context = text_of(entry, "context")
    texts = {
        label: f"{context} {text}".strip() if part == "intersentence" else text
        for label, text in by_label.items()
    }
    row = {label: texts.get(label) for label in _GOLD.values()}
    versions = collected.versions(row, ("stereotype", "anti-stereotype"), where)
    if versions is None:
        return
    target = text_of(entry, "target")
    collected.add(
        SentencePair(
            stereotyped=versions[0],
            against=versions[1],
            attribute=target,
            groups=(target, target),
            terms=only_difference(*versions),
            unrelated=texts.get("unrelated") or None,
            bias_type=text_of(entry, "bias_type"),
            source=collected.source,
            pairing="attribute",
            id=text_of(entry, "id"),
        ),
        where,
        keep_repeats=True,
    )


def _labelled(sentences: Any) -> Iterable[tuple[str, str]]:
    if isinstance(sentences, Mapping):  # columns, as in the Hugging Face copy
        labels, texts = sentences.get("gold_label", ()), sentences.get("sentence", ())
        rows: Iterable[Any] = [
            {"gold_label": label, "sentence": text}
            for label, text in zip(labels, texts, strict=False)
        ]
    else:
        rows = sentences if isinstance(sentences, list) else ()
    for row in rows:
        if isinstance(row, Mapping):
            label = text_of(row, "gold_label")
            yield _GOLD.get(label, label), text_of(row, "sentence")


def stereoset_document(pairs: Iterable[SentencePair]) -> dict[str, Any]:
    """Return StereoSet's JSON of pairs; each as a whole sentence, without a context."""
    entries = []
    for pair in pairs:
        labelled = [("stereotype", pair.stereotyped), ("anti-stereotype", pair.against)]
        if pair.unrelated:
            labelled.append(("unrelated", pair.unrelated))
        entries.append(
            {
                "id": pair.id,
                "target": pair.attribute,
                "bias_type": pair.bias_type,
                "context": _context(pair),
                "sentences": [
                    {"id": f"{pair.id}-{label}", "sentence": text, "gold_label": label}
                    for label, text in labelled
                ],
            }
        )
    return {"version": "1.0", "data": {"intrasentence": entries, "intersentence": []}}


def _context(pair: SentencePair) -> str:
    span = pair.terms[0]
    if span is None:
        return "BLANK"
    return f"{pair.stereotyped[: span[0]]}BLANK{pair.stereotyped[span[1] :]}"


BIASTESTGPT_COLUMNS = ("sent_att_1", "sent_att_2")
_LABELS = {"stereotype", "anti-stereotype"}


def read_biastestgpt(rows: Iterable[Row], source: str) -> PairSet:
    """Return pairs of BiasTestGPT rows, with remarks on other changes."""
    collected = Collected(source)
    for number, row in enumerate(rows, start=1):
        where = f"row {number}"
        versions = collected.versions(row, BIASTESTGPT_COLUMNS, where)
        if versions is None:
            continue
        labels = text_of(row, "label_1"), text_of(row, "label_2")
        if set(labels) != _LABELS:
            collected.reject(
                versions[0],
                "unreadable",
                f"label_1 and label_2 are {labels[0]!r} and {labels[1]!r}: one must be"
                " 'stereotype', the other 'anti-stereotype'.",
                where,
                text_of(row, "group_term"),
            )
            continue
        collected.add(pair_of(row, versions, labels[0] == "stereotype", source), where)
    return collected.result()


def pair_of(row: Row, versions: tuple[str, str], in_order: bool, source: str) -> SentencePair:
    """Return the pair of a row whose terms are named, with remarks on other changes.

    - `in_order`: whether the first version is the stereotyped one.
    """
    words = text_of(row, "att_term_1"), text_of(row, "att_term_2")
    first, second = (place(text, word) for text, word in zip(versions, words, strict=True))
    attribute, attribute_list, groups = _in_catalogue(
        text_of(row, "group"), text_of(row, "group_term"), words
    )
    order = (0, 1) if in_order else (1, 0)
    spans = (first, second)
    references, remark = compared(*versions, spans)
    if None in spans:
        lost = [word for word, span in zip(words, spans, strict=True) if span is None]
        unresolved = ", ".join(map(repr, lost))
        remark = f"{remark} The group term {unresolved} was not found in its version.".strip()
    return SentencePair(
        stereotyped=versions[order[0]],
        against=versions[order[1]],
        attribute=attribute,
        attribute_list=attribute_list,
        groups=(groups[order[0]], groups[order[1]]),
        terms=(spans[order[0]], spans[order[1]]),
        references=(references[order[0]], references[order[1]]),
        bias_type=text_of(row, "group"),
        source=source,
        remark=remark,
    )


def place(text: str, word: str) -> Span | None:
    """Return the position of a group's term, a pronoun in any case, or None."""
    if not word:
        return None
    term = Term.of(word)
    matches = find(text, term.forms) or find(text, [word.replace("-", "")])
    if not matches and term.kind is Kind.PRONOUN:
        matches = find(text, [w for w, gender in GENDER_OF.items() if gender == term.gender])
    return matches[0].span if matches else None


def _in_catalogue(
    name: str, attribute: str, words: tuple[str, str]
) -> tuple[str, str, tuple[str, str]]:
    """Return the attribute as a predefined spec spells it, its list, and the terms' groups."""
    spec = _by_alias().get(_slug(name))
    if spec is None:
        return attribute, "", ("", "")
    groups = [next((n for n, terms in spec.groups.items() if word in terms), "") for word in words]
    same = (
        (term, part)
        for part, terms in spec.attributes.items()
        for term in terms
        if plain(term) == plain(attribute)
    )
    return *next(same, (attribute, "")), (groups[0], groups[1])


def plain(term: str) -> str:
    """Return a term without case, spaces and dashes, in which the tool's tables differ."""
    return re.sub(r"[\s\-]+", "", term).casefold()


@cache
def _by_alias() -> Mapping[str, Any]:
    from biaslab.specs.catalogue_files import PREDEFINED, entries

    return {
        alias: entry.spec
        for entry in entries()
        if entry.where == PREDEFINED and entry.spec is not None
        for alias in (*entry.spec.aliases, entry.name)
    }


def _slug(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


def biastestgpt_rows(pairs: Iterable[SentencePair]) -> list[dict[str, Any]]:
    """Return rows with the columns of BiasTestGPT's tool."""
    rows = []
    for number, pair in enumerate(pairs):
        swapped = [
            (pair.stereotyped[slice(*span_1)], pair.against[slice(*span_2)])
            for span_1, span_2 in zip(*pair.references, strict=True)
        ]
        terms = pair.term_texts()
        rows.append(
            {
                "": number,
                "group": pair.bias_type,
                "group_term": pair.attribute,
                "template": _template(pair),
                "sent_att_1": pair.stereotyped,
                "sent_att_2": pair.against,
                "add_refs": str([(span_1.lower(), span_2.lower()) for span_1, span_2 in swapped]),
                "att_term_1": terms[0] or "",
                "att_term_2": terms[1] or "",
                "label_1": "stereotype",
                "label_2": "anti-stereotype",
            }
        )
    return rows


def _template(pair: SentencePair) -> str:
    text, position = [], 0
    marked = [(span, "[R]") for span in pair.references[0]]
    marked += [(pair.terms[0], "[T]")] if pair.terms[0] else []
    known = [span for span, _ in marked]
    for place_ in differences(*pair.versions):
        start, end = place_.first
        if start < end and not any(s < end and start < e for s, e in known):
            marked.append(((start, end), "[R]"))
    for (start, end), mark in sorted(marked):
        text += [pair.stereotyped[position:start], mark]
        position = end
    return "".join([*text, pair.stereotyped[position:]])
