"""``biaslab probe images``: which list of concepts a model pairs with which pictures."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from biaslab.cli.commands import Commands
from biaslab.cli.outputs import add_outputs, put_out
from biaslab.cli.progress_line import finish_line, shown_progress

if TYPE_CHECKING:
    from biaslab.images import ImageSet
    from biaslab.specs import Spec


def add(probes: Commands) -> None:
    """Add the command."""
    parser = probes.add_parser(
        "images", help="which list of words a vision-language model pairs with which pictures"
    )
    parser.add_argument("subject", help="portrait-clip, a folder, or hf:NAME of a model")
    parser.add_argument(
        "spec", help="name or file of a spec with two groups, such as images-experts-helpers"
    )
    parser.add_argument(
        "--beside",
        action="append",
        default=[],
        metavar="SUBJECT",
        help="another model on the same pictures; may be given several times",
    )
    parser.add_argument(
        "--images",
        type=Path,
        metavar="FOLDER",
        help="one folder of pictures for each term, or a Hugging Face image dataset (default: drawn"
        " portraits)",
    )
    parser.add_argument(
        "--per-term", type=int, default=30, help="portraits drawn of each term (default 30)"
    )
    parser.add_argument(
        "--template",
        action="append",
        default=None,
        metavar="TEXT",
        help="caption with {concept}, or question; may be given several times",
    )
    parser.add_argument(
        "--aggregate",
        choices=("sum", "mean", "any"),
        default="sum",
        help="how a list's probability follows from its concepts' (default sum)",
    )
    parser.add_argument("--groups", help="two groups of the spec: name,name")
    parser.add_argument(
        "--attributes", help="two lists of concepts, that of the first group first: name,name"
    )
    parser.add_argument("--level", type=float, default=0.95, help="of the intervals")
    parser.add_argument("--resamples", type=int, default=2000, help="of the bootstrap")
    parser.add_argument(
        "--permutations", type=int, default=10_000, help="splits of the permutation test, if drawn"
    )
    parser.add_argument("--memory", type=float, metavar="MB", help="what a batch may take")
    parser.add_argument(
        "--no-keep", action="store_true", help="keep no answers: a killed run begins anew"
    )
    parser.add_argument("--device", help="cpu or cuda; the GPU where there is one")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--images-csv", type=Path, help="write every picture's scores to a file")
    parser.add_argument("--svg", type=Path, help="write a picture to a file")
    add_outputs(parser)
    parser.set_defaults(handler=_run)


def _run(options: argparse.Namespace) -> int:
    import biaslab as bl
    from biaslab.atomic import write_atomically
    from biaslab.cli.two_names import two_names

    spec = bl.specs.get(options.spec)
    groups = None if options.groups is None else two_names("--groups", options.groups)
    lists = None
    if options.attributes is not None:
        lists = two_names("--attributes", options.attributes, "lists", "science,arts")
    # Made once, so that all models see the same pictures.
    pictures = _pictures(spec, groups, options)
    found = []
    for name in (options.subject, *options.beside):
        vlm = bl.load(name, kind="vlm", device=options.device)
        found.append(
            bl.image_association(
                vlm,
                spec,
                pictures,
                templates=options.template,
                aggregate=options.aggregate,
                groups=groups,
                attributes=lists,
                level=options.level,
                resamples=options.resamples,
                permutations=options.permutations,
                memory_mb=options.memory,
                keep=not options.no_keep,
                seed=options.seed,
                context=shown_progress(),
            )
        )
        finish_line()
    first, *others = found
    put_out(first, options)
    for other in others:
        print(f"\n{other.summary()}")
        print(first.compared_with(other, resamples=options.resamples, seed=options.seed).summary())
    if options.images_csv:
        import pandas as pd

        frames = [one.images_frame().assign(model=one.provenance.subject) for one in found]
        table = pd.concat(frames, ignore_index=True)
        write_atomically(options.images_csv, table.to_csv(index=False, lineterminator="\n"))
    if options.svg:
        from biaslab.reports import svg
        from biaslab.reports.images.chart import side_by_side

        write_atomically(options.svg, svg.paint(side_by_side(found)))
    return 0


def _pictures(spec: Spec, groups: tuple[str, str] | None, options: argparse.Namespace) -> ImageSet:
    import biaslab as bl

    if options.images is not None:
        return bl.images.read_images(options.images)
    if bl.images.can_be_drawn(spec, groups):
        return bl.images.default_images(spec, groups=groups, per_term=options.per_term)
    terms = bl.images.image_terms(spec, groups)
    return bl.images.find_images(terms, per_term=options.per_term)
