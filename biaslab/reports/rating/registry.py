"""A catalogue of rating cards: read, checked, composed, and published as a static site.

Srivastava and Rossi (2018), section 4.4: ratings are "advertised on API service catalogs as part
of meta-data"; section 5: those of services in a row follow from the ratings of each.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, product
from pathlib import Path
from typing import Any, Final

from biaslab.asking.languages import language_name
from biaslab.errors import QueryError, RatingError
from biaslab.files.given import parse_json, read_given
from biaslab.files.json_schema import schema_problem
from biaslab.probes.rating.compose import compose, compose_chain
from biaslab.probes.rating.ratings import ORDER, Rating, stamp
from biaslab.records.wording import counted
from biaslab.reports.rating.card import card_schema

LARGEST: Final = 1_000_000
"""Bytes of a card."""
MOST: Final = 500
"""Cards of a catalogue."""
LONGEST: Final = 4
"""Services in a chain whose rating is predicted."""
UNCLEAR: Final = "no clear rating"
"""In place of a rating that is open or not rateable: nothing follows from it."""


@dataclass(frozen=True)
class Entry:
    """A card of a catalogue.

    - `text`: the card as its rater wrote it; its hash is of these bytes.
    - `card`: the same, as `card_schema` describes it.
    """

    text: bytes
    card: Mapping[str, Any]

    @property
    def hash(self) -> str:
        """SHA-256 of the card's bytes."""
        return hashlib.sha256(self.text).hexdigest()

    @property
    def id(self) -> str:
        """Name of its files in the site."""
        name = re.sub(r"[^a-z0-9]+", "-", str(self.card["service"]["name"]).lower()).strip("-")
        return f"{name[:40] or 'service'}-{self.hash[:12]}"

    @property
    def date(self) -> str:
        """Day of the rating; empty if the card states none."""
        found = re.match(r"\d{4}-\d\d-\d\d", str(self.card["provenance"]["time"]))
        return found[0] if found else ""

    @property
    def stamp(self) -> str:
        """The overall corrected rating, with those that are possible where it is open."""
        return stamp([Rating(one) for one in self.card["overall"]["possible"]])

    @cached_property
    def ratings(self) -> dict[str, str]:
        """Language to the corrected rating through it, or `UNCLEAR`."""
        return {one["language"]: _clear(one["corrected"]) for one in self.card["languages"]}

    @cached_property
    def routes(self) -> dict[str, str]:
        """Language to the identity of the service through it; empty if it states none."""
        identities = str(self.card["service"]["identity"]).split(" || ")
        # Of several routes without an identity, one is written.
        is_whole = len(identities) == len(self.ratings) and all(identities)
        return dict(zip(self.ratings, identities, strict=True)) if is_whole else {}

    def through(self, language: str) -> str:
        """Return its identity through a language; the same through all if it is called directly."""
        return self.routes.get(language, self.routes.get("", ""))

    def fits(self, following: Entry) -> bool:
        """Return whether the other one can be called with the answers of this one."""
        answers, reads = self.card["service"]["answers"], following.card["service"]["reads"]
        one, other = ("" in each.ratings for each in (self, following))
        return (
            self.card["attribute"] == following.card["attribute"]
            and (not answers or not reads or answers.split("-")[0] == reads.split("-")[0])
            and (one or other or not self.ratings.keys().isdisjoint(following.ratings))
        )


@dataclass(frozen=True)
class Registry:
    """Cards that fit the schema, and what was left out.

    - `entries`: by name and time.
    - `problems`: file to the reason why it is no card.
    """

    entries: tuple[Entry, ...]
    problems: Mapping[str, str]

    @property
    def sums(self) -> bytes:
        """Hashes of all cards, as the program sha256sum reads them."""
        return "".join(f"{one.hash}  {one.id}.json\n" for one in self.entries).encode()

    @property
    def hash(self) -> str:
        """SHA-256 of the list of hashes: it changes with each card."""
        return hashlib.sha256(self.sums).hexdigest()

    def summary(self) -> str:
        """Return how many cards there are, and chains whose services are there, too."""
        chains = len(set(self.measured.values()))
        return f"{counted(len(self.entries), 'card')}, {chains} of them of chains of the others"

    @cached_property
    def measured(self) -> dict[tuple[int, ...], int]:
        """Numbers of services in a row, to the number of their newest card as a chain.

        A chain is known by the identities of its services.
        """
        found: dict[tuple[int, ...], int] = {}
        for number, entry in sorted(enumerate(self.entries), key=lambda one: one[1].date):
            for parts in islice(self._parts(entry, entry.routes), MOST):
                if len(parts) > 1:
                    found[parts] = number
        return found

    def _parts(
        self, chain: Entry, left: Mapping[str, str], most: int = LONGEST
    ) -> Iterator[tuple[int, ...]]:
        """Yield the services whose identities in turn are those of a chain."""
        for number, one in enumerate(self.entries):
            if not left or one.card["attribute"] != chain.card["attribute"]:
                continue
            own = {language: one.through(language) for language in left}
            if own == left:
                yield (number,)
            elif most > 1 and all(
                own[language] and rest.startswith(f"{own[language]} | ")
                for language, rest in left.items()
            ):
                rest = {k: text[len(own[k]) + 3 :] for k, text in left.items()}
                for others in self._parts(chain, rest, most - 1):
                    yield (number, *others)

    def data(self) -> dict[str, Any]:
        """Return what a page needs: cards, predictions by ratings, and measured chains."""
        return {
            "schema": "rating-catalogue/1",
            "longest": LONGEST,
            "cards": [
                {
                    "id": one.id,
                    "name": one.card["service"]["name"],
                    "stamp": one.stamp,
                    "rating": _clear(one.card["overall"]["corrected"]),
                    "ratings": one.ratings,
                    "attribute": one.card["attribute"]["name"],
                    "date": one.date,
                    "sha256": one.hash,
                    "fits": [k for k, other in enumerate(self.entries) if one.fits(other)],
                }
                for one in self.entries
            ],
            "languages": {
                code: language_name(code) if code else "directly"
                for one in self.entries
                for code in one.ratings
            },
            "predictions": predictions(),
            "measured": {
                " ".join(map(str, parts)): {
                    "card": number,
                    "text": self._verdict(parts, self.entries[number]),
                }
                for parts, number in sorted(self.measured.items())
            },
        }

    def _verdict(self, parts: Sequence[int], chain: Entry) -> str:
        """Return the measured rating of a chain beside the predicted one."""
        services = [self.entries[k] for k in parts]
        paper, definition = _predicted(
            [_clear(one.card["overall"]["corrected"]) for one in services]
        )
        text = f"Measured: {chain.stamp}"
        if chain.stamp not in ORDER:
            text += ", which neither confirms nor contradicts a prediction."
        elif paper == definition:
            agrees = "as predicted" if chain.stamp == paper else "against the prediction"
            text += f", {agrees}." if paper else "."
        else:
            by, other = ("Table 2", "the definitions")[:: 1 if chain.stamp == paper else -1]
            is_either = chain.stamp in (paper, definition)
            text += (
                f", as predicted by {by} and not by {other}." if is_either else ", against both."
            )
        if any(_texts(one) != _texts(chain) for one in services):
            text += " The chain was rated with other texts than its services."
        return text


def _clear(corrected: str) -> str:
    return corrected if corrected in ORDER else UNCLEAR


def _texts(entry: Entry) -> Any:
    blocks = [[block["kind"], block["input"]] for block in entry.card["languages"][0]["blocks"]]
    return blocks, {k: v for k, v in entry.card["design"].items() if k != "example"}


def _predicted(rated: Sequence[str]) -> tuple[Rating | None, Rating | None]:
    """Return the predictions by Table 2 and by the definitions."""
    ratings = [Rating.NOT_RATEABLE if one == UNCLEAR else one for one in rated]
    return compose_chain(ratings, "paper"), compose_chain(ratings, "definition")


def predictions() -> dict[str, dict[str, str]]:
    """Return the prediction for each row of ratings, such as "DSBS UCS", for a page to look up."""
    kinds = (*map(str, ORDER), UNCLEAR)
    rows = (row for length in range(2, LONGEST + 1) for row in product(kinds, repeat=length))
    return {" ".join(row): _prediction(row) for row in rows}


def _prediction(rated: Sequence[str]) -> dict[str, str]:
    paper, definition = _predicted(rated)
    if UNCLEAR in rated:
        text = "No prediction: one of them has no clear rating. Rate the chain itself."
    elif paper != definition:
        text = (
            f"Predicted: {paper} by Table 2 of Srivastava and Rossi (2018), {definition} by their "
            "definitions, by which a service that follows unbiased input gives unbiased output."
        )
    elif paper is None:
        text = "No prediction: biased services may add up, or cancel each other. "
        text += "Rate the chain itself."
    else:
        text = f"Predicted: {paper} ({paper.full_name})"
        text += f", since {compose(rated[0], rated[1]).reason}." if len(rated) == 2 else "."
    same = str(paper or "no prediction") if paper == definition else f"{paper} or {definition}"
    return {"rating": same, "text": text}


def read_cards(folder: Path | None, others: Iterable[bytes] = ()) -> Registry:
    """Read the ``.json`` files of a folder, and other cards, as a registry.

    Raises `QueryError` if there is no such folder, it holds too many files, or no card at all.
    """
    if folder is not None and not folder.is_dir():
        raise QueryError(f"{folder} is no folder. Name the folder that holds the cards.")
    files = sorted(folder.glob("*.json")) if folder else []
    if len(files) > MOST:
        raise QueryError(f"{folder} holds {len(files):,} files; a catalogue takes {MOST:,} cards.")
    entries: dict[str, Entry] = {}
    problems: dict[str, str] = {}
    sources: list[tuple[str, Path | bytes]] = [(one.name, one) for one in files]
    sources += [("a saved run", text) for text in others]
    for name, source in sources:
        try:
            entry = _entry(read_given(source, LARGEST) if isinstance(source, Path) else source)
            entries[entry.hash] = entry
        except OSError as error:
            problems[name] = error.strerror or str(error)
        except ValueError as error:
            problems[name] = str(error)
    if not entries:
        told = "".join(f"\n{name}: {why}" for name, why in problems.items())
        raise QueryError(f"There is no rating card. `biaslab probe rate --card` writes one.{told}")
    ordered = sorted(
        entries.values(), key=lambda one: (one.id.rpartition("-")[0], one.date, one.id)
    )
    return Registry(tuple(ordered), problems)


def _entry(text: bytes) -> Entry:
    try:
        card = parse_json(text, parse_constant=_refuse)
    except ValueError as error:
        raise RatingError(f"it is not JSON: {error}") from None
    if problem := schema_problem(card, card_schema()):
        raise RatingError(problem)
    for part in (card["overall"], *card["languages"]):
        possible = part["possible"]
        if part["corrected"] != (possible[0] if len(possible) == 1 else "open"):
            raise RatingError(f"its rating {part['corrected']!r} is not one of {possible} alone")
    if len({one["language"] for one in card["languages"]}) < len(card["languages"]):
        raise RatingError("a language occurs twice")
    return Entry(text, card)


def _refuse(name: str) -> Any:
    raise ValueError(f"{name} is no number of JSON")
