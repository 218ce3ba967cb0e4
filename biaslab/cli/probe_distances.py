"""``biaslab probe distances``: a model of every distance of groups to attributes and controls."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from biaslab.cli.commands import Commands
from biaslab.cli.outputs import add_outputs, put_out


def add(probes: Commands) -> None:
    """Add the command."""
    parser = probes.add_parser(
        "distances", help="Bayesian models of every distance, with control words"
    )
    parser.add_argument("subject", help="bundled name, file or folder; or a CSV file of distances")
    parser.add_argument("spec", nargs="?", help="name of a spec of the catalogue, or its file")
    parser.add_argument("--groups", default="", help="group,group: which of the spec's, in order")
    parser.add_argument(
        "--model", choices=("crossed", "pooled", "per-word"), default="crossed",
        help="crossed (default), or one of the paper's two",
    )  # fmt: skip
    parser.add_argument("--engine", choices=("exact", "nuts"), default="exact")
    parser.add_argument("--draws", type=int, default=2000)
    parser.add_argument("--level", type=float, default=0.89, help="of the intervals")
    parser.add_argument("--replicates", type=int, help="how many; by default all")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--compare", action="store_true", help="also all three models by leave-one-out"
    )
    parser.add_argument("--distances", type=Path, help="write every distance to a CSV file")
    parser.add_argument("--svg", type=Path, help="write a picture to a file")
    add_outputs(parser)
    parser.set_defaults(handler=_run)


def _run(options: argparse.Namespace) -> int:
    import biaslab as bl

    table = _table(options)
    settings: dict[str, Any] = {
        "draws": options.draws,
        "level": options.level,
        "seed": options.seed,
    }
    result = bl.distance_model(table, model=options.model, engine=options.engine, **settings)
    put_out(result, options)
    if options.compare:
        print()
        for score in bl.model_scores(bl.compare_models(table.first(1), **settings)):
            print(
                f"{score.model:10} elpd {score.elpd:9.1f}, behind the best by {score.behind:8.1f} "
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
            raise QueryError("Name a spec after the subject, such as manzini-religion.")
        return bl.DistanceTable.read_csv(options.subject).first(options.replicates)
    names = [name.strip() for name in options.groups.split(",")] if options.groups else None
    return bl.distances(
        bl.load(options.subject), options.spec, groups=names, replicates=options.replicates
    )
