"""English words for swapping terms: gendered nouns, given names, pronouns, plurals, articles.

Given names are needed for two things only: pronouns that agree with a name, and that a swap between
groups does not swap the gender as well if the lists have both.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

FEMALE, MALE = "female", "male"

_NOUNS = """
man woman men women; boy girl boys girls; brother sister brothers sisters; son daughter sons
daughters; father mother fathers mothers; dad mom dads moms; daddy mommy daddies mommies; papa mama
papas mamas; uncle aunt uncles aunts; nephew niece nephews nieces; grandfather grandmother
grandfathers grandmothers; grandpa grandma grandpas grandmas; grandson granddaughter grandsons
granddaughters; stepfather stepmother stepfathers stepmothers; stepson stepdaughter stepsons
stepdaughters; husband wife husbands wives; boyfriend girlfriend boyfriends girlfriends; groom bride
grooms brides; gentleman lady gentlemen ladies; guy gal guys gals; king queen kings queens; prince
princess princes princesses; actor actress actors actresses; waiter waitress waiters waitresses;
widower widow widowers widows; hero heroine heroes heroines; landlord landlady landlords landladies;
policeman policewoman policemen policewomen; businessman businesswoman businessmen businesswomen;
chairman chairwoman chairmen chairwomen; fireman firewoman firemen firewomen; salesman saleswoman
salesmen saleswomen; schoolboy schoolgirl schoolboys schoolgirls; monk nun monks nuns; wizard witch
wizards witches; male female males females
"""
_PLURALS = {
    "child": "children", "person": "people", "grandchild": "grandchildren", "wife": "wives",
    "housewife": "housewives", "knife": "knives", "mouse": "mice", "foot": "feet",
    "tooth": "teeth", "goose": "geese", "ax": "axes", "man": "men", "woman": "women",
    "hero": "heroes", "potato": "potatoes",
}  # fmt: skip


def word_set(words: str, separator: str | None = None) -> frozenset[str]:
    """Return the words of a text, by default those between spaces."""
    return frozenset(words.split(separator))


@dataclass(frozen=True)
class GenderedNoun:
    """A noun that names one gender, with its counterpart of the other.

    Attributes
    ----------
    gender : str
        ``"female"`` or ``"male"``.
    other : str
        The counterpart in the same number.
    """

    gender: str
    other: str


def _gendered() -> dict[str, GenderedNoun]:
    nouns: dict[str, GenderedNoun] = {}
    for line in " ".join(_NOUNS.split()).split(";"):
        singular, other, plural, others = line.split()
        for form, counterpart in ((singular, other), (plural, others)):
            nouns[form] = GenderedNoun(MALE, counterpart)
            nouns[counterpart] = GenderedNoun(FEMALE, form)
    return nouns


GENDERED_NOUNS = _gendered()
"""Gendered nouns in small letters, singular and plural."""

KINSHIP = word_set(
    "brother sister son daughter father mother dad mom daddy mommy papa mama uncle aunt nephew "
    "niece grandfather grandmother grandpa grandma grandson granddaughter stepfather stepmother "
    "husband wife boyfriend girlfriend"
)
"""Nouns that take ``my`` rather than ``the`` in a sentence of their own."""


@cache
def plural(noun: str) -> str:
    """Return the plural of a singular noun; of several words, that of the last one.

    >>> plural("baby"), plural("Black patient"), plural("woman")
    ('babies', 'Black patients', 'women')
    """
    head, space, last = noun.rpartition(" ")
    small = last.lower()
    if small in _PLURALS:
        return head + space + _like(_PLURALS[small], last)
    for ending, irregular in (("man", "men"), ("child", "children")):
        if small.endswith(ending) and small not in {"human", "german", "roman", "ottoman"}:
            return head + space + last[: -len(ending)] + irregular
    if re.search(r"(?:s|x|z|ch|sh)$", small):
        return head + space + last + "es"
    if re.search(r"[^aeiou]y$", small):
        return head + space + last[:-1] + "ies"
    return head + space + last + "s"


def _like(word: str, model: str) -> str:
    return word.capitalize() if model[:1].isupper() else word


_FEMALE = """
Adriana Agnes Aiesha Aisha Alejandra Allison Alma Amanda Amber Amy Ann Anne Bernice Betsy
Bobbie-Sue Brenda Carolina Carrie Cindy Colleen Courtney Crystal Diana Donna Ebony Ellen Emily Ethel
Gertrude Heather Iliana Jasmine Jill Joan Karina Kate Katie Keisha Kenya Kristen Kristin Kristy
Lakisha Lashandra Lashelle Latisha Latonya Latoya Lauren Laurie Lisa Liset Malika Maria Mayra Megan
Melanie Meredith Michelle Nancy Nichelle Peggy Rachel Sara Sarah Shaniqua Shanise Shannon Sharise
Shavonn Shereen Sonia Stephanie Sue-Ellen Tameisha Tamika Tanisha Tashika Tawanda Temeka Teretha Tia
Tiffany Wendy Yesenia Yolanda Yvette
"""
_MALE = """
Adam Alan Alonzo Alphonse Andrew Bill Billy Brad Brandon Brendan Brett Cecil Chip Darnell Deion
Edgar Eric Everol Frank Fred Geoffrey Greg Hakim Hank Harry Ian Jack Jamal Jamel Jay Jed Jeff
Jermaine Jerome Joey John Jonathan Josh Justin Kareem Kevin Lamar Lamont Lavon Lerone Leroy Lionel
Malik Marcellus Matthew Mike Mortimer Neil Paul Percell Peter Rasaan Rashaun Rasheed Roger Ryan
Stephen Steve Terrence Terryl Theo Todd Torrance Tremayne Tyree Tyrone Wardell Wilbert Wilbur
"""

GIVEN_NAMES: dict[str, str] = dict.fromkeys(_FEMALE.split(), FEMALE) | dict.fromkeys(
    _MALE.split(), MALE
)
"""Name to ``"female"`` or ``"male"``."""


class Case(StrEnum):
    """Grammatical function of a pronoun in its sentence."""

    SUBJECT = "subject"
    OBJECT = "object"
    DETERMINER = "determiner"  # her book
    POSSESSIVE = "possessive"  # the book is hers
    REFLEXIVE = "reflexive"


FORMS = {
    MALE: {
        Case.SUBJECT: "he",
        Case.OBJECT: "him",
        Case.DETERMINER: "his",
        Case.POSSESSIVE: "his",
        Case.REFLEXIVE: "himself",
    },
    FEMALE: {
        Case.SUBJECT: "she",
        Case.OBJECT: "her",
        Case.DETERMINER: "her",
        Case.POSSESSIVE: "hers",
        Case.REFLEXIVE: "herself",
    },
}
"""The pronoun of a gender in a case."""

GENDER_OF = {form: gender for gender, forms in FORMS.items() for form in forms.values()}
"""Gender of each gendered pronoun, in small letters."""


def cases_of(pronoun: str) -> frozenset[Case]:
    """Return the possible cases of a pronoun; empty for another word."""
    forms = FORMS.get(GENDER_OF.get(pronoun.lower(), ""), {})
    return frozenset(case for case, form in forms.items() if form == pronoun.lower())


@dataclass(frozen=True)
class Reading:
    """A pronoun's case, and whether the words around it leave no doubt."""

    case: Case
    certain: bool = True


_ARTICLES = "a an the this that these those some any every each all both my your our their its"
_PREPOSITIONS = (
    "about above across after against along among around as at before behind below beside between "
    "beyond by despite during except for from in inside into like near of off on onto out outside "
    "over past since through throughout to toward towards under until up upon via with within "
    "without"
)
_LINKS = "and or but nor so yet than because although though while when where who whom which what"
_LINKS += " why how whether if unless once that not"
_PRONOUNS = "i you he she it we they me him us them himself herself it's i'm"
_AUXILIARIES = "is was are were be been being am has had have does did do will would can could may"
_AUXILIARIES += " might must shall should isn't wasn't won't wouldn't can't couldn't"
_ADVERBS = (
    "again ago ahead alone already also always anymore anyway apart aside away daily down early "
    "either else enough ever everywhere forever further here immediately instead just later never "
    "next now often once only perfectly personally quickly quietly rather sometimes soon still "
    "straight then there today together tomorrow tonight too twice usually well yesterday"
)
_ENDS_A_POSSESSIVE = word_set(
    f"{_LINKS} {_PREPOSITIONS} {_AUXILIARIES} too again now then today yesterday alone"
)
_FOLLOWS_AN_OBJECT = word_set(
    f"{_ARTICLES} {_PREPOSITIONS} {_LINKS} {_PRONOUNS} {_AUXILIARIES} {_ADVERBS}"
)
_PREDICATES = word_set(
    "happy sad angry proud famous nervous calm safe ready sick well better worse feel want go come "
    "leave stay lose guilty free late right wrong alive unhappy mad uneasy smart beautiful "
    "special"
)
_TAKES_A_PREDICATE = word_set(
    "make makes made making let lets letting help helps helped see sees saw seen watch watches "
    "watched hear hears heard keep keeps kept find finds found call calls called consider "
    "considers considered leave leaves left have had has get got gets want wants wanted"
)
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_BREAK = re.compile(r"""\s*(?:$|[.,;:!?)\]"”…—–]|-\s|'(?!\w))""")


def reading(text: str, start: int, end: int) -> Reading:
    """Return the case of the pronoun at `start` to `end`, from its context.

    Raises `ValueError` if there is no gendered pronoun.
    """
    word = text[start:end].lower()
    cases = cases_of(word)
    if not cases:
        raise ValueError(f"{text[start:end]!r} is not a gendered pronoun.")
    if len(cases) == 1:
        return Reading(next(iter(cases)))
    ends = _BREAK.match(text, end) is not None
    match = _WORD.search(text, end)
    following = match.group().lower() if match and not ends else ""
    if word == "his":
        pronoun = not following or following in _ENDS_A_POSSESSIVE
        return Reading(Case.POSSESSIVE if pronoun else Case.DETERMINER)
    if not following or following in _FOLLOWS_AN_OBJECT:
        return Reading(Case.OBJECT)
    return _before_a_content_word(text, start, following, match.end() if match else end)


def _before_a_content_word(text: str, start: int, following: str, after: int) -> Reading:
    """Return `her` before a noun (her book), or before its predicate (made her happy)."""
    before = [m.group().lower() for m in _WORD.finditer(text, 0, start)]
    takes = bool(before) and before[-1] in _TAKES_A_PREDICATE
    match = _WORD.search(text, after)
    closes = _BREAK.match(text, after) is not None or (
        match is not None and match.group().lower() in _FOLLOWS_AN_OBJECT
    )
    if takes and following in _ALSO_VERBS:  # helped her study algebra, watched her dance class
        bare = closes or before[-1] in _TAKES_A_VERB
        return Reading(Case.OBJECT if bare else Case.DETERMINER, certain=False)
    if closes and ((takes and following in _PREDICATES) or _is_adverb(following)):
        return Reading(Case.OBJECT)
    return Reading(Case.DETERMINER)


def _is_adverb(word: str) -> bool:
    return word.endswith("ly") and word not in _NOUNS_IN_LY


_ALSO_VERBS = word_set(
    "back cry dance home laugh look play run sing sleep smile speak study talk think walk win work"
)
_TAKES_A_VERB = word_set("help helps helped let lets letting make makes made")
_NOUNS_IN_LY = word_set("family assembly reply ally belly bully butterfly supply jelly")
