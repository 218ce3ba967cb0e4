"""Sentences written by a model, in the background: an endpoint, or a causal model here."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from biaslab.errors import SentenceError
from biaslab.jobs.context import current_context, reporting_to
from biaslab.people.secret import Secret
from biaslab.probes.sentences.generate.make import Generated, generate_sentences
from biaslab.probes.sentences.generate.make import rewrite as rewrite_by_model
from biaslab.probes.sentences.generate.prompts import STYLES
from biaslab.probes.sentences.generate.writers import EndpointWriter, LocalWriter, Writer
from biaslab.probes.sentences.pairs import SentencePair
from biaslab.probes.sentences.terms import counterpart
from biaslab.subjects.opening.load import ONLY_DECIDES
from biaslab_widgets.benches.sentences.edit import located, with_other_version
from biaslab_widgets.benches.sentences.subjects import Tested, kind_of
from biaslab_widgets.benches.sentences.words import Words
from biaslab_widgets.core.answers.background import Tee
from biaslab_widgets.core.bench.chosen_maker import ENDPOINT, ChosenMaker, endpoint_option
from biaslab_widgets.core.state.bench_state import MakerOption, PromptOption
from biaslab_widgets.core.subjects.sources import Source

"""Sentences per attribute at most."""


def writers_of(sources: Mapping[str, Source[Tested]]) -> list[MakerOption]:
    """Who can write: any endpoint, and the causal models that can be chosen."""
    causal = [
        source
        for source in sources.values()
        if kind_of(source) == "clm" and not source.is_remote and source.name not in ONLY_DECIDES
    ]
    return [
        endpoint_option(),
        *(
            MakerOption(
                key=source.name, name=source.name, about="Writes on this machine.", endpoint=False
            )
            for source in causal
        ),
    ]


def prompt_styles() -> list[PromptOption]:
    """The ways to ask for sentences."""
    return [
        {"key": key, "label": key.capitalize().replace("-", " "), "text": text}
        for key, text in STYLES.items()
    ]


class ChosenWriter(ChosenMaker):
    """Who is to write, as the front end has chosen; opened in the background.

    - `args`: ``writer`` (``"endpoint"`` or a model's name), ``base_url``, ``model``.
    - `key`: for an endpoint.
    - Raises `SentenceError` when there is no such writer, or an endpoint's model is not named.
    """

    def __init__(
        self, args: Mapping[str, Any], key: Secret, sources: Mapping[str, Source[Tested]]
    ) -> None:
        super().__init__(args.get("writer"), args, key)
        self._source = None if self.who == ENDPOINT else sources.get(self.who)
        if self.who == ENDPOINT and not self.model:
            raise SentenceError("Name the model of the endpoint.")
        if self.who != ENDPOINT and self._source is None:
            raise SentenceError(
                f"There is no writer “{self.who}”: choose the endpoint, or a causal model."
            )

    def open(self) -> Writer:
        """The writer; may take long.

        Raises `BiaslabError` when it cannot be had: says why.
        """
        if self._source is None:
            return self.of_endpoint(EndpointWriter)
        return LocalWriter(self._source.open())  # type: ignore[arg-type]  # it says what it is not


def write(
    writer: ChosenWriter,
    words: Words,
    *,
    style: str,
    count: int,
    attributes: Sequence[str] | None,
    on_made: Callable[[Generated], object],
) -> Generated:
    """Ask for sentences about attributes; what passes the checks is kept for later.

    - `words`: adequate.
    - `count`: per attribute.
    - `attributes`: by default all.
    - `on_made`: given everything there is so far, after each answer.
    """
    if words.spec is None:
        raise SentenceError(words.why)
    with reporting_to(Tee(current_context(), on_made)):
        return generate_sentences(
            words.spec,
            writer.open(),
            groups=words.groups,
            attributes=attributes,
            per_attribute=count,
            style=style,
        )


def rewritten_pair(
    writer: ChosenWriter, words: Words, pair: SentencePair, side: int
) -> SentencePair:
    """The pair with the version at `side` written anew by a model, from the other one.

    Raises `BiaslabError` when the lists do not fit the pair, or the model gives no such sentence.
    """
    held = words.vocabulary
    if words.spec is None or held is None:
        raise SentenceError(words.why)
    if pair.pairing != "group":
        raise SentenceError(
            "Only pairs that swap the group can be rewritten. Swap the group, or edit the text."
        )
    sentence = located(pair, 1 - side, pair.versions[1 - side], held)
    own = next(group for group in held.groups if group.name == sentence.group)
    other = held.other(own)
    written = (pair.term_texts()[side] or "").lower()
    listed = [t for t in other.terms if written in {form.lower() for form in t.forms}]
    term = listed[0] if listed else counterpart(own.term(sentence.term), own, other)
    made = rewrite_by_model(sentence, words.spec, writer.open(), term, groups=words.groups)
    return with_other_version(pair, 1 - side, sentence, made)
