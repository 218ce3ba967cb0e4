"""Controller of the image bench: words, pictures, and the test of several models on them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from biaslab.errors import BiaslabError, QueryError
from biaslab.images.image import ImageSet
from biaslab.probes.images.result import ImageAssociation, ImageScoreDifference
from biaslab.probes.psychometrics import TwoAFCResult
from biaslab.records.result import Result
from biaslab.records.wording import prose
from biaslab_widgets.benches.images.detail import DetailCache
from biaslab_widgets.benches.images.exports import TABLES, table
from biaslab_widgets.benches.images.fields import COMPONENT, ImageBenchState, ImageDetail
from biaslab_widgets.benches.images.how import how_of
from biaslab_widgets.benches.images.making import painters, prompts
from biaslab_widgets.benches.images.materials import ImageMaterials
from biaslab_widgets.benches.images.morph import OWN, MorphExplorer
from biaslab_widgets.benches.images.own_morphs import OwnMorphs
from biaslab_widgets.benches.images.results import Asking, ImageResults, ShownSet, shown_set
from biaslab_widgets.benches.images.run import (
    AnswerCache,
    ImageQuestion,
    ImageTestRun,
    ask,
    asked_of,
    run_test,
)
from biaslab_widgets.benches.images.set import PictureSet
from biaslab_widgets.benches.images.subjects import asked_templates, named_source, offered_templates
from biaslab_widgets.benches.images.view import (
    ImageModelShown,
    picture_of,
    scores_of,
    steps_of,
    tested_of,
)
from biaslab_widgets.benches.images.words import ImageMarks, ImageWords
from biaslab_widgets.core.answers.cache import Latest
from biaslab_widgets.core.bench.controller import Controller, Emit
from biaslab_widgets.core.bench.model_tests import ModelRun, where_closed, where_open, why_not_open
from biaslab_widgets.core.bench.three_steps import ThreeStepsController
from biaslab_widgets.core.bench.uploads import PIECE_CAP
from biaslab_widgets.core.state.commands import Arguments, Content, file
from biaslab_widgets.core.state.fields import Cap, empty
from biaslab_widgets.core.state.records import How, TermMark, message
from biaslab_widgets.core.subjects.sources import HUB, Source, is_hub_name
from biaslab_widgets.core.word_lists import Given, checked_lists

FIRST_SPEC = "images-experts-helpers"
_LOOK_S = 0.2
"""A test that has all pictures looks so often whether it is to stop while others are drawn."""
FOLLOWS_AT_ONCE = ("clip", "observer")
"""Kinds of models that an edited concept costs next to nothing: they remember the pictures."""
THUMBNAILS_S = 0.5
"""Thumbnails of a table are made for so long at once: the front end asks again."""


class ImageController(ThreeStepsController[ImageBenchState, ImageTestRun, ImageAssociation, Any]):
    """Runs `biaslab.image_association` for several models, and follows every edit.

    - `sources`: models that can be chosen, by name; one that is not open yet is opened in the
      background.
    - `emit`: receives changed outputs.
    - `spec`: two groups of image terms, and the concept lists tied to them.
    - `images`: what to begin with; by default portraits are drawn.
    - `folders`: whether folders of this machine may be named: not in a page that is served to
      others.
    - `materials`: its words and pictures.
    """

    component = COMPONENT
    called: ClassVar[str] = "image bench"
    tested: ClassVar[tuple[str, str]] = ("pictures", "tested")
    material: ClassVar[str] = "pictures"
    looked_at: ClassVar[str] = "image"
    takes: ClassVar[type[Result]] = ImageAssociation
    schema: ClassVar[str] = "image-associations/1"
    run_test = staticmethod(run_test)
    aside: ClassVar[frozenset[str]] = frozenset({"upload-part"})
    private: ClassVar[tuple[str, ...]] = ("key", "files", "content")
    caps: ClassVar[Mapping[str, Cap]] = {
        **Controller.caps,
        **dict.fromkeys(("upload-part", "upload", "morph-upload", "import-dataset"), PIECE_CAP),
    }

    def __init__(
        self,
        sources: Mapping[str, Source[Any]],
        emit: Emit,
        spec: Given = FIRST_SPEC,
        images: ImageSet | None = None,
        *,
        folders: bool = False,
    ) -> None:
        super().__init__(sources, emit, spec)
        self._folders = folders
        self.materials = ImageMaterials(self, self.opening, self.own_spec, folders=folders)
        self._answers = AnswerCache()
        self._results = ImageResults(self._answers)
        self._details = DetailCache()
        self._marked = ImageMarks()
        self._shown: Latest[ShownSet] = Latest()
        self._painted: Latest[list[ImageModelShown]] = Latest()
        self._own_morphs = OwnMorphs(self.materials.files)
        self._morphs = MorphExplorer(self.answer_again, self._own_morphs, self.jobs)
        self._stored: frozenset[str] = frozenset()  # pictures of a stored run
        self.state |= {
            "models": list(sources)[:1],  # others are slower, or known beforehand
            "templates": offered_templates(),
            "painters": painters(folders),
            "prompts": prompts(),
            "folders": folders,
        }
        self.commands |= {
            **self.materials.commands,
            "morph": lambda _args: self._morphs.open(),
            "morph-stop": lambda _args: self._morphs.stop(),
            "morph-upload": self._add_morphs,
            "csv": self._csv,
        }
        self.at_close(self.materials.uploads.close)
        if images is not None:
            self.materials.begin_with(images)

    # The answer.

    def answer(self, snapshot: ImageBenchState) -> dict[str, Any]:
        """Everything that has changed."""
        made = super().answer(snapshot)
        self.materials.send_thumbnails(snapshot)
        return made

    def answered(self, snapshot: ImageBenchState) -> dict[str, Any]:
        """The picture and the steps, and outputs of all three that have changed."""
        words, held = self.materials.look(snapshot)
        outputs = self.materials.outputs(snapshot, words, held)
        # Once: a run that ends meanwhile has ended in the next answer, with all resamples.
        self._running = self._tests.running
        missing = self._missing_portraits(held)
        if missing:
            self._picture = None  # it would be of some of them
        elif snapshot.step == 3:
            self._stored = frozenset()  # they are like any others from now on
        tested = not missing and self._is_tested(words, held)
        shown = self._models_shown(snapshot, words, held) if tested else []
        # Without a picture or with half a spec the last results stay, as what they are of.
        if tested:
            self._paint(shown, held, words, snapshot.seed)
        elif self._tests.run is None:
            self._picture = None
        self._put_scores(outputs, shown, held, words)
        detail = self._detail(snapshot, shown, held)
        if detail != snapshot.detail:
            outputs["detail"] = detail
        outputs |= self._morphs.outputs(snapshot, words, self.opening.sources)
        templates = next((len(one.templates) for one in shown if one.templates), 0)
        steps = steps_of(
            words,
            held,
            snapshot.models,
            self._picture["run"] if self._picture else None,
            templates or self._templates_asked(snapshot),
            making=self._making(),
        )
        if snapshot.step == 3 and missing:
            there = len(self._stored) - missing
            text = f"{there:,} of {len(self._stored):,} are there; the answers are stored."
            text = f"{self._making()} {text}" if self.materials.maker.waits else text
            notice = message("Drawing the portraits of this run again", text)
            answer = self._answer_of(snapshot, "loading", notice, steps)
        else:
            answer = self.step_answer(snapshot, steps, shown)
        return {**outputs, "answer": answer}

    def _making(self) -> str:
        maker = self.materials.maker
        if maker.waits:
            return "The pictures are in line: other work comes first."
        return "Making the first pictures." if maker.running else ""

    def _missing_portraits(self, held: PictureSet) -> int:
        """How many portraits of a stored run are still to be drawn; 0 once nothing is drawn."""
        if self._stored and self.materials.maker.running:
            return len(self._stored.difference(map(asked_of, held.images)))
        return 0

    def how(self, snapshot: ImageBenchState) -> How:
        """From the concepts of the picture that is looked at to the score of all."""
        with self.computing:
            words, held = self.materials.look(snapshot)
            tested = self._is_tested(words, held)
            shown = self._models_shown(snapshot, words, held) if tested else []
            return how_of(shown, held, snapshot.image, snapshot.morph["picture"])

    def _is_tested(self, words: ImageWords, held: PictureSet) -> bool:
        """Whether a test says something of the pictures and words on the screen."""
        return self._tests.run is not None and bool(held.images) and words.spec is not None

    def _paint(
        self, shown: list[ImageModelShown], held: PictureSet, words: ImageWords, seed: int
    ) -> None:
        """Make the picture, unless nothing of it has changed: a drag of the morphs goes by here."""
        run = self.progress_of(shown, len(held.images))
        models = [
            (one.name, one.state, one.message, one.templates, id(one.answers)) for one in shown
        ]
        key = (models, run, held.version, words.key, seed)
        if self._picture is None or self._painted.get(key) is None:
            differences = self.differences(shown)
            self._picture = picture_of(shown, held, words, run, differences, seed)
            self._painted.put(key, shown)  # held, so that no other object gets the same id

    def marks(self, snapshot: ImageBenchState) -> list[TermMark]:
        """What is odd in the lists; the last marks where they are none."""
        models = self.opening.subjects(snapshot.models)
        try:
            return self._marked.of(models, checked_lists(snapshot.lists))
        except BiaslabError:
            return self._marked.newest

    def _templates_asked(self, snapshot: ImageBenchState) -> int:
        """How many templates the first open model is asked; 0 where none is open."""
        ready = self.opening.subjects(snapshot.models)
        return next((len(asked_templates(model, snapshot)) for model in ready), 0)

    # What is shown of each model.

    def _set_shown(self, words: ImageWords, held: PictureSet) -> ShownSet:
        key = (held.version, words.groups, words.terms)  # concepts change nothing of it
        return self._shown.of(key, lambda: shown_set(held.version, held.as_image_set(), words))

    def _models_shown(
        self, snapshot: ImageBenchState, words: ImageWords, held: PictureSet
    ) -> list[ImageModelShown]:
        asking: Asking | str
        try:
            asking = Asking(
                self._set_shown(words, held),
                words,
                snapshot.aggregate,
                snapshot.level,
                snapshot.seed,
                self._running,
            )
        except QueryError as error:
            asking = prose(error)
        return [self._one(name, snapshot, held, asking) for name in snapshot.models]

    def _one(
        self, name: str, snapshot: ImageBenchState, held: PictureSet, asking: Asking | str
    ) -> ImageModelShown:
        source = self.opening.sources.get(name)
        ran = self.ran(name)
        if source is None or not source.is_open:
            return self._unopened(name, source, ran)
        model = source.open()
        about, kind = str(getattr(model, "about", "")), str(getattr(model, "kind", ""))
        seconds = self._answers.seconds(name)
        templates = asked_templates(model, snapshot)
        if isinstance(asking, str):
            return ImageModelShown(name, about, kind, "failed", asking, seconds, templates)
        try:
            resolved = self._results.concepts(name, model, asking.words)
            self._catch_up(name, model, asking, ImageQuestion(templates, resolved.concepts))
            answers = self._results.of(
                name, model, resolved, templates, asking, ran.notes if ran is not None else ()
            )
        except BiaslabError as error:
            return ImageModelShown(name, about, kind, "failed", prose(error), seconds, templates)
        failures = self._answers.failures(name)
        tested = tested_of(answers, held, failures)
        state, why = where_open(ran, self._running, len(held.images) - tested, *self.tested)
        return ImageModelShown(
            name=name,
            about=about,
            kind=kind,
            state=state,
            message=why,
            seconds=seconds,
            templates=templates,
            concepts=tuple(zip(resolved.concepts, resolved.list_of.tolist(), strict=True)),
            unasked=tuple((one.term, one.reason) for one in resolved.dropped),
            failures=failures,
            answers=answers,
            tested=tested,
        )

    def _unopened(
        self, name: str, source: Source[Any] | None, ran: ModelRun | None
    ) -> ImageModelShown:
        option = source.option if source is not None else {"about": "", "kind": ""}
        state, why = where_closed(ran, why_not_open(name, source, ran, self.opening.failure(name)))
        return ImageModelShown(name, option["about"], option["kind"], state, why, 0.0)

    def _put_scores(
        self,
        outputs: dict[str, Any],
        shown: list[ImageModelShown],
        held: PictureSet,
        words: ImageWords,
    ) -> None:
        if not shown and self._tests.run is not None:
            return  # the last scores stay
        key = (
            held.version if shown else 0,
            words.key,
            tuple((one.name, id(one.answers)) for one in shown),
        )

        def scores() -> dict[str, Any]:
            return {"images": held.version, "models": scores_of(shown, held)}

        self.put_scores(outputs, key, scores)

    def _detail(
        self, snapshot: ImageBenchState, shown: list[ImageModelShown], held: PictureSet
    ) -> ImageDetail:
        if snapshot.image not in held.ids:
            return empty(ImageDetail)
        return self._details.of(held, held.ids.index(snapshot.image), shown)

    # An edited concept is asked at once where pictures are remembered.

    def _catch_up(self, name: str, model: Any, asking: Asking, question: ImageQuestion) -> None:
        if self._running or getattr(model, "kind", "") not in FOLLOWS_AT_ONCE:
            return  # a run that goes on comes to it; of others the picture says that a test is due
        keys = asking.shown.keys
        due = self._answers.seen(name, keys) & ~self._answers.known(name, keys, question)
        if due.any():
            pictures = [asking.shown.images[i] for i in np.flatnonzero(due)]
            ask(self._answers, name, model, pictures, question)

    # The test.

    def check_material(self, snapshot: ImageBenchState) -> None:
        """See the base: what is being drawn is there when the turn of the test comes."""
        words, held = self.materials.look(replace(snapshot, step=3))
        if words.why:
            raise QueryError(words.why)
        if not held.images and not self.materials.maker.running:
            raise QueryError("There are no pictures yet: draw or upload some in step 2.")

    def run_over(self, number: int, models: list[ModelRun]) -> ImageTestRun:
        """See the base."""
        return ImageTestRun(
            number,
            models,
            lambda: len(self.materials.held.images),
            cache=self._answers,
            images=lambda: self.materials.held.images,
            question=self._question,
            more_may_come=lambda: self.materials.wait_for_portraits(_LOOK_S),
        )

    def put_stored(self, name: str, result: ImageAssociation) -> tuple[int, bool]:
        """See the base: portraits are drawn again, the same ones."""
        question = ImageQuestion(result.templates, result.concepts)
        keys = [asked_of(record) for record in result.images]
        with np.errstate(divide="ignore"):
            self._answers.put(name, keys, question, np.log(result.probabilities))
        self._answers.spend(name, result.provenance.seconds)
        self._stored = frozenset(
            key for key, one in zip(keys, result.images, strict=True) if one.source == "drawn"
        )
        return len(keys), all(record.source == "drawn" for record in result.images)

    def _question(self, model: Any) -> ImageQuestion:
        """What a model is asked now."""
        snapshot = self.snapshot()
        with self.computing:
            words = self.materials.words(snapshot)
            resolved = self._results.concepts(model.name, model, words)
            return ImageQuestion(asked_templates(model, snapshot), resolved.concepts)

    def start_again(self) -> str:
        """See the base: the explorer of morphs is closed too."""
        with self.computing:
            self._morphs.close()
        return super().start_again()

    def add_model(self, args: Arguments) -> str:
        """See the base: folders are named only on the machine of the person who asks."""
        name = str(args.get("name", "")).strip()
        folder = " or a folder," if self._folders else ""
        if not name:
            raise QueryError(
                f"Name a model on the Hugging Face hub,{folder} such as"
                " hf:openai/clip-vit-base-patch32."
            )
        if name not in self.opening.sources:
            if not self._folders and not is_hub_name(name):
                raise QueryError(
                    f"“{name}” is not opened, because this page is served to others. Name a model"
                    f" on the Hugging Face hub as {HUB}NAME."
                )
            self.opening.add(named_source(name))
        return self.choose_also(name)

    # What a person takes along.

    def shown_now(self, snapshot: ImageBenchState) -> list[ImageModelShown]:
        """See the base."""
        words, held = self.materials.look(replace(snapshot, step=1))
        if words.why:
            raise QueryError(words.why)
        if self._missing_portraits(held):
            raise QueryError("The portraits of this run are being drawn again. Wait a moment.")
        return self._models_shown(snapshot, words, held)

    def with_call(self, result: ImageAssociation) -> ImageAssociation:
        """See the base."""
        return self._results.with_call(result)

    def compared(self, results: Sequence[ImageAssociation]) -> list[ImageScoreDifference]:
        """See the base."""
        return self._results.compared(results)

    @property
    def morph_result(self) -> TwoAFCResult:
        """The result behind the curve of the morph explorer.

        Raises `QueryError` when there is none yet.
        """
        snapshot = self.snapshot()
        with self.computing:
            return self._morphs.result(
                snapshot, self.materials.words(snapshot), self.opening.sources
            )

    def _add_morphs(self, args: Arguments) -> str:
        with self.computing:
            more = bool(args.get("more"))
            text = self._own_morphs.add(args.get("files", ()), self.materials.uploads, more=more)
            there = self._own_morphs.morphs is not None
        if there and self.snapshot().morph_source != OWN:
            self.change({"morph_source": OWN})
            self.emit({"morph_source": OWN})
        return text

    def _csv(self, args: Arguments) -> str | Content:
        what = str(args.get("what") or TABLES[0])
        results, images = self.results, self.materials.held.images
        if what == "images" and (left := self.materials.thumbnails.prepare(images, THUMBNAILS_S)):
            return f"{len(images) - left:,} of {len(images):,} thumbnails are ready."
        with self.computing:
            differences = self.compared(list(results.values()))
        text = table(results, what, images, self.materials.thumbnails, differences)
        return file(f"{self.file_stem}-{what}.csv", "text/csv", text)

    @property
    def file_stem(self) -> str:
        """See the base."""
        name = self.materials.words(self.snapshot()).name or "pictures"
        return name if name.startswith("images") else f"images-{name}"
