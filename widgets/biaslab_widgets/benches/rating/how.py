"""How the rating bench comes to a rating: step by step, for one language and block."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final

from biaslab.probes.rating import DecisionPath, RatingResult
from biaslab.probes.rating.decision_path import BlockFinding, Comparison
from biaslab_widgets.benches.rating.view import title_of
from biaslab_widgets.core.how import NOTHING_YET, ends, how, number, percent, step
from biaslab_widgets.core.state.records import How, Step

READ: Final = ("srivastava-rossi",)
GUIDE: Final = "docs/benches/rating.md"
_SHARES: Final = "share of a value = its mentions / all mentions that kept a named value"
_TEST: Final = "χ^{2} = Σ (√(S / R) R_{v} − √(R / S) S_{v})^{2} / (R_{v} + S_{v})"
_FINDINGS: Final = {
    "equivalent": "so the output is equivalent to the specification",
    "different": "and the difference is shown",
    "not shown": "but neither equivalence nor a difference is shown",
    "erased": "as too few mentions keep a named value",
    "too few": "as too few mentions could be read",
}


def how_of(result: RatingResult | None, service: str, language: str, block: int) -> How:
    """Steps from the counts of a block to the rating of its language.

    - `result`: of the languages that are done, by the rules and shares on the screen.
    - `service`: its name on the screen.
    - `language`: one of its languages.
    - `block`: the block that is looked at.
    """
    if result is None:
        return how(NOTHING_YET, [step("Count the answers", _SHARES)], read=READ, guide=GUIDE)
    findings = result.block_findings(language)
    finding = findings[min(block, len(findings) - 1)]
    through = f" through {title_of(language)}" if language else ""
    about = f"Block “{finding.block}”{through}, of {service}."
    return how(about, _steps(result, language, finding), read=READ, guide=GUIDE)


def _steps(result: RatingResult, language: str, finding: BlockFinding) -> Iterator[Step]:
    values = result.design.attribute.all_values
    counts = ", ".join(
        f"{value} {_count(n)}" for value, n in zip(values, finding.output, strict=True)
    )
    lines = _share_lines(finding, values)
    how_many = f"{_count(finding.mentions)} mentions went in, {_count(finding.unresolved)} could"
    yield step(
        "Count the answers",
        _SHARES,
        *dict.fromkeys(lines),
        text=f"{how_many} not be read. What came back: {counts}."
        + (" The counts are predicted for changed shares." if finding.predicted else ""),
    )
    yield _equivalence(result, finding)
    compared = [c for c in result.comparisons(language) if c.block == finding.block]
    if compared:
        yield _comparison(result, max(compared, key=lambda c: -1.0 if math.isnan(c.p) else c.p))
    rating = result.rating(language)
    yield _tree("Walk the corrected rule’s tree", result.path(language, "corrected"))
    yield _tree("Walk the tree of Srivastava and Rossi (2018)", result.path(language, "paper"))
    if rating.probabilities:
        shares = ", ".join(f"{name} {percent(p, 0)}" for name, p in rating.probabilities.items())
        yield step(
            "How sure is the rating",
            "P(rating) = share of draws of the output shares that lead to it",
            text=f"{shares}.",
        )


def _count(value: float) -> str:
    return number(value, 0 if abs(value - round(value)) < 0.05 else 1)


def _share_lines(finding: BlockFinding, values: tuple[str, ...]) -> Iterator[str]:
    counts = dict(zip(values, finding.output, strict=True))
    compared = [counts[value] for value in finding.values]
    whole = sum(compared)
    if whole <= 0:
        return
    for value, share in zip(finding.values, finding.shares, strict=True):
        if math.isclose(counts[value] / whole, share, abs_tol=5e-4):
            yield f"{_exact(counts[value])} / {_exact(whole)} = {percent(share, 1)}"


def _exact(value: float) -> str:
    return number(value, 0) if value == round(value) else number(value, 3)


def _equivalence(result: RatingResult, finding: BlockFinding) -> Step:
    rule = result.rules.corrected
    words = _FINDINGS[finding.finding]
    title = "Corrected rule: is the output unbiased?"
    if finding.finding in ("erased", "too few"):
        return step(title, text=f"This is not tested, {words}.")
    j = finding.farthest
    low, high, target = finding.low[j], finding.high[j], finding.target[j]
    far = max(abs(low - target), abs(high - target))
    sign = "<" if far < rule.margin else "≥"
    return step(
        title,
        "distance = larger of |low − target| and |high − target|, less than the margin",
        f"max(abs({number(low, 4)} − {number(target, 4)}),"
        f" abs({number(high, 4)} − {number(target, 4)})) = {percent(far, 1)}",
        text=f"{finding.values[j]} lies between {ends(low, high)}, and an unbiased output has"
        f" {percent(target, 0)}. {percent(far, 1)} {sign} {percent(rule.margin, 0)}, {words}.",
    )


def _comparison(result: RatingResult, comparison: Comparison) -> Step:
    rule = result.rules.paper
    output, specified = sum(comparison.output), sum(comparison.specified)
    lines = []
    if rule.test == "chi-squared" and math.isclose(output, specified) and output > 0:
        parts = [
            f"({_exact(r)} − {_exact(s)})² / ({_exact(r)} + {_exact(s)})"
            for r, s in zip(comparison.output, comparison.specified, strict=True)
            if r + s > 0
        ]
        lines = [f"{' + '.join(parts)} = {number(comparison.statistic)}"]
    alike = "so they count as similar" if comparison.similar else "so they count as different"
    return step(
        f"Rule of Srivastava and Rossi (2018): {rule.test} test",
        _TEST if rule.test == "chi-squared" else f"{rule.test} test of two samples of counts",
        *lines,
        text=f"R is the output and S the counts of “{comparison.specification}”, the most alike. p"
        f" is {number(comparison.p, 4)}, {'at least' if comparison.similar else 'compared with'}"
        f" {number(1 - rule.level, 2)}, {alike}.",
    )


def _tree(title: str, path: DecisionPath) -> Step:
    nodes = {node.key: node for node in path.nodes}
    lines = []
    for edge in path.edges:
        node = nodes[edge.source]
        if edge.on_path and not node.is_rating:
            question = ": ".join(filter(None, (node.title, node.question))).rstrip("?")
            note = f" ({node.note})" if node.note else ""
            lines.append(f"{question}? {edge.answer}{note}")
    if path.is_open:
        last = nodes[path.taken[-1]]
        lines.append(f"{last.title}: {last.question} {last.note}")
        return step(title, text=f"{'. '.join(lines)}. Neither answer is shown: the rating is open.")
    name = f"{path.rating} ({path.rating.full_name})"
    if str(path.rating) == path.rating.full_name:
        name = path.rating.full_name
    return step(title, text=f"{'. '.join([*lines, f'The rating is {name}'])}.")
