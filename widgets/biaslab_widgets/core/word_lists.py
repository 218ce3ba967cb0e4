"""Word lists in benches: checking them, to and from specs, and the commands of their editor.

Nothing here knows a host or a bench. A controller whose component has word lists

- calls `marks_of` (in `word_marks`) for what is odd in them, and shows it;
- obeys the `word_commands` of the editor.

`word_marks.MarkedLists` does both for a bench that asks a probe.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import PurePath
from typing import Any, Generic, TypeVar, get_args

import biaslab as bl
from biaslab.errors import BiaslabError, SpecError, SpecFieldError
from biaslab.people.access import shown_path
from biaslab.probes.association.lists import AssociationLists
from biaslab.probes.occupations.outside_csv import words_of
from biaslab.records.wording import counted
from biaslab.specs.catalogue_files import PREDEFINED, is_own
from biaslab.specs.parts import checked_terms, checked_text
from biaslab.specs.spec_files import ENDINGS, Entry, parse
from biaslab.store.sharing import may_share, share_spec, sharers, withdraw
from biaslab.subjects.embedding.base import EmbeddingSubject
from biaslab_widgets.core.answers.cache import Latest
from biaslab_widgets.core.state.bench_state import ThreeStepsState
from biaslab_widgets.core.state.commands import Act, Arguments, Content, file
from biaslab_widgets.core.state.records import CatalogueEntry, CatalogueList, ListKind, WordList

LIMIT = 20_000
"""Most terms in all lists together, as in the front end's ``types.ts``."""
PREVIEW = 12
KINDS: tuple[str, ...] = get_args(ListKind)
CUES = {"cue_1": "cue 1", "cue_2": "cue 2"}

Given = bl.specs.Spec | str | Mapping[str, Iterable[str]] | Iterable[Any] | None
"""What `word_lists` takes."""


def word_lists(given: Given) -> list[WordList]:
    """Checked word lists from whatever names them.

    - `given`: a spec; the name of one, or a file; lists by name; one list of terms; lists as
      records. None is one empty list.
    - Raises `SpecError` when a spec of that name cannot be had, or a list is malformed; says what
      to do.
    """
    if given is None:
        return [{"name": "words", "terms": [], "kind": "items"}]
    if isinstance(given, str):
        given = bl.specs.get(given)
    if isinstance(given, bl.specs.Spec):
        return lists_of(given)
    if isinstance(given, Mapping):
        several = len(given) > 1
        kind: ListKind = "groups" if several else "items"
        return checked_lists(
            [{"name": name, "terms": terms, "kind": kind} for name, terms in given.items()]
        )
    entries = list(given)
    if entries and all(isinstance(entry, Mapping) for entry in entries):
        return checked_lists(entries)
    return checked_lists([{"name": "words", "terms": entries, "kind": "items"}])


def checked_lists(value: Any) -> list[WordList]:
    """The lists of a component's state, each part checked; terms without outer spaces.

    Raises `SpecFieldError`, which names what is wrong and the fix.
    """
    if not isinstance(value, list | tuple):
        raise SpecFieldError("lists", "is not a list of word lists. Give each a name and terms.")
    lists = [_checked_list(entry, f"lists[{number}]") for number, entry in enumerate(value)]
    count = sum(len(words["terms"]) for words in lists)
    if count > LIMIT:
        raise SpecFieldError(
            "lists",
            f"hold {count:,} terms; the editor takes at most {LIMIT:,}. Use a part of them, or"
            " pass all to the probe in Python.",
        )
    return lists


def _checked_list(entry: Any, field: str) -> WordList:
    if not isinstance(entry, Mapping) or not {"name", "terms"} <= entry.keys():
        raise SpecFieldError(field, "is not a word list. Give it a name and terms.")
    terms = entry["terms"]
    terms = [terms] if isinstance(terms, str) else list(terms)
    words: WordList = {
        "name": checked_text(entry["name"], f"{field}.name", "a name"),
        "terms": list(checked_terms(terms, f"{field}.terms")) if terms else [],
    }
    if (kind := entry.get("kind")) is not None:
        if kind not in KINDS:
            raise SpecFieldError(f"{field}.kind", f"is {kind!r}. Use one of {', '.join(KINDS)}.")
        words["kind"] = kind
    if of := entry.get("of"):
        words["of"] = [checked_text(group, f"{field}.of", "a group") for group in of]
    return words


def lists_of(spec: bl.specs.Spec) -> list[WordList]:
    """The word lists of a spec: groups, attributes, controls, items, and cue pairs as two lists."""
    lists = association_lists(spec)
    if spec.items:
        lists.append(_list("words", spec.items, "items"))
    if spec.cue_pairs:
        lists.append(_list(CUES["cue_1"], [pair[0] for pair in spec.cue_pairs], "cue_1"))
        lists.append(_list(CUES["cue_2"], [pair[1] for pair in spec.cue_pairs], "cue_2"))
    return lists


def association_lists(lists: bl.specs.Spec | AssociationLists) -> list[WordList]:
    """Groups, attributes and controls."""
    shown: list[WordList] = [_list(name, terms, "groups") for name, terms in lists.groups.items()]
    for name, terms in lists.attributes.items():
        words = _list(name, terms, "attributes")
        if of := lists.attribute_groups.get(name):
            words["of"] = list(of)
        shown.append(words)
    return shown + [_list(name, terms, "controls") for name, terms in lists.controls.items()]


def _list(name: str, terms: Sequence[str], kind: ListKind) -> WordList:
    return {"name": name, "terms": list(terms), "kind": kind}


def spec_of(
    lists: Sequence[WordList], *, name: str, title: str, source: str, notes: str = ""
) -> bl.specs.Spec:
    """A spec of these lists, each in the field that its kind names; empty lists are left out.

    Raises `SpecError` when the lists make no spec, or a text is missing or malformed; names the
    fix.
    """
    filled = [words for words in lists if words["terms"]]
    by_kind = {kind: [w for w in filled if w.get("kind", "items") == kind] for kind in KINDS}
    for kind in ("items", "cue_1", "cue_2"):
        if len(by_kind[kind]) > 1:
            names = " and ".join(repr(w["name"]) for w in by_kind[kind])
            raise SpecFieldError(
                "items" if kind == "items" else "cue_pairs",
                f"would come from {names}; only one such list can be saved. Merge them, or save the"
                " others as groups or attribute lists.",
            )
    groups = {w["name"]: w["terms"] for w in by_kind["groups"]}
    attributes = by_kind["attributes"]
    return bl.specs.Spec(
        name=name,
        title=title,
        source=source,
        notes=notes,
        items=tuple(by_kind["items"][0]["terms"]) if by_kind["items"] else (),
        groups=_named(by_kind["groups"], "groups"),
        attributes=_named(attributes, "attributes"),
        attribute_groups={
            w["name"]: tuple(of)
            for w in attributes
            # A group that was taken out of the lists is nobody's any more.
            if (of := [group for group in w.get("of", []) if group in groups])
        },
        controls=_named(by_kind["controls"], "controls"),
        cue_pairs=_pairs(by_kind["cue_1"], by_kind["cue_2"]),
    )


def _named(lists: Sequence[WordList], field: str) -> dict[str, tuple[str, ...]]:
    table: dict[str, tuple[str, ...]] = {}
    for words in lists:
        if words["name"] in table:
            raise SpecFieldError(field, f"has {words['name']!r} twice. Rename one of them.")
        table[words["name"]] = tuple(words["terms"])
    return table


def _pairs(first: Sequence[WordList], second: Sequence[WordList]) -> tuple[tuple[str, str], ...]:
    ones = first[0]["terms"] if first else []
    twos = second[0]["terms"] if second else []
    if len(ones) != len(twos):
        raise SpecFieldError(
            "cue_pairs",
            f"would pair {len(ones)} cues 1 with {len(twos)} cues 2. Make the two lists equally "
            "long.",
        )
    return tuple(zip(ones, twos, strict=True))


def catalogue() -> list[CatalogueEntry]:
    """Every spec that can be loaded; a file of one's own that cannot, with its problem."""
    return [catalogue_entry(entry) for entry in bl.specs.entries()]


def catalogue_entry(entry: Entry) -> CatalogueEntry:
    """A line of the catalogue, with the first terms of each list."""
    spec = entry.spec
    shown: CatalogueEntry = {
        "name": entry.name,
        "title": spec.title if spec else "",
        "source": spec.source if spec else "",
        "licence": spec.licence if spec else "",
        "where": entry.where,
        "problem": entry.problem,
        "lists": [_offer(words) for words in lists_of(spec)] if spec else [],
    }
    if may_share() and spec is not None and entry.where != PREDEFINED and not entry.is_shared:
        shown["share"] = "withdraw" if entry.name in sharers("word list") else "share"
    if is_own(entry) and shown.get("share") != "withdraw":
        shown["own"] = True
    return shown


def _offer(words: WordList) -> CatalogueList:
    terms = words["terms"]
    kind = words.get("kind", "items")
    return {"name": words["name"], "kind": kind, "count": len(terms), "preview": terms[:PREVIEW]}


def word_commands(subject: Callable[[], EmbeddingSubject | None]) -> dict[str, Act]:
    """The commands of the word-list editor.

    ========== ================================ ===================================================
    command    arguments                        JSON in the reply's ``content``
    ========== ================================ ===================================================
    catalogue                                   ``entries``: `catalogue`
    load-spec  ``name``, ``where``              ``lists``; the message tells what is not loaded
    export-spec ``name``, ``where``             a TOML file, which ``read-spec`` reads
    read-spec  ``filename``, ``content``        ``lists`` of a TOML or JSON file
    read-words ``text``                         ``terms`` of a table; none where it is no table
    save-spec  ``name``, ``title``, ``source``, ``path``; `biaslab.specs.save` keeps it
               ``notes``, ``overwrite``,
               ``lists``
    delete-spec ``name``, ``where``              deletes a file of one's own
    suggest    ``term``                         ``suggestions``: nearest words that ``subject``
                                                knows
    ========== ================================ ===================================================

    Each raises a `BiaslabError` that says what to do, where it cannot be done.

    - `subject`: returns where words are looked up; None where there is no such place.
    """

    def suggest(args: Arguments) -> Content:
        words = subject()
        near = words.suggest(str(args.get("term", ""))) if words is not None else []
        return _data({"suggestions": near})

    return {
        "catalogue": lambda _args: _data({"entries": catalogue()}),
        "load-spec": lambda args: _lists(_catalogued(args)),
        "export-spec": _export,
        "read-spec": lambda args: _lists(_read(args)),
        "read-words": _read_words,
        "save-spec": _save,
        "delete-spec": delete_spec,
        "share-spec": _share,
        "withdraw-spec": _withdraw,
        "suggest": suggest,
    }


def _read_words(args: Arguments) -> Content:
    read = words_of(str(args.get("text", "")))
    if read is None:
        return _data({"terms": []})
    terms, column = read
    said = f"{counted(len(terms), 'word')} taken from the column “{column}”."
    return _data({"terms": terms}, said)


def _export(args: Arguments) -> Content:
    spec = _catalogued(args)
    return file(f"{spec.name}.toml", "application/toml", spec.to_toml())


def delete_spec(args: Arguments) -> str:
    """Delete a file of the person's own."""
    name = str(args.get("name", ""))
    bl.specs.delete(name, where=str(args.get("where", "")))
    return f"Deleted {name}."


def _share(args: Arguments) -> str:
    spec = share_spec(str(args.get("name", "")))
    return f"Everybody on this server can load {spec.name} now."


def _withdraw(args: Arguments) -> str:
    name = str(args.get("name", ""))
    withdraw("word list", name)
    return f"{name} is yours alone again."


def _data(content: dict[str, Any], text: str = "") -> Content:
    encoded = json.dumps(content, ensure_ascii=False)
    return {"message": text, "content": encoded, "media_type": "application/json"}


def _lists(spec: bl.specs.Spec) -> Content:
    """A spec's lists; the message names what of it is no word list and stays behind."""
    kept = [
        words
        for words, held in (
            ("value distributions", spec.distributions),
            ("outside data", spec.outside),
        )
        if held
    ]
    what = " and ".join(kept)
    text = f"Its {what} are not word lists and stay behind." if kept else ""
    return _data({"lists": lists_of(spec)}, text)


def _catalogued(args: Arguments) -> bl.specs.Spec:
    """The spec of a line of the catalogue; of two files with one name the one that is meant."""
    name, where = str(args.get("name", "")), str(args.get("where") or PREDEFINED)
    for entry in bl.specs.entries():
        if (entry.name, entry.where) == (name, where):
            if entry.spec is None:
                raise SpecError(entry.problem)
            return entry.spec
    return bl.specs.get(name)


def _read(args: Arguments) -> bl.specs.Spec:
    name = PurePath(str(args.get("filename", ""))).name
    ending = PurePath(name).suffix.lower()
    if ending not in ENDINGS:
        raise SpecError(f"{name}: lists are in a .toml or .json file, one list in .txt or .csv.")
    return parse(str(args.get("content", "")).encode("utf-8", "replace"), ending, name)


def _save(args: Arguments) -> Content:
    texts = {key: str(args.get(key, "")).strip() for key in ("name", "title", "source", "notes")}
    spec = spec_of(checked_lists(args.get("lists")), **texts)
    try:
        path = bl.specs.save(spec, overwrite=bool(args.get("overwrite")))
    except SpecError as error:
        # A person at the screen has a box to tick instead of a parameter.
        text = str(error).replace("overwrite=True", "tick the box to replace it")
        raise SpecError(text) from error
    held = "list" if len(args["lists"]) == 1 else "lists"
    where = shown_path(path)
    return _data({"path": where}, f"Saved the {held} as {spec.name}, in {where}.")


W = TypeVar("W")
OWN = "lists-on-the-screen"
"""Name of the spec of lists that are no longer those of the catalogue's."""


def filled(words: WordList) -> list[str]:
    """Terms of a list without the empty ones."""
    return [term for term in words["terms"] if term.strip()]


def lists_key(lists: Sequence[WordList], spec: str) -> object:
    """Equal for equal lists that came from the same spec."""
    return spec, tuple(
        (w["name"], w.get("kind"), tuple(w.get("of", ())), *w["terms"]) for w in lists
    )


class RememberedLists(Generic[W]):
    """What the lists on the screen say, which is read again only when they have changed.

    - `read`: what lists say, given the name of the spec that they came from and `given`.
    - `given`: one that need not be in the catalogue.
    """

    def __init__(
        self,
        read: Callable[[Sequence[WordList], str, bl.specs.Spec | None], W],
        given: bl.specs.Spec | None,
    ) -> None:
        self._read, self._given = read, given
        self._newest: Latest[W] = Latest()

    def of(self, snapshot: ThreeStepsState) -> W:
        """What those of a state say.

        Raises `SpecFieldError` when they are no lists.
        """
        lists, spec = checked_lists(snapshot.lists), snapshot.spec
        return self._newest.of(lists_key(lists, spec), lambda: self._read(lists, spec, self._given))


def spec_on_screen(
    lists: Sequence[WordList], name: str, given: bl.specs.Spec | None, bench: str
) -> bl.specs.Spec:
    """A spec of the lists: the one that they came from while they are what it holds.

    - `lists`: checked.
    - `name`: name of the spec that they came from.
    - `given`: one that need not be in the catalogue.
    - `bench`: where the lists are put together, for the source of a spec of one's own.
    - Raises `SpecError` when they make no spec.
    """
    for spec in (given, _in_catalogue(name)):
        if spec is not None and spec.name == name and _plain(lists_of(spec)) == _plain(lists):
            return spec
    used = [w for w in lists if w.get("kind") in ("groups", "attributes") and filled(w)]
    return _made(tuple(_frozen(w) for w in used), bench)


@lru_cache(maxsize=64)
def _in_catalogue(name: str) -> bl.specs.Spec | None:
    try:
        return bl.specs.get(name) if name else None
    except BiaslabError:
        return None  # of a spec that is gone only the words count


def _plain(lists: Sequence[WordList]) -> list[object]:
    return [_frozen(w) for w in lists if w.get("kind") in ("groups", "attributes")]


def _frozen(words: WordList) -> tuple[str, str, tuple[str, ...], tuple[str, ...]]:
    return (words["name"], words.get("kind", "items"), tuple(words.get("of", ())),
            tuple(words["terms"]))  # fmt: skip


@lru_cache(maxsize=64)
def _made(
    lists: tuple[tuple[str, str, tuple[str, ...], tuple[str, ...]], ...], bench: str
) -> bl.specs.Spec:
    records: list[WordList] = [
        {"name": n, "kind": k, "of": list(of), "terms": list(terms)}  # type: ignore[typeddict-item]
        for n, k, of, terms in lists
    ]
    return spec_of(records, name=OWN, title="Lists on the screen", source=f"made in the {bench}")
