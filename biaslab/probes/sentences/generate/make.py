"""Generate sentences for a spec with a writer: request, parse, check, store."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from biaslab.errors import StoreError
from biaslab.jobs.context import current_context
from biaslab.probes.sentences.checks import Vocabulary, check
from biaslab.probes.sentences.generate.prompts import STYLES, prompt, read_reply, rewriting_prompt
from biaslab.probes.sentences.generate.writers import AnswerError, Writer, WriterError
from biaslab.probes.sentences.pairing import vocabulary
from biaslab.probes.sentences.pairs import Located, RejectedSentence, TestSentence
from biaslab.probes.sentences.sources import keep_sentences
from biaslab.probes.sentences.swap import Swapped, rewritten
from biaslab.probes.sentences.terms import Group, Kind, Term, find, kind_of, term_pairs
from biaslab.probes.sentences.words import KINSHIP
from biaslab.records.record import Record
from biaslab.records.wording import article
from biaslab.specs.spec import Spec
from biaslab.store import Store

AT_ONCE = 4
"""Sentences per request."""


@dataclass(frozen=True)
class Generated(Record):
    """Result of a generation.

    Attributes
    ----------
    sentences : tuple of TestSentence
        Sentences that passed the checks.
    rejected : tuple of RejectedSentence
        Rejected sentences, with reasons.
    problems : tuple of str
        Questions that were not answered, in plain words.
    missing : mapping of str to int
        Attribute to the number of missing sentences.
    """

    sentences: tuple[TestSentence, ...]
    rejected: tuple[RejectedSentence, ...]
    problems: tuple[str, ...]
    missing: dict[str, int]


def generate_sentences(
    spec: Spec,
    writer: Writer,
    *,
    groups: Sequence[str] | None = None,
    attributes: Sequence[str] | None = None,
    per_attribute: int = 4,
    style: str = "plain",
    store: Store | None = None,
    keep: bool = True,
) -> Generated:
    """Ask a writer for sentences about a spec's attributes.

    Terms of both groups alternate. Valid sentences are stored at once,
    so that a run that is stopped, or whose server fails, loses nothing.

    - `writer`: such as `EndpointWriter` or `LocalWriter`.
    - `groups`: two of the spec's groups; by default its first two.
    - `attributes`: by default all that are a stereotype of one of the two groups.
    - `per_attribute`: sentences per attribute; a writer without a valid one gets at most twice the
      requests.
    - `style`: one of `biaslab.probes.sentences.generate.prompts.STYLES`.
    - `store`: by default the person's own.
    - `keep`: whether to keep them in the store.
    - Raises `WriterError` if the writer fails before any sentence; otherwise the sentences so far
      are returned, with the problem. Raises `SentenceError` if the spec does not have two groups
      and an attribute list. Raises `ValueError` if there is no such style.
    """
    if style not in STYLES:
        raise ValueError(f"The style is {style!r}: choose one of {', '.join(STYLES)}.")
    context = current_context()
    words = vocabulary(spec, groups)
    requested = list(attributes or dict.fromkeys(
        a for name in words.stereotype_of for a in words.attributes[name]
    ))  # fmt: skip
    collected = _Collector(words, store, keep)
    pairs = term_pairs(*words.groups)
    try:
        for number, attribute in enumerate(requested):
            context.report(number, len(requested), f"asking for sentences about {attribute}")
            questions = 2 * -(-per_attribute // AT_ONCE) + 1
            for turn in range(questions):
                left = per_attribute - collected.count(attribute)
                if left <= 0:
                    break
                pair = pairs[(number + turn) % len(pairs)]
                group = turn % 2
                count = min(AT_ONCE, left)
                question = _question(style, words, group, pair[group], attribute, count)
                start = opening(pair[group], attribute)
                try:
                    reply = writer.answer(question, start=start, count=count, context=context)
                except AnswerError as error:
                    collected.problems.append(f"{attribute}: {error}")
                    continue
                collected.take(
                    reply.text, reply.cut, pair[group], pair[1 - group], attribute, writer,
                    per_attribute,
                )  # fmt: skip
                context.keep(collected.result(requested, per_attribute))
    except WriterError as error:
        if not collected.sentences:
            raise
        collected.problems.append(str(error))
    context.report(len(requested), len(requested), "asking for sentences")
    return collected.result(requested, per_attribute)


def rewrite(
    sentence: Located,
    spec: Spec,
    writer: Writer,
    other: Term,
    *,
    groups: Sequence[str] | None = None,
) -> Swapped:
    """Return the other version, written by a model, and a remark on other changes.

    Raises `AnswerError` if the reply contains no such sentence; `WriterError` if the writer cannot
    answer.
    """
    question = rewriting_prompt(sentence.text, sentence.term, other.text)
    start = sentence.text[: sentence.term_span[0]] + other.text
    reply = writer.answer(question, start=start, count=1, context=current_context())
    words = vocabulary(spec, groups)
    names = [other.text] if other.kind is Kind.NAME else []
    for line in read_reply(reply.text, cut=reply.cut):
        places = find(line.text, other.forms, exact_case=names)
        matches = find(line.text, [sentence.attribute])
        if not line.code and len(places) == 1 and len(matches) == 1 and words.groups:
            return rewritten(sentence.text, sentence.term_span, line.text, places[0].span)
    raise AnswerError(
        f"{writer.name} wrote no sentence with {other.text!r} and {sentence.attribute!r} once"
        " each. Swap the term by its grammar instead, or write the version yourself."
    )


class _Collector:
    """Collector of incoming sentences."""

    def __init__(self, words: Vocabulary, store: Store | None, keep: bool) -> None:
        self.words, self.store, self.keep = words, store, keep
        self.sentences: list[TestSentence] = []
        self.rejected: list[RejectedSentence] = []
        self.problems: list[str] = []

    def count(self, attribute: str) -> int:
        return sum(sentence.attribute == attribute for sentence in self.sentences)

    def take(
        self,
        reply: str,
        cut: bool,
        term: Term,
        other: Term,
        attribute: str,
        writer: Writer,
        most: int,
    ) -> None:
        """Parse a reply: keep valid sentences, list rejected ones."""
        new = []
        for line in read_reply(reply, cut=cut):
            sentence = TestSentence(line.text, term.text, attribute, writer.name, other.text)
            if line.code:
                self._reject(sentence, line.code, line.reason)
                continue
            checked = check(sentence, self.words)
            if isinstance(checked, RejectedSentence):
                self.rejected.append(checked)
            elif any(_normal(s.text) == _normal(line.text) for s in self.sentences):
                self._reject(sentence, "duplicate", "It is a duplicate and counts once.")
            elif self.count(attribute) < most:
                self.sentences.append(sentence)
                new.append(sentence)
            else:
                self._reject(sentence, "duplicate", "There were already enough for this attribute.")
        if self.keep and new:
            try:
                keep_sentences(new, store=self.store)
            except StoreError as error:
                self.keep = False
                self.problems.append(f"Sentences are not cached: {error}")

    def result(self, attributes: Sequence[str], requested: int) -> Generated:
        missing = {a: requested - self.count(a) for a in attributes if self.count(a) < requested}
        return Generated(tuple(self.sentences), tuple(self.rejected), tuple(self.problems), missing)

    def _reject(self, sentence: TestSentence, code: str, reason: str) -> None:
        self.rejected.append(
            RejectedSentence(
                sentence.text, code, reason, sentence.attribute, sentence.term, sentence.source
            )
        )


def _question(
    style: str, words: Vocabulary, group: int, term: Term, attribute: str, count: int
) -> str:
    own_group: Group = words.groups[group]
    lists = words.lists_of(attribute)
    rest = words.attributes[lists[0]] if lists else ()
    return prompt(
        style,
        term.text,
        attribute,
        count=count,
        other_terms=[t.text for t in own_group.terms if t.text != term.text],
        other_attributes=[a for a in rest if a.lower() != attribute.lower()],
    )


_OPENINGS = {
    "adjective": "Being {A}, ",
    "trait": "Being {A}, ",
    "occupation": "As {a} {A}, ",
    "role": "As {a} {A}, ",
    "count": "After {a} {A}, ",
    "work": "After {a} {A}, ",
    "verb": "Afraid to {A}, ",
    "plan": "Asked to {A}, ",
    "treat": "Asked to {A}, ",
    "arrange": "Asked to {A}, ",
    "adverb": 'With the word "{A}", ',
    "any": 'With the word "{A}", ',
    "heading": 'With the word "{A}", ',
}
_PRONOUN_PHRASES = {"him": "they asked him", "hers": "the choice was hers and"}


def opening(term: Term, attribute: str) -> str:
    """Return the start of a sentence with both words, for a completion model."""
    pattern = _OPENINGS.get(kind_of(attribute), "When it came to {A}, ")
    if term.kind in {Kind.NAME, Kind.PRONOUN}:
        phrase = _PRONOUN_PHRASES.get(term.text.lower(), term.text)
    elif term.kind is Kind.ADJECTIVE:
        phrase = f"the {term.text} neighbour"
    else:
        phrase = f"{'my' if term.text.lower() in KINSHIP else 'the'} {term.text}"
    return pattern.format(A=attribute, a=article(attribute)) + phrase


def _normal(text: str) -> str:
    return " ".join(text.split()).casefold().rstrip(".!")
