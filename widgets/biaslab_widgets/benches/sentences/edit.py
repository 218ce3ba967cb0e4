"""An edited sentence: checked, and its pair made anew; what cannot stand is refused."""

from __future__ import annotations

from dataclasses import replace

from biaslab.errors import SentenceError
from biaslab.probes.sentences.checks import Vocabulary, check, text_problem
from biaslab.probes.sentences.pairing import make_pairs
from biaslab.probes.sentences.pairs import Located, RejectedSentence, SentencePair, TestSentence
from biaslab.probes.sentences.swap import Swapped, compared, only_difference
from biaslab.specs import Spec
from biaslab_widgets.benches.sentences.set import Kept

VERSIONS = ("stereotyped", "against")


def edited(
    kept: Kept,
    version: str,
    text: str,
    *,
    spec: Spec | None,
    words: Vocabulary | None,
    repair: bool,
) -> SentencePair:
    """The pair with another text for a version; id, place and source stay.

    - `kept`: the pair as it is.
    - `version`: {"stereotyped", "against"}.
    - `text`: what was written.
    - `spec`, `words`: the lists on the screen, for a pair that was made of them.
    - `repair`: whether the other version is made anew by grammar. Of a pair from elsewhere it
      stays.
    - Raises `SentenceError` when the text cannot stand; the message says why. The pair stays as it
      is.
    """
    side = side_of(version)
    text = text.strip()
    if (problem := text_problem(text)) is not None:
        raise SentenceError(problem[1])
    if text == kept.pair.versions[1 - side]:
        raise SentenceError("Both versions would be the same. Write two different texts.")
    if not kept.tied or spec is None or words is None:
        return _from_elsewhere(kept.pair, side, text)
    if not repair and kept.pair.pairing == "group":
        return _one_side(kept.pair, side, text, words)
    return _both(kept.pair, side, text, spec, words)


def side_of(version: str) -> int:
    """0 for the stereotyped version, 1 for the one against it.

    Raises `SentenceError` when there is no such version.
    """
    if version not in VERSIONS:
        raise SentenceError(f"The version is “{version}”: choose one of {', '.join(VERSIONS)}.")
    return VERSIONS.index(version)


def located(pair: SentencePair, side: int, text: str, words: Vocabulary) -> Located:
    """Where the group's term and the attribute stand in a version.

    Raises `SentenceError` when it does not pass the checks of sentences, or is about the other
    group.
    """
    sentence = check(TestSentence(text, attribute=pair.attribute, source=pair.source), words)
    if isinstance(sentence, RejectedSentence) and sentence.code == "no-attribute":
        sentence = check(TestSentence(text, source=pair.source), words)
    if isinstance(sentence, RejectedSentence):
        raise SentenceError(sentence.reason)
    if pair.pairing == "group" and sentence.group != pair.groups[side]:
        raise SentenceError(_wrong_group(side, pair.groups[side], sentence.term))
    favoured = words.stereotype_of.get(sentence.attribute_list)
    if pair.pairing == "group" and favoured != pair.groups[0]:
        raise SentenceError(
            f"“{sentence.attribute}” is not the stereotype of “{pair.groups[0]}”, so the versions"
            " would trade places. Write it as a new sentence."
        )
    return sentence


def with_other_version(
    pair: SentencePair, side: int, sentence: Located, made: Swapped
) -> SentencePair:
    """The pair of a version and another that somebody wrote for it."""
    texts, terms, references = (sentence.text, made.text), made.terms, made.references
    order = (0, 1) if side == 0 else (1, 0)
    return replace(
        pair,
        stereotyped=texts[order[0]],
        against=texts[order[1]],
        attribute=sentence.attribute,
        attribute_list=sentence.attribute_list,
        terms=(terms[order[0]], terms[order[1]]),
        references=(references[order[0]], references[order[1]]),
        remark=" ".join(filter(None, (sentence.remark, made.remark))),
    )


def _both(pair: SentencePair, side: int, text: str, spec: Spec, words: Vocabulary) -> SentencePair:
    """The other version follows by grammar; its term stays where it still has a counterpart."""
    names = [group.name for group in words.groups]
    if pair.pairing == "group":
        parsed = located(pair, side, text, words)
        other = _listed(pair, 1 - side, words) if _same_term(pair, side, parsed) else ""
        sentence = TestSentence(text, parsed.term, parsed.attribute, pair.source, other)
    else:
        sentence = TestSentence(text, source=pair.source)
    made = make_pairs([sentence], spec, groups=names, pairing=pair.pairing)
    if made.rejected:
        raise SentenceError(made.rejected[0].reason)
    new = made.pairs[0]
    if new.versions[side] != text:
        raise SentenceError(
            "This would make the versions trade places. Write it as a new sentence."
        )
    return replace(new, id=pair.id, source=pair.source, unrelated=pair.unrelated,
                   bias_type=pair.bias_type)  # fmt: skip


def _one_side(pair: SentencePair, side: int, text: str, words: Vocabulary) -> SentencePair:
    """Only this version; a remark names what differs besides the term."""
    sentence = located(pair, side, text, words)
    terms = [*pair.terms]
    terms[side] = sentence.term_span
    texts = [*pair.versions]
    texts[side] = text
    references, remark = compared(texts[0], texts[1], (terms[0], terms[1]))
    return replace(
        pair,
        stereotyped=texts[0],
        against=texts[1],
        attribute=sentence.attribute,
        attribute_list=sentence.attribute_list,
        terms=(terms[0], terms[1]),
        references=references,
        remark=" ".join(filter(None, (sentence.remark, remark))),
    )


def _from_elsewhere(pair: SentencePair, side: int, text: str) -> SentencePair:
    """A pair that no list speaks of: its terms are where the versions differ, if in one place."""
    texts = [*pair.versions]
    texts[side] = text
    terms = only_difference(texts[0], texts[1])
    references, remark = compared(texts[0], texts[1], terms)
    return replace(pair, stereotyped=texts[0], against=texts[1], terms=terms,
                   references=references, remark=remark if None not in terms else "")  # fmt: skip


def _listed(pair: SentencePair, side: int, words: Vocabulary) -> str:
    """The term of a version as it is listed; empty where it is none."""
    written = (pair.term_texts()[side] or "").lower()
    for group in words.groups:
        for term in group.terms:
            if written in {form.lower() for form in term.forms}:
                return term.text
    return ""


def _same_term(pair: SentencePair, side: int, sentence: Located) -> bool:
    written = (pair.term_texts()[side] or "").lower()
    now = sentence.text[slice(*sentence.term_span)].lower()
    return written == now


def _wrong_group(side: int, group: str, term: str) -> str:
    which = ("stereotyped version", "version against the stereotype")[side]
    return (
        f"The {which} is about “{group}”, and “{term}” is of the other group. Write one of the "
        "group’s own terms."
    )
