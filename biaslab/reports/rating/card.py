"""A rating card: the finding as JSON, Markdown and HTML, fit to publish in an API catalogue."""

from __future__ import annotations

import html
import json
import math
from collections.abc import Sequence
from dataclasses import fields
from importlib import resources
from typing import Any

from biaslab.probes.rating.decision_path import counts_text
from biaslab.probes.rating.ratings import OPEN, ORDER, Rating, stamp
from biaslab.probes.rating.result import LanguageRating, RatingResult
from biaslab.records.record import Record
from biaslab.records.wording import joined
from biaslab.reports.rating.pages import page

SCHEMA = "rating-card/3"

_LIMITS = (
    (
        "A rating is of this attribute, these sentences, these languages and this version of the "
        "service, and says nothing about others."
    ),
    (
        "Corrected rule: an output is unbiased if it is shown equivalent to an unbiased "
        "distribution within the margin, biased if it is shown to differ, and open if neither is "
        "shown; what does not carry the attribute is not rateable."
    ),
    (
        "The paper’s rule calls outputs similar that are not significantly different, so that a "
        "small block or a constant answer can pass."
    ),
)


def card_schema() -> dict[str, Any]:
    """The JSON schema (draft 2020-12) of a rating card."""
    source = resources.files("biaslab.reports.rating") / "data" / "rating-card.schema.json"
    schema: dict[str, Any] = json.loads(source.read_text(encoding="utf-8"))
    return schema


class RatingCard:
    """The card of a result.

    - `result`: what it tells.
    """

    def __init__(self, result: RatingResult) -> None:
        self._result = result

    def to_dict(self) -> dict[str, Any]:
        """The card as `card_schema` describes it."""
        result = self._result
        design, overall = result.design, result.overall
        total: dict[str, Any] = {
            "by": overall.by,
            "corrected": _rating(overall.possible),
            "possible": list(map(str, overall.possible)),
            "paper": str(overall.paper),
            "probabilities": dict(overall.probabilities),
            "not_rateable": list(overall.not_rateable),
        }
        if overall.without:
            total["without"] = {
                "languages": list(overall.without),
                "corrected": _rating(overall.possible_without),
                "paper": str(overall.paper_without),
            }
        return {
            "schema": SCHEMA,
            "service": {
                "name": result.service,
                "about": result.about,
                "identity": result.identity,
                "kind": _kind(result),
                "reads": design.source,
                "answers": result.routes[0].responses.languages[-1] or design.source,
            },
            "attribute": {
                "name": design.attribute.name,
                "values": list(design.attribute.all_values),
            },
            "summary": joined(result.verdict_spans()),
            "overall": total,
            "languages": [self._language(rating) for rating in result.ratings],
            "dropped": [{"what": d.term, "reason": d.reason} for d in result.dropped],
            "design": {
                "texts": design.texts,
                "repetitions": design.repetitions,
                "mentions_per_text": design.sentences,
                "template": list(design.template.sentences),
                "example": result.blocks[0].texts[0].text,
                "terms": len(design.terms),
                "source": design.source,
                "seed": design.seed,
            },
            "rules": {
                "corrected": _plain(result.rules.corrected),
                "paper": _plain(result.rules.paper),
                "minimum": result.rules.minimum,
            },
            "provenance": {
                "time": result.provenance.time,
                "versions": dict(result.provenance.versions),
            },
            "limits": list(_LIMITS),
        }

    def _language(self, rating: LanguageRating) -> dict[str, Any]:
        result = self._result
        values = result.design.attribute.all_values
        spans = result.explanation(rating.language)
        return {
            "language": rating.language,
            "title": rating.title,
            "corrected": _rating(rating.possible),
            "possible": list(map(str, rating.possible)),
            "paper": str(rating.paper),
            "shown": rating.shown,
            "probabilities": dict(rating.probabilities),
            "unresolved": rating.unresolved,
            "explanation": joined(spans),
            "blocks": [
                {
                    "name": finding.block,
                    "kind": finding.kind,
                    "input": dict(zip(values, finding.input_shares, strict=True)),
                    "output": dict(zip(values, finding.output, strict=True)),
                    "mentions": round(finding.mentions),
                    "predicted": finding.predicted,
                }
                for finding in result.block_findings(rating.language, with_p=False)
            ],
        }

    def to_json(self) -> str:
        """The card as strict JSON."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=2, allow_nan=False) + "\n"

    def to_markdown(self) -> str:
        """The card as Markdown."""
        card = self.to_dict()
        header, rows = _table(card)
        lines = [
            f"# Rating card: {_cell(card['service']['name'])}",
            "",
            f"**{_cell(_title(card))}**",
            "",
            _cell(card["summary"]),
            "",
            f"| {' | '.join(header)} |",
            f"|{'---|' * len(header)}",
            *(f"| {' | '.join(map(_cell, row))} |" for row in rows),
            "",
            "## Why",
            "",
            *(f"- {_cell(each['explanation'])}" for each in card["languages"]),
            *(f"- {_cell(each['what'])}: {_cell(each['reason'])}" for each in card["dropped"]),
            "",
            "## How",
            "",
            *(f"- {_cell(line)}" for line in _how(card)),
            "",
            "## Limits",
            "",
            *(f"- {line}" for line in card["limits"]),
        ]
        return "\n".join(lines) + "\n"

    def to_html(self) -> str:
        """The card as a whole HTML page without scripts, fonts or requests."""
        return card_page(self.to_dict())


def card_page(card: dict[str, Any], before: str = "", after: str = "") -> str:
    """Return a card as a whole HTML page.

    - `card`: as `card_schema` describes it.
    - `before`, `after`: HTML above its heading and below its limits.
    """
    header, rows = _table(card)
    e = html.escape
    head = "".join(f"<th>{e(cell)}</th>" for cell in header)
    body = "".join(f"<tr>{''.join(f'<td>{e(c)}</td>' for c in row)}</tr>" for row in rows)
    why = [each["explanation"] for each in card["languages"]]
    why += [f"{each['what']}: {each['reason']}" for each in card["dropped"]]
    sections = (("Why", why), ("How", _how(card)), ("Limits", card["limits"]))
    lists = "".join(
        f"<h2>{title}</h2><ul>{''.join(f'<li>{e(line)}</li>' for line in lines)}</ul>"
        for title, lines in sections
    )
    title = f"Rating card: {card['service']['name']}"
    return page(
        title,
        f"{before}<h1>{e(title)}</h1>"
        f'<p class="finding">{e(_title(card))}</p><p>{e(card["summary"])}</p>'
        f'<div class="scroll" tabindex="0" role="region" aria-label="Counts by language"><table>'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>{lists}{after}",
    )


def _title(card: dict[str, Any]) -> str:
    overall = card["overall"]
    possible = [Rating(one) for one in overall["possible"]]
    long = f" ({possible[0].full_name})" if possible[0] in ORDER else ""
    if len(possible) > 1:
        long = f" ({' or '.join(possible)}: neither bias nor its absence was shown)"
    how = "worst case over languages" if overall["by"] == "worst" else "vote over languages"
    title = (
        f"{card['attribute']['name'].capitalize()}: {overall['corrected']}{long} by the "
        f"corrected rule, {overall['paper']} by that of Srivastava and Rossi (2018); {how}"
    )
    if overall["not_rateable"]:
        n = len(card["languages"])
        title += f", {n - len(overall['not_rateable'])} of {n} could be rated"
    if without := overall.get("without"):
        title += (
            f"; without {', '.join(without['languages'])} {without['corrected']} and "
            f"{without['paper']}"
        )
    return f"{title}."


def _table(card: dict[str, Any]) -> tuple[list[str], list[list[str]]]:
    blocks = [block["name"] for block in card["languages"][0]["blocks"]]
    values = "/".join(value.casefold() for value in card["attribute"]["values"])
    header = [
        "language",
        *(f"{name}: {values}" for name in blocks),
        "corrected",
        "paper",
        *(f"P({rating})" for rating in ORDER),
    ]
    rows = []
    for each in card["languages"]:
        chances = [each["probabilities"].get(str(r), math.nan) for r in ORDER]
        rows.append(
            [
                each["title"],
                *(counts_text(list(block["output"].values())) for block in each["blocks"]),
                stamp([Rating(one) for one in each["possible"]]),
                each["paper"],
                *("" if math.isnan(p) else f"{p:.2f}" for p in chances),
            ]
        )
    return header, rows


def _how(card: dict[str, Any]) -> list[str]:
    design, corrected, paper = (card["design"], card["rules"]["corrected"], card["rules"]["paper"])
    return [
        (
            f"{design['texts'] * design['repetitions']} texts a block with "
            f"{design['mentions_per_text']} mentions each, such as “{design['example']}”, "
            f"over {design['terms']} terms; seed {design['seed']}."
        ),
        (
            f"Corrected rule: equivalence within {100 * corrected['margin']:.3g} points, two "
            f"one-sided tests of level {100 * corrected['level']:.3g} %."
        ),
        (
            f"Paper’s rule: {paper['test']} test at {100 * paper['level']:.3g} %, counts per "
            f"{paper['unit']}, similar to {paper['similar_to']}."
        ),
        (
            f"biaslab {card['provenance']['versions'].get('biaslab', 'unknown')}, "
            f"{card['provenance']['time']}."
        ),
    ]


def _kind(result: RatingResult) -> str:
    route = result.routes[0]
    if route.responses.middle is None and len(route.responses.steps) > 1:
        return "chain"
    is_trip = route.language or route.responses.middle is not None
    return "translator" if is_trip else "service"


def _rating(possible: Sequence[Rating]) -> str:
    return str(possible[0]) if len(possible) == 1 else OPEN


def _cell(text: str) -> str:
    """Text that Markdown takes as it is: names come from outside."""
    text = html.escape(" ".join(text.split()), quote=False)
    for mark in "\\`*_[]|":
        text = text.replace(mark, f"\\{mark}")
    return text


def _plain(record: Record) -> dict[str, Any]:
    return {f.name: getattr(record, f.name) for f in fields(record)}  # type: ignore[arg-type]
