"""Word lists: ``biaslab probe list-length``, ``suggest-words``, ``residual``."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from biaslab.cli.commands import Option, command, given
from biaslab.cli.options import GROUPS, LEVEL, SEED, SUBJECT, SVG, names
from biaslab.cli.output import OUTPUTS, put_out

if TYPE_CHECKING:
    from biaslab.records.result import Result

_SPEC = Option("spec", "name or file of a spec, such as weat-6")


@command(
    "list-length",
    "how a verdict changes with shorter word lists, and how long they should be",
    SUBJECT,
    _SPEC,
    GROUPS,
    Option("--measure", "WEAT or the distance model", "weat", choices=("weat", "distances")),
    Option("--margin", "largest effect that does not matter", type=float),
    Option("--share", "probability of a settled verdict", 0.8),
    Option("--grow", "lists that get longer", "all", choices=("all", "groups", "attributes")),
    Option("--repeats", "random sublists of each length", 50),
    SEED,
    SVG,
    *OUTPUTS,
    examples=("biaslab probe list-length wiki-bootstraps weat-6 --margin 0.05",),
)
def measure_list_length(options: argparse.Namespace) -> None:
    """Measure the lists, then sublists of them."""
    import biaslab as bl

    probe = bl.weat if options.measure == "weat" else bl.distance_model
    result = probe(
        bl.load(options.subject), options.spec, rng=options.seed, **given(options, "groups")
    )
    length = bl.association.list_length(
        result, rng=options.seed, **given(options, "margin", "share", "grow", "repeats")
    )
    put_out(length, options)
    if options.svg:
        length.to_svg(options.svg)


@command(
    "suggest-words",
    "further words for a list, chosen without the tested association",
    SUBJECT,
    _SPEC,
    Option("list", "such as attributes.career or groups.female"),
    GROUPS,
    Option("--limit", "words to suggest", 20),
    Option(
        "--accept",
        "words to accept, or 'all': measure WEAT's difference as they are added",
        type=names,
        metavar="WORD,WORD",
    ),
    LEVEL,
    SEED,
    SVG,
    *OUTPUTS,
    examples=(
        "biaslab probe suggest-words wiki-bootstraps weat-6 attributes.career",
        "biaslab probe suggest-words wiki-bootstraps weat-6 attributes.career --accept job,staff",
    ),
)
def suggest_for_list(options: argparse.Namespace) -> None:
    """Suggest words; with accepted ones, show what they change."""
    import biaslab as bl

    subject = bl.load(options.subject)
    lists = given(options, "groups")
    suggested = bl.association.suggest_words(
        subject, options.spec, options.list, limit=options.limit, **lists
    )
    result: Result = suggested
    if options.accept:
        chosen = suggested if options.accept == ["all"] else suggested.accept(options.accept)
        result = bl.association.list_growth(
            subject, options.spec, chosen, rng=options.seed, **lists, **given(options, "level")
        )
    put_out(result, options)
    if options.svg:
        result.to_svg(options.svg)


@command(
    "residual",
    "whether the classes of a bias can still be predicted after debiasing",
    SUBJECT,
    Option("spec", "spec with the defining sets, such as gender-pairs"),
    Option("--method", "hard or soft debiasing", "hard", choices=("hard", "soft")),
    Option("--words", "words of each class", 500),
    Option("--neighbours", "nearest neighbours counted", 100),
    Option("--weat", "spec of a WEAT before and after, such as weat-6", metavar="SPEC"),
    Option("--replicates", "replicates to use", 4),
    LEVEL,
    SEED,
    SVG,
    *OUTPUTS,
    examples=("biaslab probe residual wiki-bootstraps gender-pairs --weat weat-6",),
)
def measure_residual(options: argparse.Namespace) -> None:
    """Debias a subject, and look for what is left."""
    import biaslab as bl

    debiased = bl.debias(bl.load(options.subject), options.spec, method=options.method)
    result = bl.association.residual(
        debiased,
        weat_spec=options.weat,
        rng=options.seed,
        **given(options, "words", "neighbours", "replicates", "level"),
    )
    put_out(result, options)
    if options.svg:
        result.to_svg(options.svg)
