"""Result of rating a service: every answer with its reading, and both ratings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from biaslab.asking.languages import language_code, language_name
from biaslab.errors import RatingError
from biaslab.probes.rating import distribution_analysis as analysis
from biaslab.probes.rating.data_generator import Block, Distribution, Text, distributions_of
from biaslab.probes.rating.decision_path import (
    BlockFinding,
    Comparison,
    DecisionPath,
    block_findings,
    comparisons,
    corrected_path,
    equivalence_p,
    paper_path,
)
from biaslab.probes.rating.distribution_analysis import Responses
from biaslab.probes.rating.experiment_design import RatingDesign
from biaslab.probes.rating.output_statistics import Draws, Floats, channel_draws
from biaslab.probes.rating.rating import (
    NOT_RATEABLE,
    CorrectedRatings,
    PaperRatings,
    Tallies,
    rate_all,
    rating_of,
    rating_probabilities,
)
from biaslab.probes.rating.ratings import ORDER, OverallRating, Rating, Rules, overall, stamp
from biaslab.probes.rating.reading import Found, Reader
from biaslab.records.calls import recorded_method
from biaslab.records.kinds import imported, words_of
from biaslab.records.record import FrozenDict, Record
from biaslab.records.result import Result
from biaslab.records.wording import Span

if TYPE_CHECKING:
    import pandas as pd


T = TypeVar("T")


class Card(Protocol):
    """A rating card: `biaslab.reports.rating.card.RatingCard`."""

    def to_dict(self) -> dict[str, Any]:
        """Return the card as plain data."""

    def to_json(self) -> str:
        """Return the card as strict JSON."""

    def to_markdown(self) -> str:
        """Return the card as Markdown."""

    def to_html(self) -> str:
        """Return the card as a whole HTML page without scripts, fonts or requests."""


@dataclass(frozen=True)
class Route(Record):
    """One way to ask the service: through a middle language, or directly.

    Attributes
    ----------
    language : str
        Middle language; ``""`` if the service was called directly.
    responses : Responses
        Answers to all texts, in the order of the design's.
    found : tuple of tuple of Found
        Output value of each mention of each text.
    """

    language: str
    responses: Responses
    found: tuple[tuple[Found, ...], ...]

    @property
    def title(self) -> str:
        """Name of the language, or that there is none."""
        return language_name(self.language) if self.language else "directly"

    @cached_property
    def answers(self) -> int:
        """Answers of single steps that were had."""
        return sum(len(response.answers) for response in self.responses.responses)


@dataclass(frozen=True)
class LanguageRating(Record):
    """Both ratings through one language.

    Attributes
    ----------
    language, title : str
        As of the `Route`.
    paper, corrected : Rating
        By the two rules.
    shown : bool
        Whether the corrected rating was shown; else it is the worst of the possible ones.
    probabilities : mapping of str to float
        P(UCS), P(DSBS) and P(BS); empty if it is not rateable.
    unresolved : int
        Mentions of all blocks that could not be read.
    calls : int
        Answers of single steps that were had.
    possible : tuple of Rating
        Ratings that the corrected rule leaves possible, from the best; several are an open rating.
    """

    language: str
    title: str
    paper: Rating
    corrected: Rating
    shown: bool
    probabilities: Mapping[str, float]
    unresolved: int
    calls: int
    possible: tuple[Rating, ...]

    @property
    def stamp(self) -> str:
        """The corrected rating as it is shown: its short name, or which ratings are open."""
        return stamp(self.possible)

    def by(self, rule: str) -> Rating:
        """Return the rating by ``"paper"`` or ``"corrected"``."""
        return self.paper if rule == "paper" else self.corrected


@dataclass(frozen=True)
class ShownText(Record):
    """One text with every answer to it, and positions of the attribute in each.

    Attributes
    ----------
    source, middle, back : str
        The text, in the middle language (empty if there is none), and the answer (empty
        without a usable one).
    source_values, middle_values, back_values : tuple of Found
        Value of each mention, with its spans of characters. `middle_values` is empty if the
        middle language has no rules.
    changed : tuple of bool
        Which mentions came back as another value.
    failure : str
        Why there is no usable answer; empty if there is one.
    """

    source: str
    middle: str
    back: str
    source_values: tuple[Found, ...]
    middle_values: tuple[Found, ...]
    back_values: tuple[Found, ...]
    changed: tuple[bool, ...]
    failure: str


@dataclass(frozen=True, kw_only=True)
class RatingResult(Result):
    """A service's rating through every language, by both rules.

    Attributes
    ----------
    design : RatingDesign
        The design.
    service, about, identity : str
        Name of the service.
    blocks : tuple of Block
        The texts.
    routes : tuple of Route
        The answers.
    distributions : tuple of Distribution
        Rules of the rating: those of the design, or those of `re_rate`.
    rules : Rules
        By which it is rated.
    seed : int
        Of the draws behind the probabilities of the ratings.
    """

    schema: ClassVar[str] = "rating/1"

    design: RatingDesign
    service: str
    about: str
    identity: str
    blocks: tuple[Block, ...]
    routes: tuple[Route, ...]
    distributions: tuple[Distribution, ...]
    rules: Rules
    seed: int = 0

    # Input of both rules, for all languages at once.

    @cached_property
    def codes(self) -> analysis.Codes:
        """Values of all mentions as numbers, in and out."""
        attribute, design = self.design.attribute, self.design
        shape = (len(design.distributions), design.repetitions * design.texts, design.sentences)
        texts = [text for block in self.blocks for text in block.texts]
        input_codes = [
            analysis.code_of_values(attribute, [m.value for m in t.mentions]) for t in texts
        ]
        output_codes = [
            [
                analysis.code_of_values(attribute, [f.value for f in mentions])
                for mentions in route.found
            ]
            for route in self.routes
        ]
        return analysis.Codes(
            np.broadcast_to(np.array(input_codes).reshape(shape), (len(self.routes), *shape)),
            np.array(output_codes).reshape(len(self.routes), *shape),
        )

    @property
    def changed(self) -> tuple[bool, ...]:
        """Which blocks are rated by other shares than they were run with."""
        return tuple(
            a.shares != b.shares
            for a, b in zip(self.distributions, self.design.distributions, strict=True)
        )

    @cached_property
    def tallies(self) -> Tallies:
        """Counts by language, block, input value and output value."""
        return analysis.tallies(self.codes, self.distributions, self.changed)

    @cached_property
    def _rated(self) -> tuple[PaperRatings, CorrectedRatings]:
        return rate_all(self.tallies, self.rules)

    @cached_property
    def _probabilities(self) -> Floats:
        return rating_probabilities(self.tallies, self.rules.corrected, self._channel())

    @cached_property
    def _draws(self) -> dict[tuple[object, ...], Draws]:
        """Cache of draws of the channel; shared by re-ratings."""
        return {}

    def _channel(self) -> list[Draws]:
        """Return draws of each block's channel, made once for all re-ratings."""
        tallies, draws = self.tallies, self.rules.corrected.draws
        channel = []
        for b, changed in enumerate(self.changed):
            # A changed block uses the rows of all blocks.
            key = (draws, tallies.compared.tobytes(), b, changed)
            if key not in self._draws:
                rng = np.random.default_rng((self.seed, b))
                rows = tallies.rows[:, b]
                self._draws[key] = channel_draws(rows, tallies.design_effect, draws, rng)
            channel.append(self._draws[key])
        return channel

    # The ratings.

    @cached_property
    def ratings(self) -> tuple[LanguageRating, ...]:
        """Both ratings through each language, in the design's order."""
        paper, corrected = self._rated
        unresolved = self.codes.unresolved.sum(1)
        rated = []
        for i, route in enumerate(self.routes):
            verdict = rating_of(int(corrected.code[i]))
            chances = zip(ORDER, self._probabilities[i].tolist(), strict=True)
            rated.append(
                LanguageRating(
                    route.language,
                    route.title,
                    rating_of(int(paper.code[i])),
                    verdict,
                    bool(corrected.shown[i]),
                    {str(r): p for r, p in chances} if verdict in ORDER else {},
                    int(unresolved[i]),
                    route.answers,
                    (verdict,) if corrected.shown[i] else _ratings(corrected.possible[i]),
                )
            )
        return tuple(rated)

    @property
    def overall(self) -> OverallRating:
        """Overall ratings by both rules, with and without excluded languages."""
        return overall(self.ratings, self.rules)

    @property
    def languages(self) -> tuple[str, ...]:
        """Middle languages of the run, in order; ``""`` is directly."""
        return tuple(route.language for route in self.routes)

    def place(self, language: str = "") -> int:
        """Return the index in `routes` of a language; by default the first.

        Raises
        ------
        RatingError
            If the service was not tested through it.
        """
        if not language:
            return 0
        code = language_code(language)
        if code not in self.languages:
            languages = ", ".join(filter(None, self.languages))
            route = f"it was tested through {languages}" if languages else "it was called directly"
            raise RatingError(f"The service was not tested through {language!r}; {route}.")
        return self.languages.index(code)

    def rating(self, language: str = "") -> LanguageRating:
        """Return the ratings through one language; by default the first.

        Raises
        ------
        RatingError
            If the service was not tested through it.
        """
        return self.ratings[self.place(language)]

    def output_counts(self, language: str = "") -> Floats:
        """Return the resolved output of each block by value, shape (B, V)."""
        return np.asarray(self.tallies.output[self.place(language)])

    def comparisons(self, language: str = "") -> tuple[Comparison, ...]:
        """Return every comparison of the paper's rule."""
        i = self.place(language)
        return self._once(("comparisons", i), lambda: comparisons(self._rated[0], self.tallies, i))

    def block_findings(
        self, language: str = "", *, with_p: bool = True
    ) -> tuple[BlockFinding, ...]:
        """Return the corrected rule's finding on each block.

        Parameters
        ----------
        language : str
            As for `rating`.
        with_p : bool
            Whether with p-values, which take longer than all else; else they are NaN.
        """
        i = self.place(language)
        return self._once(("blocks", i, with_p), lambda: self._block_findings(i, with_p))

    def _block_findings(self, i: int, with_p: bool) -> tuple[BlockFinding, ...]:
        p = self._equivalence_p if with_p else np.full(self.tallies.resolved.shape, np.nan)
        values = self.design.attribute.all_values
        return block_findings(self._rated[1], self.tallies, p, i, values)

    def _once(self, key: tuple[object, ...], make: Callable[[], T]) -> T:
        if key not in self._memory:
            self._memory[key] = make()
        value: T = self._memory[key]
        return value

    @cached_property
    def _equivalence_p(self) -> Floats:
        targets, margin = self._rated[1].targets, self.rules.corrected.margin
        return equivalence_p(self.tallies, targets, margin)

    @cached_property
    def _memory(self) -> dict[tuple[object, ...], Any]:
        return {}

    def path(self, language: str = "", rule: str = "corrected") -> DecisionPath:
        """Return the path through the decision tree of a rule."""
        rating = self.rating(language)
        if rule == "paper":
            return paper_path(self.comparisons(language), rating.paper)
        if rule == "corrected":
            return corrected_path(
                self.block_findings(language, with_p=False),
                rating.corrected,
                rating.shown,
                self.design.attribute.name,
            )
        raise RatingError(f"No rule {rule!r}: choose 'paper' or 'corrected'.")

    def explanation(self, language: str = "") -> tuple[Span, ...]:
        """Explain the rating through one language, as pieces of text with their roles."""
        return tuple(words_of(self).explain(self, language))

    # Every text.

    @cached_property
    def _texts(self) -> tuple[Text, ...]:
        return tuple(text for block in self.blocks for text in block.texts)

    def shown_texts(self, language: str = "", block: str | None = None) -> tuple[ShownText, ...]:
        """Return every text with its answers, and positions of the attribute.

        Parameters
        ----------
        language : str
            As for `rating`.
        block : str, optional
            Name of a distribution of the design; by default all blocks.
        """
        route = self.routes[self.place(language)]
        names = [b.distribution.name for b in self.blocks for _ in b.texts]
        reader = self.middle_reader(route)
        return tuple(
            self._shown_text(self._texts[i], route, i, reader)
            for i in range(len(self._texts))
            if block is None or names[i] == block
        )

    def middle_reader(self, route: Route) -> Reader | None:
        """Return the reader of a route's middle texts; None without such texts or rules."""
        responses = route.responses
        if responses.middle is None:
            return None
        language = responses.languages[responses.middle + 1]
        if language not in self.design.attribute.rules:
            return None
        return Reader(self.design.attribute, language)

    def _shown_text(self, text: Text, route: Route, i: int, reader: Reader | None) -> ShownText:
        response, found_values = route.responses.responses[i], route.found[i]
        middle = None
        if route.responses.middle is not None:
            middle = response.answer_of(route.responses.middle)
        mentions = len(text.mentions)
        return ShownText(
            source=text.text,
            middle=middle or "",
            back=response.output or "",
            source_values=tuple(Found(m.value, m.spans) for m in text.mentions),
            middle_values=reader.read(middle, mentions) if reader and middle else (),
            back_values=found_values,
            changed=tuple(
                bool(f.value) and f.value != m.value
                for f, m in zip(found_values, text.mentions, strict=True)
            ),
            failure=response.failure,
        )

    def raw_frame(self) -> pd.DataFrame:
        """One row per mention of a text, for each language.

        Columns: language, block, text (its number among all texts), mention, sent and came_back
        (its value; empty where it could not be read), source, middle, back (texts), failure.
        """
        import pandas as pd

        blocks = [block.distribution.name for block in self.blocks for _ in block.texts]
        return pd.DataFrame(
            {
                "language": route.language,
                "block": block,
                "text": number,
                "mention": mention,
                "sent": sent.value,
                "came_back": came_back.value,
                "source": one.source,
                "middle": one.middle,
                "back": one.back,
                "failure": one.failure,
            }
            for route in self.routes
            for number, (block, one) in enumerate(
                zip(blocks, self.shown_texts(route.language), strict=True)
            )
            for mention, (sent, came_back) in enumerate(
                zip(one.source_values, one.back_values, strict=True)
            )
        )

    def card(self) -> Card:
        """Return the finding as JSON, Markdown and HTML, for a catalogue of services."""
        card: Card = imported("biaslab.reports.rating.card:RatingCard")(self)
        return card

    @property
    def unresolved(self) -> Mapping[str, int]:
        """Reason to the number of mentions that could not be read, over all languages."""
        counts: dict[str, int] = {}
        for route in self.routes:
            for mentions in route.found:
                for each in mentions:
                    if each.reason:
                        counts[each.reason] = counts.get(each.reason, 0) + 1
        return FrozenDict(dict(sorted(counts.items(), key=lambda item: -item[1])))

    # Other questions to the same responses.

    @recorded_method
    def of_languages(self, languages: Sequence[str]) -> RatingResult:
        """Return the result of some of the languages alone, without a call of the service.

        Parameters
        ----------
        languages : sequence of str
            Codes of languages of this result, such as ``es``.

        Raises
        ------
        RatingError
            If it has none of them.
        """
        chosen = tuple(route for route in self.routes if route.language in languages)
        if not chosen:
            raise RatingError(
                f"This result has none of these languages; it has {', '.join(self.languages)}."
            )
        return replace(self, routes=chosen)

    @recorded_method
    def re_rate(
        self,
        *,
        unbiased: Mapping[str, Sequence[float] | Mapping[str, float]] | None = None,
        biased: Mapping[str, Sequence[float] | Mapping[str, float]] | None = None,
        rules: Rules | None = None,
    ) -> RatingResult:
        """Rate the same responses under other distributions or rules, without a call.

        A block with other shares than in the run is *predicted*: from the channel of each value in
        all blocks, at the new shares.

        Parameters
        ----------
        unbiased, biased : mapping of str to shares, optional
            Name of a distribution of the design to its new shares; others stay
            unchanged. A changed one is called by its shares, such as ``30/70``.
        rules : Rules, optional
            By default those of this result.

        Raises
        ------
        RatingError
            If a name is not in the design, shares do not sum to 1, or a test does not fit the
            attribute.
        """
        new: dict[tuple[str, str], Distribution] = {}
        for kind, shares_by_name in (("unbiased", unbiased or {}), ("biased", biased or {})):
            for distribution in distributions_of(self.design.attribute, shares_by_name, kind):
                new[kind, distribution.name] = distribution
        known = {(d.kind, d.name) for d in self.design.distributions}
        if wrong := [name for kind, name in new if (kind, name) not in known]:
            raise RatingError(
                f"The design has no distribution {wrong[0]!r} of this kind; it has "
                f"{', '.join(f'{name} ({kind})' for kind, name in sorted(known))}."
            )
        distributions = tuple(
            _renamed(new[d.kind, d.name], d) if (d.kind, d.name) in new else now
            for d, now in zip(self.design.distributions, self.distributions, strict=True)
        )
        rules = rules or self.rules
        rules.check(self.design.attribute)
        changed = replace(self, distributions=distributions, rules=rules)
        # The readings do not depend on the rules: dragging a distribution must be quick.
        changed.__dict__["codes"] = self.codes
        changed.__dict__["_draws"] = self._draws
        return changed

    # As every result.

    def to_frame(self) -> pd.DataFrame:
        """Return one row per language and block.

        Columns: language, block, kind, the shares of the input (such as input_He), mentions,
        the counts of the output (such as output_He), unresolved, predicted, and of the language
        paper, corrected, shown, p_UCS, p_DSBS, p_BS.
        """
        import pandas as pd

        values = self.design.attribute.all_values
        unresolved = self.codes.unresolved
        rows = []
        for i, rating in enumerate(self.ratings):
            for b, distribution in enumerate(self.distributions):
                output = self.tallies.output[i, b]
                row: dict[str, object] = {
                    "language": rating.language,
                    "block": distribution.name,
                    "kind": distribution.kind,
                }
                row |= {f"input_{v}": s for v, s in zip(values, distribution.shares, strict=True)}
                row["mentions"] = int(self.tallies.mentions[b])
                row |= {f"output_{v}": float(n) for v, n in zip(values, output, strict=True)}
                row |= {"unresolved": int(unresolved[i, b]), "predicted": self.changed[b]}
                row |= {
                    "paper": str(rating.paper),
                    "corrected": str(rating.corrected),
                    "shown": rating.shown,
                }
                row |= {f"p_{r}": rating.probabilities.get(str(r), np.nan) for r in ORDER}
                rows.append(row)
        return pd.DataFrame(rows)


def _renamed(new: Distribution, old: Distribution) -> Distribution:
    if new.shares == old.shares:
        return old
    shares = new.shares if new.shares[-1] else new.shares[:-1]
    return replace(new, name="/".join(f"{100 * share:.3g}" for share in shares))


def _ratings(codes: NDArray[np.int8]) -> tuple[Rating, ...]:
    """The distinct ratings of some codes, from the best; not rateable is last."""
    distinct = sorted(set(codes.tolist()), key=lambda code: (code == NOT_RATEABLE, code))
    return tuple(map(rating_of, distinct))
