"""Controller of the occupations view: many words between groups, beside an outside table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

import biaslab as bl
from biaslab.errors import QueryError
from biaslab.files.csv_text import frame_text
from biaslab.probes.occupations import OccupationsResult, OutsideTable, outside_tables
from biaslab.probes.occupations.questions import resolve_groups, resolve_words
from biaslab.records.result import Result
from biaslab.specs import Spec
from biaslab.subjects.embedding.base import EmbeddingSubject
from biaslab_widgets.benches.occupations.fields import (
    COMPONENT,
    OccupationsBenchState,
    OutsideOption,
    Picture,
)
from biaslab_widgets.benches.occupations.how import how_of
from biaslab_widgets.benches.occupations.view import picture_of
from biaslab_widgets.core.answers.cache import Latest
from biaslab_widgets.core.bench.controller import Controller, Emit
from biaslab_widgets.core.bench.recorded import (
    not_of_this_bench,
    recorded_arguments,
    recorded_inputs,
)
from biaslab_widgets.core.bench.subject_bench import SubjectController
from biaslab_widgets.core.state.commands import Arguments
from biaslab_widgets.core.state.fields import Cap
from biaslab_widgets.core.state.records import How, Message, WordList, message
from biaslab_widgets.core.subjects.sources import Source
from biaslab_widgets.core.word_marks import MarkedLists

FIRST_TABLE = "occupations/percent-female-bls"
_OWN = "own/"
"""Begins the key of a table that a person has given."""
Asked = dict[str, Any]
"""Inputs of the psychometric bench that show one word of this view."""


class OccupationsController(
    SubjectController[OccupationsBenchState, OccupationsResult, Picture, EmbeddingSubject]
):
    """Runs `biaslab.occupations` for what is on the screen.

    - `sources`: subjects that can be chosen, by name; one that is not open yet is opened in the
      background.
    - `emit`: receives changed outputs.
    - `words`: the words asked about; default the occupations of the catalogue.
    - `groups`: two or more groups, each with its cues; default the gender pairs of the catalogue.
    - `open_word`: opens a word in the psychometric bench and returns where; None where a link does
      that.
    """

    component = COMPONENT
    caps: ClassVar[Mapping[str, Cap]] = {**Controller.caps, "load-table": Cap(text=500_000)}

    def __init__(
        self,
        sources: Mapping[str, Source],
        emit: Emit,
        words: Sequence[str] | Spec | str | None = None,
        groups: Mapping[str, Sequence[str]] | Spec | str | None = None,
    ) -> None:
        super().__init__(sources, emit)
        self.open_word: Callable[[Asked], str] | None = None
        self._tables = {table.name: table for table in outside_tables()}
        self._own: set[str] = set()
        self._latest_picture: Latest[Picture] = Latest()
        self.lists = self.add(MarkedLists(_lists, self.subject, self.snapshot))
        self.commands |= {"open": self._open, "load-table": self._load_table}
        lists, _ = resolve_groups("gender-pairs" if groups is None else groups)
        self.state |= {
            "words": list(resolve_words("occupations" if words is None else words).words),
            "groups": [{"name": name, "terms": list(terms)} for name, terms in lists.items()],
            "outside": FIRST_TABLE if FIRST_TABLE in self._tables else "",
            "outside_options": self._options(),
        }

    def missing(self, subject: EmbeddingSubject, snapshot: OccupationsBenchState) -> Message | None:  # noqa: ARG002
        """Words, and two groups with cues."""
        if not _texts(snapshot.words):
            words = list(bl.specs.get("occupations").items)
            load = {"label": "Load the occupations", "set": {"words": words}}
            return message("No words to probe", "Add words, paste a column, or load a list.", load)
        if len(snapshot.groups) < 2 or not all(_texts(g["terms"]) for g in snapshot.groups):
            lists, _ = resolve_groups("gender-pairs")
            groups = [{"name": name, "terms": list(terms)} for name, terms in lists.items()]
            load = {"label": "Load the gender pairs", "set": {"groups": groups}}
            text = "A comparison needs at least two groups, each with at least one cue."
            return message("A group has no cues", text, load)
        return None

    def key(self, snapshot: OccupationsBenchState) -> object:
        """The options of the probe."""
        groups = tuple((g["name"], *g["terms"]) for g in snapshot.groups)
        controls = tuple(snapshot.controls) if snapshot.reference == "controls" else ()
        values = (getattr(snapshot, name) for name in _ASKED)
        return (tuple(snapshot.words), groups, controls, *values)

    def ask(self, subject: EmbeddingSubject, snapshot: OccupationsBenchState) -> OccupationsResult:
        """Ask about all words."""
        return bl.occupations(
            subject,
            _texts(snapshot.words),
            _groups(snapshot),
            pairing=snapshot.pairing,
            outside=None if self._is_foreign(snapshot) else self._table(snapshot.outside),
            scoring=snapshot.scoring,
            family=snapshot.curve,
            jnd=snapshot.jnd,
            pairs_as=snapshot.pairs_as,
            reference=_reference(snapshot),
        )

    def inputs_for(self, result: Result) -> dict[str, Any]:
        """See the base."""
        if not isinstance(result, OccupationsResult):
            raise not_of_this_bench(self.component, result)
        inputs = recorded_inputs(self.component, recorded_arguments(result))
        controls = {"controls": list(result.controls)} if result.controls else {}
        return {
            **inputs,
            **controls,
            "subject": result.provenance.subject,
            "words": list(result.words),
            "groups": [{"name": n, "terms": list(t)} for n, t in result.groups.items()],
            "pairing": result.pairing,
            "outside": result.outside.name if result.outside else "",
            "reference": result.reference,
        }

    def _table(self, key: str) -> OutsideTable | None:
        if key and key not in self._tables:
            known = ", ".join(self._tables)
            raise QueryError(f"There is no outside table “{key}”. There are: {known}.")
        return self._tables[key] if key else None

    def _is_foreign(self, snapshot: OccupationsBenchState) -> bool:
        """Whether a bundled table counts people of a group that is not compared."""
        table = self._table(snapshot.outside)
        if table is None or not table.of or snapshot.outside in self._own:
            return False
        return not table.axis(_groups(snapshot)).group

    def is_common(self, subject: EmbeddingSubject, snapshot: OccupationsBenchState) -> bool:  # noqa: ARG002
        """Unless a table of one's own stands beside the words: others' may have its name."""
        return snapshot.outside not in self._own

    def paint(self, result: OccupationsResult, snapshot: OccupationsBenchState) -> dict[str, Any]:
        """The picture; sorting, filtering and searching are the front end's."""
        shown = (snapshot.contrast, snapshot.beside == "comparison", snapshot.adjust)
        key = (self._key, shown)
        picture = self._latest_picture.of(key, lambda: picture_of(result, *shown))
        if self._is_foreign(snapshot):
            title = self._tables[snapshot.outside].title
            note = f"Not compared with “{title}”, which counts people of other groups."
            picture = {**picture, "caveat": f"{picture['caveat']} {note}"}
        nothing_varies = all(lean == 2 for c in picture["contrasts"] for lean in c["lean"])
        return {
            "state": "cannot-say" if nothing_varies else "ready",
            "message": _nothing_varies(snapshot) if nothing_varies else None,
            "picture": picture,
        }

    def explain(
        self, shown: tuple[OccupationsResult, Picture] | None, snapshot: OccupationsBenchState
    ) -> How:
        """From one cue pair to the lean, for the picked word."""
        return how_of(shown, snapshot)

    def file_stem(self, result: OccupationsResult) -> str:
        """The probe and its groups."""
        names = "-".join(result.names)
        return f"occupations-{''.join(c if c.isalnum() else '-' for c in names)}"

    def table(self, result: OccupationsResult, what: str) -> str:
        """Pooled estimates, or those of each cue ``pairs``."""
        if what != "pairs":
            return frame_text(result.to_frame())
        import pandas as pd

        frames = [contrast.to_frame() for contrast in result.contrasts]
        return frame_text(pd.concat(frames, ignore_index=True))

    def _load_table(self, args: Arguments) -> str:
        name = str(args.get("name", "")).strip() or "own table"
        table = OutsideTable.read_csv(
            str(args.get("text", "")) + "\n",
            title=str(args.get("title", "")) or name,
            value=str(args.get("value", "")),
            of=str(args.get("of", "")),
        )
        self._add_table(f"{_OWN}{name}", table)
        text = f"{len(table.values)} values read from {name}."
        return " ".join([text, *table.notes])

    def take_stored(self, result: Result) -> bool:
        """Offer the person's own table again; the bench then computes the same result."""
        key = self.snapshot().outside
        table = result.outside if isinstance(result, OccupationsResult) else None
        if table is not None and key.startswith(_OWN):
            self._add_table(key, table)
        return False

    def _add_table(self, key: str, table: OutsideTable) -> None:
        self._tables[key] = table
        self._own.add(key)
        self.emit({"outside_options": self._options(), "outside": key})
        self.answer_again()

    def _options(self) -> list[OutsideOption]:
        return [
            {
                "key": key,
                "title": table.title,
                "unit": table.unit,
                "source": table.source,
                "own": key in self._own,
            }
            for key, table in self._tables.items()
        ]

    def _open(self, args: Arguments) -> str:
        word = str(args.get("word", ""))
        if self.open_word is None:
            raise ValueError("There is no psychometric bench next to this one.")
        result = self.result
        if word not in result.words:
            raise QueryError(f"“{word}” is not among the probed words.")
        snapshot = self.snapshot()
        contrast = result.contrasts[max(snapshot.contrast, 0)]
        pairs = [[a, b] for a, b in contrast.pairs]
        question = {
            "subject": snapshot.subject,
            "word": word,
            "pairs": pairs,
            "selected_pairs": list(range(len(pairs))),
            **{name: getattr(snapshot, name) for name in ("pairs_as", "curve", "jnd", "scoring")},
        }
        self.emit({"psychometric": self.open_word(question), "word": word})
        return f"{word} is open in the psychometric bench."


_ASKED = ("pairing", "pairs_as", "curve", "jnd", "scoring", "outside", "reference")
CONTROLS = "manzini-gender"
"""The spec whose neutral words are the control words until a person gives others."""


def _reference(snapshot: OccupationsBenchState) -> str | list[str]:
    if snapshot.reference != "controls":
        return snapshot.reference
    return _texts(snapshot.controls) or CONTROLS


def _lists(snapshot: OccupationsBenchState) -> list[WordList]:
    """The words, then the cues of each group."""
    words: list[WordList] = [{"name": "words", "terms": snapshot.words}]
    groups: list[WordList] = [{"name": g["name"], "terms": g["terms"]} for g in snapshot.groups]
    return words + groups


def _texts(terms: Sequence[str]) -> list[str]:
    return [term for term in terms if term.strip()]


def _groups(snapshot: OccupationsBenchState) -> dict[str, list[str]]:
    groups: dict[str, list[str]] = {}
    for group in snapshot.groups:
        name = group["name"].strip()
        if not name or name in groups:
            raise QueryError(
                f"Groups need different names, but “{name or 'an empty name'}” is used twice."
                " Rename one."
                if name
                else "A group has no name. Name it."
            )
        groups[name] = _texts(group["terms"])
    return groups


def _nothing_varies(snapshot: OccupationsBenchState) -> Message:
    longest = max(len(g["terms"]) for g in snapshot.groups)
    more = snapshot.pairing == "sets" and longest > 1
    pool = {"label": "Use all combinations of cues", "set": {"pairing": "all"}}
    return message(
        "One embedding: no intervals",
        "The switch points are exact, but nothing varies. Add cues, or choose an "
        "ensemble of bootstrapped embeddings.",
        *([pool] if more else []),
    )
