"""``biaslab probe sentences``: which of two sentences a language model finds more probable."""

from __future__ import annotations

import argparse

from biaslab.cli.commands import Option, command, flag, given
from biaslab.cli.common_options import (
    DEVICE,
    LEVEL,
    MEMORY,
    RESAMPLES,
    SEED,
    SPEC_OF_TWO_GROUPS,
    SVG,
    TWO_GROUPS,
)
from biaslab.cli.outputs import OUTPUTS, put_out_side_by_side
from biaslab.cli.progress_line import finish_line, shown_progress
from biaslab.cli.texts import two_names


@command(
    "sentences",
    "whether a language model finds stereotyped sentences more probable",
    Option("subject", "bundled name, folder, or hf:NAME of a language model"),
    Option("spec", SPEC_OF_TWO_GROUPS.format("biastest-math-arts"), nargs="?"),
    Option("--kind", "masked or causal model", choices=("mlm", "clm")),
    Option(
        "--beside",
        "another model to run on the same sentences (repeatable)",
        [],
        action="append",
        metavar="SUBJECT",
    ),
    Option(
        "--sentences", "sentence pairs (default: the bundled pairs of the spec)", metavar="FILE"
    ),
    Option(
        "--scorer",
        "how a sentence is scored: pll, crows-pairs, log-likelihood ... (default: pll for a masked"
        " model, log-likelihood for a causal one)",
    ),
    Option(
        "--pairing",
        "swap the group's term (default) or the attribute",
        choices=("group", "attribute"),
    ),
    TWO_GROUPS,
    Option(
        "--weighting",
        "what has equal weight in the headline; the other one is reported beside it",
        "attributes",
        choices=("attributes", "pairs"),
    ),
    LEVEL,
    RESAMPLES,
    MEMORY,
    flag("--no-keep", "do not cache scores; an interrupted run then starts over"),
    DEVICE,
    SEED,
    Option("--pairs-csv", "write the scores of every pair to a file", metavar="FILE"),
    SVG,
    *OUTPUTS,
    examples=("biaslab probe sentences wiki-mlm biastest-math-arts --beside wiki-clm",),
)
def compare_sentences(options: argparse.Namespace) -> None:
    """Score the same pairs of sentences with one model or several."""
    import biaslab as bl
    from biaslab.errors import QueryError
    from biaslab.probes.sentences.inputs import resolve_pairs
    from biaslab.reports.sentences.chart import side_by_side

    spec = None if options.spec is None else bl.specs.get(options.spec)
    groups = two_names("--groups", options.groups)
    # Made once, so that all models see the same sentences.
    pairs = resolve_pairs(spec, options.sentences, options.pairing, groups)
    results = []
    for name in (options.subject, *options.beside):
        lm = bl.load(name, kind=options.kind, device=options.device)
        if getattr(lm, "kind", None) not in ("mlm", "clm"):
            raise QueryError(
                f"{name} is not a language model. Give one with --kind mlm (masked) or --kind clm"
                " (causal)."
            )
        results.append(
            bl.stereotype_score(
                lm,
                spec,
                pairs,
                memory_mb=options.memory,
                keep=not options.no_keep,
                rng=options.seed,
                context=shown_progress(),
                weighting=options.weighting,
                **given(options, "scorer", "level", "resamples"),
            )
        )
        finish_line()
    put_out_side_by_side(
        results,
        options,
        chart=side_by_side,
        raw_csv=options.pairs_csv,
    )
