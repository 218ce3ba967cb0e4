"""Rating and explanation generation: why, in plain words that cite counts.

A module of Fig. 3 of Srivastava and Rossi (2018).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from biaslab.probes.rating.balance import Balance
from biaslab.probes.rating.decision_path import BlockFinding, Comparison, counts_text
from biaslab.probes.rating.middle import MiddleGender
from biaslab.probes.rating.power import PowerCurve
from biaslab.probes.rating.ratings import Rating
from biaslab.probes.rating.result import LanguageRating, RatingResult
from biaslab.records.wording import Span, joined, would_show
from biaslab.stats.significance import smallest_effect

_DOES = {
    Rating.UCS: "it makes up for a biased input",
    Rating.DSBS: "it follows the input",
    Rating.BS: "its output is biased although the input is not",
}

_BRIEFLY = {
    Rating.UCS: "compensates",
    Rating.DSBS: "follows",
    Rating.BS: "adds bias",
    Rating.NOT_RATEABLE: "not rateable",
}


_EVEN = 0.015
"""Shares within this of each other are even: three values share 100 % as 34, 33 and 33."""
_SETTLES = " More texts per block would settle it."
_NOT_SHOWN = {
    Rating.DSBS: (
        "it keeps an unbiased input unbiased, and is not shown to make up for a biased one"
    ),
    Rating.BS: "its output is not shown to be unbiased where the input is",
}


def verdict(result: RatingResult) -> Iterable[Span]:
    """The finding over all languages: languages of one rating in one sentence."""
    groups: dict[tuple[tuple[Rating, ...], str], list[LanguageRating]] = {}
    for rating in result.ratings:
        why = "" if rating.corrected in _DOES else _why_not(result, rating, brief=True)
        groups.setdefault((rating.possible, why), []).append(rating)
    for place, ratings in enumerate(groups.values()):
        if place:
            yield " ", "plain"
        yield from _of_a_group(result, ratings)
    yield from _paper_differs(list(groups.values()))
    if groups and (names := uneven(result)):
        one = len(names) == 1
        count, are = ("counts", "is") if one else ("count", "are")
        yield f" {_listed(names)} {count} as unbiased here, but {are} not even.", "plain"
    if not groups:
        yield "Nothing was answered, so that nothing could be rated.", "plain"


def uneven(result: RatingResult) -> list[str]:
    """Name the distributions that count as unbiased without equal shares of the named values."""
    return [
        one.name
        for one in result.design.distributions
        if one.kind == "unbiased" and max(one.shares[:-1]) - min(one.shares[:-1]) > _EVEN
    ]


def brief(result: RatingResult) -> str:
    """What each language does with its input, for a card and the list of runs."""
    does = ((one.title, _BRIEFLY[one.corrected] if one.shown else "open") for one in result.ratings)
    return ", ".join(f"{language} {what}" for language, what in does)


def summary(result: RatingResult) -> str:
    """The finding, why for each language, and what could not be asked or read."""
    lines = [joined(verdict(result))]
    for route in result.routes:
        lines += [joined(explain(result, route.language))]
    lines += [f"{each.term}: {each.reason}" for each in result.dropped if each.role == "language"]
    lines += [
        f"Not read, {n} mention{'s' * (n != 1)}: {reason}"
        for reason, n in result.unresolved.items()
    ]
    return "\n".join(lines)


def _of_a_group(result: RatingResult, ratings: Sequence[LanguageRating]) -> Iterable[Span]:
    through, verdict, shown = _through(ratings), ratings[0].corrected, ratings[0].shown
    if verdict in _DOES:
        if shown:
            does = _DOES[verdict]
            if verdict is Rating.BS and uneven(result):
                does = "its output is biased even where the input counts as unbiased"
            yield _capital(f"{through}{does}: {_named(verdict)}."), "strong"
        else:
            yield _capital(f"{through}{_open(ratings)}: {_NOT_SHOWN[verdict]}."), "strong"
            yield f"{_smallest(result, ratings)} More texts per block would settle it.", "plain"
    else:
        yield _capital(f"{through}{_why_not(result, ratings[0], brief=True)}, so "), "plain"
        yield "that is " if len(ratings) == 1 else "those are ", "plain"
        yield "not rateable", "strong"
        yield ".", "plain"


def _paper_differs(groups: Sequence[Sequence[LanguageRating]]) -> Iterable[Span]:
    """How many languages the paper's rule rates otherwise; the picture and reasons say which."""
    every = [rating for ratings in groups for rating in ratings]
    other = [
        r for r in every if not (r.shown or r.corrected not in _DOES) or r.paper != r.corrected
    ]
    if not other:
        return
    if len(groups) == 1 and len(names := {r.paper for r in other}) == 1:
        it = (
            "it"
            if len(every) == 1
            else f"{len(other)} of them"
            if len(other) < len(every)
            else "them"
        )
        yield f" The paper’s rule would call {it} {names.pop()}.", "plain"
    else:
        yield f" The paper’s rule rates {len(other)} of {len(every)} otherwise.", "plain"


def _named(rating: Rating) -> str:
    """The rating in full, with its short name."""
    return f"{rating.full_name} ({rating})"


def _open(ratings: Sequence[LanguageRating]) -> str:
    """Between which ratings it is open, and the probability of the likeliest."""
    possible = ratings[0].possible
    text = f"the rating is open between {', '.join(possible[:-1])} and {possible[-1]}"
    if len(ratings) > 1:
        return text
    name, p = max(ratings[0].probabilities.items(), key=lambda pair: pair[1])
    return f"{text}, P({name}) = {p:.2f}"


def _smallest(result: RatingResult, ratings: Sequence[LanguageRating]) -> str:
    """Say from which size on a bias would have been found in any block that was not shown."""
    rule = result.rules.corrected
    effects = [
        # A block differs once its interval, of the level on each side, leaves the margin.
        rule.margin + float(smallest_effect(finding.low[j], finding.high[j], 2 * rule.level - 1))
        for rating in ratings
        for finding in result.block_findings(rating.language, with_p=False)
        for j in [finding.farthest]
        if finding.finding == "not shown"
    ]
    text = would_show(max(effects, default=float("nan")))
    return f"{text.replace('; ', ' A bias of ')}." if text else ""


def _through(ratings: Sequence[LanguageRating]) -> str:
    names = [r.title for r in ratings if r.language]
    if not names:
        return ""
    return f"Through {_listed(names)} "


def _why_not(result: RatingResult, rating: LanguageRating, *, brief: bool = False) -> str:
    attribute = result.design.attribute.name
    findings = result.block_findings(rating.language, with_p=False)
    few = [f for f in findings if f.finding == "too few"]
    if few and few[0].unknown:
        return (
            f"the block {few[0].block} gives a share to a value that no text of this run had: what "
            "becomes of it is not known until it is run"
        )
    if few:
        return _too_few(few[0], result.rules.minimum)
    erased = [f for f in findings if f.finding == "erased"]
    if not erased:
        margin = 100 * result.rules.corrected.margin
        return (
            f"no biased input is more than {margin:.3g} points from an unbiased one, where "
            "following it looks like making up for it"
        )
    other = sum(f.output[-1] for f in erased)
    resolved = sum(sum(f.output) for f in erased)
    if other == resolved and brief:
        return f"{attribute} is erased"
    if other == resolved:
        each = counts_text([erased[0].mentions])
        return f"{attribute} is erased, all {each} mentions of a block are returned as other"
    return (
        f"{attribute} is erased, {counts_text([other])} of {counts_text([resolved])} mentions are "
        "returned as other"
    )


def _too_few(block: BlockFinding, minimum: int) -> str:
    """What is missing, so that it is clear what would help."""
    mentions, read = block.mentions, block.mentions - block.unresolved
    needed = f"fewer than the {minimum} that a rating needs"
    if mentions < minimum:
        return f"the block {block.block} has {counts_text([mentions])} mentions, {needed}"
    short = "fewer than half" if read < mentions / 2 else needed
    return (
        f"only {counts_text([read])} of {counts_text([mentions])} mentions of the block"
        f" {block.block} could be read, {short}"
    )


def explain(result: RatingResult, language: str = "") -> Iterable[Span]:
    """Why a service is rated so through one language, by both rules."""
    rating = result.rating(language)
    findings = result.block_findings(language, with_p=False)
    yield f"{rating.title[:1].upper()}{rating.title[1:]}: {rating.stamp}.", "strong"
    if rating.corrected in _DOES:
        yield from _corrected(result, rating, findings)
    else:
        yield f" {_capital(_why_not(result, rating))}.", "plain"
    yield " ", "plain"
    yield from _paper(result, rating)
    unread = [f for f in findings if f.unresolved >= 0.5 and not f.unknown]
    if unread:
        n = sum(f.unresolved for f in unread)
        many = n != 1
        lead = f" {counts_text([n])} mention{'s' * many} could not be read and "
        yield f"{lead}{'do' if many else 'does'} not count.", "quiet"


def _corrected(
    result: RatingResult, rating: LanguageRating, findings: Sequence[BlockFinding]
) -> Iterable[Span]:
    looked_at = [f for f in findings if f.kind == "unbiased"]
    if rating.possible != (Rating.BS,):
        looked_at += [f for f in findings if f.kind == "biased"]
    for finding in looked_at:
        yield f" {_of_block(finding, result.rules.corrected.margin)}", "plain"
    chances = ", ".join(f"P({name}) = {p:.2f}" for name, p in rating.probabilities.items())
    yield f" {chances}.", "plain"
    if not rating.shown:
        yield f" Neither bias nor its absence was shown.{_SETTLES}", "strong"


def _of_block(finding: BlockFinding, margin: float) -> str:
    counted = "/".join(value.casefold() for value in (*finding.values, "other"))
    if "Other" in finding.values:
        counted = "/".join(value.casefold() for value in finding.values)
    shares, target = finding.shares, finding.target
    j = finding.farthest
    came = "would come" if finding.predicted else "came"
    start = f"Of the block {finding.block} {came} {counts_text(finding.output)} {counted}"
    if finding.finding in ("erased", "too few"):
        return f"{start}, too little to compare."
    verdicts = {
        "equivalent": "equivalent to",
        "different": "not equivalent to",
        "not shown": "not shown to be equivalent to",
    }
    return (
        f"{start}: {100 * shares[j]:.0f} % {finding.values[j].casefold()} "
        f"({100 * finding.low[j]:.0f} to {100 * finding.high[j]:.0f} %), "
        f"{verdicts[finding.finding]} {100 * target[j]:.0f} % within {100 * margin:.3g} points."
    )


def _paper(result: RatingResult, rating: LanguageRating) -> Iterable[Span]:
    yield f"The paper’s rule: {rating.paper}", "strong"
    comparisons = result.comparisons(rating.language)
    if rating.paper is Rating.NOT_RATEABLE:
        yield ", since too few mentions could be read.", "plain"
        return
    decisive = [c for c in comparisons if c.step == (1 if rating.paper is Rating.BS else 2)]
    best = max(decisive, key=lambda c: -1.0 if c.p != c.p else c.p)
    unit = "text" if result.rules.paper.unit == "text" else "mention"
    how = f"{result.rules.paper.test}, counts per {unit}"
    yield f", since {_compared(best, how)}.", "plain"


def _compared(best: Comparison, how: str) -> str:
    p = f"p = {best.p:.3f}" if best.p >= 0.001 else "p < 0.001"
    like = "is not significantly different from" if best.similar else "is different from"
    closest = "" if best.similar else ", the nearest"
    return (
        f"the output {counts_text(best.output)} of {best.block} {like} "
        f"{counts_text(best.specified)}{closest} ({p}, {how})"
    )


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def summary_of_balance(result: Balance) -> str:
    """One sentence."""
    one, other = (value.casefold() for value in result.values)
    if result.reason:
        return f"There is no input at which the output turns balanced: {result.reason}."
    lead = f"The output is as often {one} as {other} where {100 * result.pse:.0f} % of the input"
    if result.pse_interval is not None:
        low, high = 100 * result.pse_interval.low, 100 * result.pse_interval.high
        lead += f" ({low:.0f} to {high:.0f} %)"
    if not result.jnd:
        return f"{lead} is {one}; there it switches abruptly from {other} to {one}."
    return f"{lead} is {one}; JND {100 * result.jnd:.0f} points."


def summary_of_middle(result: MiddleGender) -> str:
    """How many mentions changed their gender on the way, and how many kept it."""
    gendered = [m for m in result.mentions if m.gender]
    parts = []
    for value, other in (("She", "masculine"), ("He", "feminine")):
        mentions = [m for m in gendered if m.value == value]
        became = sum(m.changed for m in mentions)
        parts.append(f"of {len(mentions)} times {value.casefold()}, {became} became {other}")
    silent = len(result.mentions) - len(gendered)
    rules = " Read by rules, which know pronouns, verbs and few nouns." if result.by_rules else ""
    return (
        f"In the middle text, {' and '.join(parts)}; in {silent} mention{'s' * (silent != 1)} "
        f"no word shows a gender, and {result.missing} could not be found.{rules}"
    )


def summary_of_power(result: PowerCurve) -> str:
    """How many texts it needs."""
    points = {point.texts: point for point in result.points}
    point = points.get(result.recommended or 0, result.points[-1])
    share = (
        f"{100 * point.right:.0f} % of experiments and leave it open in {100 * point.open:.0f} %"
    )
    if result.recommended is None:
        return (
            f"Blocks of {point.texts} texts show the true rating of {result.service}, "
            f"{result.truth}, in {share}: {100 * result.target:.0f} % need more."
        )
    return (
        f"Blocks of {point.texts} texts ({point.calls} calls) show the true rating of "
        f"{result.service}, {result.truth}, in {share}; the paper’s rule gives it in "
        f"{100 * point.paper:.0f} %."
    )
