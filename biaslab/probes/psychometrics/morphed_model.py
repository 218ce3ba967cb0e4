r"""A vision-language model as the subject of a two-alternative task, with morphs.

The stimulus is a picture at a share :math:`\alpha` of the way from one appearance to the other
(Liang and Acuna 2020, section 3.1), with the item (an occupation) fixed by clothes and tool. The
response is :math:`P(c_2) / (P(c_1) + P(c_2))`, the mean over templates. Each portrait is an
observer.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from biaslab.errors import QueryError, StoreError
from biaslab.images.morphs import DrawnMorphs, MorphPicture, Morphs, stimulus
from biaslab.probes.letter_bias import LetterBias, letter_bias
from biaslab.probes.psychometrics.asking import nothing_left
from biaslab.records.calls import Reopened, recorded_class, recorded_method
from biaslab.records.result import Dropped
from biaslab.stats.threads import one_openmp_thread
from biaslab.subjects.embedding.terms import Resolution
from biaslab.subjects.pretrained.memory import batch_memory_mb
from biaslab.subjects.stored_values import ValueStore
from biaslab.subjects.vision_language.model import MEMORY_MB
from biaslab.subjects.vision_language.questions import ConceptAnswers, LetterAnswers

Floats = NDArray[np.float64]
Pair = tuple[str, str]
Place = tuple[str, int, Pair]
"""Of a curve: item, number of the portrait, cues."""
KEPT = "morph-answers/1"
"""Kind of value in the store: raise the number when the format changes."""
_ODDS = 700.0
"""Log-odds of an answer that is 0 or 1 to the last digit."""
SMALL = 20_000_000
"""A model of fewer parameters answers with one thread: two wait for each other longer than they
save."""
PICTURES_AT_ONCE = {"cpu": 48, "cuda": 512}
"""Pictures per batch: the most that a cancelled run has to repeat."""


class SeesPictures(Protocol):
    """A subject that can be shown morphs, like `biaslab.VisionLanguageModel`."""

    @property
    def name(self) -> str:
        """Name shown to the person."""

    @property
    def templates(self) -> tuple[str, ...]:
        """Default templates."""

    def resolve(self, concepts: Sequence[str]) -> Resolution:
        """Sort concepts into those that the model can score and the others."""

    def answers(
        self,
        images: Sequence[Any],
        concepts: Sequence[str],
        templates: Sequence[str] | None = None,
        *,
        memory_mb: float = MEMORY_MB,
        between: Callable[[], None] | None = None,
    ) -> ConceptAnswers:
        """Return the model's answers for each picture, template and concept."""


@dataclass(frozen=True)
class MorphedAnswers:
    """Answers of a vision-language model.

    Attributes
    ----------
    items, pairs : tuple
        The n items and K pairs that the model answered.
    observers : tuple of str
        Names of the B portraits.
    answers : ndarray, shape (B, n, K, L)
        P(cue 2), over both cues, the mean over templates.
    usable : ndarray of bool
        Which of the given pairs are usable.
    dropped : tuple of Dropped
        Items and cue pairs that are unusable, with reasons.
    notes : tuple of str
    letters : LetterBias or None
        Of a model that chooses among listed options: of the answers that it gave in this process.
    """

    items: tuple[str, ...]
    pairs: tuple[Pair, ...]
    observers: tuple[str, ...]
    answers: Floats
    usable: NDArray[np.bool_]
    dropped: tuple[Dropped, ...] = ()
    notes: tuple[str, ...] = ()
    letters: LetterBias | None = None


@recorded_class
class MorphedModel(Reopened):
    """A vision-language model that is shown morphs, and remembers its answers.

    Parameters
    ----------
    vlm : VisionLanguageModel
        Or any object with its ``answers``, ``resolve`` and ``templates``.
    morphs : Morphs, optional
        By default 30 drawn portraits of every occupation that can be drawn.
    templates : sequence of str, optional
        Captions or questions; by default the model's. Do not name the item in them:
        visible content is discounted from the answer (docs/benches/images.md).
    memory_mb : float, optional
        Limit on the extra memory of a batch, in megabytes.
    store : Store, optional
        Store for answers beyond this process.
    """

    def __init__(
        self,
        vlm: SeesPictures,
        morphs: Morphs | None = None,
        templates: Sequence[str] | None = None,
        *,
        memory_mb: float | None = None,
        store: ValueStore | None = None,
    ) -> None:
        self.vlm = vlm
        self.morphs: Morphs = DrawnMorphs() if morphs is None else morphs
        self.templates = tuple(vlm.templates if templates is None else templates)
        measured = batch_memory_mb(str(getattr(vlm, "device", "cpu")))
        self.memory_mb = measured if memory_mb is None else memory_mb
        self.store = store
        self.first: int | None = None
        self._known: dict[Place, dict[float, float]] = {}
        self._looked_up: set[str] = set()
        self._letters: dict[Place, dict[float, Floats]] = {}

    @property
    def name(self) -> str:
        """Name of the model."""
        return self.vlm.name

    @property
    def content_hash(self) -> str | None:
        """That of the model."""
        model_hash: str | None = getattr(self.vlm, "content_hash", None)
        return model_hash

    @property
    def device(self) -> str:
        """Device of the model."""
        return str(getattr(self.vlm, "device", "cpu"))

    @cached_property
    def _is_small(self) -> bool:
        model = getattr(self.vlm, "model", None)
        counted = getattr(model, "num_parameters", None)
        return self.device == "cpu" and (counted is None or counted() < SMALL)

    @property
    def observers(self) -> tuple[str, ...]:
        """Names of the portraits in use."""
        return self.morphs.observers[: self.first]

    @recorded_method
    def using(self, first: int) -> MorphedModel:
        """Return the same model with its first portraits only; the cache is shared.

        Raises `QueryError` if there is none.
        """
        if first < 1:
            raise QueryError(f"{first} portraits: use at least one.")
        other = copy(self)
        other.first = first if self.first is None else min(first, self.first)
        return other

    def picture(self, item: str, observer: int, alpha: float) -> MorphPicture:
        """Return a stimulus; if a morph has discrete steps, the nearest one."""
        return stimulus(self.morphs, item, observer, alpha)

    def answer(self, item: str, observer: int, pair: Pair, alpha: float) -> float:
        """Return P(cue 2) for one picture, by the number of the portrait; a cached answer is free.

        Raises `QueryError` when the model cannot answer: gives the reason.
        """
        place = (item, observer, pair)
        known = self._known.setdefault(place, {})
        picture = self.picture(item, observer, alpha)
        if picture.alpha not in known:
            self._show([picture], [pair])
        return known[picture.alpha]

    def respond(
        self, item: ArrayLike, cue_1: ArrayLike, cue_2: ArrayLike, alpha: ArrayLike,
        observer: ArrayLike,
    ) -> Floats:  # fmt: skip
        """Return P(cue 2), a subject's protocol; ``observer`` numbers the portrait.

        Raises `QueryError` when the model cannot answer: gives the reason.
        """
        questions = np.broadcast(item, cue_1, cue_2, alpha, observer)
        answers = [
            self.answer(str(i), int(o), (str(a), str(b)), float(x)) for i, a, b, x, o in questions
        ]
        return np.array(answers).reshape(questions.shape)

    __call__ = respond

    def shown(self, items: Sequence[str]) -> dict[str, str | int]:
        """Return what identifies the pictures of some items, for the provenance.

        ``source``, ``portraits`` (how many), ``pictures`` (SHA-256 of all that they follow from),
        and of drawn ones their ``morph_seed``.
        """
        numbers = range(len(self.observers))
        rows = sorted(
            f"{item}|{b}|{self.morphs.identity(item, b)}"
            for item in items
            for b in numbers
            if self.morphs.has(item, b)
        )
        description: dict[str, str | int] = {
            "source": self.morphs.source,
            "portraits": len(numbers),
            "pictures": hashlib.sha256("\n".join(rows).encode()).hexdigest(),
        }
        seed = getattr(self.morphs, "seed", None)
        return description if seed is None else description | {"morph_seed": int(seed)}

    def is_known(self, items: Sequence[str], pairs: Sequence[Pair], alphas: Floats) -> bool:
        """Return whether all answers are cached, so that `ask` takes no time."""
        self._look_up(items, pairs, alphas)
        return not any(
            self._missing(item, observer, pairs, alphas)
            for item in items
            for observer in range(len(self.observers))
        )

    def ask(
        self,
        items: Sequence[str],
        pairs: Sequence[Pair],
        alphas: Floats,
        *,
        between: Callable[[], None] | None = None,
        on_progress: Callable[[int, int], None] | None = None,
        stop: Callable[[], bool] | None = None,
    ) -> MorphedAnswers:
        """Ask all items, pairs and stimuli, with all portraits.

        - `items`, `pairs`: without repeats.
        - `alphas`, ndarray, shape (L,): in [0, 1], increasing.
        - `between`: called between batches; an exception from it ends the run. Answers so far stay
          cached.
        - `on_progress`: called with the number of pictures answered and in all.
        - `stop`: called after each item: True ends the run there.
        - Raises `QueryError` when nothing is left to ask.
        """
        sorted_out = self.morphs.resolve(items)
        dropped = [Dropped(u.term, "item", u.reason, u.suggestions) for u in sorted_out.unknown]
        dropped += [
            Dropped(d, "item", "is the same item as one already listed")
            for d in sorted_out.duplicates
        ]
        usable = self._usable(pairs, dropped)
        usable_pairs = [pair for pair, ok in zip(pairs, usable, strict=True) if ok]
        left = sorted_out.known
        if not left or not usable_pairs:
            raise nothing_left("item" if not left else "cue pair", self.name, dropped)
        dropped += [Dropped(r.name or r.term, "portrait", r.reason) for r in self.morphs.rejected]
        what = "captions" if "{concept}" in self.templates[0] else "questions"
        told_of = ", ".join(f"“{template}”" for template in self.templates)
        notes = [
            *self.morphs.notes,
            f"Tested with the {what} {told_of}; an answer is their mean."
            if len(self.templates) > 1
            else f"Tested with {told_of}.",
        ]
        notes += self._look_up(left, usable_pairs, alphas)
        total = len(left) * len(self.observers) * len(alphas)
        done: list[str] = []
        for item in left:
            if stop is not None and done and stop():
                break
            before = len(done) * len(self.observers) * len(alphas)
            notes += self._ask_item(
                item, usable_pairs, alphas, between, _counter(on_progress, before, total)
            )
            done.append(item)
        dropped += [
            Dropped(item, "item", "was not reached: the run was stopped")
            for item in left[len(done) :]
        ]
        answers = np.array(
            [
                [[self._curve(item, b, pair, alphas) for pair in usable_pairs] for item in done]
                for b in range(len(self.observers))
            ]
        )
        dropped += self._unreadable(done, usable_pairs, answers)
        return MorphedAnswers(
            tuple(done), tuple(usable_pairs), self.observers, answers, usable, tuple(dropped),
            tuple(dict.fromkeys((*notes, *getattr(self.vlm, "notes", ())))),
            self._letter_bias(done, usable_pairs),
        )  # fmt: skip

    def _unreadable(
        self, items: Sequence[str], pairs: Sequence[Pair], answers: Floats
    ) -> list[Dropped]:
        """List curves that are left out because the model gave no readable reply to a picture.

        Raises `QueryError` if no portrait of an item and cue pair is left.
        """
        lost = []
        for i, item in enumerate(items):
            shown = np.array([self.morphs.has(item, b) for b in range(len(self.observers))])
            for k, pair in enumerate(pairs):
                unread = shown & np.isnan(answers[:, i, k]).any(axis=1)
                if unread.any() and unread.sum() == shown.sum():
                    raise QueryError(
                        f"{self.name} gives no readable reply to some picture of every portrait of"
                        f" {item!r} for the cues {' / '.join(pair)}: it refuses, or answers in"
                        " other words. Ask other questions (templates=...), or for more replies."
                    )
                why = f"a picture of {item!r} has no readable reply for {' / '.join(pair)}"
                lost += [
                    Dropped(self.observers[b], "portrait", why) for b in np.flatnonzero(unread)
                ]
        return lost

    def _letter_bias(self, items: Sequence[str], pairs: Sequence[Pair]) -> LetterBias | None:
        rows, portraits = [], []
        for item in items:
            for observer in range(len(self.observers)):
                for pair in pairs:
                    own = list(self._letters.get((item, observer, pair), {}).values())
                    rows += own
                    portraits += [observer] * len(own)
        return letter_bias(LetterAnswers(np.stack(rows)), portraits, "portraits") if rows else None

    def _usable(self, pairs: Sequence[Pair], dropped: list[Dropped]) -> NDArray[np.bool_]:
        resolution = self.vlm.resolve(list(dict.fromkeys(cue for pair in pairs for cue in pair)))
        unknown = {u.term for u in resolution.unknown}
        dropped += [Dropped(u.term, "cue", u.reason, u.suggestions) for u in resolution.unknown]
        same = [pair for pair in pairs if pair[0] == pair[1]]
        dropped += [Dropped(" / ".join(p), "cue pair", "both cues are the same") for p in same]
        return np.array([not (set(p) & unknown) and p not in same for p in pairs], dtype=bool)

    def _missing(
        self, item: str, observer: int, pairs: Sequence[Pair], alphas: Floats
    ) -> list[float]:
        """Return levels of one portrait for which some answer is missing."""
        known = [self._known.get((item, observer, pair), {}) for pair in pairs]
        requested = self._levels_of(item, observer, alphas)
        return [x for x in requested if any(x not in each for each in known)]

    def _levels_of(self, item: str, observer: int, alphas: Floats) -> tuple[float, ...]:
        """Return the levels of one portrait for these stimuli: all, or its own steps."""
        if not self.morphs.has(item, observer):
            return ()
        return self.morphs.steps(item, observer) or tuple(alphas.tolist())

    def _curve(self, item: str, observer: int, pair: Pair, alphas: Floats) -> Floats:
        """Return answers at the stimuli, interpolated in log-odds; NaN without a morph."""
        requested = self._levels_of(item, observer, alphas)
        if not requested:
            return np.full(len(alphas), np.nan)
        known = self._known[item, observer, pair]
        shares = np.array([known[x] for x in requested])
        if np.isnan(shares).any():  # a reply that cannot be read
            return np.full(len(alphas), np.nan)
        if requested == tuple(alphas.tolist()):
            return shares
        with np.errstate(divide="ignore"):
            odds = np.clip(special.logit(shares), -_ODDS, _ODDS)
        return np.asarray(special.expit(np.interp(alphas, requested, odds)))

    def _ask_item(
        self,
        item: str,
        pairs: Sequence[Pair],
        alphas: Floats,
        between: Callable[[], None] | None,
        report: Callable[[int], None],
    ) -> list[str]:
        """Ask missing answers of an item in batches; return notes of the model."""
        notes: list[str] = []
        at_once = PICTURES_AT_ONCE["cpu" if self.device == "cpu" else "cuda"]
        some = max(1, at_once // len(alphas))
        for start in range(0, len(self.observers), some):
            numbers = range(start, min(start + some, len(self.observers)))
            pictures = [
                self.picture(item, observer, x)
                for observer in numbers
                for x in self._missing(item, observer, pairs, alphas)
            ]
            if pictures:
                notes += self._show(pictures, pairs, between)
                self._store_answers(item, numbers, pairs, alphas)
            elif between is not None:
                between()
            report((numbers[-1] + 1) * len(alphas))
        return notes

    def _show(
        self,
        pictures: Sequence[MorphPicture],
        pairs: Sequence[Pair],
        between: Callable[[], None] | None = None,
    ) -> tuple[str, ...]:
        if getattr(self.vlm, "chooses_by_letter", False) and len(pairs) > 1:
            # There an answer depends on what else is listed, so each pair is a question.
            return tuple(
                dict.fromkeys(n for pair in pairs for n in self._show(pictures, [pair], between))
            )
        cues = list(dict.fromkeys(cue for pair in pairs for cue in pair))
        with one_openmp_thread() if self._is_small else nullcontext():
            result = self.vlm.answers(
                pictures, cues, self.templates, memory_mb=self.memory_mb, between=between
            )
        at = {cue: i for i, cue in enumerate(result.concepts)}
        if lost := [u for u in result.unasked if u.term in cues]:
            reasons = "; ".join(f"{u.term!r}: {u.reason}" for u in lost)
            raise QueryError(f"{self.name} cannot be tested with {reasons}. Choose other cues.")
        for pair in pairs:
            scores_1, scores_2 = (result.log_scores[..., at[cue]] for cue in pair)
            shares = special.expit(scores_2 - scores_1).mean(axis=1)
            for picture, share in zip(pictures, shares.tolist(), strict=True):
                known = self._known.setdefault((picture.item, picture.observer, pair), {})
                known[picture.alpha] = share
            if result.letters is not None:
                for picture, row in zip(pictures, result.letters.log_probabilities, strict=True):
                    place = (picture.item, picture.observer, pair)
                    self._letters.setdefault(place, {})[picture.alpha] = row
        notes: tuple[str, ...] = result.notes
        return notes

    def _key(self, place: Place, alphas: Floats) -> str | None:
        if self.content_hash is None:
            return None
        item, observer, pair = place
        same = [
            self.content_hash, str(getattr(self.vlm, "dtype", "")), self.templates, pair,
            self.morphs.identity(item, observer), self._levels_of(item, observer, alphas),
        ]  # fmt: skip
        return hashlib.sha256(json.dumps(same).encode()).hexdigest()

    def _look_up(
        self, items: Sequence[str], pairs: Sequence[Pair], alphas: Floats
    ) -> tuple[str, ...]:
        """Load answers from the store; return a note if it cannot be used."""
        if self.store is None:
            return ()
        places = {
            key: (item, observer, pair)
            for item in items
            for observer in range(len(self.observers))
            for pair in pairs
            if self._missing(item, observer, [pair], alphas)  # none without a morph
            and (key := self._key((item, observer, pair), alphas)) is not None
            and key not in self._looked_up
        }
        if not places:
            return ()
        try:
            stored = self.store.kept_values(KEPT, places)
        except StoreError as error:
            self.store = None
            return (f"Answers are not cached: {error}",)
        self._looked_up |= places.keys()
        for key, text in stored.items():
            item, observer, _ = place = places[key]
            requested = self._levels_of(item, observer, alphas)
            values = _read(text, len(requested))
            if values is not None:
                self._known.setdefault(place, {}).update(zip(requested, values, strict=True))
        return ()

    def _store_answers(
        self, item: str, numbers: Sequence[int], pairs: Sequence[Pair], alphas: Floats
    ) -> None:
        if self.store is None or self.content_hash is None:
            return
        values = {}
        for observer in numbers:
            for pair in pairs:
                place = (item, observer, pair)
                requested, key = self._levels_of(item, observer, alphas), self._key(place, alphas)
                if requested and key is not None:
                    values[key] = json.dumps([self._known[place][x] for x in requested])
        try:
            self.store.keep_values(KEPT, values)
        except StoreError:
            self.store = None  # the next look-up adds a note; the answers are kept


def _read(text: str, count: int) -> list[float] | None:
    """Parse stored answers; None if they are damaged, so that they are computed again."""
    try:
        values = json.loads(text)
    except ValueError:
        return None
    sound = isinstance(values, list) and len(values) == count
    if not sound or not all(isinstance(v, float | int) and 0 <= v <= 1 for v in values):
        return None
    return [float(v) for v in values]


def _counter(
    on_progress: Callable[[int, int], None] | None, before: int, total: int
) -> Callable[[int], None]:
    def report(done: int) -> None:
        if on_progress is not None:
            on_progress(before + done, total)

    return report
