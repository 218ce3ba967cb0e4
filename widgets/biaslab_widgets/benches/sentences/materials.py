"""Steps 1 and 2 of the sentence bench: the words, and the pairs that are made of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from biaslab.errors import SentenceError, StoreError
from biaslab.jobs.job import Job, JobStatus
from biaslab.jobs.processes import heavy
from biaslab.probes.sentences.generate.make import Generated
from biaslab.probes.sentences.pairs import PAIRINGS, PairSet, SentencePair
from biaslab.probes.sentences.sources import Sentences as GivenSentences
from biaslab.probes.sentences.sources import resolve_pairs
from biaslab.records.wording import counted, prose
from biaslab.specs import Spec
from biaslab_widgets.benches.sentences.edit import edited, side_of
from biaslab_widgets.benches.sentences.exports import pairs_file
from biaslab_widgets.benches.sentences.fields import COMPONENT, SentenceBenchState, Sentences
from biaslab_widgets.benches.sentences.making import ChosenWriter, rewritten_pair, write, writers_of
from biaslab_widgets.benches.sentences.set import SentenceRows, SentenceSet
from biaslab_widgets.benches.sentences.sources import (
    AT_ONCE_MB,
    from_file,
    from_store,
    from_templates,
    from_text,
    paired,
    saved,
    sent_file,
)
from biaslab_widgets.benches.sentences.subjects import Tested
from biaslab_widgets.benches.sentences.words import Words, words_of
from biaslab_widgets.core.answers.background import Maker
from biaslab_widgets.core.answers.cache import Latest
from biaslab_widgets.core.bench.controller import Controller
from biaslab_widgets.core.bench.three_steps_view import Added, fewer_than_asked
from biaslab_widgets.core.state.commands import Act, Arguments, Content, file, key_of
from biaslab_widgets.core.subjects.opening import Opening
from biaslab_widgets.core.word_lists import RememberedLists


class SentenceMaterials:
    """Holds the words and the pairs, and obeys the commands that change them.

    - `bench`: whose they are.
    - `opening`: its models, of which some can write.
    - `given`: the spec that it began with.
    - `edited`: pairs that have changed, as they are and as they were; for who scores them again.
    - `maker`: writes sentences.
    """

    def __init__(
        self, bench: Controller[SentenceBenchState], opening: Opening[Tested], given: Spec | None
    ) -> None:
        self._bench, self._opening = bench, opening
        self._read = RememberedLists(words_of, given)
        self._sets = {pairing: SentenceSet() for pairing in PAIRINGS}
        self._filled: dict[str, object] = {}
        self._rows = SentenceRows()
        self._saved: Latest[tuple[str, ...]] = Latest()
        self._saved_asked: object = None
        self._kept_count = 0
        self._sentences_key: object = None
        self.edited: list[tuple[SentencePair, SentencePair]] = []
        self.maker = Maker(
            bench.answer_again,
            "Sentences are already being written or read. Wait, or stop that first.",
        )
        self.commands: Mapping[str, Act] = {
            "retrieve": lambda _args: self._add(from_store, "saved"),
            "templates": self._templates,
            "add": self._add_text,
            "import": self._import,
            "export": self._export,
            "edit": self._edit,
            "reject": self._reject,
            "restore": self._restore,
            "clear": self._clear,
            "write": self._write,
            "rewrite": self._rewrite,
            "stop-writing": self._stop_writing,
        }

    # The words and the pairs.

    def words(self, snapshot: SentenceBenchState) -> Words:
        """What the lists say.

        Raises `SpecFieldError` when they are no lists.
        """
        return self._read.of(snapshot)

    def look(self, snapshot: SentenceBenchState) -> tuple[Words, SentenceSet]:
        """The words and the pairs, which follow them; step 2 is filled when it is first opened."""
        words = self.words(snapshot)
        pairing = snapshot.pairing
        held = self._sets[pairing]
        if words.vocabulary is not None:
            held.fit(words.vocabulary, words.key)
        if snapshot.step > 1 and words.spec is not None and self._filled.get(
            pairing
        ) != words.key:  # fmt: skip
            self._filled[pairing] = words.key
            if not held.pairs:
                made = from_templates(words, pairing, snapshot.per_attribute)
                held.add(made, tied=words.vocabulary)
        return words, held

    def begin_with(self, sentences: GivenSentences) -> None:
        """Pairs in place of those there are.

        Raises `BiaslabError` when they cannot be read, or single sentences do not fit the lists.
        """
        snapshot = self._bench.snapshot()
        with self._bench.computing:
            words = self.words(snapshot)
            groups = words.groups if words.spec is not None else None
            made = resolve_pairs(words.spec, sentences, None, groups)
            pairing = made[0].pairing if len(made) else snapshot.pairing
            held = self._sets[pairing] = SentenceSet()
            held.add(made, tied=words.vocabulary, list_duplicates=True)
            self._filled[pairing] = words.key
        self._bench.change({"pairing": pairing})
        if pairing != snapshot.pairing:
            self._bench.emit({"pairing": pairing})

    def pair_set(self) -> PairSet:
        """The pairs on the screen; made where there are none yet."""
        with self._bench.computing:
            words, held = self.look(replace(self._bench.snapshot(), step=2))
            return held.as_pair_set(getattr(words.spec, "name", ""))

    # What goes to the front end.

    def outputs(
        self, snapshot: SentenceBenchState, words: Words, held: SentenceSet
    ) -> dict[str, Any]:
        """What has changed of steps 1 and 2."""
        outputs: dict[str, Any] = {}
        count = self._saved_count(snapshot, words, held)
        key = (held.version, words.key, count)
        if key != self._sentences_key:
            self._sentences_key = key
            record: Sentences = self._rows.of(held, words, count)
            outputs["sentences"] = record
        if self.maker.shown != snapshot.writing:
            outputs["writing"] = self.maker.shown
        if (writers := writers_of(self._opening.sources)) != snapshot.writers:
            outputs["writers"] = writers
        return outputs

    def _saved_count(self, snapshot: SentenceBenchState, words: Words, held: SentenceSet) -> int:
        """How many kept sentences are not here yet; looked up after the first sight of step 2."""
        if snapshot.step < 2 or words.spec is None:
            return 0
        key = (words.key, self._kept_count)
        if self._saved.get(key) is None and self._saved_asked != words.key:
            self._saved_asked = words.key
            self._bench.answer_again()
            return 0

        def texts() -> tuple[str, ...]:
            try:
                return tuple(sentence.text for sentence in saved(words))
            except StoreError as error:
                held.trouble([f"Stored sentences cannot be read: {error}"])
                return ()

        return len(set(self._saved.of(key, texts)) - held.texts())

    # Commands.

    def _here(self) -> tuple[Words, SentenceSet, str]:
        snapshot = self._bench.snapshot()
        words, held = self.look(replace(snapshot, step=1))
        return words, held, snapshot.pairing

    def _add(self, make: Any, source: str = "") -> str:
        with self._bench.computing:
            words, held, pairing = self._here()
            if words.why:
                raise SentenceError(words.why)
            added: Added = held.add(
                make(words, pairing), tied=words.vocabulary, list_duplicates=source == "typed"
            )
            self._filled[pairing] = words.key
        return added.text

    def _templates(self, _args: Arguments) -> str:
        per_attribute = self._bench.snapshot().per_attribute
        return self._add(lambda w, p: from_templates(w, p, per_attribute))

    def _add_text(self, args: Arguments) -> str:
        text = str(args.get("text", ""))
        return self._add(lambda w, p: from_text(w, text, p), "typed")

    def _export(self, args: Arguments) -> Content:
        return file(*pairs_file(self.pair_set(), str(args.get("format") or "json")))

    def _import(self, args: Arguments) -> str:
        name, content = sent_file(args)
        with self._bench.computing:
            words, _, pairing = self._here()
            given = (words.spec, words.groups, pairing, name, content)
            if len(content) <= AT_ONCE_MB * 1e6:
                return self._take_read(from_file(*given))
            self.maker.refuse_while_running()
            job = self._bench.jobs.start_awaited(heavy(from_file), *given)
        self.maker.begin(job, 0, f"reading {name}", self._read_file)
        return f"{name} is being read."

    def _read_file(self, job: Job[PairSet]) -> str:
        if (error := job.exception) is not None:
            return prose(error)
        if job.partial is None:
            return "Reading was stopped. Nothing was added."
        return self._take_read(job.result())

    def _take_read(self, made: PairSet) -> str:
        """Add the pairs of a file, by what they swap."""
        with self._bench.computing:
            words, _, pairing = self._here()
            texts = []
            for kind in PAIRINGS:
                pairs = tuple(pair for pair in made if pair.pairing == kind)
                own = kind == pairing
                if not pairs and not own:
                    continue
                part = PairSet(pairs, made.rejected if own else (), made.source, made.spec,
                               made.notes)  # fmt: skip
                added = self._sets[kind].add(part, tied=words.vocabulary, list_duplicates=True)
                texts.append(
                    added.text
                    if own
                    else f"{len(pairs):,} swap the {kind}: choose that to see them."
                )
                if added.new:
                    self._filled[kind] = words.key
        return " ".join(texts)

    def _edit(self, args: Arguments) -> str:
        with self._bench.computing:
            words, held, _ = self._here()
            kept = self._kept(held, args)
            old = kept.pair
            version, text = str(args.get("version", "")), str(args.get("text", ""))
            if text.strip() == old.versions[side_of(version)]:
                return "Nothing has changed."
            new = edited(
                kept,
                version,
                text,
                spec=words.spec,
                words=words.vocabulary,
                repair=bool(args.get("repair", True)),
            )
            self._replace(held, old, new)
        return new.remark or "Changed."

    def _replace(self, held: SentenceSet, old: SentencePair, new: SentencePair) -> None:
        held.replace(old.id, new)
        self.edited.append((new, old))

    def _kept(self, held: SentenceSet, args: Arguments) -> Any:
        number = str(args.get("pair", ""))
        try:
            return held.kept(number)
        except KeyError:
            raise SentenceError(f"There is no pair “{number}” here any more.") from None

    def _reject(self, args: Arguments) -> str:
        with self._bench.computing:
            _, held, _ = self._here()
            return f"{counted(held.reject(map(str, args.get('pairs', ()))), 'pair')} rejected."

    def _restore(self, args: Arguments) -> str:
        with self._bench.computing:
            words, held, _ = self._here()
            count, why = held.restore(map(str, args.get("ids", ())), words.vocabulary)
        if why and not count:
            raise SentenceError(why)
        return f"{counted(count, 'pair')} put back.{f' {why}' if why else ''}"

    def _clear(self, _args: Arguments) -> str:
        with self._bench.computing:
            _, held, _ = self._here()
            return f"{counted(held.clear(), 'pair')} removed. They can be put back."

    # Writing, in the background.

    def _write(self, args: Arguments) -> str:
        with self._bench.computing:
            words, held, pairing = self._here()
            if words.why:
                raise SentenceError(words.why)
            self.maker.refuse_while_running()
            names = [str(name) for name in args.get("attributes") or ()] or None
            taken = [0, 0]

            def take(made: Generated) -> None:
                self._take_written(held, words, pairing, made, taken)

            job = self._writer(args).begin(
                self._bench.jobs,
                write,
                words,
                style=str(args.get("style") or "plain"),
                count=COMPONENT.numbers["write_count"].nearest(args.get("count"), 4),
                attributes=names,
                on_made=take,
            )
        total = len(names or {name for name, _ in words.attributes})
        ended = partial(self._written, held, take, taken)
        self.maker.begin(job, total, "waiting for the writer", ended)
        return "Writing has started."

    def _writer(self, args: Arguments) -> ChosenWriter:
        return ChosenWriter(args, key_of(args), self._opening.sources)

    def _take_written(
        self, held: SentenceSet, words: Words, pairing: str, made: Generated, taken: list[int]
    ) -> None:
        """Add what is new, from the job's thread."""
        new, lost = made.sentences[taken[0] :], made.rejected[taken[1] :]
        taken[:] = len(made.sentences), len(made.rejected)
        if not new and not lost:
            return
        with self._bench.computing:
            pairs = paired(words, new, pairing, "written")
            whole = PairSet(pairs.pairs, (*pairs.rejected, *lost), "written", pairs.spec)
            held.add(whole, tied=words.vocabulary)
            self._kept_count += 1
        self._bench.answer_again()

    def _written(
        self,
        held: SentenceSet,
        take: Callable[[Generated], None],
        taken: list[int],
        job: Job[Generated],
    ) -> str:
        problems: list[str] = []
        if (error := job.exception) is not None:
            problems, text = [prose(error)], f"Nothing was written. {error}"
        elif job.partial is None:
            text = "It was stopped before the first sentence."
        else:
            made = job.result()
            take(made)
            problems = [*made.problems, *fewer_than_asked(made.missing, "sentences")]
            text = f"{taken[0]:,} sentences were written, {taken[1]:,} rejected with reasons."
        with self._bench.computing:
            held.trouble(problems)
        return text

    def _rewrite(self, args: Arguments) -> str:
        with self._bench.computing:
            words, held, _ = self._here()
            kept = self._kept(held, args)
            self.maker.refuse_while_running()
            side = side_of(str(args.get("version") or "against"))
            writer = self._writer(args)
            job = writer.begin(self._bench.jobs, rewritten_pair, words, kept.pair, side)
        ended = partial(self._rewritten, held, kept.pair)
        self.maker.begin(job, 1, "asking for the other version", ended)
        return "Asking for the other version."

    def _rewritten(self, held: SentenceSet, old: SentencePair, job: Job[SentencePair]) -> str:
        problems: list[str] = []
        text = "It was stopped. The pair is unchanged."
        with self._bench.computing:
            if (error := job.exception) is not None:
                problems, text = [prose(error)], prose(error)
            elif job.status is JobStatus.DONE:
                try:
                    current = held.kept(old.id).pair
                    if current == old:
                        self._replace(held, old, job.result())
                        text = job.result().remark or "The other version was rewritten."
                    else:
                        text = "The pair has changed in the meantime and was left as it is."
                except KeyError:
                    text = "The pair no longer exists."
            held.trouble(problems)
        return text

    def _stop_writing(self, _args: Arguments) -> str:
        if not self.maker.abort():
            return "Nobody writes."
        return "Finished sentences are kept."
