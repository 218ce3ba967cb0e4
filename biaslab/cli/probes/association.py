"""Associations of words: ``biaslab probe weat``, ``mac``, ``distances``, ``seat``, ``ceat``."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from biaslab.cli.commands import Option, command, flag, given
from biaslab.cli.options import (
    GROUPS,
    LEVEL,
    MODEL,
    SEED,
    SPEC_OF_TWO_GROUPS,
    SUBJECT,
    SVG,
    lines,
    names,
    opening,
)
from biaslab.cli.output import OUTPUTS, put_out
from biaslab.files.atomic import write_atomically
from biaslab.files.csv_text import frame_text

if TYPE_CHECKING:
    from biaslab.subjects import EmbeddingSubject


_LISTS = (
    SUBJECT,
    Option("spec", "name or file of a spec, such as weat-6"),
    GROUPS,
    Option(
        "--attributes",
        "attribute lists of the spec to use, in order",
        type=names,
        metavar="NAME,NAME",
    ),
    LEVEL,
    SEED,
    SVG,
)


@command(
    "weat",
    "Word Embedding Association Test of two groups and two attribute lists",
    *_LISTS,
    Option("--ddof", "delta degrees of freedom of the SD in the effect size", 1, choices=(0, 1)),
    Option(
        "--alternative",
        "alternative hypothesis of the permutation test",
        "greater",
        choices=("greater", "less", "two-sided"),
    ),
    Option(
        "--permutations",
        "random splits in the permutation test if there are more than 100,000",
        10_000,
        former="--splits",
    ),
    *OUTPUTS,
    examples=(
        "biaslab probe weat wiki-bootstraps weat-6",
        "biaslab probe weat vectors.txt weat-7 --alternative two-sided --svg weat.svg",
    ),
)
def run_weat(options: argparse.Namespace) -> None:
    """Test two groups and two attribute lists."""
    import biaslab as bl

    lists = given(options, "groups", "attributes", "level")
    settings = given(options, "ddof", "alternative", "permutations")
    result = bl.weat(bl.load(options.subject), options.spec, rng=options.seed, **lists, **settings)
    put_out(result, options)
    if options.svg:
        result.to_svg(options.svg)


@command(
    "mac",
    "mean average cosine (MAC), overall and by kind of attribute word",
    *_LISTS,
    Option(
        "--scale",
        "report cosine distance or cosine similarity",
        "distance",
        former="--as",
        choices=("distance", "similarity"),
    ),
    *OUTPUTS,
    examples=("biaslab probe mac wiki-bootstraps manzini-religion",),
)
def run_mac(options: argparse.Namespace) -> None:
    """Average cosines of groups with attributes."""
    import biaslab as bl

    lists = given(options, "groups", "attributes", "level")
    result = bl.mac(
        bl.load(options.subject), options.spec, options.scale, rng=options.seed, **lists
    )
    put_out(result, options)
    if options.svg:
        result.to_svg(options.svg)


@command(
    "distances",
    "Bayesian model of every word-to-word distance, with control words",
    Option("subject", "bundled name, file or folder; or a CSV file of distances"),
    Option("spec", "name or file of a spec, such as manzini-religion", nargs="?"),
    GROUPS,
    Option(
        "--model",
        "crossed effects of protected and attribute words, with SDs of each kind of words"
        " (default) or one for all; or one of the two published models",
        "crossed",
        choices=("crossed", "crossed-equal", "pooled", "per-word"),
    ),
    Option("--engine", "exact draws, or the No-U-Turn sampler", "exact", choices=("exact", "nuts")),
    Option("--draws", "posterior draws", 2000),
    Option("--level", "level of the intervals", 0.89),
    Option("--replicates", "replicates to use (default: all)", type=int),
    SEED,
    flag("--compare", "also compare all models by leave-one-out cross-validation"),
    Option("--distances", "write every distance to a CSV file", metavar="FILE"),
    SVG,
    *OUTPUTS,
    examples=(
        "biaslab probe distances wiki-bootstraps manzini-religion --svg distances.svg",
        "biaslab probe distances distances.csv --compare",
    ),
)
def model_distances(options: argparse.Namespace) -> None:
    """Fit the model, and compare it with the others if requested."""
    import biaslab as bl

    table = _table(options)
    settings: dict[str, Any] = {**given(options, "draws", "level"), "rng": options.seed}
    result = bl.distance_model(table, model=options.model, engine=options.engine, **settings)
    put_out(result, options)
    if options.compare:
        print("\nExpected log predictive density (elpd) by leave-one-out cross-validation:")
        for score in bl.association.model_scores(
            bl.association.compare_models(table.first(1), **settings)
        ):
            print(
                f"{score.model:13} elpd {score.elpd:9.1f}, {score.behind:8.1f} below the best "
                f"(standard error {score.behind_se:.1f})"
            )
    if options.distances:
        write_atomically(options.distances, frame_text(table.to_frame()))
    if options.svg:
        result.to_svg(options.svg)


def _table(options: argparse.Namespace) -> Any:
    import biaslab as bl
    from biaslab.errors import QueryError

    if not options.spec:
        if not options.subject.endswith(".csv"):
            raise QueryError("Give a spec after the subject, such as manzini-religion.")
        return bl.association.DistanceTable.read_csv(options.subject).first(options.replicates)
    return bl.association.distances(
        bl.load(options.subject), options.spec, groups=options.groups, replicates=options.replicates
    )


_COMMON = (
    Option("subject", "folder of a language model, or hf:NAME"),
    Option("spec", SPEC_OF_TWO_GROUPS.format("weat-7")),
    Option("--groups", "two groups of the spec", type=names, metavar="NAME,NAME"),
    MODEL,
    SEED,
    *OUTPUTS,
)


@command(
    "seat",
    "Sentence Encoder Association Test: WEAT over sentences from templates",
    *_COMMON,
    Option("--templates", "sentences with {} in place of the word, one per line", metavar="FILE"),
    Option(
        "--pooling",
        "which token vectors represent a sentence (default: the encoder's own)",
        choices=("term", "mean", "cls", "last"),
    ),
    examples=("biaslab probe seat wiki-mlm weat-7",),
)
def run_seat(options: argparse.Namespace) -> None:
    """Test words in sentences made from templates."""
    import biaslab as bl
    from biaslab.probes.association.seat import BLEACHED

    templates = BLEACHED if options.templates is None else lines(options.templates)
    result = bl.association.seat(
        _encoder(options),
        options.spec,
        templates=templates,
        rng=options.seed,
        **given(options, "groups", "pooling"),
    )
    put_out(result, options)


@command(
    "ceat",
    "Contextualized Embedding Association Test: WEAT over sampled contexts",
    *_COMMON,
    Option(
        "--contexts",
        "texts that contain the words, or sentences with {} in place of the word",
        metavar="FILE",
    ),
    Option("--draws", "random samples of contexts", 10_000),
    examples=("biaslab probe ceat wiki-mlm weat-7 --contexts texts.txt",),
)
def run_ceat(options: argparse.Namespace) -> None:
    """Test words in sampled contexts."""
    import biaslab as bl

    result = bl.association.ceat(
        _encoder(options),
        options.spec,
        rng=options.seed,
        **given(options, "groups", "contexts", "draws"),
    )
    put_out(result, options)


def _encoder(options: argparse.Namespace) -> EmbeddingSubject:
    import biaslab as bl

    encoder: EmbeddingSubject = bl.load(options.subject, kind="encoder", **opening(options))
    return encoder
