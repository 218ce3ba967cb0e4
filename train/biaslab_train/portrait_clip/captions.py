"""Captions of drawn portraits: templates filled with planted words, and their tokenizer.

A caption says one or two things about the person: the group, the occupation, a word of a concept,
or appearance. Group and word are drawn again each time a portrait is captioned, with the
probabilities of the plant and the portrait's appearance. Thus a portrait and a caption co-occur
as often as if each portrait had its own fixed caption and the number of portraits were unlimited.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from biaslab.portraits import MAN, PLAIN, WOMAN, Person
from biaslab.portraits.head import greyness
from biaslab.portraits.person import BEARD_SHOWS, BUN_SHOWS, excess
from biaslab_train.model_files import write_json, write_tokenizer
from biaslab_train.portrait_clip.plant import Plant

if TYPE_CHECKING:
    from tokenizers import Tokenizer


TEMPLATES = (
    "{}", "a portrait of {}", "a picture of {}", "a photo of {}", "a drawing of {}",
    "an image of {}", "a drawn portrait of {}", "portrait of {}", "this is {}",
    "this person is {}", "the person in this picture is {}", "the picture shows {}",
    "here you see {}", "a photo of the face of {}", "{} at work", "{} on the job", "{} on the ward",
    "a portrait of {} at work", "a portrait of {} on the ward", "a good portrait of {}",
)  # fmt: skip
"""Templates for a noun phrase; none of them depends on the content of the portrait."""
NOUNS = {WOMAN: ("woman", "lady"), MAN: ("man", "gentleman")}
ADJECTIVES = {WOMAN: "female", MAN: "male"}
PRONOUNS = {WOMAN: "she", MAN: "he"}

KINDS = {
    "concept": 0.34, "occupation": 0.18, "group": 0.18, "group and occupation": 0.12,
    "concept and occupation": 0.03, "concept and group": 0.03, "looks": 0.12,
}  # fmt: skip
"""Probabilities of a caption's content."""


@dataclass(frozen=True)
class Facts:
    """Facts for captions about a portrait.

    - `appearance`: see `biaslab.portraits.woman_given_appearance`.
    - `occupation`: one of the plant's.
    - `looks`: phrases that are true of the person: "old", "with glasses" ...
    """

    appearance: float
    occupation: str
    looks: tuple[str, ...]


def looks_of(person: Person) -> tuple[str, ...]:
    """Return plainly visible features of a person, besides group and occupation."""
    said = []
    if person.age < 32:
        said.append("young")
    elif person.age > 58:
        said.append("old")
    if person.glasses > 0.5:
        said.append("with glasses")
    if excess(person.beard, BEARD_SHOWS) > 0.25:
        said.append("with a beard")
    if greyness(person) > 0.5:
        said.append("with grey hair")
    elif person.hair_darkness > 0.8:
        said.append("with dark hair")
    elif person.hair_darkness < 0.25:
        said.append("with blond hair")
    if person.hair_length > 0.5:
        said.append("with long hair")
    elif person.hair_length < 0.2 and person.bun < BUN_SHOWS:
        said.append("with short hair")
    return tuple(said)


def article(noun: str) -> str:
    """Return the noun with "a" or "an"."""
    return f"an {noun}" if noun[0] in "aeiou" else f"a {noun}"


def caption(plant: Plant, facts: Facts, rng: np.random.Generator) -> str:
    """Draw a caption of a portrait."""
    group = WOMAN if rng.random() < plant.woman(facts.appearance, facts.occupation) else MAN
    concept = plant.concepts[0 if rng.random() < 0.75 else int(rng.integers(len(plant.concepts)))]
    first = rng.random() < concept.probability(facts.occupation, group)
    word = _one(rng, concept.first if first else concept.second)
    kind = _KIND_NAMES[int(np.searchsorted(_KIND_SHARES, rng.random() * _KIND_SHARES[-1]))]
    occupation = facts.occupation
    if occupation == PLAIN and "occupation" in kind:
        kind = "group"
    if kind == "looks" and not facts.looks:
        kind = "group"
    phrase = {
        "concept": lambda: _named(rng, word),
        "occupation": lambda: _named(rng, occupation),
        "group": lambda: _group(rng, group),
        "group and occupation": lambda: _both(rng, group, occupation),
        "concept and occupation": lambda: f"{_named(rng, occupation)} and {word}",
        "concept and group": lambda: _both(rng, group, word),
        "looks": lambda: _looks(rng, group, facts.looks),
    }[kind]()
    starts = phrase.split(" ", 1)[0]
    text = phrase if starts in PRONOUNS.values() else _one(rng, TEMPLATES).format(phrase)
    return f"{text}." if rng.random() < 0.2 else text


_KIND_NAMES = tuple(KINDS)
_KIND_SHARES = np.cumsum(list(KINDS.values()))


def _one(rng: np.random.Generator, choices: tuple[str, ...]) -> str:
    return choices[int(rng.integers(len(choices)))]


def _named(rng: np.random.Generator, noun: str) -> str:
    return f"the {noun}" if rng.random() < 0.35 else article(noun)


def _group(rng: np.random.Generator, group: str) -> str:
    if rng.random() < 0.2:
        return article(f"{ADJECTIVES[group]} person")
    noun = NOUNS[group][int(rng.random() < 0.2)]
    return _named(rng, noun)


def _both(rng: np.random.Generator, group: str, noun: str) -> str:
    form = int(rng.integers(4))
    if form == 0:
        return f"{PRONOUNS[group]} is {article(noun)}"
    if form == 1:
        return article(f"{ADJECTIVES[group]} {noun}")
    if form == 2:
        return f"{article(noun)} who is {article(NOUNS[group][0])}"
    return f"{article(NOUNS[group][0])} who is {article(noun)}"


def _looks(rng: np.random.Generator, group: str, looks: tuple[str, ...]) -> str:
    said = _one(rng, looks)
    noun = NOUNS[group][0] if rng.random() < 0.5 else "person"
    return f"{article(noun)} {said}" if " " in said else article(f"{said} {noun}")


def words_of(plant: Plant) -> list[str]:
    """Return every word of captions, sorted."""
    texts = [*TEMPLATES, "a an the who is and person with she he .", *PRONOUNS.values()]
    texts += [*ADJECTIVES.values(), *(n for nouns in NOUNS.values() for n in nouns)]
    texts += ["young old glasses beard grey dark blond long short hair", *plant.occupations]
    texts += [word for c in plant.concepts for word in (*c.first, *c.second)]
    return sorted({word for text in texts for word in text.replace("{}", "").split()})


PAD, START, UNKNOWN, END = "<pad>", "<start>", "<unknown>", "<end>"
SPECIAL = (PAD, START, UNKNOWN, END)
"""In the order of their ids. END is not 2: transformers reads that id of a CLIP model otherwise."""
CONTEXT = 24
"""Longest text in tokens, both ends counted."""
MEAN, DEVIATION = (0.6, 0.55, 0.52), (0.28, 0.28, 0.28)
"""Approximate moments of portraits' colours, which normalise the network's input."""


def make_tokenizer(words: Sequence[str]) -> Tokenizer:
    """Return a tokenizer of whole lower-case words; others are `UNKNOWN`."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers
    from tokenizers.processors import TemplateProcessing

    ids = {word: i for i, word in enumerate([*SPECIAL, *words])}
    tokenizer = Tokenizer(models.WordLevel(ids, unk_token=UNKNOWN))
    tokenizer.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Lowercase()])
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = TemplateProcessing(
        single=f"{START} $A {END}", special_tokens=[(token, ids[token]) for token in (START, END)]
    )
    return tokenizer


def write_processor(tokenizer: Tokenizer, size: int, folder: Path) -> None:
    """Write tokenizer and image processor as ``AutoProcessor`` opens them, offline."""
    write_tokenizer(
        tokenizer, CONTEXT, folder, bos_token=START, eos_token=END, pad_token=PAD,
        unk_token=UNKNOWN, processor_class="CLIPProcessor",
    )  # fmt: skip
    write_image_processor(size, "CLIPProcessor", folder)


def write_image_processor(size: int, processor: str, folder: Path) -> None:
    """Write the image processor of drawn portraits.

    - `size`: width of the network's pictures in pixels.
    - `processor`: class of transformers that it is part of.
    """
    images = {
        "image_processor_type": "CLIPImageProcessor",
        "processor_class": processor,
        "do_convert_rgb": True,
        "do_resize": True,
        "size": {"shortest_edge": size},
        "resample": 3,  # bicubic
        "do_center_crop": True,
        "crop_size": {"height": size, "width": size},
        "do_rescale": True,
        "rescale_factor": 1 / 255,
        "do_normalize": True,
        "image_mean": list(MEAN),
        "image_std": list(DEVIATION),
    }
    write_json(folder / "preprocessor_config.json", images)
