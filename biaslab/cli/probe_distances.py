"""``biaslab probe distances``: model every distance of groups to attributes and controls."""

from __future__ import annotations

import argparse
from typing import Any

from biaslab.atomic import write_atomically
from biaslab.cli.commands import Option, command, flag, given
from biaslab.cli.common_options import GROUPS, SEED, SVG
from biaslab.cli.outputs import OUTPUTS, put_out
from biaslab.csv_text import frame_text


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
