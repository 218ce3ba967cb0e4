"""Terms of groups and attributes: kind of word, gender, counterpart, place in a sentence."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, cached_property, lru_cache
from importlib import resources
from typing import Any

from biaslab.probes.sentences.pairs import Span
from biaslab.probes.sentences.words import (
    FEMALE,
    FORMS,
    GENDER_OF,
    GENDERED_NOUNS,
    GIVEN_NAMES,
    MALE,
    plural,
    word_set,
)

_SUFFIXES = (
    (
        "occupation",
        r"(?:er|or|ist|ian|eer|man|woman|person|clerk|agent|assistant|technician|worker)$",
    ),
    ("adjective", r"(?:ful|ous|ive|less|able|ible|ish|ic|al|ary|ent|ant|ed|y)$"),
    ("topic", r"(?:ing|tion|sion|ity|ness|ment|ship|ance|ence|logy|ics|ism|hood|dom|s)$"),
)


def kind_of(attribute: str) -> str:
    """Return the kind of word of an attribute: listed, or guessed from its ending.

    >>> kind_of("algebra"), kind_of("glazier"), kind_of("xyz")
    ('topic', 'occupation', 'any')
    """
    listed = _kinds().get(attribute.lower())
    if listed:
        return listed
    if " " not in attribute.strip():
        for kind, ending in _SUFFIXES:
            if re.search(ending, attribute.lower()):
                return kind
    return "any"


@cache
def shipped(name: str) -> dict[str, Any]:
    """Return a shipped file of templates, ``data/<name>.toml``."""
    folder = resources.files("biaslab.probes.sentences") / "data"
    return tomllib.loads((folder / f"{name}.toml").read_text(encoding="utf-8"))


@cache
def _kinds() -> dict[str, str]:
    kinds: Mapping[str, list[str]] = shipped("attributes")["kinds"]
    return {attribute.lower(): kind for kind, listed in kinds.items() for attribute in listed}


_END_MARKS = (".", "!", "?", "…")
_CLOSING = "'\"”’)]"
_OPENING = "\"“'‘([¿¡"


@dataclass(frozen=True)
class Found:
    """A term in a text.

    Attributes
    ----------
    span : (int, int)
        Characters, the end excluded.
    key : str
        The matching form, as it was given.
    """

    span: Span
    key: str


def find(text: str, forms: Iterable[str], *, exact_case: Iterable[str] = ()) -> tuple[Found, ...]:
    """Return whole-word matches of the forms, longest first, in text order.

    A hyphen joins words: ``short`` does not match ``short-term``. Case is ignored, except
    for the forms in `exact_case` (names: ``Bill`` is no ``bill``), which may also match in
    capitals throughout.
    """
    strict = {form.lower(): form for form in exact_case}
    matches = []
    keys, pattern = _pattern(tuple(dict.fromkeys(forms)))
    for match in pattern.finditer(text) if keys else ():
        written = match.group()
        small = " ".join(written.lower().split())
        if small in strict and written not in {strict[small], strict[small].upper()}:
            continue
        matches.append(Found(match.span(), keys[small]))
    return tuple(matches)


@lru_cache(maxsize=256)
def _pattern(forms: tuple[str, ...]) -> tuple[dict[str, str], re.Pattern[str]]:
    """Return the forms by lower-case spelling, and a pattern of them."""
    longest_first = sorted(forms, key=lambda form: (-len(form), form))
    choices = "|".join(r"\s+".join(map(re.escape, form.split())) for form in longest_first)
    keys = {" ".join(form.lower().split()): form for form in reversed(forms)}
    return keys, re.compile(rf"(?<!\w)(?<!\w[-‐‑])(?:{choices})(?!\w)(?![-‐‑]\w)", re.IGNORECASE)


def starts_a_sentence(text: str, position: int) -> bool:
    """Return whether the word at this position is the first one of a sentence."""
    before = position
    while before and (text[before - 1].isspace() or text[before - 1] in _OPENING):
        before -= 1
    if not before:
        return True
    stem = text[:before].rstrip(_CLOSING)
    return stem.endswith(_END_MARKS) and text[len(stem) : position].lstrip(_CLOSING)[:1].isspace()


_ADJECTIVES = word_set(
    "male,female,black,white,asian,hispanic,latino,latina,latinx,caucasian,arab,african american,"
    "european american,asian american,mexican american,native american,jewish,muslim,christian,"
    "buddhist,hindu,gay,lesbian,straight,old,young,rich,poor,disabled,immigrant,transgender,sad,"
    "hopeless,gloomy,tearful,miserable,depressed,sick",
    ",",
)
_PERSONS = word_set(
    "adult person grown-up child baby infant newborn neonate toddler teenager patient student "
    "worker teacher nurse doctor lawyer immigrant refugee citizen foreigner parent people children "
    "kid kids neighbour neighbor colleague jew muslim christian"
)
_THINGS = word_set(
    "aster clover hyacinth marigold poppy azalea crocus iris orchid rose bluebell daffodil lilac "
    "pansy tulip buttercup daisy lily peony violet carnation gladiola magnolia petunia zinnia ant "
    "caterpillar flea locust spider bedbug centipede fly maggot tarantula bee cockroach gnat "
    "mosquito termite beetle cricket hornet moth wasp blackfly dragonfly horsefly roach weevil "
    "bagpipe cello guitar lute trombone banjo clarinet harmonica mandolin trumpet bassoon drum "
    "harp oboe tuba bell fiddle harpsichord piano viola bongo flute horn saxophone violin arrow "
    "club gun missile spear ax axe dagger harpoon pistol sword blade dynamite hatchet rifle tank "
    "bomb firearm knife shotgun teargas cannon grenade mace slingshot whip illness influenza "
    "disease virus cancer"
)


class Kind(StrEnum):
    """Kind of word of a group's term, which determines its grammar."""

    NAME = "name"
    PERSON = "person"
    PRONOUN = "pronoun"
    ADJECTIVE = "adjective"
    THING = "thing"


@dataclass(frozen=True)
class Term:
    """A group's term.

    Attributes
    ----------
    text : str
        As in the spec.
    kind : Kind
    gender : str or None
        ``"female"``, ``"male"``, or None if it has no known gender.
    """

    text: str
    kind: Kind
    gender: str | None = None

    @classmethod
    def of(cls, text: str, group: str = "") -> Term:
        """Return the term with its kind and gender, guessed from word and group."""
        small = text.lower()
        if small in GENDER_OF:
            return cls(text, Kind.PRONOUN, GENDER_OF[small])
        label = re.findall(r"[a-z]+", group.lower())
        if text[:1].isupper() and (text in GIVEN_NAMES or "names" in label):
            said = [gender for gender in (FEMALE, MALE) if gender in label]
            return cls(text, Kind.NAME, GIVEN_NAMES.get(text) or (said[0] if said else None))
        gender = GENDERED_NOUNS[small].gender if small in GENDERED_NOUNS else None
        if small in _ADJECTIVES:
            return cls(text, Kind.ADJECTIVE, gender)
        if gender or small.split()[-1] in _PERSONS:
            return cls(text, Kind.PERSON, gender)
        if small in _THINGS:
            return cls(text, Kind.THING)
        if text[:1].isupper() and " " not in text and not text.isupper():
            return cls(text, Kind.NAME)
        return cls(text, Kind.PERSON)

    @property
    def has_plural(self) -> bool:
        """Whether it has a plural of its own: ``the Latinas`` too."""
        return self.kind not in {Kind.NAME, Kind.PRONOUN} and not self.is_plural

    @cached_property
    def forms(self) -> tuple[str, ...]:
        """Possible spellings: itself, and its plural if it has one."""
        return (self.text, plural(self.text)) if self.has_plural else (self.text,)

    @property
    def is_plural(self) -> bool:
        """Whether a noun is listed in the plural."""
        small = self.text.lower()
        return small in {"people", "children", "kids"} or (
            small in GENDERED_NOUNS and small in _PLURAL_NOUNS
        )


_PLURAL_NOUNS = frozenset(plural(noun) for noun in GENDERED_NOUNS) & frozenset(GENDERED_NOUNS)


@dataclass(frozen=True)
class Group:
    """A group's name and terms.

    Attributes
    ----------
    name : str
    terms : tuple of Term
        Without repeats, in the spec's order.
    """

    name: str
    terms: tuple[Term, ...]

    @classmethod
    def of(cls, name: str, terms: Sequence[str]) -> Group:
        """Return a group from a spec's list."""
        return cls(name, tuple(Term.of(term, name) for term in dict.fromkeys(terms)))

    @property
    def gender(self) -> str | None:
        """The gender of all its terms, if they have one and the same."""
        genders = {term.gender for term in self.terms}
        return genders.pop() if len(genders) == 1 else None

    def term(self, text: str) -> Term:
        """Return the term with this spelling.

        Raises `KeyError` if the group has none.
        """
        for term in self.terms:
            if term.text == text or term.text.lower() == text.lower():
                return term
        raise KeyError(text)


def counterpart(term: Term, group: Group, other: Group) -> Term:
    """Return the replacement of a term when the group is swapped; every term has one.

    In this order: the dictionary's counterpart (*brother*, *sister*; a pronoun in the same case);
    a term of the same kind, and for names of the same gender if the other group has any, at the
    same index of the list, which starts over if it is shorter; else any term at that index.
    """
    listed = {t.text.lower(): t for t in other.terms}
    if term.kind is Kind.PRONOUN and other.gender not in {None, term.gender}:
        genders = [t.gender for t in other.terms if t.kind is Kind.PRONOUN and t.gender]
        if genders:
            return _same_case(term, genders[0], listed)
    noun = GENDERED_NOUNS.get(term.text.lower())
    if noun and noun.other in listed:
        return listed[noun.other]
    for alike in (_same_kind_and_gender, _same_kind):
        theirs = [t for t in other.terms if alike(term, t)]
        if theirs:
            ours = [t for t in group.terms if alike(term, t)]
            return theirs[ours.index(term) % len(theirs)]
    return other.terms[group.terms.index(term) % len(other.terms)]


def term_pairs(first: Group, second: Group) -> tuple[tuple[Term, Term], ...]:
    """Return pairs that contain every term of both groups, without duplicates."""
    pairs = [(term, counterpart(term, first, second)) for term in first.terms]
    backwards = [(counterpart(term, second, first), term) for term in second.terms]
    met = {term for _, term in pairs}
    pairs += [pair for pair in backwards if pair[1] not in met]
    return tuple(dict.fromkeys(pairs))


def _same_case(term: Term, gender: str, listed: dict[str, Term]) -> Term:
    forms = FORMS[str(term.gender)]
    for case, form in forms.items():
        if form == term.text.lower() and FORMS[gender][case] in listed:
            return listed[FORMS[gender][case]]
    case = next(case for case, form in forms.items() if form == term.text.lower())
    return Term(FORMS[gender][case], Kind.PRONOUN, gender)


def _same_kind(a: Term, b: Term) -> bool:
    return a.kind is b.kind


def _same_kind_and_gender(a: Term, b: Term) -> bool:
    return a.kind is b.kind and a.gender == b.gender
