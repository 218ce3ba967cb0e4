"""Steps 1 and 2 of the image bench: the words, and the pictures of their terms."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import biaslab as bl
from biaslab.errors import BiaslabError, ImageError, StoreError
from biaslab.images.drawn import drawable
from biaslab.images.generate import GeneratedImages
from biaslab.images.image import ImageSet, RejectedImage, term_key
from biaslab.jobs.job import Job
from biaslab.jobs.memory import MEMORY
from biaslab.records.wording import prose
from biaslab_widgets.benches.images.fields import COMPONENT, ImageBenchState, Images
from biaslab_widgets.benches.images.making import ChosenPainter, ToDraw, draw_portraits, paint
from biaslab_widgets.benches.images.set import ImageRows, PictureSet, pictures, place_of
from biaslab_widgets.benches.images.sources import (
    LARGEST_MB,
    PictureFiles,
    from_folder,
    from_store,
    keep,
    named_folder,
    pack,
    to_keep,
    unpacked,
    uploaded,
)
from biaslab_widgets.benches.images.subjects import offered_templates
from biaslab_widgets.benches.images.thumbnails import ThumbnailCache, WantedThumbnails
from biaslab_widgets.benches.images.words import ImageWords, image_words
from biaslab_widgets.core.answers.background import Maker
from biaslab_widgets.core.answers.cache import Latest
from biaslab_widgets.core.bench.controller import Controller
from biaslab_widgets.core.bench.three_steps_view import fewer_than_asked
from biaslab_widgets.core.bench.uploads import Uploads
from biaslab_widgets.core.state.commands import Act, Arguments, Content, file, key_of
from biaslab_widgets.core.state.fields import Range
from biaslab_widgets.core.subjects.opening import Opening
from biaslab_widgets.core.word_lists import RememberedLists


class ImageMaterials:
    """Holds the words and the pictures, and obeys the commands that change them.

    - `bench`: whose they are.
    - `opening`: its models.
    - `given`: the spec that it began with.
    - `folders`: whether folders of this machine may be named: not in a page that is served to
      others.
    - `held`: the pictures.
    - `thumbnails`: small ones of them.
    - `uploads`: files that arrive in pieces.
    - `files`: where uploaded pictures are.
    - `maker`: draws, fetches or stores pictures.
    """

    def __init__(
        self,
        bench: Controller[ImageBenchState],
        opening: Opening[Any],
        given: bl.specs.Spec | None,
        *,
        folders: bool,
    ) -> None:
        self._bench, self._opening, self._folders = bench, opening, folders
        self._read = RememberedLists(image_words, given)
        self.held = PictureSet()
        self._drawn_for: set[str] = set()
        self._rows = ImageRows()
        self.thumbnails = ThumbnailCache()
        self._wanted = WantedThumbnails(self.thumbnails)
        self.uploads = Uploads(LARGEST_MB)
        self.files = PictureFiles()
        self._images_key: object = None
        self._saved: Latest[dict[str, list[str]]] = Latest()
        self._saved_asked: object = None
        self._kept_count = 0
        self._packed: Latest[tuple[str, str, str]] = Latest()
        self._drawing: Job[Any] | None = None
        self.maker = Maker(
            bench.answer_again, "Pictures are already being made. Wait, or stop that first."
        )
        self.commands: Mapping[str, Act] = {
            "draw": self._draw,
            "saved": self._add_saved,
            "upload-part": lambda args: self.uploads.take(args, args.get("content")),
            "upload": self._upload,
            "folder": self._add_folder,
            "generate": self._generate,
            "cancel-making": self._cancel_making,
            "remove": self._remove,
            "remove-term": self._remove_term,
            "restore": self._restore,
            "clear-rejected": self._clear_rejected,
            "describe": self._describe,
            "keep": self._keep,
            "dataset": self._dataset,
            "import-dataset": self._import,
        }

    # The words and the pictures.

    def words(self, snapshot: ImageBenchState) -> ImageWords:
        """What the lists say.

        Raises `SpecFieldError` when they are no lists.
        """
        return self._read.of(snapshot)

    def look(self, snapshot: ImageBenchState) -> tuple[ImageWords, PictureSet]:
        """The words and the pictures; what can be drawn is drawn when step 2 is first opened."""
        words = self.words(snapshot)
        self.held.show([term for term, _ in words.terms])
        if snapshot.step > 1 and not words.why:
            self._draw_what_is_missing(words, snapshot)
        return words, self.held

    def begin_with(self, images: ImageSet) -> None:
        """Pictures in place of those there are.

        Raises `ImageError` when there are more than a bench holds.
        """
        with self._bench.computing:
            words = self.words(self._bench.snapshot())
            held = PictureSet()
            held.add(images)
            self.held = held
            # A set that was given is tested as it is: nothing is drawn beside it.
            self._drawn_for = {term_key(term) for term, _ in words.terms}
        self._bench.answer_again()

    def image_set(self) -> ImageSet:
        """The pictures on the screen."""
        with self._bench.computing:
            _, held = self.look(replace(self._bench.snapshot(), step=1))
            return held.as_image_set()

    def _draw_what_is_missing(self, words: ImageWords, snapshot: ImageBenchState) -> None:
        if self.maker.running:
            return
        terms = [
            term
            for term, _ in words.terms
            if term_key(term) not in self._drawn_for
            and drawable(term) is not None
            and not self.held.of_term(term)
        ]
        if terms:
            self._begin_drawing(terms, snapshot.per_term, snapshot.seed)

    def wait_for_portraits(self, seconds: float) -> bool:
        """Wait so long for portraits that are being drawn; return whether more may come."""
        if self._drawing is None or self._drawing.finished:
            return False
        self._drawing.wait(seconds)
        return True

    # What goes to the front end.

    def outputs(
        self, snapshot: ImageBenchState, words: ImageWords, held: PictureSet
    ) -> dict[str, Any]:
        """What has changed of steps 1 and 2."""
        outputs: dict[str, Any] = {}
        saved = self._saved_counts(snapshot, words, held)
        key = (held.version, words.terms, tuple(saved.items()))
        if key != self._images_key:
            self._images_key = key
            record: Images = self._rows.of(held, words, saved)
            outputs["images"] = record
        if self.maker.shown != snapshot.making:
            outputs["making"] = self.maker.shown
        if (offered := offered_templates(self._opening.sources.values())) != snapshot.templates:
            outputs["templates"] = offered
        return outputs

    def send_thumbnails(self, snapshot: ImageBenchState) -> None:
        """Send thumbnails that are wanted, some at a time: others have their turn between."""
        wanted = [str(number) for number in snapshot.wanted]
        there = {n: self.held.kept(n).image for n in wanted if self.held.has(n)}
        made = self._wanted.answer(wanted, there)
        if made is not None:
            self._bench.emit({"thumbnails": made})
        if self._wanted.more:
            self._bench.answer_again()

    def _saved_counts(
        self, snapshot: ImageBenchState, words: ImageWords, held: PictureSet
    ) -> dict[str, int]:
        """How many kept pictures of each term are not here; looked up after the first sight."""
        if snapshot.step < 2 or not words.terms:
            return {}
        key = (words.terms, self._kept_count)
        if self._saved.get(key) is None and self._saved_asked != words.terms:
            self._saved_asked = words.terms
            self._bench.answer_again()
            return {}

        def places() -> dict[str, list[str]]:
            stored: dict[str, list[str]] = {}
            try:
                for image in from_store(term for term, _ in words.terms):
                    stored.setdefault(term_key(image.term), []).append(place_of(image))
            except StoreError as error:
                held.trouble([f"Stored pictures cannot be read: {error}"])
            return stored

        counts = {
            term: sum(not held.has(number) for number in numbers)
            for term, numbers in self._saved.of(key, places).items()
        }
        return {term: count for term, count in counts.items() if count}

    # Commands.

    def _here(self) -> tuple[ImageWords, PictureSet]:
        return self.look(replace(self._bench.snapshot(), step=1))

    def _terms_of(self, words: ImageWords, args: Arguments) -> list[str]:
        """The terms that a command names, which are on the screen; by default all.

        Raises `ImageError` when one is not.
        """
        known = {term_key(term): term for term, _ in words.terms}
        wanted = args.get("terms")
        if wanted is None and args.get("term") is not None:
            wanted = [args["term"]]
        if not wanted:
            if not known:
                raise ImageError(words.why or "There is no image term: add one in step 1.")
            return list(known.values())
        for term in map(str, wanted):
            if term_key(term) not in known:
                raise ImageError(f"“{term}” is not an image term of the lists: add it in step 1.")
        return [known[term_key(str(term))] for term in wanted]

    def _draw(self, args: Arguments) -> str:
        with self._bench.computing:
            words, _ = self._here()
            named = bool(args.get("terms"))
            terms = self._terms_of(words, args)
            cannot = [term for term in terms if drawable(term) is None]
            if cannot and (named or len(cannot) == len(terms)):
                bl.images.drawn_image(cannot[0], 0)  # says what can be drawn
            self.maker.refuse_while_running()
            snapshot = self._bench.snapshot()
            count = Range(1, 2000).nearest(args.get("per_term"), snapshot.per_term)
            left = [term for term in terms if drawable(term) is not None]
            if not self._begin_drawing(left, count, snapshot.seed):
                return (
                    f"There are {count:,} drawn portraits of each already. Choose a larger number."
                )
        return ""

    def _begin_drawing(self, terms: Sequence[str], count: int, seed: int) -> bool:
        """Draw up to so many portraits of each term, those that are not here yet."""
        self._drawn_for |= {term_key(term) for term in terms}
        parts = []
        for term in terms:
            there = sum(k.image.record.source == "drawn" for k in self.held.of_term(term))
            if there < count:
                parts.append(ToDraw(term, there, count))
        if not parts:
            return False
        total = sum(part.end - part.begin for part in parts)
        held = self.held

        def take(made: ImageSet) -> None:
            self._take(held, made)

        job = self._bench.jobs.start_light(draw_portraits, parts, seed, self.thumbnails, take)
        self._drawing = job
        self._make(job, total, "drawing portraits", lambda j: _drawn_text(j))
        return True

    def _add_saved(self, args: Arguments) -> str:
        with self._bench.computing:
            words, held = self._here()
            stored = from_store(self._terms_of(words, args))
            if not len(stored) and not stored.rejected:
                return "Nothing is stored for these terms yet."
            return held.add(stored).text

    def _upload(self, args: Arguments) -> str:
        with self._bench.computing:
            words, held = self._here()
            term = self._terms_of(words, {"terms": [str(args.get("term", ""))]})[0]
        made = uploaded(term, args.get("files", ()), self.uploads, self.files, self.thumbnails)
        with self._bench.computing:
            self._drawn_for.add(term_key(term))
            added = held.add(made)
        if made.rejected and not len(made):
            raise ImageError(_refused(made.rejected))
        return added.text

    def _add_folder(self, args: Arguments) -> str:
        if not self._folders:
            raise ImageError(
                "This page cannot read folders on its server. Upload the pictures, or a zip file"
                " of them."
            )
        with self._bench.computing:
            words, held = self._here()
            terms = self._terms_of(words, {})
            root = named_folder(str(args.get("path", "")))
            self.maker.refuse_while_running()
            job = self._bench.jobs.start(from_folder, root, terms)

        def take(finished: Job[ImageSet]) -> str:
            with self._bench.computing:
                return held.add(finished.result()).text

        self._make(job, 0, f"reading {root.name}", take)
        return f"Reading {root.name}."

    def _remove(self, args: Arguments) -> str:
        with self._bench.computing:
            return _removed(self.held.remove(_ids(args)))

    def _remove_term(self, args: Arguments) -> str:
        with self._bench.computing:
            return _removed(self.held.remove_term(str(args.get("term", ""))))

    def _restore(self, args: Arguments) -> str:
        with self._bench.computing:
            return f"{pictures(self.held.restore(_ids(args)))} put back."

    def _clear_rejected(self, _args: Arguments) -> str:
        with self._bench.computing:
            self.held.forget_unusable()
        return "The list is empty."

    def _describe(self, args: Arguments) -> str:
        with self._bench.computing:
            self.held.describe(str(args.get("id", "")), str(args.get("text", ""))[:1000])
        return "The description was changed."

    def _keep(self, args: Arguments) -> str:
        with self._bench.computing:
            _, held = self._here()
            wanted = set(map(str, args.get("ids") or held.ids))
            chosen = [i for n, i in zip(held.ids, held.images, strict=True) if n in wanted]
            own = to_keep(chosen)
            self.maker.refuse_while_running()
            job = self._bench.jobs.start(keep, own, len(chosen) - len(own))

        def kept(finished: Job[str]) -> str:
            with self._bench.computing:
                self._kept_count += 1
            return finished.result()

        self._make(job, len(own), "keeping pictures", kept)
        return "Storing the pictures."

    def _dataset(self, _args: Arguments) -> str | Content:
        """The set as a file, packed in the background the first time that it is asked for."""
        with self._bench.computing:
            words, held = self._here()
            if (packed_before := self._packed.get(held.version)) is not None:
                return file(*packed_before)
            if not held.images:
                raise ImageError("There are no pictures to export yet.")
            self.maker.refuse_while_running()
            version, name = held.version, words.name or "pictures"
            job = self._bench.jobs.start(pack, held.as_image_set(), name)

        def packed(finished: Job[Any]) -> str:
            with self._bench.computing:
                self._packed.put(version, finished.result())
            return "The dataset is ready."

        self._make(job, len(held.images), "packing pictures", packed)
        return "Packing the dataset."

    def _import(self, args: Arguments) -> str:
        with self._bench.computing:
            words, held = self._here()
            terms = self._terms_of(words, {})
            self.maker.refuse_while_running()
            name = str(args.get("name") or "the file")
            content = self.uploads.whole({**args, "name": name})
            opened = MEMORY.hold(len(content), self._bench.jobs.owner)
            job = self._bench.jobs.start(unpacked, name, content, terms, self.files)
            job.on_done(lambda _: opened.close())

        def take(finished: Job[ImageSet]) -> str:
            with self._bench.computing:
                self._drawn_for |= {term_key(term) for term in finished.result().terms}
                return held.add(finished.result()).text

        self._make(job, 0, f"opening {name}", take)
        return f"Opening {name}."

    # Pictures are made in the background, one job at a time.

    def _make(self, job: Job[Any], total: int, text: str, ended: Callable[[Job[Any]], str]) -> None:
        """Show how far a job is; `ended` takes what it has made and says so."""
        self.maker.begin(job, total, text, partial(self._made, ended))

    def _made(self, ended: Callable[[Job[Any]], str], job: Job[Any]) -> str:
        problems: list[str] = []
        if (error := job.exception) is not None:
            problems, text = [prose(error)], prose(error)
        elif job.partial is None:
            text = "It was stopped. Earlier pictures are kept."
        else:
            try:
                text = ended(job)
            except BiaslabError as refused:
                problems, text = [str(refused)], str(refused)
        with self._bench.computing:
            self.held.trouble(problems)
        return text

    def _cancel_making(self, _args: Arguments) -> str:
        if not self.maker.abort():
            return "No pictures are being made."
        return "Finished pictures are kept."

    def _take(self, held: PictureSet, made: ImageSet) -> None:
        """Take in what a job hands on, from its thread."""
        with self._bench.computing:
            held.add(made)
        self._bench.answer_again()

    def _generate(self, args: Arguments) -> str:
        with self._bench.computing:
            words, held = self._here()
            terms = self._terms_of(words, args)
            self.maker.refuse_while_running()
            painter = ChosenPainter(args, key_of(args), local=self._folders)
            count = COMPONENT.numbers["make_count"].nearest(args.get("per_term"), 4)
            style = str(args.get("style") or "portrait")
            bl.images.prompt(style, terms[0])  # says what is wrong with it, before anything is open
            taken = [0, 0]

            def take(made: GeneratedImages) -> None:
                new = made.images.images[taken[0] :]
                lost: tuple[RejectedImage, ...] = made.images.rejected[taken[1] :]
                taken[:] = len(made.images.images), len(made.images.rejected)
                if new or lost:
                    self._kept_count += 1
                    self._take(held, ImageSet(new, lost, made.images.notes))

            job = painter.begin(self._bench.jobs, paint, terms, count, style, take)

        def ended(finished: Job[GeneratedImages]) -> str:
            made = finished.result()
            take(made)
            problems = [*made.problems, *fewer_than_asked(made.missing, "pictures")]
            text = f"{pictures(taken[0])} made, {taken[1]:,} rejected with reasons."
            return " ".join([text, *problems])

        self._make(job, len(terms) * count, "waiting for the image model", ended)
        return "Making pictures."


def _ids(args: Arguments) -> list[str]:
    return [str(number) for number in args.get("ids", ())]


def _removed(count: int) -> str:
    return f"{pictures(count)} removed. They can be put back."


def _drawn_text(job: Job[int]) -> str:
    drawn = job.result()
    return f"{drawn:,} portrait{'' if drawn == 1 else 's'} drawn."


def _refused(rejected: Sequence[RejectedImage]) -> str:
    first = rejected[0].reason
    return first if len(rejected) == 1 else f"{len(rejected):,} files: {first}"
