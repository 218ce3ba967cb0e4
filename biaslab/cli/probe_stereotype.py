"""``biaslab probe sentences``: which of two sentences a language model finds more probable."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from biaslab.cli.commands import Option, command, flag, given
from biaslab.cli.common_options import (
    LEVEL,
    MEMORY,
    MODEL,
    RESAMPLES,
    SEED,
    SPEC_OF_TWO_GROUPS,
    SVG,
    TWO_GROUPS,
    opening,
)
from biaslab.cli.frame_options import OF_A_LANGUAGE, frames_of, print_crossed
from biaslab.cli.outputs import OUTPUTS, put_out_side_by_side
from biaslab.cli.progress_line import finish_line, shown_progress
from biaslab.cli.texts import two_names

if TYPE_CHECKING:
    from biaslab.frames import FrameSet


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
        "--frames",
        "pairs made of the frames of a language, such as de (`biaslab specs frames`), in place of a"
        " spec",
        metavar="LANG",
    ),
    *OF_A_LANGUAGE,
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
    MODEL,
    SEED,
    Option("--pairs-csv", "write the scores of every pair to a file", metavar="FILE"),
    SVG,
    *OUTPUTS,
    examples=(
        "biaslab probe sentences wiki-mlm biastest-math-arts --beside wiki-clm",
        "biaslab probe sentences models/my-xlm-r --frames de --design agreeing",
    ),
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
    frames = _frames(options)
    pairs = resolve_pairs(spec, frames or options.sentences, options.pairing, groups)
    results = []
    for name in (options.subject, *options.beside):
        lm = bl.load(name, kind=options.kind, **opening(options))
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
    if frames is not None:
        for result in results:
            print_crossed(result, frames)


def _frames(options: argparse.Namespace) -> FrameSet | None:
    """Return the frames of a language, which stand in place of a spec and a file."""
    from biaslab import frames
    from biaslab.errors import QueryError

    found = frames_of(options)
    if found is None and options.frames is not None:
        found = frames.get(options.frames)  # its error lists the languages
    if found is not None:
        wrong = [f"--{name}" for name in ("sentences", "groups") if getattr(options, name)]
        if wrong := [*(["the spec"] if options.spec else []), *wrong]:
            raise QueryError(
                f"--frames {options.frames} brings its own sentences, items and cues: leave out"
                f" {' and '.join(wrong)}."
            )
    return found
