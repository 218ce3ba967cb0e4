"""``biaslab probe distances``: model every distance of groups to attributes and controls."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from biaslab.cli.commands import Commands
from biaslab.cli.common_options import add_level, add_seed, add_svg
from biaslab.cli.outputs import add_outputs, put_out


def add(probes: Commands) -> None:
    """Add the command."""
    parser = probes.add_parser(
        "distances", help="Bayesian model of every word-to-word distance, with control words"
    )
    parser.add_argument("subject", help="bundled name, file or folder; or a CSV file of distances")
    parser.add_argument("spec", nargs="?", help="name or file of a spec, such as manzini-religion")
    parser.add_argument(
        "--groups", default="", metavar="NAME,NAME", help="groups of the spec to use, in order"
    )
    parser.add_argument(
        "--model",
        choices=("crossed", "pooled", "per-word"),
        default="crossed",
        help="crossed effects of protected and attribute words (default), or one of the two"
        " published models",
    )
    parser.add_argument(
        "--engine",
        choices=("exact", "nuts"),
        default="exact",
        help="exact draws, or the No-U-Turn sampler (default: %(default)s)",
    )
    parser.add_argument(
        "--draws", type=int, default=2000, help="posterior draws (default: %(default)s)"
    )
    add_level(parser, 0.89)
    parser.add_argument("--replicates", type=int, help="replicates to use (default: all)")
    add_seed(parser)
    parser.add_argument(
        "--compare",
        action="store_true",
        help="also compare all three models by leave-one-out cross-validation",
    )
    parser.add_argument(
        "--distances", type=Path, metavar="FILE", help="write every distance to a CSV file"
    )
    add_svg(parser)
    add_outputs(parser)
    parser.set_defaults(handler=_run)


def _run(options: argparse.Namespace) -> int:
    import biaslab as bl

    table = _table(options)
    settings: dict[str, Any] = {
        "draws": options.draws,
        "level": options.level,
        "rng": options.seed,
    }
    result = bl.distance_model(table, model=options.model, engine=options.engine, **settings)
    put_out(result, options)
    if options.compare:
        print("\nExpected log predictive density (elpd) by leave-one-out cross-validation:")
        for score in bl.association.model_scores(
            bl.association.compare_models(table.first(1), **settings)
        ):
            print(
                f"{score.model:10} elpd {score.elpd:9.1f}, {score.behind:8.1f} below the best "
                f"(standard error {score.behind_se:.1f})"
            )
    if options.distances:
        table.to_frame().to_csv(options.distances, index=False)
    if options.svg:
        result.to_svg(options.svg)
    return 0


def _table(options: argparse.Namespace) -> Any:
    import biaslab as bl
    from biaslab.errors import QueryError

    if not options.spec:
        if not options.subject.endswith(".csv"):
            raise QueryError("Give a spec after the subject, such as manzini-religion.")
        return bl.association.DistanceTable.read_csv(options.subject).first(options.replicates)
    names = [name.strip() for name in options.groups.split(",")] if options.groups else None
    return bl.association.distances(
        bl.load(options.subject), options.spec, groups=names, replicates=options.replicates
    )
