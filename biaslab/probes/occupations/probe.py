"""``bl.occupations``: words between two or more groups, beside outside numbers."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Literal

from numpy.typing import ArrayLike

from biaslab.arguments import check_names, renamed
from biaslab.errors import QueryError
from biaslab.jobs.showing import shows_progress
from biaslab.probes.occupations.contrasts import Cosines, cosines
from biaslab.probes.occupations.outside import OutsideTable, table_for
from biaslab.probes.occupations.questions import (
    AgainstWhat,
    Groups,
    Pairing,
    WordList,
    Words,
    check_pairing,
    reference_of,
    resolve_groups,
    resolve_words,
)
from biaslab.probes.occupations.result import OccupationsResult
from biaslab.probes.psychometrics.curves import PairsAs
from biaslab.probes.psychometrics.kinds import CHOOSES
from biaslab.probes.psychometrics.options import CuePairs, Scoring, Shape
from biaslab.probes.psychometrics.perception import Perception
from biaslab.probes.psychometrics.probe import two_afc
from biaslab.probes.psychometrics.result import TwoAFCResult
from biaslab.records.calls import recorded
from biaslab.records.provenance import measured
from biaslab.records.result import Dropped
from biaslab.specs import Spec, get
from biaslab.stats.curves.jnd import Convention
from biaslab.stats.significance import check_level
from biaslab.subjects.embedding.base import EmbeddingSubject
from biaslab.subjects.opening.needs import Named, opened

Respond = Callable[[Any, Any, Any, Any, Any], ArrayLike]
Outside = OutsideTable | str | os.PathLike[str] | Literal["auto"] | None


@renamed(curve="family")
@recorded
@shows_progress
def occupations(
    subject: EmbeddingSubject | Respond | Named,
    words: Words = "occupations",
    groups: Groups = "gender-pairs",
    *,
    pairing: Pairing = "matched",
    outside: Outside = "auto",
    scoring: Scoring = "eq8",
    perception: Perception | float = 0.0,
    family: Shape = "auto",
    jnd: Convention = "quartile",
    pairs_as: PairsAs = "resampled",
    level: float = 0.95,
    reference: AgainstWhat = "even",
    replicates: int | None = None,
    progress: bool | None = None,  # noqa: ARG001  # of shows_progress
    **asking: Any,
) -> OccupationsResult:
    """Estimate PSE and JND of many words between groups, beside an outside table.

    After Liang and Acuna (2020), sections 5.1 and 6: their Figs. 3 and 4, all combinations of two
    lists of cues, and several alternatives by pairwise curves.

    Parameters
    ----------
    subject : EmbeddingSubject, name of one, or callable
        As of `biaslab.two_afc`.
    words : sequence of str, Spec or name of one
        Words to ask about. Unknown words and duplicates are listed in ``.dropped``.
    groups : mapping of str to sequence of str, Spec or name of one
        Two or more alternatives, each with its cues. A spec's cue pairs make two groups.
    pairing : str
        ``matched``: first cue with first cue, second with second ...; ``all``: every combination
        (section 6 of the paper); ``sets``: one cue per group, the mean of its cues' vectors.
    outside : OutsideTable, path of a CSV file, ``"auto"`` or None
        Numbers to compare with the PSE. "auto" takes the first table of the words' spec that
        has shares of one of the groups, else the table of the catalogue that knows most of
        the words, if at least four.
    scoring, perception, family, jnd, pairs_as, level, replicates
        As of `biaslab.two_afc`.
    reference : str, sequence of str, or Spec
        What a lean is measured against. ``even`` (default): a PSE of 1/2; does the model switch at
        an even blend? ``words``: the mean of the other words; does it lean more than they do?
        Or control words, such as ``"manzini-gender"``, whose neutral words are taken: does it lean
        more than words that name no person? PSEs are then differences, 1/2 for none.
    progress : bool, optional
        Whether to show the progress; by default on a terminal and in a notebook cell.
    **asking
        For a callable: ``levels`` and ``observers`` of `biaslab.two_afc`.

    Returns
    -------
    OccupationsResult

    Raises
    ------
    QueryError
        When nothing is left to ask, matched lists differ in length, or a table cannot be read.
    SpecError
        When a name is no spec's.
    ValueError
        When an option is out of range.
    """
    check_names(asking, two_afc, "bl.occupations")
    chooses: Any = opened(subject, CHOOSES, "bl.occupations")
    requested = resolve_words(words)
    lists, spec_name = resolve_groups(groups)
    check_pairing(pairing, lists)
    check_level(level)
    perception = perception if isinstance(perception, Perception) else Perception(perception)
    table = _table(outside, requested, lists)
    against, control_words = reference_of(reference)
    parameters = {
        "scoring": scoring,
        "perception": perception,
        "family": family,
        "pairs_as": pairs_as,
        "level": level,
        "pairing": pairing,
        "jnd": jnd,
        "replicates": replicates,
        "words": requested.spec.name if requested.spec else "",
        "groups": spec_name,
        "outside": table.name if table else "",
        "reference": against,
    }
    identity = hashlib.sha256(repr((requested.words, lists, *control_words)).encode()).hexdigest()
    word_cosines: Cosines | None = None
    of_controls: Cosines | None = None
    answers: tuple[TwoAFCResult, ...] = ()
    with measured(
        probe="occupations", subject=chooses, spec_hash=identity, parameters=parameters
    ) as run:
        if isinstance(chooses, EmbeddingSubject):
            if asking:
                raise TypeError(f"{', '.join(asking)}: only for callables. Leave it out.")
            known, word_cosines, dropped = cosines(
                chooses, requested.words, lists, replicates, pairing
            )
            if control_words:
                control_words, of_controls, lost = cosines(
                    chooses, control_words, lists, replicates, pairing
                )
                dropped += [replace(d, role="control") for d in lost if d.role == "item"]
        elif against == "controls":
            raise QueryError(
                "Control words need an embedding. Put them among the words, and pass"
                " reference='words'."
            )
        else:
            options = {
                "scoring": scoring, "perception": perception, "family": family, "jnd": jnd,
                "level": level, **asking,
            }  # fmt: skip
            answers = _ask(chooses, requested.words, lists, pairing, pairs_as, options)
            known, dropped = answers[0].items, list(answers[0].dropped)
    repeated = [Dropped(word, "item", "listed more than once") for word in requested.repeated]
    result = OccupationsResult(
        words=known,
        words_are="occupations" if _are_occupations(requested.words) else "words",
        groups=lists,
        pairing=pairing,
        cosines=word_cosines,
        answers=answers,
        outside=table,
        scoring=scoring,
        perception=perception,
        curve=family,
        jnd_convention=jnd,
        pairs_as=pairs_as,
        level=level,
        reference=against,
        controls=control_words,
        control_cosines=of_controls,
        dropped=(*repeated, *dropped),
        provenance=run.provenance,
    )
    # Groups without a pair, and unknown options, raise an error here, not on first access.
    named = (*result.dropped, *(one for curves in result.contrasts for one in curves.dropped))
    dropped_in_all = tuple(dict.fromkeys(named))
    return result if dropped_in_all == result.dropped else replace(result, dropped=dropped_in_all)


def _ask(
    subject: Respond,
    words: tuple[str, ...],
    lists: Mapping[str, tuple[str, ...]],
    pairing: Pairing,
    pairs_as: PairsAs,
    options: Mapping[str, Any],
) -> tuple[TwoAFCResult, ...]:
    """Return a black box's contrasts."""
    if pairing == "sets":
        raise QueryError(
            "A cue set is a mean of vectors, which needs an embedding. Choose pairing='matched' "
            "or 'all' for this subject."
        )
    cues = list(lists.values())
    answers = []
    for i, pair in enumerate(cues):
        for two in cues[i + 1 :]:
            crossed = [(a, z) for a in dict.fromkeys(pair) for z in dict.fromkeys(two)]
            pairs = list(zip(pair, two, strict=True)) if pairing == "matched" else crossed
            answers.append(two_afc(subject, words, CuePairs(pairs, pairs_as), **options))
    return tuple(answers)


def _table(
    outside: Outside, requested: WordList, groups: Mapping[str, tuple[str, ...]]
) -> OutsideTable | None:
    if outside is None or isinstance(outside, OutsideTable):
        return outside
    if isinstance(outside, str) and outside == "auto":
        return table_for(requested.words, requested.spec, groups)
    if isinstance(outside, str) and "/" in outside and _is_spec(outside.partition("/")[0]):
        name, _, column = outside.partition("/")
        return OutsideTable.from_spec(name, column)
    return OutsideTable.read_csv(outside)


def _are_occupations(words: tuple[str, ...]) -> bool:
    """Return whether at least half of the words are the catalogue's occupations."""
    jobs = set(get("occupations").items)
    return 2 * sum(word.lower() in jobs for word in words) >= len(words)


def _is_spec(name: str) -> bool:
    from biaslab.errors import SpecError

    try:
        return isinstance(get(name), Spec)
    except SpecError:
        return False
