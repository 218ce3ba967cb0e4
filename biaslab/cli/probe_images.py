"""``biaslab probe images``: measure which concepts a model pairs with which images."""

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
    TEMPLATE,
    TWO_GROUPS,
    opening,
)
from biaslab.cli.outputs import OUTPUTS, put_out_side_by_side
from biaslab.cli.progress_line import finish_line, shown_progress
from biaslab.cli.texts import two_names

if TYPE_CHECKING:
    from biaslab.images import ImageSet
    from biaslab.specs import Spec


@command(
    "images",
    "whether a vision-language model pairs images with stereotyped concepts",
    Option("subject", "bundled name (portrait-clip), folder, or hf:NAME"),
    Option("spec", SPEC_OF_TWO_GROUPS.format("images-experts-helpers")),
    Option(
        "--beside",
        "another model to run on the same images (repeatable)",
        [],
        action="append",
        metavar="SUBJECT",
    ),
    Option(
        "--images",
        "folder with one subfolder of images per term, or a Hugging Face image dataset"
        " (default: drawn portraits)",
        metavar="FOLDER",
    ),
    Option("--per-term", "portraits to draw of each term", 30),
    TEMPLATE,
    Option(
        "--aggregate",
        "how the probabilities of a list's concepts are combined",
        "sum",
        choices=("sum", "mean", "any"),
    ),
    TWO_GROUPS,
    Option(
        "--attributes",
        "two lists of concepts; the stereotype of the first group comes first",
        metavar="NAME,NAME",
    ),
    LEVEL,
    RESAMPLES,
    Option("--permutations", "random splits in the permutation test if not all are used", 10_000),
    MEMORY,
    flag("--no-keep", "do not cache answers; an interrupted run then starts over"),
    MODEL,
    SEED,
    Option("--images-csv", "write the scores of every image to a file", metavar="FILE"),
    SVG,
    *OUTPUTS,
    examples=(
        "biaslab probe images portrait-clip images-experts-helpers",
        "biaslab probe images models/my-clip images-experts-helpers --images photographs",
    ),
)
def compare_images(options: argparse.Namespace) -> None:
    """Show the same images to one model or several."""
    import biaslab as bl
    from biaslab.reports.images.chart import side_by_side

    spec = bl.specs.get(options.spec)
    groups = two_names("--groups", options.groups)
    lists = two_names("--attributes", options.attributes, "lists", "science,arts")
    # Made once, so that all models see the same images.
    images = _images(spec, groups, options)
    results = []
    for name in (options.subject, *options.beside):
        vlm = bl.load(name, kind="vlm", **opening(options))
        results.append(
            bl.image_association(
                vlm,
                spec,
                images,
                templates=options.template,
                groups=groups,
                attributes=lists,
                memory_mb=options.memory,
                keep=not options.no_keep,
                rng=options.seed,
                context=shown_progress(),
                **given(options, "aggregate", "level", "resamples", "permutations"),
            )
        )
        finish_line()
    put_out_side_by_side(
        results,
        options,
        chart=side_by_side,
        raw_csv=options.images_csv,
    )


def _images(spec: Spec, groups: tuple[str, str] | None, options: argparse.Namespace) -> ImageSet:
    import biaslab as bl

    if options.images is not None:
        return bl.images.read_images(options.images)
    if bl.images.can_be_drawn(spec, groups):
        return bl.images.default_images(
            spec, groups=groups, per_term=options.per_term, seed=options.seed
        )
    terms = bl.images.image_terms(spec, groups)
    return bl.images.find_images(terms, per_term=options.per_term, seed=options.seed)
