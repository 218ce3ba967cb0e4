"""``drawn_people``: who is drawn for a word, with the rater's own errors taken out."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypeAlias, cast

import numpy as np

from biaslab.arguments import listed, lists_by_name, strings
from biaslab.errors import ArgumentError, QueryError
from biaslab.files.tables import read_rows
from biaslab.images import (
    DrawnPainter,
    Image,
    ImageRecord,
    ImageSet,
    LocalPainter,
    Painter,
    drawn_images,
    generate_images,
    read_images,
)
from biaslab.jobs.showing import shows_progress
from biaslab.probes.images.inputs import Images
from biaslab.probes.images.people_estimates import RatedTable, Whole, estimates
from biaslab.probes.images.people_result import CANNOT_SAY, PICTURES, DrawnPeople
from biaslab.probes.images.probe import answered
from biaslab.probes.occupations.outside import OutsideTable, table_for
from biaslab.records.calls import recorded
from biaslab.records.provenance import measured
from biaslab.records.result import Dropped
from biaslab.records.wording import counted
from biaslab.stats.curves.sigmoids import Floats
from biaslab.stats.reproducibility import seed_number
from biaslab.stats.significance import check_level
from biaslab.store import Store
from biaslab.subjects.opening.needs import VISION_LANGUAGE_MODEL, Named, Need, opened, suited

if TYPE_CHECKING:
    from biaslab.subjects.vision_language.model import VisionLanguageModel

Labels: TypeAlias = Mapping[str, str] | str | os.PathLike[str]
_PER_GROUP: Final = 50
_BY_HAND: Final = "labels by hand"
_UNDECIDED = {CANNOT_SAY, "can't say", "cannot tell", "unclear", "unknown", "?", "-", ""}
_PICTURE, _LABEL = ("picture", "image", "file", "hash"), ("label", "group")


@recorded
@shows_progress
def drawn_people(
    subject: Painter | Images,
    words: Sequence[str] | Mapping[str, Sequence[str]] | None = None,
    rater: VisionLanguageModel | Named | Mapping[str, str] | Any = "portrait-clip",
    *,
    calibration: Images | Labels | None = None,
    groups: Mapping[str, Sequence[str]] | Sequence[str] = ("woman", "man"),
    wordings: Sequence[str] = ("portrait",),
    per_word: int = 100,
    by_word: bool | None = None,
    clusters: str | None = "prompt",
    baseline: str | None = None,
    outside: OutsideTable | str | os.PathLike[str] | Literal["auto"] | None = "auto",
    sure: float = 0.0,
    templates: Sequence[str] | None = None,
    level: float = 0.95,
    memory_mb: float | None = None,
    store: Store | None = None,
    keep: bool = True,
    rng: int | np.random.Generator = 0,
    progress: bool | None = None,  # noqa: ARG001  # of shows_progress
) -> DrawnPeople:
    """Estimate who is drawn for a word, such as the share of women among pictures of "a nurse".

    A rater says whom each picture shows, and pictures with known labels show how often it errs.
    Shares and errors are estimated together, so that an interval has both sources of chance.
    Aborted as a job, it returns the pictures so far, or the shares of those that were rated.

    Parameters
    ----------
    subject : Painter, ImageSet, sequence of Image, or path
        A painter, which makes `per_word` pictures of each word; ``drawn-painter``, ``hf:NAME`` or
        the folder of a pipeline of ``diffusers``; or pictures, as of `biaslab.images.read_images`.
    words : sequence of str, or mapping of str to sequence of str, optional
        Words to draw; of pictures also word to its terms, such as prompts that name folders.
    rater : VisionLanguageModel, name of one, mapping of str to str, or path of a CSV file
        Or labels by hand: picture to label, columns ``picture`` and ``label``. A picture is named
        by its file, by folder and file, or by its hash; a label is a group or ``cannot say``.
    calibration : ImageSet, path, or mapping of str to str, optional
        Pictures with known labels. Either other pictures, whose folder or term names the group
        (``woman``), or group and word (``woman nurse``); or labels, as of `rater`, of some of the
        painter's own pictures, **picked at random**. By default of `DrawnPainter` other portraits;
        else none, and labels by hand count as true.
    groups : sequence of str, or mapping of str to sequence of str
        Groups as the rater is asked about them, or each with its concepts. Any attribute can have
        groups, such as ``("young", "old")``.
    wordings : sequence of str
        Prompts for a painter: styles of `biaslab.images.PROMPTS`, or texts with ``{term}``.
    per_word : int
        Pictures of each word, over all wordings.
    by_word : bool, optional
        Whether each word has errors of its own; by default if each has 20 calibration pictures of
        each group.
    clusters : str or None
        Entry of the pictures' provenance by which those of a word belong together, such as
        ``prompt`` or ``seed``; None takes them as independent.
    baseline : str, optional
        Word that the others are compared with; by default the first.
    outside : OutsideTable, path of a CSV file, "auto" or None
        Outside shares of one of the groups, such as women by occupation.
    sure : float
        Probability below which a model's answer is ``cannot say``.
    templates : sequence of str, optional
        Captions or questions for the rater; by default the model's own.
    level : float
        Of the intervals, in (0, 1).
    memory_mb, store, keep
        As of `biaslab.image_association`; generated pictures are kept too.
    rng : int or numpy.random.Generator
        Of the placebo, and of calibration portraits that are drawn here.
    progress : bool, optional
        Whether to show the progress; by default on a terminal and in a notebook cell.

    Returns
    -------
    DrawnPeople

    Raises
    ------
    QueryError
        If a word has no picture, the calibration lacks a group, or a label is unknown.
    ImageError, EndpointError
        If pictures cannot be read or made.

    References
    ----------
    Rogan and Gladen (1978), "Estimating prevalence from the results of a screening test", American
    Journal of Epidemiology 107. Lang and Reiczigel (2014), "Confidence limits for prevalence of
    disease adjusted for estimated sensitivity and specificity", Preventive Veterinary Medicine 113.
    """
    check_level(level)
    if not isinstance(groups, Mapping):
        groups = {group: (group,) for group in strings(groups, "groups", "('woman', 'man')")}
    asked = lists_by_name(groups, "groups")
    if len(asked) < 2:
        raise QueryError("There is one group only. Give two or more, such as woman and man.")
    if not 0 <= sure < 1:
        raise ArgumentError(f"sure is {sure}: give a probability from 0 to below 1.")
    seed, painter = seed_number(rng), _opened(subject)
    labels = _labels(rater) if _are_labels(rater) else None
    vlm = None if labels is not None else opened(rater, VISION_LANGUAGE_MODEL, "drawn_people")
    if isinstance(calibration, str | os.PathLike) and not _are_labels(calibration):
        calibration = read_images(calibration)
    pictures = _pictures(painter, words, wordings, per_word, store, keep)
    chosen = tuple(pictures.by_word)
    if calibration is None and isinstance(painter, DrawnPainter) and vlm is not None:
        calibration = _drawn_calibration(painter, chosen, seed)
    own = [image for some in pictures.by_word.values() for image in some]
    others: list[Image] = []
    if calibration is not None and not _are_labels(calibration):
        others = list(listed(calibration, "calibration", "bl.images.read_images('known')"))
    every = [*own, *others]
    with measured(
        probe="drawn_people",
        subject=getattr(painter, "name", PICTURES),
        parameters={
            "words": chosen,
            "groups": asked,
            "wordings": wordings,
            "by_word": by_word,
            "rater": getattr(vlm, "name", _BY_HAND),
            "templates": templates,
            "sure": sure,
            "rater_hash": getattr(vlm, "content_hash", ""),
            "clusters": clusters,
            "level": level,
        },
        seed=seed,
    ) as run:
        rated = _rated(
            every, asked, vlm, labels, sure, templates,
            memory_mb=memory_mb, store=(store or Store()) if keep else None,
        )  # fmt: skip
        place = {word: i for i, word in enumerate(chosen)}
        word_of = np.repeat(np.arange(len(chosen)), [len(s) for s in pictures.by_word.values()])
        label, word_of_others = _known(others, asked, place)
        stray: tuple[str, ...] = ()
        if calibration is not None and _are_labels(calibration):
            found, stray = _looked_up(own, _labels(calibration), asked)
            label = np.where(found < len(asked), found, -1)
        else:
            label = np.concatenate([np.full(len(own), -1), label])
        table = RatedTable(
            np.concatenate([word_of, word_of_others])[rated.numbers], label[rated.numbers],
            rated.answer, (np.arange(len(label)) < len(own))[rated.numbers],
            [_cluster(every[i], clusters) for i in rated.numbers],
        )  # fmt: skip
        fields = estimates(
            table, chosen, tuple(asked), _outside(outside, chosen, asked), by_word=by_word,
            baseline=baseline, is_by_hand=vlm is None, level=level, rng=np.random.default_rng(seed),
        )  # fmt: skip
    return DrawnPeople(
        painter=getattr(painter, "name", PICTURES), rater=getattr(vlm, "name", _BY_HAND),
        groups=tuple(asked), words=chosen, images=tuple(_timeless(every[i]) for i in rated.numbers),
        word_of=table.word, label=table.label, answer=table.answer, is_drawn=table.is_drawn,
        probabilities=rated.probabilities, level=level,
        dropped=(*pictures.dropped, *rated.dropped), provenance=run.provenance,
        notes=(*pictures.notes, *rated.notes, *stray, *fields.pop("notes")), **fields,
    )  # fmt: skip


def _timeless(image: Image) -> ImageRecord:
    """Return a picture's record without its time, so that equal runs are equal."""
    known = {key: value for key, value in image.record.provenance.items() if key != "time"}
    return replace(image.record, provenance=known)


class _Pictures(NamedTuple):
    """Pictures of each word."""

    by_word: dict[str, tuple[Image, ...]]
    dropped: tuple[Dropped, ...] = ()
    notes: tuple[str, ...] = ()


def _opened(subject: Any) -> Any:
    """Return a painter or an image set."""
    if isinstance(subject, str | os.PathLike):
        folder = Path(subject).expanduser()
        if subject == DrawnPainter.name:
            return DrawnPainter()
        if str(subject).startswith("hf:") or (folder / "model_index.json").is_file():
            return LocalPainter.load(str(subject))
        return read_images(subject)
    subject = suited(subject, _NEED, "drawn_people")
    return ImageSet.of(subject) if isinstance(subject, Sequence) else subject


def _is_drawing(subject: Any) -> bool:
    """Whether it paints, or holds pictures."""
    return (
        callable(getattr(subject, "paint", None))
        or isinstance(subject, ImageSet)
        or (isinstance(subject, Sequence) and all(isinstance(one, Image) for one in subject))
    )


_NEED: Final = Need(
    "a painter, or pictures",
    "Pass bl.images.DrawnPainter(), another painter, or a folder with one folder of pictures for"
    " each word.",
    _is_drawing,
)


def _pictures(
    subject: Any, words: Any, wordings: Sequence[str], per_word: int, store: Store | None,
    keep: bool,
) -> _Pictures:  # fmt: skip
    if callable(getattr(subject, "paint", None)):
        wanted = strings(words, "words")
        if not wanted or not wordings or per_word < len(wordings):
            raise QueryError(
                "There is nothing to draw. Give a word, a wording, and at least one picture of each"
                " wording."
            )
        made = ImageSet()
        problems: list[str] = []
        short: dict[str, int] = {}
        each = [len(part) for part in np.array_split(np.arange(per_word), len(wordings))]
        for style, count in zip(wordings, each, strict=True):
            part = generate_images(
                wanted, subject, per_term=count, style=style, store=store,
                keep=keep and not isinstance(subject, DrawnPainter),
            )  # fmt: skip
            made = made.joined(part.images)
            problems += part.problems
            short |= {word: short.get(word, 0) + n for word, n in part.missing.items()}
        notes = [*problems, *(f"{word}: {n:,} pictures are missing." for word, n in short.items())]
        return _sorted(made, {word: (word,) for word in wanted}, tuple(notes))
    if isinstance(words, Mapping):
        terms = lists_by_name(words, "words", "{'nurse': ['a nurse', 'a nurse at work']}")
    else:
        terms = {w: (w,) for w in (subject.terms if words is None else strings(words, "words"))}
    return _sorted(subject, terms, subject.notes)


def _sorted(
    images: ImageSet, terms: Mapping[str, tuple[str, ...]], notes: tuple[str, ...]
) -> _Pictures:
    by_word = {w: tuple(i for term in some for i in images.of_term(term))
               for w, some in terms.items()}  # fmt: skip
    if lacking := [word for word, some in by_word.items() if not some]:
        reasons = [*(one.reason for one in images.rejected), *notes]
        why = f" {reasons[0]}" if reasons else ""
        raise QueryError(
            f"There is no picture of {lacking[0]!r}.{why} The pictures are of"
            f" {', '.join(images.terms) or 'nothing'}."
        )
    dropped = tuple(Dropped(one.name or one.term, "picture", one.reason) for one in images.rejected)
    return _Pictures(by_word, dropped, notes)


def _drawn_calibration(painter: DrawnPainter, words: Sequence[str], seed: int) -> ImageSet:
    terms = [f"{side} {word}" for word in words for side in ("female", "male")]
    return drawn_images(terms, per_term=_PER_GROUP, seed=seed + 1, size=painter.size)


def _are_labels(value: object) -> bool:
    """Whether it is labels by hand, or a file of them."""
    is_path = isinstance(value, str | os.PathLike)
    return isinstance(value, Mapping) or (
        is_path and Path(cast("str", value)).suffix.lower() in {".csv", ".tsv", ".jsonl", ".json"}
    )


def _labels(source: Any) -> dict[str, str]:
    """Return labels by the key of their picture."""
    if isinstance(source, Mapping):
        return {_key(str(name)): str(label) for name, label in source.items()}
    rows = read_rows(source, QueryError)
    heads = [] if isinstance(rows, Mapping) or not rows else list(rows[0])
    columns = [next((h for h in heads if h.strip().lower() in some), None)
               for some in (_PICTURE, _LABEL)]  # fmt: skip
    if None in columns:
        raise QueryError(
            f"{source} has the columns {', '.join(heads) or 'of no table'}. Name one 'picture' (the"
            " file, or folder/file) and one 'label'."
        )
    picture, label = columns
    return {_key(str(row[picture])): str(row[label] or "") for row in cast("list[Any]", rows)}


def _key(name: str) -> str:
    folder, _, file = name.replace("\\", "/").strip().rpartition("/")
    plain = " ".join(folder.rpartition("/")[2].replace("_", " ").replace("-", " ").split())
    return f"{plain}/{file}".casefold().lstrip("/")


def _looked_up(
    images: Sequence[Image], labels: Mapping[str, str], groups: Mapping[str, Sequence[str]]
) -> tuple[Whole, tuple[str, ...]]:
    """Return each picture's group, and a note on labels of no picture.

    The group is k where the label is undecided, -1 where there is none.
    """
    meaning = {name.casefold(): i for i, (group, terms) in enumerate(groups.items())
               for name in (group, *terms)}  # fmt: skip
    keys = [
        [image.hash, _key(file := str(image.record.provenance.get("file", ""))),
         _key(f"{image.term}/{file}")]
        for image in images
    ]  # fmt: skip
    files = Counter(own[1] for own in keys)
    found, used = np.full(len(images), -1), set()
    for i, own in enumerate(keys):
        key = next((key for key in own if key and key in labels), None)
        if key is None:
            continue
        if key == own[1] and files[key] > 1:
            raise QueryError(
                f"{key!r} is the name of several pictures. Name pictures by folder and file, such"
                f" as {own[2]!r}."
            )
        label = " ".join(labels[key].split()).casefold()
        if label not in meaning and label not in _UNDECIDED:
            raise QueryError(
                f"The label of {key!r} is {labels[key]!r}. Labels are {', '.join(groups)} and"
                f" {CANNOT_SAY}."
            )
        found[i] = meaning.get(label, len(groups))
        used.add(key)
    if images and not used:
        raise QueryError(
            "No label is of one of these pictures. Name them by file, by folder and file, or by"
            f" hash, such as {keys[0][2] or keys[0][0]!r}."
        )
    if not (stray := [key for key in labels if key not in used]):
        return found, ()
    return found, (f"{counted(len(stray), 'label')} of no picture here, such as {stray[0]!r}.",)


def _known(
    images: Sequence[Image], groups: Mapping[str, Sequence[str]], place: Mapping[str, int]
) -> tuple[Whole, Whole]:
    """Return group and word of calibration pictures, by their provenance or their term."""
    names = {name.casefold(): i for i, (group, terms) in enumerate(groups.items())
             for name in (group, *terms)}  # fmt: skip
    label, word = np.full(len(images), -1), np.full(len(images), -1)
    for i, image in enumerate(images):
        drawn = image.record.provenance
        term = image.term.casefold()
        if (group := str(drawn.get("group", "")).casefold()) in names:
            label[i], about = names[group], str(drawn.get("occupation", ""))
        else:
            fitting = [n for n in names if term == n or term.startswith(f"{n} ")]
            if not fitting:
                raise QueryError(
                    f"The calibration pictures of {image.term!r} name no group. Call their folder"
                    f" {next(iter(groups))!r}, or, for a word's own, '{next(iter(groups))} nurse'."
                )
            longest = max(fitting, key=len)
            label[i], about = names[longest], term[len(longest) :].strip()
        word[i] = place.get(about, -1)
    return label, word


class _Rated(NamedTuple):
    """A rater's answers about the pictures of some numbers."""

    numbers: Whole
    answer: Whole
    probabilities: Floats
    dropped: tuple[Dropped, ...] = ()
    notes: tuple[str, ...] = ()


def _rated(
    images: Sequence[Image], groups: Mapping[str, Sequence[str]], vlm: Any,
    labels: Mapping[str, str] | None, sure: float, templates: Sequence[str] | None, **options: Any,
) -> _Rated:  # fmt: skip
    k = len(groups)
    if labels is not None:
        found, notes = _looked_up(images, labels, groups)
        numbers = np.flatnonzero(found >= 0)
        without = len(images) - len(numbers)
        dropped = (Dropped(counted(without, "picture"), "picture", "no label by hand."),)
        nothing = np.full((len(numbers), k), np.nan)
        return _Rated(numbers, found[numbers], nothing, dropped[: int(without > 0)], notes)
    concepts = [term for terms in groups.values() for term in terms]
    replies = answered(vlm, images, concepts, templates, **options)
    group_of = np.repeat(np.arange(k), [len(terms) for terms in groups.values()])
    pooled = replies.probabilities.mean(axis=1)
    shares = np.stack([pooled[:, group_of == g].sum(axis=1) for g in range(k)], axis=1)
    answer = np.where(shares.max(axis=1) >= sure, shares.argmax(axis=1), k)
    left = len(images) - len(replies.numbers) - replies.unreadable
    stopped = (f"{counted(left, 'picture')} not reached: the run was stopped.",) if left else ()
    return _Rated(replies.numbers, answer, shares, (), (*replies.notes, *stopped))


def _cluster(image: Image, name: str | None) -> str:
    return "" if name is None else str(image.record.provenance.get(name, image.term))


def _outside(
    outside: Any, words: Sequence[str], groups: Mapping[str, tuple[str, ...]]
) -> tuple[str, Floats]:
    """Return the outside table's title and shares, shape (words, k); NaN where it has none."""
    shares = np.full((len(words), len(groups)), np.nan)
    if isinstance(outside, str) and outside == "auto":
        outside = table_for(words, None, groups)
    elif isinstance(outside, str | os.PathLike):
        outside = OutsideTable.read_csv(outside)
    if outside is None:
        return "", shares
    axis, names = outside.axis(groups), list(groups)
    if not axis.group or outside.whole is None:
        raise QueryError(
            f"The outside table {outside.name!r} holds no shares of {' or '.join(names)}. Give one"
            " in percent, and say whose they are: OutsideTable.read_csv(path, of='woman')."
        )
    values = [outside.get(word) for word in words]
    column = np.array([np.nan if v is None else axis.of(v) / outside.whole for v in values])
    shares[:, names.index(axis.group)] = column
    if len(names) == 2:
        shares[:, 1 - names.index(axis.group)] = 1 - column
    return outside.title, shares
