"""Tables of docs/guide/replication.md on test sentences for language models.

The paper is Jiang et al. (2023). BiasTestGPT's own pairs are read from a file beside the
repository; the predefined biases are measured with the package's sentences.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, Literal

import biaslab as bl
from biaslab.probes.sentences.exchange import read_pairs
from biaslab.probes.sentences.probe import statistics
from biaslab.probes.sentences.sources import default_pairs, starter_specs
from biaslab.probes.sentences.stereotype_result import StereotypeScore
from biaslab.probes.sentences.stereotype_shares import StereotypeShare
from markdown_tables import minus, table
from real import MODELS

DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "sentences"
PAIRS = DATA / "biastestgpt-pairs-sample.csv"
SPECS = (
    "biastest-math-arts",
    "biastest-science-arts",
    "biastest-career-family",
    "biastest-professions",
    "biastest-caregiving-decisions",
)
Model = Literal["wiki-mlm", "wiki-clm"]
# The models, and how a version is scored; of the masked one as the tool does, and as a probability.
ASKED: tuple[tuple[Model, str, str], ...] = (
    ("wiki-mlm", "group-term-logit", "masked, the tool's raw logit"),
    ("wiki-mlm", "group-term", "masked, log p of the term"),
    ("wiki-clm", "log-likelihood", "causal, log-likelihood"),
    ("wiki-clm", "mean-loss", "causal, the tool's mean loss"),
)

Sections = dict[str, Callable[[], str]]


def bundled() -> Sections:
    """Sections that need nothing but the package."""
    return {"predefined biases on the bundled models": predefined}


def authors() -> Sections:
    """Sections that need BiasTestGPT's pairs."""
    return {"BiasTestGPT's pairs on the bundled models": their_pairs}


def amplified() -> Sections:
    """Section that needs BiasTestGPT's pairs and a model of `make real`."""
    return {"templates and generated sentences": templates_and_generated}


def present() -> bool:
    """Whether BiasTestGPT's pairs are here."""
    return PAIRS.is_file()


def predefined() -> str:
    """Shares of both lists and of all pairs, with what is the stereotype's and what the terms'."""
    rows = []
    for spec in SPECS:
        for model, scorer, called in ASKED[1:3]:
            found = bl.stereotype_score(bl.load(model), spec, scorer=scorer, keep=False)
            one, two = found.attribute_lists
            rows.append(
                [
                    spec.removeprefix("biastest-"),
                    called.partition(",")[0],
                    str(found.overall.decided),
                    _share(one),
                    _share(two),
                    f"**{_share(found.overall)}**" if found.lean else _share(found.overall),
                    minus(f"{(one.mean_log_odds + two.mean_log_odds) / 2:.2f}"),
                    minus(f"{_pull(one, two):.2f}"),
                ]
            )
    heads = ("bias", "model", "pairs", "list 1, %", "list 2, %", "all, %", "stereotype", "pull")
    return table(heads, rows)


def their_pairs() -> str:
    """Shares on the tool's own pairs, by bias and over all, with equal weight for attributes."""
    scores = [_theirs(model, scorer) for model, scorer, _ in ASKED]
    rows = []
    for name in [part.name for part in scores[0].bias_types]:
        parts = [_bias(found, name) for found in scores]
        rows.append([name.replace("_", " "), str(parts[0].n_pairs), *map(_share, parts)])
    rows.append(
        ["**all**", str(len(scores[0].pairs)), *(_share(found.overall) for found in scores)]
    )
    rows.append(["failures", "", *(str(found.failures) for found in scores)])
    return table(("bias", "pairs", *(f"{called}, %" for _, _, called in ASKED)), rows)


def templates_and_generated() -> str:
    """Models on templates and on BiasTestGPT's sentences about the same attributes."""
    sample = read_pairs(PAIRS).pairs
    rows = []
    for model in ("wiki-mlm", "wiki-clm", MODELS["smollm2"].path):
        lm: Any = bl.load(model)
        for bias, start in (("all", ""), ("professions", "Professions")):
            written = [pair for pair in sample if pair.bias_type.startswith(start)]
            cells = {(pair.attribute, pair.groups) for pair in written}
            templates = {
                pair.id: pair
                for name in starter_specs()
                for pair in default_pairs(bl.specs.get(name))
                if (pair.attribute, pair.groups) in cells
            }
            runs = (list(templates.values()), written)
            found = bl.compare(*(bl.stereotype_score(lm, None, pairs) for pairs in runs))
            lead, ends = found.totals[0], found.totals[0].interval
            points = [lead.difference, *((ends.low, ends.high) if ends else ())]
            change, *limits = (f"{round(100 * each):+d}" for each in points)
            rows.append(
                [
                    lm.name if isinstance(model, str) else "SmolLM2",
                    bias,
                    str(len(found.labels)),
                    f"{100 * lead.a:.0f}",
                    f"{100 * lead.b:.0f}",
                    minus(f"{change} ({' to '.join(limits)})"),
                ]
            )
    heads = ("model", "biases", "attributes", "templates, %", "generated, %", "difference, points")
    return table(heads, rows)


@cache
def _theirs(model: Model, scorer: str) -> StereotypeScore:
    return bl.stereotype_score(bl.load(model), sentences=PAIRS, scorer=scorer, keep=False)


def _bias(found: StereotypeScore, name: str) -> StereotypeShare:
    """The score of one bias: as the tool, the mean over its attributes."""
    own = [i for i, pair in enumerate(found.pairs) if pair.bias_type == name]
    part = statistics([found.pairs[i] for i in own], [found.scores[i] for i in own])
    share: StereotypeShare = part["macro"] or part["micro"]
    return share


def _pull(one: StereotypeShare, two: StereotypeShare) -> float:
    """How much the first group's terms gain, whatever the list, in nats."""
    return (one.mean_log_odds - two.mean_log_odds) / 2


def _share(part: StereotypeShare) -> str:
    ends = part.interval
    return f"{100 * part.share:.0f} ({100 * ends.low:.0f} to {100 * ends.high:.0f})"
