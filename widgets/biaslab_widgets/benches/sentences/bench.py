"""Controller of the sentence bench: words, sentences, and the test of several models on them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from typing import Any, ClassVar

from biaslab.errors import BiaslabError, QueryError
from biaslab.probes.sentences.pairs import PairSet
from biaslab.probes.sentences.score_cache import PairScorer
from biaslab.probes.sentences.sources import Sentences as GivenSentences
from biaslab.probes.sentences.stereotype_result import ShareDifference, StereotypeScore
from biaslab.records.result import Result
from biaslab.records.wording import prose
from biaslab.stats.threads import one_openmp_thread
from biaslab_widgets.benches.sentences.detail import detail_of
from biaslab_widgets.benches.sentences.exports import stem, table
from biaslab_widgets.benches.sentences.fields import COMPONENT, Detail, SentenceBenchState
from biaslab_widgets.benches.sentences.how import how_of
from biaslab_widgets.benches.sentences.making import prompt_styles, writers_of
from biaslab_widgets.benches.sentences.materials import SentenceMaterials
from biaslab_widgets.benches.sentences.results import MANY, QUICK, RESAMPLES, Question, Results
from biaslab_widgets.benches.sentences.run import Column, ScoreCache, SentenceRun, run_test
from biaslab_widgets.benches.sentences.set import SentenceSet
from biaslab_widgets.benches.sentences.sources import IMPORT_CAP
from biaslab_widgets.benches.sentences.subjects import (
    Tested,
    chosen_scorer,
    first_choice,
    named_source,
    scorer_options,
)
from biaslab_widgets.benches.sentences.view import ModelShown, picture_of, scores_of, steps_of
from biaslab_widgets.benches.sentences.words import Words
from biaslab_widgets.core.bench.controller import Controller, Emit
from biaslab_widgets.core.bench.model_tests import ModelRun, where_closed, where_open, why_not_open
from biaslab_widgets.core.bench.three_steps import ThreeStepsController
from biaslab_widgets.core.state.commands import Arguments, Content, file
from biaslab_widgets.core.state.fields import Cap, empty
from biaslab_widgets.core.state.records import How, TermMark
from biaslab_widgets.core.subjects.sources import Source
from biaslab_widgets.core.word_lists import Given, checked_lists
from biaslab_widgets.core.word_marks import RememberedMarks

FIRST_SPEC = "biastest-math-arts"
SLOW_S = 1.0
"""Seconds for a pair beyond which an edit waits for the next test."""
QUICK_S = 0.05
"""Seconds for a pair below which a model is small."""


class SentenceController(
    ThreeStepsController[SentenceBenchState, SentenceRun, StereotypeScore, Tested]
):
    """Runs `biaslab.stereotype_score` for several models, and follows every edit.

    - `sources`: models that can be chosen, by name; one that is not open yet is opened in the
      background.
    - `emit`: receives changed outputs.
    - `spec`: two groups, and the attribute lists tied to them.
    - `sentences`: what to begin with; by default what the package has for the spec.
    - `materials`: its words and pairs.
    """

    component = COMPONENT
    called: ClassVar[str] = "sentence bench"
    tested: ClassVar[tuple[str, str]] = ("pairs", "scored")
    material: ClassVar[str] = "sentences"
    looked_at: ClassVar[str] = "pair"
    takes: ClassVar[type[Result]] = StereotypeScore
    schema: ClassVar[str] = "stereotype-scores/1"
    run_test = staticmethod(run_test)
    private: ClassVar[tuple[str, ...]] = ("key", "content", "data", "text")
    caps: ClassVar[Mapping[str, Cap]] = {
        **Controller.caps,
        "import": IMPORT_CAP,
        **dict.fromkeys(("templates", "add"), Cap(text=200_000)),
    }

    def __init__(
        self,
        sources: Mapping[str, Source[Tested]],
        emit: Emit,
        spec: Given = FIRST_SPEC,
        sentences: GivenSentences | None = None,
    ) -> None:
        super().__init__(sources, emit, spec)
        self.materials = SentenceMaterials(self, self.opening, self.own_spec)
        self._cache = ScoreCache()
        self._results = Results(self._cache)
        self._marked = RememberedMarks()
        self._roughly = False
        self.state |= {
            "models": first_choice(sources),
            "scorers": scorer_options(),
            "writers": writers_of(sources),
            "prompt_styles": prompt_styles(),
        }
        self.commands |= {**self.materials.commands, "csv": self._csv}
        if sentences is not None:
            self.materials.begin_with(sentences)

    # The answer.

    def answered(self, snapshot: SentenceBenchState) -> dict[str, Any]:
        """The picture and the steps, and outputs of all three that have changed."""
        words, held = self.materials.look(snapshot)
        # Once: a run that ends meanwhile has ended in the next answer, with all resamples.
        self._running = self._tests.running
        self._catch_up(snapshot, held)
        outputs = self.materials.outputs(snapshot, words, held)
        # Before the scores are read: those that come meanwhile are shown the next time.
        versions = self._cache.versions()
        shown = self._shown(snapshot, words, held) if self._tests.run is not None else []
        if self._tests.run is not None:
            run = self.progress_of(shown, len(held.pairs))
            self._picture = picture_of(
                shown, held.pairs, words, run, self.differences(shown), snapshot.seed
            )
        else:
            self._picture = None
        self._put_scores(outputs, shown, held, versions)
        detail = self._detail(snapshot, shown, held)
        if detail != snapshot.detail:
            outputs["detail"] = detail
        steps = steps_of(
            words, held, snapshot.models, self._picture["run"] if self._picture else None
        )
        answer = self.step_answer(snapshot, steps, shown)
        if self._roughly:  # at once the same with all resamples
            self._roughly = False
            self.answer_again()
        return {**outputs, "answer": answer}

    def how(self, snapshot: SentenceBenchState) -> How:
        """From the two scores of the pair that is looked at to the mean of shares."""
        with self.computing:
            if self._tests.run is None:
                return how_of(None, "")
            words, held = self.materials.look(snapshot)
            shown = self._shown(snapshot, words, held)
            result = next((one.result for one in shown if one.result is not None), None)
            return how_of(result, snapshot.pair)

    def marks(self, snapshot: SentenceBenchState) -> list[TermMark]:
        """What is odd in the lists; the last marks where they are none."""
        try:
            return self._marked.of(None, checked_lists(snapshot.lists))
        except BiaslabError:
            return self._marked.newest

    # What is shown of each model.

    def _shown(
        self, snapshot: SentenceBenchState, words: Words, held: SentenceSet
    ) -> list[ModelShown]:
        rough = self._roughly or self._running
        question: Question | None = None
        if held.pairs:
            question = Question(
                held.as_pair_set(getattr(words.spec, "name", "")),
                held.version,
                words,
                snapshot.level,
                snapshot.seed,
                snapshot.weighting,
                QUICK if rough else RESAMPLES,
            )
        return [self._one(name, snapshot, held, question) for name in snapshot.models]

    def _one(
        self, name: str, snapshot: SentenceBenchState, held: SentenceSet, question: Question | None
    ) -> ModelShown:
        source = self.opening.sources.get(name)
        ran = self.ran(name)
        opened = self._opened_model(name, snapshot)
        if isinstance(opened, str) or source is None:
            state, why = where_closed(ran, opened if isinstance(opened, str) else "")
            return ModelShown(
                name=name,
                about=source.option["about"] if source is not None else "",
                kind=source.option["kind"] if source is not None else "",
                scorer="",
                label="",
                formula="",
                unit="",
                state=state,
                message=why,
                seconds=0.0,
                scores=[None] * len(held.pairs),
                result=None,
            )
        model, scorer = opened
        column: Column = (name, scorer.name)
        scores = self._cache.of(column, held.pairs)
        result = None
        if question is not None:
            notes = ran.notes if ran is not None else ()
            seconds = self._cache.seconds(column)
            result = self._results.of(name, model, scorer, question, seconds, notes)
        missing = sum(one is None for one in scores)
        state, why = where_open(ran, self._running, missing, *self.tested)
        return ModelShown(
            name=name,
            about=model.about,
            kind=model.kind,
            scorer=scorer.name,
            label=scorer.label,
            formula=scorer.formula,
            unit="logits" if getattr(scorer, "raw", False) else "nats",
            state=state,
            message=why,
            seconds=self._cache.seconds(column),
            scores=scores,
            result=result,
        )

    def _opened_model(
        self, name: str, snapshot: SentenceBenchState
    ) -> tuple[Tested, PairScorer] | str:
        """A model and its scorer; or why it cannot be asked, empty while it is being opened."""
        source = self.opening.sources.get(name)
        if source is None or not source.is_open:
            return why_not_open(name, source, self.ran(name), self.opening.failure(name))
        model = source.open()
        try:
            scorer = chosen_scorer(model, snapshot.scorer_mlm, snapshot.scorer_clm)
        except QueryError as error:
            return prose(error)
        return model, scorer

    def _put_scores(
        self,
        outputs: dict[str, Any],
        shown: list[ModelShown],
        held: SentenceSet,
        versions: Mapping[Column, int],
    ) -> None:
        key = (
            held.version if shown else 0,
            tuple((one.name, one.scorer, versions.get((one.name, one.scorer), 0)) for one in shown),
        )

        def scores() -> dict[str, Any]:
            return {"sentences": held.version, "models": scores_of(shown)}

        self.put_scores(outputs, key, scores)

    def _detail(
        self, snapshot: SentenceBenchState, shown: list[ModelShown], held: SentenceSet
    ) -> Detail:
        numbers = [pair.id for pair in held.pairs]
        if snapshot.pair not in numbers:
            return empty(Detail)
        return detail_of(held.pairs, numbers.index(snapshot.pair), shown)

    # An edit is scored again at once, with every model that had scored the pair.

    def _catch_up(self, snapshot: SentenceBenchState, held: SentenceSet) -> None:
        waiting, self.materials.edited = self.materials.edited, []
        if not waiting or self._running:
            return  # a run that goes on comes to it
        for name in snapshot.models:
            opened = self._opened_model(name, snapshot)
            if isinstance(opened, str):
                continue
            model, scorer = opened
            column = (name, scorer.name)
            if self._cache.pace(column) > SLOW_S or self.opening.sources[name].is_remote:
                continue  # it would hold up everybody: the picture says that a test is due
            new = [
                pair
                for pair, old in waiting
                if self._cache.has(column, old) and not self._cache.has(column, pair)
            ]
            if new:
                # Of a small model one sentence is too little to share between threads.
                alone = one_openmp_thread() if self._cache.pace(column) < QUICK_S else nullcontext()
                with alone:
                    scored = scorer.score(model, new)
                for pair, scores in zip(new, scored, strict=True):
                    self._cache.put(column, pair, scores)
        self._roughly = len(held.pairs) * len(snapshot.models) > MANY

    # The test.

    def check_material(self, snapshot: SentenceBenchState) -> None:
        """See the base."""
        words, held = self.materials.look(replace(snapshot, step=3))
        if not held.pairs:
            raise QueryError(words.why or "There are no sentences yet: make some in step 2.")

    def run_over(self, number: int, models: list[ModelRun]) -> SentenceRun:
        """See the base."""
        snapshot = self.snapshot()
        _, held = self.materials.look(replace(snapshot, step=3))
        return SentenceRun(
            number,
            models,
            lambda: len(held.pairs),
            choose=lambda model: chosen_scorer(model, snapshot.scorer_mlm, snapshot.scorer_clm),
            cache=self._cache,
            pairs=lambda: held.pairs,
        )

    def put_stored(self, name: str, result: StereotypeScore) -> tuple[int, bool]:
        """See the base: the pairs are shown too."""
        self.materials.begin_with(result.pairs)
        column = (name, result.scorer)
        for pair, scores in zip(result.pairs, result.scores, strict=True):
            self._cache.put(column, pair, scores)
        self._cache.spend(column, result.provenance.seconds)
        return len(result.pairs), True

    def add_model(self, args: Arguments) -> str:
        """See the base: of a language model its kind must be given."""
        name, kind = str(args.get("name", "")).strip(), str(args.get("kind", ""))
        if not name:
            raise QueryError(
                "Name a model on the Hugging Face hub, such as hf:bert-base-uncased, or a folder."
            )
        if kind not in ("mlm", "clm"):
            raise QueryError("Say whether it is a masked (mlm) or a causal model (clm).")
        if name not in self.opening.sources:
            self.opening.add(named_source(name, kind))  # type: ignore[arg-type]  # one of two
        return self.choose_also(name)

    # What a person takes along.

    def shown_now(self, snapshot: SentenceBenchState) -> list[ModelShown]:
        """See the base."""
        words, held = self.materials.look(snapshot)
        self._catch_up(snapshot, held)
        self._roughly = False
        return self._shown(snapshot, words, held)

    def with_call(self, result: StereotypeScore) -> StereotypeScore:
        """See the base."""
        return self._results.with_call(result)

    def compared(self, results: Sequence[StereotypeScore]) -> list[ShareDifference]:
        """See the base."""
        return self._results.compared(results, QUICK if self._roughly else RESAMPLES)

    @property
    def pairs(self) -> PairSet:
        """The pairs on the screen."""
        return self.materials.pair_set()

    def _csv(self, args: Arguments) -> Content:
        what = str(args.get("what") or "sentences")
        return file(f"{self.file_stem}-{what}.csv", "text/csv", table(self.results, what))

    @property
    def file_stem(self) -> str:
        """See the base."""
        return f"stereotypes-{stem(self.pairs.spec or 'sentences')}"
